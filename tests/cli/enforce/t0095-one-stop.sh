# acts
# One stop, whatever happens to the program that asks for it (I1, I23, I25, I26, A36): two of them at
# once, signals while the request is under way, an answer that is lost.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: one
zones: [us-central1-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {zone: us-central1-b, name: big, type: n1-highmem-96, created: -3h}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
config_one "rules:
$(armed_rule big-cpu "kind = 'vm' AND state = 'running' AND vcpus >= 64")
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: armed, projects: [lab-one]}"
ask() { sqlite3 -cmd '.timeout 5000' t.db "$1" 2>/dev/null; }
states() { ask "SELECT group_concat(state, ' ') FROM (SELECT state FROM action ORDER BY action)"; }
# changes: the number of each request that asked for one, since again()
changes() { tail -n +$((before + 1)) requests | jq -r 'select(.mutating) | .query | capture("requestId=(?<r>[^&]*)").r'; }
# again [FAULTS]: the world as it was, nothing stored
again() {
	curl -sS -o answer --data-binary @world.yaml "$url/_sandbox/world"
	curl -sS -o answer --data-binary "${1:-}" "$url/_sandbox/faults"
	rm -f t.db* told.jsonl
	before=$(wc -l <requests)
	held=$(grep -c '^held POST' sandbox.out)
}
# start: the program, until its request is written down and sent; its number in $program
start() {
	"$B/tpucost-net" run --once -q >stdout 2>stderr &
	program=$!
	wait_until held
}
held() { [ "$(grep -c '^held POST' sandbox.out)" -gt "$held" ]; }
slow='- {regex: "POST /compute/.*/stop", delay_ms: 2000, times: 1}'

# ---- I1: two at once
again
"$B/tpucost-net" run --once -q >one 2>&1 &
program=$!
"$B/tpucost-net" run --once -q >two 2>&1
wait $program
run tpucost run --once -q
is "two at once: it is asked for once" "$(changes | wc -l)" 1
is "two at once: it is done" "$(states)" "done"

# ---- I25: asked to end while it waits for the answer
for signal in TERM INT HUP; do
	again "$slow"
	start
	kill -$signal $program
	wait $program 2>/dev/null
	is "SIG$signal: the answer is written down first" \
		"$(ask "SELECT operation IS NOT NULL AND sent IS NOT NULL FROM action")" 1
	run tpucost run --once -q
	is "SIG$signal: the next run finds it done" "$(states)" "done"
	is "SIG$signal: it was asked for once" "$(changes | wc -l)" 1
	run tpucost audit verify
	status "SIG$signal: the record is whole" 0
done

# ---- I26: signals that mean nothing to it
again "$slow"
start
for i in 1 2 3 4 5 6 7 8 9 10; do
	for signal in CHLD PIPE URG WINCH CONT; do
		kill -$signal $program
	done
done
wait $program
rc=$?
status "a storm of signals changes nothing" 0
is "a storm: it is done" "$(states)" "done"
is "a storm: it was asked for once" "$(changes | wc -l)" 1

# ---- I23: killed while it waits for the answer
again "$slow"
start
kill -KILL $program
wait $program 2>/dev/null
is "killed: it was written down" "$(states)" intent
answered() { [ "$(changes | wc -l)" = 1 ]; }
wait_until answered
run tpucost run --once -q
is "killed: the next run finds it done" "$(states)" "done"
is "killed: it was asked for once" "$(changes | wc -l)" 1

# ---- A36: it is stopped, and the answer is lost
again '- {regex: "POST /compute/.*/stop", how: lost, times: 1}'
run tpucost run --once -q
run tpucost run --once -q
is "lost: it is done" "$(states)" "done"
is "lost: it was asked for once" "$(changes | wc -l)" 1
