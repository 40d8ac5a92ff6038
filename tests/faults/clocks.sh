# acts
# Clocks that jump by an hour, a day, ten years, forth and back, between runs that could stop a machine and
# that have a report to send: nothing is stopped while what is stored is ahead of the clock, each date has one
# report, what is stored stays sound, and when time has gone on, the machine is stopped once. That a clock
# which is ahead of Google's stops all is in unit tests: the fake cloud's own clock is not taken for Google's.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
. "$ROOT/tests/faults/lib-sweep.sh"
cat >world.yaml <<W
$(sed 's/^name: small/name: clocks/' "$ROOT/tests/sandbox/worlds/small.yaml")
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
write_config "rules:
  - {name: paid, on: resources, where: \"name = 'wrong' AND state = 'running'\", severity: critical, for: 0m,
     then: {action: stop, grace: 5m, armed: true}}
notify:
  - {name: log, file: {path: told.jsonl}}
report: {daily: {at: '00:00', to: [log]}}
enforcement: {mode: armed, projects: [lab-one], max_share: 100%, max_per_run: 5}"
# a login: a key's assertion is of the time when it is used
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json
sed -i 's/^credentials: .*/credentials: user.json/' tpucost.yaml
before=0
# run_at SECONDS: a run whose clock is so far off
run_at() {
	run clock_ahead "$1" "$B/tpucost" run --once -q
}
sound="SELECT (SELECT COUNT(*) FROM resource_interval WHERE ends < starts),
	(SELECT COUNT(*) FROM (SELECT id FROM resource_interval WHERE ends IS NULL GROUP BY id HAVING COUNT(*) > 1))"
run tpucost run --once -q
status "before all that" 0
is "it is warned of" "$(db "SELECT COUNT(*) FROM notification WHERE kind = 'alerts'") $(asked)" "1 0 0"
mode() { sed -i "s/mode: [a-z-]*/mode: $1/" tpucost.yaml; }
jumps="1 24 720 87600 -1 -24 -720 -87600"
[ -z "${QUICK:-}" ] || jumps="24 -24"
for jump in $jumps; do
	case $jump in
	-*) ;;
	*) mode dry-run ;;
	esac
	run_at $((jump * 3600))
	mode armed
	is "a jump of $jump h: nothing is stopped" "$(asked)" "0 0"
	is "a jump of $jump h: what is stored is sound" "$(db "$sound")" "0|0"
	run_at 0
	is "a jump of $jump h, and back: nothing is stopped" "$(asked)" "0 0"
	is "a jump of $jump h, and back: what is stored is sound" "$(db "$sound")" "0|0"
	is "a jump of $jump h: each date has one report" \
		"$(db "SELECT COUNT(*) - COUNT(DISTINCT dedup) FROM notification WHERE kind = 'daily'")" 0
	run tpucost db check
	status "a jump of $jump h: the database is whole" 0
	is "a jump of $jump h: the data is new again" \
		"$(tpucost sql "SELECT COUNT(*) AS n FROM sources WHERE source = 'tpu' AND stale" --format json | jq '.[0].n')" 0
done
# both clocks go on, beyond all that was written in the future but for what is too far away to be meant
curl -sS -o answer --data-binary '{"advance": 2764800}' "$url/_sandbox/clock"
for minutes in 0 6 12 18; do
	run_at $(((32 * 24 * 60 + minutes) * 60))
	curl -sS -o answer --data-binary '{"advance": 360}' "$url/_sandbox/clock"
done
is "and in the end it is stopped, once" "$(asked) $(db "SELECT COUNT(*) FROM action WHERE name = 'wrong' AND state = 'done'")" "1 1 1"
run tpucost audit verify
status "the record is whole" 0
