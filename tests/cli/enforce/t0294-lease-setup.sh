# acts
# Setting up a lease: a wrong bucket, a database that was in use before, and decisions of users while no machine holds it.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: one
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
instances: [{zone: us-central1-a, name: one, type: n1-standard-4, created: -26h}]
buckets: [{name: lab-state, location: us-central1}]
W
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
has "its holds are not forgotten" "$err" "NOT ARMED: actions are blocked for this database: decisions of users in the former database, $work/t.db.replaced, are missing here"

# ---- the same object ----
config ", lease: gs://lab-state/copy/tpucost.db"
run tpucost check
status "lease and copy must differ" 2
has "with its place" "$err" "lease: gs://lab-state/copy/tpucost.db is the copy of backup.to; name another object"
