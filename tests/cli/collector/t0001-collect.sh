. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config

run tpucost collect
status "collect of a healthy world exits 0" 0
is "and says what it did" "$(echo "$out" | sed -n "1s/^\([0-9]*\) polled: \1 complete$/all/p")" all
has "and which alerts began" "$out" "ALERT critical tpu-not-covered: wrong (v3-8, on-demand, us-central1-a)"
has "the next screen names the machine to stop" "$(tpucost)" "! wrong, about 8.00 USD/h"
is "no message was sent" "$(sqlite3 t.db "SELECT count(*) FROM notification WHERE attempts > 0")" 0
tpucost silence tpu-not-covered --for 2h 2>/dev/null
tpucost run --once -q >/dev/null 2>&1
is "a silence before the first run is in time" "$(sqlite3 t.db "SELECT count(*) FROM outbox WHERE state <> 'dropped' AND rule = 'tpu-not-covered'")" 0
sqlite3 t.db "DELETE FROM alert; DELETE FROM rule_state"
has "killed before the rules: that is not called fine" "$(tpucost alerts)" "The rules were not evaluated yet; run: tpucost collect"
is "and prints nothing on stderr" "$err" ""

run tpucost ps --all --format json
status "ps exits 0" 0
is "every resource is there once" "$(jq -r '[.[].name] | sort | join(" ")' stdout)" \
	"big big good keep off pre slice slice-w-0 slice-w-1 spare spare-ip wrong"
is "ids are unique" "$(jq -r '[.[].id] | unique | length' stdout)" 12
is "every column of the contract is there" "$(jq -r '
	["id","uid","kind","project","location","zone","region","name","state","raw_state","type",
	"family","provisioning","chips","hosts","vcpus","memory_gib","size_gib","attached_to",
	"labels","owner","created","age_hours","running_hours","idle_minutes","covered",
	"grant_name","why","gross_per_hour","net_per_hour","currency","price_source","exempt",
	"last_seen","complete"] - (.[0] | keys) | length' stdout)" 0
is "uids beyond 2^53 keep every digit" \
	"$(jq -r '.[] | select(.name == "good") | .uid | length > 17' stdout)" true
is "money is a number" "$(jq -r '.[] | select(.name == "wrong") | .gross_per_hour | type' stdout)" number
run tpucost ps --format json
is "ps without --all leaves out the machine that is stopped" \
	"$(jq -r '[.[].name] | sort | join(" ")' stdout)" \
	"big big good keep pre slice spare spare-ip wrong"

is "what was read is old, when it is stale" \
	"$(tpucost sql "SELECT DISTINCT stale_text FROM sources" --format csv | tr -d '\r' | tail -n +2)" "is old"

run tpucost burn --format json
# cpu of lab-one: 96 x 0.031611 + 624 x 0.004237
is "burn of machines, to the nano-unit" \
	"$(jq -r '.[] | select(.category == "cpu" and .project == "lab-one") | .net_per_hour' stdout)" 5.678544
# disks: (500 x 0.04 + 800 x 0.17) / 730, each rounded once: 0.02739726 + 0.18630137
is "burn of disks" \
	"$(jq -r '.[] | select(.category == "disk") | .gross_per_hour' stdout)" 0.21369863
is "burn of the unused address" "$(jq -r '.[] | select(.category == "ip") | .gross_per_hour' stdout)" 0.01
is "burn of TPUs, gross and net" \
	"$(jq -r '.[] | select(.category == "tpu" and .project == "lab-one") | "\(.gross_per_hour) \(.net_per_hour)"' stdout)" "16.8 8"

run tpucost coverage --format json
is "one row per running TPU" "$(jq -r 'length' stdout)" 3
is "the granted zone is covered" "$(jq -r '.[] | select(.id | endswith("good")) | "\(.covered) \(.why) \(.grant_name)"' stdout)" "1 covered trc"
is "one zone off is not, and says why" "$(jq -r '.[] | select(.id | endswith("wrong")) | "\(.covered) \(.why)"' stdout)" "0 wrong-zone"
is "spot against an on-demand grant is not" "$(jq -r '.[] | select(.id | endswith("slice")) | .why' stdout)" wrong-provisioning
run tpucost coverage
has "the sentence names the granted zone" "$out" "granted in europe-west4-a; this one is in us-central1-a"

run tpucost cost --format json
# 48 h x 3.034656 + 48 x 3 x 0.000044 + 1.01
is "the sum of cost is that of the export" "$(jq -r 'map(.cost * 1e9 | round) | add' stdout)" 146679824000
is "and so is the sum of credits" "$(jq -r 'map(.credits * 1e9 | round) | add' stdout)" -96000000000
is "net is cost plus credits" "$(jq -r 'map(.net * 1e9 | round) | add' stdout)" 50679824000
for by in sku project category invoice_month day,sku service,zone; do
	run tpucost cost --by $by --format json
	is "grouped by $by it is the same" "$(jq -r 'map(.cost * 1e9 | round) | add' stdout)" 146679824000
done
run tpucost cost --by project --format json
is "tax belongs to no project" "$(jq -r '.[] | select(.project == null) | .cost' stdout)" 1.01

day=$(day -4)
run tpucost cost --since "$day" --until "$(day -3)" --format json
is "--since and --until frame whole days" "$(jq -r '[.[].day] | join(" ")' stdout)" "$day"
sed 's/^timezone: .*/timezone: Pacific\/Kiritimati/' tpucost.yaml >east.yaml
run tpucost cost --config east.yaml --format json
is "another zone cuts other days, with the same sum" "$(jq -r 'map(.cost * 1e9 | round) | add' stdout)" 146679824000
is "fourteen hours ahead, one day more" "$(jq -r '.[0].day' stdout)" \
	"$(TZ=Pacific/Kiritimati date +%F --date="@$(sqlite3 t.db 'SELECT min(hour) FROM usage')")"

cp t.db before.db
run tpucost collect
status "a second collect exits 0" 0
same() { sqlite3 "$1" "SELECT id, uid, state, type, created, first_seen, complete FROM resource ORDER BY id; SELECT * FROM resource_interval ORDER BY id; SELECT * FROM usage; SELECT * FROM cost_day"; }
is "a second collect changes nothing" "$(same t.db)" "$(same before.db)"

is "nothing that was asked would change the cloud" "$(jq -r 'select(.mutating) | .path' requests)" ""
is "no secret is in the log" "$(grep -c 'eyJ\|PRIVATE KEY' requests)" 0
is "no secret is in the database" "$(strings t.db | grep -c 'ya29\|PRIVATE KEY')" 0
is "the database is the user's alone" "$(stat -c %a t.db)" 600
