# What is paid beside TPUs: disks, the machine that drives one, addresses.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-beside.sh"
world_beside hidden
cat >>world.yaml <<EOF
addresses:
  - {project: lab-one, region: us-central1, name: front, users: [pair], created: -10h}
EOF
start_sandbox "$work/world.yaml"
write_config
sed -i '/^billing:/d' tpucost.yaml
tpucost collect -q instances

# pd-ssd in europe-west4 is 0.187 a GiB and month of 730 hours, pd-standard in us-central1 0.04;
# n1-standard-1: 0.031611 + 3.75 x 0.004237
is "what goes with which TPU" "$(tpucost hidden -q --format csv --sort-by "name, kind" \
	--columns name,covered,kind,relation,certain,gross_per_hour,currency | tr -d '\r' | sed 1d)" \
	"good,1,disk,data-disk,1,0.187,USD
pair,0,disk,attached,0,0.04,USD
pair,0,vm,same-name,0,0.04749975,USD"
run tpucost hidden -q --format table
# 24 x 0.187 and 24 x 0.08749975
has "the free one" "$out" "your free v3-8 good in europe-west4-a costs 4.49 USD a day"
has "the other one" "$out" "your v3-8 pair in us-central1-a costs 2.10 USD a day in addition"
is "the slice has nothing" "$(echo "$out" | grep -c slice)" 0
run tpucost hidden -q --project lab-two --format table
is "nothing in the other project" "$rc" 0
# the disk goes on, and an address that nothing uses costs 0.01
is "what stays when the machine is stopped" \
	"$(tpucost ps -q --where "kind = 'vm'" --columns residual_per_hour,residual_currency --format csv | tr -d '\r' | tail -1)" "0.05,USD"
is "what stays of the TPU" \
	"$(tpucost ps -q --where "kind = 'tpu'" --columns name,residual_per_hour --sort-by name --format csv | tr -d '\r' | sed 1d)" \
	"good,0.187
pair,0
slice,0"
curl -sS -X POST "$url/_sandbox/world/patch" -d 'nodes: [{project: lab-one, zone: europe-west4-a, name: good, data_disks: []}]' >/dev/null
tpucost collect -q instances
is "a disk that was taken off" "$(tpucost hidden -q --where "name = 'good'" --format csv | tr -d '\r' | sed 1d)" ""
