# What a list that is refused or incomplete hides stays as it was: it is not gone, and nothing counts twice.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: unseen
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups:
  - {zone: us-east5-a, name: pod, id: "77", type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h}
W
start_sandbox world.yaml
config_one
set_clock =$NOW
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
LISTS='GET /compute/v1/projects/lab-one/aggregated'
# later [FAULTS]: the next poll, a minute later
late=0
later() {
	faults "${1:-[]}"
	late=$((late + 61))
	set_clock =$((NOW + late))
	tpucost run --once >stdout 2>stderr
}
tpus() { rows "SELECT name, state, raw_state, chips, gross_per_hour, CAST(running_hours AS INTEGER), complete FROM resources WHERE kind = 'tpu' ORDER BY name"; }
slice() { rows "SELECT state, error FROM sources WHERE source = 'slice'"; }
told() { grep -c '^ALERT\|^RESOLVED' stdout; }
intervals() { sqlite3 t.db "SELECT name, count(*) FROM resource_interval WHERE kind = 'tpu' GROUP BY name ORDER BY name" | tr '\n' ' '; }

# ---- the list of policies has no answer from the region
later
is "one slice" "$(tpus)" "pod,running,RUNNING,16,43.2,3,1"
later "[{match: '$LISTS/resourcePolicies', body: '{\"kind\":\"compute#resourcePolicyAggregatedList\",\"items\":{\"regions/us-east5\":{\"warning\":{\"code\":\"UNREACHABLE\"}}}}'}]"
is "no topology: the slice is as it was" "$(tpus)" "pod,running,RUNNING,16,43.2,3,0"
is "no topology: nothing is told" "$(told)" 0
later
is "the topology again: the same slice" "$(tpus) $(intervals)" "pod,running,RUNNING,16,43.2,3,1 pod|1 "

# ---- a list is refused
for list in instanceGroupManagers resourcePolicies; do
	for i in 1 2; do
		later "[{match: '$LISTS/$list', status: 403}]"
		is "$list: the slice is as it was" "$(tpus)" "pod,running,RUNNING,16,43.2,3,0"
		is "$list: nothing is told" "$(told)" 0
		has "$list: the source says so" "$(slice)" "partial,\"slices stay as they were"
	done
	later
	is "$list again: the same slice" "$(tpus) $(intervals)" "pod,running,RUNNING,16,43.2,3,1 pod|1 "
done

# ---- a list is empty
EMPTY='{"kind":"x","items":{}}'
for list in instanceGroupManagers resourcePolicies; do
	later "[{match: '$LISTS/$list', body: '$EMPTY'}]"
	is "$list is empty: the slice is as it was" "$(tpus)" "pod,running,RUNNING,16,43.2,3,0"
	is "$list is empty: nothing is told" "$(told)" 0
	has "$list is empty: the source says so" "$(slice)" "partial,lab-one/tpu/us-east5-a/pod stays as it was"
	later
	is "$list has it again: the same slice" "$(tpus) $(intervals)" "pod,running,RUNNING,16,43.2,3,1 pod|1 "
done
later "[{match: '$LISTS/instanceGroupManagers', body: '$EMPTY'}]"
later "[{match: '$LISTS/instanceGroupManagers', body: '$EMPTY'}]"
is "two lists without the group: its machines have outlived it" "$(tpus | cut -d, -f1,7 | tr '\n' ' ')" \
	"pod-0001,1 pod-0002,1 pod-0003,1 pod-0004,1 "
later
patch "remove: {instances: [$(for i in 1 2 3 4; do printf '{name: pod-000%s},' $i; done)]}"
later "[{match: '$LISTS/instanceGroupManagers', status: 403}]"
is "it ends with its machines, although its group cannot be seen" "$(tpus)" ""
later
curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
later "[{match: '$LISTS/resourcePolicies', status: 403}]"
later "[{match: '$LISTS/resourcePolicies', status: 403}]"
is "a list that was always refused: each host is a TPU" "$(tpus | cut -d, -f1,7 | tr '\n' ' ')" "pod-0001,1 pod-0002,1 pod-0003,1 pod-0004,1 "

