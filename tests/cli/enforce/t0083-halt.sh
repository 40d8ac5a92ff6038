# What people decide: halt and resume, approve, hold; each is in the audit.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
mkdir data
sed -i 's|^database: .*|database: data/t.db|' tpucost.yaml
me="user $(id -un)"
db() {
	sqlite3 data/t.db "$1"
}
last() { # of the audit
	db "SELECT event || ' ' || detail FROM audit_entry ORDER BY seq DESC LIMIT 1"
}
tpucost collect -q

# ---- halt and resume ------------------------------------------------------------------------------

run tpucost enforce resume
status "nothing to resume" 0
has "is said" "$err" "enforcement is not halted"
is "and is no entry" "$(db 'SELECT count(*) FROM audit_entry')" 0

run tpucost enforce halt --comment 'too "many"'
status "halt" 0
has "said" "$err" "nothing is stopped while $work/data/halt exists"
has "both" "$err" "nothing is stopped while $work/halt exists"
has "who" "$(cat data/halt)" "halted by $me at 2"
has "why" "$(cat data/halt)" 'why: too "many"'
is "nobody else reads it" "$(stat -c %a data/halt)" 600
is "in the audit" "$(last)" "halted {\"comment\":\"too \\\"many\\\"\",\"file\":\"$work/data/halt\"}"
run tpucost enforce halt -q
status "again" 0
is "quietly" "$err$out" ""
is "beside the configuration, too" "$(test -f halt && echo yes)" yes
run tpucost enforce resume
status "resume" 0
is "both are gone" "$(ls halt data/halt 2>/dev/null)" ""
has "said" "$err" "enforcement resumed: mode dry-run"
is "in the audit" "$(last)" "resumed {\"files\":[\"$work/data/halt\",\"$work/halt\"]}"

mkdir halt
tpucost enforce halt -q
run tpucost enforce resume
status "one that cannot be removed" 1
has "still halts" "$err" "still halted: cannot remove $work/halt"
is "the other one is gone" "$(ls data/halt 2>/dev/null)" ""
is "in the audit" "$(last)" "resume-failed {\"file\":\"$work/halt\"}"
rmdir halt

mkdir data/halt
run tpucost enforce halt
status "something else is called so" 0
is "which halts as well" "$(test -d data/halt && echo yes)" yes
rmdir data/halt
rm halt

# ---- halting when little works --------------------------------------------------------------------

mv data/t.db good.db
rm -f data/t.db-*
echo 'no database' >data/t.db
run tpucost enforce halt
status "without a database" 4
has "it says so" "$err" "enforcement is halted, but there is no audit entry"
is "it is halted" "$(test -f data/halt && echo yes)" yes
run tpucost enforce resume
status "but it does not go on without a record" 1
is "it is still halted" "$(test -f data/halt && echo yes)" yes
rm data/halt
rm -rf data
run tpucost enforce halt
status "without the directory" 1
has "it says so" "$err" "NOT halted: write $work/data/halt"
has "what it could do" "$err" "$work/halt exists: it halts only processes that check it"
is "beside the configuration" "$(test -f halt && echo yes)" yes
rm halt
mkdir data
mv good.db data/t.db
: >data/halt
run tpucost enforce resume
status "a file that somebody made by hand" 0
is "is gone" "$(ls data/halt 2>/dev/null)" ""

db "INSERT INTO disarmed VALUES ('big-cpu', 'p', 'lab-one', 5, 'Google refused')"
run tpucost enforce resume
status "disarmed rules" 0
has "act again" "$err" "rule big-cpu is armed again in project lab-one; it was disarmed: Google refused"
is "they are forgotten" "$(db 'SELECT count(*) FROM disarmed')" 0
is "in the audit" "$(last)" 'resumed {"files":[],"rearmed":1}'

# ---- approve --------------------------------------------------------------------------------------

action() { # ID STATE HELD MODE ENDED
	db "INSERT INTO action (action, rule, resource, uid, source, kind, project, location, name, verb, mode,
		severity, policy, state, held, reason, since, began, attempts, saves, residual, currency, ended)
		VALUES ($1, 'r$1', 'lab-one/vm/us-central1-b/big', '1', 'vm', 'vm', 'lab-one', 'us-central1-b', 'big',
		'stop', '$4', 'warning', 'p', '$2', '$3', 'because', 5, 5, 0, 5678544000, 100000000, 'USD', $5)"
}
action 1 recheck caps armed NULL
action 2 recheck halt armed NULL
action 3 recheck '' armed NULL
action 4 sent '' armed NULL
action 5 done '' armed 9
action 6 recheck back-off dry-run NULL
run tpucost enforce approve 1 --comment 'go'
status "approve" 0
is "what it does" "$out" "action 1: stop lab-one/vm/us-central1-b/big
  rule   r1
  held   caps: because
  saves  5.68 USD/h (estimate)
  leaves 0.10 USD/h of what it keeps (estimate)
