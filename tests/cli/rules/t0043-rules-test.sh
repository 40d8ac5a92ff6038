. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
# The example of the page: its first rule, a world, and what is printed.
page=$ROOT/docs/rules.md
# block LINE: the rest of the block of the page that begins with the line
block() {
	awk -v first="$1" '/^```/ { on = 0 } on || $0 == first { on = 1; print }' "$page"
}
{ echo "projects: []" && block rules: | awk '/^budgets:/ { exit } /^rules:/ && n++ { exit } 1'; } >config.yaml
block "config: config.yaml" >big-cpu.yaml
block '$ tpucost rules test big-cpu.yaml' | tail -n +2 >want
run tpucost rules test big-cpu.yaml
status "the example of the page" 0
is "prints what the page says" "$out" "$(cat want)"
run tpucost rules test big-cpu.yaml --format json
is "rows" "$(jq -c '[.[] | [.file, .step, .at, .rule, .subject, .ok]]' stdout)" \
	'[["big-cpu.yaml",2,"2026-11-02T15:00:00Z","big-cpu",null,1],["big-cpu.yaml",3,"2026-11-02T15:10:00Z","big-cpu","trainer",1],["big-cpu.yaml",4,"2026-11-02T15:20:00Z","big-cpu","trainer",1]]'
is "with their keys" "$(jq -r '.[0] | keys_unsorted | join(" ")' stdout)" \
	"file step at rule subject expected actual ok"
sed -i 's/running_hours > 6/running_hours > 7/' config.yaml
run tpucost rules test big-cpu.yaml
status "another rule: exit 3" 3
is "with both sides" "$(grep -A 2 '^not ok 2' stdout)" "not ok 2 big-cpu.yaml +6h10m big-cpu is pending: trainer
  - is pending
  + does not hold"
is "how many" "$err" "2 of 3 not as expected"

# world HEAD... on standard input: the rest
world() {
	printf '%s\n' "config: none" "start: 2026-11-01T00:00:00Z" >w.yaml
	cat >>w.yaml
	run tpucost rules test w.yaml
}
# bad NAME PART: a file that cannot be understood
bad() {
	status "$1: exit 2" 2
	has "$1" "$err" "$2"
	is "$1: nothing printed" "$out" ""
}
world <<'END'
stps: []
END
bad "an unknown key" "w.yaml:3:1: world: unknown key 'stps'; did you mean 'steps'?"
world <<'END'
steps: []
END
bad "no steps" 'w.yaml:3:8: steps: expected a list'
world <<'END'
steps:
  - resources: [{kind: vn, name: a, zone: us-central1-a, type: n1-standard-1}]
END
bad "a kind that is none" "w.yaml:4:24: 'vn' is not valid (expected one of: tpu, vm, disk, ip, snapshot, bucket, queued); did you mean 'vm'?"
world <<'END'
steps:
  - resources: [{kind: vm, name: a, type: n1-standard-1}]
END
bad "no place" 'w.yaml:4:17: resource a: zone is missing'
world <<'END'
steps:
  - resources: [{kind: vm, name: a, zone: us-central1-a}]
END
bad "no type" 'resource a: type is missing'
world <<'END'
steps:
  - resources: [{name: a, state: stopped}]
END
bad "nothing of that name" 'resource a: kind is missing, and there is no resource with that name'
world <<'END'
steps:
  - resources:
      - {kind: vm, name: a, zone: us-central1-a, type: n1-standard-1}
      - {kind: vm, name: a, zone: us-central1-b, type: n1-standard-1}
  - at: +1m
    resources: [{name: a, state: stopped}]
END
bad "two of that name" "w.yaml:8:17: 'a' may be test/vm/us-central1-a/a or test/vm/us-central1-b/a: add its kind and zone"
world <<'END'
steps:
  - resources: [{kind: vm, name: trainer, zone: us-central1-a, type: n1-standard-1}]
  - at: +1m
    gone: [trainr]
END
bad "gone what was not there" "w.yaml:6:12: gone: there is no resource 'trainr'; did you mean 'trainer'?"
world <<'END'
steps:
  - expect: [{rule: tpu-not-coverd}]
