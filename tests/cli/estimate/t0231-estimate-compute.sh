# TPUs of Compute Engine and Kubernetes Engine in pasted commands, in every class: one TPU, its chips and price,
# the line of the grant and the pool of the quota.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: pasted
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central1-c]
groups: [{zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, provisioning: spot}]
limits:
  - {service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, region: us-east5, tpu_family: CT6E, value: "8"}
  - {service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
  - {service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, region: us-central1, tpu_family: TPU7X, value: "4"}
  - {service: compute.googleapis.com, quota: PREEMPTIBLE-TPU7X-per-project-region, metric: compute.googleapis.com/preemptible_tpu7x, region: us-central1, value: "2"}
  - {service: compute.googleapis.com, quota: TPU-V5P-per-project-region, metric: compute.googleapis.com/tpu_v5p, region: us-east5, value: "-1"}
  - {quota: TPUV6EPreemptiblePerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v6e-preemptible, zone: us-east5-a, value: "32"}
W
start_sandbox world.yaml
config_one "grants:
  - name: trc
    starts: 2026-11-01
    days: 30
    new_only: false
    tpus:
      - 32 flex-start Cloud TPU v6e chips in zone us-east5-a
      - 16 spot Cloud TPU v6e chips in zone us-east5-a"
tpucost collect -q >/dev/null 2>&1
ask() { # COMMAND
	printf '%s\n' "$1" >command
	run tpucost estimate --format json - <command
	tpu=$(jq -r '.[] | select(.kind == "tpu") | "\(.count) x \(.type) \(.provisioning) \(.chips) \(.gross_per_hour) \(.why) \(.why_text // "")"' stdout)
	run tpucost estimate - <command
	quota=$(tr -s '\n ' '  ' <stdout | grep -oE 'quota [^)]*(exceed it|more\)|not known for [^)]* (spot|on-demand|flex-start))' | head -1)
}
VM="gcloud compute instances create x --zone=us-east5-a --machine-type=ct6e-standard-4t"
FLEX="trc: 32 flex-start v6e chips (v6e-32) in us-east5-a"

ask "$VM"
is "a machine" "$tpu" "1 x ct6e-standard-4t on-demand 4 10.8 wrong-provisioning v6e is granted as flex-start in us-east5-a; this one is on-demand (grant trc)"
is "uses the pool on demand" "$quota" "quota within the limits: tpus_per_tpu_family in us-east5 (8, 0 used, 4 more)"
ask "$VM --provisioning-model=SPOT"
is "a spot one" "$tpu" "1 x ct6e-standard-4t spot 4 5.103 over-capacity trc grants 16 spot v6e chips (v6e-16) in us-east5-a and older TPUs use 16; this ct6e-standard-4t needs 4"
is "uses the preemptible pool" "$quota" "quota within the limits: preemptible_tpu_v6e in us-east5 (64, 16 used, 4 more)"
has "the same as flex-start, with what that needs" "$out" "$VM --provisioning-model=FLEX_START --max-run-duration=168h"
ask "$VM --provisioning-model=FLEX_START --max-run-duration=4h"
is "one of flex-start" "$tpu" "1 x ct6e-standard-4t flex-start 4 5.4 covered covered by $FLEX"
is "uses the preemptible pool first" "$quota" "quota within the limits: preemptible_tpu_v6e in us-east5 (64, 16 used, 4 more)"
has "and ends by itself" "$err" "it runs at most 4h"
ask "$VM --provisioning-model=RESERVATION_BOUND --reservation-affinity=specific --reservation=r"
is "a reserved one has the price of its reservation" "$tpu" "1 x ct6e-standard-4t reserved 4 null wrong-provisioning v6e is granted as flex-start in us-east5-a; this one is reserved (grant trc)"
is "which has used the quota" "$quota" ""
is "another class replaces all of its flags" "$(grep -o 'gcloud.*FLEX_START.*' stdout)" \
	"$VM --provisioning-model=FLEX_START --max-run-duration=168h"

ask "gcloud compute instances create y --zone=us-central1-c --machine-type=tpu7x-standard-4t"
is "the newest family" "$tpu" "1 x tpu7x-standard-4t on-demand 4 48 no-grant no grant is for tpu7x"
is "and its pool" "$quota" "quota within the limits: tpus_per_tpu_family in us-central1 (4, 0 used, 4 more)"
ask "gcloud compute instances create y --zone=us-central1-c --machine-type=tpu7x-standard-4t --provisioning-model=SPOT"
is "and the preemptible one" "$quota" "quota limit 2 preemptible_tpu7x in us-central1, 0 used, 4 more exceed it"
ask "gcloud compute instances create z --zone=us-central1-c --machine-type=tpu9z-standard-8t"
is "one that is not known" "$tpu" "1 x tpu9z-standard-8t on-demand 8 null family-unknown this version of tpucost does not know its TPU family"
is "has no known pool" "$quota" "quota quota pool not known for tpu9z-standard-8t, on-demand"
ask "gcloud container node-pools create np --cluster=c --location=us-central1 --node-locations=us-central1-a,us-central1-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --spot"
is "a limit that Google does not state" "$quota" "quota limit not known: preemptible_tpu_v6e in us-central1 (32 more)"

ask "gcloud compute instance-templates create t --machine-type=ct6e-standard-4t --provisioning-model=FLEX_START --max-run-duration=7h
gcloud compute instance-groups managed create g --template=t --size=4 --workload-policy=projects/lab-one/regions/us-east5/resourcePolicies/w --zone=us-east5-a"
is "a group with a workload policy is one slice" "$tpu" "1 x 4 x ct6e-standard-4t flex-start 16 21.6 covered covered by $FLEX"
is "with the chips of all hosts" "$quota" "quota within the limits: preemptible_tpu_v6e in us-east5 (64, 16 used, 16 more)"
ask "gcloud container node-pools create np --cluster=c --location=us-east5 --node-locations=us-east5-a --machine-type=ct6e-standard-4t --tpu-topology=4x4 --spot"
is "a node pool is one slice" "$tpu" "1 x 4 x ct6e-standard-4t spot 16 20.412 over-capacity trc grants 16 spot v6e chips (v6e-16) in us-east5-a and older TPUs use 16; this 4 x ct6e-standard-4t needs 16"
has "with its own flag" "$out" "--tpu-topology=4x4 --flex-start"
ask "gcloud container node-pools create np --cluster=c --zone=us-central1-c --machine-type=tpu7x-standard-4t --tpu-topology=2x2x2"
is "more than the quota" "$tpu $quota" "1 x 2 x tpu7x-standard-4t on-demand 8 96 no-grant no grant is for tpu7x quota limit 4 tpus_per_tpu_family in us-central1, 0 used, 8 more exceed it"
ask "gcloud alpha compute tpus queued-resources create q --node-id=n --zone=us-east5-a --accelerator-type=v6e-16 --runtime-version=v2-alpha-tpuv6e --provisioning-model=FLEX_START --max-run-duration=5h"
is "a queued resource of that class" "$tpu" "1 x v6e-16 flex-start 16 21.6 covered covered by $FLEX"
is "uses the quota of its own API" "$quota" "quota within the limits: tpu-v6e-preemptible in us-east5-a (32, 0 used, 16 more)"

# the same in rows: the quota, its limit and use, and the line of the grant
rows() { # COMMAND
	printf '%s\n' "$1" >command
	run tpucost estimate -q --format json - <command
	tpu=$(jq -r '.[] | select(.kind == "tpu") | "\(.quota) \(.quota_location) \(.pool) \(.limit_value) \(.used) \(.needs) | \(.grant_line)"' stdout)
}
rows "$VM --provisioning-model=FLEX_START"
is "a quota in a row" "$tpu" "preemptible_tpu_v6e us-east5 preemptible 64 16 4 | 32 flex-start v6e chips (v6e-32) in us-east5-a"
rows "$VM --provisioning-model=SPOT"
is "without a grant" "$tpu" "preemptible_tpu_v6e us-east5 preemptible 64 16 4 | null"
rows "$VM --provisioning-model=RESERVATION_BOUND"
is "of a reserved one" "$tpu" "null null null null null null | null"
rows "gcloud compute instances create v --machine-type=ct5p-hightpu-4t --zone=us-east5-a"
is "without a limit" "$tpu" "tpu_v5p us-east5 on-demand -1 0 4 | null"
rows "gcloud compute instances create v --machine-type=ct5p-hightpu-4t --zone=us-central1-a"
is "whose limit is not known" "$tpu" "tpu_v5p null on-demand null null null | null"
rows "gcloud compute instances create z --zone=us-central1-c --machine-type=tpu9z-standard-8t"
is "that is not known" "$tpu" "null null on-demand null null null | null"
rows "gcloud compute tpus tpu-vm create n --zone=us-east5-a --accelerator-type=v6e-16 --version=x --spot"
is "of the Cloud TPU API" "$tpu" "tpu-v6e-preemptible us-east5-a preemptible 32 0 16 | null"
