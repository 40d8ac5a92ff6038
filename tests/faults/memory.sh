# acts
# The Nth allocation fails, once or from then on: the program ends with a status and a word, or does
# what it does without; the database is whole, and the next run leaves what an undisturbed one does.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
. "$ROOT/tests/faults/lib-sweep.sh"
preload=$LD_PRELOAD:$work/.test/preload.so
needs_kills
start_world
# short COMMAND...: under the preloaded library, whose settings are in the environment
short() {
	LD_PRELOAD=$preload "$B/tpucost" "$@" >stdout 2>stderr
	rc=$?
}
# fail_at K HOW COMMAND...: the Kth of them fails, "once" or "for ever"
fail_at() {
	FAIL_AT=$1
	export FAIL_AT
	[ "$2" = once ] || FAIL_FOREVER=1
	[ "$2" = once ] || export FAIL_FOREVER
	shift 2
	short "$@"
	unset FAIL_AT FAIL_FOREVER
}
done_all=0 refused=0
count_one() {
	done_all=$((done_all + 1))
	[ "$rc" -eq 0 ] || refused=$((refused + 1))
}
# ---- what writes
for act in ${ACTS:-$acts}; do
	undisturbed $act
	prepare $act
	# shellcheck disable=SC2046 # words
	n=$(allocations "$B/tpucost" $(words $act))
	for how in once "for ever"; do
		bad=
		for k in $(places "$n"); do
			prepare $act
			# shellcheck disable=SC2046 # words
			fail_at "$k" "$how" $(words $act)
			count_one
			said=$(ended "$rc" "")$(whole_again $act)
			[ -z "$said" ] || [ -n "$bad" ] || bad="at $k of $n: $said"
		done
		is "$act, $how" "$bad" ""
	done
done
# ---- what reads: the right answer or none
prepare report
for cmd in "ps --format json" burn "cost --by day" "report daily --format html" "why wrong" check "estimate --tpu v3-8 --zone us-central1-a"; do
	# shellcheck disable=SC2086 # words
	n=$(allocations "$B/tpucost" $cmd)
	# shellcheck disable=SC2086 # words
	short $cmd
	want=$rc
	# figures that grow with time are those of the same second
	for how in once "for ever"; do
		bad=
		for k in $(places "$n"); do
			# shellcheck disable=SC2086 # words
			fail_at "$k" "$how" $cmd
			count_one
			[ "$rc" -eq "$want" ] || [ "$rc" -eq 1 ] || said="status $rc, want $want"
			[ "$rc" -ne 1 ] || grep -q '^tpucost: ' stderr || said="no word"
			[ -z "${said:-}" ] || [ -n "$bad" ] || bad="at $k of $n: $said: $(head -c 300 stderr)"
			said=
		done
		is "${cmd%% *}, $how" "$bad" ""
	done
done
is "most were refused" "$((refused * 2 > done_all))" 1
pass "$done_all faults, $refused refused"
