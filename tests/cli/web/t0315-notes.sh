#!/bin/sh
# The notes on the data of an answer are the same on the command line, on the page and for an assistant.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-mcp.sh"
. "$ROOT/tests/cli/lib-web.sh"
world=$ROOT/tests/sandbox/worlds/small.yaml
start_sandbox "$world"
write_config "budgets:
  - {name: all, amount: 100 USD, per: month}
credits:
  - {name: trial, amount: 300 USD, starts: $(day -20), expires: $(day 20)}"
run tpucost collect -q
status "the world is read" 0
start_web

# said COMMAND...: its notes, a line each
said() {
	run tpucost "$@"
	sed -n 's/^note: //p' stderr
}
# shown PATH: those at the foot of a page
shown() {
	get "$1"
	sed -n 's,^<p class="foot">\(.*\)</p>$,\1,p' stdout | grep -v '^Created \|^tpucost '
}
# told ARGUMENTS: those of the tool query
told() {
	ask query "$1"
	jq -r '.result.structuredContent.notes[]' got | sed 's/^note: //'
}

for page in resources burn coverage hidden_costs gaps costs budgets credits; do
	is "new data: /$page" "$(shown /$page)" ""
done
# ---- periods
set_clock =$((NOW + 900))
run tpucost collect -q
part="part of that period was not watched; resources that ran unobserved are not in the figures"
one="$part (disk, ip, snapshot, tpu and vm in lab-one: 0.3 of 168.0 hours)"
is "a period: ps" "$(said ps --since 7d --project lab-one)" "$one"
for view in resources period_burn; do
	is "a period: query $view" "$(said query $view --since 7d --project lab-one)" "$one"
	is "a period: /$view" "$(shown "/$view?since=7d&project=lab-one")" "$one"
	is "a period: $view for an assistant" "$(told "{\"view\": \"$view\", \"since\": \"7d\", \"project\": \"lab-one\"}")" "$one"
	is "which is not complete: $view" "$(answer .complete)" false
done
all="${one%)}; disk, ip, snapshot, tpu and vm in lab-two: 0.3 of 168.0 hours)"
for view in resources burn hidden_costs coverage coverage_totals; do
	is "of all projects: query $view" "$(said query $view --since 7d)" "$all"
	is "of all projects: /$view" "$(shown "/$view?since=7d")" "$all"
	is "of all projects: $view for an assistant" "$(told "{\"view\": \"$view\", \"since\": \"7d\"}") $(answer .complete)" "$all false"
done
for command in coverage "coverage --by grant" burn "burn --by kind"; do
	is "of all projects: $command" "$(said $command --since 7d)" "$all"
done
is "the usual period of /tpus" "$(shown /tpus)" "$all"
ask coverage '{"since": "7d"}'
is "the tool coverage" "$(answer '"\(.complete) \(.notes[0])"')" "\"false note: $all\""
for view in resources burn coverage coverage_totals; do
	is "watched all the time: query $view" "$(said query $view --since 10m)" ""
	is "watched all the time: $view for an assistant" "$(told "{\"view\": \"$view\", \"since\": \"10m\"}")$(answer .complete)" true
done
is "the present: /coverage" "$(shown /coverage)" ""
is "periods of budgets are of the bill" "$(said query budgets --since 7d)" ""

# ---- a period that begins within a day
days="the rows are of whole days (UTC), from that of --since to that of --until"
hour=$(day -1)T10:07:00Z
for query in "query costs --by project" "query costs" "query daily_costs" cost "cost --by project" "cost --format focus" reconcile; do
	is "once: $query" "$(said $query --since "$hour" | grep whole)" "$days"
	is "days are nothing to note: $query" "$(said $query --since "$(day -1)" | grep -c whole)" 0
done
for view in '"costs", "by": "project"' '"costs"' '"daily_costs"'; do
	is "once: $view for an assistant" "$(told "{\"view\": $view, \"since\": \"$hour\"}" | grep whole)" "$days"
done
for page in cost costs daily_costs; do
	is "once: /$page" "$(shown "/$page?since=$hour" | grep whole)" "$days"
done

# ---- the age of the data
set_clock =$((NOW + 900 + 20 * 3600))
old="the inventory is 20h old; run: tpucost collect"
is "old data: burn" "$(said burn)" "$old"
for page in resources burn coverage hidden_costs gaps period_resources grants activity; do
	is "old data: /$page" "$(shown /$page | grep "is 20h old")" "$old"
done
is "old data, and old quotas: /tpus" "$(shown /tpus | grep "is 20h old")" "the quota data is 20h old; run: tpucost collect$newline$old"
is "query of a view without a command" "$(said query grant_ends)" "$old"
is "and for an assistant" "$(told '{"view": "grant_ends"}')" "$old"
bill="the billing data is 20h old; run: tpucost collect"
is "an old bill: cost" "$(said cost)" "$bill"
for page in costs daily_costs; do
	is "an old bill: /$page" "$(shown /$page)" "$bill"
done
for page in budgets credits cost; do
	is "an old bill, and estimates: /$page" "$(shown /$page)" "$bill$newline$old"
done
run tpucost query holds
is "a view without rows" "$rc $out" "0 No rows."
is "/views has no data" "$(shown /views)" ""

# ---- zones that could not be read
sed 's/^instances:/unreachable: {compute: [us-central1-b], tpu: [us-central1-a]}\ninstances:/' "$world" >world.yaml
curl -sS -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
run tpucost collect -q
gap="unreachable in the last poll: us-central1-a, us-central1-b; the last known data is shown"
is "unreachable: ps" "$(said ps | grep unreach)" "$gap"
for page in resources burn tpus; do
	is "unreachable: /$page" "$(shown /$page | grep unreach)" "$gap"
done
for view in budgets credits; do
	is "what is estimated from it: $view" "$(said query $view | grep unreach)" "$gap"
	ask query "{\"view\": \"$view\"}"
	is "is not complete for an assistant: $view" "$(answer .complete)" false
done
for view in access actions alert_events anomalies billing_tables present rates rules; do
	is "records are not of the inventory: $view" "$(said query $view) $(told "{\"view\": \"$view\"}")" " "
done
sqlite3 t.db "DELETE FROM source_gap WHERE project = 'lab-two'"
# what was not read: all of it, or that of the projects that are asked for, whatever the rows are
for project in "" lab-one lab-two; do
	run tpucost ps --all --format json ${project:+--project $project}
	n=$(jq '[.[] | select(.complete == 0)] | length' stdout)
	is "there are some: ${project:-all}" "$n" "$(case $project in lab-two) echo 0 ;; *) echo 4 ;; esac)"
	want=$([ "$n" -eq 0 ] || printf '%s\n' "$gap" "$n resources were not read in the last poll (complete = 0)")
	is "not read: ps of ${project:-all}" "$(said ps ${project:+--project $project} --where "kind = 'ip'" | grep poll)" "$want"
	is "not read: burn of ${project:-all}" "$(said burn ${project:+--project $project} | grep poll)" "$want"
	is "not read: /burn of ${project:-all}" "$(shown "/burn?project=$project" | grep poll)" "$want"
	is "not read: burn of ${project:-all} for an assistant" "$(told "{\"view\": \"burn\", \"project\": \"$project\"}" | grep poll)" "$want"
done
