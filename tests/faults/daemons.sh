# acts
# Two daemons on one database, two on two databases of the same projects, and one beside polls, imports,
# queries and backups for a while (SECONDS_LONG): one is refused, a machine is asked to stop under one request
# id, and nobody who only reads sees an error or half a figure.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
. "$ROOT/tests/cli/lib-rows.sh"
. "$ROOT/tests/faults/lib-sweep.sh"
long=${SECONDS_LONG:-${QUICK:+3}}
long=${long:-120}
start_world
other_pid=
finish_both() {
	[ -z "$other_pid" ] || kill -KILL "$other_pid" 2>/dev/null
	[ -z "$other_pid" ] || wait "$other_pid" 2>/dev/null
	finish_daemon
}
trap finish_both EXIT

# ---- of one database
prepare enforce
start_daemon
wait_for "one runs" daemon.err "tpucost[run]: debug: cycle of"
run tpucost run
status "the second one is refused" 1
has "and told by whom" "$err" "process $daemon_pid"
kill -KILL "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
"$B/tpucost" run -v >other.out 2>other.err &
other_pid=$!
wait_for "after a kill -9 the next one takes over at once" other.err "tpucost[run]: debug: cycle of"
kill "$other_pid"
wait "$other_pid"
is "and ends well" $? 0
other_pid=
is "it is stopped once" "$(asked)" "1 1"

# ---- of two databases, as on two machines
mkdir two
prepare enforce
cp collected.db two/t.db
cp service-account.json two
sed 's,told.jsonl,two-told.jsonl,' tpucost.yaml >two/tpucost.yaml
start_daemon
"$B/tpucost" run -v --config two/tpucost.yaml >other.out 2>other.err &
other_pid=$!
wait_for "the first" daemon.err "tpucost[run]: debug: cycle of"
wait_for "and the second" other.err "tpucost[run]: debug: cycle of"
sleep 1
kill "$daemon_pid" "$other_pid"
wait "$daemon_pid"
is "the first ends well" $? 0
wait "$other_pid"
is "the second ends well" $? 0
other_pid=
got=$(asked)
is "both together ask under one request id" "${got#* }" 1
for dir in . two; do
	run tpucost run --once -q --config $dir/tpucost.yaml
	is "$dir: it is over" "$(sqlite3 $dir/t.db "SELECT COUNT(*) FROM action
		WHERE name = 'wrong' AND state NOT IN ('done', 'cleared', 'superseded')")" 0
	run tpucost audit verify --config $dir/tpucost.yaml
	status "$dir: the record is whole" 0
done

# ---- beside everything else
prepare notify
sed -i 's/^poll:.*//' tpucost.yaml
echo 'poll: {instances: 10s, billing: 1h}' >>tpucost.yaml
mkdir many
month() { printf '%d-%02d' $((2012 + $1 / 12)) $((1 + $1 % 12)); }
start_daemon
going() { [ -e t.db ] && [ ! -e stop ]; }
(
	k=0
	while going && [ $k -lt 100 ]; do
		rows "$(month $k)" 300 >many/$k.json
		until tpucost import -q many/$k.json 2>import_said; do
			grep -q "another tpucost is polling into" import_said || { cat import_said >>bad; break; }
			sleep 0.05
			going || exit
		done
		k=$((k + 1))
		echo $k >imported
	done
) &
imports=$!
(
	while going; do
		tpucost backup --overwrite copy.db >said_backup 2>&1 || cat said_backup >>bad
		[ "$(sqlite3 copy.db 'PRAGMA integrity_check')" = ok ] || echo "a copy is not whole" >>bad
	done
) &
backups=$!
reads() {
	while going; do
		tpucost "$@" --format csv >"read_$1" 2>"said_$1" || { echo "$*" && cat "said_$1"; } >>bad
		[ "$1" != cost ] || grep "^201" read_cost | cut -c -7 | sort | uniq -c | awk '{ print $1 }' >>counts
	done
}
reads cost --by day &
r1=$!
reads ps &
r2=$!
reads alerts &
r3=$!
sleep "$long"
touch stop
wait $imports $backups $r1 $r2 $r3
kill "$daemon_pid"
wait "$daemon_pid"
is "all at once: the daemon ends well" $? 0
is "all at once: no complaint" "$(sort -u bad 2>/dev/null | head -n 5)" ""
is "all at once: the daemon has none" "$(grep -c ' error ' daemon.err)" 0
is "all at once: of a file all nine days or none" "$(sort -u counts)" 9
n=$(cat imported)
# shellcheck disable=SC2046 # numbers
is "all at once: what was imported" "$(files t.db)" "$(nanos 100 $(yes 300 | head -n "$n"))"
run tpucost db check
status "all at once: the database is whole" 0
