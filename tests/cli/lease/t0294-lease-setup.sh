# acts
# Setting up a lease: a wrong bucket, a database that was in use before, and decisions of users while no machine holds it.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: one
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
instances: [{zone: us-central1-a, name: one, type: n1-standard-4, created: -26h}]
buckets: [{name: lab-state, location: us-central1}]
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: USD
  rows:
    - {project: lab-one, service_id: S1, service: Compute Engine, sku_id: A1, sku: Core, unit: hour, usage: 8, cost: 1,
       resource: one, labels: {owner: ada}, from: DAY, every: 6h}
W
sed -i "s/DAY/$(day -3 %Y-%m-%dT00:00:00Z)/" world.yaml
config() { # LINES
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules: [{name: forgotten, on: resources, where: \"kind = 'vm' AND state = 'running'\", then: {action: stop, grace: 30m, armed: true}}]
backup: {to: gs://lab-state/copy, every: day}
enforcement: {mode: armed, projects: [lab-one]${1:-}}"
}
monotonic=0
ahead() {
	monotonic=$((monotonic + $1))
	ln -sfT $monotonic .test/mono.new && mv -T .test/mono.new .test/mono
	set_clock =$(($(date +%s) + $1))
}
ahead 0
TEST_MONOTONIC=$work/.test/mono
export TEST_MONOTONIC
set_clock =$NOW
start_sandbox world.yaml

# ---- in use before ----
config
run tpucost run --once
is "a backup without a lease" "$(grep -c 'name=copy%2Ftpucost.db' requests)" 1
run tpucost hold add one --until 3d
status "a hold" 0
ahead 60
run tpucost run --once
is "one backup a day" "$(grep -c 'name=copy%2Ftpucost.db' requests)" 1
config ", lease: gs://lab-state/lease"
run tpucost hold add one --until 4d
status "no machine holds the lease" 1
has "so the hold may be missing on another one" "$err" "recorded in this database only: no machine holds the lease gs://lab-state/lease; run the command again when the lease is held"
for i in 1 2 3; do
	ahead 60
	run tpucost run --once
done
has "it takes the lease" "$err" "holds the lease gs://lab-state/lease now, in epoch 1"
case $err in
*restored*) flunk "the older backup does not replace the database" world.yaml ;;
*) pass "the older backup does not replace the database" ;;
esac
run tpucost hold add one --until 4d
status "now it is known" 0
ahead 3600
run tpucost run --once
is "nothing is stopped" "$(grep -c '/stop"' requests)" 0

# ---- a wrong bucket ----
config ", lease: gs://lab-sate/lease"
polls() { grep -c aggregated/instances requests; }
for i in 1 2; do
	before=$(polls)
	ahead 60
	run tpucost run --once
	has "a missing bucket, time $i" "$err" "nothing is stopped or deleted: lease gs://lab-sate/lease: read object: HTTP 404 notFound: The specified bucket does not exist"
	has "with what to do" "$err" "gcloud storage buckets create gs://lab-sate"
	is "it still polls" "$(polls)" $((before + 1))
	status "but something is wrong" 4
done
run tpucost status
has "status says so" "$(tr -s ' \n' '  ' <stdout)" "No resource is stopped while the lease is unknown: lease gs://lab-sate/lease: read object: HTTP 404"
run tpucost enforce
has "enforce says so" "$(tr -s ' \n' '  ' <stdout)" "BLOCKED: nothing is stopped while the lease is unknown: lease gs://lab-sate/lease"
run tpucost sources --format csv --where "source = 'lease'"
has "and sources" "$out" "failed"
run tpucost doctor lease
status "and doctor" 1
has "and doctor, with what to do" "$out" "gcloud storage buckets create gs://lab-sate"

# ---- a bucket that another machine may use, but this one never could ----
mkdir new
sed 's|lab-sate/lease|lab-state/lease|' tpucost.yaml >new/tpucost.yaml
cp service-account.json new/
curl -sf -X POST --data-binary '[{regex: "lab-state/o", status: 403, reason: forbidden}]' "$url/_sandbox/faults" >/dev/null
run tpucost --config new/tpucost.yaml collect -q
before=$(polls)
for i in 1 2; do
	ahead 60
	run tpucost --config new/tpucost.yaml run --once
done
status "a machine that never read the lease" 4
has "says so" "$err" "this machine does not poll or act: it may be a standby: lease gs://lab-state/lease: read object: HTTP 403"
is "it does not poll" "$(polls)" "$before"
is "and sends nothing" "$([ -f new/told.jsonl ] && wc -l <new/told.jsonl)" ""
curl -sf -X POST "$url/_sandbox/faults" >/dev/null

# ---- another object: the sandbox accepts each write ----
storage() { # PATH OPTION...
	path=$1
	shift
	token=$(curl -sf -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token")
	curl -sf -H "Authorization: Bearer $(printf %s "$token" | jq -r .access_token)" "$@" "$url$path" ||
		flunk "storage $path" world.yaml
}
put() { # OBJECT FILE
	storage "/upload/storage/v1/b/lab-state/o?uploadType=media&name=$1" -X POST --data-binary "@$2" -o /dev/null
}
config ", lease: gs://lab-state/foreign"
: >empty
head -c 100000 /dev/zero | tr '\0' x >large
echo '{"terraform_version": "1.9.8", "serial": 7}' >json
echo '{"tpucost_lease": 2, "epoch": 7, "seconds": 50}' >newer
put foreign newer
ahead 60
run tpucost run --once
has "a lease of another version is not deleted" "$err" "another version of tpucost wrote it; update tpucost on this machine"
for file in empty large json; do
	put foreign $file
	ahead 60
	run tpucost run --once
	status "a lease object that is another file ($file)" 4
	has "with what to do ($file)" "$err" "lease gs://lab-state/foreign: the object is not a lease of tpucost"
	has "with what to do ($file)" "$err" "name another object in enforcement.lease, or delete that one"
	run tpucost doctor lease
	status "doctor finds it ($file)" 1
	has "doctor finds it ($file)" "$out" "the object is not a lease of tpucost"
done

# ---- a take-over that cannot be completed ----
config ", lease: gs://lab-state/other"
rm -f t.db t.db-wal t.db-shm t.db.generation
curl -sf -X POST --data-binary '[{regex: "lab-state/o/copy", status: 403, reason: forbidden}]' "$url/_sandbox/faults" >/dev/null
for i in 1 2 3; do
	ahead 60
	run tpucost run --once
done
status "it fails" 1
has "and says so" "$err" "take over the lease: download object: HTTP 403"
holder() { grep 'name=other' requests | tail -n 1 | jq -r .body | jq -r '.owner + "/" + (.ready | tostring)'; }
is "another machine may try" "$(holder)" "/false"
curl -sf -X POST "$url/_sandbox/faults" >/dev/null
for i in 1 2 3 4 5; do
	ahead 60
	run tpucost run --once
done
has "or this one again, after twice that time" "$err" "restored the database from gs://lab-state/copy"

# ---- a damaged backup: nothing of it is used ----
storage '/storage/v1/b/lab-state/o/copy%2Ftpucost.db?alt=media' -o good
head -c 5000 good >cut
printf 'not a database, but long enough to be read as one %0100d' 0 >text
sqlite3 other 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
config ", lease: gs://lab-state/fourth"
for file in empty cut text other; do
	rm -f t.db t.db-wal t.db-shm t.db.generation
	put copy/tpucost.db $file
	for i in 1 2 3 4 5; do
		ahead 60
		run tpucost run --once
		[ "$rc" -ne 1 ] || break
	done
	status "a backup that is damaged ($file)" 1
	has "is named ($file)" "$err" "take over the lease: restore gs://lab-state/copy/tpucost.db: the object is not a backup of tpucost"
	has "with what to do ($file)" "$err" "restore an earlier version of the object, or delete it"
	is "no file is left ($file)" "$(ls | grep -c restoring)" 0
	run tpucost sources --format csv --where "source = 'backup'"
	has "sources says so ($file)" "$out" "the object is not a backup of tpucost"
	run tpucost doctor lease
	has "and doctor ($file)" "$out" "the object is not a backup of tpucost"
	run tpucost enforce
	has "no other machine is named ($file)" "$(tr -s ' \n' '  ' <stdout)" "STANDBY: no machine holds the lease"
done
cp good later
sqlite3 later 'PRAGMA user_version = 999'
rm -f t.db t.db-wal t.db-shm t.db.generation
put copy/tpucost.db later
for i in 1 2 3 4 5; do
	ahead 60
	run tpucost run --once
	[ "$rc" -ne 1 ] || break
done
has "a backup of a later version is not to be deleted" "$err" "created by a newer tpucost (schema 999"
has "with what to do" "$err" "upgrade tpucost"
put copy/tpucost.db good

# ---- another database that was in use before ----
config ""
sed -i '/^backup:/d' tpucost.yaml
rm -f t.db t.db-wal t.db-shm t.db.generation
run tpucost run --once
run tpucost hold add one --until 3d
status "a hold in it" 0
config ", lease: gs://lab-state/third"
for i in 1 2 3; do
	ahead 60
	run tpucost run --once
done
has "the backup of another machine replaces it" "$err" "restored the database from gs://lab-state/copy"
has "its holds are not forgotten" "$err" "NOT ARMED: actions are blocked for this database: decisions of users in the former database, $work/t.db.replaced.2, are missing here"
is "the one that an earlier take-over kept is not replaced" "$(for f in t.db.replaced t.db.replaced.2; do sqlite3 $f 'SELECT COUNT(*) FROM hold'; done | tr '\n' ' ')" "0 1 "

# ---- a person restores a backup ----
clean() {
	rm -f t.db t.db-wal t.db-shm t.db.generation safe.db
}
restored() { # as docs/operate.md says, to another inode
	mv t.db former
	rm -f t.db-wal t.db-shm
	install -m 600 safe.db t.db
	rm former
}
dry() {
	sed -i 's/mode: armed/mode: dry-run/' tpucost.yaml
}
protected() { sqlite3 t.db "SELECT COUNT(*) FROM hold"; }
takes_over() {
	for i in 1 2 3; do
		ahead 60
		run tpucost run --once
	done
}
clean
config ", lease: gs://lab-state/fifth"
sed -i 's,to: gs://lab-state/copy,to: gs://lab-state/mine,; s/, every: day//' tpucost.yaml
takes_over
run tpucost hold add one --until 9d
status "a hold before a backup" 0
run tpucost backup safe.db
run tpucost hold remove one
ahead 60
run tpucost run --once
replaced=$(ls t.db.replaced*)
restored
takes_over
has "a restored database stays" "$err" "tpucost: keeps this database: it is a backup of 20"
has "with what to do instead" "$err" "to use that of gs://lab-state/mine, stop tpucost, remove $work/t.db with its -wal and -shm, and start it"
has "it is not armed" "$err" "NOT ARMED: actions are blocked for this database: it is a backup of"
is "it has its hold, and nothing was replaced" "$(protected) $(ls t.db.replaced*)" "1 $replaced"
has "the lease has the reason" "$(grep 'name=fifth' requests | tail -n 1 | jq -r .body | jq -r .blocked)" "it is a backup of"
run tpucost enforce resume
status "it can be armed" 0
ahead 60
run tpucost run --once
run tpucost backup safe.db --overwrite
run tpucost hold add one --until 12d
ahead 60
run tpucost run --once
cat safe.db >t.db
rm -f t.db-wal t.db-shm
run tpucost hold add one --until 12d
status "before its first cycle a hold is not noted" 1
has "and that is said" "$err" "recorded in this database only: an earlier decision is missing in this database, which was restored; run the command again after the next cycle of tpucost"
ahead 60
run tpucost run --once
has "in the same file, too" "$err" "NOT ARMED: actions are blocked for this database: it is a backup of"
has "the lease has the reason" "$(grep 'name=fifth' requests | tail -n 1 | jq -r .body | jq -r .blocked)" "it is a backup of"
run tpucost enforce resume
ahead 60
run tpucost run --once
run tpucost hold add one --until 12d
is "decisions in it are noted" "$rc $(grep 'name=fifth' requests | tail -n 1 | jq -r .body | jq -r .decided)" \
	"0 $(sqlite3 t.db 'SELECT MAX(seq) FROM audit_entry')"
clean
ahead 7200
takes_over
is "the lease is not called old after that" "$(sqlite3 t.db "SELECT COUNT(*) FROM alert WHERE summary LIKE '%lease is old%'")" 0
has "an empty one is replaced" "$err" "restored the database from gs://lab-state/mine; the former one is $work/t.db.replaced.3"
is "by the newest" "$(protected) $(sqlite3 t.db.replaced.3 'SELECT COUNT(*) FROM hold')" "1 0"

# ---- a person restores a backup, and another machine has acted since ----
run tpucost enforce resume
ahead 60
run tpucost run --once
run tpucost backup safe.db
mkdir second
cp tpucost.yaml service-account.json second/
for i in 1 2 3; do
	ahead 60
	run tpucost --config second/tpucost.yaml run --once
done
run tpucost --config second/tpucost.yaml hold remove one
status "the other one acts" 0
ahead 60
run tpucost --config second/tpucost.yaml run --once
restored
ahead 60
run tpucost run --once
before=$(sqlite3 t.db 'SELECT MAX(seq) FROM audit_entry')
run tpucost enforce resume
status "a standby that was restored cannot be armed" 1
has "with what to do" "$err" "this database was restored; start tpucost and wait until this machine holds the lease, then resume"
is "nothing changed" "$(sqlite3 t.db "SELECT (SELECT MAX(seq) FROM audit_entry) || ' ' || COUNT(*) FROM meta WHERE key = 'backup'")" "$before 1"
for i in 1 2; do
	ahead 60
	run tpucost run --once
done
has "the restored one is replaced" "$err" "restored the database from gs://lab-state/mine; the former one is $work/t.db.replaced"
has "with how to use it" "$err" "to use that one instead, stop tpucost on all machines, remove $work/t.db with its -wal and -shm, put $work/t.db.replaced in its place, delete gs://lab-state/mine/tpucost.db and start tpucost"
has "it is not armed" "$err" "NOT ARMED: actions are blocked for this database: the one that was restored here was replaced, because another machine acted since; it is $work/t.db.replaced"
has "the lease has the reason" "$(grep 'name=fifth' requests | tail -n 1 | jq -r .body | jq -r .blocked)" "the one that was restored here was replaced"
is "the oldest of three was replaced" "$(ls t.db.replaced* | tr '\n' ' ')" "t.db.replaced t.db.replaced.2 t.db.replaced.3 "
is "by that of the other one" "$(protected) $(sqlite3 t.db.replaced 'SELECT COUNT(*) FROM hold')" "0 1"
rm -f t.db t.db-wal t.db-shm
install -m 600 t.db.replaced t.db
sed -i 's,to: gs://lab-state/mine,to: gs://lab-state/none,' tpucost.yaml
takes_over
has "without the object it stays" "$err" "NOT ARMED: actions are blocked for this database: "
is "with its hold" "$(protected)" 1

# ---- another lease for a time, then the first one ----
clean
epoch() { grep "name=$1" requests | tail -n 1 | jq -r .body | jq -r .epoch; }
named() { # LEASE
	config ", lease: gs://lab-state/$1"
	sed -i '/^backup:/d' tpucost.yaml
	takes_over
}
named first
named second
run tpucost enforce resume
ahead 60
run tpucost run --once
named first
is "its epoch is above that of the database" "$(epoch second) $(epoch first)" "2 3"
run tpucost hold add one --until 3d
status "so that holds are recorded in it" 0

# ---- in a dry run the mark of a backup ends, too ----
clean
config
dry
sed -i 's,to: gs://lab-state/copy,to: gs://lab-state/dry,' tpucost.yaml
run tpucost run --once
run tpucost backup safe.db
restored
ahead 60
run tpucost run --once
is "the restored database is in use" "$(sqlite3 t.db "SELECT (SELECT COUNT(*) FROM meta WHERE key = 'backup') || event FROM audit_entry ORDER BY seq DESC LIMIT 1")" 0restored
run tpucost hold add one --until 9d
config ", lease: gs://lab-state/sixth"
sed -i 's,to: gs://lab-state/copy,to: gs://lab-state/dry,' tpucost.yaml
takes_over
is "its hold stays" "$rc $(protected)" "0 1"
run tpucost enforce
has "it is not armed" "$out" "NOT ARMED: actions are blocked for this database: it is a backup of"

# ---- the same object ----
config ", lease: gs://lab-state/copy/tpucost.db"
run tpucost check
status "lease and copy must differ" 2
has "with its place" "$err" "lease: gs://lab-state/copy/tpucost.db is the copy of backup.to; name another object"

# ---- a backup of each cycle: it is old when a later cycle did not make one ----
set_faults() { # YAML
	printf '%s\n' "$1" | curl -sf -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null || flunk "faults" world.yaml
}
rm -f t.db* told.jsonl
config_one "notify: [{name: log, file: {path: told.jsonl}}]
backup: {to: gs://lab-state/each}"
for i in 1 2 3; do
	run tpucost run --once
	ahead 300
done
ahead 90000
run tpucost run --once
is "neither between two cycles nor after a pause" "$(sqlite3 t.db "SELECT COUNT(*) FROM alert WHERE rule = 'source-stale'")" 0
set_faults '- {regex: "^POST /upload.*each", status: 503}'
ahead 300
run tpucost run --once
is "nor in the cycle that is the first without one" "$(sqlite3 t.db "SELECT COUNT(*) FROM alert WHERE rule = 'source-stale'")" 0
ahead 300
run tpucost run --once
has "after it, it is old" "$out" "source-stale: backup is old"
has "with the error" "$out" "Error: backup to gs://lab-state/each: upload object: HTTP 503"
set_faults ''
ahead 60
run tpucost run --once
ahead 60
run tpucost run --once
has "until one is made" "$out" "RESOLVED warning source-stale: was: backup is old"

# ---- without a lease: a new database does not replace the backup of another one ----
shipped() { grep 'name=each%2Ftpucost.db' requests | grep -c '"status":200'; }
run tpucost backup safe.db --overwrite
before=$(shipped)
rm -f t.db*
ahead 60
run tpucost run --once
status "a new database on the same prefix" 4
has "does not replace it" "$err" "backup to gs://lab-state/each: gs://lab-state/each/tpucost.db is not an earlier copy of this database, and was not replaced"
is "nothing was sent" "$(shipped)" "$before"
run tpucost sources --format csv --where "source = 'backup'"
has "sources says so" "$out" "is not an earlier copy of this database"
install -m 600 safe.db t.db
rm -f t.db-wal t.db-shm
ahead 60
run tpucost run --once
is "a restored one goes on" "$(shipped)" $((before + 1))
set_faults '- {regex: "^POST /upload.*each", status: 503}'
ahead 60
run tpucost run --once
set_faults ''
ahead 60
run tpucost run --once
is "and one whose reply was lost" "$rc $(shipped)" "0 $((before + 2))"
rm -f t.db*
sed -i 's,lab-state/each,lab-state/typo,' tpucost.yaml
ahead 60
run tpucost run --once
status "a new database on a prefix of its own" 0
sed -i 's,lab-state/typo,lab-state/each,' tpucost.yaml
reads() { grep "o/each/tpucost.db" requests | grep -c alt=media; }
loads=$(reads)
for i in 1 2; do
	ahead 60
	run tpucost run --once
	status "which is then set to that of another one, time $i" 4
	has "does not replace it, either, time $i" "$err" "is not an earlier copy of this database, and was not replaced"
done
is "nothing was sent to that" "$(shipped)" $((before + 2))
is "and it was read once" "$(reads)" $((loads + 1))
sed -i 's,lab-state/each,lab-state/typo,' tpucost.yaml
ahead 60
run tpucost run --once
status "its own one goes on" 0
# another machine writes the object after an upload that failed
sed -i 's,lab-state/typo,lab-state/late,' tpucost.yaml
set_faults '- {regex: "^POST /upload.*late", status: 503}'
ahead 60
run tpucost run --once
set_faults ''
put late/tpucost.db safe.db
ahead 60
run tpucost run --once
has "a first upload that failed is not a copy" "$err" "gs://lab-state/late/tpucost.db is not an earlier copy of this database, and was not replaced"

# ---- a standby answers, also what is asked of BigQuery ----
rm -f t.db*
config ", lease: gs://lab-state/asked"
echo "billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55, detail: bigquery}" >>tpucost.yaml
run tpucost collect billing
sqlite3 t.db "INSERT INTO meta VALUES ('lease_standby', 'other')"
run tpucost silence forgotten --for 3d
has "a standby" "$err" "this machine is a standby: other holds the lease"
run tpucost cost --by owner --since 9d --format csv
status "it asks about owners" 0
has "and answers" "$out" ada
run tpucost cost --format focus
status "and about each line of the bill" 0

# ---- a command that writes and hangs ----
rm -f t.db*
config ", lease: gs://lab-state/hangs"
sed -i '/^backup:/d' tpucost.yaml
takes_over
left_out() {
	run flock t.db.lock "$B/tpucost" run --once -q
}
renewals() { grep -c 'name=hangs' requests; }
before=$(renewals)
ahead 1740
left_out
is "the lease is renewed for 30 minutes" "$rc $(renewals) $err" "0 $((before + 1)) "
ahead 60
left_out
status "then the cycle that is left out fails" 1
has "with the reason" "$err" "no cycle was possible for 30 minutes, and another machine may take over the lease gs://lab-state/hangs: another tpucost is polling into"
is "the lease is not renewed" "$(renewals)" $((before + 1))
