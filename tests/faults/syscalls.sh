# acts
# The Nth call of the kernel fails, or is the last one: each write, sync, truncation, renaming and
# connection of a poll, an import, messages, reports, actions, backups and migrations. Whatever it was, nothing
# is half, the next run does it, and what there is then is what an undisturbed run leaves; a change is
# asked of the cloud under one request id.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
. "$ROOT/tests/faults/lib-sweep.sh"
if ! strace -f -o /dev/null true 2>/dev/null; then
	pass "skipped: strace is not installed, or may not trace"
	exit 0
fi
TEST_DISK=real # its calls are among those that fail
export TEST_DISK
start_world
# traced OPTIONS: the act, under strace
traced() {
	# shellcheck disable=SC2046,SC2086 # words
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq --seccomp-bpf "$@" "$B/tpucost" $(words $act) >stdout 2>stderr
	rc=$?
}
# sweep CALL FAULT NAME: act, with that fault at the places of that call
sweep() {
	call=$1 fault=$2
	prepare $act
	traced -o calls -e trace="$call"
	n=$(grep -c "$call(" calls)
	tried=0
	bad=
	for k in $(places "$n"); do
		prepare $act
		traced -o /dev/null -e trace="$call" -e inject="$call:$fault:when=$k"
		said=$(ended "$rc" "$(echo "$fault" | grep KILL)")
		tried=$((tried + 1))
		said=$said$(whole_again $act)
		[ -z "$said" ] || [ -n "$bad" ] || bad="at $k of $n: $said"
	done
	[ "$tried" -gt 0 ] || return
	is "$act, $call, $3" "$bad" ""
	done_all=$((done_all + tried))
}
done_all=0
for act in ${ACTS:-$acts}; do
	undisturbed $act
	for call in pwrite64 fdatasync fsync ftruncate rename write connect; do
		case $call in
		connect) sweep connect error=ECONNREFUSED refused ;;
		write | rename) sweep $call error=ENOSPC "no room" ;;
		*)
			sweep $call error=EIO broken
			sweep $call error=ENOSPC "no room"
			;;
		esac
		sweep $call signal=KILL killed
	done
done
is "there were places" "$((done_all > 5))" 1
pass "$done_all faults"
