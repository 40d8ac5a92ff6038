# Answers of tomorrow, of each API that TPUs come from: words and fields that nobody knows are read over, and shown
# as unknown. No rule acts on them, and nothing of them is called free.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: tomorrow
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
W
start_sandbox world.yaml
config_one "grants: [{name: trc, starts: 2026-11-01, days: 30, new_only: false, tpus: [64 spot Cloud TPU v6e chips in zone us-east5-a]}]
notify: [{name: log, file: {path: told.jsonl}}]
rules:
$(armed_rule gone "kind IN ('tpu', 'queued')" "action: delete, allow_delete: true")
enforcement: {mode: armed, projects: [lab-one], allow_delete: true, gke: true, max_deletes_per_hour: 99, max_per_run: 99, max_per_hour: 99, max_per_rule_hour: 99, max_share: 100}"
set_clock =$NOW

P=https://www.googleapis.com/compute/v1/projects/lab-one
new='"fromTomorrow":{"a":[{"b":null}],"c":1e3},"mood":"GOOD"'
# answer PATH BODY; list KIND SCOPE ITEMS: of all scopes
answer() { printf -- "- {match: \"GET %s\", body: '%s'}\n" "$1" "$2"; }
list() { answer "/compute/v1/projects/lab-one/aggregated/$1" "{\"kind\":\"compute#list\",$new,\"items\":{\"$2\":{$new,\"$1\":[$3]}}}"; }
id() { printf '"id":"%s","name":"%s",%s' "$(printf '%s' "$1" | cksum | cut -d' ' -f1)" "$1" "$new"; }
# vm NAME TYPE STATUS MODEL [GROUP [LABELS]]
vm() {
	printf '{%s,"zone":"%s/zones/us-east5-a","creationTimestamp":"2026-11-18T01:00:00Z","machineType":"%s/zones/us-east5-a/machineTypes/%s","status":"%s","scheduling":{"provisioningModel":"%s","instanceTerminationAction":"ARCHIVE","newer":{}},"resourceStatus":{"scheduling":{"newer":1},"newer":[]},"labels":{%s},"metadata":{"newer":1,"items":[{"key":"created-by","value":"projects/101/zones/us-east5-a/instanceGroupManagers/%s"},{"key":"other","newer":true}]}}' \
		"$(id "$1")" "$P" "$P" "$2" "$3" "$4" "${6:-}" "${5:-}"
}
group() { # NAME SIZE [MEMBERS]
	printf '{%s,"zone":"%s/zones/us-east5-a","instanceTemplate":"%s/global/instanceTemplates/%s","targetSize":%s,"targetSizePolicy":{"mode":"WHOLESALE"},"status":{"isStable":"maybe","appliedAcceleratorTopologies":[{"state":"FOLDING"}]}%s}' \
		"$(id "$1")" "$P" "$P" "$1" "$2" "${3:+,\"resourcePolicies\":{\"workloadPolicy\":\"projects/lab-one/regions/us-east5/resourcePolicies/$3\",\"moodPolicy\":\"x\"\}}"
}
pool='"goog-k8s-cluster-location":"us-east5","goog-k8s-cluster-name":"c","goog-k8s-node-pool-name":"np","goog-gke-tpu-node-pool-type":"multi-host","goog-gke-newer":"x"'
{
	list instances zones/us-east5-a "$(vm alone ct6e-standard-4t DREAMING BORROWED),$(
		)$(vm pod-1 tpu8i-ultranet-4t-tpu RUNNING SPOT pod),$(vm pod-2 tpu8i-ultranet-4t-tpu RUNNING SPOT pod),$(
		)$(vm flex-1 ct6e-standard-4t RUNNING BORROWED flex),$(
		)$(vm gke-np-1 ct6e-standard-4t RUNNING STANDARD gke-np "$pool"),$(vm gke-np-2 ct6e-standard-4t DREAMING STANDARD gke-np "$pool")"
	list instanceGroupManagers zones/us-east5-a "$(group pod 2 w),$(group flex 1),$(group gke-np 2),$(group void 2 bent)"
	list resourcePolicies regions/us-east5 "{$(id w),\"workloadPolicy\":{\"type\":\"HIGHEST_THROUGHPUT\",\"acceleratorTopology\":\"2x2x2\",\"acceleratorTopologyMode\":\"TELEPATHY\"}},{$(
		)$(id bent),\"workloadPolicy\":{\"type\":\"NOVEL\",\"acceleratorTopology\":\"moebius\"}},{$(id other),\"novelPolicy\":{\"acceleratorTopology\":\"4x4\"}}"
	answer /compute/v1/projects/lab-one/global/instanceTemplates/void "{$(id void),\"properties\":{\"machineType\":\"tpu9z-standard-4t\",\"scheduling\":{\"provisioningModel\":\"BORROWED\",\"newer\":[]},\"newer\":{}}}"
	answer /compute/v1/projects/lab-one/zones/us-east5-a/instanceGroupManagers/flex/resizeRequests "{\"kind\":\"compute#list\",$new,\"items\":[{$(id more),\"state\":\"DAYDREAMING\",\"resizeBy\":2,\"requestedRunDuration\":{\"seconds\":\"60\",\"eons\":1},\"status\":{\"error\":{\"newer\":[]}}}]}"
	list reservations zones/us-east5-a "{$(id machines),\"status\":\"MUSING\",\"schedulingType\":\"NOVEL\",\"specificReservation\":{$new,\"count\":\"4\",\"inUseCount\":\"1\",\"instanceProperties\":{\"machineType\":\"ct6e-standard-4t\",\"newer\":[1]}}},{$(
		)$(id chips),\"status\":\"READY\",\"aggregateReservation\":{\"vmFamily\":\"VM_FAMILY_CLOUD_TPU_POD_SLICE_CT9Z\",\"workloadType\":\"DREAMS\",\"reservedResources\":[{\"accelerator\":{\"acceleratorCount\":8,\"newer\":0}},{\"novel\":{\"count\":2}}]}},{$(
		)$(id novel),\"status\":\"READY\",\"novelReservation\":{\"count\":\"3\"}}"
	list futureReservations zones/us-east5-a "{$(id later),\"reservationMode\":\"LEASE\",\"planningStatus\":\"MAYBE\",\"status\":{\"procurementStatus\":\"HAGGLING\",\"newer\":{}},\"timeWindow\":{\"startTime\":\"2026-12-01T00:00:00Z\",\"duration\":{\"seconds\":\"3600\",\"eons\":2}},\"specificSkuProperties\":{\"totalCount\":\"2\",\"instanceProperties\":{\"machineType\":\"ct6e-standard-4t\"}}}"
	answer /v1/projects/lab-one/locations/us-east5/clusters/c/nodePools/np "{\"name\":\"np\",\"status\":\"MOODY\",$new,\"config\":{\"machineType\":\"ct6e-standard-4t\",\"newer\":{}},\"placementPolicy\":{\"type\":\"ENTANGLED\",\"tpuTopology\":\"2x4\",\"newer\":1},\"autoscaling\":{\"newer\":true},\"conditions\":[{\"code\":\"NOVEL\"}]}"
	answer /v2alpha1/projects/lab-one/locations/-/nodes "{$new,\"nodes\":[{\"name\":\"projects/lab-one/locations/us-east5-a/nodes/ghost\",\"id\":\"51\",\"state\":\"HIBERNATING\",\"health\":\"FINE\",\"acceleratorType\":\"v9q-64\",\"acceleratorConfig\":{\"type\":\"V9Q\",\"topology\":\"moebius\"},\"schedulingConfig\":{\"provisioningModel\":\"BORROWED\",\"newer\":[]},$new},{$(
		)\"name\":\"projects/lab-one/locations/us-east5-a/nodes/up\",\"id\":\"52\",\"state\":\"READY\",\"acceleratorType\":\"v6e-16\",\"schedulingConfig\":{\"provisioningModel\":\"BORROWED\"},$new}]}"
	answer /v2alpha1/projects/lab-one/locations/-/queuedResources "{$new,\"queuedResources\":[{\"name\":\"projects/lab-one/locations/us-east5-a/queuedResources/wish\",$new,\"state\":{\"state\":\"PONDERING\",\"stateInitiator\":\"FATE\",\"newer\":{}},\"provisioningModel\":\"BORROWED\",\"runDuration\":{\"maxRunDuration\":\"60s\",\"eons\":1},\"tpu\":{\"newer\":{},\"nodeSpec\":[{\"nodeId\":\"n\",\"newer\":[],\"node\":{\"acceleratorType\":\"v9q-64\",\"newer\":{}}}]}}]}"
	answer /v1/projects/lab-one/locations/global/services/compute.googleapis.com/quotaInfos "{$new,\"quotaInfos\":[{\"quotaId\":\"TPUS-PER-TPU-FAMILY-per-project-region\",\"metric\":\"compute.googleapis.com/tpus_per_tpu_family\",\"containerType\":\"GALAXY\",$new,\"dimensionsInfos\":[{\"dimensions\":{\"region\":\"us-east5\",\"tpu_family\":\"CT9Z\",\"mood\":\"good\"},\"details\":{\"value\":\"8\",\"newer\":1},$new}]},{$(
		)\"quotaId\":\"PREEMPTIBLE-TPU-V9Q-per-project-region\",\"metric\":\"compute.googleapis.com/preemptible_tpu_v9q\",\"dimensionsInfos\":[{\"dimensions\":{\"region\":\"us-east5\"},\"details\":{\"value\":\"16\"}}]}]}"
	answer /v1/projects/lab-one/locations/global/services/tpu.googleapis.com/quotaInfos "{$new,\"quotaInfos\":[{\"quotaId\":\"TPUV9qPreemptiblePerProjectPerZoneForTPUAPI\",\"metric\":\"tpu.googleapis.com/tpu-v9q-preemptible\",$new,\"dimensionsInfos\":[{\"dimensions\":{\"zone\":\"us-east5-a\"},\"details\":{\"value\":\"32\"}}]}]}"
	answer /compute/v1/projects/lab-one/regions "{\"kind\":\"compute#regionList\",$new,\"items\":[{$(id us-east5),\"status\":\"SIDEWAYS\",\"quotas\":[{\"metric\":\"QUBITS\",\"limit\":4,\"usage\":1,\"newer\":[]}]}]}"
} >faults.yaml
curl -sf -X POST --data-binary @faults.yaml "$url/_sandbox/faults" >/dev/null || flunk faults faults.yaml
rows() { tpucost sql --quiet --format csv "$1" 2>/dev/null | tr -d '\r' | tail -n +2; }

