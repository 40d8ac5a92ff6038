# Whatever fails on the way to BigQuery, nothing is lost, nothing is there twice, and the error says what to do.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing "rules: [{name: far, on: resources, where: \"state = 'running'\", value: '1e40'}]"
hour=0
# cycle [HOURS]: one cycle, so many hours later
cycle() {
	hour=$((hour + ${1:-1}))
	set_clock =$((NOW + hour * 3600))
	run tpucost run --once -q
}
again() { # MINUTES: another cycle in the same hour
	set_clock =$((NOW + hour * 3600 + $1 * 60))
	run tpucost run --once -q
}
# as many hours of burn as there were, each with its rows, once
burn() { rows burn '"\([.[].as_of] | unique | length) \(length / 6)"'; }
UP='match: POST /upload/bigquery'
cycle 0
is "it works at first" "$rc:$(burn)" "0:1 1"

# ---- the outcome is unknown
faults "[{$UP, how: lost, times: 1}]"
cycle
is "a reply that is lost" "$rc:$(said state)" "0:ok"
has "the job is sent again and is known" "$(curl -fsS "$url/_sandbox/log" | jq -r 'select(.path | startswith("/upload")) | .status' | sort -u | tr '\n' ' ')" 409
is "all once" "$(burn):$(waiting)" "2 2:0"
faults "[{$UP, how: lost, times: 100}]"
cycle
is "replies that are lost, as if the program were killed" "$rc:$(said state)" "4:failed"
has "are said" "$err" "the server closed without an answer; the rows are kept, the next cycles try again"
is "what waits" "$([ "$(waiting)" -gt 3 ] && echo some)" some
faults "[{match: GET /bigquery/v2/projects/lab-one/jobs, status: 500, times: 100}]"
again 10
is "and a server that does not know the job" "$rc:$(said state)" "4:failed"
faults "[{$UP, status: 503, times: 100}]"
again 20
is "it is found when it can be, and others are not sent" "$rc:$(burn)" "4:3 3"
faults '[]'
again 30
is "is found when it can be" "$rc:$(said state):$(waiting)" "0:ok:0"
is "all three hours, each once" "$(burn)" "3 3"

# ---- a job that fails, or takes its time
faults "[{$UP, times: 1, body: '{\"status\": {\"state\": \"DONE\", \"errorResult\": {\"reason\": \"quotaExceeded\", \"message\": \"Quota exceeded: Your table exceeded quota for imports per table.\"}}}'}]"
cycle
is "a quota is exceeded" "$rc:$(said state)" "4:failed"
has "in Google's words, and what to do" "$err" "quotaExceeded: Quota exceeded: Your table exceeded quota for imports per table; nothing is lost, the next cycles try again"
again 10
is "later it is loaded" "$rc:$(burn):$(waiting)" "0:4 4:0"
faults "[{$UP, status: 403, reason: quotaExceeded, times: 100}]"
cycle
is "or the request is refused for it" "$rc" 4
has "with its project" "$err" "quotas?project=lab-one"
faults '[]'
again 10
is "and later accepted" "$rc:$(burn):$(waiting)" "0:5 5:0"
faults "[{$UP, times: 100, body: '{\"status\": {\"state\": \"RUNNING\"}}'}, {match: GET /bigquery/v2/projects/lab-one/jobs, times: 100, body: '{\"status\": {\"state\": \"RUNNING\"}}'}]"
cycle
is "jobs that run for long" "$(said state)" partial
has "are waited for by the next cycles" "$(said error)" "load jobs have not ended yet"
faults '[]'
again 10
is "until they end" "$(burn):$(waiting)" "6 6:0"

