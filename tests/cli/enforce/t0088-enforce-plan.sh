# What enforcement would do: shown, with all that is in the way; nothing written, nobody asked.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"

STOP_TPU="rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m}"
BOTH="$STOP_TPU
  - name: any-vm
    on: resources
    where: kind = 'vm' AND state = 'running'
    for: 10m
    then: {action: stop, armed: true}"

flat() {
	tr -s ' \n' ' ' <stdout
}
# one JQ-FILTER: of the plan as JSON
one() {
	tpucost enforce --format json | jq -c "$1"
}
stored() {
	cat t.db t.db-wal 2>/dev/null | sha256sum
}

# ---- before anything is there --------------------------------------------------------------------

write_config
run tpucost enforce
status "without a database" 1
has "what to do" "$err" "tpucost collect"
tpucost collect -q
run tpucost enforce
status "no rule acts" 0
has "that is said" "$out" "No rule has \`then: {action: stop}\`"
has "and where to read on" "$out" "tpucost help enforce"
is "as JSON" "$(one .)" "[]"
run tpucost enforce --exit-code
status "nothing to do" 0

# ---- the plan ------------------------------------------------------------------------------------

write_config "$BOTH"
before=$(stored) asked=$(wc -l <requests)
run tpucost enforce --dry-run
status "a plan" 0
has "the mode" "$out" "Mode dry-run: nothing is stopped."
has "how it becomes real" "$(printf '%s' "$out" | tr '\n' ' ')" "To enable actions: docs/enforce.md"
has "rules that act" "$out" "tpu-not-covered (stop after a grace of 30m, not armed)"
has "where" "$out" "Projects where actions are allowed: none"
has "limits" "$out" "Limits: 3 per run; used 0 of 5 per hour, 0 of 10 per day"
has "what would be done" "$out" "Would be done (2)"
has "what not" "$out" "Blocked (2)"
has "only switches are in the way" "$out" "only blocked by: project, armed, mode"
has "disks go on costing" "$out" "disks and addresses still cost 0.0274 USD an hour"
has "the sum" "$out" "All actions save 13.68 USD an hour (estimate)"
is "within 80 columns" "$(COLUMNS=80 tpucost enforce | awk 'length($0) > 80' | wc -l)" 0
is "the columns" "$(one '.[0] | keys_unsorted | join(" ")')" \
	'"id resource action rule due delete_due saves_per_hour residual_per_hour currency blocked_by reason reasons state stage mode todo holds kind type project location name began warned ended"'
is "what is covered is not in it" "$(one '[.[].name] | sort')" '["big","keep","slice","wrong"]'
is "an uncovered TPU" "$(one '.[] | select(.name == "wrong") | [.id, .resource, .action, .rule, .saves_per_hour, .currency, .blocked_by, .state, .mode, .todo]')" \
	'[null,"lab-one/tpu/us-central1-a/wrong","stop","tpu-not-covered",8,"USD","project,armed,mode","pending","dry-run",1]'
is "a machine, and its disk" "$(one '.[] | select(.name == "big") | [.saves_per_hour, .residual_per_hour, .blocked_by]')" \
	'[5.678544,0.02739726,"project,mode"]'
is "sentences of all guards" "$(one '.[] | select(.name == "wrong") | .reasons')" \
	'"project lab-one is not in enforcement.projects; rule tpu-not-covered is not armed; enforcement.mode is dry-run: nothing is done"'
is "the label keeps it" "$(one '.[] | select(.name == "keep") | [.reason, .todo]')" '["label tpucost-keep=forever",0]'
is "many hosts" "$(one '.[] | select(.name == "slice") | [.reason, .todo]')" \
	'["a TPU slice of several hosts cannot be stopped, only deleted",0]'
