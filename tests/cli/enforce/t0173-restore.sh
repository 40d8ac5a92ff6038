# acts
# A restored or copied database does not act on what was so when it was copied: everything starts over
# from its warning, after `enforce resume`. The oracle is the fake cloud's log of what it was asked.
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
# config MODE [DIRECTORY]: of a database there
config() {
	cat >tpucost.yaml <<EOF2
timezone: UTC
projects: [lab-one]
credentials: service-account.json
database: ${2:-data}/t.db
rules:
  - name: all
    on: resources
    where: kind IN ('vm', 'tpu') AND state = 'running'
    for: 0m
    then: {action: stop, grace: 1h, armed: true}
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: $1, projects: [lab-one], max_share: 100%}
endpoints: {all: "$url"}
EOF2
}
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
mkdir data
config armed
note=$work/data/t.db.generation
db() { sqlite3 -cmd '.timeout 5000' data/t.db "$1"; }
stops() { grep '"mutating":true' requests | grep -c '"path":"[^"]*stop"'; }
state_of() { db "SELECT state || ' ' || held FROM action WHERE name = '$1' ORDER BY action DESC LIMIT 1"; }
warned() { jq -r '.report.actions[]? | .event + " " + .name' told.jsonl | grep -c "^warning $1"; }
entries() { db "SELECT count(*) FROM audit_entry WHERE event = '$1'"; }
# The grace of what was warned of is over.
grace_over() {
	db "UPDATE action SET warned = warned - 3600, due = due - 3600 WHERE state = 'grace'"
}
# A run polls by the minute; this one has just been.
cycle() {
	: >polled
	[ ! -f data/t.db ] || tpucost collect instances -q >/dev/null 2>polled
	run tpucost run --once
	err=$(cat polled)$err
}
# again MODE: everything from the beginning
again() {
	rm -rf data told.jsonl
	mkdir data
	: >requests
	curl -sS -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
	config "$1"
}
# start PATH: its owner does
start() {
	curl -sS -X POST -H "Authorization: Bearer $(curl -sS -H 'Metadata-Flavor: Google' \
		"$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)" \
		"$url/$1" >/dev/null
	curl -sS -X POST -d '{"advance": 61}' "$url/_sandbox/clock" >/dev/null # then it is done
}
# As docs/operate.md says
restore() {
	tpucost enforce halt -q
	rm -f data/t.db data/t.db-wal data/t.db-shm
	install -m 600 safe.db data/t.db
}
# not_armed NAME: that it is not, and where it is said
not_armed() {
	is "$1: nothing is stopped" "$(stops)" "$before"
	has "$1: the run says why" "$err" "NOT ARMED: actions are blocked for this database: $2"
	has "$1: and what to do" "$err" "tpucost enforce resume"
	is "$1: what was warned of is void" "$(db "SELECT count(*) FROM action WHERE ended IS NULL")" 0
	has "$1: enforce" "$(tpucost enforce 2>/dev/null | tr -s '\n ' ' ')" "NOT ARMED: actions are blocked for this database: "
	is "$1: for programs" "$(tpucost enforce --format json 2>/dev/null | jq -r '[.[].blocked_by] | unique | .[]')" restored
	has "$1: status" "$(tpucost status | tr -s '\n ' ' ')" "No resource is stopped, because "
	is "$1: and the command" "$(tpucost status --format json | jq -r '.enforcement[0].restored | length > 10')" true
	has "$1: doctor" "$(tpucost doctor --format json | jq -r '.[] | select(.status == "warn") | .detail + " | " + .fix')" \
		"not armed: actions are blocked for this database: "
	is "$1: an entry" "$(entries restored)" 1
	cycle
	status "$1: the next run" 0
	is "$1: has nothing new to say" "$(printf '%s' "$err" | grep -c 'NOT ARMED')" 0
	is "$1: and does nothing" "$(stops) $(entries restored)" "$before 1"
}
# goes_on NAME: after resume there are new warnings, a whole grace, and then a stop
goes_on() {
	said=$(warned big)
	run tpucost enforce resume
	status "$1: resume" 0
	has "$1: is said" "$err" "all actions start over from their warning; the database did not act: "
	is "$1: is recorded" "$(db "SELECT json_extract(detail, '\$.restored') IS NOT NULL FROM audit_entry WHERE event = 'resumed' ORDER BY seq DESC LIMIT 1")" 1
	cycle
	is "$1: it is warned of" "$(state_of big) $(($(warned big) - said))" "grace  1"
	is "$1: and nothing stopped" "$(stops)" "$before"
	has "$1: with a whole grace" "$(db "SELECT due - warned FROM action WHERE name = 'big' AND state = 'grace'")" 3600
	cycle
	is "$1: within it nothing is stopped" "$(stops)" "$before"
	grace_over
	cycle
	is "$1: then it is stopped" "$(state_of big)" "done "
	run tpucost audit verify
	status "$1: the record is whole" 0
}

