# The age of a built-in price, wherever it decides a figure: in ps, why, estimate and the reports, once on each, and
# nowhere where another price does.
. "$ROOT/tests/cli/lib.sh"
write_world age us-central1-b,us-east5-a <<'W'
instances: [{zone: us-central1-b, name: box, type: n1-standard-4, created: -2h}]
disks: [{zone: us-central1-b, name: data, type: pd-standard, size_gb: 100, created: -2h}]
nodes: [{zone: us-east5-a, name: chip, type: v6e-8, created: -2h}]
skus:
  - {service_id: 6F81-5844-456A, service: Compute Engine, id: AAAA-0001-0001, name: "TpuV6e running in Columbus", group: TPU, regions: [us-east5], price: 3}
W
start_sandbox world.yaml
config_one
set_clock =$NOW
flat() { tr -s ' \n' ' ' <"$1"; }
says() { flat "$1" | grep -o '[A-Z][-A-Za-z0-9 ]*list of 20[-0-9]*[^,.;:]*' | sort | uniq -c | sed 's/^ *//'; }
tpucost collect vm disk tpu >/dev/null 2>&1

# ---- ps: once, the oldest of those shown
run tpucost ps
is "a note" "$(grep "list of" stderr)" "note: the prices of 3 rows are from the built-in list of 2026-07-02 (139 days old)"
run tpucost ps --where "kind = 'vm'"
is "of what is shown" "$(grep "list of" stderr)" "note: the price of 1 row is from the built-in list of 2026-07-30 (111 days old)"
for args in "--quiet" "--columns name" "--where 0"; do
	eval "run tpucost ps $args"
	is "none: $args" "$(grep -c "list of" stderr)" 0
done
is "as a column" "$(tpucost ps --quiet --format csv --columns name,price_source,price_date --sort-by name | tr -d '\r')" \
	"name,price_source,price_date
box,builtin,2026-07-30
chip,builtin,2026-07-02
data,builtin,2026-07-30"

# ---- why, estimate
run tpucost why box
is "each term" "$(flat stdout | grep -o "builtin of 2026-07-30 (111 days old)" | wc -l)" 2
run tpucost why chip
has "of a TPU" "$(flat stdout)" "[builtin of 2026-07-02 (139 days old)]"
run tpucost estimate --vm n1-standard-4 --zone us-central1-b
has "estimate" "$(flat stdout)" "builtin list of 2026-07-30 (111 days old); a month"
is "and as data" "$(tpucost estimate --vm n1-standard-4 --zone us-central1-b --format json -q | jq -c '[.[0].price_source, .[0].price_date]')" '["builtin","2026-07-30"]'

# ---- reports: one sentence
run tpucost report --quiet
is "daily" "$(says stdout)" "1 The prices of 3 resources are from the built-in list of 2026-07-02 (139 days old)"
run tpucost report weekly --quiet
is "weekly" "$(says stdout)" "1 The prices of 3 resources are from the built-in list of 2026-07-02 (139 days old)"

# ---- the catalogue replaces one of them
tpucost collect >/dev/null 2>&1
run tpucost ps
is "those that are left" "$(grep "list of" stderr)" "note: the prices of 2 rows are from the built-in list of 2026-07-30 (111 days old)"
run tpucost why chip
is "none of the catalogue" "$(grep -c "days old" stdout)" 0

# ---- a list of a month is not old
for date in 2026-08-30T12:00:00Z 2026-08-31T12:00:00Z; do
	set_clock "=$date"
	run tpucost ps --where "name = 'box'"
	is "at $date" "$(grep -o "list of.*" stderr)" "list of 2026-07-30$([ "$date" \< 2026-08-31 ] || echo " (32 days old)")"
done