due() { # NAME: seconds from the beginning of this test
	echo $(($(date +%s --date="$(one ".[] | select(.name == \"$1\") | .due" | tr -d '"')") - NOW))
}
d=$(due big)
is "due after for" "$([ "$d" -ge 600 ] && [ "$d" -lt 1200 ] && echo yes)" yes
d=$(due wrong)
is "due after the grace" "$([ "$d" -ge 1800 ] && [ "$d" -lt 2400 ] && echo yes)" yes
run tpucost enforce --exit-code
status "something would be done" 3
run tpucost enforce --project lab-two --exit-code
status "not in that project" 0
is "of one project" "$(tpucost enforce --project lab-two --format json | jq -c '[.[].name] | sort')" '["keep","slice"]'
is "of one machine" "$(tpucost enforce vm/big --format json | jq -c '[.[].name]')" '["big"]'
is "of one TPU" "$(tpucost enforce TPU/wrong --format csv --columns name | tr -d '\r' | tr '\n' ' ')" "name wrong "
run tpucost enforce wrong --exit-code
status "of one TPU: something would be done" 3
has "only that" "$(flat)" "Would be done (1)"
has "its saving" "$(flat)" "The actions shown save 8.00 USD an hour"
run tpucost enforce good --exit-code
status "nothing on what is covered" 0
has "which is said" "$(flat)" "No actions on the selected resources."
run tpucost enforce wro
is "the beginning of a name" "$rc:$err" "2:tpucost: enforce: there is no machine or TPU 'wro'; did you mean 'lab-one/tpu/us-central1-a/wrong'?"
run tpucost enforce --format markdown
has "for pages" "$out" "| wrong | stop | tpu-not-covered | pending |"
run tpucost enforce --format csv
has "CSV" "$out" ",lab-one/tpu/us-central1-a/wrong,stop,tpu-not-covered,"
is "nothing was written" "$(stored)" "$before"
is "nobody was asked" "$(wc -l <requests)" "$asked"

# ---- modes, projects, holds ----------------------------------------------------------------------

write_config "$BOTH
enforcement: {mode: 'off'}"
run tpucost enforce --exit-code
status "off: nothing is to do" 0
has "that is said" "$out" "Mode off: nothing is planned or stopped."
is "what it would be" "$(one '[.[].todo] | add')" 0

write_config "rules:${BOTH#"$STOP_TPU"}
enforcement: {mode: armed, projects: [lab-one]}"
run tpucost enforce --exit-code
status "without a channel nobody is warned, and nothing is done" 0
has "which is said" "$(printf '%s' "$out" | tr -s '\n ' ' ')" \
	"warning: no channel in notify can send a warning, and no action is taken without one"
has "where it belongs" "$out" "Blocked (1)"
is "for programs" "$(one '.[] | select(.name == "big") | [.blocked_by, .reason, .due, .todo]')" \
	'["warning","no channel in notify can send a warning, and no action is taken without one",null,0]'

write_config "$BOTH
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: armed, projects: [lab-one]}"
run tpucost enforce --exit-code
status "armed" 3
has "is no would-be" "$out" "Planned (2)"
is "nothing is in the way" "$(one '.[] | select(.name == "big") | [.blocked_by, .mode]')" '[null,"armed"]'
is "why it is there" "$(one '.[] | select(.name == "wrong") | .blocked_by')" '"armed"'

tpucost hold add big --until 3d -q
is "held" "$(one '.[] | select(.name == "big") | [.blocked_by, .todo]')" '["exempt",0]'
has "until when" "$(one '.[] | select(.name == "big") | .reason')" "hold until"
run tpucost hold add big --until 10m --comment "bob: a copy"
status "a shorter hold" 0
is "a shorter hold: the longer one stays" "$err" \
	"lab-one/vm/us-central1-b/big is already protected until $(day 3) 10:00 UTC: its hold stays; to end it: tpucost hold remove lab-one/vm/us-central1-b/big"
is "a shorter hold: still that of the first" "$(tpucost hold list --format json | jq -c '[.[] | .until[:10], .comment]')" \
	"[\"$(day 3)\",\"\"]"
run tpucost hold add big --until 4d --comment "ada: paper"
is "a longer one replaces it" "$err" "lab-one/vm/us-central1-b/big is protected until $(day 4) 10:00 UTC"
run tpucost hold add big --until 10m
has "with its comment" "$err" "is already protected until $(day 4) 10:00 UTC (ada: paper): its hold stays"
run tpucost hold add big --until 10m -q
is "with -q, nothing" "$err" ""
tpucost hold remove big -q
is "and not any more" "$(one '.[] | select(.name == "big") | .blocked_by')" null

touch halt
run tpucost enforce
has "halted" "$out" "HALTED by $work/halt"
is "everything is" "$(one '[.[] | .blocked_by | contains("halt")] | all')" true
rm halt

# ---- money ---------------------------------------------------------------------------------------

write_config "$BOTH
  - name: any-tpu
    on: resources
    where: kind = 'tpu' AND state = 'running' AND covered = 0
    then: {action: stop}
prices: [{tpu: v3, zone: us-central1-a, per_chip_hour: 10 HKD}]"
run tpucost enforce
has "currencies are not added, machines of two rules count once" "$out" \
	"All actions save 40.00 HKD, 5.68 USD an hour (estimate)"
is "one row for each rule" "$(one '[.[] | select(.name == "wrong") | .rule] | sort')" '["any-tpu","tpu-not-covered"]'
sqlite3 t.db "UPDATE resource SET type = 'x9-odd-7' WHERE name = 'big'"
run tpucost enforce
has "a price that is not known is no 0" "$out" "save 40.00 HKD an hour (estimate); the"
is "nor in JSON" "$(one '.[] | select(.name == "big") | .saves_per_hour')" null
tpucost collect -q

# ---- age of the data -----------------------------------------------------------------------------

sqlite3 t.db "UPDATE source_status SET last_success = last_success - 86400, last_attempt = last_attempt - 86400;
	UPDATE resource SET last_seen = last_seen - 86400"
run tpucost enforce --exit-code
status "old data decides nothing" 0
has "and is said" "$err" "note: the inventory is"
is "by the guard" "$(one '.[] | select(.name == "big") | .reason')" '"vm in lab-one was not read recently"'
tpucost collect -q

# ---- a rule that cannot be judged ----------------------------------------------------------------

write_config "$STOP_TPU
  - name: broken
    on: resources
    where: abs(-9223372036854775807 - 1) > 0
    then: {action: stop}"
run tpucost enforce
status "partial" 4
has "which, and why" "$err" "tpucost: rule broken: "
has "the others are there" "$out" "stop wrong (v3-8)"

# ---- two projects have a machine of that name

printf 'nodes: [{project: lab-two, zone: us-central1-a, name: wrong, type: v3-8, created: -10h}]' |
	curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q tpu >/dev/null
run tpucost enforce
is "the heads have the project" "$(grep -c '^  stop lab-\(one\|two\)/wrong (v3-8): ' stdout)" 2
printf 'remove: {nodes: [{project: lab-two, name: wrong}]}' | curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q tpu >/dev/null
tpucost collect -q tpu >/dev/null

# ---- usage ---------------------------------------------------------------------------------------

run tpucost enforce --apply --dry-run
status "do it and do not" 2
has "is said" "$err" "cannot be used with"
run tpucost enforce nonsense
is "no such name" "$rc:$err" "2:tpucost: enforce: there is no machine or TPU 'nonsense'; see: tpucost ps --all"
run tpucost enforce --apply wrong
is "one name is not applied" "$rc:$err" "2:tpucost: enforce: --apply does everything that is due, and takes no name"
run tpucost enforce --format yaml
status "no such format" 2
run tpucost help enforce
has "help" "$out" "docs/enforce.md"
is "nothing was ever changed" "$(jq -c 'select(.mutating == true)' requests | wc -l)" 0

# ---- a dry run announces nothing in a project that is not listed
write_config "$BOTH
enforcement: {mode: dry-run, projects: [lab-two]}"
run tpucost run --once -q
run tpucost report daily --format json
is "the plan has only those of listed projects" "$(one '[.[].project] | unique')" '["lab-two"]'
run tpucost enforce --exit-code
status "nothing is to do there" 0
has "the others are counted" "$(flat)" "Projects where actions are allowed: lab-two; matches in other projects, not shown: 2"
has "those of it are shown" "$out" "Blocked (2)"
thing=$(sqlite3 t.db "SELECT action || ' ' || resource FROM action WHERE project = 'lab-one' AND ended IS NULL LIMIT 1")
run tpucost why "${thing#* }"
has "why says that of its machine" "$(flat)" "held by project: project lab-one is not in enforcement.projects"
run tpucost why "action:${thing%% *}" --format json
is "and of the action, without a time" "$(jq -c '[.[] | select(.label == ("why", "held by", "due")) | .value]' stdout)" \
	'["project lab-one is not in enforcement.projects","guard project"]'
thing=$(sqlite3 t.db "SELECT action FROM action WHERE project = 'lab-two' AND ended IS NULL LIMIT 1")
run tpucost why "action:$thing" --format json
is "but not in a listed project" "$rc $(grep -c 'guard project' stdout)" "0 0"
run tpucost enforce --project lab-one
has "none in a project that is not listed" "$(flat)" "No actions on the selected resources."
run tpucost report daily --format json
is "planned stops are those of listed projects" "$(jq -r '[.. | .actions? // empty | .[].project] | unique | join(" ")' stdout)" "lab-two"
is "a slice cannot be stopped" "$(jq -r '.. | .actions? // empty | .[] | select(.name == "slice") | .action' stdout)" "can only be deleted"
write_config "$BOTH
enforcement: {mode: 'off'}"
run tpucost report daily --format json
is "nor without enforcement" "$(jq -r '[.. | .actions? // empty | .[] | .name + " " + .action] | unique | join(", ")' stdout)" \
	"big would be stopped, slice can only be deleted, wrong would be stopped"
