# acts
# Two machines with two databases share a lease in Cloud Storage: one acts. A standby takes over when it has seen the same
# generation for twice the time of the lease, restores the backup and continues warnings. Nothing is acted on twice, nor
# without knowledge of what a user decided on the other machine.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: two
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
instances:
  - {zone: us-central1-a, name: one, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: two, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: three, type: n1-standard-4, created: -26h}
buckets: [{name: lab-state, location: us-central1}]
operations: {looks: 1, seconds: 0s}
W
rules() { # GRACE
	printf 'rules:\n  - name: forgotten\n    on: resources\n    where: "kind = %svm%s AND state = %srunning%s"\n' "'" "'" "'" "'"
	printf '    then: {action: stop, grace: %s, armed: true}\n' "$1"
}
config() { # LINES
	config_one "notify: [{name: log, file: {path: ../told.jsonl}}]
$(rules 30m)
enforcement: {mode: armed, projects: [lab-one], lease: gs://lab-state/tpucost/lease, max_per_run: 9, max_per_hour: 9, max_per_rule_hour: 9, max_share: 100}
${1-"backup: {to: gs://lab-state/tpucost}"}"
}
monotonic=0
ahead() { # SECONDS: both clocks
	monotonic=$((monotonic + $1))
	ln -sfT $monotonic .test/mono.new && mv -T .test/mono.new .test/mono
	set_clock =$(($(date +%s) + $1))
}
on() { # MACHINE COMMAND...
	TPUCOST_CONFIG=$work/$1/tpucost.yaml
	shift
	run "$@"
}
db() { sqlite3 "$1/t.db" "$2"; }
stops() { grep '"path":"[^"]*/stop"' requests | sed 's/.*instances\/\([a-z]*\)\/stop.*/\1/' | sort | tr '\n' ' '; }
lease() { # FILTER: of its newest content
	grep 'name=tpucost%2Flease' requests | grep '"status":200' | tail -n 1 | jq -r .body | jq -r "$1"
}
warned() { jq -r '.report.actions[]? | select(.event == "warning") | .name' told.jsonl | sort | tr '\n' ' '; }
objects() { # YAML
	printf '%s\n' "$1" | curl -sf -X POST --data-binary @- "$url/_sandbox/world/patch" >/dev/null || flunk "patch" world.yaml
}
set_faults() { # YAML
	printf '%s\n' "$1" | curl -sf -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null || flunk "faults" world.yaml
}
ln -sfT 0 .test/mono
TEST_MONOTONIC=$work/.test/mono
export TEST_MONOTONIC
set_clock =$NOW
start_sandbox world.yaml
for m in a b; do
	mkdir $m
	config
	mv tpucost.yaml $m/
	cp service-account.json $m/
done

# ---- the first one ----
on a tpucost run --once
is "nobody has the lease yet" "$rc" 0
has "it waits for it" "$err" "standby: no machine holds the lease gs://lab-state/tpucost/lease"
is "and polls nothing" "$(grep -c aggregated/instances requests)" 0
ahead 60
on a tpucost run --once
has "still" "$err" "standby: no machine"
ahead 60
on a tpucost run --once
has "it takes the free lease" "$err" "holds the lease gs://lab-state/tpucost/lease now, in epoch 1"
is "the epoch is in the lease" "$(lease .epoch)" 1
is "it is ready" "$(lease .ready)" true
is "it warns" "$(warned)" "one three two "
has "and copies the database" "$(cat requests)" '"path":"/upload/storage/v1/b/lab-state/o","query":"uploadType=media&name=tpucost%2Ftpucost.db'
refuses() { # WHAT MACHINE TEXT
	for c in "import bill.json" "silence forgotten --for 3d" "silence remove 1" "db forget bill.json" "notify retry log"; do
		# shellcheck disable=SC2086
		on $2 tpucost $c
		is "$1: $c fails" "$rc $(printf %s "$err" | grep -c "tpucost: nothing was recorded$3")" "1 1"
	done
	is "$1: nothing is recorded" "$(db $2 'SELECT COUNT(*) FROM silence')" 0
}
: >bill.json
refuses "a standby that did not run yet" b ", because this machine is a standby: $(hostname) holds the lease gs://lab-state/tpucost/lease in epoch 1; run the command on the machine that holds the lease"
set_faults '- {regex: "^GET /storage/v1/b/lab-state/o/tpucost/lease", status: 503}'
refuses "while the lease cannot be read" a ": lease gs://lab-state/tpucost/lease: read object: HTTP 503"
set_faults ''
on a tpucost silence forgotten --subject lab-one/vm/us-central1-a/one --for 1m
is "the holder records it" "$rc $(db a 'SELECT COUNT(*) FROM silence')" "0 1"
on a tpucost silence remove 1
is "and removes it" "$rc $(db a 'SELECT COUNT(*) FROM silence')" "0 0"
ahead 60
on b tpucost run --once
has "the other one stands by" "$err" "standby: $(hostname) holds the lease"
is "without an error" "$rc" 0
on b tpucost enforce
has "it says so" "$out" "STANDBY: $(hostname) holds the lease. This machine does not act, poll or send messages."
on b tpucost status
has "and on the status screen" "$(tr -s ' \n' '  ' <stdout)" "This machine is a standby: $(hostname) holds the lease, and this one does not poll."
on b tpucost enforce halt
on b tpucost enforce resume
is "halts on it are no decisions that its copy lacks later" "$rc $(lease .halted)" "0 null"
on a tpucost enforce
is "the holder does not" "$(printf %s "$out" | grep -c STANDBY)" 0
ahead 60
on a tpucost run --once
on b tpucost run --once
ahead 60
on a tpucost run --once
on b tpucost run --once
has "however long: the generation changes" "$err" "standby: $(hostname) holds"
for i in 1 2 3; do
	ahead 60
	on a flock a/t.db.lock "$B/tpucost" run --once
	has "a command writes, minute $i" "$err" "this cycle is left out"
	on b tpucost run --once
	has "the lease is renewed, minute $i" "$err" "standby: $(hostname) holds"
done
on b flock b/t.db.lock "$B/tpucost" run --once
is "a standby takes nothing by that" "$(lease .owner | sed 's/.*://')" "$(stat -c %i a/t.db)"
on b tpucost enforce --apply
is "it does not act on request either" "$rc" 3
on b tpucost hold add one --until 3d
is "a hold where it would have no effect fails" "$rc" 1
has "it names the machine" "$err" "nothing was recorded, because this machine is a standby: $(hostname) holds the lease gs://lab-state/tpucost/lease; run the command on the machine that holds the lease"
is "the hold is not kept for later" "$(lease .decided) $(db b 'SELECT COUNT(*) FROM hold')" "0 0"
for c in "import bill.json" "silence forgotten --for 3d" "silence remove 1" "hold remove one" "db forget bill.json" "notify retry log"; do
	# shellcheck disable=SC2086
	on b tpucost $c
	is "so does $c" "$rc $(printf %s "$err" | grep -c 'nothing was recorded, because this machine is a standby')" "1 1"
done
on b tpucost db compact
is "upkeep of its database does not" "$rc" 0
on b tpucost collect
is "nor does a poll that a person asks for" "$rc" 0
has "it stores it" "$out" "complete"

# ---- it acts, and dies ----
ahead 1800
on a tpucost run --once
is "all were stopped" "$(stops)" "one three two "
is "the epoch is in the audit" "$(db a "SELECT DISTINCT json_extract(detail, '\$.epoch') FROM audit_entry WHERE event = 'intent'")" 1
is "a backup has it all" "$(lease '.acted | length')" 0
objects 'instances: [{zone: us-central1-a, name: four, type: n1-standard-4, created: -1m}]'
ahead 60
on a tpucost run --once
objects 'instances: [{zone: us-central1-a, name: five, type: n1-standard-4, created: -1m}]'
ahead 60
on a tpucost run --once
is "both were warned" "$(warned)" "five four one three two "
set_faults '- {regex: "^POST /upload.*tpucost.db", status: 503}'
ahead 1740
on a tpucost run --once
is "one is stopped" "$(stops)" "four one three two "
is "the backup failed" "$rc" 4
has "and it says so" "$err" "backup to gs://lab-state/tpucost: upload object: HTTP 503"
is "the lease has the machine" "$(lease '.acted[].resource')" lab-one/vm/us-central1-a/four
set_faults ''
objects 'instances: [{zone: us-central1-a, name: four, status: RUNNING, started: -1s}]'

# ---- the other one takes over ----
on b tpucost run --once
has "no machine takes over at once" "$err" "standby: $(hostname) holds"
ahead 60
on b tpucost run --once
has "nor before twice the time of the lease" "$err" "standby: $(hostname) holds"
ahead 60
on b tpucost run --once
has "it takes over" "$err" "holds the lease gs://lab-state/tpucost/lease now, in epoch 2; before: $(hostname)"
has "with the backup" "$err" "restored the database from gs://lab-state/tpucost; the former one is"
has "the audit has the take-over" "$(db b "SELECT event, detail FROM audit_entry WHERE event = 'lease-taken' ORDER BY seq DESC LIMIT 1")" '"epoch":2'
is "what was warned is stopped, and nothing twice" "$(stops)" "five four one three two "
is "what the other one stopped after its backup is warned again" "$(warned)" "five four four one three two "
is "the former database is kept" "$(sqlite3 b/t.db.replaced "SELECT value FROM meta WHERE key = 'lease_standby'")" "$(hostname)"
run_in_b=$(db b 'PRAGMA integrity_check')
is "the database is whole" "$run_in_b" ok
on b tpucost audit verify
is "and its audit" "$rc" 0
refuses "the first one, which had no cycle since" a ", because this machine is a standby: $(hostname) holds the lease gs://lab-state/tpucost/lease in epoch 2; run the command on"
ahead 60
on a tpucost run --once
has "the first one stands by when it is back" "$err" "standby: $(hostname) holds"
is "and does nothing" "$(stops)" "five four one three two "

# ---- decisions of users ----
on b tpucost hold add four --until 3d
is "a hold where it has an effect" "$rc" 0
is "is noted in the lease" "$(lease .decided)" "$(db b 'SELECT MAX(seq) FROM audit_entry')"
ahead 60
on a tpucost run --once
ahead 60
on a tpucost run --once
ahead 60
on a tpucost run --once
has "a machine without that hold takes over" "$err" "in epoch 3"
has "and is not armed" "$err" "NOT ARMED: actions are blocked for this database: a decision of a user on $(hostname) is missing here"
ahead 1800
on a tpucost run --once
ahead 60
on a tpucost run --once
has "no backup replaces that of a machine with the hold, and why" "$(db a "SELECT summary FROM alert WHERE rule = 'source-stale'")" " Error: not made: actions are blocked for this database: a decision of a user on $(hostname) is missing here"
is "nothing is stopped" "$(stops)" "five four one three two "
on a tpucost enforce resume
is "a user lets it act" "$rc" 0
ahead 60
on a tpucost run --once
ahead 1860
on a tpucost run --once
is "after a new warning" "$(stops)" "five four four one three two "

# ---- halt from anywhere ----
objects 'instances: [{zone: us-central1-a, name: six, type: n1-standard-4, created: -1m}]'
ahead 60
on a tpucost run --once
on b tpucost enforce halt
is "the standby halts all" "$rc" 0
ahead 1860
on a tpucost run --once
has "the holder obeys" "$(db a "SELECT held || ' ' || reason FROM action WHERE name = 'six'")" "lease everything was halted by user"
is "nothing is sent" "$(stops)" "five four four one three two "
set_faults '- {regex: "^GET /storage/v1/b/lab-state/o/tpucost/lease", status: 503}'
on b tpucost enforce halt
is "a halt that does not reach the lease fails" "$rc" 1
has "and says so" "$err" "NOT halted on other machines"
set_faults ''
on b tpucost enforce resume
ahead 60
on a tpucost run --once
is "resumed from there, it acts" "$(stops)" "five four four one six three two "
on a tpucost enforce halt
ahead 60
on a tpucost run --once
on b tpucost enforce resume
has "a halt file of the holder stays" "$err" "tpucost: $(hostname) is halted while it has $work/a/halt"
on a tpucost enforce resume
is "it is removed there, without that warning" "$(printf '%s\n' "$err" | grep -v "^the halt of all machines")" "$work/a/halt was removed
enforcement resumed: mode armed"

# ---- what is wrong with the object ----
objects 'instances: [{zone: us-central1-a, name: seven, type: n1-standard-4, created: -1m}]'
ahead 60
on a tpucost run --once
acts_not() { # WHY TEXT
	ahead 1860
	on a tpucost run --once
	has "$1" "$err" "$2"
	is "$1: the inventory is current" "$(printf %s "$out" | grep -c 'DATA STALE')" 0
	has "$1: why there is no backup" "$(db a "SELECT error FROM source_status WHERE source = 'backup'")" "not made: the lease is unknown: "
	has "$1: polls and reports go on" "$(db a "SELECT state FROM action WHERE name = 'seven'")" recheck
	is "$1: nothing is sent" "$(stops)" "five four four one six three two "
}
set_faults '- {regex: "storage/v1/b/lab-state/o.*lease", status: 403, reason: forbidden}'
acts_not "no permission" "lease gs://lab-state/tpucost/lease: read object: HTTP 403"
set_faults '- {regex: "upload/storage/v1/b/lab-state/o.*lease", status: 503}'
acts_not "not written" "lease gs://lab-state/tpucost/lease: write object: HTTP 503"
set_faults ''
objects '{remove: {objects: [{name: lab-state/tpucost/lease}]}}'
objects 'objects: [{name: lab-state/tpucost/lease, text: "{\"name\": \"not a lease\"}"}]'
written() { grep -c 'name=tpucost%2Flease' requests; }
before=$(written)
acts_not "another object" "lease gs://lab-state/tpucost/lease: the object is not a lease of tpucost"
is "which is not changed" "$(written)" "$before"
objects '{remove: {objects: [{name: lab-state/tpucost/lease}]}}'
ahead 60
on a tpucost run --once
has "a deleted lease" "$err" "standby: no machine holds the lease"
ahead 60
on a tpucost run --once
ahead 60
on a tpucost run --once
has "begins again after that time" "$err" "in epoch 4"
case $err in
*restored*) flunk "without the own backup, which is older" world.yaml ;;
*) pass "without the own backup, which is older" ;;
esac
has "it is not armed: another machine may have acted" "$err" "NOT ARMED: actions are blocked for this database: the lease was deleted"
is "and nothing is sent" "$(stops)" "five four four one six three two "
on a tpucost enforce resume
ahead 60
on a tpucost run --once
ahead 1860
on a tpucost run --once
is "after a user resumed, it acts" "$(stops)" "five four four one seven six three two "

