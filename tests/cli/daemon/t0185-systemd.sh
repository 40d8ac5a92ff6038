# What the daemon sends to systemd when the socket has an abstract name, and when the watchdog is that of
# another process.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "poll: {instances: 10s}"
NOTIFY_SOCKET=@tpucost-test-$$
WATCHDOG_USEC=300000
WATCHDOG_PID=1
export NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID
python3 -B - <<'END2' &
import os, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0" + os.environ["NOTIFY_SOCKET"][1:])
open("bound", "w")
while True:
    text = s.recv(65536).decode()
    with open("notes", "a") as f:
        f.write(text + "\n")
END2
listen_pid=$!
wait_until test -e bound
start_daemon
wait_for "an abstract name" notes "STATUS=3 TPUs, 21.32 USD/h net; next poll"
kill -TERM "$daemon_pid"
wait "$daemon_pid"
wait_for "until the end" notes STOPPING=1
is "the watchdog of another process is not fed" "$(grep -c WATCHDOG=1 notes)" 0

# without a socket, or with one that cannot be: no effect
for name in "" tpucost /nowhere/notify "$(printf '/%0200d' 0)"; do
	NOTIFY_SOCKET=$name
	start_daemon
	wait_for "'$(echo "$name" | cut -c1-20)': it runs" daemon.err "tpucost[run]: debug: cycle of"
	kill -TERM "$daemon_pid"
	wait "$daemon_pid"
	is "and ends well" "$?" 0
	rm daemon.err
done
