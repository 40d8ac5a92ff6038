# Zones and types are checked where they are written: the built-in list first, Google's once it was polled.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: zones
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a, us-central1-a]
nodes: [{zone: europe-west4-a, name: runs, type: v3-8, created: -10h}]
limits:
  - {quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "40"}
  - {quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, value: "0", locations: [europe-west4-q, us-central1-a]}
W
start_sandbox "$work/world.yaml"
config() { # LINE OF THE GRANT [MORE]
	cat >tpucost.yaml <<C
timezone: UTC
projects: [lab-one]
credentials: service-account.json
database: t.db
grants:
  - name: trc
    starts: $(day -20)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU $1
endpoints: {all: "$url"}
${2:-}
C
}
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
v3="europe-west4-a, us-central1-a, us-central1-b, us-central1-f, us-east1-d"
old="(list of 2026-06-05); if Google has added the zone since, run: tpucost collect quotas; or give its price under prices:"

# ---- without a poll
config "v3-8 device(s) in zone europe-west4-z"
run tpucost check
is "a letter that no zone has: status" "$rc" 2
is "a letter that no zone has" "$err" \
	"$TPUCOST_CONFIG:10:9: there is no zone europe-west4-z; v3-8 exists in $v3 $old"
run tpucost estimate --tpu v3-8 --zone europe-west4-z
is "estimate" "$rc:$err" "2:tpucost: estimate: there is no zone europe-west4-z; v3-8 exists in $v3 $old"
run tpucost estimate --tpu v3-32 --zone europe-west4-z
has "pods have other zones" "$err" "; v3-32 exists in europe-west4-a, us-east1-d (list"
run tpucost estimate -- gcloud compute tpus tpu-vm create x --accelerator-type v6e-8 --zone us-south1-ai1 --version v
has "a pasted command" "$err" "there is no zone us-south1-ai1; v6e-8 exists in us-south1-a, us-south1-ai1b, us-south1-c, "
has "lists the nearest of many" "$err" " and 16 more (list of"
run tpucost estimate --vm n1-standard-2 --zone europe-west4-z
has "a machine" "$rc:$err" "2:tpucost: estimate: there is no zone europe-west4-z; zones with a similar name: europe-west4-a, europe-west4-b"
has "a machine: where it exists" "$err" "; n1-standard-2 exists in europe-west4, "
run tpucost estimate --vm n1-standard-2 --zone europe-wst4-a
has "a region" "$err" "there is no zone europe-wst4-a; zones with a similar name: europe-west4-a, "
run tpucost estimate --disk pd-ssd:100 --zone europe-wst4-a --format json
has "a disk" "$rc:$out:$err" "2::tpucost: estimate: there is no zone europe-wst4-a; "
has "a disk: where it exists" "$err" "; pd-ssd exists in europe-west4, "
run tpucost estimate --vm n1-standard-2 --zone europe-west4-c
status "a zone without TPUs" 0
config "v3-8 device(s) in zone europe-west4-b"
run tpucost check
is "a zone of other types: status" "$rc" 0
has "a zone of other types" "$err" \
	"warning: $TPUCOST_CONFIG:10:9: v3-8 does not exist in europe-west4-b; it exists in $v3 $old"
run tpucost check --strict
status "a zone of other types, strictly" 3
run tpucost estimate --tpu v3-8 --zone us-west4-a
is "is not free there: status" "$rc" 3
has "and it is said" "$err" "note: v3-8 does not exist in us-west4-a; it exists in "
run tpucost estimate --tpu v3-9 --zone europe-west4-a
is "estimate: a type" "$rc:$err" "2:tpucost: --tpu: there is no TPU type 'v3-9'; did you mean 'v3-8'?"
config "v3-9 device(s) in zone europe-west4-a"
run tpucost check
is "a type" "$rc:$err" "2:$TPUCOST_CONFIG:10:9: grant line: there is no TPU type v3-9; did you mean 'v3-8'?"
config "v3-8 device(s) in zone us-south1-q" 'prices: [{tpu: v3, zone: us-south1-q, per_chip_hour: 2 USD}]'
run tpucost check
is "a zone whose price is configured" "$rc:$err" 0:

mail() {
	printf 'Your project lab-one-1 has access to this quota free of charge for 30 days:\n5 on-demand Cloud TPU v3-8 device(s) in zone %s\n' \
		"$1" >mail
	run tpucost grant import mail --starts "$(day -20)"
}
rm tpucost.yaml
mail europe-west4-z
is "a mail is checked like the configuration: status" "$rc:$out" 3:
has "a mail is checked like the configuration" "$err" "mail: line 2: there is no zone europe-west4-z; v3-8 exists in $v3 (list of"
has "and after the line, if the list is too old" "$err" \
	": '5 on-demand cloud tpu v3-8 device(s) in zone europe-west4-z'; if Google has added the zone since, run: tpucost collect quotas"
mail europe-west4-b
is "a zone of other types" "$rc:$(echo "$err" | grep -c '^warning: line 2: v3-8 does not exist in europe-west4-b; it exists in ')" 0:1
mail europe-wst4-a
is "no region: status" "$rc:$out" 3:
has "no region" "$err" "mail: line 2: there is no zone europe-wst4-a; v3-8 exists in $v3"

# ---- nothing that runs is stopped by it
config "v3-8 device(s) in zone europe-west4-z"
run tpucost collect instances -q
is "collect" "$rc:$err" 0:
run tpucost status
has "status" "$(echo "$out" | tr -s ' \n' ' ')" "Check grant trc: there is no zone europe-west4-z; v3-8 exists in europe-west4-a"
run tpucost grant list
has "grant list" "$err" "note: trc, v3 on-demand in europe-west4-z: there is no zone europe-west4-z; v3-8 exists in $v3 $old"
run tpucost status --format json
has "and the report" "$out" "there is no zone europe-west4-z"

# ---- Google's list
run tpucost collect -q
is "collect all" "$rc:$err" 0:
run tpucost check
is "not in Google's list either" "$rc:$err" \
	"2:$TPUCOST_CONFIG:10:9: there is no zone europe-west4-z; v3-8 exists in europe-west4-a, europe-west4-q, us-central1-a, us-central1-b, us-central1-f, us-east1-d"
mail europe-west4-z
is "nor in a mail" "$rc:$out" 3:
config "v3-8 device(s) in zone europe-west4-b"
run tpucost check
has "Google has that type in other zones" "$rc:$err" "2:$TPUCOST_CONFIG:10:9: v3-8 does not exist in europe-west4-b; it exists in "
mail europe-west4-b
is "nor in a mail does it" "$rc:$out" 3:
has "with those zones" "$err" "mail: line 2: v3-8 does not exist in europe-west4-b; it exists in "
config "v3-8 device(s) in zone europe-west4-q"
run tpucost check
is "a zone that Google lists and we do not know" "$rc:$err" 0:
run tpucost grant list
case $err in *"no zone"*) flunk "grant list does not say it" ;; *) pass "grant list does not say it" ;; esac
run tpucost status
case $out in *"Check "*) flunk "nor status" ;; *) pass "nor status" ;; esac
run tpucost estimate --tpu v3-8 --zone europe-west4-q
is "estimate takes it" "$rc:$(echo "$out" | head -c 5)" "0:FREE:"
mail europe-west4-q
is "and the import" "$rc:$(echo "$err" | grep -c 'no zone')" 0:0