run tpucost collect
status "all of it is read" 0
is "no source has a problem" "$(rows "SELECT source, state, error FROM sources WHERE state <> 'ok' OR error IS NOT NULL")" ""
is "each answer was used" "$(jq -r 'select(.path | test("instanceTemplates|resizeRequests|nodePools")) | .path' requests | sed "s,.*/,," | LC_ALL=C sort -u | tr "\n" " ")" "np resizeRequests void "
is "TPUs: what is not known is unknown" "$(rows "SELECT name, type, made_by, state, raw_state, provisioning, family, chips, hosts, topology, covered, why, gross_per_hour FROM resources ORDER BY name")" \
	"alone,ct6e-standard-4t,vm,unknown,DREAMING,unknown,v6e,4,1,,,,
flex-1,ct6e-standard-4t,group,running,RUNNING,unknown,v6e,4,1,,,provisioning-unknown,
ghost,v9q-64,node,unknown,HIBERNATING,unknown,,,,,,,
more,2 x ct6e-standard-4t,,unknown,DAYDREAMING,flex-start,v6e,8,2,,,,0
np,ct6e-standard-4t,pool,running,1 of 2 RUNNING,on-demand,v6e,4,1,2x4,0,wrong-provisioning,10.8
pod,2 x tpu8i-ultranet-4t-tpu,group,running,RUNNING,spot,,8,2,2x2x2,0,family-unknown,
up,v6e-16,node,running,READY,unknown,v6e,16,4,,,provisioning-unknown,
void,2 x tpu9z-standard-4t,group,starting,0 of 2 creating,unknown,,8,0,,,,0
wish,v9q-64,,unknown,PONDERING,unknown,,,,,,,0"
is "hosts" "$(rows "SELECT name, state, raw_state FROM hosts WHERE name LIKE 'gke%' ORDER BY name")" "gke-np-1,running,RUNNING
gke-np-2,unknown,DREAMING"
is "reservations" "$(rows "SELECT name, kind, type, family, unit, count, used, gross_per_hour, state, raw_state, fixed FROM commitments ORDER BY name")" \
	"chips,reservation,ct9z,,chips,8,0,,running,READY,0
