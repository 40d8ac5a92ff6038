# acts
# The topology of a node pool of Kubernetes Engine without a workload policy is that of its API, asked for once;
# without an answer it is unknown, and then the pool is never scaled.
. "$ROOT/tests/cli/lib.sh"
labels() { # POOL
	printf 'labels: {goog-k8s-cluster-name: train, goog-k8s-cluster-location: us-east5, goog-k8s-node-pool-name: %s, goog-gke-tpu-node-pool-type: multi-host}' "$1"
}
cat >world.yaml <<W
name: shapes
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups:
  - {zone: us-east5-a, name: gke-train-old-1a2b-grp, type: ct6e-standard-4t, pool_topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels old)}
  - {zone: us-east5-a, name: gke-train-label-1a2b-grp, type: ct6e-standard-4t, target: 2, hosts: 2, created: -3h, $(labels label)}
  - {zone: us-east5-a, name: gke-train-none-1a2b-grp, type: ct6e-standard-4t, target: 2, hosts: 2, created: -3h, $(labels none)}
  - {zone: us-east5-a, name: gke-train-more-1a2b-grp, type: ct6e-standard-4t, pool_topology: 2x4, target: 3, hosts: 3, created: -3h, $(labels more)}
  - {zone: us-east5-a, name: gke-train-new-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels new)}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'tpu'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, gke: true, max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_per_rule_hour: 9, max_share: 100}"
set_clock =$NOW
POOLS=/v1/projects/lab-one/locations/us-east5/clusters/train/nodePools
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
tpus() { rows "SELECT name, made_by, hosts, target_hosts, topology FROM resources WHERE kind = 'tpu' ORDER BY name"; }
asked() { jq -r 'select(.path | contains("nodePools")) | .path | sub(".*/"; "")' requests | sort | tr '\n' ' '; }
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
label='{"name": "label", "config": {"machineType": "ct6e-standard-4t", "labels": {"cloud.google.com/gke-tpu-topology": "2x4"}}}'
faults "[{match: \"GET $POOLS/label\", status: 200, body: '$label'}, {match: \"GET $POOLS/none\", status: 200, body: '{\"name\": \"none\", \"config\": {\"labels\": {\"cloud.google.com/gke-tpu-topology\": \"odd\"}}}'}]"

run tpucost collect
status "it is read" 0
want="gke-train-more-1a2b-grp-0001,pool,1,,
gke-train-more-1a2b-grp-0002,pool,1,,
gke-train-more-1a2b-grp-0003,pool,1,,
label,pool,2,2,2x4
new,pool,4,4,4x4
none,pool,2,2,
old,pool,4,4,4x4"
is "from the placement, or the label of the nodes, or unknown; with more nodes than that they are single" "$(tpus)" "$want"
is "only pools without a policy are asked for" "$(asked)" "label more none old "
run tpucost why none
has "unknown is said" "$(echo "$out" | tr -s ' ')" "topology unknown"
run tpucost why gke-train-more-1a2b-grp-0002
has "why a node is single" "$(echo "$out" | tr -s ' \n' ' ')" "its group has 3 machines, and its topology 2x4 has 2"
run tpucost collect
is "again only what is not known" "$(asked)" "label more more none none old "
is "it is as before" "$(tpus)" "$want"

for i in 1 2 3; do run tpucost run --once; done
is "a pool of unknown topology, and single nodes, are left alone" \
	"$(sqlite3 t.db "SELECT name, state, held, reason FROM action WHERE state <> 'done' AND name IN ('none', 'gke-train-more-1a2b-grp-0001') ORDER BY name")" \
	"gke-train-more-1a2b-grp-0001|pending|managed|it belongs to the managed instance group gke-train-more-1a2b-grp
none|pending|hosts|the topology of its node pool is unknown: its nodes may be several slices"
is "the others are scaled to 0" "$(jq -r 'select(.mutating) | .path | sub(".*/"; "")' requests | sort | tr '\n' ' ')" \
	"new:setSize old:setSize "

# ---- without the permission
rm -f t.db*
curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
curl -sf -X POST --data-binary 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.*.*", "tpu.*.*"]}]' "$url/_sandbox/world/patch" >/dev/null
run tpucost collect
is "without the permission it is unknown, and nothing else" "$(tpus | cut -d, -f1,3,5) $(rows "SELECT state FROM sources WHERE source = 'slice'")" \
	"label,2,
more,3,
new,4,4x4
none,2,
old,4, ok"
