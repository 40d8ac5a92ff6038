# What an answer of estimate may not do: call free what is hidden or what has no room, lose a rule that forbids,
# round before it multiplies, or advise a command that would not be free.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: honest
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-b, europe-west4-a, us-west4-a]
nodes:
  - {zone: europe-west4-a, name: runs, type: v3-8, created: -10h}
  - {zone: europe-west4-a, name: comes, type: v3-8, state: CREATING, created: -1m}
  - {zone: europe-west4-a, name: zz-ahead, type: v3-8, created: +10m}
W
start_sandbox "$work/world.yaml"
. "$ROOT/tests/cli/lib-estimate.sh"
config() { # [LINES [HOW MANY]]
	config_with "[${2:-4} on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a, 8 spot Cloud TPU v5litepod chips in zone us-west4-a]" "${1:-}"
}
config
run tpucost collect -q
status "collected" 0
ours="gcloud compute tpus create ours --zone=europe-west4-a --accelerator-type=v3-8"

# ---- room: what is being created takes it, and what a clock ahead of ours created is older all the same
run tpucost estimate --tpu v3-8 --zone europe-west4-a
status "the last one: 0" 0
has "none is left then" "$out" "(0 of 4 v3-8 in europe-west4-a remain)"
run tpucost estimate --tpu v3-8:2 --zone europe-west4-a
status "one too many: 3" 3
config "" 3
run tpucost estimate --tpu v3-8 --zone europe-west4-a
status "one that is being created has the last: 3" 3
config "" 2
run tpucost estimate --tpu v3-8 --zone europe-west4-a
status "nor is there room beside two: 3" 3
config

# ---- what stands behind something that is not understood
hides() { # NAME COMMAND
	printf '%s\n%s\n' "$2" "$ours" >text
	run tpucost estimate - <text
	status "$1: 2" 2
	has "$1: said" "$err" "resources created through"
	is "$1: no answer" "$out" ""
}
theirs="gcloud compute tpus create theirs --zone=us-central1-a --accelerator-type=v3-8"
hides "a repetition" "seq 4 | xargs -I{} $theirs"
hides "a shell" "bash -c \"$theirs\""
for c in "timeout 60" "sudo -u me"; do
	printf '%s %s\n%s\n' "$c" "$theirs" "$ours" >text
	run tpucost estimate - <text
	status "$c is read through: 3" 3
done
printf 'echo %s\n%s\n' "$theirs" "$ours" >text
run tpucost estimate - <text
status "what only prints it creates nothing: 0" 0
run tpucost estimate -- gcloud compute tpus tpu-vm create x --zone=us-west4-a --accelerator-type=v5litepod-4 --spot --no-spot
status "the last one of a switch counts: 3" 3

