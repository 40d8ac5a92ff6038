# backup, restoring it, db check and db compact: while somebody writes, killed in the middle, and on
# what is damaged.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q
rows 2026-01 5000 50 >a.json
rows 2026-03 9000 50 >b.json
run tpucost import -q a.json
status "an extract is there" 0

run tpucost backup safe.db
status "a backup" 0
# the copy also has its mark
n=$(sqlite3 t.db "SELECT 'SELECT ' || group_concat('(SELECT COUNT(*) FROM \"' || name || '\")', '+') FROM sqlite_schema WHERE type = 'table'" |
	sqlite3 t.db)
is "says how much it is" "$out" "safe.db: $((n + 1)) rows in $((($(stat -c %s safe.db) + 1023) / 1024)) KiB, checked"
is "one row more: it is marked as a copy" "$(sqlite3 safe.db "SELECT CAST(value AS INTEGER) > 0 FROM meta WHERE key = 'backup'") $(sqlite3 t.db "SELECT COUNT(*) FROM meta WHERE key = 'backup'")" "1 0"
is "nobody else may read it" "$(stat -c %a safe.db)" 600
is "there is nothing beside it" "$(ls safe.db*)" safe.db
is "it holds what was there" "$(files safe.db)" "$(nanos 5000)"
run tpucost backup safe.db
status "nothing is overwritten" 1
is "and it is said what to do" "$err" "tpucost: backup: safe.db exists already; choose another name, or use --overwrite"
run tpucost backup t.db --overwrite
has "least of all the database" "$err" "backup: t.db is the database itself"
run tpucost backup -
status "a database is not written to the output" 2
is "nor to a file named -" "$(ls ./- 2>/dev/null)" ""
run tpucost backup t.db.generation
has "or what belongs to it" "$err" "backup: t.db.generation belongs to the database"
mkdir dir
run tpucost backup dir --overwrite
has "or a directory" "$err" "backup: dir is not a regular file"
run tpucost backup none/safe.db
status "nowhere to put it" 1
is "and what to do" "$err" "tpucost: backup to none/safe.db: No such file or directory; choose a name in an existing directory that you may write to"
run tpucost backup
status "a name is needed" 2
chmod 500 dir
[ "$(id -u)" -eq 0 ] || {
	run tpucost backup dir/x.db
	has "no right to write there" "$err" "backup to dir/x.db: Permission denied; give a name in a directory that"
}

# ---- what lies beside it is somebody else's
mkdir beside
for name in x.db.tmp x.db.tpucost- x.db.tpucost-notes x.db.tpucost-abc-journal y.db.tpucost-abcdef; do
	echo mine >"beside/$name"
	touch -d '2 days ago' "beside/$name"
done
chmod 600 beside/x.db.tpucost-notes
for name in x.db.tpucost-weekly x.db.tpucost-weekly-wal; do
	echo mine >"beside/$name"
	chmod 600 "beside/$name"
	touch -d '2 days ago' "beside/$name"
done
cp safe.db beside/x.db.tpucost-backup
chmod 640 beside/x.db.tpucost-backup
touch -d '2 days ago' beside/x.db.tpucost-backup
ln -s x.db.tmp beside/x.db.tpucost-linked
ls beside >names
run tpucost backup beside/x.db
status "beside others" 0
is "all of them are there" "$(ls beside | grep -vx x.db)" "$(cat names)"
rm beside/x.db.tpucost-backup
is "as they were" "$(cat beside/x.db.t* beside/y.db.*)" "$(yes mine | head -n 8)"

# ---- while somebody writes
tpucost import -q b.json &
import=$!
whole=1 i=0
while kill -0 $import 2>/dev/null && [ $i -lt 40 ]; do
	i=$((i + 1))
	tpucost backup safe.db --overwrite >/dev/null || whole=0
	case $(files safe.db) in
	"$(nanos 5000)" | "$(nanos 5000 9000)") ;;
	*) whole=0 ;;
	esac
done
wait $import
is "the other one is done" "$?" 0
is "copies meanwhile are of one moment, a file whole or not there" "$whole" 1
tpucost backup safe.db --overwrite >/dev/null
is "afterwards it is there" "$(files safe.db)" "$(nanos 5000 9000)"

# ---- killed
half=0 i=0
n=$(allocations "$B/tpucost" backup safe2.db)
while [ $i -lt 25 ]; do
	i=$((i + 1))
	rm -f safe2.db
	die_at $((n * i / 26)) "$B/tpucost" backup safe2.db
	[ ! -f safe2.db ] || [ "$(files safe2.db)" = "$(nanos 5000 9000)" ] || half=1
	[ "$(files safe.db)" = "$(nanos 5000 9000)" ] || half=1
done
is "killed at any moment, nothing half has the name" "$half" 0
rm -f safe2.db
run tpucost backup safe2.db
status "what a killed one left is in nobody's way" 0
touch safe2.db.tpucost-younga
install -m 600 safe2.db safe2.db.tpucost-abcdef
printf '\331\325\005\371\040\241\143\327\0' >safe2.db.tpucost-abcdef-journal
chmod 600 safe2.db.tpucost-abcdef-journal
for name in safe2.db.tpucost-abcdef safe2.db.tpucost-abcdef-journal $(find . -name 'safe2.db.tpucost-*' ! -name '*younga*'); do
	touch -d '2 hours ago' "$name"
