# What accounts may not do is refused as Google refuses it: reads and changes alike.
# acts
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
reader=tpucost@lab-one.iam.gserviceaccount.com
actor=tpucost-enforcer@lab-one.iam.gserviceaccount.com
looks='compute.projects.get, compute.instances.get, compute.zoneOperations.get, tpu.nodes.get, tpu.operations.get'
patch() {
	printf '%s\n' "$1" | curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null
}
# action NAME: "state reason" of its newest action
action() {
	tpucost sql "SELECT a.state AS s, a.reason AS r FROM actions a WHERE a.resource LIKE '%/$1' ORDER BY a.id DESC LIMIT 1" \
		--format json | jq -r '.[] | "\(.s) \(.r)"'
}
changes() {
	jq -r 'select(.mutating) | "\(.method) \(.path) \(.status) \(.as)"' requests
}
write_config "notify:
  - name: log
    file: {path: messages.jsonl}
rules:
  - name: big-vm
    on: resources
    where: kind = 'vm' AND state = 'running' AND name = 'big'
    for: 0m
    then: {action: stop, grace: 0m, armed: true}
  - name: wrong-tpu
    on: resources
    where: kind = 'tpu' AND state = 'running' AND name = 'wrong'
    for: 0m
    then: {action: stop, grace: 0m, armed: true}
enforcement: {mode: armed, projects: [lab-one], credentials: enforcer.json, max_share: 100%}"

# ---- a stop is refused
patch "iam: [{member: $actor, permissions: [$looks]}]"
run tpucost run --once
has "it is told at once" "$err$out" "compute.instances.stop"
is "the machine's stop was refused, once" \
	"$(changes | grep -c "POST /compute/v1/projects/lab-one/zones/us-central1-b/instances/big/stop 403 $actor")" 1
is "so was the node's" \
	"$(changes | grep -c "POST /v2/projects/lab-one/locations/us-central1-a/nodes/wrong:stop 403 $actor")" 1
has "it failed for good" "$(action big)" "failed "
has "in Google's words" "$(action big)" "compute.instances.stop"
has "and the node" "$(action wrong)" "failed "
tpucost run --once >/dev/null 2>&1
tpucost run --once >/dev/null 2>&1
is "and is not tried again" "$(changes | wc -l)" 2
is "the reader changed nothing" "$(changes | grep -c "$reader")" 0
run tpucost doctor --format json
status "the doctor finds it" 1
has "what is missing" "$(jq -r '.[] | select(.check == "acting") | .detail' stdout)" \
	"$actor cannot: compute.instances.stop, tpu.nodes.stop"
is "and that Google's refusal disarmed the rules" \
	"$(jq -r '.[] | select(.check == "enforcement" and .status == "warn") | .detail' stdout | cut -d: -f1 | sort)" \
	"big-vm is disarmed
wrong-tpu is disarmed"
is "until somebody says so" "$(jq -r '.[] | select(.check == "enforcement" and .status == "warn") | .fix' stdout | sort -u)" \
	"tpucost enforce resume"

# ---- once it may
patch "iam: [{member: $actor, permissions: [$looks, compute.instances.stop, tpu.nodes.stop]}]"
tpucost enforce resume >/dev/null 2>&1
run tpucost doctor --format json
status "nothing fails any more" 0
is "nothing is disarmed" "$(jq '[.[] | select(.detail | contains("disarmed"))] | length' stdout)" 0

# ---- the reader is refused
patch "iam: [{member: $reader, permissions: [compute.*.list, compute.projects.get]}]"
run tpucost collect tpu
status "a list that may not be read cannot be read" 1
has "which Google says" "$err" "Permission 'tpu.nodes.list' denied"
has "and what mends it" "$err" "--role=roles/tpu.viewer"
run tpucost collect vm
status "others are" 0
patch "iam: [{member: $reader, permissions: [tpu.*.list]}]"
run tpucost collect vm
has "of Compute Engine too, in its own words" "$err" "Required 'compute.instances.list' permission for 'projects/lab-one/"
