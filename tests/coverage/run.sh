#!/bin/sh
# make coverage: builds with counters (build/cov), runs the unit tests and those of the command line, and holds
# what they ran of the program against tests/coverage/floors. ONLY=unit leaves the command line out;
# ONLY=table only reads again what the last run counted.
set -u
B=build/cov
ONLY=${ONLY:-all}
MAKE=${MAKE:-make}
# Some tests take away what the counters are written to (files, memory, permissions): that is no message of theirs.
export GCOV_ERROR_FILE=/dev/null

failed=0
step() {
	printf '==== %s\n' "$1"
}
# What a test checks may be spoilt by the counters, not by the program: each with its reason.
spoilt() {
	sed 's/#.*//' tests/coverage/skipped | awk 'NF { print $1 }'
}
cli_tests() {
	(cd tests && ls cli/*/t*.sh) | while read -r t; do
		spoilt | grep -qx "$(basename "$t" .sh)" || echo "$t"
	done
}
# Those of sources that are not there any more are of an older build.
objects() {
	for folder in base db gcp collector rules reports cli; do
		find "$B/$folder" -name '*.gcno'
	done | while read -r object; do
		source=${object#"$B/"}
		[ ! -f "${source%.gcno}.c" ] || echo "$object"
	done
}

if [ "$ONLY" != table ]; then
	step "building into $B"
	"$MAKE" --no-print-directory MODE=cov CC="${CC:-gcc}" cli-programs unit-programs || exit 1
	find "$B" -name '*.gcda' -delete
	step "unit tests"
	B=$B sh tests/run.sh unit || failed=1
fi
if [ "$ONLY" = all ]; then
	step "command line tests, without $(spoilt | wc -l) (tests/coverage/skipped)"
	# shellcheck disable=SC2046 # names
	B=$B sh tests/run.sh $(cli_tests) || failed=1
fi
step "reading the counters"
objects | sort | xargs gcov --json-format --stdout --branch-probabilities 2>/dev/null >"$B/gcov.json"
python3 tests/coverage/table.py tests/coverage/floors <"$B/gcov.json" || failed=1
exit $failed
