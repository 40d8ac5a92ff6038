# What `make mutants` says of a mutant that is noticed, that is not, that does not build and that does
# not apply, in a project of three lines; and that it changes nothing in the tree that it is of.
. "$ROOT/tests/cli/lib.sh"
mkdir -p p/tests/mutants p/tests/unit/sums p/tests/cli/sums p/base p/build/release && cd p || exit 1
cp "$ROOT/tests/mutants/mutants.awk" "$ROOT/tests/mutants/run.sh" tests/mutants/
B=build/release
unset MODE CC MUTANT JOBS LISTS
cat >base/sum.sh <<'END'
one=1
two=2
three=3
END
cat >tests/unit/sums/test_sum.c <<'END'
. ./base/sum.sh
[ "$one" = 1 ] || echo "[  FAILED  ] one_is_one"
[ "$one" = 1 ]
END
cat >tests/cli/sums/t0001-sum.sh <<'END'
. ./base/sum.sh
[ -f "$B/tpucost" ] || exit 1
if [ "$two" = 2 ]; then echo "ok two"; else echo "not ok two is two"; fi
END
cat >Makefile <<'END'
build/release/unit/sums: tests/unit/sums/test_sum.c base/sum.sh
	mkdir -p $(@D) && sh -n base/sum.sh && (echo '#!/bin/sh'; cat tests/unit/sums/test_sum.c) > $@ && chmod +x $@
build/release/tpucost build/release/tpucost-net build/release/sandbox: base/sum.sh
	touch $@
END
# mutant ID FROM TO TESTS
mutant() {
	printf 'id %s\nfile base/sum.sh\nfrom %s\nto %s\nuser sums are wrong\ntests %s\n\n' "$@"
}
{
	mutant one one=1 one=11 test_sum
	mutant two two=2 two=22 "test_sum t0001-sum"
} >tests/mutants/a.list
before=$(cat base/* tests/*/*.* tests/unit/sums/* tests/cli/sums/* Makefile | cksum)
run sh tests/mutants/run.sh
status "all are noticed" 0
has "by a unit test, and by which case" "$out" "killed by test_sum one_is_one"
has "by a script, where the unit test does not" "$out" "killed by t0001-sum two is two"
has "and counted" "$out" "mutants: 2 of 2 killed, 0 survived, 0 do not apply, 0 do not build"
is "the tree is as it was" "$(cat base/* tests/*/*.* tests/unit/sums/* tests/cli/sums/* Makefile | cksum)" "$before"
is "nothing was built in it" "$(find build -type f)" ""

mutant three three=3 three=33 test_sum >>tests/mutants/a.list
run env MUTANT=three sh tests/mutants/run.sh
status "one that nobody notices" 1
has "survives" "$out" "SURVIVED test_sum"
has "and is counted so" "$out" "mutants: 0 of 1 killed, 1 survived, 0 do not apply, 0 do not build"
{
	mutant broken two=2 'two=(' test_sum
	mutant stale four=4 four=5 test_sum
} >tests/mutants/b.list
run sh tests/mutants/run.sh
status "what cannot be tried is no success" 1
has "it does not build" "$out" "does not build: "
has "it does not apply" "$out" 'does not apply: "four=4" is 0 times in base/sum.sh'
has "each is counted" "$out" "mutants: 2 of 5 killed, 1 survived, 1 do not apply, 1 do not build"
run env MUTANT=t.o sh tests/mutants/run.sh
status "a pattern of names" 0
has "takes those that are like it" "$out" "mutants: 1 of 1 killed"
run env MUTANT=none sh tests/mutants/run.sh
status "a name that is not there" 2
has "is told" "$err" "mutants: there is none with the name none"
run env B=/elsewhere sh tests/mutants/run.sh
status "what is built elsewhere" 2
has "could be changed" "$err" "is not below the tree"

echo 'exit 1' >>tests/unit/sums/test_sum.c
run sh tests/mutants/run.sh
status "a test that fails as it is" 1
has "shows nothing" "$err" "mutants: test_sum does not pass as it is"
