# What stands in the place of the database's files: a backup does not, and the daemon says so when
# the database is taken away.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q

# ---- backup
mkdir sub
for name in t.db-wal t.db-shm t.db-journal t.db.lock t.db.daemon t.db.copy t.db.restoring t.db.replaced sub/../t.db.replaced.2 \
	sub/../t.db-wal; do
	run tpucost backup "$name" --overwrite
	is "no backup as $name" "$rc $err" "1 tpucost: backup: $name belongs to the database; choose another file"
	is "$name is no copy" "$(head -c 6 "$name" 2>/dev/null | tr -d '\0')" "$(head -c 6 "$name" 2>/dev/null | tr -d '\0' | sed s/SQLite/no/)"
done
run tpucost backup sub/t.db-wal
status "the same name elsewhere is another file" 0
run tpucost db check
status "the database is whole" 0

# ---- no other output replaces a file of tpucost, by whatever name
ln -s ../t.db sub/link.db
ln -s t.db.lock later
cp service-account.json other-key.json
for name in t.db sub/link.db; do
	for of in "report daily" metrics "cost --format focus"; do
		run tpucost $of --output "$name"
		is "no $of in $name" "$rc $err" "1 tpucost: ${of%% *}: --output: $name is the database itself; choose another file"
	done
done
while read -r name why; do
	run tpucost report daily --output "$name"
	is "no report in $name" "$rc $err" "1 tpucost: report: --output: $name $why; choose another file"
	run tpucost backup "$name" --overwrite
	is "no backup in $name" "$rc $err" "1 tpucost: backup: $name $why; choose another file"
done <<EOF
later belongs to the database
sub/../t.db.generation belongs to the database
sub/../t.db.copy belongs to the database
tpucost.yaml is the configuration
halt would halt enforcement
service-account.json is a file that the configuration names
EOF
run env GOOGLE_APPLICATION_CREDENTIALS="$work/other-key.json" "$B/tpucost" metrics --output other-key.json
is "nor a key of the environment" "$rc $err" "1 tpucost: metrics: --output: other-key.json is the key of the credentials; choose another file"
run tpucost init --output t.db --overwrite
is "init knows a database" "$rc $err" "1 tpucost: init: --output: t.db is a database; choose another file"
run tpucost init --credentials service-account.json --output service-account.json --overwrite
is "and its key" "$rc $err" "1 tpucost: init: --output: service-account.json is the key of the credentials; choose another file"
printf 'timezone: UTC\nprojects: []\ndatabase: t.db\nnotify:\n  - {name: log, file: {path: sub/link.db}}\n' >channel.yaml
run tpucost check --config channel.yaml
is "a channel appends to none of them" "$rc $err" "2 channel.yaml: channel log: sub/link.db is the database itself; choose another file"
run tpucost db check
status "the database is still whole" 0
run tpucost report daily --output report.txt
status "other files are written" 0
for of in report metrics "cost --format focus" "init --endpoint $url"; do
	run tpucost $of --output -
	is "- is standard output: $of" "$rc $(test -s stdout && echo said) $(ls ./- 2>&1 | grep -c 'No such')" "0 said 1"
done
rm sub/link.db later report.txt
(
	trap '' XFSZ
	ulimit -f 64
	"$B/tpucost" backup full.db >stdout 2>stderr
	echo $? >rc
)
is "no room" "$(cat rc) $(cat stderr)" "1 tpucost: backup to full.db: File too large; increase the limit of the size of files (ulimit -f)"
is "nothing is left of it" "$(ls full.db* 2>/dev/null)" ""

# ---- a hard link: it has a log and locks of its own
ln t.db hard.db
sed 's/database: .*/database: hard.db/' tpucost.yaml >hard.yaml
for name in t hard; do
	[ $name = t ] && config=tpucost.yaml || config=hard.yaml
	for of in ps collect "run --once" "db check" "import none.json" "db forget x" "hold add x --until 3d"; do
		run tpucost --config $config $of
		has "not through $name.db: $of" "$rc $err" "1 tpucost: "
		has "and why: $name.db, $of" "$err" "$name.db: the file has 2 names (hard links); stop all writers and delete the other names; to list them: find / -xdev -samefile $name.db"
	done
done
run tpucost report daily --output hard.db
has "nor is it replaced" "$err" "--output: hard.db is the database itself"
rm hard.db
run tpucost db check
status "with one name it is used again" 0

# ---- a FIFO: nothing waits for its other end
mkfifo pipe.db
sed 's/database: .*/database: pipe.db/' tpucost.yaml >pipe.yaml
for of in ps status collect "run --once" "db check" "backup copy.db"; do
	run timeout 20 "$B/tpucost" --config pipe.yaml $of
	is "no database: $of" "$rc $err" "1 tpucost: database pipe.db: it is not a regular file; set \`database:\` to a file"
done
run timeout 20 "$B/tpucost" --config pipe.yaml doctor database
is "doctor too" "$rc $(grep -c '^fail  database .*pipe.db: it is not a regular file' stdout)" "1 1"

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
