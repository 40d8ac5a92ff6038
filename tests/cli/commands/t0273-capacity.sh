# Memory of capacity: requests, waits, lives and stock-outs that polls observed, and nothing else.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: capacity
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a, us-east5-a]
nodes:
  - {zone: europe-west4-a, name: old, type: v6e-8, spot: true, created: -3h}
  - {zone: us-east5-a, name: mine, type: v6e-8, created: -30h}
queued:
  - {zone: europe-west4-a, name: early, type: v6e-8, spot: true, state: WAITING_FOR_RESOURCES, created: -1h}
  - {zone: europe-west4-a, name: dead, type: v6e-8, spot: true, state: FAILED, error: There is no more capacity, created: -9h}
groups:
  - {zone: us-east5-a, name: flex, type: ct6e-standard-4t, target: 1, hosts: 1, created: -3h, provisioning: flex-start}
resize_requests:
  - {zone: us-east5-a, group: flex, name: was, by: 1, state: SUCCEEDED, created: -5h}
W
start_sandbox world.yaml
config_one "grants: [{name: trc, starts: 2026-11-01, days: 60, tpus: [64 spot Cloud TPU v6e chips in zone europe-west4-a]}]"
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
spot() { rows "SELECT requests, granted, waits, wait_median_minutes, wait_p90_minutes, lives, preempted, life_median_hours, last_success, last_stockout, stockout_error, seen_since FROM capacity WHERE provisioning = 'spot'"; }
# poll SECONDS [PATCH]
poll() {
	[ -z "${2:-}" ] || curl -sf -X POST --data-binary "$2" "$url/_sandbox/world/patch" >/dev/null || flunk "patch: $2"
	set_clock "=$((NOW + $1))"
	run tpucost collect instances
}
# every PREFIX FIELDS NUMBER...: resources of these names
every() {
	prefix=$1 fields=$2 comma=
	shift 2
	for i in "$@"; do
		printf '%s{zone: europe-west4-a, name: %s%s, %s}' "$comma" "$prefix" "$i" "$fields"
		comma=', '
	done
}

poll 0
is "nothing that was there before counts" "$(spot)" "1,0,0,,,0,0,,,,,$(at 0)"
is "nor what runs, or was granted" "$(rows "SELECT zone, family, provisioning, requests, granted, last_success FROM capacity WHERE zone = 'us-east5-a' ORDER BY provisioning")" \
	"us-east5-a,v6e,flex-start,0,0,
us-east5-a,v6e,on-demand,0,0,"
run tpucost capacity
has "too few for an average" "$err" "note: a figure without a value has fewer than 5 observations, or most of them have not ended"
has "and of how many" "$err" "note: observed since $(at 0 '%Y-%m-%d %H:%M') (requests: 1, lives of spot TPUs: 0)"
run tpucost estimate -q --tpu v6e-8 --zone europe-west4-a --spot
has "estimate says so, too" "$out" "history v6e spot in europe-west4-a: 0 of 1 requests granted since $(day 0)"
run tpucost estimate -q --tpu v6e-8 --zone us-east5-a
is "or nothing where nothing was asked for" "$(echo "$out" | grep history)" ""

# ---- six requests: five granted after 10 minutes, one refused; then four preempted, one deleted
made="type: v6e-8, spot: true, created: '$(at 50)'"
poll 60 "queued: [$(every q "$made, state: ACCEPTED" 1 2 3 4 5 6)]"
is "they wait" "$(spot | cut -d, -f1-5)" "7,0,0,,"
poll 650 "queued: [$(every q 'state: ACTIVE' 1 2 3 4 5), {zone: europe-west4-a, name: q6, state: FAILED, error: 'There is no more capacity in the zone [EID: 0x1]'}]
nodes: [$(every n "type: v6e-8, spot: true, created: '$(at 640)', queued: q1" 1 2 3 4 5)]"
is "five of seven granted, in 10 minutes" "$(spot)" \
	"7,5,5,10,,5,0,,$(at 650),$(at 650),RESOURCE_EXHAUSTED: There is no more capacity in the zone,$(at 0)"
for hour in 1 2 3; do poll $((650 + hour * 3600)); done
poll 15050 'unreachable: {tpu: [europe-west4-a]}'
is "an unreachable zone ends nothing" "$(rows "SELECT COUNT(*) FROM resources WHERE name GLOB 'n[1-5]' AND complete = 0") $(spot | cut -d, -f1-8)" "5 7,5,5,10,,5,0,"
poll 15110 'unreachable: {}'
poll 18650 "nodes: [$(every n 'state: PREEMPTED' 1 2 3 4), $(every old 'state: PREEMPTED' '')]
remove: {nodes: [{zone: europe-west4-a, name: n5}]}"
is "four preemptions are too few" "$(spot | cut -d, -f6-8)" "5,4,"
poll 18700 "nodes: [{zone: europe-west4-a, name: n7, type: v6e-8, spot: true, created: '$(at 18690)'}]"
poll 22300 "nodes: [$(every n 'state: PREEMPTED' 7)]"
is "half of six lived 5 hours, with the one that was deleted" "$(spot | cut -d, -f6-8)" "6,5,5"
is "preemptions by hour of the day" "$(rows "SELECT preempted_hours FROM capacity WHERE provisioning = 'spot'")" '"15:00 4, 16:00 1"'
run tpucost estimate -q --tpu v6e-8 --zone europe-west4-a --spot
has "estimate: one line" "$out" "history v6e spot in europe-west4-a: median wait 10 min, lives 5 h"
run tpucost grant plan trc
has "grant plan: one line" "$out" "Observed: v6e spot in europe-west4-a: median wait 10 min, lives 5 h."

# ---- a gap: what ended in it has no length
poll 80000 "queued: [{zone: europe-west4-a, name: early, state: ACTIVE}]"
is "it was granted some time in the gap" "$(spot | cut -d, -f1-5,9)" "8,7,6,10,,$(at 80000)"

# ---- resize requests
poll 80060 "resize_requests: [{zone: us-east5-a, group: flex, name: more, by: 3, created: '$(at 80050)', error: 'ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: none in the zone'}]"
flex() { rows "SELECT requests, granted, waits, last_success, last_stockout, stockout_error FROM capacity WHERE provisioning = 'flex-start'"; }
is "one waits, and its last attempt failed" "$(flex)" \
	"1,0,0,,$(at 80060),ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS: none in the zone"
poll 80660 "resize_requests: [{zone: us-east5-a, group: flex, name: more, state: SUCCEEDED}]"
is "it is granted, once" "$(flex | cut -d, -f1-4)" "1,1,1,$(at 80660)"
poll 80720 "groups: [{zone: us-east5-a, name: flex, hosts: 4, target: 4}]"
is "its machines are no requests" "$(flex | cut -d, -f1-4)" "1,1,1,$(at 80660)"
poll 80780 "resize_requests: [{zone: us-east5-a, group: flex, name: huge, by: 9, state: FAILED, created: '$(at 80770)', error: 'QUOTA_EXCEEDED: Quota TPUS exceeded'}]"
is "a quota is no lack of capacity" "$(flex | cut -d, -f1-5)" "2,1,1,$(at 80660),$(at 80060)"

run tpucost capacity --format json --where "provisioning = 'spot'"
is "the command has the rows of the view" "$(jq -c '.[] | [.zone, .type, .requests, .wait_median_minutes, .life_median_hours, .stockout_error]' stdout)" \
	'["europe-west4-a","v6e-8",8,10,5,"RESOURCE_EXHAUSTED: There is no more capacity in the zone"]'
