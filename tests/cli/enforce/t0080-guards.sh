# acts
# Guards and limits from the outside: of machines of every sort that all break an armed rule, those
# alone are stopped that may be. The oracle is the log of requests that change something.
. "$ROOT/tests/cli/lib.sh"

today=$(day 0 %Y%m%d)
yesterday=$(day -1 %Y%m%d)
cat >world.yaml <<W
name: guards
zones: [us-central1-a, us-central1-b, us-central1-f, us-central2-b]
projects: [{id: lab-one, number: 101}]
instances:
  - {zone: us-central1-b, name: plain, type: n1-standard-2, created: -3h, labels: {owner: ada, team: nlp}}
  - {zone: us-central1-b, name: keep-over, type: n1-standard-2, created: -3d, labels: {tpucost-keep: until-$yesterday}}
  - {zone: us-central1-b, name: spot, type: n1-standard-2, spot: true, created: -3h}
  - {zone: us-central1-b, name: keep, type: n1-standard-2, created: -3h, labels: {tpucost-keep: forever}}
  - {zone: us-central1-b, name: keep-today, type: n1-standard-2, created: -3h, labels: {tpucost-keep: until-$today}}
  - {zone: us-central1-b, name: keep-what, type: n1-standard-2, created: -3h, labels: {tpucost-keep: "yes"}}
  - {zone: us-central1-b, name: held, type: n1-standard-2, created: -3h}
  - {zone: us-central1-b, name: listed, type: n1-standard-2, created: -3h}
  - {zone: us-central1-b, name: ops, type: n1-standard-2, created: -3h, labels: {owner: ops}}
  - {zone: us-central1-b, name: locked, type: n1-standard-2, created: -3h, deletion_protection: true}
  - {zone: us-central1-b, name: scratch, type: n1-standard-2, created: -3h, local_ssds: 1}
  - {zone: us-central1-b, name: gke, type: n1-standard-2, created: -3h, labels: {goog-gke-node: ""}}
  - {zone: us-central1-b, name: mig, type: n1-standard-2, created: -3h, created_by: projects/101/zones/us-central1-b/instanceGroupManagers/g}
  - {zone: us-central1-b, name: flex, type: n1-standard-2, created: -3h, provisioning: flex-start}
  - {zone: us-central1-b, name: off, type: n1-standard-2, status: TERMINATED, created: -3h}
nodes:
  - {zone: us-central1-a, name: one-host, type: v3-8, created: -2h, labels: {owner: ben}}
  - {zone: us-central1-a, name: slice, type: v3-32, hosts: 4, created: -2h}
  - {zone: us-central1-a, name: slice-2, type: v3-32, created: -2h}
  - {zone: us-central1-f, name: spot-node, type: v2-8, spot: true, created: -2h}
  - {zone: us-central1-f, name: preempted, type: v2-8, spot: true, state: PREEMPTED, created: -2h}
  - {zone: us-central1-a, name: of-many, type: v3-8, created: -2h, multislice: true}
  - {zone: us-central2-b, name: q-node, type: v4-8, created: -2h, queued: q1, labels: {owner: cy}}
queued:
  - {zone: us-central2-b, name: q1, type: v4-8, state: ACTIVE, created: -2h, node: q-node}
W
start_sandbox world.yaml
changes() { jq -r 'select(.mutating) | .method + " " + (.path | sub(".*/(?<n>[^/]+/[^/]+)$"; "\(.n)"))' requests | sort; }
held() { tpucost sql "SELECT coalesce(held, state) AS s FROM actions WHERE name = '$1' ORDER BY id DESC LIMIT 1" --format csv | tail -1 | tr -d '\r'; }
# config RULE [KEY: VALUE...]: `then` of the rule, and more keys of enforcement
config() {
	cat >tpucost.yaml <<EOF2
timezone: UTC
projects: [lab-one]
credentials: service-account.json
rules:
  - name: all
    on: resources
    where: kind IN ('vm', 'tpu', 'queued') AND state IN ('running', 'preempted') $only
    severity: critical
    then: {$1, grace: 0m, armed: true}
notify: [{name: log, file: {path: told.jsonl}}]
enforcement:
  mode: armed
  projects: [lab-one]
EOF2
	shift
	for key in "$@"; do printf '  %s\n' "$key" >>tpucost.yaml; done
	printf 'endpoints: {all: "%s"}\n' "$url" >>tpucost.yaml
}
TPUCOST_CONFIG=tpucost.yaml
export TPUCOST_CONFIG
only=
protect="protect: \"COALESCE(owner, '') = 'ops'\""

# ---- outside the window, and over the limits, nothing at all
tomorrow=$(day 2 %a | tr 'A-Z' 'a-z')
config 'action: stop' "windows: [{days: $tomorrow, from: '09:00', to: '18:00'}]"
run tpucost run --once
is "outside the window nothing is changed" "$(changes)" ""
is "which is what holds it" "$(held plain)" window
run tpucost hold add held --until 3d
status "one is held" 0
config 'action: stop' 'max_per_run: 3' 'max_share: 100%' 'max_per_hour: 100' 'max_per_rule_hour: 100' \
	'exempt: [listed]' "$protect"
