# Reserved capacity from the poll to the report: what is listed, what it costs, what forecasts make of it.
# Machines that use a reservation count once; what is not known is left out, and said.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: reserved
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-east5-a]
instances:
  - {zone: us-east5-a, name: a, type: ct6e-standard-4t, created: -1h, reservation: half}
reservations:
  - {zone: us-east5-a, name: half, type: ct6e-standard-4t, count: 3, used: 1, created: -2h}
  - {zone: us-east5-a, name: chips, type: ct6e, count: 8, used: 8, ends: +3d}
  - {zone: us-east5-a, name: later, kind: calendar, type: ct6e-standard-4t, count: 4, starts: +4h, ends: +6h}
  - {zone: us-east5-a, name: wish, kind: future-reservation, type: tpu9z-standard-4t, count: 2, starts: +4h, ends: +9h, status: NEW_WORD}
  - {zone: us-central1-a, name: cpu, type: n1-standard-4, count: 3, commitment: year}
W
start_sandbox world.yaml --now $NOW
config_one "budgets: [{name: day, amount: 1000 USD, per: day}, {name: east, amount: 1000 USD, per: day, where: \"zone = 'us-east5-a'\"}]
prices: [{tpu: v6e, zone: us-east5-a, per_chip_hour: 1.89 USD, provisioning: reserved}]"
set_clock =$NOW
rows() { tpucost commitments --quiet --format csv --columns "$1" --where "${2:-1}" --sort-by name | tr -d '\r' | tail -n +2; }
figure() { tpucost budget --quiet --format json | jq -r ".[] | select(.name == \"$1\") | $2 | if type == \"number\" then (. * 1000000 | round / 1000000) else . end"; }
patch() { curl -sS -X POST "$url/_sandbox/world/patch" --data-binary "$1" >/dev/null; tpucost collect >/dev/null; }

# ---- what is listed
run tpucost collect
status "all of it was read" 0
is "kind and number" "$(rows name,kind,location,type,family,unit,count,used,unused,state,raw_state,fixed)" \
	"chips,reservation,us-east5-a,ct6e,v6e,chips,8,8,0,running,READY,0
cpu,reservation,us-central1-a,n1-standard-4,,machines,3,0,3,running,READY,1
half,reservation,us-east5-a,ct6e-standard-4t,v6e,machines,3,1,2,running,READY,0
later,calendar,us-east5-a,ct6e-standard-4t,v6e,machines,4,,,committed,COMMITTED,1
wish,future-reservation,us-east5-a,tpu9z-standard-4t,,machines,2,,,unknown,NEW_WORD,"
is "begin and end" "$(rows name,starts,ends "kind = 'calendar' OR name = 'chips'")" "chips,$(at -3600),$(at 259200)
later,$(at 14400),$(at 21600)"
# 8 chips at 2.70; 3 machines of 4 chips; of calendar mode at the price of the configuration; one without a price
is "the price per hour" "$(rows name,gross_per_hour,unused_per_hour,currency)" "chips,21.6,0,USD
cpu,0.569997,0.569997,USD
half,32.4,21.6,USD
later,30.24,30.24,USD
wish,,,"
has "why names it" "$(tpucost why a -q 2>/dev/null | tr -s ' ')" " reservation half"
is "the machine names its reservation" \
	"$(tpucost ps --quiet --format csv --columns name,reservation | tr -d '\r' | tail -n +2)" "a,half"
has "sql reads it" "$(tpucost sql "SELECT SUM(count) AS n FROM commitments WHERE unit = 'chips'" --format json)" '"n": 8'

# ---- forecasts: a 10.80 and the 2 others 21.60 until midnight, 14 h; calendar mode 2 h; the CPUs 0.569997
is "each hour counts once" "$(figure day '.forecast - .unbilled')" "$(echo "14*(10.8+21.6+0.569997)+2*30.24" | bc | sed 's/0*$//')"
is "with a condition" "$(figure east '.forecast - .unbilled')" "$(echo "14*(10.8+21.6)+2*30.24" | bc | sed 's/\.*0*$//')"
is "no stop saves it" "$(figure day '.forecast_if_stopped == .forecast')" true
has "the basis says so" "$(figure day .basis)" "; the unused part of 3 reservations;"
is "and nothing is omitted" "$(figure day .basis | grep -c omitted)" 0
run tpucost why budget:day
has "the begin of calendar mode" "$out" "from 2026-11-18 14:00 until 2026-11-18 16:00 = 30.24 USD/h"
has "in the formula" "$(printf %s "$out" | tr -s '\n ' ' ')" "+ 60.48 USD of what begins later"

