# acts
# kill -9 at places all over a run, a thousand times (KILLS): of polls, imports, messages and actions. What was
# said to be stored is there, nothing is there twice, each message went out and says when it is a repeat,
# and a machine is asked to stop once in an episode.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
. "$ROOT/tests/faults/lib-sweep.sh"
KILLS=${KILLS:-${QUICK:+12}}
KILLS=${KILLS:-1000}
start_world
needs_kills
# killed COMMAND...: at a place of its run, another one each time; sets $rc
killed() {
	step=$(((step + 61) % 100)) # a prime that does not divide 100: each hundredth has its turn
	die_at $((1 + places * step / 100)) "$B/tpucost" "$@"
	rc=$?
	[ $rc != 137 ] || kills=$((kills + 1))
}
step=0
# more N: are there fewer kills than that, and tries left?
more() {
	runs=$((runs + 1))
	[ "$kills" -lt "$1" ] && [ "$runs" -lt $(($1 * 4)) ]
}
total=0

# ---- imports, one file after the other: of each all or nothing, and all of what was said to be stored
kills=0 runs=0 file=0 stored=0 bad=
prepare import
rows 2026-03 1500 1500 >part.json
places=$(allocations "$B/tpucost" import -q part.json)
prepare import
mkdir parts
month() { printf '%d-%02d' $((2012 + $1 / 12)) $((1 + $1 % 12)); }
while more $((KILLS * 7 / 20)); do
	[ -f parts/$file.json ] || rows "$(month $file)" 1500 1500 >parts/$file.json
	killed import -q parts/$file.json
	got=$(files t.db)
	# shellcheck disable=SC2046 # numbers
	with=$(nanos 100 $(yes 1500 | head -n $((stored + 1))))
	# shellcheck disable=SC2046 # numbers
	without=$(nanos 100 $(yes 1500 | head -n $stored))
	case "$rc $got" in
	"0 $with" | "137 $with")
		stored=$((stored + 1)) file=$((file + 1))
		;;
	"137 $without") ;;
	*) [ -n "$bad" ] || bad="run $runs, status $rc: $got, want $without or $with" ;;
	esac
	if [ $file -ge 90 ]; then
		prepare import
		file=0 stored=0
	fi
done
is "imports: all or nothing, and nothing twice" "$bad" ""
run tpucost db check
status "imports: the database is whole" 0
is "imports: so many were killed" "$kills" $((KILLS * 7 / 20))
total=$((total + kills))

# ---- polls: no list and no day is half, and the last poll finds what an undisturbed one finds
undisturbed collect
prepare collect
places=$(allocations "$B/tpucost" collect -q)
kills=0 runs=0 bad=
halves="SELECT (SELECT COUNT(*) FROM source_status s WHERE source IN ('vm', 'disk', 'ip', 'tpu')
		AND items <> (SELECT COUNT(*) FROM resource r WHERE r.kind = s.source AND r.project = s.project)),
	(SELECT COUNT(*) FROM billing_unit_sum s WHERE cost <> (SELECT COALESCE(SUM(u.cost), 0)
		FROM usage u JOIN charge c USING (charge_ref)
		WHERE u.table_id = s.table_id AND u.unit = s.unit AND c.currency = s.currency))"
while more $((KILLS * 7 / 20)); do
	[ $((runs % 3)) != 0 ] || prepare collect
	killed collect -q
	got=$(ask t.db "$halves")
	[ "$got" = "0|0" ] || [ -n "$bad" ] || bad="run $runs, status $rc: $got"
	[ $((runs % 3)) != 2 ] || [ -n "$bad" ] || bad=$(whole_again collect)
done
is "polls: no list and no day is half, and the next one is as if nothing had been" "$bad" ""
is "polls: so many were killed" "$kills" $((KILLS * 7 / 20))
total=$((total + kills))

# ---- messages
undisturbed notify
prepare notify
places=$(allocations "$B/tpucost" run --once -q)
kills=0 runs=0 bad=
while more $((KILLS * 4 / 20)); do
	[ $((runs % 3)) != 0 ] || prepare notify
	killed run --once -q
	if [ $((runs % 3)) = 2 ]; then
		got=$(whole_again notify)
		[ -z "$got" ] || [ -n "$bad" ] || bad="run $runs: $got"
	fi
	db "UPDATE notification SET next_at = next_at - 4000, lease = lease - 4000"
done
is "messages: none is lost, and repeats say so" "$bad" ""
is "messages: so many were killed" "$kills" $((KILLS * 4 / 20))
total=$((total + kills))

# ---- actions
undisturbed enforce
prepare enforce
places=$(allocations "$B/tpucost" run --once -q)
kills=0 runs=0 bad= twice=
while more $((KILLS - total)); do
	[ $((runs % 3)) != 0 ] || prepare enforce
	killed run --once -q
	if [ $((runs % 3)) = 2 ]; then
		got=$(whole_again enforce)
		[ -z "$got" ] || [ -n "$bad" ] || bad="run $runs: $got"
		got=$(asked)
		[ "${got#* }" -le 1 ] || twice="run $runs: $got"
	fi
done
is "actions: done in the end, and on record" "$bad" ""
is "actions: one request id, however often it was killed" "$twice" ""
is "actions: so many were killed" "$kills" $((KILLS - total))
total=$((total + kills))
is "kills" "$total" "$KILLS"
