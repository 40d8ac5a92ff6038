# Projects of an organization that Cloud Asset Inventory shows as empty are not asked about resources, for some hours.
. "$ROOT/tests/cli/lib-index.sh"
# world [LINES]: an organization of a project with a machine, one with a bucket, and three empty ones
world() {
	cat <<EOF
name: organization
asset_lag: $lag
projects:
  - {id: busy-one, number: "100000000001"}
  - {id: store-one, number: "100000000002"}
  - {id: void-001, number: "100000000003"}
  - {id: void-002, number: "100000000004"}
  - {id: void-003, number: "100000000005"}
zones: [us-central1-a]
instances:
  - {project: busy-one, zone: us-central1-a, name: vm-1, type: n1-standard-8, created: -20d}
buckets:
  - {project: store-one, name: data, location: us-central1, created: -20d}
${1:-}
EOF
}
searches() { grep searchAllResources asked | grep -c compute.googleapis.com; }
# db SQL: its value
db() { sqlite3 t.db "$1"; }

lag=0m
world >world.yaml
start_sandbox "$work/world.yaml"
config_one "poll: {instances: 15m, metrics: 15m, quotas: 2h}"
sed -i 's/^projects: .*/projects: {organization: 8}/' tpucost.yaml

turn 0
status "the first pass" 0
is "a new project is asked for everything" "$(lists busy-one) $(lists store-one) $(lists void-001) $(lists void-002)" "11 11 11 11"
is "the index was searched" "$(searches)" 1

turn 900
status "the second pass" 0
is "one with a machine is asked for everything" "$(lists busy-one)" 11
is "one with a bucket for that" "$(lists store-one)" 1
is "an empty one for nothing" "$(lists void-001) $(lists void-002) $(lists void-003)" "0 0 0"
is "not for metrics either" "$(grep -c '"path":"/v3/projects/void' asked)" 0
is "that the index shows nothing is stored, with its time" \
	"$(db "SELECT COUNT(*), MIN(last_success - $NOW), MAX(asked - $NOW) FROM source_status WHERE project = 'void-001' AND asked < last_attempt")" \
	"10|900|0"
run tpucost sources --project void-001 --format json
is "and shown" "$(jq -r '.[] | select(.source == "vm") | "\(.state) \(.last_success) \(.asked) \(.stale) \(.complete)"' stdout)" \
	"empty $(at 900) $(at 0) 0 1"
is "a bucket alone is no reason to ask for machines" "$(db "SELECT group_concat(source, ' ') FROM (
	SELECT source FROM source_status WHERE project = 'store-one' AND asked = last_attempt
		AND poll_group = 'instances' ORDER BY source)")" bucket

vm_in_void='disks: [{project: void-001, zone: us-central1-a, name: vm-9, type: pd-ssd, size_gb: 10, created: now}]'
world "$vm_in_void" | post world
turn 900
is "what the index shows is asked in that pass" "$(lists void-001) $(lists void-002)" "11 0"
is "and found" "$(db "SELECT id FROM resource WHERE project = 'void-001'")" void-001/disk/us-central1-a/vm-9

lag=24h
world "$vm_in_void" | post world
turn 900
is "what is known is asked although the index does not show it" "$(lists void-001)" 11
world | post world
turn 900
is "that it is gone was seen by two lists" "$(grep -c '"path":"/compute/v1/projects/void-001/aggregated/disks"' asked)" 2
is "and its interval ends" "$(db "SELECT COUNT(*), MAX(ends - $NOW) FROM resource_interval WHERE project = 'void-001'")" "1|$((clock - NOW))"

# it was last asked by the passes before: not again for three hours
world 'nodes: [{project: void-002, zone: us-central1-a, name: tpu-1, type: v3-8, created: now}]' | post world
late=0
while [ $late -lt 24 ] && [ -z "$(db "SELECT 1 FROM resource WHERE project = 'void-002'")" ]; do
	late=$((late + 1))
	turn 900
done
is "what the index does not show is found after some hours" \
	"$(db "SELECT id FROM resource WHERE project = 'void-002'") $(((clock - NOW) / 900))" \
	"void-002/tpu/us-central1-a/tpu-1 20"
is "nothing was old meanwhile" "$(db "SELECT COUNT(*) FROM alert WHERE rule = 'source-stale'")" 0
is "the inventory counts as watched without a gap" \
	"$(db "SELECT MAX(watched_since) - $NOW FROM source_status WHERE project = 'void-003' AND source = 'vm'")" 0
