# billing: {detail: bigquery}: whoever cannot ask BigQuery uses a stored answer, or says that it is missing: nothing is
# left out in silence by views, the page, data for other programs and assistants.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-web.sh"

core="service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour, region: us-central1"
span="from: $(day -9 %Y-%m-%dT00:00:00Z), until: $(day -1 %Y-%m-%dT00:00:00Z)"
write_world elsewhere us-central1-a <<END
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: USD
  rows:
    - {project: lab-one, $core, usage: 8, cost: 1, zone: us-central1-a, resource: vm-1, labels: {owner: ada}, $span, every: 3h}
    - {project: lab-two, $core, usage: 8, cost: 5, zone: us-central1-a, resource: vm-2, labels: {owner: ben}, $span, every: 6h}
END
start_sandbox "$work/world.yaml"
set_clock =$NOW
for detail in local bigquery; do
	cat >$detail.yaml <<END
timezone: UTC
projects: [lab-one, lab-two]
credentials: service-account.json
database: $detail.db
billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55, detail: $detail}
endpoints: {all: "$url"}
END
	run tpucost --config $detail.yaml collect -q billing
done
only="only sums of days are kept here (billing: {detail: bigquery})"
asked=$(grep -c 'POST.*/queries' requests)

run tpucost --config bigquery.yaml query costs --where "owner = 'ada'"
status "a view: rows of an owner are not none" 1
has "a view: why" "$err" "$only"
has "a view: the command that asks" "$err" "tpucost cost asks it, with --by and --where"
run tpucost --config bigquery.yaml query costs --where "project = 'lab-one'" --columns day,cost
status "a view: other conditions" 0
notes=$err
run tpucost --config bigquery.yaml cost
is "a view: the notes of cost" "$notes" "$err"
is "a view: none on what is not kept" "$(grep -c "$only" stderr)" 0
run tpucost --config local.yaml query costs --where "owner = 'ada'" --columns owner --format json
is "a view: with all lines" "$(jq -c 'map(.owner) | unique' stdout)" '["ada"]'

printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"view":"costs","where":"owner = '"'ada'"'"}}}' |
	tpucost --config bigquery.yaml mcp >stdout 2>stderr
has "an assistant" "$(cat stdout)" '"isError":true'
has "an assistant: why" "$(cat stdout)" "$only"

export TPUCOST_CONFIG=$work/bigquery.yaml
start_web
get "/costs.json?where=owner%20%3D%20%27ada%27"
is "data: an error" "$((rc >= 400))" 1
has "data: why" "$out" "$only"
get /costs.json?by=owner
has "data by owner: why" "$out" "$only"
get /cost
has "the page: why" "$out" "$only"
has "the page: the command" "$out" "tpucost cost asks it"
is "nobody asked" "$(grep -c 'POST.*/queries' requests)" "$asked"

run tpucost cost --by owner -q
status "asked by the command" 0
get /costs.json?by=owner
is "then data has it" "$(printf '%s' "$out" | jq -c 'map([.owner, .net]) | sort')" '[["ada",64],["ben",160]]'
stop_web

for where in "owner = 'ada'" "cost > 1"; do
	for detail in local bigquery; do
		tpucost --config $detail.yaml cost --format focus --where "$where" --output $detail.csv >/dev/null 2>&1
	done
	is "FOCUS where $where" "$(grep -c . bigquery.csv; cmp local.csv bigquery.csv)" "$(grep -c . local.csv)"
done
