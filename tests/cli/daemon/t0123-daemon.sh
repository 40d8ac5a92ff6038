# The daemon: what it tells systemd, reading the configuration anew, ending, a second one, and what
# lasts is said when it begins and when it is over.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "poll: {instances: 10s}"

listen
start_daemon
wait_for "it is ready" notes READY=1
wait_for "a cycle is told of" notes "STATUS=3 TPUs, 21.32 USD/h net; next poll"
next=$(sed -n 's/.*next poll \([0-9]*\) s$/\1/p' notes | head -n 1)
is "the next one is when the first interval is over" "$((next >= 1 && next <= 10))" 1
is "ready comes before it polls" "$(head -n 1 notes)" READY=1
logged "it says what it watches" "tpucost[run]: info: running: $work/tpucost.yaml; 2 projects"
logged "alerts are in the log" "tpucost[run]: warn: ALERT critical tpu-not-covered: wrong (v3-8,"
is "nothing goes to standard output" "$(cat daemon.out)" ""
run tpucost ps --format json
status "queries work beside it" 0
is "and see what it polled" "$(echo "$out" | jq length)" 9

# ---- another one
run tpucost run
status "a second daemon is refused" 1
has "with who is there" "$err" "another tpucost runs as a daemon on $work/t.db: process $daemon_pid; stop"
run tpucost run --once -q
status "cron's run beside it is fine" 0

# ---- reading the configuration anew
: >notes
cp tpucost.yaml good.yaml
echo "nope: 1" >>tpucost.yaml
kill -HUP "$daemon_pid"
wait_for "a wrong configuration is refused" daemon.err \
	"tpucost[run]: error: not reloaded, the old configuration stays in use: $work/tpucost.yaml:15:1: configuration: unknown key 'nope'"
wait_for "it goes on" notes READY=1
is "systemd hears that it reloads, with the time" \
	"$(head -n 2 notes | sed 's/[0-9][0-9][0-9]*/N/')" "RELOADING=1
MONOTONIC_USEC=N"
: >notes
sed 's/t\.db/other.db/; s/projects: .*/projects: [lab-one]/' good.yaml >tpucost.yaml
kill -HUP "$daemon_pid"
wait_for "a right one is taken" daemon.err "tpucost[run]: info: reloaded: $work/tpucost.yaml; 1 project,"
logged "but for the database" "tpucost[run]: warn: database: $work/other.db takes effect after a restart; until then $work/t.db is used"
wait_for "and another cycle follows" notes "STATUS="
is "no other database was made" "$(ls other.db 2>&1 | grep -c 'No such')" 1

# ---- ending
: >notes
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "SIGTERM ends it well" "$?" 0
wait_for "and systemd hears of it" notes STOPPING=1
is "the log ends with it" "$(tail -n 1 daemon.err | cut -d ' ' -f 2-)" "tpucost[run]: info: ended"
cp good.yaml tpucost.yaml

# ---- a cycle that does not end by itself
fault '[{match: "GET /", delay_ms: 300000}]'
later_polls
start_daemon
wait_for "it began to poll" daemon.err "tpucost[run]: info: running"
wait_until grep -q '^held GET' sandbox.out
n=$(wc -l <requests)
kill -INT "$daemon_pid"
wait "$daemon_pid"
is "SIGINT in the middle ends it well" "$?" 0
is "without the answer" "$(tail -n +$((n + 1)) requests | grep -c '"method":"GET"')" 0
fault ''
run tpucost collect -q
status "and nothing is broken" 0
is "the database is whole" "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
kill -KILL "$sandbox_pid" # it would answer first
