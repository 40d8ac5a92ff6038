. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"

# ---- what is refused when it is loaded -------------------------------------------------------

bad() { # NAME PART RULE-LINES
	write_config "rules:
$3"
	run tpucost check
	status "$1: status" 2
	has "$1: said" "$err" "$2"
}
rule() { # WHERE: a rule with it
	printf '  - name: mine\n    on: resources\n    where: %s\n' "$1"
}
line=$(write_config && wc -l <tpucost.yaml)
bad "unknown column" "tpucost.yaml:$((line + 3)):12: rule mine: where: resources has no column 'stat'; did you mean 'state'?" \
	"$(rule "stat = 'running'")"
bad "text in double quotes" "text goes in single quotes: 'vm'" "$(rule 'kind = "vm"')"
bad "a table" "rule mine: where: there is no view 'resource'; did you mean 'resources'?" "$(rule "EXISTS (SELECT 1 FROM resource r WHERE r.name = 'x')")"
bad "a column of another view" "rule mine: where: coverage has no column 'project'; columns: tpucost views" \
	"$(rule 'EXISTS (SELECT 1 FROM coverage WHERE coverage.project = resources.project)')"
bad "by another name" "rule mine: where: there is no column 'c.project'; columns: tpucost views" \
	"$(rule 'EXISTS (SELECT 1 FROM coverage c WHERE c.project = resources.project)')"
bad "a second statement" 'not allowed' "$(rule "\"1; DELETE FROM resource\"")"
bad "closing our parenthesis" 'no opening' "$(rule '1) OR (1')"
bad "a comment" 'not allowed' "$(rule "\"1 -- x\"")"
bad "attaching" 'SQL' "$(rule "\"(ATTACH 'x' AS y)\"")"
bad "a pragma" 'SQL' "$(rule '(PRAGMA user_version)')"
bad "without end" 'only reading' \
	"$(rule "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c) > 0")"
bad "unknown view" "there is no view 'resource'; did you mean 'resources'?" \
	'  - {name: mine, on: resource, where: "1"}'
bad "a view without subjects" 'rules cannot use the view present' '  - {name: mine, on: present, where: "1"}'
bad "unknown column in the summary" '{nam}: resources has no such column; did you mean {name}?' \
	"$(rule "kind = 'vm'")
    summary: \"{nam} runs\""
bad "unknown built-in" "did you mean 'tpu-not-covered'?" '  - use: tpu-not-coverd'
bad "name of a built-in" "the name is that of a built-in rule; change the built-in rule with 'use: budget'" \
	'  - {name: budget, on: resources, where: "1"}'
bad "twice" 'listed twice' "$(rule 1)
$(rule 1)"
bad "neither use nor name" 'expected use (a built-in rule) or name' '  - {severity: info}'
bad "on another view" 'it is on resources' '  - {use: vm-forgotten, on: grants}'
bad "unknown key" "did you mean 'where'?" '  - {name: x, on: resources, wher: "1"}'
bad "severity" 'expected one of: info' '  - {use: budget, severity: fatal}'
bad "a name with blanks" 'is not a valid name of a rule' '  - {name: "a b", on: resources, where: "1"}'

# ---- judging -------------------------------------------------------------------------------------

write_config "rules:
  - name: any-vm
    on: resources
    where: kind = 'vm' AND state = 'running'
    severity: critical
    summary: \"{name} of {project} burns {gross_per_hour} {currency}\"
    labels: {team: nlp}
  - name: slow
    on: resources
    where: kind = 'vm'
    for: 30d
    keep_for: 2h
  - {use: quota-high, enabled: false}
  - {use: source-stale, severity: info}"
run tpucost check --format json
is "only what is in the configuration is counted" "$(printf '%s' "$out" | jq -r '.[0].rules')" 4
run tpucost alerts
status "before anything was collected" 1
run tpucost rules list --format json
status "the rules can be listed all the same" 0
is "the one that is off" "$(printf '%s' "$out" | jq -c '.[] | select(.name == "quota-high") | [.enabled, .origin]')" \
	"[0,\"$work/tpucost.yaml:$((line + 12)):5\"]"
is "the one that was changed" "$(printf '%s' "$out" | jq -r '.[] | select(.name == "source-stale") | .severity')" info
run tpucost run --once
has "what began is said" "$out" "ALERT critical any-vm: "
vms=$(sqlite3 t.db "SELECT count(*) FROM resource WHERE kind = 'vm' AND state = 'running'")
is "there are some" "$([ "$vms" -gt 0 ] && echo yes)" yes
run tpucost alerts --format json
is "an alert for each" "$(printf '%s' "$out" | jq '[.[] | select(.rule == "any-vm" and .state == "firing")] | length')" "$vms"
is "the columns of the contract" "$(printf '%s' "$out" | jq -c '.[0] | [has("rule", "subject", "state", "severity", "since", "last_seen", "summary", "value")] | all')" true
is "with the labels of the rule" "$(printf '%s' "$out" | jq -r '[.[] | select(.rule == "any-vm")][0].labels')" '{"team":"nlp"}'
is "what must hold for long is pending" "$(printf '%s' "$out" | jq -r '[.[] | select(.rule == "slow") | .state] | unique | join(" ")')" pending
COLUMNS=80
export COLUMNS
run tpucost alerts
unset COLUMNS
has "for people they are a list by state" "$out" "Firing ("
is "within 80 columns" "$(printf '%s\n' "$out" | awk 'length($0) > 80 && !/\//' | wc -l)" 0
run tpucost run --once
is "the same again is not said again" "$(printf '%s' "$out" | grep -c any-vm)" 0
is "and stored once" "$(sqlite3 t.db "SELECT count(*) FROM alert_event WHERE rule = 'any-vm'")" "$vms"
sqlite3 t.db "UPDATE alert SET said = said - 20000 WHERE rule = 'any-vm';
	CREATE TEMP TABLE x AS SELECT * FROM alert WHERE rule = 'any-vm' LIMIT 1;
	UPDATE x SET rule = 'keep-ending'; INSERT INTO alert SELECT * FROM x"
