# Disks that are full or read-only, and limits of a process: what was stored stays readable
# and exact, and what was refused works once the cause is gone.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
mounted=
unmount() {
	[ -z "$mounted" ] || umount "$work/full" 2>/dev/null || umount -l "$work/full"
	finish
}
trap unmount EXIT

rows 2026-01 100 >small.json
rows 2026-03 3000 >large.json
small=$(nanos 100)
both=$(nanos 100 3000)
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config

# ---- what the same commands give where nothing fails
database roomy.db
tpucost collect -q 2>/dev/null
want_polled=$(polled roomy.db)
is "the oracle saw resources and sources" "$(echo "$want_polled" | wc -l | awk '{ print ($1 > 30) }')" 1

# ---- a disk that is full
# leave KIB: so much of the disk is free, if it was
leave() {
	rm -f full/ballast
	now=$(df -k --output=avail full | tail -n 1)
	[ "$now" -le "$1" ] || dd if=/dev/zero of=full/ballast bs=1k count=$((now - $1)) 2>/dev/null
}
# no_room NAME COMMAND...: works, or says what to do, which is one check; $rc tells which. A poll that
# had no room for one source alone is a part of one.
no_room() {
	name=$1
	shift
	run tpucost "$@"
	case "$1 $rc" in
	*" 0") pass "$name: works" ;;
	*" 1" | "collect 4") has "$name: said" "$err" "free some space on the disk" ;;
	*) flunk "$name: ends with $rc" ;;
	esac
}
full_import() {
	tpucost import -q small.json
	before=$(shown)
	leave 0
	is "not a byte is free: what was stored is shown" "$(shown)" "$before"
	is "not a byte is free: every command reads" "$(readers_failed)" ""
	run tpucost report daily --output full/report.txt
	refused "not a byte is free: a report" "write full/report.txt: No space left on device; free some space on the disk"
	refusals=0
	for kib in 0 40 80 120 160 200 300 400; do
		leave $kib
		no_room "$kib KiB free: import" import large.json
		[ "$rc" -eq 0 ] || refusals=$((refusals + 1))
		is "$kib KiB free: all of the file or none" \
			"$(files full/t.db | grep -cx -e "$small" -e "$both")" 1
		is "$kib KiB free: every command reads" "$(readers_failed)" ""
		is "$kib KiB free: the file is whole" "$(whole full/t.db)" ok
	done
	is "some of them were refused" "$((refusals > 2))" 1
	rm -f full/ballast
	run tpucost import large.json
	is "space again: import" "$rc" 0
	is "space again: every row once" "$(files full/t.db)" "$both"
}
full_collect() {
	refusals=0
	for kib in 0 40 100 160 240; do
		leave $kib
		no_room "$kib KiB free: collect" collect
		[ "$rc" -eq 0 ] || refusals=$((refusals + 1))
		is "$kib KiB free: collect: what was imported is there" "$(files full/t.db)" "$both"
		is "$kib KiB free: collect: every command reads" "$(readers_failed)" ""
	done
	is "some polls were refused" "$((refusals > 1))" 1
	rm -f full/ballast
	run tpucost collect
	is "space again: collect" "$rc" 0
	is "space again: what was polled" "$(polled full/t.db)" "$want_polled"
	is "space again: what was imported" "$(files full/t.db)" "$both"
	is "space again: the file is whole" "$(whole full/t.db)" ok
}
full_new() {
	database full/new.db
	leave 40
	no_room "no room for a new database: import" import small.json
	run tpucost cost
	has "no room for a new database: nothing is shown" "$err" "nothing has been collected yet"
	rm -f full/ballast
	run tpucost import small.json
	is "space again: a new database" "$rc $(files full/new.db)" "0 $small"
	rm -f full/new.db*
}
# temporary files are on a disk of their own
full_spill() {
	database spill.db
	leave 60
	rows 2026-05 40000 40000 >huge.json
	run env TMPDIR="$work/full" "$B/tpucost" import huge.json
	refused "no room for temporary files" "TMPDIR"
	is "no room for temporary files: nothing is kept" "$(files spill.db)" 0
	rm -f full/ballast
	rm -f huge.json spill.db*
}
# found CHECK: what the doctor found of it, and the command
found() { jq -r --arg c "$1" '.[] | select(.check == $c) | "\(.status) \(.detail) \(.fix)"' stdout; }
# not even root writes there
full_read_only() {
	database full/t.db
	before=$(shown)
	mount -o remount,ro "$work/full" || return
	is "a read-only disk: what was stored is shown" "$(shown)" "$before"
	is "a read-only disk: every command reads" "$(readers_failed)" ""
	run tpucost import small.json
	refused "a read-only disk: import" "Read-only file system"
	run tpucost collect
	fix="Read-only file system; mount the file system writable, or set \`database:\` to a file on another one"
	refused "a read-only disk: collect" "$fix"
	for cmd in "hold lab-one/tpu/us-central1-a/wrong --until 3d" "silence source-stale --for 1h"; do
		# shellcheck disable=SC2086 # words
		run tpucost $cmd
		refused "a read-only disk: $cmd" "full/t.db: cannot be written: $fix"
	done
	for cmd in "report daily --output full/a" "init --project lab-one --output full/a"; do
		# shellcheck disable=SC2086 # words
		run tpucost $cmd
		refused "a read-only disk: $cmd" "write full/a: new file next to it: Read-only file system; mount the file system writable, or use a file on another one"
	done
	run tpucost doctor --format json
	is "a read-only disk: doctor" "$(found database)" "fail $work/full/t.db: cannot be written: Read-only file system \
findmnt -T '$work/full' # mount the file system writable, or set \`database:\` to a file on another one"
	has "a read-only disk: doctor reads it" "$(found access)" "inventory (2 of 2 projects)"
	mount -o remount,rw "$work/full"
}
mkdir full
if mount -t tmpfs -o size=3m tmpfs "$work/full" 2>/dev/null; then
	mounted=1
	database full/t.db
	full_import
	full_collect
	full_new
	full_spill
	full_read_only