# ---- dry runs and commands that read leave no file
config dry-run
cycle
tpucost hold add big --until 1d -q
tpucost hold remove big -q
tpucost enforce halt -q
tpucost enforce resume -q
tpucost enforce >/dev/null
tpucost status >/dev/null
is "a dry run notes nothing" "$(ls "$note" 2>/dev/null)" ""
config armed
tpucost enforce >/dev/null
tpucost status >/dev/null
tpucost doctor >/dev/null
is "nor does who only looks" "$(ls "$note" 2>/dev/null)" ""
cycle
status "an older database is taken as it is" 0
is "nobody is told of that" "$(printf '%s' "$err" | grep -c ARMED)" 0
is "armed, it is noted" "$(jq -c '[.generation, .entry]' "$note")" "[1,$(db 'SELECT max(seq) FROM audit_entry')]"
is "with the hash" "$(jq -r .hash "$note")" "$(db 'SELECT hash FROM audit_entry ORDER BY seq DESC LIMIT 1')"
is "for who may read the database" "$(stat -c '%a %u' "$note")" "$(stat -c '%a %u' data/t.db)"
is "the machine's id is not in it" "$(grep -c "$(cat /etc/machine-id 2>/dev/null || echo none)" "$note")" 0

# ---- a backup that knows of no hold
again armed
cycle
is "warned" "$(state_of big)" "grace "
tpucost backup safe.db >/dev/null
tpucost hold add big --until 2d -q
is "the hold is noted" "$(jq .entry "$note")" "$(db 'SELECT max(seq) FROM audit_entry')"
grace=$(stops)
restore
grace_over
before=0
tpucost enforce >/dev/null
has "who looks before the first run sees it" "$(tpucost enforce | tr -s '\n ' ' ')" "blocked for this database: it is a backup of 20"
find . -name halt -delete # by hand, as nobody should
cycle
status "the first run" 0
not_armed "a lost hold" "it is a backup of 20"
has "who was warned hears that it does not happen" "$(jq -r '.report.actions[]? | select(.event == "cancelled") | .name' told.jsonl)" big
goes_on "a lost hold"

# ---- stopped, started again by its owner, and an older database
again armed
cycle
rm -f safe.db
tpucost backup safe.db >/dev/null
sqlite3 safe.db "DELETE FROM meta WHERE key = 'backup'" # as a copy by other means
grace_over
cycle
is "both are stopped" "$(stops) $(state_of big) $(state_of leak)" "2 done  done "
before=2
start compute/v1/projects/lab-one/zones/us-central1-b/instances/big/start
start v2/projects/lab-one/locations/us-central1-a/nodes/leak:start
cat safe.db >data/t.db # in place: the same file
rm -f data/t.db-wal data/t.db-shm
grace_over
cycle
not_armed "an older one" "it is older than $note or a different database: it does not have entry"
goes_on "an older one"
cp data/t.db newer.db

# ---- copied: the directory, to another place
again armed
cycle
tpucost hold remove big -q 2>/dev/null
before=0
cp -r data other
mv data kept
mv other data
grace_over
cycle
not_armed "a copy" "it is a copy: $note was written for another file"
goes_on "a copy"
# ... to another machine
again armed
cycle
jq -c '.host = "another"' "$note" >x && cat x >"$note"
grace_over
cycle
not_armed "another machine" "it is a copy: $note was written on another machine"
goes_on "another machine"
# ... the database alone
again armed
cycle
rm "$note"
grace_over
cycle
not_armed "no file" "$note is missing: it may be a copy"
goes_on "no file"
# a fresh one in its place
again armed
cycle
rm -f data/t.db data/t.db-*
cycle
has "a new database beside an old file" "$err" "NOT ARMED: actions are blocked for this database: "

