. "$ROOT/tests/cli/lib.sh"
url=http://127.0.0.1:1
P='projects: [p-one-1]'
bad() { # NAME PART BUDGETS
	printf '%s\nbudgets:\n%s\n' "$P" "$3" >bad.yaml
	run tpucost check --config bad.yaml
	status "$1: exit 2" 2
	has "$1: said" "$err" "$2"
}
good() { # NAME BUDGETS
	printf '%s\nbudgets:\n%s\n' "$P" "$2" >good.yaml
	run tpucost check --config good.yaml
	status "$1" 0
}
bad "unknown period" "bad.yaml:3:35: 'year' is not valid (expected one of: month, week, day, custom)" \
	"  - {name: m, amount: 5 USD, per: year}"
bad "a calendar period with ends" 'bad.yaml:3:40: budget m: per: day cannot be used with starts and ends' \
	"  - {name: m, amount: 5 USD, per: day, ends: 2026-11-01}"
bad "no end" 'budget m: ends is missing' "  - {name: m, amount: 5 USD, starts: 2026-11-01}"
bad "no start" 'budget m: starts is missing' "  - {name: m, amount: 5 USD, per: custom, ends: 2026-11-01}"
bad "nothing of a custom period" 'is missing' "  - {name: m, amount: 5 USD, per: custom}"
bad "no length" 'budget m ends before it starts' \
	"  - {name: m, amount: 5 USD, starts: 2026-11-01, ends: 2026-11-01}"
for day in 2026-10-31 2026-11-01; do
	printf '%s\n' "$P" "credits: [{name: c, amount: 5 USD, starts: 2026-11-01, expires: $day}]" >bad.yaml
	run tpucost check --config bad.yaml
	is "a credit until $day" "$rc $(printf '%s' "$err" | grep -o 'bad.yaml:.*')" \
		"2 bad.yaml:2:65: credit c expires before it starts"
done
bad "a date that is none" "'2026-02-29'" \
	"  - {name: m, amount: 5 USD, starts: 2026-02-29, ends: 2026-11-01}"
bad "no amount" 'amount' "  - {name: m, per: day}"
bad "an amount of nothing" 'above 0' "  - {name: m, amount: 0 USD, per: day}"
bad "no currency" "'5'" "  - {name: m, amount: '5', per: day}"
bad "the same name" "budget 'm' already exists" \
	"  - {name: m, amount: 5 USD}
  - {name: m, amount: 6 USD}"
bad "an empty condition" 'the condition is empty' "  - {name: m, amount: 5 USD, where: ' '}"
bad "neither net nor gross" "'all' is not valid (expected one of: net, gross)" "  - {name: m, amount: 5 USD, count: all}"
bad "a threshold of nothing" "'0' is not a threshold (expected a whole percentage, 1 to 1000)" \
	"  - {name: m, amount: 5 USD, alert_at: [0]}"
bad "too high a threshold" "'1001' is not a threshold" "  - {name: m, amount: 5 USD, forecast_at: 1001}"
bad "half a percent" "'80.5' is not a threshold" "  - {name: m, amount: 5 USD, alert_at: [80.5]}"
bad "thresholds that fall" 'thresholds must increase: 50 follows 80' \
	"  - {name: m, amount: 5 USD, alert_at: [80, 50]}"
bad "too many thresholds" 'more than 16 thresholds' \
	"  - {name: m, amount: 5 USD, alert_at: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]}"
bad "an unknown column" "bad.yaml:3:37: budget m: where: costs has no column 'categry'" \
	"  - {name: m, amount: 5 USD, where: \"categry = 'cpu'\"}"
has "and the nearest" "$err" "did you mean 'category'?"
bad "a column of another view" "costs has no column 'covered'" "  - {name: m, amount: 5 USD, where: covered = 1}"
bad "a parenthesis too many" 'budget m: where:' "  - {name: m, amount: 5 USD, where: '1) OR (1'}"
bad "two statements" 'budget m: where:' "  - {name: m, amount: 5 USD, where: '1; DELETE FROM usage'}"
bad "a table" 'budget m: where:' "  - {name: m, amount: 5 USD, where: '(SELECT MAX(cost) FROM usage) > 0'}"
bad "endless recursion" 'budget m: where:' \
	"  - {name: m, amount: 5 USD, where: '0 IN (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r)'}"
