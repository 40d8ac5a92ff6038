#!/bin/sh
# Runs the unit test programs given as arguments, file by file, as many at once as there are
# processors. Prints the output of the files that fail, and at the end "N passed, N failed" over
# all tests. FILES="test_money test_tz" runs only those.
#
#	run-unit.sh one PROGRAM FILE    one file of tests, as it is run here
set -u

# The output of a file of tests goes to $out/FILE.log, its exit status to $out/FILE.rc.
if [ "${1:-}" = one ]; then
	out=$UNIT_OUT
	"$2" "$3" >"$out/$3.log" 2>&1 </dev/null
	rc=$?
	echo $rc >"$out/$3.rc"
	printf '  %-28s %4d passed' "$3" "$(grep -c '^\[       OK \]' "$out/$3.log")"
	[ $rc -eq 0 ] && echo || echo "   FAILED (exit $rc)"
	exit 0
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
trap 'exit 1' INT TERM
for program in "$@"; do
	"$program" --list | sed "s|^|$program |"
done >"$out/files"
if [ -n "${FILES:-}" ]; then
	# shellcheck disable=SC2086 # names
	printf ' %s$\n' $FILES >"$out/wanted"
	grep -f "$out/wanted" "$out/files" >"$out/some"
	mv "$out/some" "$out/files"
fi
UNIT_OUT=$out xargs -P "${JOBS:-$(nproc 2>/dev/null || echo 1)}" -L 1 sh "$0" one <"$out/files"

passed=0 failed=0
while read -r _ name; do
	ok=$(grep -c '^\[       OK \]' "$out/$name.log")
	passed=$((passed + ok))
	[ "$(cat "$out/$name.rc" 2>/dev/null || echo 127)" -ne 0 ] || [ "$ok" -eq 0 ] || continue
	bad=$(grep '^\[  FAILED  \] [A-Za-z_0-9]*$' "$out/$name.log" | sort -u | wc -l)
	[ "$bad" -gt 0 ] || bad=1
	failed=$((failed + bad))
	echo "---- $name"
	grep -v '^\[ RUN\|^\[       OK' "$out/$name.log"
done <"$out/files"
[ "$passed" -gt 0 ] || failed=1
echo "unit: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
