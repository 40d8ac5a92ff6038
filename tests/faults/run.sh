#!/bin/sh
# make check-faults: every test that cases.tsv names is run once, and the table is printed: a line for
# each case, how many of each group went well, and what did not. Status 1 when one failed or was not run.
#
#	CASES="A17 C14"   only these
#	QUICK=1           the short form of the sweeps in this folder
#	FOLDER, TABLE, PART as in check.sh
set -u
here=$(dirname "$0")
tests=${FOLDER:-tests}
table=${TABLE:-$tests/faults/cases.tsv}
B=${B:-build/release}
began=$(date +%s)
sh "$here/check.sh" >/dev/null || {
	sh "$here/check.sh"
	exit 1
}
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM
awk -v PART=1 -f "$here/expand.awk" "$table" >"$out/refs"
if [ -n "${CASES:-}" ]; then
	awk -F '\t' -v wanted="$CASES" 'BEGIN { n = split(wanted, w, " "); for (i = 1; i <= n; i++) want[w[i]] }
		$1 in want' "$out/refs" >"$out/some"
	mv "$out/some" "$out/refs"
fi
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}
programs() { # KIND: the tests of that kind, each once
	cut -f 2 "$out/refs" | grep "^$1/" | sort -u
}
# Progress is for people who wait.
quiet() {
	if [ -t 2 ]; then cat >&2; else cat >/dev/null; fi
}

# ---- the tests, as many at once as there are processors; sweeps are last, and alone
each() { # KIND JOBS
	programs "$1" | OUT=$out B=$B FOLDER=$tests xargs -P "$2" -n 1 sh tests/run.sh --one | quiet
}
each unit "$jobs"
each cli "$jobs"
each faults 1
[ -z "$(programs model)" ] || QUICK=${QUICK:-} CC=${CC:-cc} sh tests/model/run.sh >"$out/enforce.log" 2>&1
# ---- what came of each: ok, FAILED, skipped or not run
result() { # FILE TEST
	name=$(basename "$1")
	log=$out/${name%.*}.log
	case $1 in
	unit/*)
		if [ ! -s "$log" ]; then
			echo "not run"
		elif grep -q "^\[       OK \] $2\$" "$log"; then
			echo ok
		elif grep -q "^\[  SKIPPED \] $2\$" "$log"; then
			echo skipped
		elif grep -q "^\[  FAILED  \] $2\$\|^\[ RUN      \] $2\$" "$log"; then
			echo FAILED
		else
			echo "not run"
		fi
		;;
	model/*) if grep -q '^ok ' "$log" && ! grep -q '^not ok ' "$log"; then echo ok; else echo FAILED; fi ;;
	*)
		# a check that never came may be one of those after a failure, or one of what was skipped
		if [ ! -s "$log" ]; then
			echo "not run"
		elif grep '^not ok ' "$log" | grep -qF -- "$2"; then
			echo FAILED
		elif grep '^ok ' "$log" | grep -v '^ok skipped: ' | grep -qF -- "$2"; then
			echo ok
		elif grep -q '^ok skipped: ' "$log"; then
			echo skipped
		else
			echo "not run"
		fi
		;;
	esac
}
cut -f 2,3 "$out/refs" | grep -v '^n/a' | sort -u | while IFS=$(printf '\t') read -r file test; do
	printf '%s\t%s\t%s\n' "$file" "$test" "$(result "$file" "$test")"
done >"$out/results"

awk -F '\t' -v seconds=$(($(date +%s) - began)) -f "$here/table.awk" "$out/results" "$out/refs" "$table"
rc=$?
# whatever else failed on the way is no success either
for log in "$out"/*.log; do
	bad=$(grep -c '^not ok \|^\[  FAILED  \] [A-Za-z_0-9]*$' "$log")
	[ "$bad" -gt 0 ] || continue
	echo "---- $(basename "$log" .log): $bad failed"
	grep -A 6 '^not ok \|^\[  ERROR' "$log" | head -n 40
	rc=1
done
exit $rc
