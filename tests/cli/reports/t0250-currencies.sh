# Several currencies: figures stay apart where no rate is known, and each table is ordered within a currency.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
lab_config "budgets:
  - {name: month, amount: 400 HKD, per: month}"

# The bill has a rate of HKD and the list is in USD: no rate of EUR is known, and the price list has no EUR.
sed -i 's/^currency: .*/currency: EUR/' tpucost.yaml
run tpucost run --once -q
is "a currency without a rate: the price list is not read" "$rc" 4
run tpucost ps --all --format csv --columns currency -q
is "no resource is in it" "$(printf '%s\n' "$out" | tr -d '\r' | sort -u | xargs)" "HKD USD currency"
run tpucost ps
is "totals are in the currencies of prices" "$(printf '%s\n' "$out" | awk '$1 == "total" { print $NF }' | xargs)" "HKD USD"
is "it is said once, with what to do" "$(printf '%s\n' "$err" | grep -c 'no conversion rate of EUR .*set currency: HKD')" 1
run tpucost -q
is "not with --quiet" "$err" ""
run tpucost status --format json
has "resources that are free are in one of them" "$(printf '%s' "$out" | grep -c EUR)" 0
is "status says it" "$(printf '%s\n' "$err" | grep -c 'no conversion rate of EUR')" 1
run tpucost report daily --format markdown
is "and the report" "$(printf '%s\n' "$out" | grep -c 'EUR')" 1
run tpucost cost
is "billed amounts are as billed" "$(printf '%s\n' "$out$err" | grep -c EUR)" 0

# Order of amounts: those of one currency follow each other, from the largest on.
cat >order.awk <<'AWK'
{ sub(/\r$/, "") }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at[by] == "" { next }
$at["currency"] != last { list = list $at["currency"] " "; last = $at["currency"]; most = $at[by] + 0; next }
$at[by] + 0 > most { list = list "not in order " }
{ most = $at[by] + 0 }
END { print list }
AWK
ordered() { # COLUMN: the currencies of the last output in CSV, and whether amounts rise in one
	printf '%s\n' "$out" | awk -F, -v by="$1" -f order.awk
}
run tpucost ps --format csv -q --columns net_per_hour,currency
is "ps" "$(ordered net_per_hour)" "HKD USD "
run tpucost ps --all --format csv -q --columns net_per_hour,currency
is "ps --all" "$(ordered net_per_hour)" "HKD USD "
run tpucost burn --format csv -q --columns net_per_hour,currency
is "burn" "$(ordered net_per_hour)" "HKD USD "
run tpucost burn --by category --format csv -q
is "burn --by" "$(ordered net_per_hour)" "HKD USD "
run tpucost burn --by category --sort-by net_per_hour --format csv -q
is "burn --sort-by" "$(printf '%s\n' "$out" | awk -F, '{ print $NF }' | tr -d '\r' | uniq | xargs)" "currency HKD USD"
run tpucost ps --sort-by "net_per_hour desc" --limit 8 --format csv -q --columns net_per_hour,currency
is "ps --sort-by" "$(ordered net_per_hour)" "HKD USD "
run tpucost ps --since 3d --format csv -q --columns net,currency
is "ps of a period" "$(ordered net)" "HKD USD "
# in GBP an amount above all others, and one below
for line in "A GBP 99999.5" "B GBP 0.25" "A USD 3" "B USD 0.5"; do
	set -- $line
	printf '{"billing_account_id":"0B","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"%s","description":"Core %s"},"usage_start_time":"2026-11-17 01:00:00 UTC","project":{"id":"p"},"cost":"%s","currency":"%s","invoice":{"month":"202611"}}\n' \
		"$1" "$1" "$3" "$2"
done >other.json
run tpucost import other.json
status "a bill in two more currencies" 0
# sql adds what it is told to, and says that these are several currencies
note="note: costs has amounts in several currencies (GBP, HKD, USD)"
adds() { # NAME WANT SQL: whether there is a note
	run tpucost sql "$3"
	is "sql: $1" "$rc $(printf '%s\n' "$err" | grep -cF "$note")" "0 $2"
}
adds "a sum of all" 1 "SELECT sum(cost) FROM costs"
adds "in a subquery" 1 "SELECT round(s, 2) FROM (SELECT sum(x.net) AS s FROM costs x)"
adds "an average" 1 "SELECT avg(net), total(cost) FROM costs"
adds "by currency" 0 "SELECT currency, sum(cost) FROM costs GROUP BY currency"
adds "of one currency" 0 "SELECT sum(cost) FROM costs WHERE currency = 'HKD'"
adds "of what is no amount" 0 "SELECT sum(usage), count(*) FROM costs"
adds "no sum" 0 "SELECT max(cost) FROM costs"
run tpucost sql -q "SELECT sum(cost) FROM costs"
is "sql: not with --quiet" "$err" ""
run tpucost sql "SELECT sum(amount) FROM budgets"
is "sql: amounts of one currency" "$err" ""
run tpucost cost --by sku --format csv -q
is "cost: the currencies in order" "$(ordered net)" "GBP HKD USD "
sed -i 's/^currency: .*/currency: USD/' tpucost.yaml
run tpucost cost --by sku --format csv -q
is "cost: that of figures first" "$(ordered net)" "USD GBP HKD "
run tpucost cost --by sku --sort-by "net desc" --limit 2 --format csv -q
is "cost --sort-by" "$(ordered net)" "USD "

sed -i 's/^currency: .*/currency: HKD/' tpucost.yaml
run tpucost run --once -q
run tpucost ps
is "with a rate: one total, and no note" "$(printf '%s\n' "$out" | awk '$1 == "total" { print $NF }') $(printf '%s' "$err" |
	grep -c 'conversion rate')" "HKD 0"
