# acts
# A managed instance group is one slice only if its machines can be one: not more than its topology has, of one
# type, and nothing else. The machines of any other are single TPUs, which count and cost, and are never deleted
# with their group.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: sizes
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups:
  - {zone: us-east5-a, name: many, type: ct6e-standard-4t, topology: 4x4, target: 6, hosts: 6, created: -3h}
  - {zone: us-east5-a, name: grows, type: ct6e-standard-4t, topology: 4x4, target: 6, hosts: 4, created: -3h}
  - {zone: us-east5-a, name: over, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 5, created: -3h}
  - {zone: us-east5-a, name: ones, type: ct6e-standard-1t, topology: 1x1, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: big, type: ct6e-standard-8t, topology: 2x2, target: 1, hosts: 1, created: -3h}
  - {zone: us-east5-a, name: mixed, type: ct6e-standard-4t, topology: 2x4, target: 2, hosts: 1, created: -3h}
  - {zone: us-east5-a, name: others, type: ct6e-standard-4t, topology: 2x4, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: twin, type: tpu7x-standard-4t-tpu, topology: 2x2x2, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: whole, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h}
instances:
  - {zone: us-east5-a, name: mixed-0002, type: ct6e-standard-8t, created: -3h,
     created_by: projects/101/zones/us-east5-a/instanceGroupManagers/mixed}
  - {zone: us-east5-a, name: others-cpu, type: e2-standard-2, created: -3h,
     created_by: projects/101/zones/us-east5-a/instanceGroupManagers/others}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'tpu'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 99, max_per_run: 99, max_per_hour: 99, max_per_day: 99, max_per_rule_hour: 99, max_share: 100}"
set_clock =$NOW
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }

run tpucost collect
status "such a group is no problem of the poll" 0
is "one row for a group that can be a slice, and one for each machine of the others" \
	"$(rows "SELECT name, type, chips, hosts, target_hosts, topology, gross_per_hour FROM resources WHERE kind = 'tpu' ORDER BY name")" \
	"big-0001,ct6e-standard-8t,8,1,,,21.6
grows-0001,ct6e-standard-4t,4,1,,,10.8
grows-0002,ct6e-standard-4t,4,1,,,10.8
grows-0003,ct6e-standard-4t,4,1,,,10.8
grows-0004,ct6e-standard-4t,4,1,,,10.8
many-0001,ct6e-standard-4t,4,1,,,10.8
many-0002,ct6e-standard-4t,4,1,,,10.8
many-0003,ct6e-standard-4t,4,1,,,10.8
many-0004,ct6e-standard-4t,4,1,,,10.8
many-0005,ct6e-standard-4t,4,1,,,10.8
many-0006,ct6e-standard-4t,4,1,,,10.8
mixed-0001,ct6e-standard-4t,4,1,,,10.8
mixed-0002,ct6e-standard-8t,8,1,,,21.6
ones-0001,ct6e-standard-1t,1,1,,,2.7
ones-0002,ct6e-standard-1t,1,1,,,2.7
others-0001,ct6e-standard-4t,4,1,,,10.8
others-0002,ct6e-standard-4t,4,1,,,10.8
over-0001,ct6e-standard-4t,4,1,,,10.8
over-0002,ct6e-standard-4t,4,1,,,10.8
over-0003,ct6e-standard-4t,4,1,,,10.8
over-0004,ct6e-standard-4t,4,1,,,10.8
over-0005,ct6e-standard-4t,4,1,,,10.8
twin,2 x tpu7x-standard-4t-tpu,8,2,2,2x2x2,
whole,4 x ct6e-standard-4t,16,4,4,4x4,43.2"
says() { # NAME TEXT
	run tpucost why "$1"
	has "$1: why it is shown alone" "$(echo "$out" | tr -s ' \n' ' ')" "not a slice $2"
}
says many-0006 "its group has 6 machines, and its topology 4x4 has 4"
says grows-0001 "its group has 6 machines, and its topology 4x4 has 4"
says over-0001 "its group has 5 machines, and its topology 4x4 has 4"
says ones-0001 "its group has 2 machines, and its topology 1x1 has 1"
says big-0001 "the topology of its group, 2x2, does not consist of ct6e-standard-8t"
says mixed-0001 "the machines of its group differ in zone, type or class"
says others-0001 "its group has machines without TPUs"
run tpucost why whole
is "a slice needs no reason" "$(grep -c 'not a slice' stdout)" 0
run tpucost why others-cpu
has "another machine of a group names it" "$out" "zones/us-east5-a/instanceGroupManagers/others"

for i in 1 2 3 4; do run tpucost run --once; done
is "only the slices are deleted, and no other group" \
	"$(jq -r 'select(.mutating) | .method + " " + .path + " " + (.query | sub("&.*"; ""))' requests)" \
	"POST /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/twin/resize size=0
POST /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/whole/resize size=0"
is "of the others it says so" "$(sqlite3 t.db "SELECT DISTINCT state, held, reason FROM action WHERE name LIKE 'many-%' OR name LIKE 'others-%' ORDER BY reason")" \
	"pending|managed|it belongs to the managed instance group many
pending|managed|it belongs to the managed instance group others"