else
	pass "skipped: a full disk needs root"
fi

# ---- limits of a process
database f.db
tpucost import -q small.json
# limited LIMIT COMMAND...: messages go through a pipe, which no limit of files cuts
limited() {
	limit=$1
	shift
	sh -c "ulimit $limit; timeout -s KILL 300 '$B/tpucost' $*; echo \"status \$?\"" 2>&1 | cat
}
has "files of no length: init" "$(limited "-f 0" "init --project lab-one --output c.yaml")" \
	"write c.yaml: File too large; increase the limit of the size of files (ulimit -f)"
for kib in 100 400 700; do
	for cmd in "import large.json" collect; do
		out=$(limited "-f $((kib * 2))" "$cmd")
		case $out in
		*"status 0") # it needs no longer ones: as many checks either way
			pass "files of $kib KiB, $cmd: nothing to say"
			pass "files of $kib KiB, $cmd: done"
			;;
		*) has "files of $kib KiB, $cmd: said" "$out" "ulimit -f" &&
			# 4: only one of the sources of collect met the limit
			has "files of $kib KiB, $cmd: an end, not a death" "${out%4}1" "status 1" ;;
		esac
		is "files of $kib KiB, $cmd: all or nothing" \
			"$(files f.db | grep -cx -e "$small" -e "$both")" 1
	done
done
is "the file is whole" "$(whole f.db)" ok
has "files of 100 KiB, backup: said" "$(limited "-f 200" "backup limited.db")" \
	"backup to limited.db: File too large; increase the limit of the size of files (ulimit -f)"
run tpucost import large.json
run tpucost collect
is "without the limit: status" "$rc" 0
is "without the limit: files" "$(files f.db)" "$both"
is "without the limit: polls" "$(polled f.db)" "$want_polled"

