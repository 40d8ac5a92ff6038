# TPUs as seen against TPUs as billed: what a grant covers and is charged, what a coupon pays,
# what is missing on the bill.
. "$ROOT/tests/cli/lib.sh"
ago() { day "-$1"; }
line() { # LOCATION DAYS_AGO HOURS COST CREDIT PLACE
	echo "    - {project: lab-one, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: S-$1,"
	echo "       sku: Tpu-v3 accelerator running in $6, region: ${1%-*}, zone: $1, unit: hour,"
	echo "       usage: 1, cost: $4, from: $(ago "$2")T00:00:00Z, until: $(ago "$2")T$3:00:00Z, credits: [$5]}"
}
{
	cat <<EOF
name: bill
projects: [{id: lab-one, number: "100000000001"}, {id: lab-two, number: "100000000002"}]
zones: [us-central1-a, europe-west4-a]
nodes:
  - {project: lab-one, zone: europe-west4-a, name: good, type: v3-8, created: $(ago 8)T00:00:00Z}
  - {project: lab-one, zone: us-central1-a, name: wrong, type: v3-8, created: $(ago 8)T00:00:00Z}
$BILL
EOF
	# Google writes the bill, so that what is not on it is missing
	echo "    - {project: lab-one, service: Compute Engine, sku: Core, unit: hour, usage: 1, cost: 1,"
	echo "       from: $(ago 1)T00:00:00Z, until: $(ago 1)T23:00:00Z}"
	line us-central1-a 8 23 8 "{name: trial, type: PROMOTION, amount: -8}" Americas
	line us-central1-a 7 23 8 "" Americas
	line us-central1-a 6 23 8 "{name: x, type: DISCOUNT, amount: -8}" Americas
	line europe-west4-a 8 23 8.8 "{name: x, type: DISCOUNT, amount: -8.8}" Netherlands
	line europe-west4-a 7 01 8.8 "" Netherlands
	line europe-west4-a 6 23 0 "" Netherlands
} >world.yaml
start_sandbox "$work/world.yaml"
write_config
run tpucost reconcile
status "before anything was collected" 1
has "says what to do" "$err" "run: tpucost collect"
cp tpucost.yaml with.yaml
sed -i '/^billing:/d' tpucost.yaml
tpucost collect -q
run tpucost reconcile
is "without any bill: that is said" "$rc $out" \
	"0 There is no billing data: no export was read and no file was imported; see: tpucost doctor"
run tpucost reconcile --all
is "and of all that ran, what it was" "$(grep -q not-final stdout && echo rows) $(tail -1 stdout | cut -c 1-24)" "rows There is no billing data"
run tpucost reconcile --format json
has "to programs as a note" "$err" "note: There is no billing data"
run tpucost reconcile --format json -q
is "if they want one" "$err" ""
mv with.yaml tpucost.yaml
tpucost collect -q
run tpucost reconcile
is "with one it is not" "$(cat stdout stderr | grep -c "no bill at all")" 0

rows() {
	tpucost reconcile --format csv -q --sort-by "location, day desc" \
		--columns day,location,covered_chip_hours,uncovered_chip_hours,billed_chip_hours,net,verdict "$@" |
		tr -d '\r' | sed 1d
}
# 23 of 24 hours are on the bill of each day (4 chips each), one on the day of the alarm
is "what is not as it should be" "$(rows --until "$(ago 3)")" "$(ago 7),europe-west4-a,96,0,4,8.8,billed-but-covered
$(ago 4),us-central1-a,0,96,,,not-in-bill
$(ago 5),us-central1-a,0,96,,,not-in-bill
$(ago 6),us-central1-a,0,96,92,0,free-unexplained
$(ago 8),us-central1-a,0,96,92,0,coupon"
is "with --all also what is" "$(rows --all --until "$(ago 6)")" "$(ago 7),europe-west4-a,96,0,4,8.8,billed-but-covered
$(ago 8),europe-west4-a,96,0,92,0,ok
$(ago 7),us-central1-a,0,96,92,184,ok
$(ago 8),us-central1-a,0,96,92,0,coupon"
is "--since" "$(rows --since "$(ago 5)" --until "$(ago 4)")" "$(ago 5),us-central1-a,0,96,,,not-in-bill"
is "the last days are not final" \
	"$(rows --since "$(ago 2)" --where "location = 'us-central1-a'" | sed 's/.*,//' | sort -u)" not-final
is "another project has none" "$(rows --project lab-two)" ""
run tpucost reconcile --format table -q
has "a sentence" "$out" \
	"$(ago 7) v3 europe-west4-a: a grant covers all of the 96.00 chip-hours, and 8.80 USD is to be paid (SKU Tpu-v3 accelerator running in Netherlands)"
has "and one for what is missing" "$out" \
	"$(ago 5) v3 us-central1-a: 96.00 chip-hours ran uncovered (wrong-zone), and the settled bill has none of it"
# the newest days are not final: they have rows, but no sentences
run tpucost reconcile --limit 1 --all -q
is "--limit is for rows and for sentences" \
	"$(awk 'NR == 2 {print $1} /^$/ {n++} n {k++} END {print k}' stdout | xargs) $(tail -1 stdout | cut -c 1-13)" \
	"$(ago 0) 2 $(ago 4) v3"
run tpucost reconcile --limit 0 -q
is "and may leave none of both" "$out" "No rows match."
run tpucost sql "SELECT verdict, COUNT(*) AS n FROM reconciliation WHERE verdict = 'billed-but-covered' GROUP BY verdict" --format csv
is "and in SQL" "$(echo "$out" | tr -d '\r' | tail -1)" "billed-but-covered,1"
run tpucost reconcile --where "verdict = 'not-seen'" --format table
is "nothing of a kind" "$out" "No rows match."
tpucost run --once -q >/dev/null 2>&1
is "the rule says it once" \
	"$(tpucost alerts -q --format csv --columns rule,subject,state,value --where "rule = 'billed-but-covered'" | tr -d '\r' | sed 1d)" \
	"billed-but-covered,$(ago 7)/lab-one/v3/europe-west4-a/on-demand/USD,firing,8.8"

# days that have not begun are not today
run tpucost reconcile --all --since "$(day 40)" --until "$(day 41)" --format json
is "a period in the future has no rows" "$rc $out" "0 []"
run tpucost reconcile --all --since "$(day 1)"
is "nor one that begins tomorrow" "$rc $out" "0 No rows match."
