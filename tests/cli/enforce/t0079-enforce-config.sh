# Enforcement in the configuration: every key with what it takes and what not, and what `check`
# says of what is going to be acted on.
. "$ROOT/tests/cli/lib.sh"
(umask 077; : >key.json)
P='projects: [p-one-1]'
bad() { # NAME PART FILE-CONTENT
	printf '%s\n' "$3" >bad.yaml
	run tpucost check --config bad.yaml
	status "$1: exit 2" 2
	has "$1: said" "$err" "$2"
}
en() { # NAME PART KEYS
	bad "$1" "$2" "$P
enforcement:
  $3"
}
says() { # NAME PART: of good.yaml
	run tpucost check --config good.yaml
	status "$1: exit 0" 0
	has "$1: said" "$err" "$2"
}
silent() { # NAME
	run tpucost check --config good.yaml --strict
	status "$1: exit 0" 0
	is "$1: nothing is said" "$err" ""
}

# ---- what is no value ----
en "a key with a slip" "bad.yaml:3:3: enforcement: unknown key 'max_per_rule_hours'; did you mean 'max_per_rule_hour'?" \
	'max_per_rule_hours: 3'
en "credentials of nothing" 'bad.yaml:3:16: credentials: expected the path of a key file' 'credentials: ""'
en "an account of nothing" "bad.yaml:3:16: '' is not a service account" 'impersonate: ""'
en "a window that never closes" \
	'bad.yaml:3:13: windows: a window from 09:00 to 09:00 is always open; for whole days use from "00:00" to "24:00"' \
	'windows: [{from: "09:00", to: "09:00"}]'
en "the second one" 'bad.yaml:3:43: windows: a window from 23:59 to 23:59' \
	'windows: [{from: "00:00", to: "24:00"}, {days: sat, from: "23:59", to: "23:59"}]'
en "another one" "unknown key 'impersonat'; did you mean 'impersonate'?" 'impersonat: x'
en "a share above all" "bad.yaml:3:14: '101%' is not a percentage (expected one such as 50%)" 'max_share: 101%'
en "a share that is no number" "'half' is not a percentage" 'max_share: half'
en "a negative share" "'-1' is not a percentage" 'max_share: -1'
en "a negative limit" 'bad.yaml:3:26:' 'max_deletes_per_hour:  -1'
en "somebody who is no account" "bad.yaml:3:16: 'ada@example.org' is not a service account" 'impersonate: ada@example.org'
en "an account that leads elsewhere" 'is not a service account' \
	'impersonate: "a/../b@x.iam.gserviceaccount.com"'
en "a pattern instead of a project" "bad.yaml:3:13: 'tpu-*' is not a project id or number" 'projects: [tpu-*]'
en "a pattern that would exempt nothing" \
	"bad.yaml:3:11: exempt: 'db-*' is not an id or name of a machine; use protect for conditions, such as \"name LIKE 'db-%'\"" \
	'exempt: [login, "db-*"]'
en "nothing that is exempt" "exempt: '' is not an id or name" 'exempt: ""'
en "days that there are not" "bad.yaml:3:22: 'mo-fr' is not valid (expected days" 'windows: [{ days:  mo-fr, from: "09:00", to: "18:00"}]'
en "days without a comma" "'mon tue' is not valid (expected days" 'windows: [{days: mon tue, from: "09:00", to: "18:00"}]'
en "no day at all" 'days: no day is given' 'windows: [{days: [], from: "09:00", to: "18:00"}]'
en "no such time" "'9:00' is not a time of day" 'windows: [{from: "9:00", to: "18:00"}]'
en "the end of a day as a beginning" "'24:00' is not a time of day" 'windows: [{from: "24:00", to: "18:00"}]'
en "a window without an end" 'to is missing' 'windows: [{from: "09:00"}]'
en "a key of a window" "unknown key 'til'" 'windows: [{from: "09:00", til: "18:00"}]'
en "a list of no windows" 'windows: the list is empty' 'windows: []'
en "protect over a column that there is not" \
	"bad.yaml:3:12: enforcement.protect: resources has no column 'lables'; did you mean 'labels'?" \
	"protect: \"lables LIKE '%x%'\""
en "protect that leaves its parentheses" 'bad.yaml:3:12: enforcement.protect:' 'protect: "1) OR (1"'
bad "an action on what is no machine" \
	'bad.yaml:2:29: rule budget: cannot stop rows of budgets: they are not machines; move the condition to a rule on resources' \
	"$P
rules: [{use: budget, then: {action: stop}}]"
bad "an action on a view of its own choice" 'cannot delete rows of burn' "$P
rules: [{name: r, on: burn, where: 1, then: {action: delete}}]"

# ---- what is one ----
cat >good.yaml <<'F'
projects: [p-one-1]
rules:
  - {name: r, on: resources, where: "kind = 'vm'", then: {action: stop, grace: 30m, armed: true}}
