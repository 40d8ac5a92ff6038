# What something that would be created does to budgets, quotas and rules, what is in the wrong place, and
# what is known without a database or a configuration.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: effects
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-b, us-central2-b, europe-west4-a]
instances:
  - {zone: us-central1-b, name: small, type: n1-standard-2, created: -1h}
nodes:
  - {zone: europe-west4-a, name: good, type: v3-8, created: -10h}
buckets:
  - {name: near-data, location: EUROPE-WEST4}
  - {name: far-data, location: US}
quotas:
  - {region: us-central1, metric: CPUS, limit: 96, usage: 2}
  - {region: us-central1, metric: N2_CPUS, limit: 8}
  - {region: us-central1, metric: DISKS_TOTAL_GB, limit: 4096, usage: 450}
  - {region: us-central1, metric: PREEMPTIBLE_CPUS, limit: 0}
  - {region: europe-west4, metric: CPUS, limit: 24}
  - {region: europe-west4, metric: PREEMPTIBLE_CPUS, limit: 16}
limits:
  - {quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "40"}
W
start_sandbox "$work/world.yaml"
. "$ROOT/tests/cli/lib-estimate.sh"
config() { # LINES [GRANT DATES]
	config_with "[5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]" "$@"
}
config ""
run tpucost collect -q
status "collected" 0
free="--tpu v3-8 --zone europe-west4-a"

# ---- budgets
period="starts: $(day -1), ends: $(day +30)"
config "budgets: [{name: lab, amount: 10000 USD, $period}]"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "a budget that lasts: 0" 0
has "what becomes of it" "$(flat)" "budget lab: forecast "
has "how long it lasts, which stays so" "$(flat)" "; runs out not in this period (estimate)"
run tpucost estimate --vm n1-highmem-96:20 --zone us-central1-b
status "a budget that does not: 3" 3
has "how long it lasts" "$(flat)" "; runs out not in this period -> 20"
has "which one" "$out" "NO: it would exceed budget lab; 113.57 USD/h" # 20 x 5.678544
config "budgets: [{name: lab, amount: 1 USD, $period}]"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "one that is too small already: 3" 3
run tpucost estimate $free --vm n1-standard-2
status "beside a free TPU coverage decides: 0" 0
has "but it is said" "$(flat)" "budget lab: forecast "
run tpucost estimate $free
status "a free TPU alone: 0" 0
is "a budget has what it costs after its grant" "$(grep -c "^budget  lab: forecast " stdout)" 1
config "budgets: [{name: lab, amount: 0.01 USD, $period}]"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
has "one that is used up stays so" "$(flat)" "; used up since 20"
config "budgets: [{name: lab, amount: 1 USD, $period, where: \"category = 'gpu'\"}]"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "what a budget does not count does not break it: 0" 0
config "budgets: [{name: lab, amount: 1 EUR, $period}, {name: old, amount: 1 EUR, starts: $(day -9), ends: $(day -8)}]"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "a budget without a rate to its currency: 4" 4
has "it is unknown" "$(flat)" "budget lab: forecast unknown "
has "and why" "$err" "note: budget lab: forecast unknown: amounts are in USD and the bill has no rate to EUR"
is "one that has ended does not matter" "$(cat stdout stderr | grep -c 'old:')" 0
run tpucost estimate --vm n1-standard-2 --zone us-central1-b --format json
is "as rows too" "$rc $(echo "$err" | grep -c 'budget lab: forecast unknown')" "4 1"
run tpucost estimate $free
status "a free TPU decides: 0" 0
has "but it is said" "$(flat)" "budget lab: forecast unknown "

# ---- rules of the configuration forbid, built-in ones advise
config "rules: [{name: big, on: resources, where: \"kind = 'vm' AND vcpus >= 64\", severity: warning, summary: \"{name} has {vcpus} vCPUs\"}]"
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
status "a machine that a rule forbids: 3" 3
has "which rule" "$out" "NO: it violates your rule big; 5.68 USD/h"
has "what it says" "$out" "rule    big: new-vm has 96 vCPUs"
run tpucost estimate $free --vm n1-highmem-96
status "beside a free TPU too: 3" 3
run tpucost estimate $free --vm n1-standard-2
status "one that it allows: 0" 0
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "alone: 0" 0
config "rules: [{name: big, on: resources, where: \"kind = 'vm' AND vcpus >= 64\", severity: info}]"
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
status "for information is no refusal: 0" 0
config "rules: [{name: any, on: resources, where: \"kind = 'vm' AND state = 'running'\"}]"
run tpucost estimate --disk pd-ssd:100 --zone us-central1-b
status "what held before does not count: 0" 0
config ""
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
status "a built-in rule advises: 0" 0
has "it is told" "$(flat)" "rule burn-high (built in): burn lab-one: cpu costs"

