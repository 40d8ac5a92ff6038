# Commands for several zones: the hosts are in each of them, so price, verdict, grant and quota are by zone.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-estimate.sh"
cat >world.yaml <<'W'
name: zones
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
groups: [{zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, provisioning: spot}]
limits:
  - {service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "40"}
W
start_sandbox world.yaml
config_with "
      - 32 flex-start Cloud TPU v6e chips in zone us-east5-a
      - 16 spot Cloud TPU v6e chips in zone us-east5-b
      - 16 on-demand Cloud TPU v6e chips in zone us-east1-d
    new_only: false"
tpucost collect -q >/dev/null 2>&1
ask() { # COMMAND
	printf '%s\n' "$1" >command
	run tpucost estimate --format json - <command
	tpus=$(jq -r '.[] | select(.kind == "tpu") | "\(.location) \(.count) x \(.type) \(.gross_per_hour) \(.net_per_hour) \(.why) \(.grant_name) \(.advice)"' stdout)
	run tpucost estimate - <command
	said=$(flat)
}
POOL="gcloud container node-pools create np --cluster=c --location=us-east5 --machine-type=ct6e-standard-4t"

ask "$POOL --node-locations=us-east5-a,us-east5-b --tpu-topology=4x4 --spot"
is "a slice in each zone, each with its own verdict" "$tpus" \
	"us-east5-a 1 x 4 x ct6e-standard-4t 20.412 20.412 wrong-provisioning null --flex-start
us-east5-b 1 x 4 x ct6e-standard-4t 20.412 0 covered trc null"
has "the one that is not free decides" "$said" "NOT FREE: 20.41 USD/h; v6e is granted as flex-start in us-east5-a; this one is spot (grant trc)"
has "what would be free is said of that one" "$said" "instead np in us-east5-a is free with --flex-start (grant trc) "
is "without a command, which would change the other one" "$(grep -c 'gcloud container' stdout)" 0
has "and a move of the pool is not proposed" "$said" "(grant trc) quota"
has "the grant of the other one" "$said" "grant trc ends"
has "both use the quota of the region" "$said" "quota limit 40 preemptible_tpu_v6e in us-east5, 16 used, 32 more exceed it"
is "disks and addresses are where the hosts are" "$(grep -cE '^disk.* us-east5-[ab] +4 ' stdout) $(grep -c 'own zone' stdout)" "2 0"
run tpucost estimate --format json - <command
is "the sum of all zones" "$(jq '[.[].gross_per_hour] | add' stdout)" 40.844

ask "$POOL --node-locations=us-east5-a,us-east5-b --tpu-topology=2x2 --num-nodes=2 --flex-start"
is "slices of one host are one TPU each" "$tpus" \
	"us-east5-a 2 x ct6e-standard-4t 10.8 0 covered trc null
us-east5-b 2 x ct6e-standard-4t 10.8 10.8 wrong-provisioning null --spot"

ask "$POOL --node-locations=us-east5-b --tpu-topology=4x4 --flex-start"
has "a pool is moved by its own flag" "$out" "
  $POOL --node-locations=us-east5-a --tpu-topology=4x4 --flex-start"
has "a pool cannot leave the region of its cluster" "$said" "or free with --node-locations=us-east1-d in a cluster of us-east1, without --flex-start (grant trc) quota"

# ordinary machines: GKE chooses 3 zones of the region, whose names are unknown and have one price
CPUS="gcloud container node-pools create np --cluster=c --machine-type=n1-standard-4"
machines() { # COMMAND: number and place of its machines, disks and addresses
	printf '%s\n' "$1" >command
	run tpucost estimate --format json - <command
	echo "$(jq -r '.[] | "\(.kind) \(.count) \(.location)"' stdout | tr '\n' ' ')"
}
is "in a region, so many in each of 3 zones" "$(machines "$CPUS --region=us-east5 --num-nodes=2")" "vm 6 us-east5 disk 6 us-east5 ip 6 us-east5 "
has "said as what it is" "$(cat stderr)" "no --node-locations: a regional cluster has its nodes in 3 zones by default; which ones is unknown"
is "at the price of all" "$(jq '[.[].gross_per_hour] | add * 1000000 | round' stdout)" \
	"$(machines "$CPUS --node-locations=us-east5-a,us-east5-b,us-east5-c --num-nodes=2" >/dev/null; jq '[.[].gross_per_hour] | add * 1000000 | round' stdout)"
is "the nodes of no number" "$(machines "$CPUS --location=us-east5")" "vm 9 us-east5 disk 9 us-east5 ip 9 us-east5 "
is "those of a zone are as many as stated" "$(machines "$CPUS --zone=us-east5-a --num-nodes=2")" "vm 2 us-east5-a disk 2 us-east5-a ip 2 us-east5 "

ask "$POOL --tpu-topology=4x4"
is "a region is not enough for a TPU" "$rc $err" "2 tpucost: the pasted command: ct6e-standard-4t: price and coverage depend on the zone, which is unknown; use --node-locations=us-east5-a, or another single zone"
ask "gcloud compute instance-templates create t --machine-type=ct6e-standard-4t
gcloud compute instance-groups managed create g --template=t --size=4 --region=us-east5 --zones=us-east5-a,us-east5-b"
is "nor are two zones of which Google chooses one" "$rc $err" "2 tpucost: the pasted command: ct6e-standard-4t: price and coverage depend on the zone, which is unknown; use --zones=us-east5-a, or another single zone"
ask "$POOL --node-locations=us-east5,us-east5-b"
is "a list that names a region" "$rc $err" "2 tpucost: the pasted command: --node-locations: 'us-east5' is not a zone; use a zone such as us-central1-b; a region is not enough"

# what a rule finds in each of several equal things is said once
ask "gcloud compute instance-templates create t --machine-type=ct6e-standard-4t --no-address
gcloud compute instance-groups managed create g --template=t --size=4 --zone=us-east5-a --workload-policy=w"
has "the boot disks of a template" "$out" "disk   hyperdisk-balanced 10 GiB  us-east5-a      4 "
has "said once" "$said" "rule price-unknown (built in), for 4 resources: disk new-disk-1 (hyperdisk-balanced, us-east5-a) has an unknown price: burn and budgets leave it out. prices"
ask "gcloud compute instance-templates create t --machine-type=ct6e-standard-4t"
is "a template alone" "$rc $(head -1 stdout)" "0 NOTHING TO PAY: it creates nothing that is charged"

# machines that a family does not have, and families that this version does not know
ask "gcloud compute instances create x --zone=us-east5-a --machine-type=ct6e-standard-3t"
has "no such machine of a known family" "$err" "note: there is no machine type ct6e-standard-3t in the list of 2026-06-05, so its price is unknown; did you mean 'ct6e-standard-1t'?"
ask "gcloud compute instances create x --zone=us-east5-a --machine-type=ct9z-hightpu-4t"
is "a family that is not known may have it" "$rc $tpus $(grep -c 'did you mean' stderr)" "3 us-east5-a 1 x ct9z-hightpu-4t null null family-unknown null null 0"