END
bad "no such rule" "w.yaml:4:21: there is no rule 'tpu-not-coverd'; did you mean 'tpu-not-covered'?"
world <<'END'
rules: [{use: tpu-idle, enabled: false}]
steps:
  - quiet: [tpu-idle]
END
bad "a rule that is not judged" "rule 'tpu-idle' is not enabled"
world <<'END'
steps:
  - {at: +1h}
  - {at: +1h}
END
bad "steps out of order" "w.yaml:5:10: '+1h' is not after the step before"
world <<'END'
steps:
  - {}
  - {expect_none: true}
END
bad "a step without time" 'w.yaml:5:5: step: at is missing'
world <<'END'
steps:
  - {at: +1x}
END
bad "no time" "w.yaml:4:10: '+1x' is not a time from the start"
world <<'END'
steps:
  - {sources: {tpus: failed}}
END
bad "no source" "w.yaml:4:16: sources: there is no source 'tpus'; did you mean 'tpu'?"
world <<'END'
steps:
  - {bill: [{sku: x, cost: 1}]}
END
bad "a bill without time" 'bill: expected either day or hour'
world <<'END'
steps:
  - {bill: [{sku: x, cost: 1, credits: 2, hour: +0m}]}
END
bad "credits that cost" 'credits must be 0 or negative'
world <<'END'
rules: [{name: own, on: resources, where: vcpu > 4}]
steps: [{expect_none: true}]
END
bad "a rule that is wrong" "w.yaml:3:43: rule own: where: resources has no column 'vcpu'; did you mean 'vcpus'?"
world <<'END'
tick: 10s
steps:
  - {resources: [{kind: vm, name: a, zone: us-central1-a, type: n1-standard-1}]}
  - {at: +3000d}
END
status "too many ticks" 1
has "says so" "$err" "too many; give a longer 'tick', such as 1h"
run tpucost rules test none.yaml
bad "no file" "none.yaml"
run tpucost rules test
bad "which file" "rules test: no file is given"
: >empty.yaml
run tpucost rules test empty.yaml
bad "an empty file" "empty.yaml:1:1: the file is empty"
sed 's/^config:.*/config: missing.yaml/' w.yaml >x.yaml
run tpucost rules test x.yaml
bad "no configuration" "missing.yaml"

world <<'END'
steps:
  - resources: [{kind: tpu, name: a, zone: us-central1-a, type: v3-8, provisioning: flexstart}]
END
bad "a class that is none" "w.yaml:4:85: 'flexstart' is not valid (expected one of: on-demand, spot, flex-start, reserved, unknown,"
thing() { # KEYS: of one TPU
	world <<END
steps:
  - resources: [{kind: tpu, name: a, zone: us-central1-a, $1}]
END
}
thing "type: v6e-16, topology: 4x4x4"
bad "a topology of another family" "w.yaml:4:83: '4x4x4' is not a topology of v6e-16 (expected one of 1x1 2x2 2x4 4x4 4x8 8x8 8x16 16x16)"
thing "type: 4 x ct6e-standard-4t, topology: 0x0"
bad "a topology that is none" "w.yaml:4:97: '0x0' is not a topology of 4 x ct6e-standard-4t (expected one of 2x2 "
thing "type: v6e-7"
bad "a size that is none" "w.yaml:4:65: there is no TPU type v6e-7; did you mean 'v6e-8'?"
thing "type: tpu9z-8, topology: 3x3"
status "a family that is not known may have it" 0
world <<'END'
steps:
  - resources: [{kind: tpu, name: a, zone: us-central1-a, type: v6e-16, topology: 4x4}]
  - {at: +1h, resources: [{name: a, topology: 2x2x2}]}
END
bad "one that it is changed to" "w.yaml:5:47: '2x2x2' is not a topology of v6e-16 (expected one of 1x1 "
world <<'END'
rules: [{name: own, on: resources, where: provisioning = 'flex'}]
steps: [{quiet: [own]}]
END
bad "a class in a condition that is none" "w.yaml:3:43: rule own: where: provisioning is never 'flex' (expected on-demand, spot, flex-start, reserved or unknown)"
# a budget that one machine would break, and does not, because it ends by itself
world <<'END'
budgets: [{name: d, amount: 20 USD, per: day}]
steps:
  - resources: [{kind: tpu, name: a, zone: us-central1-a, type: v3-8, ends: +2h}]
  - {at: +30m, quiet: [budget-forecast]}
  - resources: [{name: a, ends: +6h}]
    at: +40m
  - {at: +1h, expect: [{rule: budget-forecast}]}
