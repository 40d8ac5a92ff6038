# acts
# A TPU slice that is a node pool of Kubernetes Engine is one resource, named as its pool. It is scaled to 0
# only if `enforcement: gke: true`, as a whole and by its own API; otherwise the command is told.
. "$ROOT/tests/cli/lib.sh"
labels() { # CLUSTER POOL
	printf 'labels: {goog-gke-node: "", goog-k8s-cluster-name: %s, goog-k8s-cluster-location: us-east5, goog-k8s-node-pool-name: %s, goog-gke-tpu-node-pool-type: multi-host}' "$1" "$2"
}
cat >world.yaml <<W
name: pools
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
groups:
  - {zone: us-east5-a, name: gke-train-tpus-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels train tpus)}
  - {zone: us-east5-a, name: gke-train-auto-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, autoscaling: true, $(labels train auto)}
  - {zone: us-east5-a, name: gke-train-same-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels train same)}
  - {zone: us-east5-a, name: gke-eval-same-3c4d-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, $(labels eval same)}
  - {zone: us-east5-b, name: gke-train-half-1a2b-grp, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 3, created: -3h, $(labels train half)}
operations: {looks: 1, seconds: 0s}
W
start_sandbox world.yaml
config() { # GKE [WHERE]
	config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "${2:-kind = 'tpu'}" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, gke: $1, max_deletes_per_hour: 9, max_per_run: 9, max_per_hour: 9, max_per_rule_hour: 9, max_share: 100}"
	rm -f t.db* told.jsonl
	: >requests
	set_clock =$NOW
}
act() {
	run tpucost run --once
	set_clock =$((NOW + 120))
	run tpucost run --once
	run tpucost run --once
}
changes() { jq -r 'select(.mutating) | .method + " " + .path + " " + .body' requests | sort; }
state() { sqlite3 t.db "SELECT name, state, held, reason FROM action WHERE name LIKE '${1:-%}' ORDER BY name"; }
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
anew() { curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null || flunk "world" world.yaml; faults '[]'; }
POOL=/v1/projects/lab-one/locations/us-east5/clusters/train/nodePools/tpus
SIZE="POST $POOL:setSize {\"nodeCount\":0}"

# ---- one row
run tpucost check
config false
run tpucost collect
is "a pool is one row, and of two pools with one name each has its group's" \
	"$(tpucost sql --format csv "SELECT id, made_by, hosts, chips, topology FROM resources WHERE kind = 'tpu' ORDER BY id" | tr -d '\r' | tail -n +2)" \
	"lab-one/tpu/us-east5-a/auto,pool,4,16,4x4
lab-one/tpu/us-east5-a/gke-eval-same-3c4d-grp,pool,4,16,4x4
lab-one/tpu/us-east5-a/gke-train-same-1a2b-grp,pool,4,16,4x4
lab-one/tpu/us-east5-a/tpus,pool,4,16,4x4
lab-one/tpu/us-east5-b/half,pool,3,12,4x4"
run tpucost why tpus
has "with the command that ends its cost" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" \
	"gcloud container clusters resize train --node-pool=tpus --num-nodes=0 --location=us-east5 --project=lab-one"

# ---- not without the word
act
is "its project has not opted in" "$(state tpus)" \
	"tpus|pending|managed|it belongs to a GKE cluster, and enforcement.gke is not true"
is "nothing was sent" "$(changes)" ""
has "the command is told" "$(cat told.jsonl)" "gcloud container clusters resize train --node-pool=tpus --num-nodes=0"
config true "action = 'no'"
run tpucost check
status "the condition of a rule is still checked" 2

# ---- with it
config true
act
is "its own API, once, and nothing for those that are not whole or set their own size" "$(changes)" \
	"POST /v1/projects/lab-one/locations/us-east5/clusters/eval/nodePools/same:setSize {\"nodeCount\":0}
