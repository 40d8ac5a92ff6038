# `quota --held`: resources that hold TPU quota without use, since when, and the command that frees it; tpu-leftover has the chips.
. "$ROOT/tests/cli/lib.sh"

write_world held "us-east5-a, europe-west4-a" <<'EOW'
nodes:
  - {project: lab-one, zone: europe-west4-a, name: gone, type: v3-8, state: PREEMPTED, created: -10h}
  - {project: lab-one, zone: europe-west4-a, name: works, type: v3-8, created: -10h}
  - {project: lab-one, zone: europe-west4-a, name: off, type: v3-8, state: STOPPED, created: -10h}
  - {project: lab-one, zone: europe-west4-a, name: mine, type: v3-8, state: STOPPED, created: -10h, labels: {tpucost-keep: "true"}}
  - {project: lab-one, zone: us-east5-a, name: twin-node, type: v6e-8, state: PREEMPTED, queued: twin, provisioning: spot, created: -2h}
queued:
  - {project: lab-one, zone: us-east5-a, name: hung, type: v6e-8, state: SUSPENDED, spot: true, created: -3d}
  - {project: lab-one, zone: us-east5-a, name: twin, type: v6e-8, state: SUSPENDED, spot: true, node: twin-node, created: -2h}
  - {project: lab-one, zone: us-east5-a, name: waits, type: v6e-16, state: WAITING_FOR_RESOURCES, spot: true, created: -3d}
groups:
  # half deleted: 6 of 16 hosts are left, with 24 chips
  - {project: lab-one, zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 8x8, target: 16, hosts: 6, provisioning: spot, created: -5h}
limits:
  - {project: lab-one, service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
  - {project: lab-one, quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "40"}
  - {project: lab-one, quota: TPUV6EPreemptiblePerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v6e-preemptible, zone: us-east5-a, value: "64"}
EOW
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}]"
run tpucost collect
status "collected" 0

# COLUMNS [WHERE]: of what holds quota
holds() { tpucost quota --held -q --format json --where "${2:-1}" --sort-by "family, name" | jq -c ".[] | [$1]"; }
# the command that the field of that name has
free() { tpucost quota --held -q --format json --where "name = '$1'" | jq -r '.[].delete_command'; }

is "what holds each quota" "$(holds ".name, .kind, .state, .family, .pool, .quota, .zone, .chips, .exempt")" \
	'["gone","tpu","preempted","v3","on-demand","tpu-v3s","europe-west4-a",4,0]
["mine","tpu","stopped","v3","on-demand","tpu-v3s","europe-west4-a",4,1]
["off","tpu","stopped","v3","on-demand","tpu-v3s","europe-west4-a",4,0]
["hung","queued","suspended","v6e","preemptible","tpu-v6e-preemptible","us-east5-a",8,0]
["pod","tpu","running","v6e","preemptible","preemptible_tpu_v6e","us-east5-a",24,0]
["twin-node","tpu","preempted","v6e","preemptible","tpu-v6e-preemptible","us-east5-a",8,0]'
is "the chips of each quota are those of quota" \
	"$(tpucost sql --format csv "SELECT quota, SUM(chips) AS held FROM quota_holds GROUP BY metric ORDER BY metric")" \
	"$(tpucost sql --format csv "SELECT quota, held FROM quotas WHERE pool IS NOT NULL ORDER BY metric")"
is "the chips are there" "$(tpucost sql --format json "SELECT held FROM quotas WHERE pool IS NOT NULL ORDER BY metric" | jq -c 'map(.held)')" "[24,12,16]"
is "a node goes with its queued resource" "$(free twin-node)" \
	"gcloud compute tpus queued-resources delete twin --zone=us-east5-a --project=lab-one --force"
is "a group is resized" "$(free pod)" \
	"gcloud compute instance-groups managed resize pod --size=0 --zone=us-east5-a --project=lab-one"
is "the same commands as for an end of the cost" "$(free hung)" "$(tpucost why lab-one/queued/us-east5-a/hung | tr -d '\\\n' | tr -s ' ' | grep -o 'gcloud compute tpus queued-resources delete .* --force')"
is "what is exempt has none" "$(free mine)" null
tpucost hold gone --until "$(day 3)" >/dev/null
is "nor has what is on hold" "$(free gone)" null
tpucost hold remove gone >/dev/null
is "until then" "$(free gone)" "gcloud compute tpus tpu-vm delete gone --zone=europe-west4-a --project=lab-one"

# how long: at least since it was first seen so
set_clock $((NOW + 7200))
curl -fsS -X POST --data-binary "nodes: [{name: works, state: PREEMPTED}]" "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q
set_clock =$((NOW + 9000))
is "how long" "$(holds '.name, (.held_hours * 10 | round), .age_hours > 9' "kind = 'tpu' AND family = 'v3' AND exempt = 0")" \
	'["gone",25,true]
["off",25,true]
["works",5,true]'
is "since a time" "$(tpucost quota --held -q --format json --since "$(at 7000)" | jq -r '.[].name')" works
run tpucost quota --held --format table
has "the table" "$(echo $out)" "hung queued lab-one us-east5-a suspended v6e-8 v6e preemptible tpu-v6e-preemptible 8 2.5 - no gcloud compute tpus queued-resources delete hung"

# the alert has the chips that deleting it frees
tpucost run --once -q
is "the alert has the chips" "$(tpucost alerts -q --format json --where "rule = 'tpu-leftover'" --sort-by subject | jq -c '.[] | [.subject, .value]')" \
	'["lab-one/queued/us-east5-a/hung",8]
["lab-one/queued/us-east5-a/twin",0]
["lab-one/tpu/europe-west4-a/gone",4]
["lab-one/tpu/europe-west4-a/works",4]
["lab-one/tpu/us-east5-a/twin-node",8]'
has "in words" "$(tpucost alerts -q --format json --where "subject LIKE '%hung'" | jq -r '.[].summary')" \
	"queued hung (us-east5-a) is suspended and still listed; it may hold quota until it is deleted (chips: 8)."

# what is not known is no 0
curl -fsS -X POST --data-binary "unreachable: {tpu: [us-east5-a]}" "$url/_sandbox/world/patch" >/dev/null
run tpucost collect -q
status "a zone is not reached" 4
run tpucost quota --held
has "then the list may lack some" "$err" "note: what holds some quotas is not completely known"

# nor is a quota that nobody could read
rm t.db*
curl -fsS -X POST --data-binary "unreachable: {}" "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q tpu queued
run tpucost quota --held
is "no quota was read" "$out" "Nothing is known to hold quota without use."