# ---- not permitted
reader=tpucost@lab-one.iam.gserviceaccount.com
patch "iam: [{member: $reader, permissions: ['compute.*', 'tpu.*', 'monitoring.*', 'cloudquotas.*', 'resourcemanager.*', 'storage.*', 'serviceusage.*', 'billing.*', bigquery.tables.get, bigquery.tables.getData, bigquery.datasets.get, bigquery.jobs.create]}]"
cycle
is "without the role on the dataset" "$rc:$(said state)" "4:failed"
has "Google's words" "$err" "Permission bigquery.tables.updateData denied"
has "and the command" "$err" "run: bq query --use_legacy_sql=false 'GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`lab-one.history\` TO \"serviceAccount:$reader\"'"
patch "iam: [{member: $reader, permissions: ['compute.*', 'tpu.*', 'monitoring.*', 'cloudquotas.*', 'resourcemanager.*', 'storage.*', 'serviceusage.*', 'billing.*', 'bigquery.tables.*', bigquery.datasets.get]}]"
again 10
has "without that for jobs" "$(said error,fix)" "bigquery.jobs.create"
has "that command" "$(said fix)" "--role=roles/bigquery.jobUser"
patch "iam: []"
again 30
is "with both" "$rc:$(burn):$(waiting)" "0:7 7:0"

