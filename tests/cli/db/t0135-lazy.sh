#!/bin/sh
# What a query computes of what it reads is what the daemon computes of everything: each view, row
# by row, in many spellings and orders (tests/lazy/compare.c), in worlds with metrics, a bill, grants,
# coupons, budgets and rules.
. "$ROOT/tests/cli/lib.sh"

# same NAME [SINCE [UNTIL]]: at one moment
same() {
	name=$1
	shift
	rm -f copy.db
	run tpucost backup copy.db
	run "$B/lazy/compare" tpucost.yaml copy.db "$(date +%s)" "$@"
	status "$name: nothing differs" 0
	is "$name: all of it was asked" "$(expr "${out%% views*}" ">=" 52)" 1
	has "$name: and is the same" "$out" ", 0 differ"
}

start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
cat >tpucost.yaml <<END
timezone: Asia/Hong_Kong
currency: HKD
projects: [tpu-develop]
credentials: service-account.json
billing: {table: tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901}
grants:
  - name: trc
    starts: $(day -26)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f
  - {name: old, starts: $(day -60), until: $(day -3), tpus: [1 on-demand Cloud TPU v3-8 device(s) in zone us-central1-a]}
credits: [{name: trial, amount: 300 USD, starts: $(day -60), expires: $(day 40)}]
budgets:
  - {name: month, amount: 5000 HKD, per: month}
  - {name: cpu, amount: 100 HKD, per: day, where: "category = 'cpu'"}
  - {name: zone, amount: 100 HKD, per: week, where: "zone = 'us-central1-b'"}
rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
  - use: vm-forgotten
    then: {action: stop, grace: 30m, armed: true}
endpoints: {all: "$url"}
END
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
run tpucost run --once -q
status "the lab is read" 0

run tpucost sql -q --format json "SELECT count(idle_minutes) AS idle, count(residual_per_hour) AS left_over,
	count(net_per_hour) AS priced FROM resources"
is "idle times and what would stay are there" "$(printf '%s' "$out" | jq -c '.[0] | [.idle > 0, .priced > 0]')" \
	"[true,true]"
same "lab"
same "lab, the last week but one day" $((NOW - 7 * 86400)) $((NOW - 86400))

# a sum of the rollups' numbers is one of the view, which a condition asks for
for by in day month project category sku resource zone,location status cost_type day,project,status \
	sku,resource,month service_id,region; do
	for period in "--since 20d" "--month $(day 0 %Y-%m)" "--until 5d --project tpu-develop"; do
		# shellcheck disable=SC2086 # several words
		run tpucost cost -q --format json --by $by $period
		sums=$out
		# shellcheck disable=SC2086
		run tpucost cost -q --format json --by $by $period --where "1 = 1"
		is "cost --by $by $period" "$sums" "$out"
	done
done
has "and there are some" "$sums" '"cost":'

# of days in another zone nothing is kept: they are computed
sed -i 's,^timezone: .*,timezone: America/Los_Angeles,' tpucost.yaml
same "lab, another zone"
run tpucost cost --by project
has "which is said" "$err" "note: the daily sums of the bill were computed for this query only"
run tpucost cost --by project -q
is "but not to who wants no notes" "$err" ""
run tpucost ps
is "nor to who does not ask for the bill" "$(printf '%s' "$err" | grep -c 'for this answer alone')" 0
run tpucost collect prices -q
run tpucost cost --by project
is "they are kept from the next poll on" "$(printf '%s' "$err" | grep -c 'for this answer alone')" 0

# a schema may have something round its point
row=$(seq -s , "$(tpucost sql -q --format csv "SELECT * FROM burn" | head -n 1 | tr , '\n' | wc -l)")
for table in "temp.burn" "temp . burn" "temp .burn" "temp. burn" "temp/**/./**/burn"; do
	run tpucost sql -q --format json "SELECT count(*) AS n FROM (SELECT 1) WHERE ($row) IN $table"
	is "in $table" "$rc $(printf '%s' "$out" | jq -c .)" '0 [{"n":0}]'
done

# a database of a cycle ago shows the present moment, and is not asked for the past one
run tpucost sql "SELECT count(*) FROM main.resources"
status "the tables of the file are refused" 2
for refused in "SELECT * FROM verdict" "SELECT * FROM temp.cost_day" "SELECT name FROM sqlite_temp_schema" \
	"DELETE FROM verdict" "CREATE TEMP TABLE x (y)" "INSERT INTO burn_part (id) VALUES (1)"; do
	run tpucost sql "$refused"
	status "refused: $refused" 2
done
run tpucost sql -q --format json "WITH verdict AS (SELECT 1 AS x) SELECT x FROM verdict"
is "a name of ours is free in a query" "$(printf '%s' "$out" | jq -c .)" '[{"x":1}]'
