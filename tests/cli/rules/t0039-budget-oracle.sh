# Budgets after a real poll: the oracle works them out of the tables of the bill.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
budgets='[
 {"name": "month", "per": "month", "amount": 50, "currency": "USD"},
 {"name": "hkd", "per": "month", "amount": 20000, "currency": "HKD", "gross": true},
 {"name": "week", "per": "week", "amount": 1234.567, "currency": "HKD", "where": "cost_type = '\''regular'\''"},
 {"name": "day", "per": "day", "amount": 100, "currency": "HKD", "where": "zone = '\''europe-west4-a'\'' OR region = '\''us-central1'\''"},
 {"name": "euro", "per": "day", "amount": 100, "currency": "EUR"},
 {"name": "past", "per": "custom", "amount": 400, "currency": "HKD", "days": [-9, -3]},
 {"name": "odd", "per": "custom", "amount": 90000, "currency": "HKD", "days": [-2.3, 20.7]},
 {"name": "later", "per": "custom", "amount": 90000, "currency": "USD", "days": [1, 8]}]'
# with instants of the custom ones, and what the configuration says by itself
jq -n --argjson b "$budgets" --argjson now "$(date +%s)" '[$b[] |
	.alert_at = [50, 80, 100] | .forecast_at = [90, 100] | .gross = (.gross // false) |
	if .days then .starts = ($now + (.days[0] * 86400 | floor)) |
		.ends = ($now + (.days[1] * 86400 | floor)) else . end]' >budgets.json
cat >tpucost.yaml <<X
timezone: Asia/Hong_Kong
projects: [tpu-develop]
credentials: service-account.json
database: t.db
billing: {table: tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901}
budgets:
$(jq -r '.[] | "  - {name: \(.name), amount: \(.amount) \(.currency), alert_at: [50, 80, 100], forecast_at: [90, 100]" +
	(if .days then ", starts: \(.starts | todate | tojson), ends: \(.ends | todate | tojson)" else ", per: \(.per)" end) +
	(if .gross then ", count: gross" else "" end) +
	(if .where then ", where: \(.where | tojson)" else "" end) + "}"' budgets.json)
endpoints: {all: "$url"}
X
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
run tpucost collect -q
status "collected" 0

# one query, so that all of it is of one moment
nanos() { # COLUMN...: as JSON members of nano-units
	for c in "$@"; do printf "'%s', CAST(ROUND(%s * 1e9) AS INTEGER), " "$c" "$c"; done
}
seconds() {
	for c in "$@"; do printf "'%s', CAST(strftime('%%s', %s) AS INTEGER), " "$c" "$c"; done
}
run tpucost sql --format csv "SELECT json_object('now', (SELECT CAST(strftime('%s', now) AS INTEGER) FROM present),
	'zone', 'Asia/Hong_Kong',
	'live', (SELECT json_group_array(json_object('id', id, 'project', project, 'zone', zone, 'region', region,
		'sku', NULL, 'cost_type', cost_type, 'net', net_n, 'currency', currency,
		'advised', advised)) FROM charges_exact WHERE starts_n IS NULL),
	'ran', (SELECT json_group_array(json_object('id', id, 'category', category, 'project', project, 'zone', zone, 'region', region,
		'sku', NULL, 'cost_type', cost_type, 'net', net_n, 'currency', currency,
		'since', starts_n, 'until', ends_n)) FROM charges_exact WHERE starts_n IS NOT NULL),
	'got', (SELECT json_group_array(json_object(
		$(nanos spent unbilled expected forecast forecast_if_stopped safe_per_day)
		$(seconds starts ends runs_out runs_out_if_stopped)
		'name', name, 'reached', reached, 'forecast_reached', forecast_reached, 'unpriced', unpriced)) FROM budgets)) AS j"
status "asked" 0
tail -n +2 stdout | tr -d '\r' | sed 's/^"//; s/"$//; s/""/"/g' >got.json
sqlite3 -json t.db "SELECT NULLIF(p.project, '') AS project, s.sku,
	CASE WHEN s.service || s.sku LIKE '%tpu%' THEN 'tpu' ELSE 'other' END AS category, NULLIF(l.zone, '') AS zone,
	NULLIF(l.region, '') AS region, c.currency, c.rate, c.cost_type, u.hour,
	SUM(u.cost) AS cost, SUM(u.credits) AS credits
	FROM usage u JOIN billed_project p USING (project_ref) JOIN sku s USING (sku_ref) JOIN place l USING (place_ref)
	JOIN charge c USING (charge_ref) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9" >bill.json
jq -c --slurpfile bill bill.json --slurpfile b budgets.json \
	'. + {bill: $bill[0], budgets: [$b[0][] | .amount = (.amount * 1e9 | round) | .where = (.where // null)]}' \
	got.json >world.json
is "there is much on the bill" "$(jq '.bill | length > 500' world.json)" true
is "and something runs" "$(jq '.live | length > 5' world.json)" true
run python3 -B "$ROOT/tests/oracle/budget_oracle.py" world.json
status "the oracle agrees" 0
has "with each figure of each budget" "$out" "104 figures of 1 worlds, 0 differ"
is "nothing of it is known in euro" "$(jq -c '.got[] | select(.name == "euro") | [.spent, .forecast]' world.json)" "[null,null]"
is "a past one goes on without us" "$(jq -c '.got[] | select(.name == "past") | [.forecast - .expected, .safe_per_day]' world.json)" "[0,null]"
is "a later one has not begun" "$(jq -c '.got[] | select(.name == "later") | [.spent, .unbilled, .forecast > 0]' world.json)" "[0,0,true]"
