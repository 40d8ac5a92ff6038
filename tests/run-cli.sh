#!/bin/sh
# Runs tests/cli/t*.sh, as many at once as there are processors: the real programs against the
# fake Google Cloud. Each file counts its own checks; the last line is "N passed, N failed" over
# all. What they asked of the cloud is counted, too: a test that does not say "# acts" must not
# have asked for a change.
set -u
B=${B:-build/release}
root=$(pwd)
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}

# One test: its output and what it came to. Given again as "sh run-cli.sh one TEST".
one() {
	t=$1
	name=$(basename "$t" .sh)
	REQUESTS=$out/$name.requests ROOT=$root B=$root/$B sh "$t" >"$out/$name.log" 2>&1 </dev/null
	rc=$?
	asked=0 mutating=0
	if [ -f "$out/$name.requests" ]; then
		asked=$(grep -vc '"path":"/_sandbox' "$out/$name.requests")
		mutating=$(grep -c '"mutating":true' "$out/$name.requests")
	fi
	acts=no
	if grep -q '^# acts$' "$t"; then
		acts=yes
	elif [ "$mutating" -ne 0 ]; then
		{
			echo "not ok nothing in a dry run asks for a change of the cloud"
			grep '"mutating":true' "$out/$name.requests" | head -3 | sed 's/^/    /'
		} >>"$out/$name.log"
	fi
	ok=$(grep -c '^ok ' "$out/$name.log")
	bad=$(grep -c '^not ok ' "$out/$name.log")
	said=
	if [ $rc -ne 0 ] || [ "$bad" -gt 0 ] || [ "$ok" -eq 0 ]; then
		[ "$bad" -gt 0 ] || bad=1
		said="   FAILED"
		grep -v '^ok ' "$out/$name.log"
	fi
	printf '  %-28s %4d passed%s\n' "$name" "$ok" "$said"
	echo "$ok $bad $acts $asked $mutating" >"$out/$name.count"
}

if [ "${1:-}" = one ]; then
	out=$CLI_OUT
	one "$2"
	exit
fi
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
set -- ${TESTS:-tests/cli/t*.sh}
printf '%s\n' "$@" | CLI_OUT=$out xargs -P "$jobs" -I{} sh "$0" one {}
cat "$out"/*.count 2>/dev/null | awk -v tests=$# '
	{ passed += $1; failed += $2 }
	$3 == "yes" { changes += $5 }
	$3 == "no" { dry += $4; dry_changes += $5 }
	END {
		failed += tests - NR # what came to nothing
		printf "dry runs: %d requests, %d mutating (and %d of the tests that act)\n", dry, dry_changes, changes
		printf "cli: %d passed, %d failed\n", passed, failed
		exit failed > 0
	}'
