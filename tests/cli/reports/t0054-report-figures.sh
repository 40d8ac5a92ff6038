. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
# The daily report says what the commands say, and every format says the same.
lab_config "credits:
  - {name: free-trial, amount: 300 USD, starts: $(day -60)}
budgets:
  - {name: month, amount: 5000 HKD, per: month}
  - {name: cpu-day, amount: 100 HKD, per: day, where: \"category = 'cpu'\"}" \
	"100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f"
run tpucost run --once
status "one cycle" 0
tpucost report daily --format json >r.json

# same NAME FILTER-OF-THE-REPORT FILTER-OF-THE-COMMAND COMMAND...
same() {
	name=$1 mine=$2 theirs=$3
	shift 3
	run tpucost "$@" --format json
	is "$name" "$(jq -c "$mine" r.json)" "$(jq -c "$theirs" stdout)"
}
nanos='def n: . * 1e9 | round; def sums(k): group_by(k) | map({(.[0] | k): (map(.net // 0 | n) | add)}) | add;'
cents='def c: . * 100 | round;'

same "net burn is that of burn" \
	"[.burn_per_hour[] | {(.currency): (.net_per_hour * 1e6 | round)}] | add" \
	"group_by(.currency) | map({(.[0].currency): (map(.net_per_hour) | add * 1e6 | round)}) | add" burn
same "and by category" \
	"[.burn[] | select(.total | not) | [.category, .currency, .resources, (.net_per_hour * 1e6 | round), (.gross_per_hour * 1e6 | round)]] | sort" \
	"[.[] | [.category, .currency, .resources, (.net_per_hour * 1e6 | round), (.gross_per_hour * 1e6 | round)]] | sort" burn

# spans of the bill, [first day, day after the last)
span() { # NAME KEY SINCE UNTIL
	same "$1" \
		"$nanos [.money[] | select(.total | not) | {category, net: .$2}] | sums(.category) | with_entries(select(.value != 0))" \
		"$nanos sums(.category) | with_entries(select(.value != 0))" \
		cost --by category --since "$3" --until "$4"
}
span "yesterday is that of cost" net_yesterday "$(day -1)" "$(day 0)"
span "the day before" net_day_before "$(day -2)" "$(day -1)"
span "seven days" net_7d "$(day -7)" "$(day 0)"
span "thirty days" net_30d "$(day -30)" "$(day 0)"
span_of() { tpucost report daily | sed -n "s/.*more: tpucost cost --by $1 --since \(.*\) --until /\1 /p"; }
is "the command for the rest is of the same days" "$(span_of category)" "$(day -30) $(day 0)"
span "this month" net_month "$(echo "$(day 0)" | cut -c 1-8)01" "$(day +1)"
same "sums of yesterday" "[.yesterday[] | [.cost, .credits, .net, .promo, .currency, .status]]" \
	"[.[] | [.cost, .credits, .net, .promo, .currency, .status]]" \
	cost --by day --since "$(day -1)" --until "$(day 0)"
same "the days that are drawn" \
	"[.days[] | select(.net != null and .net != 0) | [.day, .net, .status]]" \
	"[.[] | select(.net != 0) | [.day, .net, .status]] | sort" \
	cost --by day --since "$(day -30)" --until "$(day 0)"
is "and none of them is missing" "$(jq '[.days[].day] | length == (unique | length)' r.json)" true

same "TPUs that nothing covers, and why" \
	"[.running[] | select(.covered == false) | [.id, .why, .why_text]] | sort" \
	"[.[] | select(.covered == 0) | [.id, .why, .why_text]] | sort" coverage
same "all that runs" \
	"$cents [.running[] | [.id, .kind, .type, (.net_per_hour | c), .currency, .owner]] | sort" \
	"$cents [.[] | select((.kind == \"tpu\" or .kind == \"vm\") and .state == \"running\") | [.id, .kind, .type, (.net_per_hour | c), .currency, .owner]] | sort" ps
same "yesterday's TPU hours" \
	"[.coverage_yesterday[] | [.grant_name, .why, .tpus, .chip_hours, .gross, .net, .saved]] | sort" \
	"[.[] | [.grant_name, .why, .tpus, .chip_hours, .gross, .net, .saved]] | sort" \
	coverage --since "$(day -1)" --until "$(day 0)" --by grant
same "grants" "[.grants[] | [.name, .zone, .used_chips, .granted_chips, .until]]" \
	"[.[] | [.name, .zone, .used_chips, .granted_chips, .until]]" grant list
is "with days left" "$(jq '[.grants[].days_left] | min > 2 and max < 5' r.json)" true
same "budgets" "[.budgets[] | [.name, .amount, .spent, .currency, .period, .starts, .ends]]" \
	"[.[] | [.name, .amount, .spent, .currency, .period, .starts, .ends]]" budget
# what is not billed grows by the second
tpucost budget --format json >before.json
tpucost report --format json >between.json
tpucost budget --format json >after.json
is "and what is expected of them" "$(jq -n --slurpfile a before.json --slurpfile r between.json \
	--slurpfile b after.json '[range(2) as $i | ("expected", "forecast", "percent") as $k |
	($a[0][$i][$k] <= $r[0].budgets[$i][$k] + 1e-6 and
		$r[0].budgets[$i][$k] <= $b[0][$i][$k] + 1e-6)] | unique | tostring')" '"[true]"'