bad "a pragma" 'budget m: where:' "  - {name: m, amount: 5 USD, where: '(SELECT 1 FROM pragma_user_version)'}"
bad "a long one" 'budget m: where:' "  - {name: m, amount: 5 USD, where: 'cost > $(head -c 30000 /dev/zero | tr '\0' 1)'}"
good "one threshold, with its sign" "  - {name: m, amount: 5 USD, alert_at: 80%, forecast_at: []}"
good "ends as instants" "  - {name: m, amount: 5 USD, starts: '2026-11-01T05:00:00Z', ends: '2026-11-01T06:00:00+00:00'}"

start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "budgets:
  - {name: all, amount: 1000 USD, per: month}
  - {name: unsaid, amount: 10 EUR, per: day}
  - {name: elsewhere, amount: 10 USD, per: week, where: \"project = 'none'\"}"
tpucost collect -q
run tpucost budget --format json
status "budgets are shown" 0
is "each of them" "$(jq -r '[.[].name] | join(" ")' stdout)" "all elsewhere unsaid"
is "nothing is nothing" "$(jq -c '.[1] | [.spent, .unbilled, .expected, .forecast, .percent, .runs_out]' stdout)" \
	"[0,0,0,0,0,null]"
is "without a rate nothing is known" "$(jq -c '.[2] | [.spent, .expected, .forecast, .percent]' stdout)" \
	"[null,null,null,null]"
has "and says why" "$(jq -r '.[2].basis' stdout)" "the bill has no rate to EUR"
is "expected is both together" \
	"$(jq -r '.[0] | (.spent + .unbilled - .expected) | fabs < 0.000001' stdout)" true
# a query does not check the configuration; what is wrong with one budget is said of that one
sed "s/project = 'none'/prject = 'none'/" tpucost.yaml >wrong.yaml
run tpucost budget --config wrong.yaml --format json
status "a wrong condition: status" 0
is "is not known" "$(jq -c '.[1] | [.name, .spent, .basis]' stdout)" \
	"[\"elsewhere\",null,\"unknown: costs has no column 'prject'\"]"
is "and the others are" "$(jq '.[0].spent != null' stdout)" true
run tpucost collect --config wrong.yaml
status "whatever writes refuses it" 2
has "by its place" "$err" "budget elsewhere: where: costs has no column 'prject'; did you mean 'project'?"

# in words: what a person reads
run tpucost budget
status "in words" 0
has "how much of it is used" "$out" "all, until "
has "nothing changes" "$out" "Forecast without changes: "
has "what stopping would do" "$out" "Forecast if the advised resources are stopped: "
has "what may be spent" "$out" "Available per day from now: "
has "what it rests on" "$out" "Estimates, based on: "
has "what is not known" "$out" "unknown: amounts are in USD and the bill has no rate to EUR."
has "what is to be stopped" "$out" "lab-one/tpu/us-central1-a/wrong"
is "no line is wider than a terminal" "$(awk 'length($0) > 79' stdout)" ""
is "budgets are not added up" "$(grep -c '^total' stdout)" 0
run tpucost budget --where "name = 'elsewhere'"
is "one of them" "$(grep -c ', until' stdout)" 1
has "which has nothing to it" "$out" "elsewhere, until "
run tpucost budget --columns name,percent --format csv --where "percent = 0"
is "as any other view" "$(tr -d '\r' <stdout)" "name,percent
elsewhere,0"
run tpucost sql "SELECT COUNT(*) AS n FROM budget_parts WHERE name = 'all' AND project IS NOT NULL" --format csv
is "by project" "$(tr -d '\r' <stdout | tail -1)" 2
write_config ""
run tpucost budget
is "no budgets" "$out" "No \`budgets:\` in the configuration; see: tpucost help config budgets"

# a billing account that begins later: what was billed before is known of the other one only
line() { # ACCOUNT PROJECT DAY COST
	jq -nc --arg a "$1" --arg p "$2" --arg d "$3" --argjson c "$4" '{billing_account_id: $a, project: {id: $p},
		service: {id: "6F81-5844-456A", description: "Compute Engine"}, sku: {id: "A1", description: "Core"},
		usage_start_time: ($d + "T05:00:00Z"), usage_end_time: ($d + "T06:00:00Z"), cost: $c, currency: "USD",
		currency_conversion_rate: 1, usage: {amount: 1, unit: "seconds", amount_in_pricing_units: 1, pricing_unit: "hour"},
		credits: [], invoice: {month: "202611"}, cost_type: "regular", export_time: ($d + "T07:00:00Z")}'
}
mkdir two && cd two || exit 1
{ line 01AB23-CD45EF-678901 p-one-1 2026-09-03 70 && line 01AB23-CD45EF-678901 p-one-1 2026-11-01 10; } >a.json
line 01AB23-CD45EF-678902 q-two-2 2026-11-02 1 >b.json
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: september, amount: 100 USD, per: custom, starts: 2026-09-01, ends: 2026-09-30}" >tpucost.yaml
TPUCOST_CONFIG=$PWD/tpucost.yaml
tpucost import a.json b.json >/dev/null
run tpucost budget --since 2026-09-01 --until 2026-10-01 --format json
is "a period before it is partly known" "$(jq -c '.[0] | [.spent, .status]' stdout)" '[70,"partial"]'
run tpucost budget september
has "and the reason names the account" "$out" "the bill of billing account 01AB23-CD45EF-678902 begins after the"

