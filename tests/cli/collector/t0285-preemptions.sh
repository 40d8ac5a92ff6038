# Spot TPUs that are machines: Compute Engine lists by which operation they ended, so that `capacity` can tell a
# preemption from a stop of the owner.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: preemptions
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a]
instances:
  - {zone: europe-west4-a, name: cpu, type: n1-standard-8, spot: true, created: -3h}
W
start_sandbox world.yaml
config_one
asked() { grep -c '"path":"[^"]*/aggregated/operations"' requests; }
# poll SECONDS [PATCH]
poll() {
	[ -z "${2:-}" ] || curl -sf -X POST --data-binary "$2" "$url/_sandbox/world/patch" >/dev/null || flunk "patch: $2"
	set_clock "=$((NOW + $1))"
	run tpucost collect instances
}
# vms FIELDS NAME...
vms() {
	fields=$1
	shift
	for name in "$@"; do
		printf '{zone: europe-west4-a, name: %s, %s}, ' "$name" "$fields"
	done
}
spot() { tpucost sql --format csv "SELECT lives, preempted, life_median_hours, preempted_hours FROM capacity" | tr -d '\r' | tail -n +2; }
source_is() { tpucost sources -q --format json --where "source = 'preemption'" | jq -r '.[] | "\(.state) \(.items)"'; }

poll 0
tpucost collect quotas -q
is "without a spot TPU nothing is requested" "$(asked) $(source_is)" "0 ok 0"
poll 60 "instances: [$(vms "type: ct6e-standard-4t, spot: true, created: '$(at 50)'" a b c d e f g h)]"
tpucost collect quotas -q
is "with one, once" "$(asked)" 1
is "all run" "$(spot)" "8,0,,"
for hour in 1 2 3; do poll $((60 + hour * 3600)); done

# six end by Google's hand, of which one is deleted by it; one is stopped by its owner
poll 14460 "instances: [$(vms "status: TERMINATED, stopped: '$(at 14450)'" a b c d e g)]
remove: {instances: [{zone: europe-west4-a, name: f}]}
preemptions: [$(vms "at: '$(at 14430)'" a b c d e f)]"
is "before the list is read, an end has no cause: it is no life" "$(spot)" "1,0,,"
curl -sf -X POST --data-binary 'unreachable: {compute: [europe-west4-a]}' "$url/_sandbox/world/patch" >/dev/null
tpucost collect quotas -q
is "nor with a zone out of reach" "$(source_is | cut -d' ' -f1) $(spot)" "partial 1,0,,"
curl -sf -X POST --data-binary 'unreachable: {}' "$url/_sandbox/world/patch" >/dev/null
tpucost collect quotas -q
is "the list is read" "$(source_is)" "ok 6"
# 14430 - 60 seconds
is "six preempted, after 4 hours; two were not" "$(spot)" '8,6,4,14:00 6'
is "as a sentence" "$(tpucost sql --format csv "SELECT text FROM capacity" | tr -d '\r' | tail -n +2)" '"v6e spot in europe-west4-a: median wait 0 min, lives 4 h"'

# it is started again, and that life has an end of its own
poll 14520 "instances: [$(vms "status: RUNNING, started: '$(at 14500)'" a)]"
poll 18120 "instances: [$(vms "status: TERMINATED, stopped: '$(at 18100)'" a)]"
tpucost collect quotas -q
is "stopped by its owner" "$(spot | cut -d, -f1,2)" "9,6"
is "read again, none is counted twice" "$(sqlite3 t.db "SELECT COUNT(*) FROM preemption")" 6

# preempted and started again between two polls: two lives
poll 21720 "instances: [$(vms "status: RUNNING, started: '$(at 21700)'" a)]
preemptions: [$(vms "at: '$(at 400000)'" h)]"
poll 25320 "instances: [$(vms "status: RUNNING, started: '$(at 25310)'" a)]
preemptions: [$(vms "at: '$(at 25290)'" a)]"
tpucost collect quotas -q
is "a life before and one after" "$(spot | cut -d, -f1,2)" "11,7"
is "one in the future is none" "$(sqlite3 t.db "SELECT COUNT(*) FROM preemption")" 7

# ---- a role of an earlier version
sqlite3 t.db "DELETE FROM source_status WHERE source = 'preemption'; DELETE FROM preemption; DELETE FROM preemption_read"
echo '- {regex: aggregated/operations, status: 403}' | curl -sf -o said --data-binary @- "$url/_sandbox/faults"
run tpucost collect quotas
is "not permitted: disabled, and no failure" "$(source_is | cut -d' ' -f1)" disabled
is "then machines have no lives" "$(spot)" "0,0,,"

# ---- read later than Google keeps the list: what ended before has no cause
curl -sf -o said --data-binary '' "$url/_sandbox/faults"
poll $((25320 + 20 * 86400)) "preemptions: []
remove: {preemptions: [$(for name in a b c d e f h; do printf '{zone: europe-west4-a, name: %s}, ' $name; done)]}
instances: [$(vms "type: ct6e-standard-4t, spot: true, created: '$(at $((25310 + 20 * 86400)))'" late)]"
tpucost collect quotas -q
is "only those that run" "$(spot | cut -d, -f1,2)" "3,0"
is "the time that is known" "$(sqlite3 t.db "SELECT COUNT(*), MAX(ends) - MIN(starts) FROM preemption_read")" "1|$((13 * 86400))"
