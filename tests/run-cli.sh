#!/bin/sh
# Runs tests/cli/t*.sh: the real programs against the fake Google Cloud. Each file counts its
# own checks; the last line is "N passed, N failed" over all.
set -u
B=${B:-build/release}
root=$(pwd)
passed=0 failed=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
for t in tests/cli/t*.sh; do
	name=$(basename "$t" .sh)
	ROOT=$root B=$root/$B sh "$t" >"$out/$name.log" 2>&1 </dev/null
	rc=$?
	ok=$(grep -c '^ok ' "$out/$name.log")
	bad=$(grep -c '^not ok ' "$out/$name.log")
	if [ $rc -ne 0 ] || [ "$bad" -gt 0 ] || [ "$ok" -eq 0 ]; then
		[ "$bad" -gt 0 ] || bad=1
		grep -v '^ok ' "$out/$name.log"
	fi
	printf '  %-28s %4d passed' "$name" "$ok"
	[ "$bad" -eq 0 ] && echo || echo "   FAILED"
	passed=$((passed + ok))
	failed=$((failed + bad))
done
echo "cli: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
