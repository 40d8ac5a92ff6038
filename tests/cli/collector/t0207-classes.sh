# Provisioning classes and ends: machines, nodes and queued resources of every class, what the forecast
# makes of those that end by themselves, and what is said where Google does not state a class.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: classes
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-east5-a]
instances:
  - {zone: us-east5-a, name: flex, type: ct6e-standard-4t, created: -1h, provisioning: flex-start, run_limit: 4h}
  - {zone: us-east5-a, name: held, type: ct6e-standard-4t, created: -1h, provisioning: reserved}
  - {zone: us-central1-a, name: new, type: n1-standard-4, created: -1h, provisioning: new}
  - {zone: us-central1-a, name: night, type: n1-standard-4, created: -1h, ends: +2h}
disks:
  - {zone: us-east5-a, name: flex, type: pd-ssd, size_gb: 730, users: [flex]}
  - {zone: us-central1-a, name: night, type: pd-ssd, size_gb: 730, users: [night]}
nodes:
  - {zone: us-central1-a, name: made, type: v3-8, queued: wish, created: -1h}
  - {zone: us-central1-a, name: plain, type: v3-8, queued: usual, created: -1h}
queued:
  - {zone: us-central1-a, name: wish, type: v3-8, node: made, provisioning: flex-start, run_limit: 3h}
  - {zone: us-central1-a, name: usual, type: v3-8, node: plain}
W
start_sandbox world.yaml --now $NOW
config_one "grants: [{name: trc, starts: 2026-11-01, days: 30, new_only: false, tpus: [1 on-demand Cloud TPU v3-8 device(s) in zone us-central1-a]}]
budgets: [{name: day, amount: 1000 USD, per: day}]"
set_clock =$NOW
columns() { tpucost ps --all --quiet --format csv --columns "$1" --where "${2:-1}" --sort-by name,kind | tr -d '\r' | tail -n +2; }

# ---- every class, as Google states it
run tpucost collect
status "all of it was read" 0
is "class and end" "$(columns name,provisioning,ends "kind IN ('tpu', 'vm')")" "flex,flex-start,$(at 10800)
held,reserved,
made,flex-start,$(at 7200)
new,unknown,
night,on-demand,$(at 7200)
plain,on-demand,"
is "disks end with a machine that is deleted" "$(columns name,ends "kind = 'disk'")" "flex,$(at 10800)
night,"
is "the bound price is not that on demand" \
	"$(columns name,gross_per_hour,price_source "name IN ('flex', 'held', 'new') AND kind <> 'disk'")" "flex,5.4,builtin
held,,unknown
new,,unknown"
is "what the grant covers" "$(columns name,covered,why "kind = 'tpu'")" "flex,0,no-grant
held,0,no-grant
made,0,wrong-provisioning
plain,1,covered"
# until midnight, 14 h: flex and its disk 3 h, night 2 h and its disk 14 h; v3-8 has no flex-start price
is "the forecast ends with them" "$(tpucost budget --quiet --format json | jq '.[0] | .forecast - .unbilled')" \
	"$(echo "3*5.4 + 3*0.17 + 2*0.189999 + 14*0.17" | bc | sed 's/0*$//')"
has "why shows the end" "$(tpucost why vm/night)" "stopped; its disks are still charged"
has "and whose the price is" "$(tpucost why held)" "its price is that of its reservation"

# ---- the end comes
curl -sS -X POST "$url/_sandbox/clock" --data-binary '{"advance": 10800}' >/dev/null
set_clock =$((NOW + 10800))
run tpucost collect
is "deleted, stopped, and still there" "$(columns name,kind,state,ends)" "held,tpu,running,
new,vm,running,
night,disk,attached,
night,vm,stopped,
plain,tpu,running,
usual,queued,running,
wish,queued,suspended,"

# ---- v2alpha1 is refused
for code in 400 403 404; do
	curl -sS -X POST "$url/_sandbox/faults" --data-binary "[{match: GET /v2alpha1/, status: $code}]" >/dev/null
	rm -f t.db*
	run tpucost collect
	status "$code: v2 is read" 0
	is "$code: its class is not known" "$(columns name,provisioning "kind IN ('tpu', 'queued')")" "held,reserved