done
run tpucost backup safe2.db --overwrite
is "after an hour it is gone" "$(ls safe2.db*)" "safe2.db
safe2.db.tpucost-younga"

# ---- check
run tpucost db check
status "the database is whole" 0
units=$(sqlite3 t.db 'SELECT COUNT(*) FROM billing_unit')
has "all of it" "$out" "t.db: valid; "
has "and so are the sums" "$out" "match their sums in all $units units"

is "and those of days" "$(printf "%s" "$out" | grep -c "not compared")" 0
# what an older version summed up is not compared, and that is said
cp t.db good.db
sqlite3 t.db "UPDATE meta SET value = 'older older' WHERE key = 'derived'"
run tpucost db check
status "sums of an older version" 0
has "are not called right" "$out" "daily sums are of an older version and were not compared: tpucost collect computes them again"
cp good.db t.db

# ---- damaged: the figures of a row, of which no page knows that they are wrong
sqlite3 t.db "UPDATE usage SET cost = cost + 1 WHERE (hour, sku_ref, project_ref) = (SELECT hour, sku_ref, project_ref FROM usage WHERE cost > 0 LIMIT 1)"
run tpucost db check
status "a figure that was changed is found" 1
has "by the sum" "$err" "is damaged: the rows of unit"
# and of the sums of days
for table in cost_day project_day account_day; do
	for change in "UPDATE $table SET cost = cost + 1" "UPDATE $table SET credits = credits - 1" \
		"UPDATE $table SET promo = promo + 1000000000" "DELETE FROM $table"; do
		cp good.db t.db
		sqlite3 t.db "$change WHERE day = (SELECT MAX(day) FROM $table)"
		run tpucost db check
		status "found: $change" 1
		has "and where" "$err" "is damaged: the sum in $table of $(sqlite3 t.db "SELECT date FROM calendar ORDER BY day DESC LIMIT 1") does not match"
	done
done
cp good.db t.db
sqlite3 t.db "DELETE FROM calendar WHERE day = (SELECT MAX(day) FROM account_day)"
run tpucost db check
has "a day that is missing is found" "$err" "does not match that day's"
cp good.db t.db
sqlite3 t.db "DELETE FROM sku WHERE sku_ref = (SELECT MIN(sku_ref) FROM usage)"
run tpucost db check
status "a row that is missing is found" 1
has "by what refers to it" "$err" "a row of usage refers to a missing row of sku"
# a byte in the middle of an index: where its cells are
cp good.db t.db
page=$(sqlite3 t.db "SELECT rootpage FROM sqlite_schema WHERE name = 'usage'")
size=$(sqlite3 t.db 'PRAGMA page_size')
printf '\377' | dd of=t.db bs=1 seek=$(((page - 1) * size + 4)) conv=notrunc 2>/dev/null
run tpucost db check
status "a flipped byte is found" 1
has "and it is said what to do" "$err" "is damaged: "
has "namely" "$err" "; restore a backup"
is "in one line" "$(printf '%s' "$err" | grep -c 'in database main\|\\x')" 0
run tpucost doctor database
is "doctor too" "$rc $(grep -c 't.db is damaged: ' stdout) $(grep -c 'in database main\|\\x' stdout)" "1 1 0"
run tpucost backup never.db
status "what is damaged is no backup" 1
is "and gets no name" "$(ls never.db* 2>/dev/null)" ""
has "it is the original that is damaged" "$err" "tpucost: database $work/t.db is damaged: "
has "and what to do" "$err" "; restore a backup, or move it away and collect again"
run tpucost db compact
is "nor is it compacted" "$rc $(printf '%s' "$err" | grep -c 't.db is damaged: .*; restore a backup')" "1 1"
# its first page
cp good.db t.db
dd if=/dev/zero of=t.db bs=100 count=1 conv=notrunc 2>/dev/null
for of in ps "db check" "db compact" "backup never.db" collect; do
	run tpucost $of
	is "no database: $of" "$rc $err" "1 tpucost: database $work/t.db: open: file is not a database; the file is damaged, or \`database:\` names another file: restore a backup, or move it away and collect again"
done

# ---- restoring, as docs/operate.md says; where it is armed: t0173-restore.sh
tpucost enforce halt -q
rm -f t.db t.db-wal t.db-shm
cp safe.db t.db
run tpucost db check
status "a restored one is whole" 0
run tpucost run --once -q
is "and goes on" "$(sqlite3 t.db "SELECT COUNT(*) > 0 FROM resource")" 1
run tpucost enforce resume -q
status "resumed" 0
is "in a dry run nothing is noted beside it" "$(ls t.db.generation 2>/dev/null)" ""

# ---- compact
tpucost db forget b.json >/dev/null
before=$(stat -c %s t.db)
run tpucost db compact
status "compact" 0
after=$(stat -c %s t.db)
is "says what it was and is" "$out" "$work/t.db: $((after / 1024)) KiB, before $((before / 1024)) KiB"
is "it is smaller" "$((after < before))" 1
is "what is left is right" "$(files t.db)" "$(nanos 5000)"
run tpucost db check
status "and whole" 0
mkfifo hold
flock t.db.lock cat hold &
holder=$!
exec 8>hold # the lock is there once somebody reads
run tpucost db compact
status "not while somebody polls" 1
has "and says so" "$err" "another tpucost is polling into $work/t.db"
exec 8>&-
wait $holder 2>/dev/null
run tpucost db shrink
status "another word is none" 2