notify: [{name: log, file: {path: alerts.jsonl}}]
enforcement:
  mode: armed
  projects: [p-one-1, "123456789012"]
  max_per_run: 1
  max_per_hour: 2
  max_per_rule_hour: 3
  max_per_day: 4
  max_deletes_per_hour: 5
  max_share: 50%
  exempt: [p-one-1/vm/us-central1-b/db, login]
  windows:
    - {days: mon-fri, from: "09:00", to: "18:00"}
    - {days: [sat, sun], from: "22:00", to: "24:00"}
    - {days: "fri-mon, wed", from: "22:00", to: "06:00"}
    - {from: "00:00", to: "00:00"}
  protect: "labels LIKE '%tpucost-keep%'"
  credentials: key.json
  impersonate: tpucost-stopper@p-one-1.iam.gserviceaccount.com
  allow_delete: true
F
silent "every key"
sed -i 's/max_share: 50%/max_share: 50/' good.yaml
silent "a share without its sign"

# ---- what a person should look at ----
sed -i 's/^notify:.*//' good.yaml
says "no channel" 'warning: good.yaml:6:3: enforcement: notify has no channel for warnings: only actions that were announced'
run tpucost check --config good.yaml --strict
status "which strict takes for an error" 3
sed -i 's/mode: armed/mode: dry-run/' good.yaml
says "armed in a dry run" 'note: good.yaml:3:5: rule r is armed, but enforcement.mode is dry-run: nothing is stopped'
is "and nothing else" "$(printf '%s\n' "$err" | wc -l)" 1
run tpucost check --config good.yaml --strict
status "a note is no warning" 0

cat >good.yaml <<'F'
projects: [p-one-1]
rules:
  - {name: r, on: resources, where: 1, then: {action: delete, armed: true, allow_delete: true}}
notify: [{name: log, file: {path: alerts.jsonl}}]
enforcement: {mode: armed, projects: [p-one-1, p-two-2], max_per_day: 0, max_share: 0%}
F
says "deleting with one permission" \
	'warning: good.yaml:3:5: rule r deletes nothing unless allow_delete: true is set in the rule and in enforcement'
has "a project that nobody looks at" "$err" \
	"warning: good.yaml:5:38: enforcement.projects: 'p-two-2' is not watched"
has "a limit of none" "$err" 'warning: good.yaml:5:71: max_per_day: 0 disables all actions'
has "a share of none" "$err" 'warning: good.yaml:5:85: max_share: 0 disables all actions'
is "and nothing else" "$(printf '%s\n' "$err" | wc -l)" 4
sed -i 's/armed: true, allow_delete: true/allow_delete: true/; s/max_share: 0%/allow_delete: true/; s/, p-two-2//; s/max_per_day: 0, //' good.yaml
says "armed, and no rule is" 'note: good.yaml:5:14: enforcement.mode is armed, but no rule is: nothing is stopped'
run tpucost check --config good.yaml --strict
status "which is no warning" 0

# A project that is found may be any.
sed -i 's/^projects:.*/projects: {billing_account: 01AB23-CD45EF-678901}/; s/projects: \[p-one-1\]/projects: [p-two-2]/' good.yaml
run tpucost check --config good.yaml --strict
status "a project that may be found" 0

printf '%s\n' "$P" 'rules: [{name: c, on: coverage, where: covered = 0, then: {action: stop}}]' >good.yaml
says "an action of a rule on coverage" 'rule c only sends alerts: it is on coverage, and only rules on resources can act'

# ---- steps ----
bad_then() { # NAME PART VALUE
	bad "$1" "$2" "$P
rules:
  - name: r
    on: resources
    where: kind = 'vm'
    then: $3"
}
bad_then "steps in the wrong order" "bad.yaml:6:41: then: stop cannot follow delete (the order is notify, stop, delete)" \
	'[{action: delete, after: 1d}, {action: stop}]'
bad_then "a step twice" "then: stop cannot follow stop" '[{action: stop}, {action: stop, after: 1d}]'
bad_then "no step" "bad.yaml:6:11: then: the list is empty; expected notify, stop or delete" '[]'
bad_then "a second step at once" "bad.yaml:6:28: then: the second step needs after; for example: after: 7d" \
	'[{action: stop}, {action: delete}]'
bad_then "a warning before there is something to warn of" "then: grace is longer than after" '{action: stop, grace: 2h, after: 1h}'
bad_then "a message that waits" "then: notify takes neither after nor armed" '[{action: notify, after: 1h}]'
bad_then "no step" "bad.yaml:6:12: then: expected 'key: value' pairs" '[stop]'
bad_then "another word" "'remove' is not valid (expected one of: notify, stop, delete)" '[{action: remove}]'
bad_then "deleting a budget" "rule r: cannot delete rows of budgets" '[{action: delete, after: 1d}]
    view: budgets'
printf '%s\n' "$P
rules:
  - {name: r, on: resources, where: kind = 'vm', then: [{action: stop}, {action: delete, after: 7d, armed: true}]}
enforcement: {mode: armed, projects: [p-one-1]}" >good.yaml
says "nothing is deleted without a stop" \
	"rule r deletes what it stopped, and it stops nothing unless armed: true is set in the first step"
says "nor without both switches" "rule r deletes nothing unless allow_delete: true is set in the rule and in enforcement"
