# A slice of several machines is one row. `ps --all` lists its hosts below it; they count nowhere twice.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: hosts
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central1-a]
groups:
  - {zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x4, target: 4, hosts: 4, created: -3h, labels: {owner: ada}}
  - {zone: us-east5-a, name: iron, type: tpu9z-standard-4t, topology: 2x2x2, target: 2, hosts: 2, created: -3h}
  - {zone: us-east5-a, name: loose, type: ct6e-standard-1t, target: 1, hosts: 1, created: -3h}
  - {zone: us-east5-a, name: gke, type: ct6e-standard-1t, target: 1, hosts: 1, created: -3h,
     labels: {goog-k8s-node-pool-name: pool-1}}
nodes:
  - {zone: us-east5-a, name: by-api, type: v6e-4, topology: 2x2, created: -3h}
  - {zone: us-east5-a, name: queued-0, type: v6e-1, queued: line, created: -3h}
queued: [{zone: us-east5-a, name: line, type: v6e-1, node: queued-0, state: ACTIVE, created: -3h}]
instances:
  - {zone: us-east5-a, name: lone, type: ct6e-standard-8t, created: -3h}
  - {zone: us-central1-a, name: off, type: n1-standard-1, status: TERMINATED, created: -10d}
W
start_sandbox world.yaml
config_one
tpucost collect -q >/dev/null 2>&1
rows() { tr -d '\r' <stdout | tail -n +2; }

# ---- for programs
run tpucost ps --format json
cp stdout few.json
is "without --all there are no hosts" "$(jq -c 'map(select(.kind == "host" or .slice)) | length' stdout)" 0
run tpucost ps --all --format json
cp stdout all.json
is "each slice is followed by its hosts" "$(jq -r '[.[] | select(.slice or (.type // "" | contains(" x "))) | .name] | join(" ")' stdout)" \
	"iron iron-0001 iron-0002 pod pod-0001 pod-0002 pod-0003 pod-0004"
is "the others are as before" "$(jq -c '[.[] | select(.slice | not) | .name]' stdout)" \
	"$(jq -c '[.[].name] | index("line") as $i | .' few.json | sed 's/]$/,"off"]/')"
is "of which each has the id" "$(jq -r '.[] | select(.name == "pod-0003") | "\(.id) \(.kind) \(.slice) \(.state) \(.type) \(.location) \(.provisioning) \(.created) \(.labels)"' stdout)" \
	"lab-one/host/us-east5-a/pod-0003 host lab-one/tpu/us-east5-a/pod running ct6e-standard-4t us-east5-a on-demand $(at -10800) {\"owner\":\"ada\"}"
is "chips and money are those of the slice" "$(jq -c '.[] | select(.name == "pod-0003") | [.chips, .hosts, .gross_per_hour, .net_per_hour, .covered, .why]' stdout)" \
	"[null,null,null,null,null,null]"
is "a TPU with one host is one row" "$(jq -c '[.[] | select(.name | startswith("loose")) | .kind]' stdout)" '["tpu"]'
sums() { jq -c '[(map(.chips // 0) | add), (map(.hosts // 0) | add), (map(.gross_per_hour // 0) | add * 10 | round), (map(.net_per_hour // 0) | add * 10 | round), (map(select(.kind == "tpu")) | length)]' "$1"; }
is "sums and counts are the same" "$(sums all.json)" "$(sums few.json)"
is "they are these" "$(sums all.json)" "[40,12,837,837,7]"
has "the run rate is not of hosts" "$(tpucost burn --format csv | tr -d '\r')" "lab-one,tpu,83.7,83.7,2008.8,2008.8,6,USD"
is "nor is the view that rules read" "$(tpucost sql --format csv "SELECT COUNT(*) FROM resources WHERE kind = 'host'" | tr -d '\r' | tail -1)" 0
run tpucost ps --all --format csv --columns name,made_by,topology,hosts --where "kind = 'tpu'" --sort-by name
is "what made each TPU" "$(rows)" "by-api,node,2x2,1
gke-0001,pool,,1
iron,group,2x2x2,2
lone,vm,,1
loose-0001,group,,1
pod,group,4x4,4
queued-0,queued,,1"
run tpucost ps --all --format csv --columns name --where "slice = 'lab-one/tpu/us-east5-a/pod'" --sort-by "-name" --limit 2
is "conditions, order and limit are those of all rows" "$(rows)" "pod-0004
pod-0003"

