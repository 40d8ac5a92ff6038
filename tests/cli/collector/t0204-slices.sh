# A slice that is a managed instance group is one resource, however many hosts it has. A group without a
# topology is that many TPUs, and one of other machines is none.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: slices
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central1-c]
groups:
  - {zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h,
     labels: {owner: ada}}
  - {zone: us-central1-c, name: iron, type: tpu7x-standard-4t, topology: 2x2x2, target: 2, hosts: 2,
     regional: true, provisioning: spot, created: -3h}
  - {zone: us-east5-a, name: half, type: ct6e-standard-4t, topology: 4x8, target: 8, hosts: 3, created: -3h}
  - {zone: us-east5-a, name: loose, type: ct6e-standard-1t, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: new, type: tpu9z-standard-4t, topology: 2x2x2, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: web, type: e2-standard-2, target: 1, hosts: 1, created: -3h}
instances:
  - {zone: us-east5-a, name: lone, type: ct6e-standard-8t, created: -3h}
disks:
  - {zone: us-east5-a, name: pod-0001, type: pd-balanced, size_gb: 100, users: [pod-0001]}
W
set_clock =$NOW
start_sandbox world.yaml
config_one
rows() { tpucost sql --format csv "$1" | tr -d '\r' | tail -n +2; }
tpus() { rows "SELECT name, type, raw_state, hosts, chips, $1 FROM resources WHERE kind = 'tpu'${2:+ AND name = '$2'} ORDER BY name"; }
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }

run tpucost collect
is "one row for each slice" "$(tpus 'topology, target_hosts, family, provisioning, gross_per_hour, why')" \
	"half,3 x ct6e-standard-4t,3 of 8 RUNNING,3,12,4x8,8,v6e,on-demand,32.4,no-grant
iron,2 x tpu7x-standard-4t,RUNNING,2,8,2x2x2,2,tpu7x,spot,,no-grant
lone,ct6e-standard-8t,RUNNING,1,8,,,v6e,on-demand,21.6,no-grant
loose-0001,ct6e-standard-1t,RUNNING,1,1,,,v6e,on-demand,2.7,no-grant
loose-0002,ct6e-standard-1t,RUNNING,1,1,,,v6e,on-demand,2.7,no-grant
new,2 x tpu9z-standard-4t,RUNNING,2,8,2x2x2,2,,on-demand,,family-unknown
pod,4 x ct6e-standard-4t,RUNNING,4,16,4x4,4,v6e,on-demand,43.2,no-grant"
is "its hosts are known" "$(rows "SELECT name, slice FROM hosts WHERE name LIKE 'half%' OR name LIKE 'loose%' ORDER BY name")" \
	"half-0001,lab-one/tpu/us-east5-a/half
half-0002,lab-one/tpu/us-east5-a/half
half-0003,lab-one/tpu/us-east5-a/half
loose-0001,lab-one/tpu/us-east5-a/loose-0001
loose-0002,lab-one/tpu/us-east5-a/loose-0002"
is "its history is that of one" "$(rows "SELECT COUNT(*) FROM resources WHERE name LIKE 'pod-%' AND kind <> 'disk'")" 0
is "an owner label of its hosts is its own" "$(rows "SELECT owner FROM resources WHERE name = 'pod'")" ada
run tpucost why pod
has "a disk of a host is its disk" "$out" "pod-0001"
has "what ends its cost, a group of a zone" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" \
	"gcloud compute instance-groups managed resize pod --size=0 --zone=us-east5-a --project=lab-one"
run tpucost why iron
has "and of a region" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" "--size=0 --region=us-central1 --project=lab-one"
run tpucost why loose-0002
has "and of one machine of a group" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" \
	"managed delete-instances loose --instances=loose-0002 --zone=us-east5-a"
run tpucost why half
has "a half-created slice says so" "$out" "3 of 8"

# ---- it grows, and ends
set_clock =$((NOW + 1800))
more=
for i in 4 5 6 7; do
	more="$more
  - {zone: us-east5-a, name: half-000$i, type: ct6e-standard-4t, created: -10m,
     created_by: projects/101/zones/us-east5-a/instanceGroupManagers/half}"
done
patch "instances:$more"
run tpucost collect
is "one host is missing" "$(tpus target_hosts half)" "half,7 x ct6e-standard-4t,7 of 8 RUNNING,7,28,8"
is "what it was is history" "$(sqlite3 t.db "SELECT type, ends - starts, ends - $NOW FROM resource_interval WHERE name = 'half' ORDER BY starts")" \
	"3 x ct6e-standard-4t|12000|1200
