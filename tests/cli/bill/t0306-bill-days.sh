# billing: {detail: bigquery} keeps sums of days, and whatever needs no more is the same as with all lines, to the
# nano-unit and to the hour of the newest usage, in every zone.
. "$ROOT/tests/cli/lib.sh"

core="project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour"
write_world days us-central1-a <<END
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: HKD
  rate: 7.7832
  page_rows: 50
  rows:
    - {$core, usage: 96, cost: 0.123456789, list_cost: 0.2, region: us-central1, zone: us-central1-a, resource: vm-1,
       labels: {owner: ada, team: x}, from: $(day -40 %Y-%m-%dT00:00:00Z), until: $(at -5400),
       credits: [{name: sud, type: SUSTAINED_USAGE_DISCOUNT, amount: -0.0123456}]}
    - {$core, usage: 1.5, cost: 1.000000001, region: us-central1, zone: us-central1-b, resource: vm-2, copies: 2, lag: 30h,
       labels: {owner: ben}, from: $(day -35 %Y-%m-%dT07:00:00Z), until: $(day -1 %Y-%m-%dT03:00:00Z),
       credits: [{name: t, type: PROMOTION, amount: -0.9}, {name: u, type: FREE_TIER, amount: -0.000000001}]}
    - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3, unit: hour, usage: 1,
       cost: 62.000000001, region: europe-west4, zone: europe-west4-a, from: 2026-10-30T20:00:00Z,
       until: 2026-11-02T14:00:00Z, model: Flexible CUD, model_id: 52FB-D69D-95BE, default_cost: 70}
    # a correction of the last days of October, on the next invoice
    - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3, unit: hour, usage: -1,
       cost: -12.000000001, region: europe-west4, zone: europe-west4-a, from: 2026-10-31T20:00:00Z,
       until: 2026-11-01T12:00:00Z, invoice: "202611", lag: 50h}
    - {service: Invoice, sku: Tax, cost: 3.21, cost_type: tax, every: 24h, from: 2026-11-01T07:00:00Z}
END
start_sandbox "$work/world.yaml"

# config ZONE DETAIL
config() {
	cat >"$2.yaml" <<END
timezone: $1
currency: HKD
projects: [lab-one, lab-two]
credentials: service-account.json
database: $2.db
billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55, detail: $2}
credits: [{name: trial, amount: 3000 HKD, starts: 2026-10-20, expires: 2026-12-01}]
budgets:
  - {name: month, amount: 900 HKD}
  - {name: day, amount: 50 HKD, per: day, where: "category = 'cpu' AND zone <> 'x'"}
  - {name: gross, amount: 900 HKD, per: week, count: gross}
endpoints: {all: "$url"}
END
}
# both NAME COMMAND...: it prints the same of either database, but for the hour in which a budget was reached
both() {
	name=$1
	shift
	for detail in local bigquery; do
		clock_at =$NOW "$B/tpucost" --config $detail.yaml "$@" >said.$detail 2>noted.$detail
		echo "status $?" >>said.$detail
	done
	# names of files differ, and the time of the last read
	sed -i "s/\"runs_out[a-z_]*\": *\"[^\"]*\"//g" said.*
	sed -i "s/bigquery\.\(db\|yaml\)/local.\1/g" said.bigquery noted.bigquery
	if cmp -s said.local said.bigquery && cmp -s noted.local noted.bigquery; then
		pass "$name"
	else
		diff said.local said.bigquery >stdout
		diff noted.local noted.bigquery >stderr
		flunk "$name"
	fi
}
everything() {
	for by in day invoice_month project service sku category location zone region status sku_id cost_type \
		currency credit_type consumption_model account day,project,sku,zone,credit_type,status; do
		both "$1: cost by $by" cost --by $by --format json
	done
	both "$1: an invoice" cost --month 2026-11 --by project,sku --format json
	both "$1: a condition" cost -q --by day --where "usage > 20 AND zone = 'us-central1-a'" --format json
	both "$1: a period" cost --since 2026-10-30 --until 2026-11-02 --by day,category --format json
	both "$1: budgets" budget --format json
	both "$1: credits" credit --format json
	both "$1: reconcile" reconcile --since 40d --format json
	for kind in daily weekly month; do
		both "$1: report $kind" report $kind -q --format json
	done
	both "$1: an invoice day by day" why cost:2026-11-01
	both "$1: the view" sql "SELECT day, project, sku_id, zone, cost, credits, usage, list_cost, status FROM costs ORDER BY 1, 2, 3, 4, 5, 6, 7" \
		--format json
}
collect() {
	for detail in local bigquery; do
		run clock_at =$NOW "$B/tpucost" --config $detail.yaml collect -q billing
		status "$1: collected, $detail" 0
	done
}
lines() { sqlite3 "$1.db" 'SELECT count(*) FROM usage'; }

