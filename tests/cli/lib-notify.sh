# Sourced by tests of what is told: somebody who takes webhooks, and what came there.
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
hook_pid=
finish_all() {
	[ -z "$hook_pid" ] || kill "$hook_pid" 2>/dev/null
	[ -z "$hook_pid" ] || wait "$hook_pid" 2>/dev/null
	finish
}
trap finish_all EXIT

# start_hooks: sets $hook, the URL; what comes is in the file "hooks"
start_hooks() {
	: >hooks
	python3 -B "$ROOT/tests/support/fault/hook_server.py" 2>hooks.err &
	hook_pid=$!
	wait_until test -s hook_port || { cat hooks.err && exit 1; }
	hook=http://127.0.0.1:$(cat hook_port)
}
# answer NAME JSON: what /NAME answers from now on; without JSON: 200 and "ok"
answer() {
	rm -f "answer-$1"
	[ -z "${2:-}" ] || printf '%s' "$2" >"answer-$1"
}
# came NAME [JQ]: how many requests came there, or what JQ makes of them
came() {
	jq -rs --arg n "$1" "[.[] | select(.name == \$n)] | ${2:-length}" hooks
}
# db SQL: of the tables too
db() {
	sqlite3 -cmd '.timeout 5000' -cmd 'PRAGMA synchronous = OFF' t.db "$1"
}
# later SECONDS [SQL]: all that is kept about messages happened so much earlier; and then SQL
later() {
	db "UPDATE notification SET created = created - $1, next_at = next_at - $1, lease = lease - $1,
			finished = finished - $1;
		UPDATE outbox SET at = at - $1, since = since - $1;
		UPDATE channel_state SET next_at = next_at - $1, off_since = off_since - $1;
		${2:-}"
}
