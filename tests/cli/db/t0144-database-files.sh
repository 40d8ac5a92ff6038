# What stands in the place of the database's files: a backup does not, and the daemon says so when
# the database is taken away.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q

# ---- backup
mkdir sub
for name in t.db-wal t.db-shm t.db-journal t.db.lock t.db.daemon sub/../t.db-wal; do
	run tpucost backup "$name" --overwrite
	is "no backup as $name" "$rc $err" "1 tpucost: backup: $name belongs to the database"
	is "$name is no copy" "$(head -c 6 "$name" 2>/dev/null | tr -d '\0')" "$(head -c 6 "$name" 2>/dev/null | tr -d '\0' | sed s/SQLite/no/)"
done
run tpucost backup sub/t.db-wal
status "the same name elsewhere is another file" 0
run tpucost db check
status "the database is whole" 0
(
	trap '' XFSZ
	ulimit -f 64
	"$B/tpucost" backup full.db >stdout 2>stderr
	echo $? >rc
)
is "no room" "$(cat rc) $(cat stderr)" "1 tpucost: backup to full.db: File too large; increase the limit of the size of files (ulimit -f)"
is "nothing is left of it" "$(ls full.db* 2>/dev/null)" ""

# ---- a project that is not there is no matter of credentials
sed 's/projects: .*/projects: [no-such]/; s/database: .*/database: u.db/' tpucost.yaml >none.yaml
run tpucost --config none.yaml collect vm
has "not found: the name" "$err" "check the name in \`projects:\`"

# ---- the daemon
listen
start_daemon
wait_for "it runs" notes STATUS=
wait_for "a cycle" daemon.err "tpucost[run]: debug: cycle of"
mv t.db away.db
kill -HUP "$daemon_pid"
wait_for "it is gone" daemon.err \
	"tpucost[run]: warn: database $work/t.db is missing: holds, silences and the audit of the old one are not in the new one"
wait_until test -s t.db
n=$(grep -cF "tpucost[run]: debug: cycle of" daemon.err)
kill -HUP "$daemon_pid"
wait_until more_than "$n" "tpucost[run]: debug: cycle of"
cp t.db other.db
mv other.db t.db
kill -HUP "$daemon_pid"
wait_for "another one" daemon.err "tpucost[run]: warn: database $work/t.db is now another file"
is "each is said once" "$(grep -cF 'tpucost[run]: warn: database' daemon.err)" 2
kill "$daemon_pid"
wait "$daemon_pid"
is "it ends well" $? 0
