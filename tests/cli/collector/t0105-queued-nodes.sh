# acts
# A queued resource takes its nodes with it: what protects one of them protects it, who is warned hears
# of them, and what it saves is what they cost.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: queue
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
nodes:
  - {zone: us-central1-a, name: paper, type: v3-8, queued: queue, created: -3h}
  - {zone: us-central1-a, name: other, type: v3-8, created: -3h}
queued:
  - {zone: us-central1-a, name: queue, type: v3-8, node: paper, created: -3h}
operations: {looks: 1, seconds: 0s}
W
config() { # KEY: VALUE of enforcement
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'queued' AND raw_state = 'ACTIVE'" "action: delete, allow_delete: true")
enforcement:
  mode: armed
  projects: [lab-one]
  allow_delete: true
  $1"
}
changes() { jq -r 'select(.mutating) | .method + " " + .path' requests; }
plan() { tpucost enforce --format json | jq -r '.[] | .name + ": " + (.'"$1"' | tostring)'; }
start_sandbox world.yaml

# ---- what protects the node
for key in "exempt: [paper]" "exempt: [lab-one/tpu/us-central1-a/paper]" "protect: name = 'paper'"; do
	config "$key"
	rm -f t.db*
	run tpucost run --once
	is "$key: nothing is deleted" "$(changes)" ""
	is "$key: the plan says so" "$(plan blocked_by)" "queue: exempt"
	has "$key: and of what node" "$(plan reason)" "of its node lab-one/tpu/us-central1-a/paper: "
done

# ---- what is not protected, told before
config "exempt: [other]"
rm -f t.db* told.jsonl
run tpucost collect
is "it saves what its node costs" "$(plan saves_per_hour)" "queue: 8"
run tpucost run --once
is "now it is deleted" "$(changes)" "DELETE /v2/projects/lab-one/locations/us-central1-a/queuedResources/queue"
told() { jq -r ".report.actions[]? | select(.event == \"$1\") | .$2" told.jsonl; }
has "the warning names its node" "$(told warning detail)" "Its TPUs are deleted with it: paper."
has "and says what that saves" "$(told warning detail)" "That saves about 8.00 USD/h."
is "in figures too" "$(told warning saves_per_hour)" 8
run tpucost collect
run tpucost run --once
is "what it was" "$(jq -r '.report.actions[]? | select(.event == "outcome") | .news + " " + (.saves_per_hour | tostring)' told.jsonl)" "deleted 8"
is "its alert says with what" "$(sqlite3 t.db "SELECT summary FROM alert WHERE subject LIKE '%/paper'" | sed 's/.*Ended: //')" \
	"it was deleted by tpucost with queued resource queue at 2026-11-18 10:00 UTC."
is "the node is gone too, the other is not" "$(tpucost ps --columns name --format csv | tr -d '\r' | tail -n +2)" other
