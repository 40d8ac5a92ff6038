# Acting on demand: what is due is done once, the rest is not, and the view of actions tells it.
# acts
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"

setup() { # MODE GRACE ARMED
	write_config "rules:
  - use: tpu-not-covered
    then: {action: stop, grace: $2, armed: $3}
notify:
  - name: log
    file: {path: alerts.jsonl}
enforcement: {mode: $1, projects: [lab-one]}"
}
changes() {
	jq -c 'select(.mutating == true) | [.method, .path]' requests
}
action() { # COLUMNS
	tpucost sql "SELECT $1 FROM actions WHERE name = 'wrong'" --format json | jq -c '.[] | [.[]]'
}

# ---- dry runs ------------------------------------------------------------------------------------

setup dry-run 0m true
run tpucost enforce --apply
status "it looks first, and needs no database yet" 0
has "the plan of what is left" "$out" "stop wrong (v3-8): due now"
is "nothing is done" "$(changes)" ""
is "nobody is warned" "$(grep -c 'will be stopped' alerts.jsonl)" 0
is "it is followed all the same" "$(action "mode, state, stage, held")" '["dry-run","held","recheck","mode"]'
is "the plan has its number" "$(tpucost enforce --format json | jq -c '.[] | select(.name == "wrong") | [.id > 0, .state, .stage, .blocked_by]')" \
	'[true,"held","recheck","mode"]'
run tpucost enforce --exit-code
status "it would be done" 3

# ---- armed -----------------------------------------------------------------------------------------

setup armed 30m true
run tpucost enforce
has "what was a dry run begins anew" "$(printf '%s' "$out" | tr -s '\n ' ' ')" \
	"which the next run starts again, with a warning, because the rule or the mode was changed"
is "with a whole grace" "$(printf '%s' "$out" | grep -c 'stop wrong (v3-8): not before')" 1
has "times have a zone" "$out" "Times are in UTC."
run tpucost enforce --apply
status "within the grace" 0
has "who runs it sees what will happen" "$err" "tpucost: WILL BE STOPPED lab-one/tpu/us-central1-a/wrong (rule tpu-not-covered) at 2"
has "and what prevents it" "$err" "; to prevent it, run: tpucost hold add lab-one/tpu/us-central1-a/wrong --until 2"
is "nothing is done yet" "$(changes)" ""
is "it is another action" "$(tpucost sql "SELECT mode, state FROM actions WHERE name = 'wrong' ORDER BY id" --format json | jq -c '[.[] | [.[]]]')" \
	'[["dry-run","superseded"],["armed","grace"]]'
is "with an end of its grace" "$(tpucost enforce --format json | jq -c '.[] | select(.name == "wrong") | [.state, .blocked_by, .warned != null, .due > .warned, .todo]')" \
	'["grace",null,true,true,1]'
is "30 minutes after the warning" "$(sqlite3 t.db "SELECT due - warned FROM action WHERE ended IS NULL AND name = 'wrong'")" 1800

later=$(day 2)
setup armed 30m true
printf '  windows: [{days: %s, from: "09:00", to: "18:00"}]\n' \
	"$(day 2 %a | tr 'A-Z' 'a-z')" >window
sed -i 's/^enforcement: {mode: armed, projects: \[lab-one\]}/enforcement:\n  mode: armed\n  projects: [lab-one]/' tpucost.yaml
cat window >>tpucost.yaml
tpucost hold add wrong --until 1d -q
tpucost enforce --apply >/dev/null 2>&1
tpucost hold remove wrong -q
run tpucost enforce --apply
opens="not before the window opens: $(day 2 %a) $later 09:00 (UTC)"
has "outside the windows who runs it sees when one opens" "$err" \
	"tpucost: WILL BE STOPPED lab-one/tpu/us-central1-a/wrong (rule tpu-not-covered) $opens; to prevent it, run: "
has "the plan has it too" "$(printf '%s' "$out" | tr -s '\n ' ' ')" "stop wrong (v3-8): $opens"
has "and the message" "$(tail -n 1 alerts.jsonl)" "wrong will be stopped, $opens"
is "for programs" "$(tpucost enforce --format json | jq -r '.[] | select(.name == "wrong") | .due')" "${later}T09:00:00Z"

setup armed 0m true
run tpucost enforce --apply
status "due" 0
is "one call" "$(changes)" '["POST","/v2/projects/lab-one/locations/us-central1-a/nodes/wrong:stop"]'
has "said" "$err" "STOPPED lab-one/tpu/us-central1-a/wrong"
has "the plan of what is left" "$out" "used 1 of 5 per hour"
is "the columns of the contract" "$(tpucost sql "SELECT rule, resource, uid <> '' AS uid, action, mode, state, at IS NOT NULL AS at, reason FROM actions WHERE stage = 'done'" --format json | jq -c '.[0] | [.[]]')" \
	'["tpu-not-covered","lab-one/tpu/us-central1-a/wrong",1,"stop","armed","done",1,"stopped; confirmed by Google"]'
is "with what Google calls it, and the way back" "$(tpucost sql "SELECT operation, restart FROM actions WHERE stage = 'done'" --format json | jq -c '.[0] | [(.operation | startswith("projects/lab-one/locations/us-central1-a/operations/")), (.restart | startswith("gcloud compute tpus tpu-vm start wrong"))]')" \
	'[true,true]'
