# What somebody new meets in the first hour: zones that are silent, no inventory at all, prices
# that nobody knows; and that nothing false is said then.
. "$ROOT/tests/cli/lib.sh"
write_world silent "us-central1-a, us-central1-f, europe-west4-a" <<WORLD
instances:
  - {project: lab-one, zone: us-central1-f, name: driver, type: n1-standard-16, created: -8h}
nodes:
  - {project: lab-one, zone: us-central1-f, name: driven, type: v2-8, created: -7h}
  - {project: lab-one, zone: us-central1-a, name: astray, type: v3-8, created: -7h}
  - {project: lab-one, zone: us-central1-a, name: strange, type: v9-8, created: -7h}
metrics:
  - {project: lab-one, type: compute.googleapis.com/instance/cpu/utilization, zone: us-central1-f, instance: driver, value: "0.01", from: -8h}
  - {project: lab-one, type: compute.googleapis.com/instance/network/sent_bytes_count, zone: us-central1-f, instance: driver, value: "600", integer: true, from: -8h}
  - {project: lab-one, type: compute.googleapis.com/instance/network/received_bytes_count, zone: us-central1-f, instance: driver, value: "600", integer: true, from: -8h}
unreachable: {tpu: [us-central1-f]}
$BILL
    - {project: lab-one, service_id: 95FF-2EF5-5EA1, service: Cloud Storage, sku_id: AAAA-AAAA-AAAA, sku: Standard Storage, region: us-central1, unit: gibibyte month, usage: 1, cost: 1, from: -5d, until: -3d}
WORLD
start_sandbox world.yaml
write_config
run tpucost run --once
status "a zone that does not answer is told" 4
is "and once for all lists" "$(printf '%s\n' "$err" | grep -c 'us-central1-f is unreachable')" 1
has "with the number of lists" "$err" "tpucost: 4 sources: us-central1-f is unreachable; the last known data is kept"
has "also beside the sums" "$out" "; some sources could not be read: tpucost sources."
run tpucost alerts --format json
is "the machine's TPU may be where nobody answered" "$(jq -r '[.[] | select(.rule == "vm-forgotten")] | length' stdout)" 0
is "other zones are judged" "$(jq -r '.[] | select(.rule == "tpu-not-covered") | "\(.subject) \(.state) \(.data)"' stdout | sort)" \
	"lab-one/tpu/us-central1-a/astray firing fresh
lab-one/tpu/us-central1-a/strange firing fresh"
run tpucost sql "SELECT source, project, location FROM gaps ORDER BY source, project" --format csv
has "what was silent is a view" "$out" "tpu,lab-one,us-central1-f"
is "on the screen a location is named once" "$(tpucost | grep '^Missing')" "Missing  us-central1-f; see: tpucost sources"
run tpucost collect -q tpu
status "still missing" 4
is "and cron says nothing of it again" "$err" ""
curl -s -X POST --data-binary 'unreachable: {tpu: []}' "$url/_sandbox/world/patch" >/dev/null
run tpucost collect -q
status "it answers again" 0
has "quiet says what began" "$out" "ALERT critical tpu-not-covered: driven (v2-8,"
is "and what changed, nothing else" "$(printf '%s\n' "$out" | grep -cvE '^(ALERT|RESOLVED) ')" 0
run tpucost run --once -q
is "and that once" "$out$err" ""
run tpucost alerts --format json
is "its TPU is there" "$(jq -r '[.[] | select(.rule == "vm-forgotten")] | length' stdout)" 0
is "and is judged" "$(jq -r '[.[] | select(.rule == "tpu-not-covered") | .subject | split("/")[3]] | sort | join(" ")' stdout)" \
	"astray driven strange"

# A price that nobody knows has no currency either.
is "an unknown price reads well" "$(jq -r '.[] | select(.rule == "tpu-not-covered" and (.subject | endswith("strange"))) | .summary' stdout)" \
	"strange (v9-8, on-demand, us-central1-a) is not covered: this version of tpucost does not know its TPU family. Its price per hour is unknown."

# A grant is for one project; a TPU beside it in another one is not free.
sed -i 's/^    days: 30/    days: 30\n    project: lab-two/' tpucost.yaml
curl -s -X POST --data-binary 'nodes: [{project: lab-one, zone: europe-west4-a, name: theirs, type: v3-8}, {project: lab-two, zone: europe-west4-a, name: ours, type: v3-8}]' "$url/_sandbox/world/patch" >/dev/null
run tpucost collect
run tpucost ps --where "name IN ('ours', 'theirs')" --sort-by name --format json
is "one project of two" "$(jq -c '.[] | [.name, .covered, .why, .net_per_hour]' stdout | tr '\n' ' ')" \
	'["ours",1,"covered",0] ["theirs",0,"no-grant",8.8] '
run tpucost sql "SELECT why_text FROM resources WHERE name = 'theirs'" --format csv
has "and why" "$out" "v3-8 is granted only to project lab-two (grant trc)"
sed -i 's/project: lab-two/project: Lab/' tpucost.yaml
run tpucost check
status "what is no project is refused" 2
has "by name" "$err" "'Lab' is not a project id"

