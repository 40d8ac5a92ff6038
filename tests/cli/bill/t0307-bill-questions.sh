# billing: {detail: bigquery}: what needs hours, resources, owners or labels is asked of BigQuery. Random questions are asked
# both ways: the same columns, rows and sums, to the nano-unit.
. "$ROOT/tests/cli/lib.sh"

core="service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour"
write_world questions us-central1-a <<END
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: HKD
  rate: 7.7832
  page_rows: 50
  rows:
    - {project: lab-one, $core, usage: 96, cost: 0.123456789, list_cost: 0.2, region: us-central1, zone: us-central1-a,
       resource: vm-1, global_name: //compute/vm-1, labels: {owner: ada, team: x}, from: $(day -16 %Y-%m-%dT00:00:00Z),
       until: $(at -5400), every: 2h, credits: [{name: sud, type: SUSTAINED_USAGE_DISCOUNT, amount: -0.0123456}]}
    - {project: lab-one, $core, usage: 1.5, cost: 1.000000001, region: us-central1, zone: us-central1-b, resource: vm-2,
       copies: 2, lag: 30h, labels: {owner: ben, team: x}, from: $(day -12 %Y-%m-%dT07:00:00Z), every: 5h,
       until: $(day -1 %Y-%m-%dT03:00:00Z),
       credits: [{name: t, type: PROMOTION, amount: -0.9}, {name: u, type: FREE_TIER, amount: -0.000000001}]}
    - {project: lab-two, $core, usage: 2, cost: 2.5, region: us-central1, zone: us-central1-a, resource: vm-1,
       labels: {owner: ada, team: y}, from: $(day -6 %Y-%m-%dT00:00:00Z), until: $(day -4 %Y-%m-%dT00:00:00Z)}
    - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3, unit: hour, usage: 1,
       cost: 62.000000001, region: europe-west4, zone: europe-west4-a, resource: slice, from: 2026-10-31T00:00:00Z,
       until: 2026-11-02T14:00:00Z, model: Flexible CUD, model_id: 52FB-D69D-95BE, default_cost: 70, labels: {owner: cy}}
    - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3, unit: hour, usage: -1,
       cost: -12.000000001, region: europe-west4, zone: europe-west4-a, resource: slice, from: 2026-10-31T20:00:00Z,
       until: 2026-11-01T12:00:00Z, invoice: "202611", lag: 50h, labels: {owner: cy}}
    - {service: Invoice, sku: Tax, cost: 3.21, cost_type: tax, every: 24h, from: 2026-11-01T07:00:00Z}
END
start_sandbox "$work/world.yaml"

table=lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
# config DETAIL [MORE]
config() {
	cat >"$1.yaml" <<END
timezone: Asia/Hong_Kong
currency: HKD
projects: [lab-one, lab-two]
credentials: service-account.json
database: $1.db
billing: {table: $table, detail: $1${2:-}}
endpoints: {all: "$url"}
END
}
config local
config bigquery
set_clock =$NOW
for detail in local bigquery; do
	run tpucost --config $detail.yaml collect -q billing
	status "collected, $detail" 0
done
# ask DETAIL COMMAND...: what it prints
ask() {
	config=$1
	shift
	"$B/tpucost" --config "$config.yaml" "$@" 2>noted
	echo "status $?"
}
# both NAME COMMAND...
both() {
	name=$1
	shift
	ask local "$@" >said.local
	ask bigquery "$@" >said.bigquery
	cmp -s said.local said.bigquery && return
	diff said.local said.bigquery >stdout
	cp noted stderr
	flunk "$name"
	return 1
}

# ---- random questions
questions=${QUESTIONS:-${TEST_QUICK:+10}}
questions=${questions:-40} # QUESTIONS=200 takes 15 s
awk -v n="$questions" 'function pick(list,   v) { return v[1 + int(rand() * split(list, v, "|"))] }
BEGIN { srand(29); for (i = 0; i < n; i++) {
	by = pick("resource|owner|label:team|label:team,owner|resource,owner|resource,label:team,day")
	if (rand() < 0.6) by = by "," pick("day|project|sku|category|zone|credit_type|invoice_month|status|cost_type|account|day,sku")
	print "--by " by pick("| --month 2026-11| --month 2026-10|||") pick("| --since 2026-10-31| --since 5d| --since 2026-11-08 --until 2026-11-13||") \
		pick("| --project lab-one| --project lab-one,lab-two||") \
		pick("|||| --where owner<>\x27ben\x27| --where cost>1| --where resource=\x27vm-1\x27| --where status=\x27settled\x27") \
		pick("|| --columns net,currency| --sort-by -net --limit 3")
} }' >questions
wrong=0 n=0 full=0
while read -r line; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # words
	both "question $n: $line" cost $line --format json || wrong=$((wrong + 1))
	! grep -q '"net"' said.bigquery || full=$((full + 1))