is "a day of the month's budget" "$(jq -c '[.budget_per_day, .budget_per_day_currency]' r.json)" \
	"$(jq -n -c '[(5000 / 30 * 1e9 | round) / 1e9, "HKD"]')"
same "credit" "[.credits[] | [.name, .amount, .left, .used]]" \
	"[.[] | [.name, .amount, .left, .used]]" credit
same "quotas" "[.quotas[] | select(.percent >= 70) | [.metric, .location, .used, .limit_value, .percent]] | sort" \
	"[.[] | select((.percent // 0) >= 70) | [.metric, .location, .used, .limit_value, .percent]] | sort" quota
same "sources" "[.sources[] | [.source, .project, .state]]" \
	"[.[] | [.source, .project, .state]] | sort" sources
same "what fires and is to be mended" \
	"[.do_now[] | select(.rule == \"vm-forgotten\") | .id]" \
	"[.[] | select(.rule == \"vm-forgotten\" and .state == \"firing\") | .subject]" alerts

is "estimates are named" "$(jq -c '.estimates | contains(["burn.net_per_hour", "budgets.forecast"])' r.json)" true
is "and what is partial" "$(jq -c '.partial | index("yesterday.net") != null' r.json)" true

# ---- every format says the same ------------------------------------------------------------

# rounded as people are shown it, half to even: rounded DIGITS
rounded() {
	python3 -c 'import decimal, sys; print(decimal.Decimal(input()).quantize(decimal.Decimal(sys.argv[1]), "ROUND_HALF_EVEN"))' "$1"
}
money() {
	jq -r "$1" r.json | rounded 0.01
}
yesterday="$(money '.yesterday[0].net') HKD"
burn="$(money '.burn_per_hour[] | select(.currency == "HKD") | .net_per_hour') HKD/h"
left=$(jq -r '.grants[0].days_left' r.json | rounded 0.1)
for format in text markdown html slack; do
	run tpucost report daily --format $format
	status "$format" 0
	# what escapes is taken off again
	plain=$(sed 's/\\\([^n"]\)/\1/g; s/&nbsp;/ /g; s/\xc2\xa0/ /g; s/\xe2\x80\x8b//g; s/<[^>]*>//g' stdout | tr '\n' ' ' |
		tr -s ' ')
	has "$format: yesterday" "$plain" "$yesterday"
	has "$format: burn" "$plain" "$burn"
	has "$format: the TPU that is not free" "$plain" "tpu-wrong"
	has "$format: and why" "$plain" "v3-8 is granted in europe-west4-a; this one is in us-central1-a"
	has "$format: and the command" "$plain" "tpus tpu-vm stop tpu-wrong --zone us-central1-a --project tpu-develop"
	has "$format: machines" "$plain" "n1-highmem-96"
	has "$format: the small one" "$plain" "tpu-driver"
	has "$format: the grant" "$plain" "trc"
	has "$format: its days" "$plain" "$left"
	has "$format: ages" "$plain" "Inventory"
