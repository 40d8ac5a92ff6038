# Levels of access: which are reached, what is said beside answers, and what leads to the next one.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
sed '/^billing:/,$d' "$ROOT/tests/sandbox/worlds/small.yaml" >world.yaml
start_sandbox world.yaml
reader=tpucost@lab-one.iam.gserviceaccount.com
write_config "budgets:
  - {name: month, amount: 500 USD, per: month}"
sed -i '/^billing:/d' tpucost.yaml
levels() {
	tpucost sql --format json "SELECT name, have FROM access WHERE have = 1 ORDER BY level" | jq -r '[.[].name] | join(" ")'
}
found() {
	jq -r --arg c "$1" '.[] | select(.check == $c) | "\(.status) \(.detail)"' stdout
}
fix() {
	jq -r --arg c "$1" '.[] | select(.check == $c) | .fix // empty' stdout
}
faults() {
	printf '%s' "$1" | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
}

# ---- nothing yet
run tpucost doctor --format json
status "before the first poll" 0
has "files only" "$(found access)" "ok reached: files only"
has "next is the inventory, and why" "$(found access)" "warn next: inventory, to list machines, TPUs, disks and addresses"
is "all is allowed: only the first poll is missing" "$(fix access)" "tpucost collect"
faults '- {match: "POST /v3/projects", status: 503}'
run tpucost doctor --format json
is "with every command where that is not known" "$(fix access)" "for project in lab-one lab-two; do gcloud services enable \
compute.googleapis.com tpu.googleapis.com cloudresourcemanager.googleapis.com --project=\$project\
$(for r in compute tpu; do printf ' && gcloud projects add-iam-policy-binding $project --member=serviceAccount:%s --role=roles/%s.viewer' $reader $r; done)\
; done && tpucost collect"
run tpucost doctor
is "each on a line of its own" "$(grep -cE '^        (for project in lab-one lab-two; do|gcloud services enable [a-z. ]* --project=.project &&|done &&)$' stdout)" 3
faults ''

# ---- inventory, without metrics
faults '- {match: "GET /v3/", status: 403}'
tpucost collect >/dev/null 2>&1
run tpucost ps
has "what is missing" "$err" "Based on: inventory. No metrics: idle and egress are unknown; no billing export: cost and credit are unknown; run: tpucost doctor."
is "once" "$(printf '%s\n' "$err" | grep -c '^Based on: ')" 1
run tpucost ps --quiet
is "quiet" "$err" ""
for f in json csv; do
	run tpucost ps --format $f
	is "$f has no such line" "$(printf '%s' "$out$err" | grep -c 'Based on')" 0
done
run tpucost doctor --format json
has "next are the metrics" "$(found access)" "warn next: metrics, to detect idle resources"
has "their API and role" "$(fix access)" "for project in lab-one lab-two; do gcloud services enable monitoring.googleapis.com --project=\$project && gcloud projects add-iam-policy-binding \$project --member=serviceAccount:$reader --role=roles/monitoring.viewer; done && tpucost collect"
faults ''

# ---- all but the bill
tpucost collect >/dev/null 2>&1
is "levels" "$(levels)" "inventory metrics"
for c in ps coverage burn budget hidden; do
	run tpucost $c
	is "$c works" "$rc" 0
	is "and $c says what it rests on" "$(printf '%s\n' "$err" | grep '^Based')" \
		"Based on: inventory, metrics. No billing export: cost and credit are unknown; run: tpucost doctor."
done
run tpucost budget --format json
is "what was spent is not known, not 0" "$(jq -c '.[0] | [.spent, (.basis | startswith("no bill was read"))]' stdout)" "[null,true]"
for c in status "report daily"; do
	# shellcheck disable=SC2086 # two words
	run tpucost $c
	is "$c works" "$rc" 0
	has "and says it in a line" "$(printf '%s' "$out" | tr '\n' ' ' | tr -s ' ')" "Based on: "
	# shellcheck disable=SC2086
	run tpucost $c --format json
	is "also as data" "$(jq -r .rests_on stdout)" "inventory, metrics. No billing export: cost and credit are unknown; run: tpucost doctor"
done
missing="Based on: inventory, metrics. No billing export: cost and credit are unknown; run: tpucost doctor."
run tpucost why burn
is "why says it" "$(printf '%s\n' "$err" | grep '^Based')" "$missing"
run tpucost why burn --format json
is "not to programs" "$err" ""
run tpucost sql "SELECT name FROM resources LIMIT 1" --format table
is "sql says it" "$err" "$missing"
for f in json csv; do
	run tpucost sql "SELECT name FROM resources LIMIT 1" --format $f
	is "but with $f" "$err" ""
done
run tpucost sql "SELECT name FROM resources LIMIT 1" --format table -q
is "or quiet" "$err" ""
for c in weekly month; do
	run tpucost report $c
	has "the $c has it in a line" "$(printf '%s' "$out" | tr '\n' ' ' | tr -s ' ')" "${missing%.}"
done
for c in weekly month; do
	run tpucost report $c --format json
	is "the $c has it as data" "Based on: $(jq -r .rests_on stdout)." "$missing"
