# billing: {detail: bigquery}: `why` asks BigQuery about the lines of a resource, and `reconcile --what egress` about
# buckets. The same rows and amounts as with all lines; without an answer, they say why.
. "$ROOT/tests/cli/lib.sh"

core="service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour, region: us-central1"
bucket="service_id: 95FF-2EF5-5EA1, service: Cloud Storage, region: us-east1"
span="from: $(day -9 %Y-%m-%dT00:00:00Z), until: $(day -1 %Y-%m-%dT00:00:00Z)"
write_world resources us-central1-a <<END
instances:
  - {project: lab-one, zone: us-central1-a, name: vm-1, type: n1-standard-8, created: -300h}
  - {project: lab-two, zone: us-central1-a, name: vm-2, type: n1-standard-8, created: -300h}
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: USD
  rows:
    - {project: lab-one, $core, usage: 8, cost: 0.123456789, zone: us-central1-a, resource: vm-1, $span, every: 3h,
       credits: [{name: sud, type: SUSTAINED_USAGE_DISCOUNT, amount: -0.0123456}]}
    - {project: lab-two, $core, usage: 8, cost: 5.5, zone: us-central1-a, resource: vm-2, $span, every: 6h}
    - {project: lab-one, $bucket, sku_id: S1, sku: Network Inter Region Data Transfer Out, unit: gibibyte, usage: 30,
       cost: 0.6, resource: far, $span, every: 24h}
    - {project: lab-one, $bucket, sku_id: S3, sku: Download Data Transfer Out, unit: gibibyte, usage: 50, cost: 6,
       resource: public, $span, every: 24h}
    - {project: lab-one, $bucket, sku_id: S4, sku: Regional Standard Class B Operations, unit: count, usage: 1000000,
       cost: 0.4, resource: far, $span, every: 24h}
END
start_sandbox "$work/world.yaml"
set_clock =$NOW
# config DETAIL [MORE]
config() {
	cat >"$1.yaml" <<END
timezone: Asia/Hong_Kong
projects: [lab-one, lab-two]
credentials: service-account.json
database: $1.db
billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55, detail: $1${2:-}}
endpoints: {all: "$url"}
END
}
queries() { grep -c 'POST.*/queries' requests; }
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
forget() { sqlite3 bigquery.db 'DELETE FROM detail_line; DELETE FROM detail_answer'; }
for detail in local bigquery; do
	config $detail
	run tpucost --config $detail.yaml collect -q
	for days in 3 4 5; do
		for b in far:traffic:30:0.6 public:traffic:50:6.3 far:operations:1:0.4; do
			IFS=: read -r name what amount cost <<-END
				$b
			END
			sqlite3 $detail.db "INSERT INTO egress_day VALUES ('lab-one', '$name', '$(day -$days)', '$what', $NOW,
				$amount * 1073741824, $cost * 1000000000, 0, 8000000000, 'USD')"
		done
	done
done
# both NAME COMMAND...
both() {
	name=$1
	shift
	for detail in local bigquery; do
		"$B/tpucost" --config $detail.yaml "$@" >said.$detail 2>noted.$detail
		echo "status $?" >>said.$detail
	done
	is "$name" "$(cat said.bigquery)" "$(cat said.local)"
}

# ---- why
asked=$(queries)
both "why: a machine" why lab-one/vm/us-central1-a/vm-1
has "why: its net cost" "$(cat said.bigquery)" "N1 Core"
has "why: it says what it reads" "$(cat noted.bigquery)" "note: BigQuery reads "
is "why: a dry run and a query" "$(queries)" "$((asked + 2))"
both "why: from the kept answer" why vm-1 --format json --offline
both "why: another project" why vm-2 --format json
is "why: that is another question" "$(queries)" "$((asked + 4))"
both "why: a day needs none" why "cost:$(day -3)" --format json
is "why: no question" "$(queries)" "$((asked + 4))"

# ---- buckets
both "buckets" reconcile --what egress --format json
is "buckets: rows" "$(sed '$d' said.bigquery | jq -r 'map(.bucket + " " + .what + " " + .verdict) | unique | join(",")')" \
	"far operations ok,far traffic ok,public traffic ok"
both "buckets: days" reconcile --what egress --since "$(day -3)" --format json --offline
is "buckets: one question" "$(queries)" "$((asked + 6))"
both "TPUs need none" reconcile --format json -q
is "TPUs: no question" "$(queries)" "$((asked + 6))"

# ---- without an answer
forget
run tpucost --config bigquery.yaml why vm-1 --offline --format json
status "why, offline" 0
has "why, offline: says so" "$(jq -r '.[] | select(.label == "bill").value' stdout)" \
	"only sums of days are kept here (billing: {detail: bigquery})"
run tpucost --config bigquery.yaml reconcile --what egress --offline --format json
is "buckets, offline: traffic of projects" "$(jq -rs '.[0] | map(.bucket) | unique | tostring' stdout)" '[null]'
has "buckets, offline: says so" "$err" "note: the traffic of each project is compared, not that of each bucket: only sums of days"
is "offline: no question" "$(queries)" "$((asked + 6))"
config bigquery ", question_gib: 0"
run tpucost --config bigquery.yaml why vm-1
has "too many bytes: why says so" "$(tr -s ' \n' ' ' <stdout)" "BigQuery would read 0.001 GiB, and billing.question_gib is 0"
run tpucost --config bigquery.yaml reconcile --what egress
has "too many bytes: reconcile, too" "$err" "each bucket: BigQuery would read 0.001 GiB"
config bigquery
faults "[{match: POST /bigquery/v2/projects/lab-one/queries, status: 403, reason: accessDenied}]"
run tpucost --config bigquery.yaml why vm-1 --format json
has "no permission: why says so" "$(jq -r '.[] | select(.label == "bill").value' stdout)" "BigQuery query: "
faults ""
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"why","arguments":{"of":"vm-1"}}}' |
	tpucost --config bigquery.yaml mcp >stdout 2>stderr
has "an assistant gets the command" "$(cat stdout)" "tpucost why asks it"
