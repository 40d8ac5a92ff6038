# A slice whose machines are created again, with the number of its group, is a new TPU for grants: history, use of the
# grant and sums agree with `ps`.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: again
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a, us-east5-b]
groups:
  - {zone: us-east5-a, name: young, id: "98", type: ct6e-standard-4t, topology: 2x4, target: 2, hosts: 2, created: -3d}
  - {zone: us-east5-b, name: first, id: "99", type: ct6e-standard-4t, topology: 2x4, target: 2, hosts: 2, created: -5h}
nodes:
  - {zone: us-east5-b, name: second, type: v6e-8, state: READY, created: -4h}
W
start_sandbox world.yaml
config_one "grants: [{name: a, starts: $(day -1), days: 30, tpus: [8 on-demand v6e chips in zone us-east5-a]},
  {name: b, starts: $(day -1), days: 30, tpus: [8 on-demand v6e chips in zone us-east5-b]}]"
patch() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null || flunk "patch" "$1"; }
poll() { # SECONDS
	set_clock =$((NOW + $1))
	run tpucost collect -q
}
host() { # ZONE GROUP NUMBER
	printf '{zone: %s, name: %s-000%s, type: ct6e-standard-4t, created: "%s", created_by: %s},' "$1" "$2" "$3" \
		"$(at 840)" "projects/101/zones/$1/instanceGroupManagers/$2"
}
poll 0
patch "groups: [{zone: us-east5-a, name: young, target: 0}, {zone: us-east5-b, name: first, target: 0}]
remove: {instances: [{name: young-0001}, {name: young-0002}, {name: first-0001}, {name: first-0002}]}"
poll 600
patch "groups: [{zone: us-east5-a, name: young, target: 2}, {zone: us-east5-b, name: first, target: 2}]
instances: [$(for i in 1 2; do host us-east5-a young $i; host us-east5-b first $i; done)]"
poll 900
poll 8040
rows() { tpucost "$@" --format csv 2>/dev/null | tr -d '\r' | tail -n +2; }
is "now" "$(rows ps --columns name,covered,net_per_hour | sort)" "first,0,21.6
second,1,0
young,1,0"
is "the whole history: others took the room" "$(rows coverage --since "$(day -3)" --columns id,covered,starts,net | sort)" \
	"lab-one/tpu/us-east5-a/young,0,2026-11-15T10:00:00Z,820.8
lab-one/tpu/us-east5-a/young,0,2026-11-17T00:00:00Z,738
lab-one/tpu/us-east5-a/young,1,2026-11-18T10:14:00Z,0
lab-one/tpu/us-east5-b/first,0,2026-11-18T10:14:00Z,43.2
lab-one/tpu/us-east5-b/first,1,2026-11-18T05:00:00Z,0
lab-one/tpu/us-east5-b/second,0,2026-11-18T06:00:00Z,90
lab-one/tpu/us-east5-b/second,1,2026-11-18T10:10:00Z,0"
is "use of the grants" "$(rows grant list --columns name,covered_chip_hours,saved)" "a,16,43.2
b,57.8667,156.24"
is "costs of a day" "$(rows burn --by resource --columns resource,net_per_hour,net_24h | sort)" \
	"lab-one/tpu/us-east5-a/young,0,473.76
lab-one/tpu/us-east5-b/first,21.6,43.2
lab-one/tpu/us-east5-b/second,0,90"
