# A clock that is ahead before the machine reaches the network: what it would delete for its age does not come back, and a
# hold protects a machine.
. "$ROOT/tests/cli/lib.sh"
write_world w us-central1-a <<'END'
instances: [{zone: us-central1-a, name: vm1, type: n1-standard-8, created: -3h}]
END
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}, {name: broken, webhook: {url: \"http://127.0.0.1:9/\"}}]
keep_history: 90d
rules:
  - {name: runs, on: resources, where: \"name = 'vm1' AND state = 'running'\", severity: critical,
     then: {action: stop, grace: 30m, armed: true}}
enforcement: {mode: armed, projects: [lab-one]}"
run tpucost collect -q
run tpucost hold add vm1 --until 7d --comment mine
run tpucost silence runs --for 5d
sed 's,http://127.0.0.1:[0-9]*",http://127.0.0.1:9",' tpucost.yaml >unreachable.yaml
sed 's/^rules:/rules:\n  - {name: other, on: resources, where: "name = '\'vm1\''", severity: critical}/' tpucost.yaml >more.yaml
run tpucost run --once -q --config more.yaml
kept() {
	sqlite3 t.db "SELECT 'holds', COUNT(*) FROM hold UNION ALL SELECT 'silences', COUNT(*) FROM silence
		UNION ALL SELECT 'intervals', COUNT(*) > 0 FROM resource_interval
		UNION ALL SELECT 'actions', COUNT(*) FROM action WHERE ended IS NOT NULL
		UNION ALL SELECT 'waiting', COUNT(*) FROM notification WHERE channel = 'broken' AND created < $NOW + 86400 AND state NOT IN ('sent', 'dead', 'dropped')"
}
before=$(kept)
is "there is something of each" "$(echo "$before" | tr '\n' ' ')" "holds|1 silences|1 intervals|1 actions|1 waiting|1 "
for days in 60 1100; do
	set_clock "$((NOW + days * 86400))"
	run tpucost run --once -q --config unreachable.yaml
	is "$days days ahead: nothing is deleted" "$(kept)" "$before"
done
set_clock "$((NOW + 60))"
run tpucost run --once -q
is "with the right clock: the hold is active" "$(tpucost sql "SELECT id, active FROM holds" --format csv | tr -d '\r' | tail -1)" "lab-one/vm/us-central1-a/vm1,1"
# time that polls confirm counts
set_clock "$((NOW + 15 * 86400))"
run tpucost run --once -q
is "after a week more, the hold is forgotten" "$(sqlite3 t.db "SELECT COUNT(*) FROM hold")" 0
