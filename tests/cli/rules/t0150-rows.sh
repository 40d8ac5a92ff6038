# --where, --sort-by, --limit and --columns of commands that make their rows themselves.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "prices: [{tpu: v3, zone: us-central1-a, per_chip_hour: 2 USD}, {tpu: v3, zone: europe-west4-a, per_chip_hour: 2 USD}]
rules: [{use: tpu-not-covered, then: {action: stop, grace: 30m}}]
enforcement: {mode: dry-run, projects: [lab-one, lab-two]}"
run tpucost rules list --where "severity = 'critical'" --columns name
status "rules list without a database" 0
run tpucost run --once -q

run tpucost estimate --tpu v3-8 --zone us-central1-a --disk pd-ssd:100 --format json -q --where "kind = 'tpu'" \
	--columns kind,gross_per_hour,net_per_day,covered
is "estimate: 4 chips for 2 USD" "$(printf '%s' "$out" | jq -c .)" '[{"kind":"tpu","gross_per_hour":8,"net_per_day":192,"covered":0}]'
status "estimate: the answer is still no" 3
run tpucost estimate --tpu v3-8 --zone us-central1-a --disk pd-ssd:100 -q --sort-by gross_per_hour --columns kind
is "estimate: rows where a part is asked for" "$out" "kind
disk
tpu"
run tpucost estimate --tpu v3-8 --zone us-central1-a --columns knd
status "estimate: a column that is not there" 2
has "and the one that was meant" "$err" "did you mean 'kind'?"
run tpucost estimate --tpu v3-8 --zone us-central1-a --where "1 = 1) OR (1"
status "estimate: conditions are whole" 2

run tpucost enforce --format json -q --columns resource,action,saves_per_hour,currency --where "name = 'wrong'"
is "enforce: a TPU at 8 USD" "$(printf '%s' "$out" | jq -c '.[0]')" \
	'{"resource":"lab-one/tpu/us-central1-a/wrong","action":"stop","saves_per_hour":8,"currency":"USD"}'
run tpucost enforce --format json -q --where "saves_per_hour > 8"
is "enforce: nothing saves more" "$out" "[]"
run tpucost enforce -q --where "name = 'wrong'" --exit-code
status "enforce: --exit-code is of what is left" 3
has "enforce: in words" "$out" "stop wrong (v3-8)"
run tpucost enforce -q --where "name = 'nothing'" --exit-code
status "enforce: of nothing" 0
run tpucost enforce --format json -q --project lab-two
is "enforce --project" "$(printf '%s' "$out" | jq -c '[.[].project] | unique - ["lab-two"]')" "[]"

run tpucost rules list --format json -q --where "hits > 0 AND name = 'tpu-not-covered'" --columns name,firing,armed
is "rules list: two are not covered" "$(printf '%s' "$out" | jq -c .)" '[{"name":"tpu-not-covered","firing":2,"armed":0}]'
run tpucost rules list --format json -q --project lab-two --where "name = 'tpu-not-covered'" --columns firing
is "rules --project: one of them is there" "$(printf '%s' "$out" | jq -c .)" '[{"firing":1}]'
run tpucost rules list --format json -q --project lab-two --where "name = 'budget'"
is "rules --project: budgets are of no project" "$out" "[]"
run tpucost rules --sort-by "name desc" --limit 1 --columns name -q
is "rules: order and limit" "$(printf '%s\n' "$out" | tail -n +2 | wc -l)" 1
run tpucost rules list --where '"for" = '"'0s'" --columns '"for"'
status "rules: names in quotes are for conditions" 2
run tpucost rules explain tpu-not-covered --format json -q --limit 1 --columns subject
is "rules explain" "$(printf '%s' "$out" | jq -c 'length')" 1

run tpucost ps --sort-by "-name, kind" --columns name --where "kind = 'tpu'" -q
is "a minus before the column: the other way round" "$(printf '%s\n' "$out" | tail -n +2)" \
	"$(tpucost ps -q --sort-by 'name desc' --columns name --where "kind = 'tpu'" | tail -n +2)"
run tpucost ps --sort-by=-name --columns name -q --limit 1
status "in one word too" 0
run tpucost cost --by category --sort-by -net -q --format json
is "of groups too" "$(printf '%s' "$out" | jq -c '[.[].net] | . == (sort | reverse)')" true
run tpucost ps --sort-by "-name asc"
status "not both" 2
run tpucost ps --sort-by -nme
has "the column that was meant" "$err" "no column 'nme'; did you mean 'name'?"
sed -i 's/2 USD/0.36 JPY/g' tpucost.yaml
run tpucost ps --where "name = 'wrong'" --columns gross_per_hour,gross_24h,currency -q
is "an amount per hour has decimals in each currency" "$(printf '%s\n' "$out" | tail -n 1 | tr -s ' ')" " 1.44 14 JPY"
