# The daemon when clocks jump, and when a cycle hangs for half an hour.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
child() {
	i=0
	while ! pgrep -P "$daemon_pid" && [ $i -lt 50 ]; do
		i=$((i + 1))
		sleep 0.1
	done
}
preload=$(faketime -f +0 env 2>/dev/null | sed -n 's/^LD_PRELOAD=//p')
if [ -z "$preload" ]; then
	pass "skipped: faketime is not installed"
	exit 0
fi
# shift TEXT: so far off are its clocks from now on
shift_clock() {
	echo "$1" >offset.new
	mv offset.new offset
	kill -HUP "$daemon_pid"
}
echo +0 >offset
start_daemon env LD_PRELOAD="$preload" FAKETIME_TIMESTAMP_FILE="$work/offset" FAKETIME_NO_CACHE=1 \
	FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_RESET=1
wait_for "with clocks of its own" daemon.err "debug run cycle of"
shift_clock +2h
wait_for "a jump ahead, or sleep, is noticed" daemon.err "info run 2h 0m have passed without this process"
shift_clock +1h
wait_for "and one back" daemon.err "warn run the clock was set back by "
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "that one ends well too" "$?" 0

# ---- a cycle that hangs, for half an hour of its clocks
echo +0 >offset
fault '[{match: "GET /", delay_ms: 1500}]'
later_polls
start_daemon env LD_PRELOAD="$preload" FAKETIME_TIMESTAMP_FILE="$work/offset" FAKETIME_NO_CACHE=1 \
	FAKETIME_DONT_RESET=1
wait_for "another one" daemon.err "info run running"
kill -STOP "$(child)"
shift_clock +31m
wait_for "what hangs is ended" daemon.err "error run a cycle gave no sign of life for half an hour, and was ended"
fault ''
wait_for "and the next one is fine" daemon.err "debug run cycle of"
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is "and so is the end" "$?" 0