later,future-reservation,ct6e-standard-4t,v6e,machines,2,,21.6,unknown,HAGGLING,
machines,reservation,ct6e-standard-4t,v6e,machines,4,1,43.2,unknown,MUSING,0
novel,reservation,,,,,,,running,READY,0"
is "quotas" "$(rows "SELECT quota, location, family, limit_value, used, held FROM quotas ORDER BY quota")" "QUBITS,us-east5,,4,1,
preemptible_tpu_v9q,us-east5,,16,,
tpu-v9q-preemptible,us-east5-a,,32,,
tpus_per_tpu_family,us-east5,,8,,"

for i in 1 2 3; do run tpucost run --once; done
is "no rule acts on what is unknown" "$(sqlite3 t.db "SELECT name, state, held, reason FROM action WHERE name NOT IN ('up') ORDER BY name")" \
	"alone|pending|state|its state is DREAMING: it is not deleted in that state
flex-1|pending|managed|it belongs to the managed instance group flex
ghost|pending|family|this version of tpucost does not know the TPU family of v9q-64
more|pending|state|its state is DAYDREAMING: it is not deleted in that state
np|pending|state|its state is 1 of 2 RUNNING: it is not deleted in that state
pod|pending|family|this version of tpucost does not know the TPU family of 2 x tpu8i-ultranet-4t-tpu
void|pending|family|this version of tpucost does not know the TPU family of 2 x tpu9z-standard-4t
wish|pending|family|this version of tpucost does not know the TPU family of v9q-64"
is "nothing is sent" "$(jq -c 'select(.mutating)' requests)" ""
has "why says so" "$(tpucost why pod 2>/dev/null | tr -s '\n ' '  ')" "this version of tpucost does not know its TPU family"