plain,unknown
usual,unknown
wish,unknown"
	is "$code: so nobody says that it is covered, or that it is not" \
		"$(columns name,covered,why,net_per_hour "name = 'plain'")" "plain,,provisioning-unknown,"
	has "$code: and why" "$(tpucost why plain | tr -s '\n ' '  ')" "the class of this one is unknown: Google does not state it"
	is "$code: no alert" "$(tpucost alerts --quiet --format json | jq -r '.[] | select(.rule == "tpu-not-covered") | .subject')" \
		lab-one/tpu/us-east5-a/held
done

# ---- refused after it was read: a class that is known stays so
rm -f t.db*
curl -sS -X POST "$url/_sandbox/faults" --data-binary '[]' >/dev/null
run tpucost collect
known() { columns name,kind,provisioning,complete "kind IN ('tpu', 'queued')"; }
before=$(known)
curl -sS -X POST "$url/_sandbox/faults" --data-binary "[{match: GET /v2alpha1/, status: 403}]" >/dev/null
run tpucost collect
is "refused once: the classes are as they were" "$(known)" "$before"
is "refused once: and were known" "$(echo "$before" | grep -c "on-demand\|flex-start\|reserved")" 4
curl -sS -X POST "$url/_sandbox/faults" --data-binary '[]' >/dev/null

# ---- a class that nobody has
sed 's/provisioning: reserved/provisioning: reserve/' world.yaml >bad.yaml
run "$B/sandbox" --port 0 bad.yaml
has "of a world" "$err" "bad.yaml:6:88: 'reserve' is not valid (expected one of: on-demand, spot, flex-start, reserved,"
cat >bad.yaml <<'W'
name: bad
projects: [{id: lab-one, number: "101"}]
zones: [us-east5-a]
groups: [{zone: us-east5-a, name: pod, type: ct6e-standard-4t, topology: 4x5, target: 5}]
W
run "$B/sandbox" --port 0 bad.yaml
has "of a world with a topology that nothing has" "$err" "bad.yaml:4:74: '4x5' is not a TPU topology, such as 4x4 or 2x2x2"
for of in "ct6e-standard-4t, topology: 2x2x2" "ct6e-standard-4t, pool_topology: 2x2x2" "tpu7x-standard-4t, topology: 4x4"; do
	sed "s/ct6e-standard-4t, topology: 4x5, target: 5/$of/" bad.yaml >other.yaml
	run "$B/sandbox" --port 0 other.yaml
	has "of a world with that of another family: $of" "$err" \
		"other.yaml:4:$(awk -v w="${of##* }" 'NR == 4 {print index($0, w "}")}' other.yaml): '${of##* }' is not a topology of ${of%%,*} (expected one of "
done
curl -sS -X POST "$url/_sandbox/world/patch" --data-binary "nodes: [{zone: us-east5-a, name: n, type: v6e-16, topology: 2x2x4}]" >patched
has "of a patch" "$(cat patched)" "patch:1:61: '2x2x4' is not a topology of v6e-16"
cat >trial.yaml <<'W'
config: none
timezone: UTC
start: 2026-11-02T09:00:00Z
steps:
  - resources:
      - {kind: tpu, name: pod, zone: us-east5-a, type: 4 x ct6e-standard-4t, topology: 4x5}
W
run tpucost rules test trial.yaml
status "of a world for rules" 2
has "with its place" "$err" "trial.yaml:6:88: '4x5' is not a topology of 4 x ct6e-standard-4t"
sed 's/topology: 4x5/provisioning: flexible/' trial.yaml >class.yaml
run tpucost rules test class.yaml
has "and a class" "$err" "class.yaml:6:92: "
run tpucost estimate - <<'C'
gcloud container node-pools create tpus --cluster=c --zone=us-east5-a --machine-type=ct6e-standard-4t --tpu-topology=4x5
C
has "and a pasted command" "$err" "--tpu-topology: '4x5' does not fit ct6e-standard-4t"
config_one "prices: [{tpu: v6e, zone: us-east5-a, per_chip_hour: 1 USD, provisioning: reserve}]"
run tpucost check
status "of the configuration" 2
has "with its place" "$err" "tpucost.yaml:6:75: expected on-demand, spot, flex-start or reserved"
config_one "prices: [{tpu: v6e, zone: us-east5-a, per_chip_hour: 1.22 USD, provisioning: reserved}]"
is "that of a reservation" "$(columns gross_per_hour,price_source "name = 'held'")" "4.88,config"