run tpucost run --once
is "one too many is none" "$(changes)" ""
is "the limit holds them" "$(held plain)" caps
has "and that is said" "$(tpucost sql "SELECT reason FROM actions WHERE name = 'plain'" --format csv)" \
	'limit reached: 4 due, at most 3 a run (enforcement.max_per_run)'

# ---- a person lets one of them pass
id=$(tpucost sql "SELECT id FROM actions WHERE name = 'plain' AND ended IS NULL" --format csv | tail -1 | tr -d '\r')
run tpucost enforce approve "$id"
status "one is approved" 0
config 'action: stop' 'max_per_run: 3' 'max_share: 100%' 'max_per_hour: 100' 'max_per_rule_hour: 100' \
	'exempt: [listed]' "$protect"
run tpucost run --once
is "that one is stopped and no other" "$(changes)" "POST plain/stop"

# ---- wide limits: all that may be, and nothing else
config 'action: stop' 'max_per_run: 100' 'max_share: 100%' 'max_per_hour: 100' 'max_per_rule_hour: 100' 'max_per_day: 100' \
	'exempt: [listed]' "$protect"
run tpucost run --once
is "those alone are stopped that may be" "$(changes)" "POST keep-over/stop
POST nodes/one-host:stop
POST plain/stop
POST spot/stop"
for case in scratch:local-ssd gke:managed slice:kind slice-2:kind spot-node:kind preempted:kind q-node:kind q1:kind flex:kind; do
	is "what holds ${case%%:*}" "$(held "${case%%:*}")" "${case#*:}"
done
run tpucost why slice-2
has "of one that lists one of its four hosts, why advises the same" "$(echo "$out" | tr -d '\\\n' | tr -s ' ')" \
	"gcloud compute tpus tpu-vm delete slice-2 "
is "what only a look could tell ends it" "$(tpucost sql "SELECT name, reason FROM actions WHERE state = 'failed' ORDER BY name" --format csv | tr -d '\r')" 'name,reason
locked,never acted on: its deletion protection is on
mig,never acted on: it belongs to the managed instance group g
of-many,never acted on: it is part of a multislice: no action is taken on a single node'
for name in keep keep-today keep-what held listed ops; do
	is "$name is exempt" "$(tpucost sql "SELECT count(*) AS n FROM actions WHERE name = '$name' AND (ended IS NULL OR sent IS NOT NULL)" \
		--format csv | tail -1 | tr -d '\r')" 0
done
is "why it is exempt can be read" "$(tpucost ps --where "exempt = 1" --columns name,exempt_why --sort-by name --format json |
	jq -r '.[] | select(.name != "held") | .name + ": " + .exempt_why')" "keep: label tpucost-keep=forever
keep-today: label tpucost-keep=until-$today
keep-what: label tpucost-keep has an invalid value: 'yes'"
is "the one that means nothing is told" "$(tpucost alerts --where "rule = 'keep-unreadable'" --format json | jq -r '.[].subject')" \
	lab-one/vm/us-central1-b/keep-what
has "the ends of the others too" "$(tpucost alerts --where "rule = 'keep-ending'" --format json | jq -r '.[].subject')" \
	lab-one/vm/us-central1-b/keep-today
run tpucost why lab-one/vm/us-central1-b/keep-today
has "and why says it" "$out" "label tpucost-keep=until-$today: no rule acts on it"

# ---- deleting needs two words, and spares what is labelled
only="AND name IN ('spot-node', 'preempted', 'q-node', 'q1', 'of-many')"
before=$(changes)
config 'action: delete, allow_delete: true' 'max_deletes_per_hour: 10' 'max_per_run: 100' 'max_share: 100%' 'max_per_hour: 100' \
	'max_per_rule_hour: 100' 'max_per_day: 100'
run tpucost run --once
is "one of the two words is not enough" "$(changes)" "$before"
is "which is what holds it" "$(held preempted)" delete
curl -s "$url/_sandbox/world/patch" --data-binary 'nodes: [{zone: us-central2-b, name: q-node, labels: {tpucost-keep: forever}}]' >/dev/null
run tpucost collect instances
config 'action: delete, allow_delete: true' 'allow_delete: true' 'max_deletes_per_hour: 10' 'max_per_run: 100' 'max_share: 100%' \
	'max_per_hour: 100' 'max_per_rule_hour: 100' 'max_per_day: 100'
run tpucost run --once
is "leftovers and spot nodes are deleted, and nothing with a label" \
	"$(changes | grep -v '^POST')" "DELETE nodes/preempted
DELETE nodes/spot-node"
curl -s "$url/_sandbox/world/patch" --data-binary 'nodes: [{zone: us-central2-b, name: q-node, labels: {owner: cy}}]' >/dev/null
run tpucost collect instances
run tpucost run --once
is "a queued resource goes with its nodes, when none is protected" \
	"$(changes | grep queued)" "DELETE queuedResources/q1"