# ---- groups without machines, more than are asked for their template at once, and a request of one
{
	sed 's/, hosts: 4//' world.yaml
	for i in $(seq -w 25); do echo "  - {zone: us-east5-a, name: pod$i, type: ct6e-standard-4t, topology: 4x4, target: 4, created: -3h}"; done
	echo '  - {zone: us-east5-a, name: flex, type: ct6e-standard-4t, target: 0, created: -3h, provisioning: flex-start}'
	echo 'resize_requests: [{zone: us-east5-a, group: flex, name: more, by: 3, created: -1h}]'
} >vacant.yaml
curl -sf -X POST --data-binary @vacant.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
later
later
seen() { rows "SELECT kind, raw_state, MIN(topology), COUNT(*), SUM(complete) FROM resources WHERE kind IN ('tpu', 'queued') GROUP BY kind, raw_state ORDER BY kind"; }
ALL="queued,ACCEPTED,,1,1
tpu,0 of 4 creating,4x4,26,26"
is "a row for each" "$(seen)" "$ALL"
for list in aggregated/instanceGroupManagers resourcePolicies resizeRequests instanceTemplates; do
	[ $list != instanceTemplates ] || late=$((late + 90000)) # they are read every day
	later "[{regex: '$list', status: 403}]"
	case $list in
	aggregated/*) want=${ALL%26}0 ;;
	resizeRequests) want=$(echo "$ALL" | sed 's/1,1$/1,0/') ;;
	*) want=$ALL ;;
	esac
	is "$list: all are as they were" "$(seen)" "$want"
	is "$list: none has ended" "$(grep -c '^RESOLVED' stdout)" 0
	later
	is "$list again" "$(seen)" "$ALL"
done
late=$((late + 90000))
later
is "a day later: those whose template is read later are as they were" "$(seen)" "$ALL"
is "it was one state all the time" "$(sqlite3 t.db "SELECT COUNT(*), COUNT(DISTINCT id) FROM resource_interval WHERE kind IN ('tpu', 'queued')")" "27|27"

# ---- the list of machines is refused or incomplete
curl -sf -X POST --data-binary @world.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
later
later "[{match: '$LISTS/instances', status: 403}]"
is "no machines: the slice is as it was" "$(tpus)" "pod,running,RUNNING,16,43.2,3,0"
is "no machines: so are its hosts" "$(rows "SELECT SUM(complete), COUNT(*) FROM hosts")" "0,4"
has "no machines: the source fails, too" "$(slice)" "failed,list Compute Engine instances"
later "[{match: '$LISTS/instances', body: '{\"kind\":\"x\",\"items\":{\"zones/us-east5-a\":{\"warning\":{\"code\":\"UNREACHABLE\"}}}}'}]"
is "no answer from the zone: the slice is as it was" "$(tpus)" "pod,running,RUNNING,16,43.2,3,0"
is "no answer from the zone: the source says so" "$(slice)" "partial,no answer from us-east5-a"
patch "groups: [{zone: us-east5-a, name: new, type: ct6e-standard-4t, topology: 4x4, target: 4, created: -1h}]
instances: [$(for i in 1 2 3 4; do printf '{zone: us-east5-a, name: new-000%s, type: ct6e-standard-4t, created: -1h, created_by: projects/101/zones/us-east5-a/instanceGroupManagers/new},' $i; done)]"
later "[{match: '$LISTS/instances', body: '{\"kind\":\"x\",\"items\":{\"zones/us-east5-a\":{\"warning\":{\"code\":\"UNREACHABLE\"}}}}'}]"
is "no answer from the zone: a new slice is not one without machines" "$(tpus | cut -d, -f1,3)" "pod,RUNNING"
later
is "all machines: both run" "$(tpus | cut -d, -f1,3,7)" "new,RUNNING,1
pod,RUNNING,1"
