# Credits of each type of Google, commitments and calendar mode by Google's own names, in why, reconcile and cost.
. "$ROOT/tests/cli/lib.sh"
line() { # SKU TYPE AMOUNT
	printf '{"billing_account_id":"01AB23-CD45EF-678901","service":{"id":"E000-3F24-B8AA","description":"Cloud TPU"},"sku":{"id":"%s","description":"%s"},' "$1" "$1"
	printf '"usage_start_time":"2026-11-10 10:00:00 UTC","project":{"id":"lab-one"},"location":{"location":"us-east5","region":"us-east5","zone":"us-east5-a"},'
	printf '"export_time":"2026-11-17 06:00:00 UTC","cost":20,"cost_at_list":25,"cost_at_effective_price_default":22,"currency":"USD","currency_conversion_rate":1,'
	printf '"usage":{"amount":14400,"unit":"seconds","amount_in_pricing_units":4,"pricing_unit":"hour"},"consumption_model":{"id":"52FB-D69D-95BE","description":"Flexible CUD, 1 year"},'
	printf '"credits":[{"name":"n","type":"%s","amount":-%s}],"invoice":{"month":"202611"},"cost_type":"regular"}\n' "$2" "$3"
}
types="SUSTAINED_USAGE_DISCOUNT COMMITTED_USAGE_DISCOUNT COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE PROMOTION FREE_TIER DISCOUNT
	RESELLER_MARGIN SUBSCRIPTION_BENEFIT FEE_UTILIZATION_OFFSET"
n=0
for type in $types; do
	n=$((n + 1))
	line "Reserved V6e TPU in Columbus in Calendar Mode" $type 0.$n
done >bill.json
printf 'timezone: UTC\nprojects: [lab-one]\ndatabase: t.db\n' >tpucost.yaml
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
run tpucost import bill.json
status "the bill" 0

run tpucost why cost:2026-11-10 --format csv
why=$out
run tpucost reconcile --all --since 2026-11-01 --format csv -q --columns sku,savings,discounts
reconcile=$out
run tpucost cost --by credit_type --format csv -q --columns credit_type,credits
cost=$out
n=0
for type in $types; do
	n=$((n + 1))
	has "why: $type" "$why" "$type"
	has "reconcile: $type" "$reconcile" "$type -0.$n"
	has "cost: $type" "$cost" "$type,-0.$n"
done
has "why: the commitment" "$why" "Flexible CUD, 1 year"
has "reconcile: the commitment and the reservation" "$reconcile" "Reserved V6e TPU in Columbus in Calendar Mode,49.5,"
has "reconcile: its savings" "$reconcile" "Flexible CUD, 1 year -18"
run tpucost reconcile --all --since 2026-11-01
has "reconcile: in the table" "$out" "RESELLER_MARGIN -0.7"
