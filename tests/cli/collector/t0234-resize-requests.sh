# Requests for machines of a managed instance group wait as queued resources do: shown, free, and told how to
# cancel. Only groups that have a TPU and no workload policy are asked for.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: requests
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups:
  - {zone: us-east5-a, name: flex, type: ct6e-standard-4t, target: 1, hosts: 1, created: -3h, provisioning: flex-start}
  - {zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h}
  - {zone: us-east5-a, name: web, type: e2-standard-2, target: 1, hosts: 1, created: -3h}
resize_requests:
  - {zone: us-east5-a, group: flex, name: more, by: 3, run_limit: 4h, created: -1h}
  - {zone: us-east5-a, group: flex, name: one, by: 1, state: CREATING}
  - {zone: us-east5-a, group: flex, name: was, by: 1, state: SUCCEEDED}
  - {zone: us-east5-a, group: flex, name: no, by: 9, state: FAILED}
  - {zone: us-east5-a, group: flex, name: off, by: 9, state: CANCELLED}
limits:
  - {service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
W
start_sandbox world.yaml
config_one "notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind = 'queued'" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true}"
set_clock =$NOW
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
queued() { rows "SELECT id, type, provisioning, state, raw_state, chips, gross_per_hour, attached_to, created FROM resources WHERE kind = 'queued' ORDER BY id"; }
run tpucost collect
status "it is read" 0
is "those that wait" "$(queued)" \
	"lab-one/queued/us-east5-a/more@flex,3 x ct6e-standard-4t,flex-start,starting,ACCEPTED,12,0,zones/us-east5-a/instanceGroupManagers/flex,$(at -3600)
lab-one/queued/us-east5-a/one@flex,ct6e-standard-4t,flex-start,starting,CREATING,4,0,zones/us-east5-a/instanceGroupManagers/flex,$(at -3600)"
is "only that group is asked for" "$(jq -r 'select(.path | endswith("resizeRequests")) | .path' requests)" \
	"/compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/flex/resizeRequests"
is "they use no quota" "$(rows "SELECT used, held FROM quotas WHERE pool = 'preemptible'")" "4,0"
run tpucost why more
has "how to cancel one" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" \
	"gcloud compute instance-groups managed resize-requests cancel flex --resize-requests=more --zone=us-east5-a --project=lab-one"
for i in 1 2 3; do run tpucost run --once; done
is "no rule acts on one" "$(sqlite3 t.db "SELECT DISTINCT state, held FROM action")" "pending|state"
is "nothing is sent" "$(jq -c 'select(.mutating)' requests)" ""

# ---- an end, an unknown state, a refusal
curl -sf -X POST --data-binary '{resize_requests: [{name: more, state: SUCCEEDED}, {name: one, state: OF_TOMORROW}]}' "$url/_sandbox/world/patch" >/dev/null
set_clock =$((NOW + 600))
run tpucost collect
is "one no longer waits, the other may" "$(queued | cut -d, -f1,4,5)" "lab-one/queued/us-east5-a/one@flex,unknown,OF_TOMORROW"
curl -sf -X POST --data-binary 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.*.list", "compute.projects.get", "compute.regions.list", "tpu.*.*"]}]' "$url/_sandbox/world/patch" >/dev/null
run tpucost collect
is "without the permission everything else is as before" "$(rows "SELECT name, hosts FROM resources WHERE kind = 'tpu' ORDER BY name")" "flex-0001,1
pod,4"
has "and it is said" "$(rows "SELECT source, state, error FROM sources WHERE source = 'resize'")" "compute.instanceGroupManagers.get"
