#!/bin/sh
# Basis of an answer: its age and completeness are those of the sources that its figures are read from.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-mcp.sh"
. "$ROOT/tests/cli/lib-web.sh"
faults() { curl -fsS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
cp "$ROOT/tests/sandbox/worlds/small.yaml" world.yaml
echo "limits: [{quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: '8'}]" >>world.yaml
start_sandbox world.yaml
write_config "budgets: [{name: all, amount: 1000 USD}]
credits: [{name: trial, amount: 300 USD}]"
set_clock "=$NOW"
run tpucost collect -q

# based TEXT TOOL ARGUMENTS: basis, completeness and hours since the oldest poll of the answer
based() {
	ask "$2" "$3"
	is "$2 $3" "$(answer '[.basis, .complete, (.age_minutes // -60) / 60] | join(" ")' | tr -d '"')" "$1"
}

# ---- the bill is old, and the inventory is not
set_clock "=$((NOW + 3 * 86400))"
faults '- {match: "GET /bigquery/", status: 403}'
run tpucost collect -q
for of in cost:2026-11-14 cost:2026-11 budget:all credit:trial; do
	based "billing false 72" why "{\"of\": \"$of\"}"
done
for view in budgets budget_parts credits; do
	based "billing false 72" query "{\"view\": \"$view\"}"
done
based "billing false 72" status '{}'
for of in grant:trc burn keep; do
	based "inventory true 0" why "{\"of\": \"$of\"}"
done
based "records true -1" why '{"of": "source:vm"}'
sed -i '/^budgets:/d; /^credits:/d' tpucost.yaml
based "inventory true 0" status '{}'

# ---- the inventory is old, and the bill is not
faults '[{match: "GET /compute/", status: 403}, {match: "GET /v2", status: 403}]'
set_clock "=$((NOW + 6 * 86400))"
run tpucost collect -q
based "billing true 0" why '{"of": "cost:2026-11-14"}'
based "inventory false 72" why '{"of": "burn"}'
for view in reconciliation estimate_errors; do
	based "billing false 72" query "{\"view\": \"$view\"}"
	has "$view: what it is compared with is old" "$(answer '.notes[]')" "the inventory is 3d old"
done
run tpucost reconcile
is "reconcile notes it" "$rc $(grep -c "^note: the inventory is 3d old" stderr)" "0 1"

# ---- quotas and metrics are old, and the inventory is not
faults ''
run tpucost collect -q
faults '[{regex: "timeSeries", status: 403}, {regex: "quotaInfos|consumerQuotaMetrics", status: 403}]'
set_clock "=$((NOW + 11 * 86400))"
run tpucost collect -q
based "inventory true 0" query '{"view": "resources"}'
for view in quotas quota_holds; do
	based "quotas false 120" query "{\"view\": \"$view\"}"
done
based "quotas false 120" quota '{}'
quota=$(tpucost quota --quiet --format json | jq -r '.[0] | [.project, .location, .metric] | join("/")')
based "quotas false 120" why "{\"of\": \"quota:$quota\"}"
based "metrics false 120" query '{"view": "egress"}'
start_web
# noted COMMAND PAGE KIND
noted() {
	old="the $3 data is 5d old; see: tpucost sources"
	run tpucost "$1"
	is "$1 answers, with a note" "$rc $(grep old stderr)" "0 note: $old"
	get "$2"
	has "so does the page $2" "$(cat stdout)" "$old"
}
noted quota /quotas quota
noted quota /tpus quota
noted egress /egress metric
