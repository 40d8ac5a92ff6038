# Sourced by tests of the daemon: starting it, and what it tells systemd.
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
daemon_pid= listen_pid=
finish_daemon() {
	for p in $daemon_pid $listen_pid; do
		kill -KILL "$p" 2>/dev/null
		wait "$p" 2>/dev/null
	done
	finish
}
trap finish_daemon EXIT

# listen: what is told to systemd goes, a line each, to the file "notes"
listen() {
	: >notes
	NOTIFY_SOCKET=$work/notify
	export NOTIFY_SOCKET
	python3 -B - <<-'END' &
		import os, socket
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(os.environ["NOTIFY_SOCKET"])
		while True:
		    text = s.recv(65536).decode().rstrip("\n")
		    with open("notes", "a") as f:
		        f.write(text + "\n")
	END
	listen_pid=$!
	wait_until test -S notify
}
# start_daemon [COMMAND...]: its log is in daemon.err; through COMMAND where one is given
start_daemon() {
	: >daemon.err # else a line of the one before would be taken for one of this
	"$@" "$B/tpucost" run -v >daemon.out 2>daemon.err &
	daemon_pid=$!
}
# wait_for NAME FILE TEXT: until it stands there
wait_for() {
	if wait_until grep -qsF -- "$3" "$2"; then
		pass "$1"
	else
		cp daemon.err stderr
		flunk "$1" "no \"$3\" in $2: $(tail -n 5 "$2")"
	fi
}
# more_than N TEXT [FILE]: do so many lines of the log, or more, have it?
more_than() { [ "$(grep -cF -- "$2" "${3:-daemon.err}")" -gt "$1" ]; }
# child: prints the process of a cycle, once there is one; childless: is there none?
child() { wait_until pgrep -P "$daemon_pid"; }
childless() { ! pgrep -P "$daemon_pid" >children; }
# stop_child: a cycle that stands still; one may end just before it is stopped
stop_child() { wait_until child_stands; }
child_stands() {
	pid=$(pgrep -P "$daemon_pid") && kill -STOP "$pid" 2>/dev/null && grep -qs '^State:.T' "/proc/$pid/status"
}
# logged NAME TEXT
logged() {
	has "$1" "$(cat daemon.err)" "$2"
}
# fault YAML: other faults
fault() {
	curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null
}
# later_polls: everything is due again
later_polls() {
	sqlite3 -cmd '.timeout 5000' t.db 'UPDATE source_status SET last_attempt = last_attempt - 100000, failures = 0'
}
