# acts
# A slice of 16 hosts under every fault: all of its hosts are deleted by one request, or none is. The hosts are
# on two pages of the list of machines.
. "$ROOT/tests/cli/lib.sh"
{
	cat <<'W'
name: sixteen
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
groups: [{zone: us-east5-a, name: pod, id: "4711", type: ct6e-standard-4t, topology: 8x8, target: 16, hosts: 16, created: -3h}]
operations: {looks: 1, seconds: 0s}
instances:
W
	for i in $(seq 495); do echo "  - {zone: us-east5-b, name: small-$i, type: e2-micro, status: TERMINATED}"; done
} >world.yaml
start_sandbox world.yaml
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'tpu'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 5}"
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
requests() { tail -n +$((before + 1)) requests | jq -r 'select(.mutating) | .method + " " + .path + " " + (.query | sub("&.*"; ""))'; }
asked() { requests | wc -l; }
state() { sqlite3 t.db "SELECT state, held, reason FROM action WHERE name = 'pod' ORDER BY action"; }
hosts() { curl -sf -H "Authorization: Bearer $(token)" "$url/compute/v1/projects/lab-one/zones/us-east5-a/instances?maxResults=500" | jq '[.items[]? | select(.name | startswith("pod-"))] | length'; }
token() { curl -sf -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token; }
# fresh: the world as it was, and what the poll before the fault has found
fresh() {
	set_clock =$NOW
	curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null || flunk "world" world.yaml
	faults '[]'
	rm -f t.db* told.jsonl
	before=$(wc -l <requests)
	tpucost collect -q >/dev/null 2>&1
}
later() { set_clock =$((NOW + ${1:-120})); }
one() { tpucost run --once -q >stdout 2>stderr; }
act() { for i in 1 2 3; do one; done; }
# one list of machines: that of the next live check, or poll
LIST="GET /compute/v1/projects/lab-one/aggregated/instances"
GROUP="GET /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/pod"
SIZE="POST /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/pod/resize"
ALL="$SIZE size=0"
none() { # NAME: nothing was asked for, and all hosts are there
	is "$1: nothing is asked of Google" "$(requests)" ""
	is "$1: the hosts are as they were" "$(hosts)" "${2:-16}"
}
once() { # NAME
	is "$1: all hosts at once, and once" "$(requests)" "$ALL"
	is "$1: none is left" "$(hosts)" 0
	is "$1: done" "$(state | tail -1)" "done||deleted; no list contains it any longer; freed 64 v6e chips of quota in us-east5"
}

# ---- without a fault
fresh
is "two pages: one row with all hosts" "$(tpucost sql --format csv "SELECT hosts, chips, raw_state FROM resources WHERE name = 'pod'" | tr -d '\r' | tail -1)" "16,64,RUNNING"
act
later
act
once "two pages"
later 7200
act
is "two pages: nothing is sent again" "$(asked)" 1

# ---- before the request
fresh
patch "remove: {instances: [{name: pod-0007}]}"
act
none "one host is missing since the poll" 15
is "one host is missing since the poll: why" "$(state)" "recheck|state|its state is 15 of 16 RUNNING: it is not deleted in that state"
fresh
faults "[{match: \"$LIST\", regex: \"pageToken\", status: 400}]"
act
none "the second page fails"
is "the second page fails: why" "$(state | cut -d'|' -f1-2)" "recheck|look"
fresh
faults "[{match: \"$LIST\", how: truncate, times: 3}]"
act
none "a list that is cut off"
fresh
patch "unreachable: {compute: [us-east5-b]}"
act
none "a part of the zones"
has "a part of the zones: why" "$(state)" "no answer from us-east5-b"
fresh
patch "instances: [{name: pod-0003, zone: us-east5-a, status: REPAIRING}]"
act
none "one host is repaired"
fresh
patch "instances: [{name: pod-0016, zone: us-east5-a, labels: {tpucost-keep: 'yes'}}]"
act
none "a label on the last host"
is "a label on the last host: why" "$(state | cut -d'|' -f1 | sort -u)" "cleared"
fresh
patch "instances: [{name: pod-0009, zone: us-east5-a, deletion_protection: true}]"
act
none "one host is protected"
has "one host is protected: why" "$(state)" "its deletion protection is on"
fresh
patch "groups: [{name: pod, zone: us-east5-a, target: 8}]"
act
none "the group is resized by somebody"
is "the group is resized by somebody: why" "$(state)" "recheck|state|its state is 16 of 8 RUNNING: it is not deleted in that state"
fresh
faults "[{match: \"$GROUP\", status: 404, body: '{}'}]"
act
none "a 404 without the name of the group"
fresh
patch "groups: [{name: pod, zone: us-east5-a, id: '4712'}]"
one
none "another group has its name"
is "another group has its name: why" "$(state)" "superseded||a live check found that another machine has its name now"
fresh
patch "instances: [{name: pod-0005, zone: us-east5-a, id: '99', created: now, started: now}]"
one
none "one host was created again"
has "one host was created again: why" "$(state)" "superseded"
fresh
patch "remove: {groups: [{name: pod}], instances: [$(for i in $(seq -w 16); do printf '{name: pod-00%s},' "$i"; done)]}"
act
none "deleted by somebody before the check" 0
is "deleted by somebody before the check: why" "$(state | head -1)" "cleared||a live check found that it no longer exists"