# ---- moved, made smaller, restarted: that is none
again armed
cycle
mv data moved
config armed moved
mkdir data
tpucost db compact >/dev/null
mv moved/* data/
config armed
grace_over
cycle
is "moved and compacted, it acts" "$(stops) $(state_of big) $(entries restored)" "2 done  0"

# ---- what is no such file
damage() { # NAME WHY COMMAND...
	again armed
	cycle
	grace_over
	name=$1 why=$2
	shift 2
	"$@"
	before=0
	cycle
	not_armed "$name" "$why"
}
garbage() { echo '{"generation":1,"entry":' >"$note"; }
part() { echo '{"generation":1,"entry":3}' >"$note"; }
version() { echo '{"generation":2,"entry":3}' >"$note"; }
empty() { : >"$note"; }
long() { head -c 5000 /dev/zero >"$note"; }
directory() { rm "$note" && mkdir "$note"; }
damage garbage "$note is damaged: JSON" garbage
goes_on garbage
damage "half of it" "$note is damaged: a part of it is missing" part
damage "a newer one" "$note is damaged: another version" version
damage "an empty one" "$note is damaged: " empty
damage "a long one" "its last action cannot be read: " long
damage "one that cannot be read" "its last action cannot be read: " directory
run tpucost enforce resume
status "nor written" 1
has "why" "$err" "nothing is stopped or deleted: write $note: it exists, but is not a regular file; make $note writable"
cycle
is "it is still not armed" "$(stops)" 0
rmdir "$note"
goes_on "after that"

# ---- moments of a crash, and a file that cannot be written
case $B in
*asan*)
	pass "skipped: the sanitizer has the allocations to itself"
	exit 0
	;;
esac
killed() { # COMMAND...: where it notes what is committed
	LD_PRELOAD=$LD_PRELOAD:$work/.test/preload.so KILL_RENAME=.generation tpucost "$@" >/dev/null 2>&1
	is "killed: $*" "$?" 137
}
again armed
cycle
killed hold add big --until 1d
is "the hold is there" "$(db 'SELECT count(*) FROM hold')" 1
is "it is not noted" "$(($(db 'SELECT max(seq) FROM audit_entry') - $(jq .entry "$note")))" 1
grace_over
cycle
is "the next run goes on, and keeps to it" "$(stops) $(state_of big) $(state_of leak) $(entries restored)" "1 cleared  done  0"
is "and notes it" "$(($(db 'SELECT max(seq) FROM audit_entry') - $(jq .entry "$note")))" 0
again armed
killed run --once
is "killed as the first file was written" "$(ls "$note" 2>/dev/null)" ""
cycle
is "the next run writes it" "$(test -f "$note" && entries restored)" 0
grace_over
killed run --once
is "nothing was sent before it was noted" "$(stops)" 0
cycle
cycle
is "nor is it disarmed" "$(entries restored)" 0
is "each is stopped once" "$(stops) $(db "SELECT count(*) FROM action WHERE state = 'done'")" "2 2"
again armed
cycle
rm "$note"
cycle
killed enforce resume
cycle
is "killed in resume, everything starts over" "$(stops) $(state_of big)" "0 grace "
run tpucost enforce resume
status "and may be resumed again" 0
cycle
is "which changes nothing" "$(stops) $(state_of big)" "0 grace "

# ---- an older database comes into the file of the newer one: what was held meanwhile is not forgotten
refused_after() { # NAME
	rm -f data/t.db-wal data/t.db-shm
	config armed
	grace_over
	cycle
	is "$1: nothing is stopped" "$(stops) $(entries restored)" "0 1"
}
both() { # WORD...: for both machines
	tpucost "$@" hold add big --until 2d -q && tpucost "$@" hold add leak --until 2d -q
}
again armed
cycle
cp -a data bak
both
cycle
cp -a bak/. data/
refused_after "with the file beside it, copied back in place"
again armed
cycle
cp data/t.db old.db
config dry-run
both
cat old.db >data/t.db
refused_after "held while it was a dry run"
again armed
cycle
cp data/t.db old.db
sed '/^enforcement/d' tpucost.yaml >mine.yaml
both --config mine.yaml
cat old.db >data/t.db
refused_after "held by a configuration that does not enforce"
again armed
cycle
mv data/t.db aside.db
cp aside.db data/t.db
cycle
both
rm -f data/t.db data/t.db-wal data/t.db-shm
mv aside.db data/t.db
refused_after "held in a copy, and people heard that all is cancelled"
again armed
cycle
jq -c '.host = ""' "$note" >note.new && cat note.new >"$note"
cycle
is "written where there was no machine-id: not another machine" "$(entries restored)" 0

again armed
cycle
grace_over
db "UPDATE alert SET last_true = last_true"
run env LD_PRELOAD="$LD_PRELOAD:$work/.test/preload.so" FAIL_RENAME=.generation "$B/tpucost" run --once
status "it cannot be noted" 1
has "why" "$err" "generation: nothing is stopped or deleted: rename to $note: Permission denied; make $note writable for the user that runs tpucost"
is "nothing is sent" "$(stops)" 0
is "and nothing is said to be under way" "$(db "SELECT count(*) FROM action WHERE state IN ('intent', 'sent', 'unknown')")" 0
cycle
status "when it can be again" 0
is "it goes on where it was" "$(stops) $(entries restored)" "2 0"
