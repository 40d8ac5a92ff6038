# egress and hidden with --since and --until, against a bill and prices worked out by hand.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-beside.sh"
unset -f jq # the order of keys counts
# cell NAME WANT FILTER COMMAND...: of the rows as JSON
cell() {
	name=$1 want=$2 filter=$3
	shift 3
	run tpucost "$@" --format json -q
	is "$name" "$(printf '%s' "$out" | jq -c "$filter")" "$want"
}
china="Network Internet Data Transfer Out from Americas to China"
zones="Network Inter Zone Data Transfer Out"
world_beside traffic-periods
cat >>world.yaml <<EOF
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11
  location: US
  currency: USD
  rows:
    # four a day of three days, and two a day of a machine of the same name
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: 9DE9-9092-B3BC, sku: $china, region: us-central1, resource: sender, unit: gibibyte, usage: 0.75, cost: 1.33, from: $(day -5), until: $(day -2), every: 6h, credits: [{name: trial, type: PROMOTION, amount: -0.33}]}
    - {project: lab-two, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: DE9E-AFBC-A15A, sku: $zones, region: us-central1, resource: sender, unit: gibibyte, usage: 10, cost: 0.1, from: $(day -5), until: $(day -2), every: 12h}
    # what is no traffic
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: 2E27-4F75-95CD, sku: N1 Predefined Instance Core running in Americas, region: us-central1, resource: sender, unit: hour, usage: 1, cost: 3, from: $(day -5), until: $(day -2)}
EOF
start_sandbox "$work/world.yaml"
write_config
sed -i 's/export_v1_00AA11/export_resource_v1_00AA11/' tpucost.yaml
run tpucost collect -q
status "the world is read" 0

# ---- egress
rows='[.[] | [.project, .resource, .usage, .usage_unit, .cost, .credits, .net, .currency]]'
# 12 x 0.75, 12 x 1.33, 12 x 0.33; 6 x 10, 6 x 0.1
cell "all of it" '[["lab-one","sender",9,"gibibyte",15.96,-3.96,12,"USD"],["lab-two","sender",60,"gibibyte",0.6,0,0.6,"USD"]]' \
	"$rows" egress --since "$(day -6)"
cell "one day" '[["lab-one","sender",3,"gibibyte",5.32,-1.32,4,"USD"],["lab-two","sender",20,"gibibyte",0.2,0,0.2,"USD"]]' \
	"$rows" egress --since "$(day -4)" --until "$(day -3)"
cell "the end of a time is not in it" '[3,20]' '[.[].usage]' egress --since "$(day -5)" --until "$(day -4)"
cell "a day that has begun counts as a whole" '[6,40]' '[.[].usage]' egress --since "$(day -5)" --until "$(day -4)T01:00:00Z"
cell "one project" '[["lab-two",60]]' '[.[] | [.project, .usage]]' egress --since "$(day -6)" --project lab-two
cell "a condition does not let in what is no traffic" '["'"$zones"'"]' '[.[].sku]' egress --since "$(day -6)" \
	--where "project = 'lab-two' OR project = 'nobody'"
cell "nor one with an OR" '[9,60]' '[.[].usage]' egress --since "$(day -6)" --where "resource = 'sender' OR 1 = 1"
cell "from the least" '[9,60]' '[.[].usage]' egress --since "$(day -6)" --sort-by usage
cell "and from the most" '[60]' '[.[].usage]' egress --since "$(day -6)" --sort-by -usage --limit 1
cell "columns that were asked for" '[{"sku":"'"$china"'","net":12},{"sku":"'"$zones"'","net":0.6}]' . \
	egress --since "$(day -6)" --columns sku,net
cell "nothing was billed then" '[]' . egress --since "$(day -20)" --until "$(day -10)"
run tpucost egress --since "$(day -6)" --where "1 = 1) OR (1 = 1"
status "conditions are whole" 2
run tpucost egress --since "$(day -6)"
is "as a table: whose, what, how much" "$(printf '%s\n' "$out" | sed -n '2p;$p' | tr -s ' ')" \
	"lab-one sender $china 9 gibibyte 15.96 12.00 USD
total 16.56 12.60 USD"
has "what it is of is said" "$err" "billed traffic of whole days (UTC)"

# ---- hidden
# pd-ssd in europe-west4 is 0.187 a GiB and month of 730 hours, pd-standard in us-central1 0.04;
# n1-standard-1: 0.031611 + 3.75 x 0.004237 = 0.04749975 an hour
rows='[.[] | [.name, .kind, .relation, .hours, .gross, .currency]]'
cell "three hours of what goes with TPUs" \
	'[["good","disk","data-disk",3,0.561,"USD"],["pair","disk","attached",3,0.12,"USD"],["pair","vm","same-name",3,0.14249925,"USD"]]' \
	"$rows" hidden --since 4h --until 1h --sort-by "name, kind"
cell "of one hour" '[0.187,0.04,0.04749975]' '[.[].gross]' hidden --since 2h --until 1h --sort-by "name, kind"
# as long as the test has run until here, up to a quarter of an hour, changes neither
cell "before it was there it cost nothing: 2 of 4 hours" '[[2,4]]' \
	'[.[] | [(.hours | round), (.gross | . * 10 | round)]]' hidden --since 12h --until 8h --where "name = 'good'"
cell "the other project has none" '[]' . hidden --since 4h --project lab-two
run tpucost hidden --since 20h --until 11h
has "nothing was there yet" "$out" "No cost is known in that period"
run tpucost hidden --since 4h --until 1h
has "what was not watched is said" "$err" "disk, ip, snapshot, tpu and vm in lab-one: 0.0 of 3.0 hours"
has "and whose it is" "$err" "these are the resources of TPUs that exist now"
curl -sS -X POST "$url/_sandbox/world/patch" -d 'nodes: [{project: lab-one, zone: europe-west4-a, name: good, data_disks: []}]' >/dev/null
run tpucost collect instances -q
cell "what was taken off does not go with it any more" '["pair","pair"]' '[.[].name]' hidden --since 4h --until 1h
cell "but it is in what there was" '[[3,0.561]]' '[.[] | [.hours, .gross]]' ps --since 4h --until 1h --where "name = 'data'"
