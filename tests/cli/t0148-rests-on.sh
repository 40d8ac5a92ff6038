# Which level of access an answer rests on is said beside every table of figures, once; by estimate, too.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
wish="estimate --tpu v3-8 --zone europe-west4-a"

run tpucost $wish
is "without a poll, nothing to rest on" "$(grep -c '^Rests on' stderr)" 0
run tpucost collect -q instances
status "the inventory is read" 0
for answer in ps burn coverage hidden "why cost:2026-11-01" "$wish"; do
	# shellcheck disable=SC2086
	run tpucost $answer
	is "$answer says it, once" "$(grep -c '^Rests on: inventory' stderr)" 1
	# shellcheck disable=SC2086
	run tpucost $answer --quiet
	is "$answer: not when it is to be quiet" "$err" ""
done
run tpucost $wish --format json
is "beside rows for programs it is not said" "$(grep -c '^Rests on' stderr)" 0
run tpucost collect -q
run tpucost $wish
has "with the export" "$err" "billing export."
