# Which level of access an answer rests on is said beside every table of figures, once; by estimate, too.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
wish="estimate --tpu v3-8 --zone europe-west4-a"

run tpucost $wish
is "without a poll, nothing to rest on" "$(grep -c '^Based on' stderr)" 0
run tpucost collect -q instances
status "the inventory is read" 0
for answer in ps burn coverage hidden "why cost:2026-11-01" "$wish"; do
	# shellcheck disable=SC2086
	run tpucost $answer
	is "$answer says it, once" "$(grep -c '^Based on: inventory' stderr)" 1
	# shellcheck disable=SC2086
	run tpucost $answer --quiet
	is "$answer: not when it is to be quiet" "$err" ""
done
run tpucost $wish --format json
is "beside rows for programs it is not said" "$(grep -c '^Based on' stderr)" 0
run tpucost collect -q
run tpucost $wish
is "nothing is missing: not a word" "$(grep -c '^Based on' stderr)" 0

# not before what is wrong with the question
write_config "rules: [{use: tpu-not-covered, then: {action: stop}}]
budgets: [{name: month, amount: 5 USD}]"
for wrong in "enforce --columns nope" "enforce --where nope" "enforce --sort-by nope" "$wish --columns nope" \
	"$wish --where nope" "$wish --sort-by nope --format json" "budget --project lab-one --columns nope" \
	"budget --project lab-one --since 3d --where nope"; do
	# shellcheck disable=SC2086
	run tpucost $wrong
	is "$wrong: the error alone" "$rc $(grep -c . stderr) $(grep -c '^tpucost: .*nope' stderr)" "2 1 1"
done
for answer in "enforce" "enforce --columns name" "$wish --columns name"; do
	# shellcheck disable=SC2086
	run tpucost $answer
	is "$answer: the answer alone" "$rc $(grep -c '^Based on' stderr)" "0 0"
done
run tpucost quota
is "that Google tells of no quota is not that none was read" "$out" "No quotas are known; see: tpucost sources"