done <questions
is "$questions random questions: equal both ways" "$n $wrong" "$questions 0"
is "most of them have rows" "$((full * 3 > n * 2))" 1

both "FOCUS" cost --format focus --since 2026-10-31 && pass "FOCUS, by hour and resource"
both "the table for people" cost --by resource && pass "the table for people"

# ---- what is asked, and when
queries() { grep -c 'POST.*/queries' requests; }
sqlite3 bigquery.db 'DELETE FROM detail_answer; DELETE FROM detail_line'
before=$(queries)
run tpucost --config bigquery.yaml cost --by resource --offline
status "offline, without an answer" 1
has "offline: why" "$err" "without --offline it is asked"
is "nothing was asked" "$(queries)" "$before"
run tpucost --config bigquery.yaml cost --by resource --since 5d
status "asked" 0
has "it says first what is read" "$err" "note: BigQuery reads 0.001 GiB, about 0.0000 USD on demand"
is "a dry run and a query" "$(queries)" "$((before + 2))"
run tpucost --config bigquery.yaml cost --by resource --since 5d
is "again: from the kept answer" "$(queries)" "$((before + 2))"
is "without a note" "$(grep -c BigQuery stderr)" 0
run tpucost --config bigquery.yaml cost --by resource --since 5d --offline
status "offline, with an answer" 0
run tpucost --config bigquery.yaml query costs --by owner
status "another command" 1
has "it names the one that asks" "$err" "tpucost cost asks it"
run tpucost --config bigquery.yaml cost --by day
is "sums of days are not asked" "$(queries)" "$((before + 2))"
is "at most 20 answers are kept" "$(sqlite3 bigquery.db 'SELECT COUNT(*) <= 20 FROM detail_answer')" 1
is "their bytes count" "$(sqlite3 bigquery.db 'SELECT SUM(bytes) / SUM(queries) FROM billing_bytes')" 10485760

run tpucost --config bigquery.yaml cost --by owner
is "labels that are not asked for are not read" "$(sqlite3 bigquery.db "SELECT GROUP_CONCAT(labels, ' ') FROM (
	SELECT DISTINCT r.labels FROM detail_line l JOIN billed_resource r USING (resource_ref)
	JOIN detail_answer a USING (answer_id) WHERE a.question LIKE '%labels owner,%' AND r.labels <> '' ORDER BY 1)")" \
	'{"owner":"ada"} {"owner":"ben"} {"owner":"cy"}'

# ---- the bill changes
set_clock =$((NOW + 3 * 3600))
run tpucost --config bigquery.yaml cost --by resource --since 2026-11-17 --format json
net=$(jq -c '[.[] | [.resource, .net]]' stdout)
run tpucost --config bigquery.yaml collect -q billing
run tpucost --config bigquery.yaml cost --by resource --since 2026-11-17 --format json --offline
status "the answer is old after a poll" 1
run tpucost --config bigquery.yaml cost --by resource --since 2026-11-17 --format json
is "old answers are dropped" "$(sqlite3 bigquery.db 'SELECT COUNT(*), COUNT(DISTINCT version) FROM detail_answer')" "1|1"
is "later rows are in only then" "$([ "$(jq -c '[.[] | [.resource, .net]]' stdout)" != "$net" ] && echo yes)" yes
run tpucost --config local.yaml collect -q billing
both "after the change" cost --by resource,owner,day --format json && pass "equal after the change"

# ---- errors
config bigquery ", question_gib: 0"
run tpucost --config bigquery.yaml cost --by owner --since 3d
status "more than the limit" 1
has "the limit: why" "$err" "BigQuery would read 0.001 GiB, and billing.question_gib is 0; use a shorter period"
config bigquery
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
# failed NAME PART FAULTS
failed() {
	faults "$3"
	run tpucost --config bigquery.yaml cost --by owner --since 3d --format json
	status "$1: no answer" 1
	has "$1: why" "$err" "$2"
	is "$1: and no rows" "$out" ""
	faults ""
}
failed "no permission for the table" "roles/bigquery.dataViewer" \
	"[{match: GET /bigquery/v2/projects/lab-one/datasets, status: 403, reason: accessDenied}]"