done
run tpucost report daily --format csv
status "csv" 0
for part in "do_now" "running" "tpu-wrong" "wrong-zone" "tpu-driver" "days_left" "inventory_age" \
	"$(jq -r '.yesterday[0].net' r.json)" "$(jq -r '.burn_per_hour[0].net_per_hour' r.json)"; do
	has "csv: $part" "$out" "$part"
done

# ---- options --------------------------------------------------------------------------------

run tpucost report daly
status "a kind that is none" 2
has "the nearest is named" "$err" "did you mean 'daily'?"
run tpucost report daily --format htm
status "a format that is none" 2
has "the nearest format" "$err" "did you mean 'html'?"
for words in "--since 7d" "--until 2026-11-01" "--month 2026-11" "name"; do
	# shellcheck disable=SC2086
	run tpucost report daily $words
	status "daily does not take $words" 2
	has "and says so" "$err" "report daily does not accept"
done
run tpucost report --format json
status "daily is what is meant" 0
is "as it says" "$(jq -r .report stdout)" daily
run tpucost report daily --output no/such/place
status "a file that cannot be written" 1
ln -s no/such/place link
run tpucost report daily --output link
status "nor through a link into a directory that is not there" 1
is "and the link is left alone" "$(readlink link)" no/such/place
rm link

# An alert has one figure, in every list: that of the present, or with its time.
hours_later() {
	run clock_at "=$((NOW + 18000))" "$B/tpucost" "$@"
}
aged="with no TPU in its zone. As of $(at 28800 '%Y-%m-%d %H:%M')."
hours_later status --format json
figure=$(jq -r '.consequences[] | select(.name == "budget cpu-day").detail' stdout)
hours_later alerts
has "status and alerts: one figure of a budget" "$(tr -s '\n ' ' ' <stdout)" " ${figure#*: }"
has "a figure of the last poll has its time" "$(tr -s '\n ' ' ' <stdout)" "$aged"
hours_later status
has "on the screen too" "$(tr -s '\n ' ' ' <stdout)" "$aged"
run tpucost alerts
is "the figure is that of the present" "$(tr -s '\n ' ' ' <stdout | grep -cF " ${figure#*: }")" 0
is "one of now needs no time" "$(grep -c 'As of' stdout)" 0

# An alert that fires only because of keep_for says what was and what is, with one severity everywhere.
sed -i 's/amount: 100 HKD/amount: 900000 HKD/' tpucost.yaml
sqlite3 t.db "UPDATE alert SET ceased = $((NOW - 60)) WHERE rule = 'budget' AND subject = 'cpu-day'"
over="Not so since $(at 28740 '%Y-%m-%d %H:%M'). budget cpu-day"
run tpucost alerts
text=$(tr -s '\n ' ' ' <stdout)
has "what was, since when not, and what is" "$text" \
	"was: $(sqlite3 t.db "SELECT summary FROM alert WHERE rule = 'budget' AND subject = 'cpu-day'") $over"
has "of 900000.00 HKD" "$text" "of 900000.00 HKD ("
is "its severity is the stored one" "$(grep -c '^critical  budget ' stdout)" \
	"$(tpucost alerts --where "rule = 'budget' AND severity = 'critical' AND resolved IS NULL" --format csv | sed 1d | wc -l)"
run tpucost status --all
has "the status says the same" "$(tr -s '\n ' ' ' <stdout)" "$over"