# ---- report
tpucost report --quiet >report.txt
has "section" "$(cat report.txt)" "Commitments
  name "
has "row" "$(tr -s ' ' <report.txt)" " half reservation 1 3 - 32.40 USD/h~"
has "what is unused" "$(cat report.txt)" "    2 of 3 machines are unused, about 21.60 USD/h
      gcloud compute reservations update half --zone us-east5-a --project lab-one --vm-count 1"
has "stopping its machine saves nothing" "$(tr -s '\n ' ' ' <report.txt)" \
	"It uses reservation half, which is charged anyway: stopping it saves nothing."
has "the headline" "$(sed -n 3p report.txt)" "Delete reservation half to save about 21.60 USD/h."
is "no CPUs, no full ones" "$(sed -n '/^Do now/,/^Billed/p' report.txt | grep -c "reservation c")" 0
tpucost report --quiet --format json >report.json
is "as data" "$(jq -c '.commitments[] | select(.name == "half") | [.kind, .used, .count, .gross_per_hour, .fixed]' report.json)" \
	'["reservation",1,3,32.4,false]'

# ---- calendar mode begins: its reservation stands for both, and cannot be cancelled
patch '{reservations: [
  {zone: us-east5-a, name: later, status: FULFILLED, starts: -1h, made: [made]},
  {zone: us-east5-a, name: made, type: ct6e-standard-4t, count: 4, used: 1},
  {zone: us-east5-a, name: half, used: 0}]}'
is "one row" "$(rows name,kind,count,used,starts,ends,fixed,gross_per_hour "name IN ('later', 'made')")" \
	"made,calendar,4,1,$(at -3600),$(at 21600),1,30.24"
tpucost report --quiet >report.txt
has "to be used" "$(tr -s '\n ' ' ' <report.txt)" \
	"3 of 4 machines are unused, about 22.68 USD/h; calendar mode cannot be cancelled tpucost commitments"
has "all of one is deleted" "$(cat report.txt)" "gcloud compute reservations delete half --zone us-east5-a --project lab-one"
is "forecast" "$(figure east '.forecast - .unbilled')" "$(echo "14*(10.8+32.4)+6*22.68" | bc | sed 's/\.*0*$//')"

# ---- without its reservation nobody knows which of its machines run
patch '{reservations: [{zone: us-east5-a, name: later, made: [gone]}, {zone: us-east5-a, name: made, status: DELETING}]}'
is "left out" "$(figure east '.forecast - .unbilled')" "$(echo "14*(10.8+32.4)" | bc | sed 's/\.*0*$//')"
has "and said" "$(figure east .basis)" "omitted for 1 reservation of unknown use: the figures are lower bounds"
is "no upper bound" "$(figure east .forecast_high)" null
config_one "budgets: [{name: day, amount: 1000 USD, per: day}]"
tpucost collect >/dev/null 2>&1
is "calendar mode without a price" "$(rows gross_per_hour,currency "name = 'later'")" ","
has "counts as one" "$(figure day .basis)" "1 resource has no price: the figures are lower bounds"

# ---- a slice uses a reservation if each of its hosts does
sed 's/^instances:/groups: [{zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, reservation: half}]\n&/' world.yaml >slice.yaml
kill "$sandbox_pid"
start_sandbox slice.yaml --now $NOW
config_one
rm -f t.db*
tpucost collect >/dev/null
is "slice" "$(tpucost ps --quiet --format csv --columns name,reservation --sort-by name | tr -d '\r' | tail -n +2)" "a,half
pod,half"
sed 's/target: 4, hosts: 4/target: 4, hosts: 4, provisioning: reserved/' slice.yaml >bound.yaml
kill "$sandbox_pid"
start_sandbox bound.yaml --now $NOW
config_one
rm -f t.db*
tpucost collect >/dev/null
has "one without a price of its own saves nothing, either" "$(tpucost report --quiet | tr -s '\n ' ' ')" \
	"! pod 4 x ct6e-standard-4t us-east5-a - Not covered: no grant is for v6e. It uses reservation half, which is charged anyway: stopping it saves nothing."
