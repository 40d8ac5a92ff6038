# Kills, files that were taken away or swapped, and files of an older version: figures are the
# old or the new ones, never half.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
rows 2026-01 100 >small.json
rows 2026-03 6000 >large.json
small=$(nanos 100)
large=$(nanos 6000)
both=$(nanos 100 6000)
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
database roomy.db
tpucost collect -q 2>/dev/null
want_polled=$(polled roomy.db)
database base.db
tpucost import -q small.json
# the next check starts with a copy
restore() {
	rm -f t.db*
	cp base.db t.db
	database t.db
}

# ---- kill -9 at twenty moments of an import, and of a poll
needs_kills
# killed K COMMAND...: killed after K of twenty parts of its run
killed() {
	part=$1
	shift
	die_at $(((2 * part + 1) * n / 40)) "$B/tpucost" "$@" -q
}
old=0 new=0
restore
n=$(allocations "$B/tpucost" import large.json -q)
for k in $(some $(seq 0 19)); do
	restore
	killed $k import large.json
	case $(files t.db) in
	"$small") old=$((old + 1)) ;;
	"$both") new=$((new + 1)) ;;
	*) flunk "import, killed at $k of 20: half a file" "$(files t.db)" ;;
	esac
	is "import, killed at $k of 20: readers and the file" "$(readers_failed) $(whole t.db)" " ok"
	run tpucost import -q large.json
	is "import, killed at $k of 20: the next one" "$rc $(files t.db)" "0 $both"
done
is "some imports were killed before they ended" "$((old > 0))" 1

# Of a list all is there or nothing, and as much as its poll said; of a day of billing too.
lists() { ask "$1" "SELECT kind, project, COUNT(*) FROM resource GROUP BY 1, 2"; }
lists roomy.db >whole_lists
halves="SELECT (SELECT COUNT(*) FROM source_status s WHERE source IN ('vm', 'disk', 'ip', 'tpu')
		AND items <> (SELECT COUNT(*) FROM resource r WHERE r.kind = s.source AND r.project = s.project)),
	(SELECT COUNT(*) FROM billing_unit_sum s WHERE cost <> (SELECT COALESCE(SUM(u.cost), 0)
		FROM usage u JOIN charge c USING (charge_ref)
		WHERE u.table_id = s.table_id AND u.unit = s.unit AND c.currency = s.currency))"
early=0
restore
n=$(allocations "$B/tpucost" collect -q)
for k in $(some $(seq 0 19)); do
	restore
	killed $k collect
	is "collect, killed at $k of 20: no list and no day is half" \
		"$(ask t.db "$halves")$(lists t.db | grep -vxFf whole_lists)" "0|0"
	is "collect, killed at $k of 20: what was imported" "$(files t.db)" "$small"
	is "collect, killed at $k of 20: readers and the file" "$(readers_failed) $(whole t.db)" " ok"
	[ "$(polled t.db)" = "$want_polled" ] || early=$((early + 1))
	run tpucost collect -q
	is "collect, killed at $k of 20: the next one" "$rc $(polled t.db)" "0 $want_polled"
done
is "some polls were killed before they ended" "$((early > 0))" 1

# ---- files beside the database that are gone, or another's
# with_wal FILE: imported, with a -wal file left as by a crash: a reader keeps it from going
with_wal() {
	mkfifo hold
	(echo "BEGIN; SELECT COUNT(*) FROM meta;"; cat hold) | sqlite3 t.db >reading &
	reader=$!
	exec 8>hold
	wait_until test -s reading
	tpucost import -q --allow-overlap "$1"
	for end in "" -wal -shm; do cp t.db$end kept.db$end; done
	exec 8>&-
	wait $reader
	rm -f hold reading t.db*
	for end in "" -wal -shm; do mv kept.db$end t.db$end; done
}
restore
first_shown=$(shown)
with_wal large.json
mkdir here other
cp t.db t.db-wal t.db-shm here
is "a -wal file was left" "$([ -s t.db-wal ] && echo yes) $(files t.db)" "yes $both"
want_shown=$(shown)
rm -f t.db*
database t.db
tpucost import -q large.json
rows 2026-05 3000 >third.json
with_wal third.json
cp t.db t.db-wal t.db-shm other

again() {
	rm -f t.db*
	cp here/t.db* .
}
again
rm t.db-shm
is "without -shm: shown" "$(shown)" "$want_shown"
again
cp other/t.db-shm .
is "with another's -shm: shown" "$(shown)" "$want_shown"
run tpucost import -q third.json
is "with another's -shm: the next import" "$rc $(files t.db) $(whole t.db)" "0 $(nanos 100 6000 3000) ok"
again
rm t.db-wal
is "without -wal: what was before" "$(shown)" "$first_shown"
run tpucost import -q large.json
is "without -wal: the import is made again" "$rc $(files t.db) $(whole t.db)" "0 $both ok"
is "without -wal: and shown" "$(shown)" "$want_shown"
again
rm t.db-shm
cp other/t.db-wal .
for cmd in "import third.json" collect; do
	# shellcheck disable=SC2086 # words
	run tpucost $cmd
	refused "with another's -wal: $cmd" "t.db-wal was copied here or is from another database"
done
is "with another's -wal: both are left alone" "$(cmp t.db here/t.db && cmp t.db-wal other/t.db-wal && echo same)" same
rm t.db-wal t.db-shm
run tpucost import -q large.json
is "another's -wal moved away: as it was" "$rc $(files t.db) $(whole t.db)" "0 $both ok"

# ---- a database of an older version, which no writer has met yet
rm -f t.db*
sqlite3 t.db <"$ROOT/tests/data/schema1.sql"
was=$(ask t.db 'SELECT SUM(cost), SUM(credits), SUM(row_count) FROM usage')
for cmd in cost ps sources "db list" coverage burn "report daily" credit quota; do
	# shellcheck disable=SC2086 # words
	run tpucost $cmd
	is "an older database: $cmd" "$rc ${out}${err#*t.db: }" \
		"1 created by an older tpucost (schema 1 of $(ask roomy.db 'PRAGMA user_version')); run: tpucost collect, or tpucost import"
done
run tpucost import -q large.json
is "an older database: the next import" "$rc $(whole t.db)" "0 ok"
is "an older database: new files" "$(files t.db)" "$large"
is "an older database: old figures" "$(ask t.db "SELECT SUM(u.cost), SUM(u.credits), SUM(u.row_count) FROM usage u
	JOIN billing_table USING (table_id) WHERE kind <> 'file'")" "$was"
is "an older database: readers" "$(readers_failed)" ""
