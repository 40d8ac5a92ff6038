# A slow BigQuery does not delay the next cycle: no request of publishing begins 15 seconds after the first one. Time is that of
# the monotonic clock, which the fake cloud moves with its replies.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
ln -sfT 0 .test/mono
export TEST_MONOTONIC=$work/.test/mono
start_publishing
# cycle MINUTES: that long after the beginning; its requests to BigQuery are in `sent`, such as "GET burn"
cycle() {
	before=$(wc -l <requests)
	set_clock =$((NOW + $1 * 60))
	run tpucost run --once -q
	tail -n +$((before + 1)) requests | jq -r 'select(.path | test("^(/upload)?/bigquery/.*/(datasets/history|jobs)")) | .method + (.path | capture("/tables(?<t>/.*)") // {t: ""} | .t | sub("/"; " "))' >sent
}
posts() { grep -c '^POST' sent; }
late() { # SECONDS REQUEST...: how long the replies take
	seconds=$1
	shift
	for r; do printf '{match: "%s", ahead: %s, times: 1000}, ' "$r" "$seconds"; done
}
UP='POST /upload/bigquery'

# ---- three uploads of six seconds each: another one would begin after 18 seconds
faults "[$(late 6 "$UP")]"
cycle 0
is "as many as begin in time" "$(posts):$(said state)" "3:partial"
is "and nothing else after them" "$(tail -n 1 sent | tr -d " ")" POST
has "the rest is known" "$(said error)" "load jobs have not ended yet"
rest=$(waiting)
is "and waits" "$([ "$rest" -gt 3 ] && echo yes)" yes
cycle 2
is "as many in the next cycle" "$(posts):$(waiting)" "3:$((rest - 3))"

# ---- all requests count, from the first one
faults "[$(late 8 'GET /bigquery')]"
cycle 4
is "the dataset, and a table" "$rc:$(tr '\n' ',' <sent):$(waiting)" "0:GET,GET $(sqlite3 t.db 'SELECT view FROM publish_load ORDER BY load LIMIT 1'),:$((rest - 3))"
faults "[{match: $UP, status: 503, times: 2}]"
cycle 6
is "an upload whose outcome is unknown" "$rc:$(posts):$(said state)" "4:2:failed"
faults "[$(late 8 'GET /bigquery/v2/projects/lab-one/datasets/history/tables' 'GET /bigquery/v2/projects/lab-one/jobs')]"
cycle 8
is "is looked for, and not sent again after that" "$(cut -d ' ' -f 1 sent | tr '\n' ' '):$(posts):$(waiting)" "GET GET GET :0:$((rest - 3))"

# ---- the whole cycle
faults '[]'
cycle 10
is "then it is fast again" "$rc:$(said state):$(waiting)" "0:ok:0"
is "and nothing is there twice" "$(rows burn length):$(rows coverage 'group_by(.id, .starts) | map(length) | max')" "6:1"
