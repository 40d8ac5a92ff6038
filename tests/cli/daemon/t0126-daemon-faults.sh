# The daemon when things go wrong: Google is away, a channel is dead, a cycle crashes; and it does not
# grow.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
world=$ROOT/tests/sandbox/worlds/small.yaml
start_sandbox "$world"
write_config
WATCHDOG_USEC=900000
ASAN_OPTIONS=quarantine_size_mb=1 # what is freed is free again
export WATCHDOG_USEC ASAN_OPTIONS
listen
start_daemon
unset WATCHDOG_USEC
wait_for "it runs" notes STATUS=
lines() {
	grep -cF -- "$1" daemon.err
}
# another: one more cycle, and waits until it is over
another() {
	n=$(lines "tpucost[run]: debug: cycle of")
	kill -HUP "$daemon_pid"
	wait_until more_than "$n" "tpucost[run]: debug: cycle of"
}

# again: the same, with everything due
again() {
	later_polls
	another
}

# ---- Google is away, and comes back
kill "$sandbox_pid"
wait "$sandbox_pid" 2>/dev/null
again
another
another
is "that Google does not answer is said once" "$(lines "connection refused")" 1
kill -0 "$daemon_pid"
is "and does not end it" "$?" 0
start_sandbox "$world" --port "$port"
again
is "that it is over too" "$(lines "resolved: ")" 1
has "namely that" "$(grep "resolved: " daemon.err)" "connection refused"
again
is "and then it is quiet" "$(lines "resolved: ") $(lines "connection refused")" "1 2"

# ---- a channel that is dead
cp tpucost.yaml good.yaml
echo 'notify: [{name: hook, webhook: {url: "http://127.0.0.1:1/x"}}]' >>tpucost.yaml
again
again
again
is "a channel that does not deliver is said once" "$(lines "tpucost[run]: warn: channel hook does not deliver: ")" 1
cp good.yaml tpucost.yaml

# ---- a cycle that is killed, or crashes
fault '[{match: "GET /", delay_ms: 3000}]'
later_polls
kill -HUP "$daemon_pid"
stop_child
kill -KILL "$pid"
wait_for "a crash is said" daemon.err "tpucost[run]: warn: a cycle was killed by signal 9"
fault ''
again
again
has "and is over with the next one" "$(grep "resolved: " daemon.err)" "resolved: a cycle was killed by signal"

# ---- it does not grow
size() {
	awk '/^VmRSS/ { print $2 }' "/proc/$daemon_pid/status"
}
rounds() {
	r=0
	while [ $r -lt "$1" ]; do
		r=$((r + 1))
		n=$(lines "tpucost[run]: info: reloaded")
		kill -HUP "$daemon_pid"
		wait_until more_than "$n" "tpucost[run]: info: reloaded"
	done
}
rounds 5
before=$(size)
files=$(ls "/proc/$daemon_pid/fd" | wc -l)
rounds 40
after=$(size)
is "40 cycles and reloads later it is as large ($before KiB, $after KiB)" "$((after <= before + 2048))" 1
is "and has as many files open, but for a cycle's" \
	"$(($(ls "/proc/$daemon_pid/fd" | wc -l) <= files + 1))" 1
is "the watchdog was fed" "$(($(grep -c WATCHDOG=1 notes) >= 3))" 1
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "it ends well" "$?" 0

# ---- a cycle that is ended before its messages are sent: the log has the alerts that the database has
mkdir early
sed "s,^database: .*,database: early/t.db," good.yaml >tpucost.yaml
"$B/sandbox" --port 0 --port-file hook.port --log hook.requests "$world" >hook.out 2>&1 & # not one of the cloud's
hooks=$!
wait_until test -s hook.port
cloud=$url
url=http://127.0.0.1:$(cat hook.port)
fault '[{match: "POST /hook", delay_ms: 3000}]'
echo "notify: [{name: hook, webhook: {url: \"$url/hook\"}}]" >>tpucost.yaml
url=$cloud
start_daemon
wait_until grep -q 'held POST /hook' hook.out
kill -KILL "$(child)"
wait_for "a cycle is killed while it sends" daemon.err "debug: cycle of"
is "its alerts are in the log" "$(lines "warn: ALERT ")" "$(sqlite3 early/t.db "SELECT COUNT(*) FROM alert WHERE state = 'firing'")"
is "all of them" "$(lines "warn: ALERT critical tpu-not-covered")" 2
kill -TERM "$daemon_pid"
wait "$daemon_pid"
kill $hooks
wait $hooks