failed "no permission for queries" "BigQuery query: " \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 403, reason: accessDenied}]"
failed "the quota is used up" "uota" \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 403, reason: quotaExceeded, skip: 1, body: '{\"error\":{\"code\":403,\"message\":\"Quota exceeded: bytes per day\",\"errors\":[{\"reason\":\"quotaExceeded\"}]}}'}]"
failed "another location" "was not found in location US" \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 404, body: '{\"error\":{\"code\":404,\"message\":\"Not found: Table lab-one:billing.x was not found in location US\",\"errors\":[{\"reason\":\"notFound\"}]}}'}]"
failed "more bytes than the limit" "billing.question_gib (10 GiB): increase it" \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 400, skip: 1, body: '{\"error\":{\"code\":400,\"message\":\"Query exceeded limit for bytes billed: 10485760. 20971520 or higher required.\",\"errors\":[{\"reason\":\"bytesBilledLimitExceeded\"}]}}'}]"
failed "another schema" "column export_time is missing: not a billing export" \
	"[{match: GET /bigquery/v2/projects/lab-one/datasets, status: 200, body: '{\"type\":\"TABLE\",\"location\":\"EU\",\"schema\":{\"fields\":[{\"name\":\"usage_start_time\",\"type\":\"TIMESTAMP\"}]}}'}]"
failed "a column of another type" "No matching signature" \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 400, body: '{\"error\":{\"code\":400,\"message\":\"No matching signature for aggregate function SUM for argument types: STRING\",\"errors\":[{\"reason\":\"invalidQuery\"}]}}'}]"
failed "too many lines" "the answer has more than 1000000 lines; use a shorter period, --project or fewer groups" \
	"[{match: POST /bigquery/v2/projects/lab-one/queries, status: 200, skip: 1, body: '{\"jobComplete\":true,\"jobReference\":{\"projectId\":\"lab-one\",\"jobId\":\"job_8\",\"location\":\"EU\"},\"schema\":{\"fields\":[{\"name\":\"hour\",\"type\":\"TIMESTAMP\"}]},\"totalRows\":\"1000001\",\"rows\":[{\"f\":[{\"v\":\"1\"}]}]}'}]"
sqlite3 bigquery.db "UPDATE billing_unit SET gone = 1 WHERE unit = (SELECT MAX(unit) FROM usage)"
failed "a partition that has expired" "BigQuery no longer has the lines of 2026-11-18 of $table; use a later --since" ""
sqlite3 bigquery.db "UPDATE billing_unit SET gone = 0"

# ---- cancelled
running='{"jobComplete":false,"jobReference":{"projectId":"lab-one","jobId":"job_that_runs","location":"EU"}}'
faults "[{match: POST /bigquery/v2/projects/lab-one/queries, skip: 1, status: 200, body: '$running'},
	{match: GET /bigquery/v2/projects/lab-one/queries, status: 200, body: '$running'}]"
"$B/tpucost" --config bigquery.yaml cost --by owner --since 3d >stdout 2>stderr &
asking=$!
wait_until grep -q 'GET.*/queries/job_that_runs' requests
kill -INT $asking
wait $asking
rc=$? err=$(cat stderr)
status "interrupted" 130
has "interrupted: says so" "$err" "BigQuery query: the job was cancelled"
is "the job is cancelled" "$(grep -c 'POST.*/jobs/job_that_runs/cancel' requests)" 1

# before it costs anything, the signal ends the program: only a shell that waits for it leaves SIGINT as it is
faults "[{match: GET /bigquery/v2/projects/lab-one/datasets, delay_ms: 20000, times: 1}]"
: >requests
python3 -c 'import signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while b"held GET" not in open(sys.argv[1], "rb").read(): time.sleep(0.02)
p.send_signal(signal.SIGINT)
sys.exit(128 - p.wait())' sandbox.out "$B/tpucost" --config bigquery.yaml cost --by owner --since 3d
rc=$?
status "interrupted while the table is described" 130
is "the query is not sent" "$(grep -c 'POST.*/queries' requests)" 0

faults ""
run tpucost --config bigquery.yaml cost --by owner --since 3d
status "asked again" 0

# ---- the stored sums are others
sqlite3 bigquery.db 'DELETE FROM detail_line; DELETE FROM detail_answer'
sqlite3 bigquery.db "UPDATE usage SET cost = cost + 1 WHERE hour = (SELECT MAX(hour) FROM usage)"
run tpucost --config bigquery.yaml cost --by owner --since 3d
status "other sums than the stored ones" 1
has "other sums: why" "$err" "the export has changed since the last poll"
has "other sums: fix" "$err" "run: tpucost collect billing"
