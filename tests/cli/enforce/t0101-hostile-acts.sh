# acts
# Two rules on one machine, and Google that tells less than it should: nothing is said that is not so.
. "$ROOT/tests/cli/lib.sh"

cat >world.yaml <<'W'
name: leak
zones: [us-central1-a, us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {project: lab-one, zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
nodes:
  - {project: lab-one, zone: us-central1-a, name: leak, type: v3-8, created: -2h}
W
start_sandbox world.yaml
changes() { jq -r 'select(.mutating) | .method + " " + .path' requests; }
config_one "rules:
$(armed_rule big-cpu "kind = 'vm' AND state = 'running' AND vcpus >= 64")
$(armed_rule any-machine "kind IN ('vm', 'tpu') AND state = 'running'")
notify: [{name: log, file: {path: told.jsonl}}]
enforcement:
  mode: armed
  projects: [lab-one]"
said() { jq -r '.report.actions[]? | .event + " " + .rule + " " + .name' told.jsonl | sort | tr '\n' ';'; }

# Who may stop need not be allowed to read operations.
curl -s -X POST --data-binary 'operations: {looks: 1, seconds: 0s}' "$url/_sandbox/world/patch"
curl -s -X POST --data-binary '- {regex: "^GET .*/operations/", status: 403}' "$url/_sandbox/faults"
run tpucost run --once
status "it acts" 0
is "once on each machine" "$(changes | sort | tr '\n' ';')" "POST /compute/v1/projects/lab-one/zones/us-central1-b/instances/big/stop;POST /v2/projects/lab-one/locations/us-central1-a/nodes/leak:stop;"
is "what they are now is seen without the operations" "$(tpucost sql "SELECT count(*) AS n FROM actions WHERE state = 'done'" --format csv | tail -1 | tr -d '\r')" 2
curl -s -X POST -d '' "$url/_sandbox/faults"

# The inventory is not due yet: it still says that both run.
run tpucost run --once
run tpucost run --once
is "nothing more is done" "$(changes | wc -l)" 2
is "the other rule waits for the next poll" "$(tpucost sql "SELECT held || ': ' || reason AS s FROM actions WHERE state = 'held'" --format csv | tail -1 | tr -d '\r"')" "fresh: action 1 ended after the last poll, which does not show it yet"
is "nobody hears that somebody started it again" "$(said)" "outcome any-machine leak;outcome big-cpu big;warning any-machine big;warning any-machine leak;warning big-cpu big;"
run tpucost collect
run tpucost run --once
is "and then it is over" "$(tpucost sql "SELECT group_concat(state) AS s FROM (SELECT state FROM actions ORDER BY id)" --format csv | tail -1 | tr -d '\r"')" "done,done,cleared"
is "with no more done" "$(changes | wc -l)" 2
