# A restored database, or a new one, keeps the published days that another one knows better, and corrects those that it knows.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing
# cycle HOUR...: a cycle so many hours after the beginning, which is at 10:00 of day 0
cycle() {
	for h; do
		set_clock =$((NOW + h * 3600))
		run tpucost run --once -q
	done
}
# of TABLE DAY: its published rows, one in a line
of() { rows "$1" "[.[] | select(.date == \"$(day "$2")\")] | sort_by(tostring) | .[] | tostring"; }
days() { for d in $1; do for t in coverage period_resources reconciliation alert_events; do of $t "$d" | sed "s/^/$t /"; done; done; }
tpus() { rows "$1" "[.[] | select(.date == \"$(day "$2")\") | .id | select(contains(\"/tpu/\")) | split(\"/\")[-1]] | sort | join(\" \")"; }
# written N: partitions that were written since the first N uploads
written() { curl -fsS "$url/_sandbox/log" | jq -r 'select(.path | startswith("/upload")) | .body' | grep -ao '"tableId":"[a-z_]*$[0-9]*' | cut -d '"' -f 4 | tail -n +$(($1 + 1)); }
# asked [N]: partitions whose rows were asked for, since the first N times
asked() { grep -o '"path":"[^"]*[$][0-9]*/data' requests | sed 's,.*/tables/\(.*\)[$]\(.*\)/data,\1 \2,' | tail -n +$((${1:-0} + 1)); }
bill() { patch "billing_rows: [{project: lab-one, service: Cloud TPU, sku: Tpu-v3 Netherlands, region: europe-west4, zone: europe-west4-a, unit: hour, usage: 4, cost: $2, from: $(day "$1")T08:00:00Z, until: $(day "$1")T09:00:00Z, lag: 1h}]"; }
billed() { rows reconciliation "[.[] | select(.date == \"$(day "$1")\") | .cost // \"\"] | join(\" \")"; }
comes() { patch "nodes: [{zone: us-central1-a, name: $1, type: v3-8, created: \"$(at $(($2 * 3600)))\"}]"; }
goes() { patch "remove: {nodes: [{zone: us-central1-a, name: $1}]}"; }

# ---- a database, and its backup on the second morning
cycle 0
comes early 1
cycle 4
goes early
cycle 5 9 13
bill -2 7
cycle 15 16 17 18 19 20
is "a new database asks about days before it began" "$(asked | cut -d ' ' -f 2 | sort -u | tail -1)" "$(day -2 %Y%m%d)"
is "once" "$(asked | sort | uniq -d)" ""
tpucost backup safe.db >/dev/null
comes late 21
cycle 22
goes late
cycle 23 24 28
is "the first day" "$(tpus coverage 0):$(tpus period_resources 0)" "early good slice wrong:early good pre slice wrong"
is "the second one, until 14:00" "$(tpus coverage 1):$(tpus period_resources 1)" "good late slice wrong:"
is "an earlier one" "$(billed -2)" 7
days "-2 0 1" >before
days 1 >before_1

# ---- the backup is restored at 16:00
n=$(uploads) asks=$(asked | wc -l)
rm -f t.db t.db-wal t.db-shm
cp safe.db t.db
cycle 30
days "-2 0 1" >after
is "days that the former one knows better are kept" "$rc:$(diff before after)" "0:"
is "and not written" "$(written "$n" | grep -v -e burn -e alerts -e capacity | grep -c "$(day 1 %Y%m%d)")" 0
cycle 31 33 37
is "it asked about each once" "$(asked $asks | sort | tr '\n' ' ')" "alert_events $(day 1 %Y%m%d) coverage $(day 1 %Y%m%d) reconciliation $(day 1 %Y%m%d) "
has "the doctor counts them" "$(tpucost doctor publish)" "; 1 day is kept as another database published it ($(day 1))"
bill 0 2
cycle 38 39 40 41 42 43 44
days 1 >after
since=$(at $((30 * 3600)) %s)000000
is "the rows that were there still are" "$(diff before_1 after | grep -c '^<')" 0
is "those since it was restored are added" "$(diff before_1 after | sed -n 's/^> \(coverage\|alert_events\) //p' | jq -r '.starts // .at' | sort -n | head -1):$(tpus coverage 1)" "$since:good good late slice slice wrong wrong"
is "until the end of the day" "$(rows coverage "[.[] | select(.date == \"$(day 1)\") | .ends] | max")" "$(at $((38 * 3600)) %s)000000"
is "resources, which nobody had sent, are" "$(tpus period_resources 1)" "good pre slice wrong"
is "no row is there twice" "$(days "0 1 2" | sort | uniq -d)" ""
is "a day that it knows is corrected" "$(billed 0 | tr -d ' '):$(tpus coverage 0)" "2:early good slice wrong"

# ---- a new database, on the day after at 10:00
goes wrong
days "-2 -1 0 1 2" >before
days 2 >before_2
n=$(uploads) asks=$(asked | wc -l)
rm -f t.db t.db-wal t.db-shm
cycle 48 49 50
days "-2 -1 0 1 2" >after
is "days of the earlier one are kept" "$rc:$(diff before after)" "0:"
is "and not written" "$(written "$n" | grep -v -e burn -e alerts -e capacity)" ""
bill 1 5
cycle 63 64 65 66 67 68 69
days "-2 -1 0 1" >after
is "without exception" "$(grep -v "$(day 2)" before | diff - after)" ""
days 2 >after
is "of the day on which it began, too" "$(diff before_2 after | grep -c '^<'):$(diff before_2 after | sed -n 's/^> \(coverage\|alert_events\) //p' | jq -r '.starts // .at' | sort -n | head -1)" "0:$(at $((48 * 3600)) %s)000000"
is "resources of that day, as far as it knows" "$(tpus period_resources 2)" "good pre slice"
is "the day after is all its own" "$(tpus coverage 3):$(rows coverage "[.[] | select(.date == \"$(day 3)\") | .id] | length")" "good slice:2"
is "it asks about each once, too" "$(asked $asks | sort | uniq -d)" ""
cycle 70
is "and knows that" "$(asked $asks | grep -c "$(day 3 %Y%m%d)"):$(rows coverage "[.[] | select(.date == \"$(day 3)\") | .ends] | max")" "0:$(at $((70 * 3600)) %s)000000"
has "the doctor counts all" "$(tpucost doctor publish)" " days are kept as another database published them ("

# ---- a table that was renamed is made again, with all that the database knows
token=$(curl -fsS -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
curl -fsS -X DELETE -H "Authorization: Bearer $token" "$BQ/reconciliation" >/dev/null
cycle 71 72 73 74 75 76
is "it has the bill" "$(billed 1 | tr -d ' ')" 5

# ---- a new database and a new dataset
patch 'datasets: [{name: other, location: US}]'
sed -i 's/lab-one.history/lab-one.other/' tpucost.yaml
BQ=$url/bigquery/v2/projects/lab-one/datasets/other/tables
bill -29 3
rm -f t.db t.db-wal t.db-shm
cycle 80 81 82 83 84 85 86
is "all of five weeks is sent" "$(billed -29):$(billed -2):$(billed 1 | tr -d ' ')" 3:7:5
is "no day is kept" "$(tpucost doctor publish | grep -c kept)" 0
