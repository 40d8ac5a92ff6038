# Google's cost anomalies beside the rule cost-jump: what is read, refused and kept; who was first, in the view, the
# report and why; and no word where they may not be read.
. "$ROOT/tests/cli/lib.sh"
row() { echo "    - {project: lab-one, service: Compute Engine, sku: Instance Core, from: $(day -$1)T08:00:00Z, until: $(day -$1)T09:00:00Z, cost: $2}"; }
write_world anomalies us-central1-a <<W
anomalies:
  - {id: first, detected: $(day -2)T12:00:00Z, actual: 60, expected: 10.000000001, causes: [Compute Engine, Networking]}
  - {id: same, detected: $(day 0)T08:30:00Z, actual: 61, expected: 12.2}
  - {id: alone, project: lab-two, severity: NEW_WORD, detected: $(day -2)T12:00:00Z, actual: 70.5, expected: 0}
  - {id: late, project: lab-two, detected: $(day 0)T08:30:00Z, actual: 5, expected: 1}
  - {id: old, detected: $(day -29)T12:00:00Z, actual: 2, expected: 1}
  - {id: older, detected: $(day -31)T12:00:00Z, actual: 2, expected: 1}
$BILL
$(for n in 12 11 10 9 8 7 6 5 4; do row $n 10; done; row 3 60; row 2 95; row 1 10; row 0 0.01)
W
sed -i '/^projects/s/]$/, {id: lab-off, number: "100000000003", disabled: [billing]}]/' world.yaml
start_sandbox world.yaml
write_config
sed -i 's/^projects: .*/projects: [lab-one, lab-two, lab-off]/' tpucost.yaml
set_clock =$NOW
rows() { tpucost sql "SELECT $1 FROM anomalies ORDER BY id" --format csv | tr -d '\r' | tail -n +2; }
source_of() { tpucost sql "SELECT $1 FROM sources WHERE source = 'anomaly' AND project = '${2:-lab-one}'" --format csv | tr -d '\r' | tail -n +2; }
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
LIST="GET /v1beta/projects/lab-one/anomalies"
item() { # NAME MEMBERS: fault of one item
	printf '{match: %s, body: %s}' "$LIST" "'{\"anomalies\":[{\"name\":\"projects/lab-one/anomalies/$1\",$2}]}'"
}

# ---- without the permission, or without the API: stated in sources, and nowhere else
faults "[{match: $LIST, status: 403}, {match: GET /v1beta/projects/lab-two, status: 403}]"
run tpucost collect anomaly
status "a refusal is no failure" 0
is "nor an API that is not enabled" "$(source_of state,fix lab-off)" \
	"disabled,run: gcloud services enable cloudbilling.googleapis.com --project lab-off"
is "with the command that permits it" "$(source_of state,fix,stale)" \
	"disabled,run: gcloud iam roles update tpucostReader --project=lab-one --add-permissions=billing.anomalies.list,0"
is "nothing of it" "$(rows id)" ""
run tpucost run --once
is "no message" "$(tpucost sql "SELECT COUNT(*) FROM alerts WHERE summary LIKE '%nomal%'" --format csv | tail -1 | tr -d '\r')" 0
faults "[{match: GET /v1beta/projects/lab-, status: 404}]"
run tpucost collect anomaly
is "nor a version that Google ended" "$rc:$(source_of state)" "0:disabled"
faults '[]'

# ---- the permission is optional for the doctor as well
reader=tpucost@lab-one.iam.gserviceaccount.com
role=$(sed -n 's/.*--permissions=\(compute.instances.list[^ ]*\).*/\1/p' "$ROOT/docs/iam.md" | head -1)
may() { echo "iam: [{member: $reader, permissions: [$role${1:-}]}]" | curl -fs --data-binary @- "$url/_sandbox/world/patch" >/dev/null; }
reading() { tpucost doctor --format json | jq -r '.[] | select(.check == "reading" and .project == "lab-one") | "\(.status) \(.detail): \(.fix // "")"'; }
may
run tpucost collect anomaly
is "the role alone" "$rc:$(source_of state)" "0:disabled"
is "is enough" "$(reading)" "ok $reader can read what it needs; not Google's cost anomalies, which are optional: billing.anomalies.list: gcloud iam roles update tpucostReader --project=lab-one --add-permissions=billing.anomalies.list"
is "and no other check names it" "$(tpucost doctor --format json | jq -r '.[] | select(.check == "sources") | select(.detail | test("anomal")) | .status')" ""
may ,billing.anomalies.list
is "and says no more with it" "$(reading)" "ok $reader can read what it needs: "

# ---- what is read: all of 30 days, on as many pages as there are
sqlite3 t.db "INSERT INTO alert_event (at, rule, subject, kind, severity, summary, muted)
	VALUES ($NOW - 7201, 'mine', '$(day -1)/lab-two/USD', 'firing', 'warning', 'x', 0)"
run tpucost collect anomaly
status "read" 0
is "as Google has it" "$(rows id,day,actual,expected,deviation,percent,currency,severity,scope,causes)" \
	"lab-one/first,$(day -2),60,10.000000001,49.999999999,500,USD,HIGH,PROJECT,\"Compute Engine, Networking\"
