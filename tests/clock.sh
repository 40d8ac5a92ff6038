#!/bin/sh
# make test-clock: the unit tests and those of the command line with the machine's clock at each of
# these instants, and in these time zones (tests/support/machine.c moves it). What a test takes from
# the machine's clock instead of its own fails at some of them. INSTANTS=3 runs only the third,
# INSTANTS=2@abc two of them that the text after @ chooses, with some of the places where something can fail, since
# those do not depend on the clock.
set -u
B=${B:-build/release}
case $B in /*) ;; *) B=$PWD/$B ;; esac
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
cat >"$dir/all" <<'END'
2026-11-22T00:00:30Z UTC
2026-11-22T07:59:00Z Pacific/Kiritimati
2026-11-22T15:59:00Z UTC
2026-11-22T16:01:00Z Pacific/Pago_Pago
2026-11-22T23:58:00Z UTC
2027-01-31T12:00:00Z Pacific/Kiritimati
2027-03-01T00:30:00Z Pacific/Pago_Pago
2027-03-14T09:58:00Z America/Los_Angeles
2027-11-07T08:58:00Z America/Los_Angeles
2028-02-29T12:00:00Z UTC
2026-12-31T23:58:00Z UTC
2027-01-01T00:05:00Z Pacific/Kiritimati
END
case ${INSTANTS:-} in
'') cp "$dir/all" "$dir/some" ;;
*@*)
	seed=$(printf '%s' "${INSTANTS#*@}" | cksum | cut -d ' ' -f 1)
	awk -v seed="$seed" -v n="${INSTANTS%@*}" '{ line[NR - 1] = $0 } END {
		for (i = 0; i < n; i++) print line[(seed + i * 5) % NR] }' "$dir/all" >"$dir/some"
	TEST_QUICK=7
	export TEST_QUICK
	;;
*) sed -n "${INSTANTS}p" "$dir/all" >"$dir/some" ;;
esac
ln -s "$B/machine.so" "$dir/machine.so" # LD_PRELOAD takes no path with a blank
passed=0 failed=0
while read -r instant zone; do
	began=$(date +%s)
	ahead=$(($(date +%s --date="$instant") - began))
	# shellcheck disable=SC2086 # words
	LD_PRELOAD=$dir/machine.so TEST_WALL=$ahead TZ=$zone FETCH=no QUICK=1 B=$B sh tests/run.sh unit cli >"$dir/log" 2>&1 </dev/null
	rc=$?
	last=$(tail -n 1 "$dir/log")
	echo "clock: $instant $zone: $last ($(($(date +%s) - began)) s)"
	[ $rc -eq 0 ] || {
		failed=$((failed + 1))
		grep -B 1 -A 6 '^not ok\|FAILED' "$dir/log" | head -n 60
		continue
	}
	passed=$((passed + 1))
done <"$dir/some"
echo "instants: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