END
status "a forecast knows the end" 0

# what is seen, and what is not
world <<'END'
rules: [{name: vms, on: resources, where: kind = 'vm' AND state = 'running', for: 20m, repeat: 1h}]
steps:
  - resources: [{kind: vm, name: a, zone: us-central1-a, type: n1-standard-1, created: -3d}]
    expect: [{rule: vms, name: a, state: pending}]
  - at: +15m
    sources: {vm: failed}
    quiet: [vms]
  - at: +2h
    note: a failed poll neither fires nor resolves
    resources: [{name: a, state: stopped}]
    expect: [{rule: vms, state: pending}]
  - at: +3h
    sources: {vm: ok}
    note: it is seen to be stopped
    quiet: [vms, price-unknown]
  - at: +4h
    resources: [{name: a, state: running}]
  - at: +4h20m
    expect: [{rule: vms, name: us-central1-a, fired: +4h20m}]
  - at: +4h30m
    unreachable: [us-central1-a]
    gone: [a]
    expect: [{rule: vms, subject: test/vm/us-central1-a/a}]
  - at: +5h
    unreachable: []
    expect: [{rule: vms, state: resolved}]
END
status "polls that fail" 0
is "every one of them" "$(grep -c '^ok' stdout)" 8
world <<'END'
rules: [{name: vms, on: resources, where: kind = 'vm'}]
steps:
  - resources:
      - {kind: vm, name: a, zone: us-central1-a, type: n1-standard-1}
      - {kind: vm, name: b, zone: us-central1-a, type: n1-standard-1}
    expect: [{rule: vms, name: a, severity: info}]
    quiet: [vms]
    expect_none: true
END
status "not as expected" 3
is "what fires instead" "$(grep -v '^1\.\.' stdout)" \
"not ok 1 w.yaml +0m vms fires, info: a
  - fires, info
  + fires, warning, since +0m
not ok 2 w.yaml +0m vms does not fire: test/vm/us-central1-a/b
  - does not fire
  + fires, warning, since +0m
not ok 3 w.yaml +0m vms does not fire: test/vm/us-central1-a/a
  - does not fire
  + began to fire at +0m
not ok 4 w.yaml +0m vms does not fire: test/vm/us-central1-a/b
  - does not fire
  + began to fire at +0m
not ok 5 w.yaml +0m vms does not fire: test/vm/us-central1-a/a
  - does not fire
  + began to fire at +0m
not ok 6 w.yaml +0m vms does not fire: test/vm/us-central1-a/b
  - does not fire
  + began to fire at +0m"

# the bill, credits and quotas
world <<'END'
currency: USD
budgets: [{name: m, amount: 100 USD, per: month}]
rules:
  - {name: spent, on: costs, where: net > 10, value: net}
  - {name: tight, on: quotas, where: percent > 90, value: percent}
steps:
  - {at: +2d, quiet: [spent]}
  - at: +2d1h
    bill:
      - {day: 2026-11-01, sku: N1 Instance Core, zone: us-central1-a, cost: 12.34, credits: -2}
      - {hour: +25h, sku: Static Ip Charge, cost: 1}
    quotas: [{metric: CPUS, location: us-central1, limit_value: 100, used: 91}]
    expect:
      - {rule: spent, name: us-central1, value: 10.34}
      - {rule: tight, name: CPUS, value: 91}
END
status "bill and quotas" 0
TPUCOST_CONFIG=$work/config.yaml
export TPUCOST_CONFIG
printf '%s\n' "start: 2026-11-01" "steps: [{quiet: [big-cpu]}]" >own.yaml
run tpucost rules test own.yaml w.yaml
status "the configured rules, and several files" 0
is "counted through" "$(tail -1 stdout)" "1..4"