# ---- while the request is under way
fresh
faults "[{match: \"$SIZE\", delay_ms: 3000, times: 1}]"
held=$(grep -c '^held POST' sandbox.out)
waits() { [ "$(grep -c '^held POST' sandbox.out)" -gt "$held" ]; }
"$B/tpucost-net" run --once -q >stdout 2>stderr &
program=$!
wait_until waits
patch "remove: {groups: [{name: pod}], instances: [$(for i in $(seq -w 16); do printf '{name: pod-00%s},' "$i"; done)]}"
wait $program
later
act
is "deleted between check and request: asked once" "$(requests)" "$ALL"
is "deleted between check and request: it is gone" "$(state)" "done||deleted; no list contains it any longer; freed 64 v6e chips of quota in us-east5"
for how in "status: 400, reason: invalid" "status: 409, reason: conflict" "status: 429, reason: rateLimitExceeded"; do
	fresh
	faults "[{match: \"$SIZE\", $how, times: 1}]"
	one
	is "resize refused ($how): once, not at once again" "$(asked)" 1
	is "resize refused ($how): no host is gone" "$(hosts)" 16
	is "resize refused ($how): it waits" "$(state | cut -d'|' -f1)" "recheck"
	later 7200
	one
	later 7400
	act
	is "resize refused ($how): later all" "$(asked) $(hosts)" "2 0"
done
fresh
faults "[{match: \"$SIZE\", status: 403, reason: forbidden}]"
act
later 7200
act
is "resize forbidden: once, and not again" "$(asked) $(hosts)" "1 16"
has "resize forbidden: the permission" "$(state)" "compute.instanceGroupManagers.update"
fresh
faults "[{match: \"$SIZE\", how: lost, times: 1}]"
one
later
act
once "the reply is lost"
later 9000
act
is "the reply is lost: never again" "$(asked)" 1

# ---- half of it
fresh
patch "operations: {looks: 1, seconds: 0s, stuck: true}"
one # waits for its time limit, as the next one
patch "remove: {instances: [$(for i in 01 02 03 04 05 06 07; do printf '{name: pod-00%s},' $i; done)]}
instances: [$(for i in 08 09 10 11; do printf '{name: pod-00%s, zone: us-east5-a, status: RUNNING},' $i; done)]"
is "half stopped: it is not done" "$(state | cut -d'|' -f1) $(requests)" "sent $ALL"
later 4000
one
is "half stopped: nor after that time, because Google still works" "$(requests)" "$ALL"
is "half stopped: it says how much is left" "$(tpucost sql --format csv "SELECT raw_state, hosts FROM resources WHERE name = 'pod'" | tr -d '\r' | tail -1)" "4 of 0 RUNNING,4"
run tpucost why pod
has "half stopped: and the command that ends it" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" "managed resize pod --size=0 --zone=us-east5-a --project=lab-one"
fresh
patch "operations: {looks: 1, seconds: 0s, error: INTERNAL_ERROR}"
one
is "the operation fails: once, and all hosts run" "$(asked) $(hosts)" "1 16"
has "the operation fails: it says so" "$(state)" "Google reports a failure: INTERNAL_ERROR"
run tpucost audit verify
status "the audit is intact" 0
