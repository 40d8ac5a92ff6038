# What `make mutants` says of a mutant that a unit test notices, a script, nobody, of one that changes nothing
# and of one that does not build, in a program of three functions; and that it leaves the tree as it is.
. "$ROOT/tests/cli/lib.sh"
mkdir -p p/tests/mutants p/tests/unit/base p/tests/cli/sums p/base/sums && cd p || exit 1
unset MODE MUTANT N SEED B MAKEFLAGS
FILES='base/*/*.c' JOBS=1 CC=${CC:-cc}
export FILES JOBS CC
cat >base/sums/sum.c <<'END_C'
#include "base/sums/sum.h"
int by_unit(int a)
{
	return a + 2;
}
int by_script(int a)
{
	return a + 3;
}
int by_none(int a)
{
	int b = 9;

	b = 9;
	switch (a) {
	case 3:
		break;
	default:
		break;
	}
	return a + b;
}
END_C
echo 'int by_unit(int a); int by_script(int a); int by_none(int a);' >base/sums/sum.h
cat >tests/unit/base/test_sum.c <<'END_C'
#include "base/sums/sum.h"
#include <stdio.h>
int main(void)
{
	printf("[ RUN      ] two_more\n");
	by_none(1);
	return by_unit(1) != 3 || by_none(99) < 0;
}
END_C
cat >tests/main.c <<'END_C'
#include "base/sums/sum.h"
int main(void)
{
	return by_script(1) != 4;
}
END_C
cat >tests/cli/sums/t0001-sum.sh <<'END_SH'
if "$B/tpucost"; then echo "ok three more"; else echo "not ok three more"; fi
END_SH
cat >Makefile <<'END_MAKE'
MODE = release
B = build/$(MODE)
release = -O2
cov = -O0 --coverage
F = $($(MODE)) -I.
P = $(B)/tpucost $(B)/tpucost-net $(B)/sandbox
all cli-programs: $(P)
unit-programs: $(B)/unit/base
sandbox:
$(B)/.flags:
	mkdir -p $(B)/base/sums $(B)/unit && echo '$(CC) $(F) -O0' >$@
$(B)/base/sums/sum.o: base/sums/sum.c base/sums/sum.h $(B)/.flags
	$(CC) $(F) -c $< -o $@
$(B)/libcore.a: $(B)/base/sums/sum.o
	ar rcs $@ $^
$(P): tests/main.c $(B)/libcore.a
	$(CC) $(F) -o $@ $^
$(B)/unit/base: tests/unit/base/test_sum.c $(B)/libcore.a
	$(CC) $(F) -o $@ $^
END_MAKE
: >tests/mutants/survivors
sum() {
	cat base/*/* tests/*/*.sh tests/*/*/* Makefile | cksum
}
mutants() {
	run python3 "$ROOT/tests/mutants/run.py" run
}
before=$(sum)
export MUTANT='.*:by_(unit|script):arithmetic:.*'
mutants
status "all are noticed" 0
has "by a unit test, and by which case" "$out" "killed by test_sum two_more"
has "by a script, where no unit test notices" "$out" "killed by t0001-sum three more"
has "and counted" "$out" "mutants: 2 of 2 killed, 0 survived (0 not in survivors), 0 equivalent, 0 do not build"
is "the tree is as it was" "$(sum)" "$before"

export MUTANT='.*:by_none:(arithmetic|statement|jump):.*'
mutants
status "one that nobody notices" 1
has "survives" "$out" "SURVIVED 1 unit tests, 0 scripts"
has "one that changes nothing is equivalent" "$out" "equivalent: the same object when optimised"
has "a continue of no loop does not build" "$out" "does not build: "
has "each is counted" "$out" "mutants: 0 of 1 killed, 1 survived (1 not in survivors), 1 equivalent, 2 do not build"
id=$(printf '%s\n' "$out" | sed -n 's/^not in survivors: //p')
echo "$id nobody asks what it gives" >tests/mutants/survivors
mutants
status "one that is said to survive" 0
has "is no news" "$out" "1 survived (0 not in survivors)"
run python3 "$ROOT/tests/mutants/run.py" show "$id"
has "what it changes is shown" "$out" "base/sums/sum.c:21: by_none
- +
+ -"
echo "base/sums/sum.c:by_none:arithmetic:000000 it was there once" >>tests/mutants/survivors
mutants
status "one that is no mutant any more" 1
has "is stale" "$out" "stale in survivors: base/sums/sum.c:by_none:arithmetic:000000"
echo "$id" >tests/mutants/survivors
mutants
status "one without a reason" 2
has "is told" "$err" "has no reason"
: >tests/mutants/survivors

echo 'exit 1' >>tests/cli/sums/t0001-sum.sh
export MUTANT='.*:by_script:arithmetic:.*'
mutants
status "a script that fails as it is notices nothing" 1
has "so the mutant survives" "$out" "SURVIVED"
echo 'int broken(' >>base/sums/sum.c
mutants
status "a program that does not build" 2
