# acts
# Deleting, where it is allowed twice: machine, slice of several hosts, queued resource with its nodes.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: delete
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-central1-f]
instances:
  - {zone: us-central1-a, name: big, type: n1-standard-4, created: -26h, labels: {owner: ada}}
disks:
  - {zone: us-central1-a, name: big, type: pd-ssd, size_gb: 250, users: [big], keep: true}
nodes:
  - {zone: us-central1-f, name: slice, type: v3-32, hosts: 4, created: -26h}
  - {zone: us-central1-f, name: of-queue, type: v3-8, queued: queue, created: -26h}
queued:
  - {zone: us-central1-f, name: queue, type: v3-8, node: of-queue, created: -26h}
operations: {looks: 1, seconds: 0s}
# no more than docs/iam.md grants
iam:
  - member: tpucost-enforcer@lab-one.iam.gserviceaccount.com
    permissions: [compute.projects.get, compute.instances.get, compute.instances.stop, compute.zoneOperations.get, tpu.nodes.get, tpu.nodes.stop, tpu.operations.get, compute.instances.delete, tpu.nodes.delete, tpu.nodes.list]
W
config() { # NAME ALLOW
	config_one "notify: [{name: log, file: {path: alerts.jsonl}}]
rules:
$(armed_rule gone "name = '$1' AND state = 'running' AND kind <> 'disk'" "action: delete, allow_delete: $2")
enforcement: {mode: armed, projects: [lab-one], credentials: enforcer.json, max_share: 100%, max_deletes_per_hour: 9, allow_delete: $2}"
}
changes() {
	grep '"mutating":true' requests | sed 's/.*"method":"\([A-Z]*\)","path":"\([^"]*\)","query":"\([^"]*\)".*/\1 \2?\3/' |
		sed "s/requestId=[0-9a-f-]\{36\}/requestId=UUID/"
}
db() {
	sqlite3 t.db "$1"
}
start_sandbox world.yaml

config big false
run tpucost run --once
is "not without permission" "$(changes)" ""

# One after the other, in one project and one database.
sent() { # NAME WANT: what deletes it
	rm -f t.db* alerts.jsonl
	: >requests
	config "$1" true
	i=0
	run tpucost run --once
	while [ -z "$(db 'SELECT 1 FROM action WHERE ended IS NOT NULL')" ] && [ $i -lt 4 ]; do
		i=$((i + 1))
		tpucost collect -q
		run tpucost run --once
	done
	is "$1 is deleted by one request" "$(changes)" "$2"
	is "and gone" "$(db "SELECT state FROM action WHERE name = '$1'")" done
	has "which is why its alert ends" "$(db "SELECT summary FROM alert WHERE rule = 'gone'")" \
		"/$1. Ended: it was deleted by tpucost at 2026-11-18 10:0"
}
zone=/compute/v1/projects/lab-one/zones/us-central1-a
place=/v2/projects/lab-one/locations/us-central1-f
sent big "DELETE $zone/instances/big?requestId=UUID&prettyPrint=false"
is "how to make one like it" "$(db 'SELECT restart FROM action')" \
	"gcloud compute instances create big --project=lab-one --zone=us-central1-a --machine-type=n1-standard-4 --disk=name=big,boot=yes,auto-delete=no --labels=owner=ada"
sent slice "DELETE $place/nodes/slice?prettyPrint=false"
is "how to make one like it" "$(db 'SELECT restart FROM action')" \
	"gcloud compute tpus tpu-vm create slice --project=lab-one --zone=us-central1-f --accelerator-type=v3-32 --version=tpu-vm-base"
sent queue "DELETE $place/queuedResources/queue?force=true&requestId=UUID&prettyPrint=false"
is "how to ask for one like it" "$(db 'SELECT restart FROM action')" \
	"gcloud compute tpus queued-resources create queue --project=lab-one --zone=us-central1-f --node-id=of-queue --accelerator-type=v3-8"
run tpucost enforce --all
is "the plan says it, too" "$(echo "$out" | grep -A1 '^    to create it again:$' | tail -n 1)" \
	"      gcloud compute tpus queued-resources create queue --project=lab-one --zone=us-central1-f --node-id=of-queue --accelerator-type=v3-8"
run tpucost ps -f csv
is "nothing is left but the disk that was to stay" "$(echo "$out" | sed 1d | cut -d, -f1)" \
	lab-one/disk/us-central1-a/big
