# TPU quotas of both services: family, pool, use, chips held by what is of no use, and which one is too small.
. "$ROOT/tests/cli/lib.sh"

write_world quotas "us-east5-a, us-east5-b, us-central1-a, europe-west4-a" <<'EOW'
nodes:
  - {project: lab-one, zone: europe-west4-a, name: gone, type: v3-8, state: PREEMPTED, created: -10h}
  - {project: lab-one, zone: europe-west4-a, name: works, type: v3-8, created: -10h}
queued:
  - {project: lab-one, zone: us-east5-a, name: hung, type: v6e-8, state: SUSPENDED, spot: true, created: -3d}
instances:
  - {project: lab-one, zone: us-east5-a, name: one, type: ct6e-standard-8t, spot: true, created: -5h}
  - {project: lab-one, zone: us-east5-a, name: off, type: ct6e-standard-8t, spot: true, status: TERMINATED, created: -5h}
groups:
  # half deleted: 6 of 16 hosts are left, with 24 chips
  - {project: lab-one, zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 8x8, target: 16, hosts: 6, provisioning: spot, created: -5h}
limits:
  - {project: lab-one, service: compute.googleapis.com, quota: CPUS-per-project-region, metric: compute.googleapis.com/cpus, region: us-east5, value: "96"}
  - {project: lab-one, service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
  - {project: lab-one, service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, value: "1536", locations: [us-central1, europe-west4]}
  - {project: lab-one, service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-zone, metric: compute.googleapis.com/preemptible_tpu_v6e, value: "-1", locations: [us-east5-a, us-east5-b]}
  - {project: lab-one, service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, region: us-east5, tpu_family: CT6E, value: "0"}
  - {project: lab-one, service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, region: us-central1, tpu_family: tpu7x, value: "16"}
  - {project: lab-one, service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, region: us-central1, tpu_family: CT9Z, value: "8"}
  - {project: lab-one, service: compute.googleapis.com, quota: TPUS-PER-TPU-FAMILY-per-project-region, metric: compute.googleapis.com/tpus_per_tpu_family, value: "-1", locations: [us-east5, us-central1, europe-west4]}
  - {project: lab-one, quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "40"}
metrics:
  - {project: lab-one, type: compute.googleapis.com/quota/tpus_per_tpu_family/usage, zone: us-central1, tpu_family: TPU7X, value: "4", from: -50h, every: 1h}
EOW
start_sandbox "$work/world.yaml"
config_one "grants:
  - name: trc
    starts: $(day -10)
    days: 30
    tpus:
      - 64 spot Cloud TPU v6e chips in zone us-east5-a
      - 4 on-demand Cloud TPU v6e chips in zone us-east5-a
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a"
run tpucost collect
status "collected" 0

# COLUMNS [WHERE]: of the TPU quotas
rows() {
	tpucost quota -q --format json --where "pool IS NOT NULL AND (${2:-1})" --sort-by "metric, location, dimensions" |
		jq -c ".[] | [$1]"
}
all=".quota, .location, .family, .pool, .limit_value, .used, .used_basis, .held, .percent"
# of Compute Engine chips; a limit that nobody set is not there; of the Cloud TPU API cores are used and chips held
is "family, pool, use and held" "$(rows "$all")" '["preemptible_tpu_v6e","europe-west4","v6e","preemptible",1536,0,"inventory",0,0]
["preemptible_tpu_v6e","us-central1","v6e","preemptible",1536,0,"inventory",0,0]
["preemptible_tpu_v6e","us-east5","v6e","preemptible",64,32,"inventory",24,50]
["tpus_per_tpu_family","us-central1",null,"on-demand",8,null,null,null,null]
["tpus_per_tpu_family","us-central1","tpu7x","on-demand",16,4,"google",0,25]
["tpus_per_tpu_family","us-east5","v6e","on-demand",0,0,"inventory",0,null]
["tpu-v3s","europe-west4-a","v3","on-demand",40,16,"inventory",4,40]'
is "other quotas have neither" "$(tpucost sql --format json "SELECT * FROM quotas WHERE metric LIKE '%cpus%'" | jq length)" 0
is "thousands of quotas are one list" "$(grep -c 'services/compute.googleapis.com/quotaInfos' requests)" 1

run tpucost grant
has "the line of the grant: the dead hosts" "$err" "note: trc, v6e spot in us-east5-a: granted 64 chips; quota PREEMPTIBLE-TPU-V6E of lab-one limits use to 64, of which 24 are held by dead resources; other quotas: TPUS-PER-TPU-FAMILY 0"
has "no quota on demand" "$err" "note: trc, v6e on-demand in us-east5-a: granted 4 chips; quota TPUS-PER-TPU-FAMILY of lab-one limits use to 0; other quotas: PREEMPTIBLE-TPU-V6E 64"
has "in cores" "$err" "granted 20 chips; quota TPUV3s of lab-one limits use to 20 (40 cores), of which 4 are held by dead resources"
run tpucost quota
has "the quotas say it too" "$err" "quota PREEMPTIBLE-TPU-V6E of lab-one limits use to 64, of which 24 are held by dead resources; other quotas: TPUS-PER-TPU-FAMILY 0"
run tpucost quota -q
is "unless they are to be quiet" "$err" ""

LC_ALL=C PYTHONCOERCECLOCALE=0 NO_COLOR=1 TERM=xterm run python3 "$ROOT/tests/support/run/terminal.py" 80x24 "$B/tpucost" quota </dev/null
has "in 80 columns: the heads" "$out" "quota            location        family  pool         value  used  held  percent"
has "and a row" "$out" "preemptible_t..  us-east5        v6e     preemptible     64    32    24     50.0"

run tpucost why quota:lab-one/us-east5/compute.googleapis.com/preemptible_tpu_v6e
has "who counted" "$(echo $out)" "used 32 [inventory] held 24 chips pool preemptible v6e"
run tpucost report daily --format json
is "the daily report" "$(jq -c '[.quotas[] | select(.held > 0) | [.family, .pool, .used, .held]]' stdout)" \
	'[["v6e","preemptible",32,24],["v3","on-demand",16,4]]'

# machines count against the quotas of Compute Engine, nodes against those of the Cloud TPU API
run tpucost estimate --tpu ct6e-standard-4t:9 --spot --zone us-east5-a
has "estimate: machines" "$(echo $out)" "limit 64 preemptible_tpu_v6e in us-east5, 32 used, 36 more exceed it"
run tpucost estimate --tpu v6e-64 --spot --zone us-east5-a
is "estimate: a node" "$(grep -c preemptible_tpu_v6e stdout)" 0

# what was held is free once it is gone
curl -fsS -X POST --data-binary "remove: {nodes: [{name: gone}]}" "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q && tpucost collect -q
is "nothing is held then" "$(rows ".used, .held" "quota = 'tpu-v3s'")" '[8,0]'
run tpucost grant
is "and the grant has its quota" "$(grep -c TPUV3s stderr)" 0

# a quota that Google cannot tell of is unknown, not 0
curl -fsS -X POST --data-binary "unreachable: {compute: [us-east5-a]}" "$url/_sandbox/world/patch" >/dev/null
run tpucost collect -q
status "a zone is not reached" 4
is "then use is unknown" "$(rows ".used, .held" "quota = 'preemptible_tpu_v6e' AND location = 'us-east5'")" '[null,null]'
