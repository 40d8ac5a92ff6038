# A host of a slice cannot be protected or silenced alone: `hold`, `silence` and `why` mean its slice, and say so.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: hosts
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central1-a]
groups:
  - {zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h}
  - {zone: us-east5-a, name: loose, type: ct6e-standard-1t, target: 1, hosts: 1, created: -3h}
nodes:
  - {zone: us-east5-a, name: wide, type: v6e-16, topology: 4x4, hosts: 4, created: -3h}
instances:
  - {zone: us-central1-a, name: pod-0002, type: n1-standard-1, created: -3h}
W
start_sandbox world.yaml
config_one "rules:
$(armed_rule gone "kind = 'tpu'" "action: delete, allow_delete: true")
enforcement: {mode: dry-run, projects: [lab-one], allow_delete: true}"
set_clock =$NOW
tpucost collect -q >/dev/null 2>&1
POD=lab-one/tpu/us-east5-a/pod
holds() { sqlite3 t.db "SELECT id FROM hold ORDER BY id"; }

run tpucost hold add pod-0003 --until 3d
status "a host of a group" 0
is "it says that the slice is held" "$err$out" "pod-0003 is a host of $POD: the hold is for the whole slice
$POD is protected until $(day 3) 10:00 UTC"
is "the slice is held" "$(holds)" $POD
is "no action is taken on it" "$(tpucost enforce --format json 2>/dev/null | jq -r '.[] | select(.name == "pod") | .blocked_by')" "exempt,mode"
run tpucost hold remove lab-one/host/us-east5-a/pod-0001
status "it is removed by any of its hosts" 0
is "it is not held" "$(holds)" ""
run tpucost hold remove pod-0001
is "there is none any more" "$rc:$err" "1:tpucost: there is no hold on $POD; see: tpucost hold list"
run tpucost hold add wide-w-2 --until 3d
is "a worker of a node" "$(holds)" lab-one/tpu/us-east5-a/wide
run tpucost hold add loose-0001 --until 3d
is "a machine that is a TPU of its own" "$(holds | head -1)" lab-one/tpu/us-east5-a/loose-0001
is "is no host" "$(grep -c 'whole slice' stderr)" 0
run tpucost hold add pod-0002 --until 3d
status "a machine and a host with one name" 2
has "which one is meant is asked" "$err" "lab-one/host/us-east5-a/pod-0002"
has "with the machine" "$err" "lab-one/vm/us-central1-a/pod-0002"
run tpucost hold add pod-000 --until 3d
status "the beginning of a name is not enough" 1

# ---- why: of a host, about the slice
hosts=$(tpucost ps --all --columns id --format csv 2>/dev/null | tr -d '\r' | grep -c /host/)
is "ps lists hosts" "$hosts" 8
for host in lab-one/host/us-east5-a/pod-0001 pod-0003 host:pod-0001; do
	run tpucost why $host
	is "why $host" "$rc:$(echo "$out" | head -1)" "0:$POD"
	has "why $host: whose host it is" "$err" "is a host of $POD: this is about the whole slice"
done
run tpucost why wide-w-2
is "why: a worker of a node" "$(echo "$out" | head -1)" lab-one/tpu/us-east5-a/wide
run tpucost why pod-0002
is "why: a machine has its name as well" "$rc:$(echo "$out" | head -1)" 0:lab-one/vm/us-central1-a/pod-0002
run tpucost why loose-0001
is "why: a TPU of its own" "$(echo "$out" | head -1)" lab-one/tpu/us-east5-a/loose-0001

# ---- alerts are about the slice
run tpucost silence tpu-not-covered --subject pod-0004 --for 2h
status "a silence" 0
has "it says so" "$err$out" "pod-0004 is a host of $POD: the silence is for the whole slice"
is "it is of the slice" "$(sqlite3 t.db "SELECT rule, subject FROM silence")" "tpu-not-covered|$POD"
run tpucost silence tpu-not-covered --subject pod-0009 --for 2h
status "a host that does not exist" 1
run tpucost enforce pod-0004
has "enforce shows what is about its slice" "$out" "$POD"
