# A stop that fails is reported once, tried again at growing intervals, and delays nothing else.
# acts
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "rules: [{use: tpu-not-covered, for: 0m, then: {action: stop, grace: 0m, armed: true}}]
enforcement: {mode: armed, projects: [lab-one]}
notify:
  - {name: log, file: {path: $work/told.jsonl}}"
patch() {
	curl -sS -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null
}
# later SECONDS: that much later, in steps in which every source is polled, and a run. A node that is not read for two
# hours is announced again.
later() {
	late=$(($(date +%s) + $1))
	while [ $((late - $(date +%s))) -gt 7000 ]; do
		set_clock $(($(date +%s) + 7000))
		tpucost run --once -q >/dev/null 2>&1
	done
	set_clock "$late"
	tpucost collect -q >/dev/null 2>&1
	run tpucost run --once -q
}
stops() { grep -c '"mutating":true' requests; }
patch 'operations: {error: ZONE_RESOURCE_POOL_EXHAUSTED}'
run tpucost run --once -q
is "the first attempt" "$(stops)" 1
later 310
later 910
is "three attempts" "$(stops)" 3
has "the third failure is printed" "$err" "FAILED lab-one/tpu/us-central1-a/wrong"
has "with the time of the next" "$err" "the attempt failed, the next follows in 15m: Google reports a failure: "
is "and sent, with the command" "$(jq -r 'select(.subject | contains("wrong could not be stopped yet")) | .report.actions[0].command' told.jsonl)" \
	"gcloud compute tpus tpu-vm stop wrong --zone us-central1-a --project lab-one"
later 600
is "not before its time" "$(stops)" 3
status "and a run in between is fine" 0
run tpucost status
has "status has the time of the next attempt" "$(tr -s ' \n' ' ' <stdout)" "could not be stopped: attempts failed, the next at 10:35"
run tpucost enforce
has "so has the plan" "$out" "not before 2026-11-18 10:35"
later 310
is "the fourth" "$(stops)" 4
later 910
is "half an hour later, not a quarter" "$(stops)" 4
is "said once" "$(grep -c 'could not be stopped yet' told.jsonl)" 1
# a day later it is announced again: with the attempts, and not as if it were stopped now
for s in 1900 3700 7300 14500 21700 21700 17000; do
	later "$s"
done
when() { sqlite3 t.db "SELECT strftime('%Y-%m-%d %H:%M', $1, 'unixepoch') FROM action WHERE name = 'wrong'"; }
n=$(stops)
again=$(jq -s 'map(select(.report.actions[0].event == "warning"))[1:]' told.jsonl)
is "once" "$(printf '%s' "$again" | jq length)" 1
has "with the next attempt" "$(printf '%s' "$again" | jq -r '.[0].subject')" \
	"[tpucost] wrong could not be stopped yet, next attempt at $(when next_at | cut -c12-)"
detail=$(printf '%s' "$again" | jq -r '.[0].report.actions[0].detail')
has "with the number of attempts, the first and the next" "$detail" \
	"could not be stopped yet: attempts failed, the first at $(when "(SELECT min(at) FROM audit_entry WHERE event = 'intent')"). The next follows at $(when next_at) (UTC)."
# it waits for the next attempt, and everything says so
fails="could not be stopped: attempts failed, the next at $(when next_at | cut -c12-)"
for words in status enforce "report daily"; do
	run tpucost $words
	has "$words" "$(tr -s ' \n' ' ' <stdout)" "$fails"
done
has "the headline asks for it first" "$out" "Stop or delete wrong, "
run tpucost why wrong
has "why" "$(tr -s ' \n' ' ' <stdout)" "could not be stopped: attempts failed, the next at $(when next_at)"
# something else breaks the rule: it is not delayed
patch 'nodes: [{project: lab-one, zone: us-central1-a, name: second, type: v3-8, created: -1h}]'
later 60
has "another one is announced" "$(cat told.jsonl)" "second"
patch 'operations: {}'
later 21700
is "when Google can, it is stopped" "$(sqlite3 t.db "SELECT state FROM action WHERE name = 'wrong'")" done
run tpucost audit verify
status "the record is in order" 0
# a failure that the run finds before it polls has the same status
patch '{operations: {no_effect: true}, nodes: [{project: lab-one, zone: us-central1-a, name: third, type: v3-8, created: -1h}]}'
later 60
status "sent, and on its way" 0
later 960
has "done, says Google, but without effect" "$err" "FAILED lab-one/tpu/us-central1-a/third"
status "is partial" 4