# of a running period and of a credit it lacks the beginning
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" "  - {name: november, amount: 100 USD}" \
	"credits:" "  - {name: trial, amount: 300 USD, starts: 2026-10-01}" >tpucost.yaml
run tpucost budget
has "a running period that began before the bill" "$(tr -s '\n ' ' ' <stdout)" "the bill of billing account \
01AB23-CD45EF-678902 begins at 2026-11-02 00:00, after the period did: the figures are lower bounds"
run tpucost credit
has "a credit that began before the bill" "$err" "note: the bill begins after credit trial: used is a lower bound"
run tpucost credit --project q-two-2
has "and by project" "$err" "note: the bill begins after credit trial: used is a lower bound; see"
is "which has no column of what is left" "$(grep -c 'upper bound' stderr)" 0
run tpucost why credit:trial
has "and why" "$(tr -s '\n ' ' ' <stdout)" "the bill begins at 2026-11-02 00:00"
run tpucost status
has "and in the status" "$out" "trial: at most 300.00 of 300.00 USD left"

# a percentage is rounded down once, everywhere in the same way: 466.60 of 400 are 116.65 %
rm -f t.db* && line 01AB23-CD45EF-678901 p-one-1 2026-11-01 466.6 >a.json
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: november, amount: 400 USD, per: custom, starts: 2026-11-01, ends: 2026-11-30}" >tpucost.yaml
tpucost import a.json >/dev/null
run tpucost budget
is "in the table and the sentence" "$(grep -o '116\.[0-9]*' stdout | sort -u)" 116.6
run tpucost status
is "in the status" "$(grep -o '116\.[0-9]*' stdout | sort -u)" 116.6
run tpucost report
is "in the report" "$(grep -o '116\.[0-9]*' stdout | sort -u)" 116.6

# every column of costs, also with the name of the view; a condition that fails later is said by the doctor
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: account, amount: 400 USD, where: \"costs.account = '01AB23-CD45EF-678901' AND list_cost > 0\"}" \
	"  - {name: fails, amount: 400 USD, where: 'json(currency) IS NULL OR savings > 0'}" >tpucost.yaml
run tpucost check
status "both conditions are valid" 0
run tpucost budget --format json
is "one has figures" "$(jq -c '.[] | select(.name == "account") | [.spent, .percent]' stdout)" "[466.6,116.6]"
run tpucost doctor budgets
is "the other one is a warning" "$(grep -A1 ' budgets ' stdout | tr -s ' ')" \
	"warn budgets fails cannot alert, its figures are unknown: SQL: malformed JSON
 tpucost budget"