# ---- rules: what others hold for does not crowd out the one that forbids
config "rules:
  - {name: seen, on: resources, where: \"kind = 'vm'\", severity: info}
  - {name: big, on: resources, where: \"kind = 'vm' AND vcpus >= 64\", severity: warning}"
run tpucost estimate --vm n1-highmem-96:60 --zone us-central1-b
status "60 of them: 3" 3
has "by which rule" "$out" "NO: it violates your rule big;"
config

# ---- prices are multiplied first: 800 x 0.17; 3 x 10 x 0.04; 0.17 x 100 x 2 and 4 x 10 x 0.04
months() {
	jq -c '[.[] | select(.kind == "disk") | .net_per_month]' stdout
}
run tpucost estimate --disk pd-ssd:800 --zone us-central1-b --format json
is "a month of a disk" "$(months)" "[136]"
is "a day" "$(jq -c '.[0].gross_per_day' stdout)" 4.471232877
run tpucost estimate --format json -- gcloud compute instances create a b c --zone=us-central1-b
is "of three" "$(months)" "[1.2]"
run tpucost estimate --format json -- gcloud compute disks create d --replica-zones=us-central1-a,us-central1-b --type=pd-ssd --size=100
is "of one in two zones" "$(jq -c '[.[] | [.location, .net_per_month]]' stdout)" '[["us-central1",34]]'
run tpucost estimate --format json -- gcloud compute instances bulk create --count=4 --name-pattern=x-# --region=us-central1
is "of machines in a zone that Google picks" "$(months)" "[1.6]"
run tpucost estimate --format json --vm n1-highmem-96:3 --zone us-central1-b
is "of machines" "$(jq -c '.[0].net_per_month' stdout)" 12436.01136 # 3 x 730 x (96 x 0.031611 + 624 x 0.004237)

# ---- the command with which it would be free
command_of() {
	sed -n '/^instead/,/^[^ ]/p' stdout | sed -n 's/^  *\(gcloud\|tpucost\|sudo\)/\1/p'
}
run tpucost estimate "gcloud compute tpus tpu-vm create \$TPU_NAME --zone us-central1-a --accelerator-type v3-8 --version=\${VERSION} --spot"
is "of one text, with its variables" "$(command_of)" \
	'gcloud compute tpus tpu-vm create "$TPU_NAME" --zone=europe-west4-a --accelerator-type v3-8 --version="${VERSION}"'
printf 'export Z=us-central1-a\n$ gcloud compute tpus create "x; y" \\\n  --zone $Z --accelerator-type v3-8\ngcloud compute tpus list\n' >text
run tpucost estimate - <text
is "of standard input" "$(command_of)" "gcloud compute tpus create 'x; y' --zone=europe-west4-a --accelerator-type v3-8"
printf '%s\n%s\n' "$theirs" "$ours" >text
config "" 5
run tpucost estimate - <text
is "none of two" "$(command_of)" ""
has "but the flag" "$out" "instead theirs in us-central1-a is free with --zone=europe-west4-a (grant trc)"
config
run tpucost estimate 'gcloud compute tpus create $(whoami) --zone us-central1-a --accelerator-type v3-8'
is "none with what only a shell knows" "$(command_of)" ""
run tpucost estimate --vm tpu9z-standard-8t --zone us-central1-a --format json
is "a machine of an unknown family is a TPU with the chips of its name, and never free" \
	"$(jq -c '.[0] | [.kind, .chips, .why, .net_per_hour]' stdout)" '["tpu",8,"family-unknown",null]'
run tpucost estimate -- gcloud compute instances create m --zone=us-west4-a --machine-type=ct5lp-hightpu-4t
is "a machine's class" "$(command_of)" \
	"gcloud compute instances create m --zone=us-west4-a --machine-type=ct5lp-hightpu-4t --provisioning-model=SPOT"
run tpucost estimate -- gcloud compute tpus tpu-vm create x --provisioning-model SPOT --zone=europe-west4-a --accelerator-type=v3-8
is "the class by its other flag" "$(command_of)" \
	"gcloud compute tpus tpu-vm create x --zone=europe-west4-a --accelerator-type=v3-8"
run tpucost estimate --tpu v3-8 --vm n1-standard-2 --disk pd-ssd:10 --ip --spot --zone us-central1-a --project lab-one
is "of options" "$(command_of)" \
	"tpucost estimate --tpu v3-8 --vm n1-standard-2 --disk pd-ssd:10 --ip --zone europe-west4-a --project lab-one"
run tpucost estimate -- gcloud compute tpus tpu-vm create x --reserved --zone=europe-west4-a --accelerator-type=v3-8
has "what to leave out" "$out" "instead free without --reserved (grant trc)"
has "its price is not that on demand" "$out" "NOT FREE: an unknown price"
has "but its own" "$err" "note: a reservation has its own price; set it under prices: with provisioning: reserved"

# ---- what starts after the grant has ended
queued="gcloud compute tpus queued-resources create q --node-id=n --zone=europe-west4-a --accelerator-type=v3-8"
# shellcheck disable=SC2086 # words of a command
run tpucost estimate -- $queued --valid-after-time="$(day 5 %Y-%m-%dT00:00:00Z)"
status "it starts within the grant: 0" 0
# shellcheck disable=SC2086
run tpucost estimate -- $queued --valid-after-time="$(day 40 %Y-%m-%dT00:00:00Z)"
status "it starts after it: 3" 3
has "why" "$(tr -s '\n ' '  ' <stdout)" "; the grant of v3-8 in europe-west4-a (trc) ends $(day 10), in 9 days; this starts $(day 40) 00:00"
# shellcheck disable=SC2086
run tpucost estimate -- $queued --valid-after-duration=5d
status "it waits within the grant: 0" 0
# shellcheck disable=SC2086
run tpucost estimate -- $queued --valid-after-duration=20d12h
status "it waits longer: 3" 3
has "why" "$(tr -s '\n ' '  ' <stdout)" "; the grant of v3-8 in europe-west4-a (trc) ends $(day 10), in 9 days; this starts "
for start in time="$(day 40)" time=tomorrow time=+P40D duration=P40D duration=40x duration=; do
	# shellcheck disable=SC2086
	run tpucost estimate -- $queued "--valid-after-$start"
	status "a start that is not understood, $start: 2" 2
	is "no answer to $start" "$out" ""
done

# ---- disks that a machine is created with: in two zones, and of an unknown size
run tpucost estimate --format json -- gcloud compute instances create m --zone=us-central1-a --create-disk=type=pd-ssd,size=100,replica-zones=us-central1-b --create-disk=type=pd-ssd,source-snapshot=s
is "the price of two zones, and no price" "$(jq -c '[.[] | select(.type == "pd-ssd") | .location, .size_gib, .gross_per_month]' stdout)" \
	'["us-central1",100,34,"us-central1-a",null,null]'

# ---- rows say what they rest on, too
sqlite3 t.db "UPDATE source_status SET last_success = last_success - 90000"
run tpucost estimate --tpu v3-8 --zone europe-west4-a --format json
has "old data" "$err" "note: the inventory is 25h old; run: tpucost collect"
run tpucost estimate --tpu v3-8 --zone europe-west4-a --format json -q
is "quiet" "$err" ""
rm -f t.db*
run tpucost estimate --tpu v3-8 --zone europe-west4-a --format json
has "none" "$err" "note: no source was polled yet: running resources, which use grants and quotas, are unknown"
