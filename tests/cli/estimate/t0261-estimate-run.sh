# Runs that end by themselves: the cost until then, of all that ends, and of what remains.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-estimate.sh"
set_clock "=2026-11-18T10:00:00Z"
url=http://127.0.0.1:1
config_with "[32 flex-start Cloud TPU v6e chips in zone us-east5-a]" "" "    starts: 2026-11-01
    until: 2026-11-18T12:00:00Z"
ask() { # COMMAND
	run tpucost estimate -q --format json -- $1
	rows=$(jq -r '.[] | "\(.kind) \(.ends) \(.gross_per_run) \(.net_per_run)"' stdout)
	run tpucost estimate -q -- $1
	said=$(flat)
}
TPU="gcloud compute instances create x --zone=us-east5-a --machine-type=ct6e-standard-4t --boot-disk-type=pd-ssd --boot-disk-size=73 --no-address"

ask "$TPU --provisioning-model=FLEX_START --max-run-duration=1h30m"
is "it ends before its grant" "$rows" "tpu 2026-11-18T11:30:00Z 8.1 0
disk 2026-11-18T11:30:00Z 0.0255 0.0255"
has "with its disk" "$said" "run for 90m: 0.0255 USD, list price 8.13 USD; then it is deleted quota"
has "instead of a month" "$said" "gross_per_hour net_per_hour gross_per_run net_per_run currency"
ask "$TPU --provisioning-model=FLEX_START --max-run-duration=4h"
is "it runs on after the end of its grant" "$rows" "tpu 2026-11-18T14:00:00Z 21.6 10.8
disk 2026-11-18T14:00:00Z 0.068 0.068"
has "which costs" "$said" "run for 4 h: 10.87 USD, list price 21.67 USD; then it is deleted"

VM="gcloud compute instances create x --zone=us-central1-a --machine-type=n1-standard-1 --boot-disk-size=73"
ask "$VM --termination-time=2026-11-19T10:00:00Z"
is "stopped, the default: its disk stays, its address does not" "$rows" "vm 2026-11-19T10:00:00Z 1.139994 1.139994
disk null 0.096 0.096
ip 2026-11-19T10:00:00Z 0.12 0.12"
has "and costs" "$said" "run for 24 h: 1.36 USD; then it is stopped, and its disks still cost 0.0040 USD/h prices"
ask "$VM --max-run-duration=2h --instance-termination-action=DELETE --no-boot-disk-auto-delete"
has "deleted without its disk" "$said" "run for 2 h: 0.11 USD; then it is deleted, and its disks still cost 0.0040 USD/h prices"
ask "$VM --max-run-duration=10h --create-disk=size=1000,type=pd-ssd,auto-delete=no --instance-termination-action=DELETE"
has "the run of a disk that remains" "$said" "run for 10 h: 2.89 USD; then it is deleted, and its disks still cost 0.23 USD/h prices"
ask "$VM --max-run-duration=10h --boot-disk-type=hyperdisk-balanced"
has "a disk without a price" "$said" "run for 10 h: at least 0.52 USD; then it is stopped, and its disks still cost an unknown price rule"
run tpucost estimate -- $VM --termination-time=2026-11-17T10:00:00Z
has "an end in the past" "$err" "note: it would end in the past: Google refuses the command"
is "is none" "$(flat | grep -c ' run for ')" 0
ask "gcloud compute tpus queued-resources create q --node-id=n --zone=us-east5-a --accelerator-type=v6e-16 --provisioning-model=FLEX_START --max-run-duration=5h --valid-after-time=2026-11-18T11:00:00Z"
is "from its requested start" "$rows" "tpu 2026-11-18T16:00:00Z 108 86.4"
ask "gcloud compute disks create d --zone=us-central1-a --size=73"
is "no end is known" "$rows" "disk null null null"

# ---- when its grant ends: a renewal continues it, or an older TPU moves into the grant of a younger one
grants() { # LINE OF THE SECOND GRANT
	config_with "[4 flex-start Cloud TPU v6e chips in zone us-east5-a]" "  - {name: long, until: 2026-12-18, tpus: [4 flex-start Cloud TPU v6e chips in us-east5-a], $1}" "    starts: 2026-11-01
    until: 2026-11-18T12:00:00Z"
}
QUEUED="gcloud compute tpus queued-resources create q --zone=us-east5-a --accelerator-type=v6e-4 --provisioning-model=FLEX_START --max-run-duration=5h"
grants "starts: 2026-11-18T12:00:00Z, extends: trc"
ask "$QUEUED --node-id=n"
is "a renewal pays" "$rows" "tpu 2026-11-18T15:00:00Z 27 0"
has "and is said" "$said" "grant trc ends 2026-11-18 12:00, in 2h; then another grant covers it run for 5 h: nothing"
ask "$QUEUED --node-id=n --valid-after-duration=3h"
is "from its start" "$rows" "tpu 2026-11-18T18:00:00Z 27 0"
has "which is in it" "$said" "FREE: covered by grant long (0 of 4 v6e chips in us-east5-a remain)"
grants "starts: 2026-11-01"
printf '%s\n' "$QUEUED --node-id=a" "$QUEUED --node-id=b" >text
run tpucost estimate -q - <text
said=$(flat)
has "the end of the first" "$said" "grant long covers it until 2026-11-18 12:00, in 2h; from then on 1 v6e-4 costs 5.40 USD/h run for 5 h: 16.20 USD, list price 54.00 USD"
