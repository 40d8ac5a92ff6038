#!/bin/sh
# Runs the unit test programs given as arguments, as many at once as there are processors.
# Prints the output of those that fail, and at the end "N passed, N failed" over all tests.
set -u
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
jobs=$(nproc 2>/dev/null || echo 1)

# one program: its output to a file, its exit status beside it
printf '%s\n' "$@" | xargs -P "$jobs" -I{} sh -c '
	name=$(basename "$1")
	"$1" >"$2/$name.log" 2>&1 </dev/null
	echo $? >"$2/$name.rc"' _ {} "$out"

passed=0 failed=0
for bin in "$@"; do
	name=$(basename "$bin")
	rc=$(cat "$out/$name.rc" 2>/dev/null || echo 127)
	ok=$(grep -c '^\[       OK \]' "$out/$name.log")
	bad=$(grep -c '^\[  FAILED  \] [A-Za-z_]*$' "$out/$name.log")
	if [ "$rc" -ne 0 ]; then
		[ "$bad" -gt 0 ] || bad=1
		echo "---- $name (exit $rc)"
		grep -v '^\[ RUN\|^\[       OK' "$out/$name.log"
	fi
	printf '  %-28s %4d passed' "$name" "$ok"
	[ "$rc" -eq 0 ] && echo || echo "   FAILED"
	passed=$((passed + ok))
	[ "$rc" -eq 0 ] || failed=$((failed + bad))
done
echo "unit: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
