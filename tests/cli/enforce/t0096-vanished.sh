# acts
# I20: most of what ran a moment ago is not in the list any more. That is more likely a list that is
# wrong than a night on which people tidied up: nothing is stopped until a person says so.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: vanished
zones: [us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
W
for i in 1 2 3 4 5 6 7; do
	echo "  - {zone: us-central1-b, name: vm-$i, type: n1-standard-2, created: -3h}" >>world.yaml
done
echo 'operations: {looks: 1, seconds: 0s}' >>world.yaml
start_sandbox world.yaml
config() { # MODE
	config_one "rules:
$(armed_rule big-cpu "kind = 'vm' AND state = 'running' AND vcpus >= 64")
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: $1, projects: [lab-one]}"
}
changes() { jq -r 'select(.mutating) | .path' requests | wc -l; }

config dry-run
run tpucost run --once -q
status "eight machines run" 0
echo 'remove: {instances: [{name: vm-1}, {name: vm-2}, {name: vm-3}, {name: vm-4}, {name: vm-5}]}' |
	curl -sS -o answer --data-binary @- "$url/_sandbox/world/patch"
config armed
run tpucost collect
run tpucost enforce --apply
is "nothing is asked for" "$(changes)" 0
run tpucost enforce --apply
is "nor the second time" "$(changes)" 0
is "it is held for that reason" \
	"$(tpucost sql "SELECT held FROM actions WHERE name = 'big' AND state = 'held'" --format json | jq -r '.[0].held')" shrink
run tpucost enforce
has "the plan asks the right question" "$(echo "$out" | tr -s '\n ' ' ')" "is the list complete?"
is "people are told once, with the line that lets it pass" \
	"$(grep -o '"command":"tpucost enforce approve [0-9]*"' told.jsonl | sort | uniq -c | tr -s ' ')" \
	' 1 "command":"tpucost enforce approve 2"'
id=$(tpucost sql "SELECT id FROM actions WHERE name = 'big' AND state = 'held'" --format json | jq -r '.[0].id')
run tpucost enforce approve "$id"
status "a person lets it pass" 0
run tpucost enforce --apply
is "then it is stopped" "$(changes)" 1
run tpucost audit verify
status "the record is whole" 0
