# What is told of machines that are stopped: before, after, when not, and in reports. Case I15.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks

# with MODE GRACE [LINES]: the rule that stops TPUs, armed
with() {
	write_config "rules: [{use: tpu-not-covered, for: 0m, then: {action: stop, grace: $2, armed: true}}]
notify:
  - {name: log, file: {path: told.jsonl}}
  - {name: hook, webhook: {url: \"$hook/hook/x\"}, min_severity: critical, quiet_hours: \"00:00-23:59\"}
enforcement:
  mode: $1
  projects: [lab-one]
  max_share: 100%
${3:-}"
}
cycle() {
	tpucost collect -q
	run tpucost run --once
}
# told N JQ: of the Nth message, from 0
told() {
	jq -rs ".[$1].report | $2" told.jsonl
}
changes() {
	jq -rs '[.[] | select(.mutating) | .path] | unique | length' requests
}

# ---- a dry run -----------------------------------------------------------------------------------

with dry-run 30m
cycle
is "nothing but the alert is told" "$(told 0 'keys_unsorted | map(select(. == "actions")) | length')" 0
has "which says what would be" "$(told 0 '.firing[] | select(.name == "wrong") | .detail')" "It would be stopped at "
has "and offers the command" "$(told 0 '.firing[] | select(.name == "wrong") | .command')" "gcloud compute tpus tpu-vm stop wrong"
is "nothing is warned of" "$(db 'SELECT COUNT(*) FROM action_notice')" 0
run tpucost report --format json
is "in the report it is due" "$(jq -r '.actions[] | select(.name == "wrong") | .action + " " + .mode' stdout)" "would be stopped dry-run"
is "nothing was saved" "$(jq '.receipts | length' stdout)" 0
run tpucost status
has "the mode on the screen" "$out" "Enforce  dry-run"
is "nothing was changed" "$(changes)" 0

# ---- a warning -----------------------------------------------------------------------------------

with armed 30m
cycle
is "the warning" "$(told -1 '.actions | map(select(.name == "wrong")) | .[0] | .event + " " + .news + " " + .action')" "warning will be stopped stop"
is "why" "$(told -1 '.actions | map(select(.name == "wrong")) | .[0] | .reason == .summary')" true
has "is the subject" "$(told -1 .subject)" "[tpucost] wrong will be stopped at "
is "with the line that prevents it" "$(told -1 '.actions[0].command')" \
	"tpucost hold add lab-one/tpu/us-central1-a/wrong --until $(day 7)"
is "what it costs" "$(told -1 '.actions[0] | [.saves_per_hour, .residual_per_hour, .currency] | join(" ")')" "8 0 USD"
is "also where little is told, at night" "$(came hook '.[-1].body | fromjson | .report.actions[0].event')" warning
is "the grace began" "$(db "SELECT state || (warned IS NOT NULL) FROM action WHERE name = 'wrong' AND ended IS NULL")" grace1
n=$(wc -l <told.jsonl)
cycle
is "once" "$(wc -l <told.jsonl)" "$n"
with armed 40m
cycle
is "with another grace it is announced anew, and not cancelled" \
	"$(told -1 '.actions | map(select(.name == "wrong") | .event) | join(" ")')" warning
run tpucost status -f json
is "the status says what is next" "$(jq -r '.enforcement[0] | .mode + " " + .next' stdout)" "armed wrong"
eval "$(told -1 '.actions[0].command' | sed 's/^/run /')"
status "the line works" 0
cycle
is "then it is cancelled, once" "$(told -1 '.actions | map(select(.name == "wrong") | .event + " " + .news) | join("; ")')" \
	"cancelled will not be stopped"
run tpucost hold remove lab-one/tpu/us-central1-a/wrong
is "nothing was changed" "$(changes)" 0

# ---- a limit -------------------------------------------------------------------------------------

with armed 0m "  max_per_run: 0"
cycle
cycle
is "it is not stopped, and that is said" "$(jq -rs '[.[].report.actions[]? | select(.event == "held") | .name + " " + .severity + " " + .held] | join(";")' told.jsonl)" "wrong critical caps"
action=$(db "SELECT action FROM action WHERE name = 'wrong' AND ended IS NULL")
is "with what lets it pass" "$(jq -rs '[.[].report.actions[]? | select(.event == "held") | .command] | join(";")' told.jsonl)" "tpucost enforce approve $action"
run tpucost status
has "also on the screen" "$out" "tpucost enforce approve $action"
is "nothing was changed" "$(changes)" 0

# ---- in earnest ----------------------------------------------------------------------------------

with armed 0m
rm told.jsonl
cycle
cycle
is "it is told how it ended" "$(jq -rs '[.[].report.actions[]? | select(.event == "outcome") | .name + " " + .news + " " + .stage] | join(";")' told.jsonl)" "wrong stopped done"
is "on every channel" "$(came hook '[.[].body | fromjson | .report.actions[]? | select(.event == "outcome")] | length')" 1
has "with what starts it again" "$(jq -rs '[.[].report.actions[]? | select(.event == "outcome")][0].command' told.jsonl)" "gcloud compute tpus tpu-vm start wrong"
has "and the head of the audit" "$(jq -rs 'map(select(.report.actions))[-1].report.notes | join(" ")' told.jsonl)" "Audit: "
is "one thing was changed" "$(changes)" 1
run tpucost report --format json
is "the report says so" "$(jq -r '.actions[] | select(.name == "wrong") | .action' stdout)" stopped
is "with a receipt" "$(jq -c '.receipts[0] | [.name, .saves_per_hour, .currency]' stdout)" '["wrong",8,"USD"]'
for format in text html markdown csv slack; do
	run tpucost report --format $format
	has "in $format too" "$out" "wrong"
done
run tpucost report weekly
status "a week without a midnight since" 0
db "UPDATE action SET ended = ended - 2 * 86400, sent = sent - 2 * 86400 WHERE state = 'done'"
run tpucost report weekly
has "the week has a line" "$out" "tpucost saved about"
