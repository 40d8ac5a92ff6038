# When Cloud Asset Inventory does not answer, or not whole, every project is asked, as are those of which it cannot know.
. "$ROOT/tests/cli/lib-index.sh"
# world [LINES]: an organization of a project with 600 buckets, which are two pages of the index, and two empty ones
world() {
	cat <<EOF
name: organization
projects:
  - {id: busy-one, number: "100000000001"}
  - {id: void-001, number: "100000000003"}
  - {id: void-002, number: "100000000004"}
zones: [us-central1-a]
buckets:
$(seq -f '  - {project: busy-one, name: b-%g, location: us-central1, created: -20d}' 600)
${1:-}
EOF
}
db() { sqlite3 t.db "$1"; }
index() { db "SELECT state || COALESCE(' ' || error, '') FROM source_status WHERE source = 'index'"; }

world >world.yaml
start_sandbox "$work/world.yaml"
config_one "poll: {instances: 15m, metrics: 15m, quotas: 2h}"
sed -i 's/^projects: .*/projects: {organization: 8}/' tpucost.yaml
turn 0
turn 900
is "without a fault, empty projects are not asked" "$(lists void-001) $(lists void-002) $(index)" "0 0 ok"
is "two pages were read" "$(grep -c 'searchAllResources.*compute' asked)" 2

for fault in "status: 403" "status: 400" "how: truncate" \
	"body: '{\"results\":[{\"assetType\":\"storage.googleapis.com/Bucket\"}]}'" \
	"body: '{}'"; do
	post faults <<F
- {regex: "searchAllResources.*compute", $fault}
F
	turn 900
	is "every project is asked: $fault" "$(lists void-001) $(lists void-002) $(index | cut -d' ' -f1)" "11 11 failed"
	status "and it is said ($fault)" 4
	post faults </dev/null
	turn 900
	is "no project waits for a search that failed before" "$(lists void-001) $(lists void-002) $(index)" "11 11 ok"
done
turn 900
is "the next search counts again" "$(lists void-001) $(lists void-002) $(index)" "0 0 ok"

post faults <<F
- {regex: "searchAllResources.*compute.*pageToken", status: 500}
F
turn 900
is "a search of one page of two is no search" "$(lists void-001) $(lists void-002)" "11 11"
has "its page is named" "$(index)" "page 2"
is "what was stored stays" "$(db "SELECT COUNT(*) FROM resource")" 600
post faults </dev/null

post faults <<F
- {regex: "searchAllResources.*compute", status: 403}
F
turn 900
for i in 1 2 3; do turn 900; done
is "one alert tells of it" "$(db "SELECT subject FROM alert WHERE rule = 'source-stale'")" index/
run tpucost sources --format json
is "with the role to grant" "$(jq -r '.[] | select(.source == "index") | .fix' stdout | grep -c 'organizations add-iam-policy-binding 8.*roles/cloudasset.viewer')" 1
post faults </dev/null
turn 900
turn 900
is "which ends with the next search" "$(db "SELECT COUNT(*) FROM alert WHERE state = 'firing' AND rule = 'source-stale'")" 0

world "limits: [{project: void-001, service: tpu.googleapis.com, quota: TPUV3, metric: tpu.googleapis.com/tpu-v3, zone: us-central1-a, value: '8'}]" |
	post world
turn 7200
turn 900
is "a project with a TPU quota may have queued resources" "$(lists void-001) $(lists void-002)" "11 0"
db "DELETE FROM source_status WHERE source = 'tpu-quota' AND project = 'void-002'"
turn 900
is "so may one whose quotas were not read" "$(lists void-002)" 11
world | sed 's/"100000000003"/&, disabled: [tpu]/; s/"100000000004"/&, disabled: [compute]/' | post world
turn 25000
turn 900
is "one without the API has none" "$(lists void-001) $(lists void-002)" "0 0"
is "and its source stays disabled" "$(db "SELECT group_concat(state, ' ') FROM source_status WHERE source IN ('queued', 'tpu') AND project = 'void-001'")" "disabled disabled"

world "$(printf '%s\n' "limits: []")" | sed 's/^zones:/  - {id: fresh-one, number: "100000000005"}\n&/' | post world
turn 7200
is "a new project is asked" "$(lists fresh-one)" 11
before=$(wc -l <requests)
run tpucost collect
tail -n +$((before + 1)) requests >asked
is "collect asks every project, and not the index" "$(lists void-001) $(lists void-002) $(grep -c 'searchAllResources.*compute' asked)" "9 11 0"
