# acts
# billing: {detail: bigquery} and another time zone or detail: what is stored are days of the former zone, or lack what the
# new detail has. Until the next read the bill counts as never read: nothing acts on it, and no figure is wrong.
. "$ROOT/tests/cli/lib.sh"

table=lab-one.billing.gcp_billing_export_resource_v1_00AA11
core="project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, unit: hour, usage: 1,
       region: us-central1, zone: us-central1-a, resource: vm-1, labels: {owner: ada}, lag: 1h"
write_world zones us-central1-a <<END
instances:
  - {zone: us-central1-a, name: trainer, type: e2-micro, created: -26h}
billing:
  table: $table
  location: EU
  currency: USD
  rows:
    - {$core, cost: 1, from: 2026-11-01T00:00:00Z, until: 2026-11-05T00:00:00Z}
    - {$core, cost: 10, from: 2026-11-05T00:00:00Z, until: 2026-11-06T00:00:00Z}
    - {$core, cost: 1, from: 2026-11-06T00:00:00Z, until: 2026-11-18T08:00:00Z}
END
start_sandbox "$work/world.yaml"
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG

# config ZONE DETAIL [LINE]
config() {
	cat >tpucost.yaml <<END
timezone: $1
projects: [lab-one]
credentials: service-account.json
database: t.db
billing: {table: $table, detail: $2}
budgets: [{name: day, amount: 25 USD, per: day}, {name: month, amount: 1000 USD, where: "${3:-}"}]
rules:
  - name: overspent
    on: resources
    where: "kind = 'vm' AND EXISTS (SELECT 1 FROM budgets b WHERE b.name = 'day' AND b.percent >= 100)"
    for: 0m
    severity: critical
    then: {action: stop, grace: 0m, armed: true}
enforcement: {mode: armed, projects: [lab-one], max_share: 100}
notify: [{name: log, file: {path: told.jsonl}}]
endpoints: {all: "$url"}
END
	[ "${3:-}" ] || sed -i 's/, where: ""//' tpucost.yaml
}
percents() { tpucost budget -q --format json 2>/dev/null | jq -c '[.[] | [.name, .spent, .percent]]'; }
days() { tpucost cost -q --by day --since 2026-11-04 --until 2026-11-08 --columns day,net --format csv 2>/dev/null | sed 1d | tr -d '\r' | tr '\n' ' '; }
stops() { grep -c 'POST.*trainer/stop' requests; }
note="note: no cost of the bill is known: the stored bill has days of another time zone"

# unknown WHAT: no figure of the bill, in any command
unknown() {
	is "$1: no cost" "$(days)" ""
	is "$1: budgets" "$(percents | jq -c 'map(.[1])')" '[null,null]'
	is "$1: periods" "$(tpucost budget day -q --since 2026-11-04 --format json | jq -c '[.[].spent] | unique')" '[null]'
	for report in daily weekly month; do
		run tpucost report $report --format json
		status "$1: report $report" 0
		has "$1: report $report, note" "$err" "$note"
	done
	run tpucost budget
	has "$1: note" "$err" "(billing:); run: tpucost collect billing"
	run tpucost sources --format json
	is "$1: the source" "$(jq -c '.[] | select(.source == "billing") | [.state, .last_success, .fix]' stdout)" \
		'["failed",null,"run: tpucost collect billing"]'
	run tpucost views --format sql
	status "$1: nothing for other tools" 1
}

set_clock =2026-11-18T10:00:00Z
config UTC bigquery
run tpucost run --once
status "collected" 0
is "UTC days" "$(days)" "2026-11-04,24 2026-11-05,240 2026-11-06,24 2026-11-07,24 "
sqlite3 t.db "INSERT INTO restatement SELECT 1794960000, '2026-11-05', '202611', 'USD', name, 0, 0, 9000000000, 0 FROM billing_table"
restated() { tpucost sql -q --format json "SELECT day, old_net, new_net, change FROM restatements" | jq -c 'map([.day, .old_net, .new_net, .change])'; }
is "restated" "$(restated)" '[["2026-11-05",231,240,9]]'

config Asia/Tokyo bigquery
set_clock =2026-11-18T10:02:00Z
unknown "another zone"
is "another zone, a former change" "$(restated)" '[["2026-11-05",null,null,9]]'
run tpucost collect -q instances
unknown "machines were polled"
is "nothing is stopped" "$(stops)" 0


# Stored sums of the zone before, of lines that are right: they are computed, and what asks BigQuery does not lose them.
config UTC bigquery
for report in daily weekly; do
	run tpucost report $report --format json
	status "sums of another zone: report $report" 0
	has "sums of another zone: they are computed" "$err" "note: the daily sums of the bill were computed"
done
is "UTC again" "$(days)" "2026-11-04,24 2026-11-05,240 2026-11-06,24 2026-11-07,24 "

# A poll that fails leaves the bill unknown; it is due at once, and then as usual.
config Asia/Tokyo bigquery
polls() { grep -c 'POST.*/queries' requests; }
curl -sf -X POST --data-binary '[{regex: "POST .*/queries", status: 403}]' "$url/_sandbox/faults" >/dev/null
before=$(polls)
run tpucost run --once
is "a failed poll was due" "$(($(polls) > before))" 1
is "a failed poll: budgets" "$(percents | jq -c 'map(.[1])')" '[null,null]'
is "a failed poll: no cost" "$(days)" ""
before=$(polls)
set_clock =2026-11-18T10:03:00Z
run tpucost run --once
is "a failed poll is not made in every cycle" "$(($(polls) - before))" 0
is "still nothing is stopped" "$(stops)" 0
curl -sf -X POST --data-binary '' "$url/_sandbox/faults" >/dev/null

# With the bill in the new zone everything is right, and nothing of it is a change by Google.
run tpucost collect -q billing
status "read again" 0
is "Tokyo days" "$(days)" "2026-11-04,24 2026-11-05,159 2026-11-06,105 2026-11-07,24 "
is "Tokyo budgets" "$(percents)" '[["day",17,68],["month",632,63.2]]'
is "no restatement" "$(restated)" '[["2026-11-05",null,null,9]]'
run tpucost views --format sql
status "for other tools again" 0

# A poll that ended in between leaves a mixture: it is not what was stored before either.
config UTC bigquery
sqlite3 t.db "UPDATE billing_table SET recipe = 128"
is "a mixture: no cost" "$(days)" ""
set_clock =2026-11-18T10:05:00Z
run tpucost run --once
is "a mixture is read again" "$(days)" "2026-11-04,24 2026-11-05,240 2026-11-06,24 2026-11-07,24 "

# Lines are needed for a budget of an owner.
config UTC local "owner = 'ada'"
unknown "lines are needed"
set_clock =2026-11-18T10:07:00Z
run tpucost run --once
is "with lines" "$(percents)" '[["day",8,32],["month",632,63.2]]'
is "no restatement by detail" "$(restated)" '[["2026-11-05",null,null,9]]'

# Lines by hour are right in every zone.
config Asia/Tokyo local
is "lines: Tokyo days" "$(days)" "2026-11-04,24 2026-11-05,159 2026-11-06,105 2026-11-07,24 "
is "lines: Tokyo budgets" "$(percents)" '[["day",17,68],["month",632,63.2]]'
config Asia/Tokyo bigquery
is "sums are wanted, lines are stored" "$(days)" "2026-11-04,24 2026-11-05,159 2026-11-06,105 2026-11-07,24 "
is "nothing was ever stopped" "$(stops)" 0
