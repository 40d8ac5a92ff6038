. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "rules:
  - name: big
    on: resources
    where: kind = 'vm' AND state = 'running' AND vcpus >= 64 AND running_hours >= 2
    for: 10m
    then: {action: stop, grace: 30m}
  - {name: net, on: costs, where: net > 1000000}
  - {name: off, on: resources, where: kind = 'vm', enabled: false}"
tpucost collect -q
before=$(cksum t.db)

# The machine was made ten hours ago: it fires at 2 h 10 min at the latest, 7 h 20 min are left
# after the grace, at 5.678544 an hour: 41.64, and no more than ten minutes more.
run tpucost rules replay big --since 12h --format json
status "a rule on what was recorded" 0
is "columns" "$(jq -r '.[0] | keys_unsorted | join(" ")' stdout)" \
	"rule subject severity fired resolved hours saved currency stopped_anyway"
is "once, and still" "$(jq -c '[.[] | [.rule, .subject, .severity, .resolved, .currency, .stopped_anyway]]' stdout)" \
	'[["big","lab-one/vm/us-central1-b/big","warning",null,"USD",0]]'
is "saved" "$(jq '.[0].saved > 40.68 and .[0].saved < 41.65' stdout)" true
is "hours" "$(jq '.[0].hours > 7.6 and .[0].hours < 7.84' stdout)" true
run tpucost rules replay big --since 12h
has "said in a sentence" "$out" "big would have fired 1 time in 12h and saved about 4"
has "what it rests on" "$out" "Estimate with the list prices, grants and budgets of today."
has "the grace" "$out" "Savings count from the end of the grace of 30m."
run tpucost rules replay tpu-not-covered --since 12h --format csv
is "built-in rules, too" "$(tr -d '\r' <stdout | sed 1d | cut -d, -f2 | tr '\n' ' ')" \
	"lab-one/tpu/us-central1-a/wrong lab-two/tpu/us-central2-b/slice "
run tpucost rules replay tpu-not-covered --since 12h
# both for ten hours: 8.00 and 7.372 (four chips of v4, spot)
has "totals" "$out" "tpu-not-covered would have fired 2 times in 12h and saved about 153."
run tpucost rules replay burn-high --since 1d
has "not about resources" "$out" "The rule is not about single resources: its saving is unknown."
run tpucost rules replay net
has "since when" "$out" "The history begins at 20"
is "nothing" "$(grep -v '^The history begins' stdout)" "net would have fired 0 times in 30d.
Estimate with the list prices, grants and budgets of today, and with the current bill."
run tpucost rules replay off --since 1h
has "one that is not enabled" "$out" "off would have fired 3 times in 60m"
run tpucost rules replay big --since 12h --until 11h
has "an end" "$out" "big would have fired 0 times in 60m."
is "the database is what it was" "$(cksum t.db)" "$before"

bad() { # NAME PART
	status "$1: exit 2" 2
	has "$1" "$err" "$2"
	is "$1: nothing printed" "$out" ""
}
run tpucost rules replay
bad "no name" "rules replay: no rule is given"
run tpucost rules replay bigg
bad "no such rule" "there is no rule 'bigg'; did you mean 'big'?"
run tpucost rules reply
bad "no such action" "rules: unknown action 'reply'; use: tpucost rules replay"
run tpucost rules replay egress-fast
bad "no history" "rule egress-fast cannot be replayed: it uses egress, which has no history"
run tpucost rules replay vm-forgotten
bad "no history yet" "it uses idle times, which have not been recorded yet"
run tpucost rules replay big --since 2h --until 3h
bad "no time" "--since must be before --until"
run tpucost rules replay big --since someday
bad "a time that is none" "'someday' is not a valid time"
run tpucost rules replay big --since 400d
status "too long" 1
has "says so" "$err" "at most 50000; choose a shorter time: --since, --until"
rm t.db
run tpucost rules replay big
status "no database" 1
