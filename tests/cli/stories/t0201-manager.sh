# A manager has twelve projects, billed in HKD.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-story.sh"
{
	echo "name: twelve"
	echo "zones: [us-central1-a, europe-west4-a]"
	echo "projects:"
	for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
		echo "  - {id: lab-$i, number: \"1000000000$i\"}"
	done
	echo "nodes:"
	for i in 01 05 12; do
		echo "  - {project: lab-$i, zone: us-central1-a, name: astray-$i, type: v3-8, created: -60h, labels: {owner: user-$i}}"
	done
	echo "  - {project: lab-03, zone: europe-west4-a, name: good, type: v3-8, created: -10h}"
	cat <<'EOF'
billing:
  table: lab-01.billing.gcp_billing_export_v1_00AA11
  location: EU
  currency: HKD
  rate: 7.75
  rows:
EOF
	for i in 01 02 03 05 12; do
		echo "    - {project: lab-$i, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: 2E27-4F75-95CD, sku: N1 Predefined Instance Core running in Americas, region: us-central1, zone: us-central1-a, resource: big, unit: hour, usage: 96, cost: 23.5, from: -5d, until: -1d}"
	done
} >world.yaml
start_sandbox world.yaml
write_config "budgets:
  - {name: month, amount: 50000 HKD, per: month}"
sed -i "s/projects: .*/projects: [lab-01, lab-02, lab-03, lab-04, lab-05, lab-06, lab-07, lab-08, lab-09, lab-10, lab-11, lab-12]/
	s/lab-one.billing/lab-01.billing/" tpucost.yaml
types tpucost check
types tpucost collect -q
types tpucost doctor
types tpucost
is "three TPUs to stop" "$(grep -c "^! astray-" stdout)" 3
hasnot "no line is cut" "$out" "…"
types tpucost cost --by project --since 7d
is "each project that has a bill" "$(grep -c '^lab-' stdout)" 5
is "machines of one name are not summed up" "$(tpucost cost --by resource --columns project,resource,net --format csv | grep -c ',big,2256')" 5
types tpucost ps
has "the project is shown" "$(head -2 stdout)" "project"
has "and the state" "$(head -2 stdout)" "state"
types tpucost budget month
has "in one currency" "$out" "HKD"
types tpucost why budget:month
has "with the intervals of what is not billed yet" "$out" "Intervals in unbilled"
types tpucost report month
status "the month" 0
the_end manager 9