approved: the next 'tpucost run' does it, unless another guard blocks it"
is "approved now" "$(db "SELECT approved > strftime('%s', 'now') - 60 FROM action WHERE action = 1")" 1
is "in the audit" "$(last)" 'approved {"comment":"go","held":"caps","mode":"armed","reason":"because","rule":"r1","verb":"stop"}'
is "of that action" "$(tpucost audit --limit 1 --format json | jq -c '.[0] | [.action, .resource]')" '[1,"lab-one/vm/us-central1-b/big"]'
entries=$(db 'SELECT count(*) FROM audit_entry')
no() { # ID PART
	run tpucost enforce approve "$1"
	status "no approval of $1" 1
	has "no approval of $1: why" "$err" "$2"
}
no 2 "action 2 is held by halt, which cannot be approved: because"
no 3 "action 3 is not held: it is in state recheck"
no 4 "action 4 is already in progress: sent"
no 5 "action 5 has ended: done"
no 77 "there is no action 77"
run tpucost enforce approve x
status "no number" 2
run tpucost enforce approve
status "none" 2
is "nothing of that was approved" "$(db 'SELECT count(*) FROM action WHERE approved IS NOT NULL')" 1
is "nor written down" "$(db 'SELECT count(*) FROM audit_entry')" "$entries"
run tpucost enforce approve 6
status "a dry run" 0
has "stays one" "$out" "but the mode is dry-run: nothing is done"

# ---- hold -----------------------------------------------------------------------------------------

run tpucost hold add big --until 3d
status "a hold that comes too late" 3
has "says so" "$err" "too late for action 4: the stop of lab-one/vm/us-central1-b/big is in progress (sent)"
is "but is there" "$(tpucost hold list --format json | jq -r '.[0].id')" lab-one/vm/us-central1-b/big
is "in the audit" "$(db "SELECT event FROM audit_entry ORDER BY seq DESC LIMIT 1")" hold-added
run tpucost enforce halt
has "halting says it too" "$err" "too late for action 4"
rm data/halt halt
run tpucost hold keep --until 1d --comment other
status "without add" 0
run tpucost hold add
status "add without id" 2
run tpucost hold add nowhere --until 1d
status "of nothing" 1
run tpucost hold add big
status "without --until" 2
run tpucost hold remove big --comment enough
status "removed" 0
has "in the audit" "$(last)" 'hold-removed {"comment":"enough","until":"2'
run tpucost hold remove big
status "not there any more" 1
run tpucost audit verify
status "all of that is in order" 0

# a decision and its entry are one: no entry, no decision
db "CREATE TRIGGER full BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'disk full'); END"
db "UPDATE action SET approved = NULL"
run tpucost enforce approve 1
status "no entry" 1
is "no approval" "$(db 'SELECT count(*) FROM action WHERE approved IS NOT NULL')" 0
run tpucost hold add big --until 1d
is "no hold" "$(db "SELECT count(*) FROM hold WHERE id LIKE '%big'")" 0
run tpucost hold remove keep
is "nor its removal" "$(db "SELECT count(*) FROM hold WHERE id LIKE '%keep'")" 1
run tpucost enforce halt
status "but a halt" 4
is "is one" "$(test -f data/halt && echo yes)" yes
run tpucost enforce resume
is "and no end of it" "$(test -f data/halt && echo yes)" yes

# ---- by whatever name it was said -----------------------------------------------------------------
# Every run here would stop "big", were it not halted.

# config FILE DATABASE
config() {
	cat >"$1" <<EOF2
timezone: UTC
projects: [lab-one]
database: $2
credentials: $work/service-account.json
rules:
  - name: big-cpu
    on: resources
    where: kind = 'vm' AND state = 'running' AND vcpus >= 64
    for: 0m
    summary: "{name} runs"
    then: {action: stop, grace: 0m, armed: true}
notify: [{name: log, file: {path: $work/told.jsonl}}]
enforcement: {mode: armed, projects: [lab-one]}
endpoints: {all: "$url"}
EOF2
}
# halted NAME CONFIG PLACE: a run by that configuration is held by the file there, and nothing else
halted() {
	is "$1: there is a file" "$(ls -d "$3" 2>/dev/null)" "$3"
	tpucost --config "$2" run --once -q >stdout 2>stderr
	is "$1: held" "$(tpucost --config "$2" sql "SELECT held FROM actions" --format csv | tr -d '\r' | tail -1)" halt
	has "$1: by what" "$(tpucost --config "$2" doctor 2>&1)" "$3 exists"
}
goes() { # NAME CONFIG: nothing halts
	run tpucost --config "$2" enforce
	case $out in *HALTED*) flunk "$1" ;; *) pass "$1" ;; esac
}
mkdir -p real named hop conf realconf other
ln -s ../hop/t.db named/t.db
ln -s ../real/t.db hop/t.db # dangling at first
ln -s real dir
ln -s ../realconf/c.yaml conf/c.yaml
config named.yaml named/t.db
config conf/real.yaml ../real/t.db
config other/dir.yaml "$work/dir/t.db"
config realconf/c.yaml t.db
tpucost --config named.yaml collect -q
is "through a link to nothing" "$(test -f real/t.db && echo yes)" yes

