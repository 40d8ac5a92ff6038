# The daemon when clocks jump, and when a cycle hangs for half an hour.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
# shift_clock SECONDS: so far off is its clock from now on
shift_clock() {
	set_clock $(($(date +%s) + $1))
	kill -HUP "$daemon_pid"
}
start_daemon
wait_for "with clocks of its own" daemon.err "tpucost[run]: debug: cycle of"
shift_clock 7200
wait_for "a jump ahead, or sleep, is noticed" daemon.err "tpucost[run]: info: 2h passed without this process"
shift_clock -3600
wait_for "and one back" daemon.err "tpucost[run]: warn: the clock was set back by "
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "that one ends well too" "$?" 0

# ---- a cycle that hangs, for half an hour of its clocks
fault '[{match: "GET /", delay_ms: 3000}]'
later_polls
ln -s 0 monotonic
start_daemon env TEST_MONOTONIC="$work/monotonic"
wait_for "another one" daemon.err "tpucost[run]: info: running"
stop_child
ln -sfT 1860 monotonic.new && mv -T monotonic.new monotonic
shift_clock 1860
wait_for "what hangs is ended" daemon.err "tpucost[run]: error: a cycle reported no progress for 30 minutes and was killed"
fault ''
wait_for "and the next one is fine" daemon.err "tpucost[run]: debug: cycle of"
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "and so is the end" "$?" 0
