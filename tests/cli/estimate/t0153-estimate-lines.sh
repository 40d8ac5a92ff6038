# What the first line of estimate says of a quota, and what those of budgets and rules say where nobody knows
# whether a grant pays.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: lines
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a, us-central1-b]
nodes:
  - {zone: europe-west4-a, name: runs, type: v3-8, created: -10h}
quotas:
  - {region: us-central1, metric: CPUS, limit: 64, usage: 2}
limits:
  - {quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "24"}
W
start_sandbox "$work/world.yaml"
. "$ROOT/tests/cli/lib-estimate.sh"
config() { # [LINES]
	config_with "[5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]" "$@"
}
first() { sed '/^$/,$d' stdout | tr -s '\n ' '  ' | sed 's/ kind .*//; s/ $//'; }
lines() { # LABEL: how many
	grep -c "^$1" stdout
}
config
run tpucost collect -q
status "collected" 0
zone="--zone europe-west4-a"

# ---- the quota: 8 of 24 cores are used
# shellcheck disable=SC2086 # words of a command
run tpucost estimate --tpu v3-8:2 $zone
is "what fits" "$rc $(first)" "0 FREE: covered by grant trc (2 of 5 v3-8 in europe-west4-a remain)"
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8:3 $zone
is "free without room" "$rc $(first)" \
	"0 FREE: covered by grant trc (1 of 5 v3-8 in europe-west4-a remain), but it would exceed the quota"
has "which one" "$(flat)" "quota limit 24 tpu-v3s in europe-west4-a, 8 used, 24 more exceed it"
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8:5 $zone
status "too many for the grant: 3" 3
is "a no says it in its own line alone" "$(first | grep -c quota) $(lines quota)" "0 1"
run tpucost estimate --vm n1-highmem-96 --zone us-central1-b
is "paid without room" "$rc $(first)" \
	"0 PAID: 5.68 USD/h; grants cover TPUs only, but it would exceed the quota"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b
is "paid with room" "$rc $(first)" "0 PAID: 0.0950 USD/h; grants cover TPUs only"

# ---- a project that is not watched: no sum knows what it costs
config "budgets: [{name: lab, amount: 10000 USD, starts: $(day -1), ends: $(day +30)}]
rules:
  - {name: full, on: grants, where: used_chips > 4, severity: warning}
  - {name: large, on: resources, where: \"kind = 'vm' AND vcpus >= 64\", severity: warning}"
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8 --vm n1-standard-2 $zone
is "one that is: what becomes of both" "$rc $(flat | grep -o 'budget lab: forecast') $(flat | grep -o 'rule full')" \
	"0 budget lab: forecast rule full"
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8 $zone
is "a covered TPU costs what follows its grant" "$rc $(flat | grep -o 'forecast [0-9.]* -> [0-9.]* of')" \
	"0 forecast 4224.00 -> 8448.00 of" # 20 days x 24 x 8.80, twice
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8 --vm n1-standard-2 $zone --project lab-two
status "one that is not: 3" 3
has "the budget" "$(flat)" "budget unknown: project lab-two is not watched"
has "the rules" "$(flat)" "rule unknown: project lab-two is not watched"
is "that once" "$(lines budget) $(lines rule)" "1 1"
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8 --vm n1-highmem-96 $zone --project lab-two
has "what is of the machine itself" "$(flat)" "rule large: "
has "and of what is not known" "$(flat)" "rule others are unknown: project lab-two is not watched"
run tpucost estimate --vm n1-standard-2 --zone us-central1-b --project lab-two
has "what is paid anywhere" "$(flat)" "budget lab: forecast "
is "is known" "$rc $(flat | grep -c 'not known')" "0 0"
config
# shellcheck disable=SC2086
run tpucost estimate --tpu v3-8 $zone --project lab-two
is "without budgets none is named" "$(lines budget)" 0
