# What is published: the rows of the views, exact to the nano-unit, each once; today's as the day goes on; and of an
# earlier day, what a late correction makes of it.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing
set_clock =$NOW
run tpucost run --once -q
is "the first cycle" "$rc:$(said state,items,complete,stale)" "0:ok,12,1,0"
is "nothing waits" "$(waiting)" 0

# ---- the rows are those of the view
same() { # NAME TABLE "COLUMNS" [OPTIONS]: rows of a day in BigQuery and of the view, all columns that are texts or amounts
	name=$1 table=$2 columns=$3
	shift 3
	rows "$table" "[.[] | select(.date == \"$(day 0)\") | [$(echo "$columns" | sed 's/[a-z_][a-z_0-9]*/.&/g')]] | sort | .[] | map(. // \"\") | join(\" \")" >got
	tpucost query "$table" "$@" --format json | jq -r "[.[] | [$(echo "$columns" | sed 's/[a-z_][a-z_0-9]*/.&/g')]] | sort | .[] | map(. // \"\" | tostring) | join(\" \")" >want
	is "$name" "$(cat got)" "$(cat want)"
	[ -s want ] || flunk "$name: there are rows"
}
same "burn" burn "project,category,gross_per_hour,net_per_hour,gross_24h,resources,currency"
same "alerts" alerts "rule,subject,state,severity,summary"
same "capacity" capacity "zone,family,type,provisioning,requests,text"
same "coverage" coverage "id,grant_name,covered,why,why_text,gross,net,currency" --since "$(day 0)"
same "reconciliation" reconciliation "day,project,family,location,verdict,why_text,covered_chip_hours" --since "$(day 0)"
same "alert_events" alert_events "event,rule,subject,kind,severity,summary"
is "a sum of money" "$(rows burn '[.[] | select(.category == "cpu")][0].gross_per_hour')" 5.678544
is "when they are from" "$(rows burn '[.[].as_of] | unique[]')" "$((NOW))000000"
is "resources of days that are over only" "$(rows period_resources '[.[].date] | max')" "$(day -1)"
is "which are theirs" "$(rows period_resources '[.[] | select(.date == "'"$(day -1)"'") | .id + " " + .gross] | sort[]')" \
	"$(tpucost query period_resources --since "$(day -1)" --until "$(day 0)" --format json | jq -r '.[] | "\(.id) \(.gross)"' | sort)"

# ---- the schema is the vocabulary
curl -fsS "$url/_sandbox/log" | jq -r 'select(.path | startswith("/upload")) | .body' |
	grep -a '"tableId":"coverage\$' | head -1 | jq -c '.configuration.load' >load.json
is "a column for each of the view" "$(jq -r '[.schema.fields[].name] | .[1:] | join(" ")' load.json)" \
	"$(tpucost query coverage --format csv | head -1 | tr -d '\r' | tr , ' ')"
is "with type and meaning" "$(jq -c '.schema.fields[] | select(.name == "gross")' load.json)" \
	'{"description":"list price of the interval","name":"gross","type":"NUMERIC"}'
is "times are times" "$(jq -r '.schema.fields[] | select(.name == "starts").type' load.json)" TIMESTAMP
is "one partition a day" "$(jq -c '[.destinationTable.tableId, .timePartitioning, .writeDisposition]' load.json)" \
	"[\"coverage\$$(day 0 %Y%m%d)\",{\"field\":\"date\",\"type\":\"DAY\"},\"WRITE_TRUNCATE\"]"

# ---- nothing new: nothing is sent, and nobody is asked
before=$(wc -l <requests) sent=$(uploads)
set_clock =$((NOW + 600))
run tpucost run --once -q
is "ten minutes later" "$rc:$(uploads):$(grep -c history requests)" "0:$sent:$(head -$before requests | grep -c history)"

# ---- an hour later: the present is added, the day replaced
set_clock =$((NOW + 3600))
run tpucost run --once -q
is "two hours of burn" "$(rows burn '[.[].as_of] | unique | length')" 2
is "with their rows" "$(rows burn length)" 12
is "one day of coverage, which is longer" "$(rows coverage '[.[] | select(.id | endswith("good"))] | map(.chip_hours) | join(" ")')" 44
is "capacity once a day" "$(rows capacity '[.[].as_of] | unique | length')" 1
before=$(uploads)
set_clock =$((NOW + 7200))
run tpucost run --once -q
is "of the days before nothing is sent again" "$(curl -fsS "$url/_sandbox/log" | jq -r 'select(.path | startswith("/upload")) | .body' | grep -ao '"tableId":"[a-z_]*$[0-9]*' | tail -n +$((before + 1)) | grep -vc "$(day 0 %Y%m%d)")" 0

# ---- a late correction of the bill replaces its day
verdict() { rows reconciliation "[.[] | select(.date == \"$(day -2)\") | .verdict + \" \" + (.cost // \"\")] | join(\", \")"; }
is "before it" "$(verdict)" ""
patch "billing_rows: [{project: lab-one, service: Cloud TPU, sku: Tpu-v3 Netherlands, region: europe-west4, zone: europe-west4-a, unit: hour, usage: 4, cost: 9007199.254740993, from: $(day -2)T08:00:00Z, until: $(day -2)T09:00:00Z, lag: 1h}]"
set_clock =$((NOW + 6 * 3600))
for n in 6 7 8 9 10 11 12 13; do
	set_clock =$((NOW + n * 3600))
	tpucost run --once -q >/dev/null 2>&1
done
is "a row that comes days late" "$(verdict)" "not-seen 9007199.254740993" # more than a double holds
patch "billing_rows: [{project: lab-one, service: Cloud TPU, sku: Tpu-v3 Netherlands, region: europe-west4, zone: europe-west4-a, unit: hour, usage: 0, cost: -0.000000002, from: $(day -2)T08:00:00Z, until: $(day -2)T09:00:00Z, lag: 1h}]"
for n in 14 15 16 17 18 19 20 21; do
	set_clock =$((NOW + n * 3600))
	tpucost run --once -q >/dev/null 2>&1
done
is "and its correction" "$(verdict)" "not-seen 9007199.254740991"
is "each row once" "$(rows reconciliation "[.[] | select(.date == \"$(day -2)\")] | length")" 1

# ---- another dataset gets all of it
patch 'datasets: [{name: other, location: US}]'
sed -i 's/lab-one.history/lab-one.other/' tpucost.yaml
run tpucost run --once -q
set_clock =$((NOW + 22 * 3600))
run tpucost run --once -q
BQ=$url/bigquery/v2/projects/lab-one/datasets/other/tables
is "a dataset in another place" "$rc:$(said state)" "0:ok"
is "has the days" "$(rows coverage '[.[].date] | unique[]' | head -1)" "$(day 0)"
sed -i '/^publish:/d' tpucost.yaml
run tpucost run --once -q
is "without the key there is no such source" "$(said state)" ""
