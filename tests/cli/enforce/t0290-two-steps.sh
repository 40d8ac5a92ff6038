# acts
# A rule of two steps: a forgotten machine is stopped after half an hour and deleted a week later, with a warning
# before each; whoever starts it, holds it or takes it over keeps it. A dead request is deleted after two days.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: reaper
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, europe-west4-a]
instances:
  - {zone: us-central1-a, name: idle, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: used, type: n1-standard-4, created: -26h}
  - {zone: us-central1-a, name: held, type: n1-standard-4, created: -26h}
disks:
  - {zone: us-central1-a, name: idle, type: pd-ssd, size_gb: 250, users: [idle], keep: true}
queued:
  - {zone: europe-west4-a, name: dead, type: v6e-16, state: SUSPENDED, created: -26h, spot: true}
operations: {looks: 1, seconds: 0s}
W
config() { # ENFORCEMENT ARMED
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
  - name: forgotten
    on: resources
    where: kind = 'vm' AND state = 'running'
    then:
      - {action: stop, grace: 30m, armed: $2}
      - {action: delete, after: 7d, armed: $2, allow_delete: true}
  - use: tpu-leftover
    then: {action: delete, after: 2d, grace: 1d, armed: $2, allow_delete: true}
enforcement: {mode: $1, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_share: 100}"
}
db() { sqlite3 t.db "$1"; }
ahead() { # SECONDS: from now
	set_clock =$(($(date +%s) + $1))
	run tpucost run --once
}
changes() {
	grep '"mutating":true' requests | sed 's/.*"method":"\([A-Z]*\)","path":"\([^"]*\)".*/\1 \2/; s/ .*\// /'
}
told() { # NAME: warnings that it will be deleted
	jq -r '.report.actions[]? | select(.event == "warning" and .action == "delete") | .name' told.jsonl | grep -c "^$1\$"
}
day=86400
start_sandbox world.yaml
set_clock =$NOW

# ---- a dry run: a week ahead, nothing is sent ----
config dry-run false
run tpucost run --once
run tpucost enforce idle
has "the second step and its time are told" "$(echo "$out" | tr -s ' \n' ' ')" \
	"grace; deleted 7d later, not before $(at $((7 * day + 1800)) '%Y-%m-%d %H:%M') (not armed)"
run tpucost enforce dead --format json
is "when a dead request would be deleted" "$(echo "$out" | jq -r '.[0].due')" "$(at $((2 * day)))"
i=0
while [ $i -lt 7 ]; do
	ahead $day
	i=$((i + 1))
done
is "a week of it changes nothing" "$(changes)" ""
run tpucost enforce
has "what would be deleted, and when" "$out" "delete dead (v6e-16): due now"

# ---- armed ----
rm -f t.db* told.jsonl
set_clock =$NOW
curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null || flunk "world" world.yaml
: >requests
config armed true
run tpucost run --once
ahead 1800
ahead 60
is "all three are stopped" "$(changes | sort | tr '\n' ' ')" "POST stop POST stop POST stop "
is "a second step has begun for each" \
	"$(db "SELECT COUNT(*) FROM action WHERE verb = 'delete' AND state = 'pending' AND follows IN (SELECT action FROM action WHERE state = 'done')")" 3
run tpucost enforce idle
has "it is in the plan" "$out" "delete idle"
has "with the day" "$out" "not before $(day 7)"
run tpucost why action:"$(db "SELECT action FROM action WHERE name = 'idle' AND verb = 'delete'")"
has "why says what it follows" "$out" "action $(db "SELECT follows FROM action WHERE name = 'idle' AND verb = 'delete'") stopped it"
is "nobody is warned a week ahead" "$(told idle)" 0
run tpucost hold add held --until "$(day 2)"
ahead $day
is "the dead request is warned of, a day ahead" "$(told dead)" 1
ahead $day
is "and deleted: nothing else" "$(changes | tail -n 1)" "DELETE dead"
ahead 120
run tpucost enforce --all
has "the receipt has the quota" "$(cat told.jsonl)" "It freed 16 v6e chips of quota in europe-west4."
curl -sS -X POST -H "Authorization: Bearer $(curl -sS -H 'Metadata-Flavor: Google' \
	"$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)" \
	"$url/compute/v1/projects/lab-one/zones/us-central1-a/instances/used/start" >/dev/null
ahead 120
ahead $((4 * day))
is "no machine is deleted before its time" "$(changes | grep -c DELETE)" 1
ahead $((day - 1500))
is "the day before, a warning" "$(told idle)" 1
is "of that machine only" "$(told held) $(told used)" "0 0"
ahead $day
ahead 120
is "then it is deleted" "$(changes | grep DELETE | tr '\n' ' ')" "DELETE dead DELETE idle "
is "once, and for good" "$(db "SELECT state FROM action WHERE name = 'idle' AND verb = 'delete'")" done
is "its disk was to stay" "$(db "SELECT name FROM resource WHERE kind = 'disk'")" idle
is "the held one waits seven days from the end of its hold" \
	"$(db "SELECT MAX(action), state FROM action WHERE name = 'held' AND verb = 'delete'" | cut -d'|' -f2)" pending
is "the one that was started is stopped again, and has another week" \
	"$(db "SELECT group_concat(verb || ' ' || state, ', ') FROM (SELECT * FROM action WHERE name = 'used' ORDER BY action)")" \
	"stop done, delete cleared, stop cleared, stop done, delete pending"
run tpucost audit verify
status "the audit is whole" 0

# ---- requests that wait are no share of what runs ----
set_clock =$NOW
curl -sf -X POST --data-binary @- "$url/_sandbox/world" >/dev/null <<W || flunk "world" waits
name: waits
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a]
queued: [$(for i in 1 2 3; do printf '{zone: europe-west4-a, name: waits-%s, type: v6e-16, state: WAITING_FOR_RESOURCES, created: -50h},' $i; done)
  {zone: europe-west4-a, name: begins, type: v6e-16, state: PROVISIONING, created: -50h}]
operations: {looks: 1, seconds: 0s}
W
rm -f t.db* told.jsonl
: >requests
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'queued' AND age_hours > 48" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_per_rule_hour: 9}"
run tpucost run --once
ahead 120
ahead 120
is "those that wait are deleted" "$(changes)" "DELETE waits-1
DELETE waits-2
DELETE waits-3"
is "one that begins to run is not" "$(db "SELECT state, held FROM action WHERE name = 'begins'")" "pending|state"

# ---- as the configuration has them ----
steps() { # NAME WANT VALUE: of then
	printf '%s\n' "database: t.db
projects: [lab-one]
rules:
  - {name: r, on: resources, where: kind = 'vm', then: $3}" >good.yaml
	run tpucost rules explain r --config good.yaml
	is "$1" "$(echo "$out" | tr -s '\n ' '  ' | sed 's/.* warning then //; s/ from good.*//')" "$2"
}
steps "a step alone, as a list" "stop after a grace of 30m, armed" '[{action: stop, grace: 30m, armed: true}]'
steps "two steps" "stop after a grace of 0, armed; then delete 7d later, after a grace of 24h, not armed" \
	'[{action: stop, armed: true}, {action: delete, after: 7d}]'
steps "all three" "stop after a grace of 0, not armed; then delete 6h later, after a grace of 6h, not armed" \
	'[{action: notify}, {action: stop}, {action: delete, after: 6h}]'
steps "a deletion without a stop" "delete 3d later, after a grace of 2d, not armed" \
	'[{action: notify}, {action: delete, after: 3d, grace: 2d}]'
