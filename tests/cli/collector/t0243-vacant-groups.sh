# A managed instance group of TPUs that has no machine yet is one row, "0 of 4", without cost. It is known by its
# template, which is read once.
. "$ROOT/tests/cli/lib.sh"
pool='labels: {goog-k8s-cluster-name: train, goog-k8s-cluster-location: us-east5, goog-k8s-node-pool-name: tpus, goog-gke-tpu-node-pool-type: multi-host}'
cat >world.yaml <<W
name: vacant
projects: [{id: lab-one, number: "101"}, {id: web-two, number: "102"}]
zones: [us-east5-a, us-central1-c]
groups:
  - {zone: us-east5-a, name: pod, id: "77", type: ct6e-standard-4t, topology: 4x4, target: 4, created: -3h, provisioning: flex-start, labels: {owner: ada}}
  - {zone: us-central1-c, name: iron, type: tpu7x-standard-4t, topology: 2x2x2, target: 2, created: -3h, regional: true, provisioning: spot}
  - {zone: us-east5-a, name: gke-train-tpus-1a2b-grp, type: ct6e-standard-4t, topology: 2x4, target: 2, created: -3h, $pool}
  - {zone: us-east5-a, name: one, type: ct6e-standard-1t, target: 1, created: -3h}
  - {zone: us-east5-a, name: empty, type: ct6e-standard-4t, topology: 4x4, target: 0, created: -3h}
  - {zone: us-east5-a, name: flex, type: ct6e-standard-4t, target: 0, created: -3h, provisioning: flex-start}
  - {zone: us-east5-a, name: web, type: e2-standard-2, target: 3, created: -3h}
  - {zone: us-east5-a, name: shop, type: e2-standard-2, target: 1, hosts: 1, created: -3h}
  - {project: web-two, zone: us-east5-a, name: cloud, type: e2-standard-2, target: 1, created: -3h}
resize_requests: [{zone: us-east5-a, group: flex, name: more, by: 3, created: -1h}]
limits:
  - {service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
W
start_sandbox world.yaml
config_one
set_clock =$NOW
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
vacant() { rows "SELECT id, type, state, raw_state, hosts, target_hosts, chips, topology, made_by, provisioning, gross_per_hour, covered, why FROM resources WHERE kind = 'tpu' ORDER BY id"; }
templates() { jq -r 'select(.path | contains("instanceTemplates")) | .path | sub(".*/"; "")' requests | sort | tr '\n' ' '; }

run tpucost collect
status "it is read" 0
is "a row for each group of TPUs that is to have machines" "$(vacant)" \
	"lab-one/tpu/us-central1/iron,2 x tpu7x-standard-4t,starting,0 of 2 creating,0,2,8,2x2x2,group,spot,0,,
lab-one/tpu/us-east5-a/one,ct6e-standard-1t,starting,0 of 1 creating,0,1,1,,group,on-demand,0,,
lab-one/tpu/us-east5-a/pod,4 x ct6e-standard-4t,starting,0 of 4 creating,0,4,16,4x4,group,flex-start,0,,
lab-one/tpu/us-east5-a/tpus,2 x ct6e-standard-4t,starting,0 of 2 creating,0,2,8,2x4,pool,on-demand,0,,"
is "with the labels of its machines" "$(rows "SELECT owner FROM resources WHERE name = 'pod'")" ada
is "without cost" "$(rows "SELECT COALESCE(SUM(gross_per_hour), 0) FROM burn WHERE category = 'tpu'")" 0
is "it uses no quota" "$(rows "SELECT used, held FROM quotas WHERE pool = 'preemptible'")" "0,0"
is "a request of a group without machines is one that waits" "$(rows "SELECT id, type, chips FROM resources WHERE kind = 'queued'")" \
	"lab-one/queued/us-east5-a/more@flex,3 x ct6e-standard-4t,12"
is "the templates of groups without machines are read" "$(templates)" "empty flex gke-train-tpus-1a2b-grp iron one pod web "
run tpucost why pod
has "it says so" "$(echo "$out" | tr -s ' ' | grep -i '^ *hosts')" "hosts 0 of 4"
has "and how to end it" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" "managed resize pod --size=0 --zone=us-east5-a --project=lab-one"
run tpucost collect
is "once" "$(templates | wc -w)" 7

# ---- it gets its machines, loses them, and ends
patch "instances: [$(for i in 1 2 3; do printf '{zone: us-east5-a, name: pod-000%s, type: ct6e-standard-4t, provisioning: flex-start, created: now, created_by: projects/101/zones/us-east5-a/instanceGroupManagers/pod},' $i; done)]"
set_clock =$((NOW + 600))
run tpucost collect
is "the same row runs" "$(vacant | grep /pod)" \
	"lab-one/tpu/us-east5-a/pod,3 x ct6e-standard-4t,running,3 of 4 RUNNING,3,4,12,4x4,group,flex-start,16.2,0,no-grant"
patch "remove: {instances: [{name: pod-0001}, {name: pod-0002}, {name: pod-0003}]}"
set_clock =$((NOW + 1200))
run tpucost collect
is "machines that are gone are waited for" "$(vacant | grep /pod | cut -d, -f3-6)" "starting,0 of 4 creating,0,4"
is "it cost only in between" "$(sqlite3 t.db "SELECT state, ends IS NULL FROM resource_interval WHERE name = 'pod' ORDER BY starts")" \
	"starting|0
running|0
starting|1"
patch "groups: [{zone: us-east5-a, name: pod, target: 0}]"
run tpucost collect
is "an emptied group is not listed" "$(vacant | grep -c /pod)" 0

# ---- no rule acts on one; without the permission they are not shown
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'tpu'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, gke: true}"
for i in 1 2 3; do run tpucost run --once; done
is "no rule acts on one" "$(sqlite3 t.db "SELECT DISTINCT state, held, reason FROM action WHERE name = 'one'")" \
	"pending|state|its state is 0 of 1 creating: it is not deleted in that state"
is "nothing is sent" "$(jq -c 'select(.mutating)' requests)" ""
rm -f t.db*
patch 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.*.list", "compute.instanceGroupManagers.get", "compute.projects.get", "compute.regions.list", "tpu.*.*"]}]'
run tpucost collect
is "without the permission they are not shown" "$(vacant)" ""
has "and it is said" "$(rows "SELECT error FROM sources WHERE source = 'slice'")" "groups without machines are not shown: "
rm -f t.db*
patch 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.instances.list", "compute.disks.list", "compute.addresses.list", "compute.projects.get", "tpu.*.*"]}]'
run tpucost collect
is "without that to list groups nothing is missing where no TPU is" "$(rows "SELECT state FROM sources WHERE source = 'slice'")" ok

# ---- a project without the Cloud TPU API and without TPUs is not asked for groups
patch 'iam: []'
sed -i 's/^projects: .*/projects: [web-two]/' tpucost.yaml
rm -f t.db*
: >requests
curl -sf -X POST --data-binary '[{match: "GET /v2", status: 403, reason: SERVICE_DISABLED}]' "$url/_sandbox/faults" >/dev/null
run tpucost collect
run tpucost collect
# in the first poll, unless the other answer was faster
is "a project without TPUs: groups are not listed once it is known" "$([ "$(jq -r 'select(.path | endswith("aggregated/instanceGroupManagers")) | .path' requests | wc -l)" -le 1 ] && echo yes)" yes