# copies
world <<'END'
rules: [{name: vms, on: burn, where: resources >= 3, value: resources}]
steps:
  - resources: [{kind: vm, name: a, copies: 3, zone: us-central1-a, type: n1-standard-1}]
    expect: [{rule: vms, value: 3}]
  - at: +1h
    gone: [a-2]
    expect: [{rule: vms, state: resolved}]
END
status "copies" 0
world <<'END'
steps:
  - resources:
      - {kind: vm, name: a-2, zone: us-central1-a, type: n1-standard-1}
      - {kind: vm, name: a, copies: 3, zone: us-central1-a, type: n1-standard-1}
END
bad "a copy of what is there" "w.yaml:6:9: resource a-2 already exists"
world <<'END'
steps:
  - resources: [{kind: vm, name: a, copies: 20000, zone: us-central1-a, type: n1-standard-1}]
END
bad "too many copies" "more than 10000 resources in all steps"
world <<'END'
tick: 12h
rules: [{name: heavy, on: egress, where: sent_gib_last_hour > 1}, {name: loud, on: alerts, where: rule = 'heavy'}]
steps:
  - resources: [{kind: vm, name: a, zone: us-central1-a, type: n1-standard-1, sent_bytes_per_second: 1000000}]
    expect: [{rule: heavy, name: a}, {rule: loud, name: a}]
  - at: +10m
    gone: [a]
    note: a row that is gone resolves, also where rows tell how fresh they are
    expect: [{rule: heavy, name: a, state: resolved}]
  - at: +9d
    note: and is forgotten after a week
    expect: [{rule: loud, state: resolved}]
END
status "views whose rows tell how fresh they are" 0

# How people lost money with free TPUs, day by day.
for scenario in "$ROOT"/tests/scenarios/*.yaml; do
	run tpucost rules test "$scenario"
	is "$(basename "$scenario")" "$(grep -v '^ok' stdout | grep -v '^1\.\.')" ""
	status "$(basename "$scenario"): exit 0" 0
done
is "every one of them" "$(ls "$ROOT"/tests/scenarios/*.yaml | wc -l)" 20
# Every built-in rule fires in one of them.
for rule in $(tpucost rules list --config config.yaml --format json | jq -r ".[] | select(.origin == \"builtin\") | .name"); do
	grep -qs "rule: $rule," "$ROOT"/tests/scenarios/*.yaml && said=yes || said=no
	is "$rule fires in a world" $said yes
done

# hostile files
world <<'END'
rules: [{name: own, on: resources, where: "1) UNION SELECT (1"}]
steps: [{expect_none: true}]
END
bad "a condition that ends early" "rule own: where:"
world <<'END'
rules: [{name: own, on: resources, where: "EXISTS (SELECT * FROM sqlite_master)"}]
steps: [{expect_none: true}]
END
bad "tables" "rule own: where:"
world <<'END'
rules: [{name: own, on: resources, where: "EXISTS (WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT * FROM r WHERE i < 0)"}]
steps: [{expect_none: true}]
END
bad "endless recursion" "rule own: where:"
world <<'END'
rules: [{name: own, on: resources, where: "(SELECT COUNT(*) FROM resources a, resources b, resources c, resources d, resources e, resources f) > 1"}]
steps:
  - resources: [{kind: vm, name: a, copies: 40, zone: us-central1-a, type: n1-standard-1}]
    quiet: [own]
END
status "a condition that takes for ever: exit 3" 3
has "is not taken for quiet" "$out" "not ok 1 w.yaml +0m own can be evaluated"
has "and says why" "$out" "the query took too long"
head -c 10000000 /dev/zero | tr '\0' 'a' >big.yaml
run tpucost rules test big.yaml
bad "10 MB" "big.yaml"
printf 'steps: [&a {}, *a]\n' >anchor.yaml
run tpucost rules test anchor.yaml
bad "an alias" "anchor.yaml:1:"
world <<'END'
steps:
  - resources: [{kind: vm, name: "a'; DROP TABLE resource; --", zone: us-central1-a, type: "n1-standard-1\e[31m", labels: {"k\"": "\u202e"}}]
    quiet: [price-unknown]
END
status "names that are nobody's friends" 0