# made by hand beside the file, a link on the way and the name that is given
for at in real hop named; do
	touch $at/halt
	halted "beside a link: $at" named.yaml $at/halt
	run tpucost --config named.yaml enforce resume
	status "resume: $at" 0
	is "removed: $at" "$(ls $at/halt 2>/dev/null)" ""
done
mkdir real/halt
halted "a directory" named.yaml real/halt
run tpucost --config named.yaml enforce resume
status "cannot be removed" 1
rmdir real/halt

# said by one name, read by another
for by in named.yaml conf/real.yaml other/dir.yaml; do
	run tpucost --config $by enforce halt
	status "halt by $by" 0
	rm -f halt conf/halt other/halt # what is left is beside the real file
	for to in named.yaml conf/real.yaml; do halted "halt by $by, run by $to" $to real/halt; done
	halted "halt by $by, run by other/dir.yaml" other/dir.yaml dir/halt
	run tpucost --config $by enforce resume
	status "resume by $by" 0
	for to in named.yaml conf/real.yaml other/dir.yaml; do goes "resume by $by, run by $to" $to; done
done

# a configuration with two names has two databases, and is halted by both
for by in conf realconf; do
	run tpucost --config $by/c.yaml enforce halt
	status "halt by $by/c.yaml" 0
	rm -f conf/halt
	halted "halt by $by, run by conf" conf/c.yaml conf/../realconf/halt
	halted "halt by $by, run by realconf" realconf/c.yaml realconf/halt
	run tpucost --config $by/c.yaml enforce resume
	status "resume by $by/c.yaml" 0
	run tpucost --config realconf/c.yaml enforce resume
	goes "both go on after $by" conf/c.yaml
done
is "two databases" "$(ls conf/t.db realconf/t.db | wc -l)" 2

# what cannot be reached is not halted, whatever else was written, and a place that cannot be told halts
for no in loop/t.db loop; do
	ln -s loop loop
	config named.yaml $no
	run tpucost --config named.yaml enforce halt
	status "no way to $no" 1
	has "no way to $no: said" "$err" "NOT halted: write"
	has "no way to $no: what to do" "$err" "set mode: off"
	rm halt
	has "no way to $no: taken for halted" "$(tpucost --config named.yaml doctor 2>&1)" "loop/halt exists, or cannot be checked"
	run tpucost --config named.yaml enforce resume
	status "no way to $no: resume" 1
	rm loop
done
: >file
config named.yaml "$work/file/t.db"
run tpucost --config named.yaml enforce halt
status "no directory" 1
has "no directory: what it could do" "$err" "halt exists: it halts only processes that check it"
rm halt
config named.yaml named/t.db

# the locks lie beside the real file
run flock real/t.db.lock "$B/tpucost" --config named.yaml collect -q
status "one polls at a time" 1
has "it says so" "$err" "another tpucost is polling into"
run flock real/t.db.lock "$B/tpucost" --config named.yaml run --once
status "a second cycle does not fail" 0
has "but is noted" "$err" "; this cycle is left out"
run flock real/t.db.lock "$B/tpucost" --config named.yaml run --once -q
is "not to cron" "$rc $out$err" "0 "
run flock real/t.db.enforce "$B/tpucost" --config named.yaml run --once
has "one acts at a time" "$err" "another tpucost on this machine is acting"
run timeout 60 flock real/t.db.daemon "$B/tpucost" --config named.yaml run
has "one daemon" "$err" "another tpucost runs as a daemon"
is "none beside links" "$(find named hop -name '*.lock' -o -name '*.enforce' -o -name '*.daemon' -o -name '*-wal')" ""
run tpucost --config named.yaml backup real/t.db.enforce
status "a lock is no place for a backup" 1

is "nothing of all this asked Google to do anything" "$(grep -c '/stop\|:stop\|"DELETE"' requests)" 0
