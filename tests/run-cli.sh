#!/bin/sh
# Runs tests/cli/t*.sh: the real programs against the fake Google Cloud. Each file counts its
# own checks; the last line is "N passed, N failed" over all. What they asked of the cloud is
# counted, too: a test that does not say "# acts" must not have asked for a change.
set -u
B=${B:-build/release}
root=$(pwd)
passed=0 failed=0 dry=0 changes=0 dry_changes=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
# faketime leaves its shared memory behind when what it runs is killed; who gets the number of that
# process next would take it for its own.
sweep() {
	for f in /dev/shm/faketime_shm_*; do
		n=${f##*_}
		[ ! -e "$f" ] || kill -0 "$n" 2>/dev/null || rm -f "$f" "/dev/shm/sem.faketime_sem_$n"
	done
}
for t in ${TESTS:-tests/cli/t*.sh}; do
	name=$(basename "$t" .sh)
	sweep
	REQUESTS=$out/$name.requests ROOT=$root B=$root/$B sh "$t" >"$out/$name.log" 2>&1 </dev/null
	rc=$?
	asked=0 mutating=0
	if [ -f "$out/$name.requests" ]; then
		asked=$(grep -vc '"path":"/_sandbox' "$out/$name.requests")
		mutating=$(grep -c '"mutating":true' "$out/$name.requests")
	fi
	if grep -q '^# acts$' "$t"; then
		changes=$((changes + mutating))
	else
		dry=$((dry + asked)) dry_changes=$((dry_changes + mutating))
		[ "$mutating" -eq 0 ] || {
			echo "not ok nothing in a dry run asks for a change of the cloud"
			grep '"mutating":true' "$out/$name.requests" | head -3 | sed 's/^/    /'
		} >>"$out/$name.log"
	fi
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
echo "dry runs: $dry requests, $dry_changes mutating (and $changes of the tests that act)"
echo "cli: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
