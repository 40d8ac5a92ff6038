# The beginning of the bill: of what it has no hours, no figure is complete. Days of usage are those of UTC, and west
# of it the bill begins within a day.
. "$ROOT/tests/cli/lib.sh"

# hours FROM UNTIL [ACCOUNT] [CREDIT]: 1 USD an hour
hours() {
	jq -nc --arg from "$1" --arg until "$2" --arg a "${3:-01AB23-CD45EF-678901}" --argjson c "${4:-0}" \
		'range($from | fromdate; $until | fromdate; 3600) | {billing_account_id: $a, project: {id: "p-one-1"},
		service: {id: "6F81-5844-456A", description: "Compute Engine"}, sku: {id: "A1", description: "N1 Core"},
		usage_start_time: todate, usage_end_time: (. + 3600 | todate), cost: 1, currency: "USD",
		currency_conversion_rate: 1, usage: {amount: 1, unit: "seconds", amount_in_pricing_units: 1, pricing_unit: "hour"},
		credits: [select($c != 0) | {name: "trial", type: "PROMOTION", amount: $c}],
		invoice: {month: "202611"}, cost_type: "regular", export_time: "2026-11-18T09:00:00Z"}'
}
# config ZONE [LINE...]
config() {
	printf '%s\n' "timezone: $1" "projects: []" "database: t.db" >tpucost.yaml
	shift
	printf '%s\n' "$@" >>tpucost.yaml
}
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG

# A week whose first day is only the end of a day is not compared.
hours 2026-11-03T00:00:00Z 2026-11-18T04:00:00Z >a.json
config America/Los_Angeles
tpucost import a.json >/dev/null 2>&1
run tpucost report weekly --until 2026-11-16 --format json
is "west: the week before is incomplete" "$(jq -c '.sums[0] | [.net, .net_before, .change]' stdout)" "[168,null,null]"
has "west: and why" "$out" "The billing data begins on 2026-11-03: the previous week is incomplete and not compared."
run tpucost report weekly --until 2026-11-17 --format json
is "west: whole days are compared" "$(jq -c '.sums[0] | [.net, .net_before, .change]' stdout)" "[168,168,0]"

# A credit of a time of which only one account has a bill: what that bill says is a lower bound.
rm -f t.db*
config UTC "credits: [{name: early, amount: 300 USD, starts: 2026-10-01, expires: 2026-11-01}]"
hours 2026-10-10T00:00:00Z 2026-10-10T10:00:00Z 01AB23-CD45EF-678901 -0.5 >a.json
hours 2026-11-05T00:00:00Z 2026-11-05T02:00:00Z 01AB23-CD45EF-678902 >b.json
tpucost import a.json b.json >/dev/null 2>&1
run tpucost credit --format json
is "a credit before the newest account" "$(jq -c '.[0] | [.used, .left, .billed_from]' stdout)" \
	'[5,295,"2026-11-05T00:00:00Z"]'
run tpucost why credit:early
has "a lower bound" "$(tr -s '\n ' ' ' <stdout)" "used is a lower bound"
config UTC "credits: [{name: older, amount: 300 USD, starts: 2026-09-01, expires: 2026-10-10}]"
run tpucost credit --format json
is "a credit before any bill" "$(jq -c '.[0] | [.used, .left]' stdout)" "[null,null]"

# Files of two accounts, one of which is not named.
rm -f t.db*
config UTC
hours 2026-11-10T00:00:00Z 2026-11-10T02:00:00Z >a.json
hours 2026-11-12T00:00:00Z 2026-11-12T02:00:00Z | sed 's/"billing_account_id":"[^"]*",//' >b.json
tpucost import a.json >/dev/null 2>&1
tpucost import b.json >/dev/null 2>&1
run tpucost report month --format json
has "of an account without a name" "$(jq -r .section_notes.invoice stdout)" \
	"The billing data of the unknown account begins on 2026-11-12;"

# `from` and `until` are days of usage: the help names their zone, which is not `timezone`.
run tpucost help config billing
is "both in UTC" "$(grep -cE '(first|last) usage day to read, in UTC' stdout)" 4
