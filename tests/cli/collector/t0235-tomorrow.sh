# An answer of tomorrow: words and fields that nobody knows are read over, and shown as unknown.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: tomorrow
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
W
start_sandbox world.yaml
config_one
set_clock =$NOW
vm() { # NAME MEMBERS
	printf '{"kind":"compute#instance","id":"%s","name":"%s","zone":"https://www.googleapis.com/compute/v1/projects/lab-one/zones/us-east5-a","creationTimestamp":"2026-11-18T01:00:00Z","fromTomorrow":{"a":[{"b":null}]},%s}' "$(printf '%s' "$1" | cksum | cut -d' ' -f1)" "$1" "$2"
}
type() { printf '"machineType":"https://www.googleapis.com/compute/v1/projects/lab-one/zones/us-east5-a/machineTypes/%s"' "$1"; }
by='"metadata":{"kind":"compute#metadata","new":1,"items":[{"key":"created-by","value":"projects/101/zones/us-east5-a/instanceGroupManagers/pod"},{"key":"other","newer":true}]}'
vms=$(vm alone "$(type ct6e-standard-4t),\"status\":\"DREAMING\",\"scheduling\":{\"provisioningModel\":\"BORROWED\",\"newer\":{}},\"resourceStatus\":{\"scheduling\":{\"mood\":\"good\"}}"),$(
	for i in 1 2; do vm pod-$i "$(type tpu8i-ultranet-4t-tpu),\"status\":\"RUNNING\",\"scheduling\":{\"provisioningModel\":\"SPOT\"},$by" && [ $i = 2 ] || printf ','; done)
group='{"kind":"compute#instanceGroupManager","id":"9","name":"pod","zone":"https://www.googleapis.com/compute/v1/projects/lab-one/zones/us-east5-a","targetSize":2,"targetSizePolicy":{"mode":"WHOLESALE"},"resourcePolicies":{"workloadPolicy":"projects/lab-one/regions/us-east5/resourcePolicies/w","moodPolicy":"x"},"status":{"isStable":"maybe"}}'
policy='{"kind":"compute#resourcePolicy","id":"8","name":"w","workloadPolicy":{"type":"HIGHEST_THROUGHPUT","acceleratorTopology":"2x2x2","acceleratorTopologyMode":"TELEPATHY"}}'
answer() { # LIST SCOPE ITEMS
	printf -- "- {match: \"GET /compute/v1/projects/lab-one/aggregated/%s\", body: '{\"kind\":\"compute#list\",\"tomorrow\":1,\"items\":{\"%s\":{\"%s\":[%s]}}}'}\n" "$1" "$2" "$1" "$3"
}
{
	answer instances zones/us-east5-a "$vms"
	answer instanceGroupManagers zones/us-east5-a "$group"
	answer resourcePolicies regions/us-east5 "$policy"
} >faults.yaml
curl -sf -X POST --data-binary @faults.yaml "$url/_sandbox/faults" >/dev/null || flunk faults faults.yaml
run tpucost collect
status "it is read" 0
is "what is not known is unknown" "$(tpucost sql --format csv "SELECT name, type, made_by, state, raw_state, provisioning, family, chips, hosts, topology, covered, why, gross_per_hour, price_source FROM resources ORDER BY name" | tr -d '\r' | tail -n +2)" \
	"alone,ct6e-standard-4t,vm,unknown,DREAMING,unknown,v6e,4,1,,,,,unknown
pod,2 x tpu8i-ultranet-4t-tpu,group,running,RUNNING,spot,,8,2,2x2x2,0,family-unknown,,unknown"
run tpucost enforce --dry-run
is "nothing is to be stopped" "$(tpucost enforce --format json | jq -r '[.[] | select(.todo == 1)] | length')" 0
has "why says so" "$(tpucost why pod | tr -s '\n ' '  ')" "this version of tpucost does not know its TPU family"
