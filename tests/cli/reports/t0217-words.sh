# What the status screen and the reports say where currencies, classes or names of projects differ.
. "$ROOT/tests/cli/lib.sh"
write_world words "us-central1-a, us-east5-b" <<W
nodes:
  - {project: lab-one, zone: us-central1-a, name: stray, type: v3-8, created: -30h}
  - {project: lab-two, zone: us-central1-a, name: stray, type: v2-8, created: -30h}
disks:
  - {project: lab-one, zone: us-central1-a, name: spare, type: pd-ssd, size_gb: 900, created: -100h}
billing:
  table: lab-one.billing.gcp_billing_export_v1_00AA11
  location: EU
  currency: HKD
  rate: 7.75
  rows:
    - {project: lab-one, service: Compute Engine, sku: Core, cost: 2, from: -5d, until: -1d}
W
start_sandbox world.yaml
write_config "prices: [{tpu: v3, zone: us-central1-a, per_chip_hour: 0.75 HKD}]"
sed -i 's/^ *- 32 on-demand.*/      - 16 on-demand Cloud TPU v6e chips in zone us-east5-b\n      - 16 preemptible Cloud TPU v6e chips in zone us-east5-b/' tpucost.yaml
run tpucost run --once -q
run tpucost report daily
# 4.50 USD are 34.88 HKD
has "one sum at the rate of the bill, the largest saving first" "$out" \
	"Stop lab-two/stray and lab-one/stray to save about 37.88 HKD/h."
has "also of the burn" "$(tr -s ' ' <stdout)" "together - 39.50 HKD/h~"
is "also on the screen" "$(tpucost status 2>/dev/null | grep '^! ' | sed 's/,.*//')" "! lab-two/stray
! lab-one/stray"
run tpucost status
has "lines that differ only in class name it" "$(tr -s ' \n' ' ' <stdout)" \
	"v6e on-demand 0/16 us-east5-b, v6e spot 0/16 us-east5-b"
has "and only those" "$out" "v3-8 0/20 europe-west4-a"
sed "s/starts: .*/starts: $(day 9)/" tpucost.yaml >later.yaml
has "a grant that has not begun has no days left" "$(tpucost --config later.yaml status | tr -s ' \n' ' ')" "Grant trc: begins in 8d 1"
sqlite3 t.db "UPDATE charge SET rate = 0"
run tpucost collect -q disk
run tpucost report daily
has "without a rate both, that of the bill first" "$out" \
	"Stop lab-one/stray and lab-two/stray to save about 3.00 HKD/h and 4.50 USD/h."
