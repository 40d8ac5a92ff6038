# An unreachable zone without a known TPU: the use of its quotas, and the chips they hold, are unknown, and not 0.
. "$ROOT/tests/cli/lib.sh"

write_world unread "us-east5-a, europe-west4-a" <<'EOW'
nodes:
  - {project: lab-one, zone: europe-west4-a, name: gone, type: v3-8, state: PREEMPTED, created: -10h}
limits:
  - {project: lab-one, quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "40"}
  - {project: lab-one, quota: TPUV6EPreemptiblePerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v6e-preemptible, zone: us-east5-a, value: "64"}
  - {project: lab-one, service: compute.googleapis.com, quota: PREEMPTIBLE-TPU-V6E-per-project-region, metric: compute.googleapis.com/preemptible_tpu_v6e, region: us-east5, value: "64"}
EOW
held() { tpucost sql --format json "SELECT metric, used, held FROM quotas WHERE pool IS NOT NULL ORDER BY metric" 2>/dev/null | jq -c 'map([.used, .held])'; }
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}]"
tpucost collect -q
is "all zones were read" "$(held)" "[[0,0],[8,4],[0,0]]"
cat - world.yaml >later.yaml <<'EOW'
queued:
  - {project: lab-one, zone: us-east5-a, name: hung, type: v6e-8, state: SUSPENDED, spot: true, created: -30m}
unreachable: {tpu: [us-east5-a]}
EOW
curl -fsS -X POST --data-binary @later.yaml "$url/_sandbox/world" >/dev/null
run tpucost collect -q
status "one is not reached" 4
is "only its own quota of the same API is unknown" "$(held)" "[[0,0],[8,4],[null,null]]"
run tpucost quota --held
has "the list may lack some" "$err" "note: what holds some quotas is not completely known"
curl -fsS -X POST --data-binary "unreachable: {tpu: []}" "$url/_sandbox/world/patch" >/dev/null
tpucost collect -q
is "then it is known" "$(held)" "[[0,0],[8,4],[8,8]]"

curl -fsS -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null <<'F'
- {match: "GET /v2alpha1/projects/lab-one/locations/-/nodes", body: '{"unreachable":["projects/lab-one/locations/-"]}'}
F
run tpucost collect -q
status "a part is not reached, and Google does not say where" 4
is "no quota of this API is known" "$(held)" "[[0,0],[null,null],[null,null]]"
run tpucost ps --all --format json
is "no node is gone" "$(jq -c '[.[] | select(.kind == "tpu") | [.name, .complete]]' stdout)" '[["gone",0]]'
