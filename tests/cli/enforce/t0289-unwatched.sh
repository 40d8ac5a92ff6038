# A project that is taken out of the configuration: its machines run on, and nobody says that they are gone.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "notify: [{name: log, file: {path: told.jsonl}}]
rules:
  - {name: big-runs, on: resources, where: \"name = 'big' AND state = 'running'\", severity: critical,
     then: {action: stop, grace: 30m, armed: true}}
  - {name: burns, on: burn, where: \"gross_per_hour > 0\"}
enforcement: {mode: armed, projects: [lab-one]}"
run tpucost run --once -q
is "a stop is announced" "$(tpucost sql "SELECT state FROM actions" --format csv | tr -d '\r' | tail -1)" grace
sed -i 's/lab-one, lab-two/lab-two/; s/projects: \[lab-one\]/projects: [lab-two]/' tpucost.yaml
run tpucost run --once -q
has "the alert says why it ended" "$out" "RESOLVED critical big-runs (owner ada): was: lab-one/vm/us-central1-b/big. Ended: its project is no longer watched."
has "one of its burn, too" "$out" "RESOLVED warning burns: was: lab-one/cpu/USD. Ended: its project is no longer watched."
is "and so does the action" "$(tpucost sql "SELECT state, reason FROM actions" --format csv | tr -d '\r' | tail -1)" \
	"cleared,its project is no longer watched"
run tpucost run --once -q
is "once" "$(jq -r '.report.actions[]? | .event' told.jsonl | sort | tr '\n' ' ')" "cancelled warning "
