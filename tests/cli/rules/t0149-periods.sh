# --since, --until and --project of listings, against figures worked out by hand: TPUs at 2 USD a chip
# and hour, a bill of 48 hours.
. "$ROOT/tests/cli/lib.sh"
# cell NAME WANT FILTER COMMAND...: of the rows as JSON
cell() {
	name=$1 want=$2 filter=$3
	shift 3
	run tpucost "$@" --format json -q
	is "$name" "$(printf '%s' "$out" | jq -c "$filter")" "$want"
}

start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "prices: [{tpu: v3, zone: us-central1-a, per_chip_hour: 2 USD}, {tpu: v3, zone: europe-west4-a, per_chip_hour: 2 USD}]
credits: [{name: trial, amount: 300 USD, starts: $(day -20), expires: $(day +10)},
  {name: first, amount: 5 USD, starts: $(day -90), expires: $(day -60)}]
budgets:
  - {name: all, amount: 100 USD, starts: $(day -20), ends: $(day -1)}
  - {name: one, amount: 40 USD, starts: $(day -20), ends: $(day -1), where: \"project = 'lab-one'\"}
  - {name: daily, amount: 30 USD, per: day}"
sed -i "s/^grants:/grants:\n  - {name: old, starts: $(day -60), until: $(day -40), tpus: [8 on-demand Cloud TPU v2-8 device(s) in zone us-central1-f]}\n  - {name: theirs, project: lab-two, starts: $(day -9), days: 30, tpus: [8 on-demand Cloud TPU v2-8 device(s) in zone us-central1-f]}/" tpucost.yaml
run tpucost collect -q
status "the world is read" 0

# 4 chips for 2 USD an hour are 8; three hours of two of them are 48, one is free
three="--since 4h --until 1h"
cell "burn: three hours of two TPUs, one of them free" '[[48,24,2,0,"USD"]]' \
	'[.[] | [.gross, .net, .resources, .unpriced_hours, .currency]]' burn $three --where "category = 'tpu'" --project lab-one
cell "burn --by: each of them" '[["lab-one/tpu/us-central1-a/wrong",24,24],["lab-one/tpu/europe-west4-a/good",24,0]]' \
	'[.[] | [.resource, .gross, .net]]' burn $three --by resource --where "kind = 'tpu' AND category = 'tpu'" --project lab-one \
	--sort-by "net desc"
cell "ps: the same, one by one" '[["wrong","running",3,3,24,24],["good","running",3,3,24,0]]' \
	'[.[] | [.name, .state, .hours, .running_hours, .gross, .net]]' ps $three --where "type = 'v3-8'"
cell "ps: what is stopped costs nothing itself" '[["off",3,0,0,0]]' '[.[] | [.name, .hours, .running_hours, .gross, .net]]' \
	ps $three --where "name = 'off'"
cell "ps: what began in it counts from then on" '[1]' '[.[].hours | . * 10 | round / 10]' \
	ps --since 12h --until 9h --where "name = 'wrong'"
cell "ps: before it began it was not there" '[]' '[.[].name]' ps --since 12h --until 11h --where "kind = 'tpu'"
cell "known_hours: it is watched since a moment ago" '[0]' '[.[].known_hours | round]' ps $three --where "name = 'wrong'"
cell "sql: the same views, with the period" '[[48]]' '[.[] | [.gross]]' sql $three \
	"SELECT gross FROM period_burn WHERE project = 'lab-one' AND category = 'tpu'"
cell "sql: without one they are empty" '[[0]]' '[.[] | [.n]]' sql "SELECT count(*) AS n FROM period_resources"
run tpucost burn $three
has "what was not watched is said" "$err" "part of that period was not watched"
cell "hidden: these are the resources of TPUs that exist now" 'true' 'type == "array"' hidden $three
run tpucost burn --since 1h --until 2h
status "an end before the begin is refused" 2

# 48 hours of 3.034656 - 1.5 - 0.5, three times 0.000044, and 1.01 of tax
cell "budget: what the bill has of periods that are over" '[["all",50.679824,50.6,"partial"],["one",49.663488,124.1,"partial"]]' \
	'[.[] | [.name, .spent, .percent, .status]]' budget --since 30d --until 25h --where "period = 'custom'"
cell "budget: a period that is not touched is not there" '[]' '[.[].name]' budget --since 30d --until 25d --where "period = 'custom'"
cell "budget: each day is a period" '[6]' '[length]' budget --since 5d --where "name = 'daily'"
cell "budget: before the bill begins nothing is known" '[null,null]' '[.[] | .spent, .status]' \
	budget --since "$(day -30)" --until "$(day -29)" --where "name = 'daily'"
cell "budget: the days add up" '50.679824' '[.[].spent // 0] | add * 1000000 | round / 1000000' budget --since 7d --where "name = 'daily'"
cell "budget --project: those that count it" '["all","daily"]' '[.[].name]' budget --project lab-two
# days that are over count as well, though today has nothing of that project
sed -i "s/^budgets:/&\n  - {name: o'n @l, amount: 9 USD, per: day, where: \"sku LIKE '%Storage%'\"}/" tpucost.yaml
cell "budget --project: what counts something of it today" '["all","daily"]' '[.[].name]' budget --project lab-two
cell "budget --since --project: what counted something of it" "[\"all\",\"daily\",\"o'n @l\"]" '[.[].name] | unique' \
	budget --since 6d --project lab-two
cell "budget --since --project: after that time" '["daily"]' '[.[].name] | unique' budget --since 1d --project lab-two
sed -i "s/^projects: .*/projects: [lab-one, lab-two, lab-none]/" tpucost.yaml
cell "budget --since --project: of another project" '["all","daily"]' '[.[].name] | unique' budget --since 6d --project lab-none
run tpucost budget --since 2020-01-01
status "too many periods are refused" 1
has "and it is said what to do" "$err" "ask for a shorter time"

cell "credit --project: 48 times 1.5" '[["trial","lab-one",72,100]]' '[.[] | [.name, .project, .used, .share_percent]]' credit --project lab-one
cell "credit --project: nothing of it" '[]' '[.[].name]' credit --project lab-two
cell "credit: those that run in that time" '["trial"]' '[.[].name]' credit --since 30d
cell "credit: one that is over" '["first"]' '[.[].name]' credit --since 80d --until 70d
cell "grant: those that run in that time" '["old"]' '[.[].name] | unique' grant list --since 50d --until 45d
cell "grant: those of now" '["theirs","trc"]' '[.[].name] | unique' grant list --since 1d
cell "grant --project: those that pay in it" '["old","trc"]' '[.[].name] | unique' grant list --project lab-one
run tpucost grant list --project lab-one
has "grant --project: what it uses of them" "$err" "of grant trc, project lab-one uses 4 chips now (TPUs: 1)"
cell "sources: read in that time" 'true' 'length > 4' sources --since 1h
cell "sources: nothing was before" '[]' '.' sources --until 1h
cell "quota: nothing was before" '[]' '.' quota --until 1h
run tpucost quota --until 1h
has "quota: only the newest is kept" "$err" "only the newest value of each quota is stored"
cell "egress: of the bill, which has no traffic" '[]' '.' egress --since 7d
