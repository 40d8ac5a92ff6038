#!/bin/sh
# Metrics: valid for Prometheus, the figures of the views, nothing for what is unknown, written as a whole.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-web.sh"
unset -f jq # the order of keys counts
start_lab "enforcement: {mode: armed, projects: [tpu-develop]}"
set_clock "=$(($(date +%s) + 60))" # figures that grow stand still
run tpucost metrics
status "metrics" 0
is "and no message" "$err" ""
cp stdout all.prom
tpucost metrics --per-resource >each.prom

if command -v promtool >/dev/null 2>&1; then
	for f in all each; do
		run promtool check metrics <$f.prom
		is "promtool: $f" "$rc $out$err" "0 "
	done
else
	pass "skipped: promtool is not installed (package prometheus)"
fi
is "no series twice" "$(grep -v '^#' each.prom | sed 's/ [^ ]*$//' | sort | uniq -d)" ""
is "no timestamps" "$(grep -v '^#' each.prom | sed 's/{.*}//' | awk 'NF != 2')" ""
is "no resource" "$(grep -c 'tpu-wrong' all.prom)" 0
is "unless asked for" "$(grep -c '^tpucost_resource_.*tpu-wrong' each.prom)" 4

# same NAME SQL: its samples, without a number of digits, are the rows of SQL
samples() { # NAME: "label=value,... value", sorted
	sed -n "s/^$1{\(.*\)} /\1 /p; s/^$1 /- /p" "$2" | sort
}
same() {
	tpucost sql "$2" --format json >rows.json
	jq -r '.[] | select(.value != null) | ([to_entries[] | select(.key != "value" and .value != null)
		| "\(.key)=\"\(.value)\""] | join(",")) + " \(.value)"' rows.json | sed 's/^ /- /' | sort >want
	samples "$1" each.prom >got
	is "$1: samples" "$(cat got)" "$(cat want)"
	is "$1: there are some" "$([ -s want ] && echo yes)" yes
}
same tpucost_source_up "SELECT source, project, complete AS value FROM sources"
same tpucost_burn_rate_per_hour "SELECT project, category, currency, 'estimate' AS basis, net_per_hour AS value
	FROM burn WHERE currency IS NOT NULL"
same tpucost_burn_list_rate_per_hour "SELECT project, category, currency, 'estimate' AS basis,
	gross_per_hour AS value FROM burn WHERE currency IS NOT NULL"
for figure in spent expected forecast; do
	same tpucost_budget_$figure "SELECT name AS budget, currency, $figure AS value FROM budgets"
done
same tpucost_budget_limit "SELECT name AS budget, currency, amount AS value FROM budgets"
same tpucost_credit_left "SELECT name AS credit, currency, \"left\" AS value FROM credits"
same tpucost_resource_rate_per_hour "SELECT id, kind, project, location, type, currency, net_per_hour AS value
	FROM resources WHERE currency IS NOT NULL"
same tpucost_alerts_firing "SELECT rule, severity, count(*) AS value FROM alerts WHERE state = 'firing' GROUP BY 1, 2"
same tpucost_outbox_messages "SELECT name AS channel, 'pending' AS state, waiting AS value FROM channels
	UNION ALL SELECT name, 'dead', dead FROM channels"

# those that no row of a view is
tpucost cost --since month --by account,project,category --format json >rows.json
is "cost of the month, as the command has it" \
	"$(samples tpucost_cost_month_to_date all.prom | awk '{ sum += $NF } END { printf "%.6f", sum }')" \
	"$(jq '[.[].net] | add' rows.json | awk '{ printf "%.6f", $1 }')"
is "with the account" "$(jq -r '.[].account' rows.json | sort -u)" 01AB23-CD45EF-678901
tpucost ps --all --where "kind = 'tpu'" --format json >rows.json
is "chips" "$(samples tpucost_tpu_chips all.prom | awk '{ sum += $NF } END { print sum }')" \
	"$(jq '[.[] | select(.slice == null) | .chips] | add' rows.json)"