lab-one/old,$(day -29),2,1,1,100,USD,HIGH,PROJECT,
lab-one/same,$(day 0),61,12.2,48.8,400,USD,HIGH,PROJECT,
lab-two/alone,$(day -2),70.5,0,70.5,,USD,NEW_WORD,PROJECT,
lab-two/late,$(day 0),5,1,4,400,USD,HIGH,PROJECT,"
is "in one page, as large as Google allows" "$(jq -r 'select(.path | test("lab-two/anomalies")) | .query' requests | sort -u)" \
	"pageSize=1000&prettyPrint=false"
ONE='"detectionTime":"2026-11-10T08:00:00Z"'
faults "[$(item new "$ONE, \"future\":{\"a\":[1]},\"deviation\":{\"more\":7},\"rootCauses\":[{\"displayName\":\"GPU\",\"subCauses\":[{\"displayName\":\"L4\"},{}]}]")]"
run tpucost collect anomaly
is "unknown members and absent amounts" "$rc:$(rows id,actual,currency,causes | grep new)" "0:lab-one/new,,,GPU (L4)"
faults "[{match: $LIST, times: 1, body: '{\"nextPageToken\":\"Cj8+/0==\"}'}]"
run tpucost collect anomaly
is "an empty page goes on" "$rc:$(source_of items)" "0:3"

# ---- what is refused whole
before=$(rows "*" | cksum)
for bad in "$(item a '"scope":"X"')" "$(item a "$ONE,\"deviation\":{\"actualSpend\":{\"units\":\"9\"}}")" \
	"$(item a "$ONE,\"deviation\":{\"actualSpend\":{\"currencyCode\":\"USD\",\"units\":\"1\"},\"expectedSpend\":{\"currencyCode\":\"HKD\",\"units\":\"1\"}}")" \
	"$(item a "$ONE,\"deviation\":{\"actualSpend\":{\"currencyCode\":\"USD\",\"units\":\"99999999999999\"}}")" \
	"$(item a "$ONE,\"rootCauses\":[7]")" "$(item .. "$ONE")" "$(item '' "$ONE")" "{match: $LIST, how: html}" \
	"{match: $LIST, how: truncate}" "{match: $LIST, body: '{\"anomalies\":{}}'}" \
	"{match: $LIST, body: '{\"nextPageToken\":\"Cj8+/0==\"}'}"; do
	faults "[$bad]"
	run tpucost collect anomaly
	is "refused: $(echo "$bad" | cut -c 40-110)" "$rc:$(source_of state):$(rows "*" | cksum)" "4:failed:$before"
done
faults '[]'

# ---- who was first
run tpucost run --once
is "both of ours fire" "$(tpucost alerts --quiet --format csv --columns subject | tr -d '\r' | grep -c "lab-one/USD")" 2
is "the order" "$(rows id,alert,alert_fired,seen_first | grep -v 'old\|new')" \
	"lab-one/first,$(day -3)/lab-one/USD,$(at 0),google
lab-one/same,$(day -2)/lab-one/USD,$(at 0),same-day
lab-two/alone,,,
lab-two/late,$(day -1)/lab-two/USD,$(at -7201),tpucost"
sqlite3 t.db "UPDATE alert_event SET at = at + 1 WHERE rule = 'mine'"
is "in the second in which its day begins" "$(rows id,seen_first | tail -1)" "lab-two/late,same-day"
sqlite3 t.db "UPDATE alert_event SET at = $NOW - 1800 WHERE rule = 'mine';
	UPDATE anomaly SET first_seen = $NOW - 1801 WHERE id = 'late'"
is "Google had it before our alert" "$(rows id,seen_first | tail -1)" "lab-two/late,google"

# ---- in the report, beside our alert; alone where we have none
run tpucost report --quiet
text=$(tr -s ' \n' ' ' <stdout)
has "beside it" "$text" "times the weekly mean of 10.00. Google reported it first, on $(day -2)."
has "the same day" "$text" "Google reported it on the same day, $(day 0)."
has "alone" "$text" "cost anomaly $(day -2)"
has "with its amounts" "$text" "Google reported it on $(day -2): 70.50 USD instead of 0.00 USD."
has "and a way on" "$text" "tpucost why cost:$(day -3)"
is "each once" "$(echo "$text" | grep -o 'Google reported' | wc -l)" 3
run tpucost status --all --quiet --project lab-one
is "of one project" "$(tr -s ' \n' ' ' <stdout | grep -o 'Google reported' | wc -l)" 2
tpucost silence cost-jump --for 2h >/dev/null 2>&1
run tpucost report --quiet
is "silenced together" "$(grep -c 'Google reported' stdout)" 0
run tpucost why "cost:$(day -3)"
text=$(echo "$out" | tr -s ' \n' ' ')
has "why: beside the day" "$text" "Cost anomalies lab-one instead of 10.000000001 USD; Compute Engine, Networking = 60 USD [reported by Google on $(day -2), before our alert $(day -3)/lab-one/USD]"
has "why: without an alert" "$text" "reported by Google on $(day -2); no alert of ours"

# ---- what Google does not list any more stays
set_clock =$((NOW + 40 * 86400))
run tpucost collect anomaly
is "kept" "$(rows id,last_seen | head -1)" "lab-one/first,$(at 0)"