for zone in Asia/Hong_Kong America/Los_Angeles Asia/Kolkata UTC; do
	rm -f ./*.db*
	config $zone local
	config $zone bigquery
	collect $zone
	is "$zone: a few of the lines" "$(($(lines bigquery) * 7 < $(lines local)))" 1
	both "$zone: the newest usage" sql "SELECT newest_usage FROM sources WHERE source = 'billing'" --format json
	[ $zone = Asia/Hong_Kong ] && everything $zone
	both "$zone: by day" cost --by day,sku --format json
	both "$zone: by invoice" report month --format json
	both "$zone: budgets" budget --format json
	run tpucost --config bigquery.yaml db check
	status "$zone: valid" 0
done

# An unchanged table costs nothing: each process finds the version of its query again.
asked=$(grep -c 'POST.*queries' requests)
for hour in 2 4 6 8; do
	clock_at =$((NOW + hour * 3600)) "$B/tpucost" --config bigquery.yaml collect -q billing
done
is "nothing is read again" "$(($(grep -c 'POST.*queries' requests) - asked))" 0
# 4 and 0x80, and above them FNV-1a of two absent days and "UTC"
is "by the version" "$(sqlite3 bigquery.db 'SELECT recipe FROM billing_table')" 906286783876

# What needs more says so.
only="only sums of days are kept here (billing: {detail: bigquery})"
for by in resource owner label:team; do
	run tpucost --config bigquery.yaml cost --by $by --offline
	status "by $by: not answered" 1
	has "by $by: why" "$err" "$only"
done
run tpucost --config bigquery.yaml cost --where "owner = 'ada'" --offline
has "a condition" "$err" "$only"
run tpucost --config bigquery.yaml cost --format focus --offline
has "FOCUS" "$err" "$only"
run tpucost --config bigquery.yaml sql "SELECT owner FROM costs LIMIT 1"
has "SQL" "$err" "note: costs: $only"
for format in text html markdown json csv; do # a chat has neither section
	for report in daily weekly; do
		run tpucost --config bigquery.yaml report $report --format $format --offline
		status "report $report, $format" 0
		has "report $report, $format: says what it lacks" "$(tr -s ' \n' ' ' <stdout)" \
			"Not known: $only"
	done
done
run tpucost --config bigquery.yaml report daily --format json
is "with the answer it has owners" "$(jq -c '[.owners[].owner]' stdout)" '["ada","ben",null]'
has "it says what it reads" "$err" "note: BigQuery reads "
run tpucost --config bigquery.yaml report daily --format json --offline
is "the answer is kept" "$(jq -c '[.owners[].owner], .section_notes.owners' stdout | tr '\n' ' ')" '["ada","ben",null] null '

# refused WHAT LINES: such a section needs more
refused() {
	config UTC bigquery
	printf '%s\n' "$2" | sed 's/^+//' >>bigquery.yaml
	run tpucost --config bigquery.yaml check
	status "$1: refused" 2
	has "$1: why" "$err" "detail: with bigquery, "
	has "$1: where" "$err" "bigquery.yaml:6:"
}
refused "a rule about owners" "rules: [{name: mine, on: costs, where: \"owner = 'ada'\", severity: info}]"
config UTC bigquery
sed -i "s/zone <> 'x'/labels LIKE '%x%'/" bigquery.yaml
run tpucost --config bigquery.yaml check
has "a budget of labels" "$err" "the condition of budget 'day' has one of them"
config UTC bigquery
sed -i 's/starts: 2026-10-20/starts: 2026-10-20T03:00:00Z/' bigquery.yaml
run tpucost --config bigquery.yaml check
has "a credit from 03:00 on" "$err" "credit 'trial' begins or ends within a day"
sed -i 's/T03:00:00Z//; s/per: week/per: custom, starts: 2026-11-01, ends: 2026-11-10T12:00:00Z/' bigquery.yaml
run tpucost --config bigquery.yaml check
has "a budget until noon" "$err" "budget 'gross' begins or ends within a day"

# Back again: the next poll reads the lines.
config UTC bigquery
sed -i 's/detail: bigquery/detail: local/' bigquery.yaml
run tpucost --config bigquery.yaml collect -q billing
status "back to lines" 0
is "all of them" "$(lines bigquery)" "$(lines local)"
run tpucost --config bigquery.yaml cost --by owner --format json
is "with owners" "$(jq -r '[.[].owner] | sort | join(" ")' stdout)" " ada ben"