done
run tpucost report grant
is "no reader of the grant's report has a use for it" "$(grep -ci 'rests on' stdout)" 0
run tpucost report grant --format json
is "not even as data: it speaks of costs" "$(jq -r .rests_on stdout)" null
run tpucost enforce
is "enforce works" "$rc" 0
run tpucost doctor --format json
status "doctor" 0
has "how far it is" "$(found access)" "ok reached: inventory (2 of 2 projects), metrics (2 of 2 projects)"
has "next is the export" "$(found access)" "ok next: billing export, for billed amounts"
has "no command switches it on" "$(found billing)" "in the console: Billing export, BigQuery export"
has "but these help" "$(fix billing)" "bq --location=US mk --dataset lab-one:billing && xdg-open https://console.cloud.google.com/billing/export"

# ---- all
curl -fs --data-binary "@$ROOT/tests/sandbox/worlds/small.yaml" "$url/_sandbox/world" >/dev/null
echo 'billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11}' >>tpucost.yaml
run tpucost ps
is "configured and not read yet" "$(printf '%s\n' "$err" | grep '^Based')" \
	"Based on: inventory, metrics. The billing export has not been read yet: cost and credit are unknown; run: tpucost collect."
faults '- {match: "POST /bigquery/v2/projects/lab-one/", status: 403}'
tpucost collect >/dev/null 2>&1
run tpucost ps
is "configured and closed" "$(printf '%s\n' "$err" | grep '^Based')" \
	"Based on: inventory, metrics. The billing export cannot be read: cost and credit are unknown; run: tpucost doctor."
is "to programs too" "$(tpucost sql --format json "SELECT have, configured, basis, missing, fix FROM access WHERE name = 'billing export'" | jq -c '.[0]')" \
	'{"have":0,"configured":1,"basis":"0 of 1 tables","missing":"cost and credit are unknown","fix":"tpucost doctor"}'
run tpucost doctor --format json
has "next is to read it" "$(found access)" "warn next: billing export, for billed amounts: cost, credit and budgets; its table is configured but could not be read: see 'billing' above"
table=lab-one.billing.gcp_billing_export_v1_00AA11
is "where a query without cost fails" "$(found billing | sed 's/ago$//; s/[0-9]*d [0-9]*h //')" \
	"fail $table exists, but a test of a query failed: BigQuery query: HTTP 403 forbidden: scripted fault
warn $table exists; Google wrote to it "
is "with what lets it" "$(fix billing | head -1)" "gcloud projects add-iam-policy-binding lab-one --member=serviceAccount:$reader --role=roles/bigquery.jobUser"
is "it reads no rows" "$(jq -r 'select(.path == "/bigquery/v2/projects/lab-one/queries") | .body | fromjson | .dryRun' requests | tail -1)" true
faults '- {match: "POST /bigquery/v2/projects/lab-one/", status: 500}'
run tpucost doctor billing
is "nor is it said to work if nobody answers" "$rc $(grep -c ' billing .*could not be checked' stdout) $(grep -c 'can be queried' stdout)" "4 1 0"
faults ''
run tpucost doctor --format json
has "it works again" "$(found billing)" "warn $table can be queried; Google wrote to it "
has "the last poll is another matter" "$(found access)" "its table is configured but could not be read: see 'sources' above"
tpucost collect billing >/dev/null 2>&1
run tpucost ps
is "nothing is missing: no line" "$(printf '%s\n' "$err" | grep -c Based)" 0
run tpucost doctor --format json
has "next is to stop" "$(found access)" "ok next: stop: nothing is stopped unless enforcement is armed; the steps: docs/enforce.md"
is "what the view says of it" "$(tpucost sql --format json "SELECT have, configured, missing, fix FROM access WHERE name = 'stop'" | jq -c '.[0]')" \
	'{"have":0,"configured":0,"missing":"nothing is stopped","fix":"docs/enforce.md"}'
echo 'enforcement: {mode: armed, projects: [lab-one]}' >>tpucost.yaml
is "armed" "$(levels)" "inventory metrics billing export stop"

sed 's/^projects: .*/projects: [lab-one]/' tpucost.yaml >one.yaml
run tpucost doctor --config one.yaml --format json
has "one project is one" "$(found configuration)" ": 1 project, 23 rules, 0 channels"

# ---- files alone
cat >files.yaml <<CONF
timezone: UTC
projects: []
database: files.db
CONF
day=$(day 0 %Y-%m-01)
printf '%s\n' "billing_account_id,service.id,service.description,sku.id,sku.description,usage_start_time,usage_end_time,project.id,export_time,cost,currency,currency_conversion_rate,usage.amount,usage.unit,usage.amount_in_pricing_units,usage.pricing_unit,credits,labels,invoice.month,cost_type" \
	"01AB23-CD45EF-678901,6F81-5844-456A,Compute Engine,2E27-4F75-95CD,N1 Core,$day 00:00:00 UTC,$day 01:00:00 UTC,csv-lab,$day 06:00:00 UTC,12.4,USD,1,1,hour,1,hour,[],[],$(day 0 %Y%m),regular" >half.csv
TPUCOST_CONFIG=$work/files.yaml
run tpucost import half.csv
run tpucost cost
is "files are a bill" "$(printf '%s\n' "$err" | grep Based)" \
	"Based on: imported files. No inventory: resources, coverage and run rate are unknown; run: tpucost doctor."
is "and a level" "$(levels)" files
run tpucost status
has "what was never read is not nothing" "$out" "Burn now unknown: no poll of the resources was complete"
