# acts
# A node pool of Kubernetes Engine in two zones is scaled as a whole by Google: it is not touched, and what protects
# one of its hosts protects all. So does what protects one host of a slice in one zone.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-armed.sh"
labels() { # POOL [MORE]
	printf 'labels: {goog-k8s-cluster-name: train, goog-k8s-cluster-location: us-east5, goog-k8s-node-pool-name: %s, goog-gke-tpu-node-pool-type: multi-host%s}' "$1" "${2:-}"
}
cat >world.yaml <<W
name: zones
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
groups:
  - {zone: us-east5-a, name: gke-train-two-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels two)}
  - {zone: us-east5-b, name: gke-train-two-5e6f-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels two)}
  - {zone: us-east5-a, name: gke-train-one-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels one)}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
config() { armed_world "${2:-two}" "${1:-}"; } # [LINE [NAME]]
changes() { jq -r 'select(.mutating) | .method + " " + .path + " " + .body' requests | sort; }
state() { sqlite3 t.db "SELECT location, state, held, reason FROM action ORDER BY location"; }
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
untouched() { # NAME: nothing was asked for
	is "$1: nothing is resized" "$(changes)" ""
}

# ---- what Google lists
token=$(curl -sf -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
is "the pool has a group in each zone" \
	"$(curl -sf -H "Authorization: Bearer $token" "$url/v1/projects/lab-one/locations/us-east5/clusters/train/nodePools/two" | jq -c '[.status, (.instanceGroupUrls[] | sub(".*/zones/"; ""))]')" \
	'["RUNNING","us-east5-a/instanceGroupManagers/gke-train-two-1a2b-grp","us-east5-b/instanceGroupManagers/gke-train-two-5e6f-grp"]'

# ---- two zones
config
is "a row for each zone" "$(sqlite3 t.db "SELECT id, hosts FROM resource WHERE name = 'two' ORDER BY id")" \
	"lab-one/tpu/us-east5-a/two|4
lab-one/tpu/us-east5-b/two|4"
act
untouched "two zones"
is "two zones: why" "$(state)" \
	"us-east5-a|pending|kind|its node pool is also in us-east5-b: no action is taken on a pool with nodes in several zones, because all of them would end
us-east5-b|pending|kind|its node pool is also in us-east5-a: no action is taken on a pool with nodes in several zones, because all of them would end"

# a grant covers one of the zones: the command that ends the other one ends both, and says so
config "" other
cat >>tpucost.yaml <<G
grants: [{name: trc, starts: 2026-11-01, until: 2026-11-19, new_only: false, tpus: [32 on-demand Cloud TPU v6e chips in zone us-east5-a]}]
G
tpucost collect -q >/dev/null 2>&1
ALSO="gcloud container clusters resize train --node-pool=two --num-nodes=0 --location=us-east5 --project=lab-one # also ends its nodes in"
has "one zone is covered: the report" "$(tpucost report --quiet | tr -s ' \n' ' ')" "$ALSO us-east5-a "
has "one zone is covered: why" "$(tpucost why lab-one/tpu/us-east5-b/two | tr -d '\\\n' | tr -s ' ')" "$ALSO us-east5-a"
has "one zone is covered: when the grant ends" "$(tpucost grant plan --format json)" "$ALSO us-east5-b"
tpucost grant plan >plan 2>/dev/null
has "the files are in its pods" "$(cat plan)" \
	"gcloud container clusters get-credentials train --location=us-east5 --project=lab-one && kubectl cp NAMESPACE/POD:OUTPUT ./two/POD "
is "no machine has the name of the pool" "$(grep -c 'ssh\|scp' plan)" 0
is "a pool in one zone has nothing to add" "$(tpucost why one | grep -c 'also ends')" 0

# the other zone has no nodes any more, or was not in the last poll: the live check knows it
config
patch "remove: {instances: [$(for i in 1 2 3 4; do printf '{name: gke-train-two-5e6f-grp-000%s},' $i; done)]}
groups: [{zone: us-east5-b, name: gke-train-two-5e6f-grp, target: 0}]"
tpucost collect -q >/dev/null 2>&1
set_clock =$((NOW + 3600))
tpucost collect -q >/dev/null 2>&1
is "an empty zone is no slice" "$(sqlite3 t.db "SELECT id FROM resource WHERE name = 'two'")" lab-one/tpu/us-east5-a/two
act
act
untouched "the group of the other zone is empty"
is "the group of the other zone is empty: why" "$(state | head -1)" \
	"us-east5-a|recheck|look|could not ask Google for its state: get node pool: it has groups in 2 zones, and all of them would end"
run tpucost sql --format csv "SELECT * FROM audit WHERE resource LIKE '%/two'"
has "the group of the other zone is empty: the audit has it" "$out" "it has groups in 2 zones"
is "the hosts are there" "$(tpucost ps --format json --where "name = 'two'" --quiet | jq '.[0].hosts')" 4

# ---- what protects one zone protects the other
why() { # NAME ZONE REASON: what blocks it first
	is "$1: why" "$(tpucost enforce --format json 2>/dev/null | jq -r ".[] | select(.location == \"$2\") | .reason")" "$3"
}
config
run tpucost hold add lab-one/tpu/us-east5-b/two --until 3d
act
untouched "a hold in the other zone"
why "a hold in the other zone" us-east5-a "of its node pool, lab-one/tpu/us-east5-b/two: hold until $(day 3) 10:00 (UTC)"
is "a hold in the other zone: the command that would end both is not told" "$(grep -c 'node-pool=two' told.jsonl)" 0
config "exempt: [lab-one/tpu/us-east5-b/two]"
why "exempt" us-east5-a "of its node pool, lab-one/tpu/us-east5-b/two: 'lab-one/tpu/us-east5-b/two' is in enforcement.exempt"
config "exempt: [gke-train-two-5e6f-grp-0002]"
why "exempt: a host in the other zone" us-east5-a "of its host gke-train-two-5e6f-grp-0002: 'gke-train-two-5e6f-grp-0002' is in enforcement.exempt"
config "protect: \"location = 'us-east5-b'\""
why "protected" us-east5-a "of its node pool, lab-one/tpu/us-east5-b/two: enforcement.protect matches it"
config
patch "instances: [{zone: us-east5-b, name: gke-train-two-5e6f-grp-0003, $(labels two ", tpucost-keep: forever")}]"
tpucost collect -q >/dev/null 2>&1
why "a label in the other zone" us-east5-a "of its node pool, lab-one/tpu/us-east5-b/two: label tpucost-keep=forever"

# ---- one zone: one host protects its slice
for of in gke-train-one-1a2b-grp-0002 lab-one/host/us-east5-a/gke-train-one-1a2b-grp-0002 lab-one/tpu/us-east5-a/gke-train-one-1a2b-grp-0002; do
	config "exempt: [$of]" one
	why "exempt: $of" us-east5-a "of its host gke-train-one-1a2b-grp-0002: '$of' is in enforcement.exempt"
done
# a hold from the time when each host was a TPU of its own
config "" one
sqlite3 t.db "INSERT INTO hold (id, until, created, comment) VALUES ('lab-one/tpu/us-east5-a/gke-train-one-1a2b-grp-0004', $((NOW + 9999)), $NOW, '')"
act
untouched "an older hold on a host"
why "an older hold on a host" us-east5-a "of its host gke-train-one-1a2b-grp-0004: hold until 2026-11-18 12:46 (UTC)"
config "" one
act
is "without any of that it is scaled to 0" "$(changes)" \
	"POST /v1/projects/lab-one/locations/us-east5/clusters/train/nodePools/one:setSize {\"nodeCount\":0}"