# ---- quotas: 2 of 96 are used; N2 has its own; a TPU quota counts cores, and one TPU runs
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
has "what does not fit" "$out" "quota   limit 96 CPUS in us-central1, 2 used, 96 more exceed it"
run tpucost estimate --vm n2-standard-8 --zone us-central1-b
has "another quota" "$out" "quota   within the limits: N2_CPUS in us-central1 (8, 0 used, 8 more)"
run tpucost estimate --vm n1-standard-32 --spot --zone us-central1-b
has "spot machines without a quota of their own" "$out" "CPUS in us-central1 (96, 2 used, 32 more)"
run tpucost estimate --vm n1-standard-32 --spot --zone europe-west4-a
has "and with one" "$out" "limit 16 PREEMPTIBLE_CPUS in europe-west4, 0 used, 32 more exceed it"
run tpucost estimate --tpu v3-8:4 --zone europe-west4-a
has "of a TPU" "$out" "within the limits: tpu-v3s in europe-west4-a (40, 8 used, 32 more)"
run tpucost estimate --tpu v3-8:5 --zone europe-west4-a
has "one too many" "$out" "limit 40 tpu-v3s in europe-west4-a, 8 used, 40 more exceed it"
run tpucost estimate --disk pd-standard:4000 --zone us-central1-b
has "of disks" "$out" "limit 4096 DISKS_TOTAL_GB in us-central1, 450 used, 4000 more exceed it"

# ---- places
run tpucost estimate $free
has "a bucket that is elsewhere" "$(flat)" "place buckets elsewhere than europe-west4: far-data (us): reading from them is charged per GiB"

# ---- time
config "" "    starts: $(day -40)
    until: $(day -3)"
run tpucost estimate $free
status "an expired grant: 3" 3
has "when it ended" "$(flat)" "NOT FREE: 8.80 USD/h; the grant of v3-8 in europe-west4-a (trc) ended $(day -3), "
config "" "    starts: $(day +5)
    until: $(day +30)"
run tpucost estimate $free --format json
status "one that has not begun: 3" 3
is "why" "$(jq -r '.[0].why' stdout)" "not-started"
config "" "    starts: $(day -20)
    until: $(day +1)"
run tpucost estimate $free
has "one that ends soon" "$(flat)" "grant trc ends $(day +1) 00:00, in "

# ---- what is there already
config ""
run tpucost estimate -- gcloud compute tpus tpu-vm create good --zone=europe-west4-a --accelerator-type=v3-8 --version=v --project=lab-one
has "a name that is taken" "$err" "there is already a tpu good in europe-west4-a: the command would fail; estimated as one more"
has "it is one more all the same" "$out" "(3 of 5 v3-8"

# ---- inventory that is old, or none
sqlite3 t.db "UPDATE source_status SET last_success = last_success - 90000"
run tpucost estimate $free
status "old data" 0
has "is called old" "$(flat)" "ago: out of date; run: tpucost collect"
rm -f t.db*
run tpucost estimate $free
status "no database: 0" 0
has "all of the grant is thought to be free" "$out" "(4 of 5 v3-8 in europe-west4-a remain)"
has "it is said" "$(flat)" "no source was polled yet: the configuration and list prices only; running resources, which use grants and quotas, are unknown"
is "none was made" "$(ls t.db* 2>/dev/null)" ""
config "rules: [{name: big, on: resources, where: \"kind = 'vm' AND vcpus >= 64\"}]"
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
status "rules are judged all the same: 3" 3
unset TPUCOST_CONFIG
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
status "no configuration: 0" 0
has "the price is known" "$out" "PAID: 0.0950 USD/h"
has "it is said what is not" "$err" "note: no configuration: grants and budgets are unknown"
run tpucost estimate $free
status "without grants no TPU is free: 3" 3
run tpucost estimate $free --config none.yaml
status "one that was asked for must be there: 2" 2