7 x ct6e-standard-4t||"
set_clock =$((NOW + 3600))
patch "remove: {instances: [$(for i in 1 2 3 4 5 6 7; do printf '{name: half-000%s},' $i; done)]}
groups: [{zone: us-east5-a, name: half, target: 0}]"
run tpucost collect
is "all hosts are gone" "$(tpus target_hosts half)" ""
is "the others are not" "$(tpus target_hosts pod)" "pod,4 x ct6e-standard-4t,RUNNING,4,16,4"

# ---- what could not be read does not end or change it
patch "unreachable: {compute: [us-east5-a]}"
run tpucost collect
is "a zone without a reply" "$(tpus complete pod)" "pod,4 x ct6e-standard-4t,RUNNING,4,16,0"
patch "unreachable: {}"
curl -sf -X POST --data-binary '[{match: "GET /compute/v1/projects/lab-one/aggregated/instanceGroupManagers", status: 503}]' "$url/_sandbox/faults" >/dev/null
run tpucost collect
is "groups that could not be listed" "$(tpus target_hosts pod)" "pod,4 x ct6e-standard-4t,RUNNING,4,16,4"
is "say so" "$(rows "SELECT source, state FROM sources WHERE state <> 'ok'")" "slice,failed"
curl -sf -X POST "$url/_sandbox/faults" >/dev/null
patch 'iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: ["compute.instances.*", "compute.disks.*", "compute.addresses.*", "compute.snapshots.*", "compute.projects.*", "tpu.*.*"]}]'
rm -f t.db* # a slice that is known would stay
run tpucost collect
is "without the permission each host is a TPU" "$(tpus target_hosts | grep -c '^pod')" 4
is "at the same price" "$(rows "SELECT SUM(gross_per_hour) FROM resources WHERE name LIKE 'pod%' AND kind = 'tpu'")" 43.2
overlaps() { # hours of hosts that count twice
	sqlite3 t.db "SELECT COUNT(*) FROM resource_interval s JOIN resource_interval h ON s.name = 'pod' AND h.name LIKE 'pod-%'
		AND s.kind = 'tpu' AND h.kind = 'tpu' AND h.starts < COALESCE(s.ends, 9e9) AND s.starts < COALESCE(h.ends, 9e9)"
}
is "no hour of a host counts twice" "$(overlaps)" 0
set_clock =$((NOW + 7200))
patch 'iam: []'
run tpucost collect
is "with it again they are one slice" "$(tpus target_hosts pod)" "pod,4 x ct6e-standard-4t,RUNNING,4,16,4"
is "and again no hour counts twice" "$(overlaps)" 0
is "each hour counts" "$(sqlite3 t.db "SELECT SUM(MIN(COALESCE(ends, $NOW + 7200), $NOW + 7200) - starts) / 3600 FROM resource_interval
	WHERE kind = 'tpu' AND (name = 'pod' OR name = 'pod-0001')")" 5

# ---- a group of the region that has the name of one of its zone
cat >twins.yaml <<W
name: twins
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups:
  - {zone: us-east5-a, name: pod, id: "54", type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -1h}
  - {zone: us-east5-a, regional: true, name: pod, id: "55", type: ct6e-standard-4t, topology: 2x4, target: 2, created: -1h}
instances: [$(for i in 1 2; do printf '{zone: us-east5-a, name: twin-%s, type: ct6e-standard-4t, created: -1h, created_by: projects/101/regions/us-east5/instanceGroupManagers/pod},' $i; done)]
W
curl -sf -X POST --data-binary @twins.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
run tpucost collect
is "both are counted" "$(rows "SELECT SUM(chips), COUNT(*), COUNT(DISTINCT id) FROM resources WHERE kind = 'tpu' AND name = 'pod'")" "24,2,2"

# ---- the last slice of a project ends
sed '/name: pod, id: "55"/d; /^instances/d' twins.yaml >one.yaml
curl -sf -X POST --data-binary @one.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
run tpucost collect
is "the only TPU is a slice" "$(tpus target_hosts)" "pod,4 x ct6e-standard-4t,RUNNING,4,16,4"
sed 's/target: 4, hosts: 4/target: 0/' one.yaml >none.yaml
curl -sf -X POST --data-binary @none.yaml "$url/_sandbox/world" >/dev/null
set_clock =$((NOW + 14400))
run tpucost collect
is "it is gone" "$(tpus target_hosts)" ""
is "and so are its hosts and its price" "$(rows "SELECT (SELECT COUNT(*) FROM hosts), (SELECT COUNT(*) FROM burn WHERE resources > 0)")" "0,0"
