# Budgets in periods that the bill has little or nothing of: what was not read is not called settled.
. "$ROOT/tests/cli/lib.sh"
# bill FILE FIRST LAST: one line of 1 USD a day
bill() {
	d=$2
	while :; do
		printf '{"billing_account_id":"01AB23-CD45EF-678999","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"2E27-4F75-95CD","description":"N1 Core"},"usage_start_time":"%s 10:00:00 UTC","usage_end_time":"%s 11:00:00 UTC","project":{"id":"lab-one"},"export_time":"%s 16:00:00 UTC","cost":"1","currency":"USD","currency_conversion_rate":"1","usage":{"amount":"1","unit":"hour","amount_in_pricing_units":"1","pricing_unit":"hour"},"credits":[],"labels":[],"invoice":{"month":"%s"},"cost_type":"regular"}\n' \
			"$d" "$d" "$d" "$(date -u +%Y%m --date="$d")"
		[ "$d" != "$3" ] || break
		d=$(date -u +%F --date="$d + 1 day")
	done >"$1"
}
cat >tpucost.yaml <<EOC
timezone: UTC
currency: USD
projects: [lab-one]
database: t.db
budgets: [{name: month, amount: 100 USD, per: month}]
EOC
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
bill a.json 2025-01-01 2025-02-10
bill b.json 2025-04-01 2025-05-15
# periods [COMMAND...]: what is said of each month
periods() {
	tpucost budget -q --since 2025-01-01 --until 2025-07-01 --columns starts,spent,status --format csv |
		tr -d '\r' | sed -n 's/-01T00:00:00Z//;/^20/p'
}
run tpucost import -q a.json b.json
status "two files are read, with weeks between them" 0
is "a month is settled by what is known of it, not by later ones" "$(periods)" "2025-01,31,settled
2025-02,10,partial
2025-03,0,partial
2025-04,30,settled
2025-05,15,partial
2025-06,0,partial"

bill c.json 2025-02-11 2025-03-31
run tpucost import -q c.json
is "it is when its days are there" "$(periods | sed -n 2p)" "2025-02,28,settled"
is "and as final as its last day" "$(periods | sed -n 3p)" "2025-03,31,$(tpucost cost -q --by day --since 2025-03-31 \
	--until 2025-04-01 --format json | jq -r '.[0].status')"