# Nothing but a file of the bill: nobody looked at what runs.
cat >csv.yaml <<CONF
timezone: UTC
projects: []
database: csv.db
budgets:
  - {name: month, amount: 50 USD, per: month}
CONF
TPUCOST_CONFIG=$work/csv.yaml
day=$(day 0 %Y-%m-01)
printf '%s\n' "billing_account_id,service.id,service.description,sku.id,sku.description,usage_start_time,usage_end_time,project.id,export_time,cost,currency,currency_conversion_rate,usage.amount,usage.unit,usage.amount_in_pricing_units,usage.pricing_unit,credits,labels,invoice.month,cost_type" \
	"01AB23-CD45EF-678901,6F81-5844-456A,Compute Engine,2E27-4F75-95CD,N1 Core,$day 00:00:00 UTC,$day 01:00:00 UTC,csv-lab,$day 06:00:00 UTC,12.4,USD,1,1,hour,1,hour,[],[],$(day 0 %Y%m),regular" >half.csv
run tpucost import half.csv
status "a file is imported" 0
run tpucost budget
has "what runs is not known" "$(printf '%s' "$out" | tr '\n' ' ' | tr -s ' ')" "running resources have not been read yet: the figures are lower bounds"
has "so it is a lower bound" "$out" "12.40 USD (24.8 %) or more."
case $out in
*"it lasts"* | *"nothing runs"*) flunk "nothing is promised" "$out" ;;
*) pass "nothing is promised" ;;
esac
run tpucost budget --format json
is "also in JSON" "$(jq -c '.[0] | [.spent, .forecast, .forecast_high]' stdout)" "[12.4,12.4,null]"
run tpucost reconcile
is "nothing compared is no agreement" "$out" "No TPU was observed or billed in that period."
# Files need no credentials: none are asked for, and no price, which nobody can read without them.
run tpucost doctor
is "doctor finds no fault" "$rc $(printf '%s\n' "$out" | grep '^skip')" "0 skip  credentials    none are needed: only files are imported"
run tpucost collect
is "collect has nothing to poll" "$rc $(head -1 stdout)" "0 0 polled: 0 complete"
run tpucost run --once -q
is "nor has run, and nothing to say" "$rc $out$err" "0 "
run tpucost sources --format json
is "no price is old" "$(jq -c 'map(.source)' stdout)" '[]'
sed "s|^database:.*|database: keyed.db\ncredentials: service-account.json\nendpoints: {all: \"$url\"}|" csv.yaml >keyed.yaml
run tpucost collect --config keyed.yaml
is "with credentials, prices are read" "$rc $(head -1 stdout)" "0 1 polled: 1 complete"

# Words of somebody new.
run tpucost ps --where "state = running"
has "text wants quotes" "$err" "put text in single quotes: 'running'"
run tpucost rules bogus
is "what rules can do" "$err" "tpucost: rules: unknown action 'bogus'; use: tpucost rules list, explain, test or replay"
run tpucost rules explian
has "or was meant" "$err" 'use: tpucost rules explain'

# One silent zone and many projects: a few lines, and how many more.
kill "$sandbox_pid"
wait "$sandbox_pid" 2>/dev/null
cat >many.yaml <<WORLD
name: many
project_count: 12
projects:
  - {id: lab-one, number: "100000000001"}
zones: [us-central1-a, us-central1-f]
unreachable: {tpu: [us-central1-f]}
WORLD
start_sandbox many.yaml
cat >many-conf.yaml <<CONF
timezone: UTC
projects: {billing_account: 01AB23-CD45EF-678901}
credentials: service-account.json
database: many.db
endpoints: {all: "$url"}
rules: [{name: each, on: sources, where: stale = 1, summary: "{source} of {project}"}, {use: vm-forgotten, then: {action: stop}}]
CONF
TPUCOST_CONFIG=$work/many-conf.yaml
run tpucost run --once -q
# 13 projects, nodes and queued resources: 26
is "one cause is one line" "$(printf '%s\n' "$out" | grep source-stale)" \
	"ALERT warning source-stale: 26 stale sources: no answer from us-central1-f"
is "ten others are said" "$(printf '%s\n' "$out" | grep -c 'ALERT warning each: .*lab-')" 10
has "and the number of the others" "$out" "ALERT each: and 16 more; all of them: tpucost alerts"
run tpucost alerts --where "rule = 'source-stale'" --format json
is "none is lost" "$(jq length stdout)" 26

# A budget that nothing can be said of: prices in dollars, and no bill to tell a rate.
printf 'budgets: [{name: euros, amount: 5 EUR}]\n' >>many-conf.yaml
run tpucost status
has "an amount that is not known is not about that" "$out" "Budget   euros: unknown of 5.00 EUR; see: tpucost budget"
run tpucost doctor
has "one rule is one" "$out" "; 1 rule would act: vm-forgotten"
