# acts
# What `run` does with an armed rule, from the poll to the machine that is stopped: the oracle is
# the fake cloud's log of requests that change something.
. "$ROOT/tests/cli/lib.sh"

cat >world.yaml <<'W'
name: leak
zones: [us-central1-a, us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {project: lab-one, zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
  - {project: lab-one, zone: us-central1-b, name: small, type: n1-standard-2, created: -3h}
nodes:
  - {project: lab-one, zone: us-central1-a, name: leak, type: v3-8, created: -2h}
W
start_sandbox world.yaml
changes() { jq -r 'select(.mutating) | .method + " " + .path' requests; }
# config MODE [KEY: VALUE...]: enforcement of that mode, and more keys of it
config() {
	mode=$1
	shift
	cat >tpucost.yaml <<EOF2
timezone: UTC
projects: [lab-one]
credentials: service-account.json
rules:
  - name: big-cpu
    on: resources
    where: kind = 'vm' AND state = 'running' AND vcpus >= 64
    for: 0m
    severity: critical
    summary: "{name} ({type}) runs"
    then: {action: stop, grace: 0m, armed: true}
notify: [{name: log, file: {path: told.jsonl}}]
enforcement:
  mode: $mode
  projects: [lab-one]
EOF2
	for key in "$@"; do printf '  %s\n' "$key" >>tpucost.yaml; done
	printf 'endpoints: {all: "%s"}\n' "$url" >>tpucost.yaml
}
TPUCOST_CONFIG=tpucost.yaml
export TPUCOST_CONFIG
state_of() { tpucost sql "SELECT state || ' ' || coalesce(held, '') AS s FROM actions WHERE name = '$1' ORDER BY id DESC LIMIT 1" --format csv | tail -1 | tr -d '\r'; }

# ---- nothing, in a dry run, or when it is switched off
config dry-run
run tpucost run --once
run tpucost run --once
is "a dry run changes nothing" "$(changes)" ""
is "it says what it would do" "$(state_of big)" "held mode"
run tpucost enforce --exit-code
status "the plan has something to do" 3
run tpucost enforce --apply
is "nor does --apply" "$(changes)" ""
config off
run tpucost run --once
is "off changes nothing" "$(changes)" ""
is "and follows nothing" "$(state_of big)" "cleared "

# ---- the credentials that act are not those that read
config armed "credentials: missing.json"
run tpucost collect
status "collecting does not load the credentials that act" 0
run tpucost run --once
is "without them nothing is changed" "$(changes)" ""
is "it is held" "$(state_of big)" "held look"
has "it says why" "$err" "missing.json"

# ---- halted
config armed
: >halt
run tpucost run --once
is "halted: nothing is changed" "$(changes)" ""
is "halted: it is held" "$(state_of big)" "held halt"
rm halt

# ---- armed: one machine, once, in one run
run tpucost run --once
status "it acts" 0
is "on the one machine" "$(changes)" "POST /compute/v1/projects/lab-one/zones/us-central1-b/instances/big/stop"
is "and has it done" "$(state_of big)" "done "
has "it says so" "$err" "STOPPED lab-one/vm/us-central1-b/big"
is "the warning came first" "$(grep -o "\"event\":\"\(warning\|outcome\)\"" told.jsonl | cut -d\" -f4 | tr "\\n" " ")" "warning outcome "
request=$(jq -r 'select(.mutating) | .query' requests | sed 's/.*requestId=//; s/&.*//')
is "under the number that was written down" "$(tpucost sql "SELECT request_id FROM actions WHERE name = 'big' AND state = 'done'" --format csv | tail -1 | tr -d '\r')" "$request"
run tpucost audit verify
status "the record is whole" 0
run tpucost run --once
run tpucost run --once
is "and never again" "$(changes | wc -l)" 1
run tpucost collect vm
is "what it is now" "$(tpucost ps --all --where "name = 'big'" --columns state --format csv | tail -1 | tr -d '\r')" stopped
