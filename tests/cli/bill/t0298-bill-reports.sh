# billing: {detail: bigquery}: reports that are due ask BigQuery about owners and resources, or say why they do not know.
. "$ROOT/tests/cli/lib.sh"

core="service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour, region: us-central1"
write_world reports us-central1-a <<END
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: HKD
  rows:
    - {project: lab-one, $core, usage: 96, cost: 0.123456789, zone: us-central1-a, resource: vm-1, labels: {owner: ada},
       from: $(day -16 %Y-%m-%dT00:00:00Z), until: $(at -5400), every: 2h,
       credits: [{name: sud, type: SUSTAINED_USAGE_DISCOUNT, amount: -0.0123456}]}
    - {project: lab-one, $core, usage: 1.5, cost: 1.000000001, zone: us-central1-b, resource: vm-2, labels: {owner: ben},
       from: $(day -12 %Y-%m-%dT07:00:00Z), every: 5h, until: $(day -1 %Y-%m-%dT03:00:00Z)}
END
start_sandbox "$work/world.yaml"
set_clock =$NOW
# config DETAIL [MORE]
config() {
	cat >"$1.yaml" <<END
timezone: UTC
projects: [lab-one]
credentials: service-account.json
database: $1.db
billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55, detail: $1${2:-}}
notify: [{name: log, file: {path: $1.jsonl}}]
report: {daily: {at: "09:00", to: [log]}, weekly: {on: wednesday, at: "09:00", to: [log]}}
endpoints: {all: "$url"}
END
}
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
# sent DETAIL KIND JQ: of the newest report
sent() { jq -cs "[.[].report | select(.report == \"$2\")] | last | $3" "$1.jsonl"; }
# again: as if none had been sent
again() { sqlite3 bigquery.db 'PRAGMA foreign_keys = ON; DELETE FROM outbox; DELETE FROM notification;
	DELETE FROM detail_line; DELETE FROM detail_answer'; }

for detail in local bigquery; do
	config $detail
	run tpucost --config $detail.yaml run --once -q
	is "$detail: sent" "$(jq -rs '[.[].report.report] | sort | join(" ")' $detail.jsonl)" "daily weekly"
done
is "it has owners" "$(sent local daily '[.owners[].owner]')" '["ada","ben"]'
is "it has resources" "$(sent local weekly '[.resources[].resource]')" '["vm-2","vm-1"]'
for part in owners section_notes partial; do
	is "daily: the same $part" "$(sent bigquery daily ".$part")" "$(sent local daily ".$part")"
done
for part in resources section_notes partial; do
	is "weekly: the same $part" "$(sent bigquery weekly ".$part")" "$(sent local weekly ".$part")"
done
is "a service says nothing of a question" "$(grep -c BigQuery stderr)" 0

# ---- without an answer
again
config bigquery ", question_gib: 0"
run tpucost --config bigquery.yaml run --once -q
is "too many bytes: no owners" "$(sent bigquery daily .owners)" "[]"
is "too many bytes: why" "$(sent bigquery daily .section_notes.owners)" \
	'"Not known: BigQuery would read 0.001 GiB, and billing.question_gib is 0; increase the limit."'
is "too many bytes: the weekly report, too" "$(sent bigquery weekly .section_notes.resources)" \
	"$(sent bigquery daily .section_notes.owners)"
again
config bigquery
faults "[{match: POST /bigquery/v2/projects/lab-one/queries, status: 403, reason: accessDenied}]"
run tpucost --config bigquery.yaml run --once -q
has "no permission: why" "$(sent bigquery daily .section_notes.owners)" "Not known: BigQuery query: "

# A query that does not end holds a report up for a minute, and is cancelled.
again
running='{"jobComplete":false,"jobReference":{"projectId":"lab-one","jobId":"job_9","location":"EU"}}'
faults "[{match: POST /bigquery/v2/projects/lab-one/queries, skip: 1, status: 200, body: '$running'},
	{match: GET /bigquery/v2/projects/lab-one/queries, status: 200, body: '$running'}]"
sed -i 's/, weekly.*}/}/' bigquery.yaml
ln -s 0 monotonic
TEST_MONOTONIC=$work/monotonic tpucost --config bigquery.yaml run --once -q >stdout 2>stderr &
asking=$!
wait_until grep -q 'GET.*/queries/job_9' requests
ln -sfn 61 monotonic
wait $asking
has "not in time: why" "$(sent bigquery daily .section_notes.owners)" "Not known: there is no answer of BigQuery after 60 s."
is "the job is cancelled" "$(grep -c 'POST.*/jobs/job_9/cancel' requests)" 1
