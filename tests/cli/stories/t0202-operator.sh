# An operator lets it run for others: once, as a service, with a backup; and stops what breaks a rule.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-story.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "rules: [{use: tpu-not-covered, for: 0m, then: {action: stop, grace: 0m, armed: true}}]
enforcement: {mode: dry-run, projects: [lab-one]}
notify:
  - {name: log, file: {path: $work/told.jsonl}}"
types tpucost check
status "the configuration is right" 0
types tpucost run --once
has "a dry run names what it would stop" "$out" "ALERT critical tpu-not-covered: wrong"
types tpucost enforce
has "and that nothing is stopped" "$out" "Mode dry-run"
types tpucost silence add tpu-idle --for 2h --comment "at night"
types tpucost hold add good --until 2d
has "a short name is enough" "$out" "lab-one/tpu/europe-west4-a/good is protected"
types tpucost status
types tpucost backup copy.db
status "a backup" 0
sed -i 's/mode: dry-run/mode: armed/' tpucost.yaml
types tpucost run --once
has "it is stopped" "$(grep -c '"mutating":true' requests)" 1
types tpucost audit verify
status "and the record is in order" 0
types tpucost audit
has "what was done" "$out" "stopped; confirmed by Google"
the_end operator 10