# ---- changed by hand
schema() { curl -fsS "$BQ/$1" | jq -c '.schema.fields'; }
token=$(curl -fsS -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
fields=$(curl -fsS -H "Authorization: Bearer $token" "$BQ/burn" | jq -c .schema.fields)
alter() { printf '{"schema":{"fields":%s}}' "$1" | curl -fsS -X PATCH --data-binary @- "$BQ/burn" >/dev/null; }
alter "$(echo "$fields" | jq -c 'map(if .name == "net_per_hour" then .type = "FLOAT" else . end)')"
cycle
is "a column of another type" "$rc:$(said state)" "4:failed"
has "is named" "$err" "table lab-one.history.burn was changed: its column 'net_per_hour' is FLOAT now; rename it"
is "and nothing is sent to it" "$(sqlite3 t.db "SELECT COUNT(*) FROM publish_load WHERE view <> 'burn'"):$(sqlite3 t.db "SELECT COUNT(*) FROM publish_load WHERE sent IS NOT NULL")" 0:0
alter "$(echo "$fields" | jq -c '. + [{name: "mine", type: "STRING"}]')"
again 10
has "a column more" "$err" "its column 'mine'"
alter "$(echo "$fields" | jq -c 'map(select(.name != "known_hours"))')"
again 20
is "a column less is added again" "$rc:$(burn):$(waiting)" "0:8 8:0"
curl -fsS -X DELETE "$BQ/coverage" >/dev/null
cycle
cycle
is "a table that was deleted is filled again" "$rc:$(rows coverage length)" "0:3"

# ---- another place, or none
patch 'datasets: [{name: history, location: US}]'
cycle
is "a dataset that moved" "$rc:$(said state):$(waiting)" "0:ok:0"
patch 'remove: {datasets: [{name: history}]}'
cycle
is "a dataset that is gone" "$rc:$(said state)" "4:failed"
has "can be made" "$err" "run: bq mk --dataset lab-one:history"
rest=$(sqlite3 t.db "SELECT COUNT(*) FROM publish_load WHERE view = 'burn'")
cycle
is "its rows wait" "$(sqlite3 t.db "SELECT COUNT(*) FROM publish_load WHERE view = 'burn'")" $((rest + 1))
patch 'datasets: [{name: history, location: EU}]'
again 10
is "until it is back" "$rc:$(said state):$(waiting)" "0:ok:0"
faults '[{match: "GET /bigquery/v2/projects/lab-one/datasets/history", status: 404, times: 1, body: "{\"error\":{\"code\":404,\"message\":\"Not found: Dataset lab-one:history was not found in location US\",\"errors\":[{\"reason\":\"notFound\"}]}}"}]'
cycle
has "Google looks in another location" "$err" "was not found in location US"
again 10
is "and finds it" "$rc:$(waiting)" 0:0

# ---- rows that wait have a column of an earlier version
faults "[{$UP, status: 503, times: 100}]"
cycle
sqlite3 t.db "UPDATE publish_load SET body = replace(body, '\"category\"', '\"kind\"') WHERE view = 'burn'"
faults '[]'
again 10
is "it is left out" "$rc:$(waiting):$(rows burn '[.[] | select(.category == null)] | length')" 0:0:6
is "a value that NUMERIC has no place for, too" "$(rows alerts '[.[] | select(.rule == "far")] | map(.value) | unique | map(tostring) | join(" ")')" null

# ---- rows that BigQuery refuses do not keep later ones back
refused="{$UP, times: 1000, body: '{\"status\": {\"state\": \"DONE\", \"errorResult\": {\"reason\": \"invalid\", \"message\": \"a row\"}}}'}"
rest=$(rows burn length)
faults "[$refused]"
cycle
has "they are refused" "$err" "invalid: a row"
is "each table for itself" "$(sqlite3 t.db 'SELECT COUNT(DISTINCT view) > 1 FROM publish_load WHERE attempt = 1')" 1
for n in 1 2 3 4 5 6 7 8; do again $((n * 6)); done
is "nine times" "$(sqlite3 t.db "SELECT attempt FROM publish_load WHERE view = 'burn'")" 9
again 54
has "and are dropped" "$err" "were refused 10 times and dropped"
is "they do not wait" "$(sqlite3 t.db "SELECT COUNT(*) FROM publish_load WHERE view = 'burn'")" 0
faults '[]'
cycle
is "later ones come" "$rc:$(waiting):$(rows burn length)" "0:0:$((rest + 6))"

# ---- no longer published
cp tpucost.yaml published.yaml
faults "[{$UP, status: 503, times: 100}]"
cycle
left=$(waiting)
is "rows wait again" "$([ "$left" -gt 0 ] && echo yes)" yes
sed -i '/^publish:/d' tpucost.yaml
again 10
is "without the key they are kept" "$rc:$(waiting):$(said state)" "0:$left:"
mv published.yaml tpucost.yaml
faults '[]'
n=$(rows burn '[.[].as_of] | unique | length')
again 20
is "and come later" "$rc:$(waiting):$(rows burn '[.[].as_of] | unique | length')" "0:0:$((n + 1))"
cp tpucost.yaml published.yaml
faults "[{$UP, status: 503, times: 100}]"
cycle
left=$(waiting)
sed -i '/^publish:/d' tpucost.yaml
sqlite3 t.db "UPDATE publish_table SET taken = taken - 36 * 86400;
	UPDATE source_status SET last_attempt = last_attempt - 36 * 86400, last_success = NULL WHERE source = 'publish'"
again 10
is "also if nothing ran before" "$(waiting)" "$left"
is "and nothing watches its source" "$(tpucost alerts --format json -q --where "subject LIKE 'publish%'")" "[]"
sqlite3 t.db "UPDATE meta SET value = value - 34 * 86400 WHERE key = 'publish_missing'"
again 15
is "for weeks" "$(waiting)" "$left"
sqlite3 t.db "UPDATE meta SET value = value - 86400 WHERE key = 'publish_missing'"
again 20
has "but not for ever" "$err" "publish: $left load jobs that waited were dropped, because \`publish:\` has been missing for 35 days"
is "then nothing waits" "$(waiting):$(sqlite3 t.db 'SELECT COUNT(*) FROM publish_part')" 0:0
mv published.yaml tpucost.yaml
faults '[]'
again 30

# ---- the program is killed, anywhere
needs_kills
hour=$((hour + 1))
set_clock =$((NOW + hour * 3600))
n=$(allocations tpucost run --once -q)
before=$(rows burn '[.[].as_of] | unique | length')
halves=0
# rows wait at 85 % and later; the first and the eighth are those of a quick run
for part in $(some 94 55 60 65 70 73 76 88 79 82 85 91 97 99); do
	hour=$((hour + 1))
	set_clock =$((NOW + hour * 3600))
	die_at $((n * part / 100)) tpucost run --once -q
	[ "$(waiting)" = 0 ] || halves=$((halves + 1))
	set_clock =$((NOW + hour * 3600 + 600))
	tpucost run --once -q >/dev/null 2>&1
	before=$((before + 1))
	[ "$(rows burn '"\([.[].as_of] | unique | length) \(length)"'):$(waiting)" = "$before $((before * 6)):0" ] ||
		flunk "killed at $part %" "$(rows burn '"\([.[].as_of] | unique | length) \(length)"'):$(waiting)"
done
pass "killed at every place"
[ $halves -gt 0 ] || flunk "some of them while rows waited"
