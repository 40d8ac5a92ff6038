# acts
# What protects one host protects its slice, however it was made: a worker of a TPU node, also of a queued
# resource, and a node of a pool of Kubernetes Engine whose group in another zone is not one slice.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-armed.sh"
pool='labels: {goog-k8s-cluster-name: train, goog-k8s-cluster-location: us-east5, goog-k8s-node-pool-name: two, goog-gke-tpu-node-pool-type: multi-host}'
cat >world.yaml <<W
name: protected
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
nodes:
  - {zone: us-east5-a, name: wide, type: v6e-16, topology: 4x4, hosts: 4, created: -3h}
  - {zone: us-east5-a, name: line-0, type: v6e-16, topology: 4x4, hosts: 4, created: -3h, queued: line}
queued: [{zone: us-east5-a, name: line, type: v6e-16, node: line-0, created: -4h}]
groups:
  - {zone: us-east5-a, name: gke-train-two-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $pool}
  - {zone: us-east5-b, name: gke-train-two-5e6f-grp, type: ct6e-standard-4t, topology: 4x4, target: 6, hosts: 6, created: -3h, $pool}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
changes() { jq -r 'select(.mutating) | .method + " " + .path' requests | sort; }
state() { sqlite3 t.db "SELECT name, state, held, reason FROM action ORDER BY name"; }
why() { tpucost enforce --format json 2>/dev/null | jq -r '.[].reason'; }

# ---- a worker of a TPU node
for of in wide-w-3 lab-one/host/us-east5-a/wide-w-3; do
	armed_world wide "exempt: [$of]"
	act
	is "worker: $of is exempt: nothing is deleted" "$(changes)" ""
	is "worker: $of: why" "$(why)" "of its host wide-w-3: '$of' is in enforcement.exempt"
done
armed_world line "exempt: [line-0-w-0]"
act
is "worker of a queued resource: nothing is deleted" "$(changes)" ""
is "worker of a queued resource: why" "$(why)" "of its host line-0-w-0: 'line-0-w-0' is in enforcement.exempt"
armed_world wide "exempt: [wide-w-4, line-0-w-0]"
act
is "a worker that it does not have protects nothing" "$(changes)" \
	"DELETE /v2/projects/lab-one/locations/us-east5-a/nodes/wide"

# ---- a node pool whose group in the other zone is not one slice
armed_world two
is "its nodes there are single TPUs" "$(tpucost ps --quiet --format json --where "zone = 'us-east5-b'" | jq length)" 6
act
is "other zone: nothing is resized" "$(changes)" ""
is "other zone: why" "$(state)" \
	"two|pending|kind|its node pool is also in us-east5-b: no action is taken on a pool with nodes in several zones, because all of them would end"
armed_world two
run tpucost hold add gke-train-two-5e6f-grp-0003 --until 3d
act
is "a hold on a node there: nothing is resized" "$(changes)" ""
is "a hold on a node there: why" "$(why)" \
	"of its node pool, lab-one/tpu/us-east5-b/gke-train-two-5e6f-grp-0003: hold until $(day 3) 10:00 (UTC)"
is "a hold on a node there: the command that would end it is not told" \
	"$(cat told.jsonl 2>/dev/null | grep -c 'node-pool=two') $(tpucost why two | grep -c 'node-pool=two')" "0 0"
armed_world two "exempt: [lab-one/tpu/us-east5-b/gke-train-two-5e6f-grp-0002]"
is "an exempt node there: why" "$(why)" \
	"of its node pool, lab-one/tpu/us-east5-b/gke-train-two-5e6f-grp-0002: 'lab-one/tpu/us-east5-b/gke-train-two-5e6f-grp-0002' is in enforcement.exempt"