# ---- a holder whose database cannot be used ----
db a "CREATE TRIGGER full BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'disk full'); END;
	CREATE TRIGGER fuller BEFORE UPDATE ON source_status BEGIN SELECT RAISE(ABORT, 'disk full'); END"
ahead 60
on a tpucost run --once
is "its cycle fails" "$rc" 1
has "it gives the lease up" "$err" "tpucost: released the lease gs://lab-state/tpucost/lease: another machine may take it over"
is "the object says so" "$(lease '[.owner, .host, .from == "'"$(hostname)"'"] | join(" ")')" "  true"
db a "DROP TRIGGER full; DROP TRIGGER fuller"
on a tpucost run --once
on b tpucost run --once
ahead 61
on a tpucost run --once
on b tpucost run --once
ahead 61
on a tpucost run --once
has "it does not take it over itself" "$err" "standby: no machine holds the lease"
on b tpucost run --once
has "the other one does" "$err" "holds the lease gs://lab-state/tpucost/lease now, in epoch 5; before: $(hostname)"

# ---- doctor ----
on a tpucost doctor lease
has "the permissions are checked" "$out" "can use the lease gs://lab-state/tpucost/lease"
objects 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.*", "storage.objects.get"]}]'
on a tpucost doctor lease
has "missing ones are named" "$out" "cannot use the backup gs://lab-state/tpucost: storage.objects.list, storage.objects.create, storage.objects.delete"
has "with the command" "$out" "gcloud storage buckets add-iam-policy-binding gs://lab-state"
config ''
mv tpucost.yaml a/
on a tpucost doctor lease
has "a lease without a backup" "$out" "there is a lease but no backup"
sed -i 's/lease: gs[^,]*/lease: "gs:\/\/x"/' a/tpucost.yaml
on a tpucost check
is "a wrong URL" "$rc" 2
has "has its place" "$err" "tpucost.yaml:12:"
has "and what is expected" "$err" "'gs://x' is not an object of Cloud Storage (expected gs://BUCKET/NAME)"
