# The report of a month: the invoice as `cost --month`, tied to the calendar.
. "$ROOT/tests/cli/lib.sh"
cat >tpucost.yaml <<'END'
timezone: Asia/Hong_Kong
projects: []
database: t.db
END
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
# line START INVOICE COST [PROJECT] [COST_TYPE] [ACCOUNT] [CURRENCY] [CREDIT]
line() {
	jq -nc --arg at "$1" --arg month "$2" --arg cost "$3" --arg project "${4:-}" --arg type "${5:-regular}" \
		--arg account "${6:-01AB23-CD45EF-678901}" --arg currency "${7:-USD}" --arg credit "${8:-}" '{
		billing_account_id: $account, service: {id: "6F81-5844-456A", description: "Compute Engine"},
		sku: {id: "S", description: "N1 Core <script>=HYPERLINK()"}, usage_start_time: $at,
		export_time: "2026-09-20 00:00:00 UTC", location: {location: "us"}, cost: $cost,
		currency: $currency, usage: {amount: "1", unit: "seconds"}, invoice: {month: $month},
		cost_type: $type, project: (if $project == "" then null else {id: $project} end),
		credits: (if $credit == "" then [] else
			[{name: "c", type: "PROMOTION", amount: $credit}] end)}'
}
{
	line "2026-08-01 06:00:00 UTC" 202607 1.5 lab   # July 31 in Pacific time, August 1 in Hong Kong
	line "2026-08-01 08:00:00 UTC" 202607 2 lab     # August 1, on July's invoice
	line "2026-08-10 00:00:00 UTC" 202608 10 lab regular "" "" -4
	line "2026-07-05 00:00:00 UTC" 202608 -3 lab adjustment # a refund that came late
	line "2026-08-31 20:00:00 UTC" 202608 0.000000001 lab   # September in Hong Kong
	line "2026-08-31 00:00:00 UTC" 202608 0.8 "" tax
	line "2026-08-10 00:00:00 UTC" 202608 700 lab regular AAAAAA-BBBBBB-CCCCCC HKD
} >bill.ndjson
run tpucost import bill.ndjson
status "imported" 0
run tpucost report month --month 2026-08 --format json
status "an invoice month" 0
cp stdout m.json
of() { jq -c "[.$1[] | select(.account == \"01AB23-CD45EF-678901\") | $2]" m.json; }
is "the lines of the invoice" "$(of invoice '[.line, .amount]')" \
	'[["adjustments",-3],["usage",10.000000001],["tax",0.8],["credits: PROMOTION",-4],["subtotal, without tax",3.000000001],["total",3.800000001]]'
is "from the invoice to the calendar" "$(of calendar '[.step, .day, .invoice_month, (.net * 1e9 | round)]')" \
	'[["invoice",null,null,3800000001],["other-month","2026-07-04","202608",3000000000],["other-invoice","2026-08-01","202607",2000000000],["pacific",null,null,8800000001],["zone-start",null,null,1500000000],["zone-end",null,null,-1],["zone",null,null,10300000000]]'
is "another account and currency stand alone" "$(jq -c '[.calendar[] | select(.currency == "HKD") | .net]' m.json)" \
	"[700,700,0,0,700]"
is "the invoice is that of cost --month" "$(jq -c '[.projects[] | [.project, .currency, .net]] | sort' m.json)" \
	"$(tpucost cost --month 2026-08 --by project --format json | jq -c '[.[] | [.project, .currency, .net]] | sort')"
is "days of the zone are those of cost --since" \
	"$(jq -c '[.calendar[] | select(.step == "zone") | [.currency, .net]] | sort' m.json)" \
	"$(tpucost cost --since 2026-08-01 --until 2026-09-01 --by currency --format json |
		jq -c '[.[] | [.currency, .net]] | sort')"
is "an account begins within it" "$(jq -r .status m.json)" partial
has "and the reason names it" "$(tpucost why cost:2026-08 | tr -s '\n ' ' ')" \
	"status partial: the billing data of AAAAAA-BBBBBB-CCCCCC begins on 2026-08-10; earlier usage, if any, is not in it"
run tpucost report month --month 2026-07 --format json
is "August 1 is on July's invoice" "$(jq -c '[.invoice[] | select(.line == "total") | .amount]' stdout)" "[3.5]"
run tpucost report month --month 2026-08
has "text names the figures of the console" "$out" "Cost table: Total"
for format in html markdown slack csv; do
	run tpucost report month --month 2026-08 --format $format
	status "$format" 0
	is "$format: names stay text" "$(grep -c '<script>=H' stdout | tr 1-9 0)$(grep -c '^=HYPERLINK' stdout)" \
		"$(if [ $format = csv ]; then grep -c '<script>=H' stdout | tr 1-9 0; else echo 0; fi)0"
done
run tpucost report month
has "no data of the present month" "$out" "has no lines on the invoice"
run tpucost report month --month 2026-01
has "nor of one before" "$out" "begins with the invoice of 2026-07"
run tpucost report month --month 2026-8
is "a month is YYYY-MM" "$rc" 2
