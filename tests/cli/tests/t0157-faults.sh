# make check-faults: its table says what came of each case, and its status is 1 when one failed or was
# not run. The sweeps of tests/faults are run at few places.
# acts
. "$ROOT/tests/cli/lib.sh"
mkdir -p toy/cli/good toy/unit
cat >toy/cli/good/t0001-toy.sh <<'T'
. "$ROOT/tests/cli/lib.sh"
pass "this is well"
flunk "this is bad"
pass "skipped: no such tool"
T
cat >toy/cli/good/t0002-good.sh <<'T'
. "$ROOT/tests/cli/lib.sh"
pass "all is well"
is "$(echo there were)" 1 1
T
# table REFS...: a case of each
table() {
	n=0
	for refs in "$@"; do
		n=$((n + 1))
		printf 'A%d\tsomething\tcomes of it\t%s\n' $n "$refs"
	done >toy.tsv
	cd "$ROOT" || exit 1
	run_in=$work
	FOLDER=$run_in/toy TABLE=$run_in/toy.tsv PART=1 B=${B#"$ROOT/"} sh tests/faults/run.sh >"$work/stdout" 2>"$work/stderr"
	rc=$?
	cd "$work" || exit 1
	out=$(cat stdout)
	err=$(cat stderr)
}
table "cli/good/t0002-good.sh all is well" "cli/good/t0002-good.sh" "n/a: there is no such thing"
status "all went well" 0
is "a line for each case" "$(printf '%s\n' "$out" | head -n 5)" "A transport: 2 of 3
  A1   ok       something: comes of it
  A2   ok       something: comes of it
  A3   n/a      something: comes of it
            n/a: there is no such thing"
has "and the sum" "$out" "faults: 3 cases: 2 ok, 0 failed, 0 did not run, 1 that there are not; 2 tests in "
table "cli/good/t0002-good.sh all is well" "cli/good/t0001-toy.sh this is bad" "cli/good/t0001-toy.sh this is well"
status "one failed" 1
has "which" "$out" "  A2   FAILED   something: comes of it
            FAILED: cli/good/t0001-toy.sh this is bad"
has "the others did not" "$out" "  A3   ok  "
has "and the sum of that" "$out" "faults: 3 cases: 2 ok, 1 failed, 0 did not run,"
table "cli/good/t0001-toy.sh no such tool" "cli/good/t0002-good.sh there were"
status "skipped is not well" 1
has "and said" "$out" "  A1   skipped  something"
table "cli/good/t0002-good.sh all is well"
sed -i 's/all is well/all is worse/' toy.tsv
table "cli/good/t0002-good.sh all is worse"
status "a test that is not there" 1
has "is said first" "$out" 'A1: cli/good/t0002-good.sh has no check "all is worse"'

# ---- sweeps: each works, here at few places
sweep() { # NAME
	(cd "$ROOT" && sh "tests/faults/$1.sh") >"$work/stdout" 2>"$work/stderr" </dev/null
	out=$(cat stdout)
	is "$1: nothing is wrong" "$(grep -v '^ok ' stdout)" ""
	is "$1: there was something" "$(($(grep -c '^ok ' stdout) > $2))" 1
}
QUICK=1 PLACES=1 ACTS=import KILLS=8
export QUICK PLACES ACTS KILLS
sweep syscalls 8
sweep memory 10
sweep kill 10
sweep clocks 10
