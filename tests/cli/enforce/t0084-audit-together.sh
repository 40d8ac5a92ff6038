# Many who decide at once, beside one that writes: each waits for its turn, and the chain holds.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q

pids=
for i in 1 2 3 4 5 6 7 8; do
	tpucost hold add big --until "$(day 8)" --comment "$i" -q 2>>failed &
	pids="$pids $!"
	tpucost enforce halt --comment "$i" 2>>failed -q &
	pids="$pids $!"
done
tpucost run --once -q >run.out 2>&1
for pid in $pids; do
	wait "$pid" || echo "$pid failed" >>failed
done
is "nobody failed" "$(cat failed)" ""
is "every decision is there" "$(sqlite3 t.db "SELECT COUNT(*) FROM audit_entry WHERE event = 'hold-added'") $(sqlite3 t.db "SELECT COUNT(*) FROM audit_entry WHERE event = 'halted'")" "8 8"
run tpucost audit verify
status "in order" 0
is "the hold is the one that came last" "$(sqlite3 t.db "SELECT comment FROM hold")" \
	"$(sqlite3 t.db "SELECT json_extract(detail, '$.comment') FROM audit_entry WHERE event = 'hold-added' ORDER BY seq DESC LIMIT 1")"

# somebody holds the database for a while
rm halt
mkfifo hold
sqlite3 -cmd '.timeout 60000' t.db <hold >holder.out &
holder=$!
exec 8>hold
echo 'BEGIN IMMEDIATE; SELECT 1;' >&8
held() { ! sqlite3 t.db 'BEGIN IMMEDIATE' 2>/dev/null; }
wait_until test -s holder.out
tpucost enforce halt 8>&- &
halting=$!
wait_until test -f halt
is "halted before the database was free" "$(test -f halt && held && echo yes)" yes
echo 'COMMIT;' >&8
exec 8>&-
wait "$halting"
rc=$?
wait "$holder"
is "and recorded afterwards" "$rc $(sqlite3 t.db "SELECT COUNT(*) FROM audit_entry WHERE event = 'halted'")" "0 9"

# who is killed leaves both or neither
needs_kills
n=$(allocations "$B/tpucost-net" hold add big --until 3d -q)
for i in 1 2 3 4 5 6; do
	tpucost hold remove big -q 2>/dev/null
	before=$(sqlite3 t.db "SELECT COUNT(*) FROM audit_entry")
	die_at $((n * i / 7)) "$B/tpucost-net" hold add big --until 3d -q
	after=$(sqlite3 t.db "SELECT COUNT(*) FROM audit_entry")
	[ "$(sqlite3 t.db "SELECT COUNT(*) FROM hold WHERE id LIKE '%/big'")" = $((after - before)) ] || echo "$i" >>torn
done
is "nothing is half done" "$(cat torn 2>/dev/null)" ""
run tpucost audit verify
status "still in order" 0
