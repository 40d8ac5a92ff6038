# db plan: what the bill needs on disk and in BigQuery, as lines and as sums of days.
. "$ROOT/tests/cli/lib.sh"

# two resources in every hour of 10 days, which are one SKU in one place
write_world plan us-central1-a <<END
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11
  location: EU
  currency: USD
  rows:
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: Core,
       region: us-central1, zone: us-central1-a, unit: hour, usage: 1, cost: 2, resource: one,
       from: $(day -12 %Y-%m-%dT00:00:00Z), until: $(day -2 %Y-%m-%dT00:00:00Z)}
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: Core,
       region: us-central1, zone: us-central1-a, unit: hour, usage: 1, cost: 2, resource: two,
       from: $(day -12 %Y-%m-%dT00:00:00Z), until: $(day -2 %Y-%m-%dT00:00:00Z)}
END
start_sandbox "$work/world.yaml"
config_one "billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11}"
run tpucost collect -q billing
status "collected" 0

rows() { jq -c "[.[] | [$1]]" stdout; }
run tpucost db plan --format json
status "plan" 0
# the last hour of a day is loaded into the partition of the next one: 10 days in 20 units
is "lines, and sums of days" "$(rows '.detail, .row_count, .rows_per_day')" '[["local",480,48],["bigquery",20,2]]'
is "disk, at 60 bytes a line" "$(rows '.disk_mib_per_year')" '[[1.002502441],[0.041770935]]'
# each query and table: 10 MiB at least, and 6.25 USD per TiB
is "one read" "$(rows '.read_gib, .read_cost, .currency')" '[[0.009765625,0.000059605,"USD"],[0.009765625,0.000059605,"USD"]]'
# 24 polls a day, each of two queries
is "polls of a month" "$(rows '.polls_gib, .polls_cost')" '[[14.0625,0.085830688],[14.0625,0.085830688]]'
is "a question" "$(rows '.question_gib, .question_cost')" '[[0,0],[0.009765625,0.000059605]]'
is "two queries of the poll, and dry runs" "$(grep -c "POST.*queries" requests)" 10
has "the price and its source" "$err" "https://cloud.google.com/bigquery/pricing"

asked=$(wc -l <requests)
run tpucost db plan --offline --format json
status "offline" 0
is "no request" "$(wc -l <requests)" "$asked"
is "offline, BigQuery is unknown" "$(rows '.row_count, .polls_gib, .question_cost')" '[[480,null,0],[20,null,null]]'
has "and so it says" "$err" "the figures of BigQuery are unknown"

sed -i 's/00AA11}/00AA11, detail: bigquery}/' tpucost.yaml
run tpucost collect -q billing
run tpucost db plan --format json
is "of sums of days, the lines are unknown" "$(rows '.detail, .row_count, .disk_mib, .read_gib')" \
	'[["local",null,null,0.009765625],["bigquery",20,0.001144409,0.009765625]]'
sed -i 's/, detail: bigquery//' tpucost.yaml
run tpucost collect -q billing

kill "$sandbox_pid" && wait "$sandbox_pid" 2>/dev/null
sandbox_pid=
run tpucost db plan --format json
status "not reachable: partial" 4
is "the disk is known" "$(rows '.row_count, .polls_gib')" '[[480,null],[20,null]]'
has "and why not more" "$err" "tpucost: db plan: "
run tpucost db plan tomorrow
status "no such plan" 2