run tpucost run --once -q
is "what goes on is not printed with --quiet, nor an end that no channel gets" "$out" ""
is "it ended all the same" "$(sqlite3 t.db "SELECT state FROM alert WHERE rule = 'keep-ending'")" resolved
sqlite3 t.db "UPDATE alert SET said = said - 20000 WHERE rule = 'any-vm'"
run tpucost run --once
has "without it, what goes on is repeated" "$out" "STILL critical any-vm: "
run tpucost rules list --format json
is "how a rule fared" "$(printf '%s' "$out" | jq -c '.[] | select(.name == "any-vm") | [.hits, .firing, .error]')" "[$vms,$vms,null]"
is "and in a part of the list" "$(tpucost rules list --sort-by -name --limit 1 --format json | jq -c '.[0] | [.name, .hits]')" \
	"$(printf '%s' "$out" | jq -c 'max_by(.name) | [.name, .hits]')"

# ---- explaining ----------------------------------------------------------------------------------

run tpucost rules explain slow
has "its condition" "$out" "where     kind = 'vm'"
has "how long it is kept" "$out" "30d; sent again after 24h; resolved when it did not hold for 2h"
has "what matches" "$out" "Matches now ("
run tpucost rules explain any-vm --format json
is "hits and near misses are rows" "$(printf '%s' "$out" | jq "[.[] | select(.matches == 1)] | length")" "$vms"
is "a near miss says what it lacks" \
	"$(printf '%s' "$out" | jq -r '[.[] | select(.matches == 0)][0].lacks')" "state = 'running'"
run tpucost rules explain any-vmm
status "unknown rule" 2
has "the nearest is named" "$err" "did you mean 'any-vm'?"
run tpucost rules explian
has "unknown action" "$err" 'use: tpucost rules explain'

# ---- silences and holds --------------------------------------------------------------------------

id=$(sqlite3 t.db "SELECT id FROM resource WHERE kind = 'vm' AND state = 'running' ORDER BY id LIMIT 1")
run tpucost silence any-vm --subject "$id" --for 2h --comment "it's fine"
status "silence" 0
has "says until when" "$err" "any-vm is silenced until $(at 7200 %F)"
run tpucost silence list --format json
is "and is listed" "$(printf '%s' "$out" | jq -c '.[0] | [.silence, .rule, .comment, .active]')" '[1,"any-vm","it'"'"'s fine",1]'
is "the alert shows it" "$(tpucost alerts --format json | jq '[.[] | select(.silenced_until != null)] | length')" 1
run tpucost silence remove 1
status "and taken back" 0
is "nothing is silenced" "$(tpucost silence list)" "There are no silences."
run tpucost silence remove 1
status "once" 1
run tpucost silence add
status "silence add: which rule" 2
run tpucost silence any-vm --subject "" --for 2h
status "an empty subject is not the whole rule" 2
run tpucost silence add any-vm --subject "${id##*/}" --for 2h
has "a short name is that of its subject" "$err" " for $id"
is "which is silenced" "$(tpucost silence list --format json | jq -r '.[0].subject')" "$id"
run tpucost silence remove 1
run tpucost silence any-vm
has "for how long?" "$err" "--for is missing"
run tpucost silence any-vm --for 2
status "a number alone is no time" 2
run tpucost silence nope --for 2h
status "unknown rules cannot be silenced" 2
run tpucost silence any-vm --for 2h --comment "$(printf '\377')"
status "a comment is UTF-8" 2

name=${id##*/}
run tpucost hold "$name" --until 2099-12-31 --comment x
status "hold by short name" 0
has "the last day is included" "$err" "until 2100-01-01 00:00 UTC"
is "it is exempt now" "$(tpucost ps --format json | jq ".[] | select(.id == \"$id\") | .exempt")" 1
is "the list has it" "$(tpucost hold list --format json | jq -r '.[0].id')" "$id"
run tpucost hold "$id" --until 9999-12-31
is "a last day can be shown" "$(tpucost hold list --format json | jq -r '.[0].until')" 9999-12-31T23:59:59Z
run tpucost hold "$id" --until 3d
is "again is another end, not another hold" "$(tpucost hold list --format json | jq length)" 1
run tpucost hold remove "$name"
status "taken back" 0
is "it is not exempt any more" "$(tpucost ps --format json | jq ".[] | select(.id == \"$id\") | .exempt")" 0
run tpucost hold "$id" --until 2020-01-01
has "a past date" "$err" "is in the past"
run tpucost hold "$id"
has "until when?" "$err" "--until is missing"
run tpucost hold no-such-thing --until 3d
status "nothing of that name" 1
has "what to do" "$err" "tpucost ps --all"
run tpucost hold "x' OR '1'='1" --until 3d
status "quotes are data" 1

# ---- a rule that goes --------------------------------------------------------------------------------

write_config
run tpucost run --once
is "its alerts go with it" "$(tpucost alerts --all --format json | jq '[.[] | select(.rule == "any-vm")] | length')" 0

# ---- the page about them -----------------------------------------------------------------------------

is "docs/rules.md has every built-in rule as it is" "$(tpucost rules list --format markdown --columns name,severity,doc)" \
	"$(sed -n '/^| name | severity /,/^$/p' "$ROOT/docs/rules.md" | sed '/^$/d')"
