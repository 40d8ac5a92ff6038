# Answers about a time that look like more than they are: a disk that two TPUs share, budgets of all
# projects, TPUs that are machines, a time that is still to come.
. "$ROOT/tests/cli/lib.sh"
write_world shared "us-central1-a, us-west4-a" <<'WORLD'
nodes:
  - {project: lab-one, zone: us-central1-a, name: one, type: v3-8, created: -10h, data_disks: [set]}
  - {project: lab-one, zone: us-central1-a, name: two, type: v3-8, created: -10h, data_disks: [set]}
instances:
  - {project: lab-two, zone: us-west4-a, name: lite, type: ct5lp-hightpu-4t, created: -10h}
  - {project: lab-two, zone: us-west4-a, name: gone, type: ct5lp-hightpu-1t, created: -10h}
disks:
  - {project: lab-one, zone: us-central1-a, name: set, type: pd-standard, size_gb: 730, created: -10h}
WORLD
start_sandbox "$work/world.yaml"
write_config "budgets: [{name: month, amount: 50 USD, per: month}]"
sed -i '/^billing:/d' tpucost.yaml
run tpucost collect -q instances
status "the world is read" 0

# rows CMD...: of the answer as CSV
rows() {
	tpucost "$@" -q --format csv | tr -d '\r' | sed 1d
}
# pd-standard in us-central1 is 0.04 a GiB and month of 730 hours
is "a disk is in the rows of both TPUs" "$(rows hidden --since 4h --until 3h --columns name,kind,gross)" "one,disk,0.04
two,disk,0.04"
run tpucost hidden --since 4h --until 3h --format table
is "and is not added up" "$(echo "$out" | grep -c '^total')" 0
run tpucost hidden --columns name,part,gross_per_hour,currency --format table
is "nor is what it costs now" "$(echo "$out" | grep -c '^total')" 0

run tpucost budget --since 2d --project lab-two --format csv
has "budget --since --project: whose figures these are" "$err" "figures cover all projects that these budgets count"
run tpucost budget --since 2d --project lab-two --format csv -q
is "quietly" "$err" ""
run tpucost budget --since 2d --format csv
is "without a project it goes without saying" "$(echo "$err" | grep -c 'all that these')" 0

is "a time to come has nothing in it" "$(rows burn --since 2090-01-01)" ""
is "nor hours below zero" "$(rows sql --since 2090-01-01 'SELECT DISTINCT hours FROM period_known')" 0

# machines of the list of machines: whether TPU nodes were read says nothing of them
sed -i 's/number: "100000000002"/&, disabled: [tpu]/' world.yaml
curl -sS -X POST "$url/_sandbox/world" --data-binary @world.yaml >/dev/null
curl -sS -X POST "$url/_sandbox/world/patch" -d 'remove: {instances: [{name: gone}]}' >/dev/null
sqlite3 t.db "DELETE FROM source_status WHERE source = 'tpu'"
tpucost collect -q instances
tpucost collect -q instances
is "lite is there, and gone is gone" "$(rows ps --since 1h --where "kind = 'tpu' AND project = 'lab-two'" --sort-by name --columns name,is_there)" \
	"gone,0
lite,1"
is "known_hours are those of the list that they are in" \
	"$(rows ps --since 1h --where "kind = 'tpu' AND project = 'lab-two' AND known_hours IS NULL" --columns name)" ""
is "by category, too" "$(rows burn --since 1h --where "category = 'tpu' AND project = 'lab-two' AND known_hours IS NULL" --columns project)" ""
is "TPU nodes cannot be read" "$(rows sources --where "source = 'tpu' AND project = 'lab-two'" --columns state)" disabled
