# What is never stopped, whatever a rule says: each kind of it is there and running, rules want all of
# it gone at once, deleting is allowed too, and nothing is sent.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: never
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-f]
metadata: {instance_id: "4711"}
instances:
  - {zone: us-central1-a, name: in-group, type: e2-micro, created: -26h, created_by: projects/101/zones/us-central1-a/instanceGroupManagers/workers}
  - {zone: us-central1-a, name: gke-node, type: e2-micro, created: -26h, labels: {goog-gke-node: ""}}
  - {zone: us-central1-a, name: dataproc, type: e2-micro, created: -26h, labels: {goog-dataproc-cluster-name: c}}
  - {zone: us-central1-a, name: new-product, type: e2-micro, created: -26h, labels: {goog-tomorrow: x}}
  - {zone: us-central1-a, name: ssd, type: n1-standard-4, created: -26h, local_ssds: 1}
  - {zone: us-central1-a, name: protected, type: e2-micro, created: -26h, deletion_protection: true}
  - {zone: us-central1-a, name: ours, type: e2-micro, created: -26h, id: "4711"}
  - {zone: us-central1-a, name: flex, type: e2-micro, created: -26h, provisioning: flex-start}
  - {zone: us-central1-a, name: kept, type: e2-micro, created: -26h, labels: {tpucost-keep: forever}}
  - {zone: us-central1-a, name: half-kept, type: e2-micro, created: -26h, labels: {tpucost-keep: maybe}}
nodes:
  - {zone: us-central1-f, name: slice, type: v3-32, hosts: 4, created: -26h}
  - {zone: us-central1-f, name: of-queue, type: v3-8, queued: queue, created: -26h}
  - {zone: us-central1-f, name: multi, type: v3-8, multislice: true, created: -26h}
  - {zone: us-central1-f, name: kept-tpu, type: v3-8, labels: {tpucost-keep: forever}, created: -26h}
queued:
  - {zone: us-central1-f, name: queue, type: v3-8, node: of-queue, created: -26h}
W
start_sandbox world.yaml
config_one "notify: [{name: log, file: {path: alerts.jsonl}}]
rules:
$(armed_rule everything "kind IN ('vm', 'tpu', 'queued') AND state = 'running'")
enforcement: {mode: armed, projects: [lab-one], credentials: enforcer.json, max_per_run: 100, max_per_hour: 100, max_per_rule_hour: 100, max_per_day: 100, max_share: 100%, max_deletes_per_hour: 100, allow_delete: true}"
db() {
	sqlite3 t.db "$1"
}
run tpucost run --once
run tpucost run --once
is "nothing is sent" "$(grep -c '"mutating":true' requests)" 0
is "all of it was looked at or held before" \
	"$(db "SELECT count(*) FROM action WHERE state IN ('intent', 'sent', 'verify', 'unknown', 'done')")" 0
for what in \
	"in-group the managed instance group workers" \
	"gke-node GKE" \
	"dataproc Dataproc" \
	"new-product goog-tomorrow" \
	"ssd local SSD" \
	"protected deletion protection" \
	"ours runs on"; do
	name=${what%% *}
	has "$name says why" "$(db "SELECT reason || held FROM action WHERE name = '$name'")" "${what#* }"
done
