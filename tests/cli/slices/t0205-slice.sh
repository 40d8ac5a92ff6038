# acts
# A slice that is a managed instance group is deleted as a whole, by resizing its group to 0, or not at all.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: slices
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central1-c]
groups:
  - {zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 8x8, target: 16, hosts: 16, created: -3h}
  - {zone: us-central1-c, name: wide, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, regional: true,
     created: -3h}
  - {zone: us-east5-a, name: half, type: ct6e-standard-4t, topology: 4x8, target: 8, hosts: 3, created: -3h}
  - {zone: us-east5-a, name: auto, type: ct6e-standard-4t, topology: 2x4, target: 2, hosts: 2, created: -3h, autoscaling: true}
  - {zone: us-east5-a, name: loose, type: ct6e-standard-1t, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: gke, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h,
     labels: {goog-k8s-cluster-name: c, goog-gke-tpu-node-pool-type: multi-host}}
operations: {looks: 1, seconds: 0s}
W
config() { # ACTION
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'tpu'" "$1")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, max_deletes_per_hour: 5}"
	rm -f t.db* told.jsonl
}
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
changes() { jq -r 'select(.mutating) | .method + " " + .path + " " + (.query | sub("&.*"; ""))' requests | sort; }
state() { sqlite3 t.db "SELECT name, state, held, reason FROM action WHERE name LIKE '${1:-%}' ORDER BY name"; }
set_clock =$NOW
start_sandbox world.yaml

# ---- the commands before the end of a grant reach every host
config_one "grants: [{name: trc, starts: $(day -9), until: $(day +2), new_only: false, tpus: [256 on-demand Cloud TPU v6e chips in zone us-east5-a, 16 on-demand Cloud TPU v6e chips in zone us-central1-c]}]"
tpucost collect -q >/dev/null 2>&1
tpucost grant plan >plan
mkdir bin
cat >bin/gcloud <<'G'
#!/bin/sh
case "$*" in
*list-instances*) printf '%s\n' "$5-0001" "$5-0002" ;;
*) printf '%s\n' "$*" >>"$CALLED" ;;
esac
G
chmod +x bin/gcloud
sed -n 's/^  \(for host in .*\)/\1/p' plan | sort -u >loops
CALLED=$work/called PATH=$work/bin:$PATH sh loops
is "each host by its own name" "$(grep 'pod-0002' called)" \
	"compute ssh pod-0002 --zone=us-east5-a --project=lab-one --command=gcloud storage cp -r ~/OUTPUT gs://BUCKET/pod/\$(hostname)/
compute scp --recurse pod-0002:~/OUTPUT ./pod/pod-0002/ --zone=us-east5-a --project=lab-one"
has "of a group in several zones those of its zone" "$(cat loops)" \
	"list-instances wide --region=us-central1 --project=lab-one --filter='instance~/zones/us-central1-c/' --format"
config_one "grants: [{name: small, starts: $(day -9), until: $(day +9), new_only: false, tpus: [8 on-demand Cloud TPU v6e chips in zone us-central1-c]}]"
tpucost collect -q >/dev/null 2>&1
has "a grant that is smaller than the slice is not full" "$(tpucost alerts --format json)" \
	"TPUs in us-central1-c need more v6e chips than grant small has left: 8 of 8 are free."
rm -f t.db*


config "action: stop"
run tpucost run --once
is "a slice cannot be stopped" "$(state pod)" "pod|pending|kind|a TPU slice of several hosts cannot be stopped, only deleted"
is "nor a machine of a group" "$(state loose-0001)" \
	"loose-0001|pending|kind|a managed instance group cannot be stopped, only deleted"
is "nothing was sent" "$(changes)" ""

# ---- no act: one host is missing, or is another one; the group cannot be seen, or changed
config "action: delete, allow_delete: true"
run tpucost collect
patch "instances: [{name: pod-0007, zone: us-east5-a, status: REPAIRING}, {name: wide-0002, zone: us-central1-c, type: ct6e-standard-8t}]"
act() { run tpucost run --once; run tpucost run --once; run tpucost run --once; }
act
is "not while a host is missing" "$(state pod)" "pod|recheck|state|its state is 15 of 16 RUNNING: it is not deleted in that state"
is "nor a group of different machines" "$(state wide)" \
	"wide|recheck|look|could not ask Google for its state: get managed instance group: its machines are not alike"
is "half a slice, single machines and node pools are left alone" "$(state | grep -v '^pod\|^wide')" \
	"auto|failed||never acted on: it belongs to an autoscaler, which would create its machines again
gke|pending|managed|it belongs to a GKE cluster
half|pending|state|its state is 3 of 8 RUNNING: it is not deleted in that state
loose-0001|pending|managed|it belongs to the managed instance group loose
loose-0002|pending|managed|it belongs to the managed instance group loose"
is "nothing was sent to any" "$(changes)" ""
patch "instances: [{name: pod-0007, zone: us-east5-a, status: RUNNING}, {name: wide-0002, zone: us-central1-c, type: ct6e-standard-4t}]
unreachable: {compute: [us-central1-c]}"
act
has "nor while a zone cannot be seen" "$(state pod) $(state wide)" "no answer from us-central1-c"
is "nothing was sent then" "$(changes)" ""
patch "unreachable: {}
groups: [{name: pod, zone: us-east5-a, id: '77'}]"
faults '[{match: "POST /compute/v1/projects/lab-one/regions", status: 403, reason: forbidden, times: 1}]'
act
is "another group has its name" "$(state pod | head -1)" "pod|superseded||a live check found that another machine has its name now"
has "a refused resize" "$(state wide)" "wide|failed||"
has "names the permission" "$(state wide)" "compute.instanceGroupManagers.update"
is "it was asked once" "$(changes)" \
	"POST /compute/v1/projects/lab-one/regions/us-central1/instanceGroupManagers/wide/resize size=0"

# ---- all hosts, once: also if the reply is lost, or the operation fails
curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
faults '[{match: "POST /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/pod", how: lost, times: 1}]'
: >requests
config "action: delete, allow_delete: true"
act
set_clock =$((NOW + 120))
act
is "all hosts at once, and only once" "$(changes)" \
	"POST /compute/v1/projects/lab-one/regions/us-central1/instanceGroupManagers/wide/resize size=0
POST /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/pod/resize size=0"
is "with a request id" "$(jq -r 'select(.mutating) | .query' requests | grep -c 'requestId=[0-9a-f-]\{36\}')" 2
is "they are deleted" "$(state pod) $(state wide)" "pod|done||deleted; no list contains it any longer; freed 64 v6e chips of quota in us-east5 wide|done||deleted; no list contains it any longer; freed 16 v6e chips of quota in us-central1"
is "the others run" "$(tpucost ps --columns name --format csv | tr -d '\r' | tail -n +2 | sort | tr '\n' ' ')" "auto gke half loose-0001 loose-0002 "
is "how to create it again" "$(sqlite3 t.db "SELECT restart FROM action WHERE name = 'wide'")" \
	"gcloud compute instance-groups managed resize wide --project=lab-one --region=us-central1 --size=4"
act
is "nothing is sent again" "$(changes | wc -l)" 2