POST /v1/projects/lab-one/locations/us-east5/clusters/train/nodePools/same:setSize {\"nodeCount\":0}
$SIZE"
is "it is gone" "$(state tpus)" "tpus|done||deleted; no list contains it any longer; freed 16 v6e chips of quota in us-east5"
is "an autoscaler would undo it" "$(state auto)" \
	"auto|failed||never acted on: it belongs to an autoscaler, which would create its nodes again"
is "half a pool is left alone" "$(state half)" "half|pending|state|its state is 3 of 4 RUNNING: it is not deleted in that state"
is "how to create it again" "$(sqlite3 t.db "SELECT restart FROM action WHERE name = 'tpus'")" \
	"gcloud container clusters resize train --node-pool=tpus --num-nodes=4 --location=us-east5 --project=lab-one"
is "the audit has the pool as a whole" "$(tpucost sql --format csv "SELECT COUNT(DISTINCT resource) FROM audit WHERE resource LIKE '%/tpus'" | tr -d '\r' | tail -1)" 1
run tpucost audit verify
status "and is intact" 0
act
is "nothing is sent again" "$(changes | wc -l)" 3

# ---- what goes wrong
one() { anew; config true "name = 'tpus'"; }
one
faults "[{match: \"POST $POOL\", how: lost, times: 1}]"
act
act
is "lost reply: it was asked for once" "$(changes) $(state tpus)" "$SIZE tpus|done||deleted; no list contains it any longer; freed 16 v6e chips of quota in us-east5"
one
faults "[{match: \"POST $POOL\", status: 400, reason: failedPrecondition, times: 1}]"
act
has "busy cluster: it waits" "$(state tpus)" "tpus|recheck||"
has "and says why" "$(state tpus)" "failedPrecondition"
is "it runs" "$(tpucost ps --format json --where "name = 'tpus'" --quiet | jq '.[0].hosts')" 4
one
faults "[{match: \"POST $POOL\", status: 403, reason: forbidden, times: 1}]"
act
has "refused: it names the permission" "$(state tpus)" "container.clusters.update"
has "and the role" "$(state tpus)" "tpucostScaler"
one
faults "[{match: \"GET $POOL\", status: 404, reason: notFound}]"
act
is "a 404 that does not name the pool is no answer" "$(state tpus | cut -d'|' -f1-3) $(changes)" "tpus|recheck|look "
one
run tpucost collect
patch "groups: [{zone: us-east5-a, name: gke-train-tpus-1a2b-grp, id: '77'}]"
run tpucost run --once
is "another pool has its name" "$(state tpus)" "tpus|superseded||a live check found that another machine has its name now"
is "and is left alone" "$(changes)" ""
anew
config true "name = 'tpus'"
patch "remove: {groups: [{name: gke-train-tpus-1a2b-grp}], instances: [$(for i in 1 2 3 4; do printf '{name: gke-train-tpus-1a2b-grp-000%s},' $i; done)]}"
forge() { # POOL
	patch "groups: [{zone: us-east5-a, name: forged, type: ct6e-standard-4t, topology: 4x4, target: 1, created: -3h}]
instances: [{zone: us-east5-a, name: forged-1, type: ct6e-standard-4t, created: -3h, created_by: projects/101/zones/us-east5-a/instanceGroupManagers/forged, $(labels train "$1")}]"
}
forge auto
config true "name = 'forged' OR raw_state = 'RUNNING' AND hosts = 1"
act
is "labels that name the pool of others" "$(changes)" ""
is "protect that pool" "$(state | sort -u)" \
	"forged|pending|kind|its node pool is also in us-east5-a: no action is taken on a pool with nodes in several zones, because all of them would end"
anew
forge half
patch "remove: {instances: [$(for i in 1 2 3; do printf '{name: gke-train-half-1a2b-grp-000%s},' $i; done)]}"
patch "groups: [{zone: us-east5-b, name: gke-train-half-1a2b-grp, target: 0}]"
config true "raw_state = 'RUNNING' AND hosts = 1"
act
is "labels that name a pool without nodes" "$(changes)" ""
is "are not believed" "$(state | head -1)" "half|cleared||a live check found that it no longer exists"