is "uncovered ones" "$(samples tpucost_tpu_chips all.prom | awk '/covered="no"/ { sum += $NF } END { print sum }')" \
	"$(jq '[.[] | select(.covered == 0) | .chips] | add' rows.json)"
is "granted ones" "$(samples tpucost_grant_chips all.prom | grep granted)" \
	'grant="trc",family="v3",zone="europe-west4-a",provisioning="on-demand",state="granted" 20'
is "the end of the grant" "$(grep '^tpucost_grant_end_' all.prom | sed 's/.* //')" \
	"$(date -u +%s --date="$(tpucost grant list --format json | jq -r '.[0].until')")"
is "the version" "$(samples tpucost_build_info all.prom)" \
	"version=\"$(tpucost version --format json | jq -r '.[0].version')\" 1"

# enforcement: armed there, then halted
is "armed" "$(samples tpucost_enforcement_enabled all.prom)" 'project="tpu-develop" 1'
touch halt
is "halted" "$(tpucost metrics | grep '^tpucost_enforcement')" 'tpucost_enforcement_enabled{project="tpu-develop"} 0'
rm halt

# what is not known has no sample, and is no 0
printf 'timezone: UTC\nprojects: [lab-one]\ndatabase: new.db\nbudgets: [{name: "a\\\\b \\"c\\"", amount: 5 USD, per: month}]\n' >new.yaml
TPUCOST_CONFIG=$work/new.yaml
run tpucost metrics
is "no database: status" "$rc" 1
has "it is named" "$err" new.db
cp t.db new.db
sqlite3 new.db "DELETE FROM usage; DELETE FROM list_price; UPDATE source_status SET last_success = NULL WHERE source = 'tpu'"
run tpucost metrics
status "with less data" 0
is "a label is escaped" "$(grep '^tpucost_budget_limit' stdout)" 'tpucost_budget_limit{budget="a\\b \"c\"",currency="USD"} 5'
is "a poll that never was" "$(grep 'success.*source="tpu"' stdout)" ""

# the file: a whole one, for others to read
TPUCOST_CONFIG=$work/tpucost.yaml
run tpucost metrics --output out.prom
is "to a file" "$rc$out$err" 0
is "the same" "$(cat out.prom)" "$(cat all.prom)"
is "others read it" "$(stat -c %a out.prom)" 644
is "and nothing beside it" "$(ls out.prom*)" out.prom
run tpucost metrics --output /proc/none/out.prom
is "where it cannot be written" "$rc" 1
run tpucost metrics --format json
is "the list of metrics as data" "$(printf '%s' "$out" | jq -r '.[] | select(.metric == "tpucost_budget_spent") | .labels')" "budget currency"
run tpucost metrics --format markdown
is "the reference is docs/metrics.md" "$out" "$(cat "$ROOT/docs/metrics.md")"
is "which needs no configuration" "$(TPUCOST_CONFIG=none.yaml tpucost metrics --format markdown | cksum)" "$(cksum <"$ROOT/docs/metrics.md")"
is "every metric is in it" "$(sed -n 's/^# HELP \([a-z_]*\) .*/\1/p' each.prom | while read -r m; do
	grep -q "^| \`$m\` |" "$ROOT/docs/metrics.md" || echo "$m"; done)" ""

# the server notices that in every place of a halt file, within the same minute
mkdir conf target
mv t.db* target/
ln -s target/t.db linked.db
sed "s,^database: .*,database: $work/linked.db," tpucost.yaml >conf/tpucost.yaml
set_clock "=$(($(date +%s) / 60 * 60 + 10))"
start_web --config conf/tpucost.yaml
for place in . conf target; do
	get /metrics
	is "armed before $place/halt" "$(samples tpucost_enforcement_enabled stdout)" 'project="tpu-develop" 1'
	touch $place/halt
	get /metrics -H "If-None-Match: $(header ETag)"
	is "halted by $place/halt" "$rc $(samples tpucost_enforcement_enabled stdout)" '200 project="tpu-develop" 0'
	rm $place/halt
done
stop_web
