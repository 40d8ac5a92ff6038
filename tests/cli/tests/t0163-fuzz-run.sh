# `make fuzz` counts what ran, and fails when a promise is broken: with programs that stand for
# fuzzers, so that it shows without clang.
. "$ROOT/tests/cli/lib.sh"
mkdir programs
cat >programs/fine <<'END'
#!/bin/sh
echo "$@" >fine.args
echo "#2	INITED cov: 7 ft: 9 corp: 1/1b exec/s: 0 rss: 30Mb"
echo "#4096	pulse  cov: 812 ft: 901 corp: 33/2Kb lim: 4 exec/s: 2048 rss: 31Mb"
echo "stat::number_of_executed_units: 5000"
END
cat >programs/broken <<'END'
#!/bin/sh
echo "#12	NEW    cov: 5 ft: 5 corp: 2/2b exec/s: 0 rss: 30Mb"
echo "tests/fuzz/fuzz_broken.c:12: broken promise: again == once"
echo "==1== ERROR: libFuzzer: deadly signal"
echo "artifact_prefix='out/findings/broken-'; Test unit written to out/findings/broken-crash-0a"
exit 77
END
chmod +x programs/*

# fuzz [NAME=VALUE...]
fuzz() {
	(cd "$ROOT" && env PROGRAMS="$work/programs" B="$work/out" "$@" sh tests/fuzz/run.sh) \
		>stdout 2>stderr
	rc=$?
}
# row NAME: its line of the table, with single blanks
row() {
	grep "^$1 " stdout | tr -s ' '
}

sed -i "s|>fine.args|>$work/fine.args|" programs/fine
fuzz FUZZ=fine SECONDS_EACH=1
status "no finding" 0
is "the row" "$(row fine | cut -d ' ' -f 1,2,4-)" "fine 5000 812 33 0"
is "the count" "$(tail -n 1 stdout)" "fuzz: 1 targets, 0 findings"
has "for so long" "$(cat fine.args)" "-max_total_time=1"
fuzz FUZZ=fine RUNS=70
has "or so often" "$(cat fine.args)" "-runs=70"

fuzz
status "a finding" 1
is "all are run" "$(tail -n 1 stdout)" "fuzz: 2 targets, 1 findings"
is "the row of the finding" "$(row broken | cut -d ' ' -f 1,2,4-)" "broken 12 5 2 1"
has "what" "$(cat stdout)" "broken: tests/fuzz/fuzz_broken.c:12: broken promise: again == once"
has "the input" "$(cat stdout)" "input:  out/findings/broken-crash-0a"
has "the command" "$(cat stdout)" "repeat: $work/programs/broken out/findings/broken-crash-0a"
is "the others run all the same" "$(row fine | cut -d ' ' -f 2)" 5000

fuzz FUZZ=fime
status "no such target" 2
has "those there are" "$(cat stderr)" 'no target "fime"; there are: broken fine'

# a finding that is kept is a line of its corpus, and the fuzzer gets the same bytes
mkdir -p tests/fuzz/corpus kept
printf ' \\0 a\000\377\n%%s"\t ' >kept/odd
: >kept/empty
sh "$ROOT/tests/fuzz/run.sh" keep fine kept/odd kept/empty
is "two lines" "$(wc -l <tests/fuzz/corpus/fine)" 2
is "that can be read" "$(head -n 1 tests/fuzz/corpus/fine)" 'odd \0040\\0 a\0000\0377\0012%s"\0011\0040'
PROGRAMS=$work/programs B=$work/out FUZZ=fine RUNS=1 sh "$ROOT/tests/fuzz/run.sh" >/dev/null
is "and are the same bytes again" "$(cmp kept/odd out/seeds/fine/odd 2>&1) $(wc -c <out/seeds/fine/empty)" " 0"
