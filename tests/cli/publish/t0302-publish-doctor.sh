# The configuration of publishing, what the doctor finds out about it before the first cycle, and who hears that it fails.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing "notify:
  - {name: log, file: {path: messages.jsonl}}"
set_clock =$NOW

# ---- configuration
bad() { # NAME VALUE WORDS
	sed "s/^publish: .*/publish: $2/" tpucost.yaml >bad.yaml
	run tpucost check --config bad.yaml
	is "$1" "$rc" 2
	has "$1: why" "$err" "$3"
}
bad "no dataset" '{bigquery: lab-one}' "'lab-one' is not a dataset (expected project.dataset)"
bad "a table" '{bigquery: lab-one.a.b}' "'lab-one.a.b' is not a dataset"
bad "no project" '{bigquery: .history}' "'.history' is not a dataset"
bad "an invalid name" '{bigquery: lab-one.his-tory}' "'lab-one.his-tory' is not a dataset"
bad "another database" '{postgresql: x}' "postgresql"
bad "nothing" '{}' "bigquery"
run tpucost check
status "a dataset" 0

# ---- the doctor
finding() { tpucost doctor publish --format json | jq -r '.[] | select(.check == "publish") | "\(.status) \(.detail): \(.fix // "")"'; }
reader=tpucost@lab-one.iam.gserviceaccount.com
reads="'compute.*', 'tpu.*', 'monitoring.*', 'cloudquotas.*', 'resourcemanager.*', 'storage.*', 'serviceusage.*', 'billing.*'"
may() { patch "iam: [{member: $reader, permissions: [$reads, $1]}]"; }
grant="bq query --use_legacy_sql=false 'GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`lab-one.history\` TO \"serviceAccount:$reader\"'"
is "with a role on the project" "$(finding)" "ok $reader can write to lab-one.history in EU: "
may "bigquery.jobs.create, bigquery.datasets.get"
is "without a role" "$(finding)" "fail $reader cannot write to lab-one.history: $grant"
patch "datasets: [{name: history, writers: [$reader]}]"
has "with one on the dataset" "$(finding)" "ok $reader can write to lab-one.history in EU"
patch "datasets: [{name: history, writers: [group-lab@example.org]}]"
has "with one of a group" "$(finding)" "ok lab-one.history in EU can be read; whether $reader may write to it cannot be seen"
may "bigquery.datasets.get, bigquery.tables.updateData"
has "without jobs" "$(finding)" "fail $reader cannot run load jobs: bigquery.jobs.create: gcloud projects add-iam-policy-binding lab-one --member=serviceAccount:$reader --role=roles/bigquery.jobUser"
may "bigquery.jobs.create"
has "without anything" "$(finding)" "bigquery.datasets.get"
has "the command" "$(finding)" "$grant"
patch "iam: []"
patch 'remove: {datasets: [{name: history}]}'
has "without a dataset" "$(finding)" ": bq mk --dataset lab-one:history; or correct"

# ---- a lease
cp tpucost.yaml alone.yaml
echo 'enforcement: {lease: gs://lab-state/lease}' >>tpucost.yaml
is "a lease without a backup" "$(finding | grep '^warn')" \
	"warn there is a lease but no backup: after another machine takes over, days that were published before are not corrected, and the day of the change has a hole: \${EDITOR:-vi} '$work/tpucost.yaml' # backup: {to: gs://BUCKET/PREFIX}"
echo 'backup: {to: gs://lab-state/copy}' >>tpucost.yaml
is "with one" "$(finding | grep '^warn')" ""
mv alone.yaml tpucost.yaml

# ---- who hears of it
run tpucost run --once -q
is "a cycle that cannot publish" "$rc:$(said state,stale)" "4:failed,1"
run tpucost doctor --format json
has "the doctor has the error of the cycle" "$(jq -r '.[] | select(.check == "publish") | .detail' stdout)" "describe BigQuery dataset: HTTP 404"
patch 'datasets: [{name: history, location: EU}]'
run tpucost doctor publish --format json
has "also when what it checks is in order again" "$(jq -r '.[] | select(.status == "fail") | .detail' stdout)" "publish: describe BigQuery dataset: HTTP 404"
is "messages are sent nevertheless" "$([ -s messages.jsonl ] && echo sent)" sent
patch 'datasets: [{name: history, location: EU}]'
set_clock =$((NOW + 600))
run tpucost run --once -q
is "then it works" "$rc:$(said state,stale)" "0:ok,0"
has "the doctor knows when" "$(finding)" "last published 0s ago"
patch 'remove: {datasets: [{name: history}]}'
fires() { tpucost sql "SELECT COUNT(*) FROM alerts WHERE rule = 'source-stale' AND subject LIKE '%publish%' AND state <> 'resolved'" --format csv | tail -1 | tr -d '\r'; }
set_clock =$((NOW + 30 * 3600))
tpucost run --once -q >/dev/null 2>&1
is "a day without it" "$(said state,stale):$(fires)" "failed,0:0"
set_clock =$((NOW + 37 * 3600))
tpucost run --once -q >/dev/null 2>&1
is "a day and a half" "$(said stale):$(fires)" "1:1"
has "is an alert" "$(tpucost alerts --where "rule = 'source-stale'" --format json | jq -r .[].summary)" "publish is old. Last complete poll: $(day 0) 10:10 UTC. Error: describe BigQuery dataset"
faults '[{match: GET /bigquery/v2/projects/lab-one/datasets/history, status: 403, reason: SERVICE_DISABLED}]'
set_clock =$((NOW + 38 * 3600))
run tpucost run --once -q
is "an API that is not enabled is an error" "$rc:$(said state,stale)" "4:failed,1"
has "with its command" "$(said fix)" "run: gcloud services enable"
run tpucost status
status "other data is not old" 0
