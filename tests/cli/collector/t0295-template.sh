# Many projects like one in the sandbox: each has copies of what that project has, with ids of its own.
. "$ROOT/tests/cli/lib.sh"
export TPUCOST_CONFIG="$work/tpucost.yaml"
cat >world.yaml <<EOF
name: many
projects: [{id: like-this, number: "100000000001"}, {id: other-one, number: "100000000002"}]
project_count: 1200
project_template: like-this
zones: [us-central1-a, europe-west4-a]
instances:
  - {zone: us-central1-a, name: vm-1, type: n1-standard-4}
  - {project: other-one, zone: us-central1-a, name: vm-2, type: n1-standard-4}
disks: [{zone: us-central1-a, name: vm-1, type: pd-ssd, size_gb: 100, users: [vm-1]}]
nodes: [{zone: europe-west4-a, name: tpu-1, type: v3-8}]
EOF
start_sandbox "$work/world.yaml"
cat >tpucost.yaml <<EOF
timezone: UTC
projects: [lab-001, lab-1200, other-one]
credentials: adc
database: t.db
endpoints: {all: "$url"}
EOF
run tpucost collect vm disk tpu
has "all were read" "$out" "9 polled: 9 complete"
run tpucost ps --all --sort-by id --format csv --columns id
is "the last project has what the first one has, the other one its own" "$(printf '%s\n' "$out" | tail -n +2 | tr -d '\r')" \
"lab-001/disk/us-central1-a/vm-1
lab-001/tpu/europe-west4-a/tpu-1
lab-001/vm/us-central1-a/vm-1
lab-1200/disk/us-central1-a/vm-1
lab-1200/tpu/europe-west4-a/tpu-1
lab-1200/vm/us-central1-a/vm-1
other-one/vm/us-central1-a/vm-2"
run tpucost sql "SELECT COUNT(DISTINCT uid) AS n FROM resources" --format csv
is "every resource has its own number" "$(printf '%s\n' "$out" | tail -n 1 | tr -d '\r')" 7
