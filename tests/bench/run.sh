#!/bin/sh
# make bench: the parts of the benchmark, one after the other: import, poll, judge, report, query
# (PARTS names others; SLOPE=1 adds slope). ROWS (100000), PAIRS (3) and FACTS (5000000) by
# variable. The tables also go to $B/bench/performance.md, which is docs/performance.md with the
# figures of this run.
. "$(dirname "$0")/lib.sh"
PARTS=${PARTS:-import ${SLOPE:+slope} poll judge report query}
export ROWS PAIRS FACTS

for part in $PARTS; do
	[ -f "$ROOT/tests/bench/$part.sh" ] || fail "there is no part $part"
done
for part in $PARTS; do
	sh "$ROOT/tests/bench/$part.sh"
done
sh "$ROOT/tests/bench/page.sh"
