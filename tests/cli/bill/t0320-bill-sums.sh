# billing: {detail: bigquery}, and stored sums of another zone than that of the lines: a report computes its own, asks
# BigQuery in between, and has its own again.
. "$ROOT/tests/cli/lib.sh"

table=lab-one.billing.gcp_billing_export_resource_v1_00AA11
write_world sums us-central1-a <<END
billing:
  table: $table
  location: EU
  currency: USD
  rows:
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour, usage: 1,
       region: us-central1, zone: us-central1-a, resource: vm-1, cost: 1, from: $(day -14 %Y-%m-%dT00:00:00Z), until: $(at -7200)}
END
set_clock =$NOW
start_sandbox "$work/world.yaml"
config_one "billing: {table: $table, detail: bigquery}"
run tpucost collect -q billing
status "collected" 0
for report in daily weekly; do
	tpucost report $report --format json 2>/dev/null | jq -c 'del(.made)' >$report.json
done
sqlite3 t.db "UPDATE meta SET value = 'Asia/Tokyo' WHERE key = 'rollup_timezone'"
for report in daily weekly; do
	run tpucost report $report --format json
	status "report $report" 0
	has "report $report: its own sums" "$err" "note: the daily sums of the bill were computed for this query only"
	is "report $report: the same" "$(jq -c 'del(.made)' stdout)" "$(cat $report.json)"
done