database n.db
for n in 4 5 6 7 8; do
	for cmd in "import small.json" collect cost; do
		out=$(limited "-n $n" "$cmd")
		case $out in
		*"status 0") pass "$n open files, $cmd" ;;
		*"nothing has been collected yet"*"status 1") pass "$n open files, $cmd: nothing there" ;;
		*"database "*) has "$n open files, $cmd: said" "$out" \
			"Too many open files; increase the limit of open files (ulimit -n)" &&
			has "$n open files, $cmd: an end, not a death" "$out" "status 1" ;;
		*) has "$n open files, $cmd: said" "$out" "oo many open files" &&
			has "$n open files, $cmd: an end, not a death" "$out" "status 1" ;;
		esac
	done
done
for cmd in "import small.json" collect; do
	has "20 open files are enough: $cmd" "$(limited "-n 20" "$cmd")" "status 0"
done
is "20 open files: polls" "$(polled n.db)" "$want_polled"
is "20 open files: files" "$(files n.db)" "$small"

# ---- what this user may not write; root may write anything, so it becomes somebody else
if [ "$(id -u)" -eq 0 ]; then
	mkdir bin
	cp "$B/tpucost" "$B/tpucost-net" bin
	chmod 755 "$work" bin
	chmod 644 ./*.json tpucost.yaml
	chmod 600 service-account.json
	chown 65534 service-account.json
	as_user() { run setpriv --reuid=65534 --regid=65534 --clear-groups bin/tpucost "$@"; }
else
	as_user() { run tpucost "$@"; }
fi
# reads NAME: figures and lists are those of $want_shown, for the user who may only read
# Columns that grow with time are left out: the second answer is a moment later.
reads() {
	as_user cost --by day --format csv
	is "$1: figures" "$(printf %s "$out" | tr -d '\r')" "$want_shown"
	for view in "ps --columns id,kind,state,why,net_per_hour,last_seen" "sources --columns source,project,state,last_success" "db list"; do
		# shellcheck disable=SC2086 # words
		as_user $view --format csv
		is "$1: $view" "$rc $(printf %s "$out" | tr -d '\r')" "0 $(tpucost $view --format csv | tr -d '\r')"
	done
}
mkdir locked
cp f.db locked/t.db
chmod 444 locked/t.db
database locked/t.db
want_shown=$(shown)
chmod 555 locked
reads "a read-only directory"
for cmd in "import small.json" collect "db forget small.json"; do
	# shellcheck disable=SC2086 # words
	as_user $cmd
	refused "a read-only directory: $cmd" "Permission denied; the file and its directory must be writable for this user"
done
as_user report daily --output locked/report.txt
refused "a read-only directory: a report" "Permission denied; this user needs permission for the file and its directory: see ls -l"
as_user doctor --format json
is "a read-only directory: doctor" "$(found database)" "fail $work/locked/t.db: cannot be written: Permission denied \
ls -la '$work/locked' # the file and its directory must be writable for this user"
has "a read-only directory: doctor reads it" "$(found access)" "inventory (2 of 2 projects)"
chmod 777 locked
for cmd in "import large.json" collect "silence source-stale --for 1h"; do
	# shellcheck disable=SC2086 # words
	as_user $cmd
	refused "a read-only database: $cmd" "the file and its directory must be writable for this user"
done
reads "a read-only database"
is "nothing was written" "$(files locked/t.db) $(whole locked/t.db)" "$both ok"
chmod 000 locked/t.db
as_user cost
refused "a database of somebody else" "unable to open database file"
has "a database of somebody else: its hint" "$err" "; this user needs permission to read the file, and to enter its directory: see ls -l"
as_user doctor --format json
is "a database of somebody else: doctor" "$(found access)" "skip not checked: see the problems above null"
chmod 700 locked
as_user cost
refused "a directory of somebody else" "Permission denied; this user needs permission to read the file, and to enter its directory: see ls -l"
chmod 755 locked