# ---- for readers
screen() { COLUMNS=80 NO_COLOR=1 script -qec "'$B/tpucost' ps $1" /dev/null </dev/null | tr -d '\r' | grep -E '^(tpu|host|total)'; }
is "80 columns: the hosts are below, without amounts" "$(screen --all | tr -s ' ' | head -8)" \
	"tpu iron 2 x tpu9z-standard-4t running - family-unknown
host iron-0001 tpu9z-standard-4t running - -
host iron-0002 tpu9z-standard-4t running - -
tpu pod 4 x ct6e-standard-4t running 43.20 no-grant
host pod-0001 ct6e-standard-4t running - -
host pod-0002 ct6e-standard-4t running - -
host pod-0003 ct6e-standard-4t running - -
host pod-0004 ct6e-standard-4t running - -"
is "within them" "$(screen --all | awk 'length($0) > 80' | wc -l)" 0
is "the total is the same" "$(screen --all | grep '^total' | tr -s ' ')" "$(screen "" | grep '^total' | tr -s ' ')"
is "which is" "$(screen "" | grep '^total' | tr -s ' ')" "total 83.70"
is "without --all there are none" "$(screen "" | grep -c '^host')" 0

# ---- what could not be read
curl -sf -X POST --data-binary '{unreachable: {compute: [us-east5-a]}}' "$url/_sandbox/world/patch" >/dev/null || flunk "patch"
tpucost collect -q >/dev/null 2>&1
run tpucost ps --all --format json
is "the hosts are as they were" "$(jq -c '[.[] | select(.kind == "host") | .complete] | [length, add]' stdout)" "[6,0]"

# ---- hosts of nodes of the Cloud TPU API
cat >nodes.yaml <<W
name: nodes
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-central2-b]
nodes:
  - {zone: us-central2-b, name: wide, type: v4-128, topology: 4x4x4, hosts: 16, created: $(at -10800), spot: true, labels: {owner: ada}}
  - {zone: us-east5-a, name: one, type: v6e-4, topology: 2x2, hosts: 1, created: -3h}
  - {zone: us-east5-a, name: line-0, type: v6e-16, topology: 4x4, hosts: 4, queued: line, created: -3h}
queued: [{zone: us-east5-a, name: line, type: v6e-16, node: line-0, state: ACTIVE, created: -3h}]
W
curl -sf -X POST --data-binary @nodes.yaml "$url/_sandbox/world" >/dev/null || flunk "world" nodes.yaml
rm -f t.db*
tpucost collect -q >/dev/null 2>&1
run tpucost ps --format json
cp stdout few.json
run tpucost ps --all --format json
cp stdout all.json
is "each endpoint of a node is a host, in the order of its workers" \
	"$(jq -r '[.[] | select(.slice == "lab-one/tpu/us-central2-b/wide") | .name] | join(" ")' stdout)" \
	"wide-w-0 wide-w-1 wide-w-2 wide-w-3 wide-w-4 wide-w-5 wide-w-6 wide-w-7 wide-w-8 wide-w-9 wide-w-10 wide-w-11 wide-w-12 wide-w-13 wide-w-14 wide-w-15"
is "which follow it" "$(jq -r '[.[].name] | index("wide-w-0") - index("wide")' stdout)" 1
is "of which each is as the node" "$(jq -r '.[] | select(.name == "wide-w-11") | "\(.id) \(.kind) \(.state) \(.type) \(.location) \(.provisioning) \(.created) \(.labels) \(.chips) \(.net_per_hour)"' stdout)" \
	"lab-one/host/us-central2-b/wide-w-11 host running null us-central2-b spot $(at -10800) {\"owner\":\"ada\"} null null"
is "also of a queued resource" "$(jq -r '[.[] | select(.slice == "lab-one/tpu/us-east5-a/line-0") | .name + " " + .raw_state] | join(", ")' stdout)" \
	"line-0-w-0 READY, line-0-w-1 READY, line-0-w-2 READY, line-0-w-3 READY"
is "a node of one host is one row" "$(jq -c '[.[] | select(.name | startswith("one")) | .name]' stdout)" '["one"]'
is "nodes: sums and counts are the same" "$(sums all.json)" "$(sums few.json)"
is "nodes: they are these" "$(sums few.json)" "$(jq -c '[100, 25, ([.[].gross_per_hour // 0] | add * 10 | round), ([.[].net_per_hour // 0] | add * 10 | round), 3]' few.json)"
has "nodes: the run rate is that of the nodes" "$(tpucost burn --format csv | tr -d '\r')" "lab-one,tpu,$(jq -r '[.[] | select(.kind == "tpu") | .gross_per_hour] | add' few.json),"