run tpucost cost --by project --where "costs.account LIKE '01AB23%'" --columns net --format csv
is "cost takes the name of the view, too" "$(tail -1 stdout | tr -d '\r')" 466.6
sed -i '/name: fails/d' tpucost.yaml
run tpucost doctor budgets
has "all are known" "$(tr -s ' ' <stdout)" "ok budgets each one has figures"

# the periods of one budget do not depend on how many the others have
sed -i '$a\  - {name: daily, amount: 10 USD, per: day}' tpucost.yaml
run tpucost budget account --since 2024-01-01 --format csv
status "three years of months" 0
is "of the named budget only" "$(tail -n +2 stdout | cut -d , -f 1 | sort | uniq -c | tr -s ' ')" " 35 account"
run tpucost budget daily --since 2024-01-01
has "three years of days are too many" "$err" "budget daily: more than 1000 periods"

# 100 % is only said of what is reached: 999.96 of 1000 are 99.9 %
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: nearly, amount: 1000 USD, per: custom, starts: 2026-11-01, ends: 2026-11-30}" >tpucost.yaml
line 01AB23-CD45EF-678901 p-one-1 2026-11-02 533.36 >b.json
tpucost import b.json >/dev/null
for words in budget status "why budget:nearly" report "budget --since 2026-11-01" "budget --format csv"; do
	# shellcheck disable=SC2086 # words
	run tpucost $words
	is "$words: 99.9 %" "$(grep -oE '\b(99\.9|100\.0)[0-9]*' stdout | sort -u)" 99.9
done

# a period that is over has no forecast, and one of the future says when it begins
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: past, amount: 1000 JPY, starts: 2026-11-01, ends: 2026-11-05}" \
	"  - {name: later, amount: 9000000.123 USD, starts: 2027-01-01, ends: 2027-02-01}" \
	"  - {name: open, amount: 300 USD}" >tpucost.yaml
rm -f t.db* && sed 's/"USD"/"JPY"/; s/rate":1,/rate":150,/' a.json >jpy.json && tpucost import jpy.json >/dev/null
run tpucost budget
has "it ended" "$out" "past, ended 2026-11-05 00:00: 467 of 1000 JPY (46.6 %)
  Estimates, based on: bill"
has "and nothing that runs counts" "$(tr -s '\n ' ' ' <stdout)" "; the period ended at 2026-11-05 00:00. "
has "one begins" "$out" "later, begins 2027-01-01 00:00, until 2027-02-01 00:00: 0.00 of 9000000.12 USD"
has "the table has the digits of the currency" "$(grep '^past' stdout | tr -s ' ')" "past 1000 467 46.6 467 "
has "also above four million" "$(grep "^later " stdout | tr -s " ")" "later 9000000.12 0.00 "
run tpucost status
is "the status says so, the ended one last" "$(grep -o 'open: .*\|later: .*\|past: .*' stdout | sed 's/begins in .*/begins in/')" \
	"open: about 3.11 of 300.00 USD (1.0 %)
later: about 0.00 of 9000000.12 USD (0.0 %), begins in
past: about 467 of 1000 JPY (46.6 %), ended 2026-11-05 00:00"

# A condition on an amount may hold for a day and for none of its hours. Then the budget was used up by the end of the
# newest hour of that day on the bill, and not at the time of the question.
printf '%s\n' "timezone: UTC" "projects: []" "database: t.db" "budgets:" \
	"  - {name: big, amount: 100 USD, where: 'cost > 100'}" \
	"  - {name: plain, amount: 100 USD}" >tpucost.yaml
rm -f t.db* && for hour in 10 11 12; do
	line 01AB23-CD45EF-678901 p-one-1 2026-11-02 60 |
		sed "s/T05/T$hour/; s/T06/T$((hour + 1))/"
done >a.json && tpucost import a.json >/dev/null
run tpucost budget --format csv --columns name,spent,runs_out
is "used up on a day of the past" "$(tr -d '\r' <stdout)" "name,spent,runs_out
big,180,2026-11-02T13:00:00Z
plain,180,2026-11-02T12:00:00Z"