is "what it saves" "$(tpucost sql "SELECT saves_per_hour, currency FROM actions WHERE stage = 'done'" --format json | jq -c '.[0] | [.[]]')" '[8,"USD"]'
run tpucost enforce --all
has "what is over" "$out" "stop wrong (v3-8): done "
has "the way back, to paste" "$out" "
    to start it again:
      gcloud compute tpus tpu-vm start wrong --zone us-central1-a --project lab-one
"
is "what never happened saves nothing" "$(printf '%s' "$out" | grep 'superseded 20' | grep -c saves)" 0

run tpucost status --format json
status "the last poll saw it run" 0
is "it is not advised to stop it once more" "$(printf '%s' "$out" | jq '[.do_now[] | select(.name == "wrong")] | length')" 0
is "but said" "$(printf '%s' "$out" | jq -r '.section_notes.do_now' | grep -c '^wrong: stopped by tpucost at [0-9:]*; the next poll will show it')" 1

run tpucost enforce --apply
status "again" 0
is "is not done again" "$(changes | wc -l)" 1
tpucost collect -q
is "then nothing is said any more" "$(tpucost status | grep -c 'the next poll will show it')" 0
run tpucost enforce
is "a new poll sees it stopped" "$(printf '%s' "$out" | grep -c 'stop wrong')" 0
run tpucost enforce --apply --exit-code
status "nothing is left that could be done" 0

# ---- why -------------------------------------------------------------------------------------------

n=$(sqlite3 t.db "SELECT action FROM action WHERE state = 'done'")
run tpucost why "action:$n" --format json
status "why an action" 0
why() { # LABEL: its value
	printf '%s' "$out" | jq -r --arg l "$1" '.[] | select(.label == $l) | .value'
}
is "how it stands" "$(why machine) $(why action) $(why state) $(why why)" \
	"lab-one/tpu/us-central1-a/wrong stop, armed done stopped; confirmed by Google"
is "what it saves" "$(why saves) $(why "still costs")" "8 0"
has "the way back" "$(why "restarted by")" "gcloud compute tpus tpu-vm start wrong"
is "what happened, from the audit" "$(printf '%s' "$out" | jq -r '[.[] | select(.section == "History, newest first") | .value | split(":")[0]] | join(" ")')" \
	"done verify sent intent recheck warning began"
has "with its entry" "$(printf '%s' "$out" | jq -r '[.[] | .source | select(. != null)][0]')" "audit "
run tpucost why wrong --format json
is "why a machine: all that was done to it" "$(printf '%s' "$out" | jq -r '[.[] | select(.section == "Actions of rules on it, newest first") | .label] | join(" ")')" "action:$n action:5 action:3 action:1"
has "dry runs too" "$(why action:1)" "stop by tpu-not-covered, dry-run, superseded since"
run tpucost why action:999
status "there is none of that number" 2
run tpucost why action:1x
status "that is no number" 2

# ---- rules on actions, and what the rules say ----------------------------------------------------

write_config "rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
  - name: stopped
    on: actions
    where: state = 'done'
    severity: info
    summary: \"{name}: {action} by {rule}, saves {saves_per_hour} {currency}/h\""
run tpucost check
status "actions are a view of rules" 0
run tpucost rules explain stopped
has "and match" "$out" "wrong: stop by tpu-not-covered, saves 8"
run tpucost rules explain tpu-not-covered
has "a rule says what it does" "$out" "then      stop after a grace of 30m, armed"
is "also in the list" "$(tpucost rules list --format json | jq -c '[.[] | select(.then != null) | [.name, .then, .grace, .armed]]')" \
	'[["tpu-not-covered","stop","30m",1]]'
is "rules that only tell say nothing" "$(tpucost rules list --format json | jq -c '[.[] | select(.then == null) | [.grace, .armed]] | unique')" '[[null,null]]'

# ---- what waits for a person ------------------------------------------------------------------------

write_config "rules:
  - {name: all, on: resources, where: kind = 'vm' AND name = 'big', then: {action: stop, armed: true}}
notify:
  - name: log
    file: {path: alerts.jsonl}
enforcement: {mode: armed, projects: [lab-one], max_per_run: 0}"
tpucost enforce --apply -q 2>/dev/null
n=$(sqlite3 t.db "SELECT action FROM action WHERE held = 'caps'")
run tpucost enforce
has "what lets it happen, to paste" "$out" "
    to allow it:
      tpucost enforce approve $n
"

# ---- in a terminal -----------------------------------------------------------------------------------

terminal() {
	COLUMNS=80 NO_COLOR=1 script -qec "'$B/tpucost' $*" /dev/null | tr -d '\r'
}
is "times of the audit are whole" "$(terminal audit -n 3 | grep -cE '^ *[0-9]+  20[0-9-]{8} [0-9:]{5}  ')" 3
is "so is the end of what it was done to" "$(terminal audit --where "\"event = 'sent'\"" | grep -c 'a/wrong  Google')" 1
for c in 'audit' 'rules replay all --since 1d'; do
	is "$c is within 80 columns" "$(terminal "$c" | grep '20[0-9-]*Z  ' | awk '{ gsub("…", "."); if (length($0) > 80) n++ } END { print n + 0 }')" 0
done
