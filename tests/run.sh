#!/bin/sh
# Runs tests and prints what failed; the last line is "N passed, N failed" over all checks. Several run at
# once, more than there are processors, because many of them wait.
#
#	run.sh                                  every test
#	run.sh unit cli/enforce                 those below these folders of tests/
#	run.sh unit/base/test_money.c           one file
#	run.sh --quick                          the unit tests, with some of the places where something can fail;
#	                                        and of cli/ the folders that a change since BASE touches; without
#	                                        BASE: since HEAD, or the last commit
#	run.sh --one TEST                       one test, its output to $OUT, as the runs above do
#
# A test of the command line must not have asked the cloud for a change, unless it says "# acts" in a line of
# its own: that is counted in the log of the fake cloud.
set -u
B=${B:-build/release}
case $B in /*) ;; *) B=$PWD/$B ;; esac
tests=${FOLDER:-tests}

# ---- one test: its log, its status, and "passed failed acts requests changes"
one() {
	name=$(basename "${1%.*}")
	[ "$name" != run ] || name=${1%/*}
	log=$OUT/$name.log
	asked=0 changes=0 acts=-
	began=$(date +%s)
	scratch=$OUT/$$ # a short name: paths of sockets are short
	mkdir -m 1777 "$scratch" || return # some tests become another user
	case $1 in
	unit/*)
		folder=${1#unit/}
		TMPDIR=$scratch "$B/unit/${folder%/*}" "$name" >"$log" 2>&1 </dev/null
		;;
	*)
		grep -q '^# acts$' "$tests/$1" && acts=yes || acts=no
		TMPDIR=$scratch REQUESTS=$OUT/$name.requests ROOT=$PWD B=$B sh "$tests/$1" >"$log" 2>&1 </dev/null
		;;
	esac
	rc=$?
	left=$(ls -A "$scratch")
	[ -z "$left" ] || echo "not ok it leaves no file behind: $left" >>"$log"
	rm -rf "$scratch"
	if [ -f "$OUT/$name.requests" ]; then
		asked=$(grep -vc '"path":"/_sandbox' "$OUT/$name.requests")
		changes=$(grep -c '"mutating":true' "$OUT/$name.requests")
		[ $acts = yes ] || [ "$changes" -eq 0 ] || {
			echo "not ok nothing in a dry run asks for a change of the cloud"
			grep '"mutating":true' "$OUT/$name.requests" | head -3 | sed 's/^/    /'
		} >>"$log"
	fi
	ok=$(grep -c '^ok \|^\[       OK \]' "$log")
	bad=$(grep '^not ok \|^\[  FAILED  \] [A-Za-z_0-9]*$' "$log" | sort | uniq | wc -l)
	[ "$bad" -gt 0 ] || { [ $rc -eq 0 ] && [ "$ok" -gt 0 ]; } || bad=1
	{
		[ "$bad" -eq 0 ] || grep -v '^ok \|^\[ RUN\|^\[       OK' "$log"
		printf '  %-28s %4d passed%s\n' "$name" "$ok" "$([ "$bad" -eq 0 ] || echo "   FAILED (exit $rc)")"
	} >"$OUT/$name.said"
	cat "$OUT/$name.said" # in one piece, since others write too
	echo "$ok $bad $acts $asked $changes $(($(date +%s) - began)) $1" >"$OUT/$name.count"
}

if [ "${1:-}" = --one ]; then
	one "$2"
	exit 0
fi

# ---- which tests
every() {
	(cd "$tests" && ls unit/*/test_*.c cli/*/t*.sh model/run.sh googlesql/run.sh)
}
# The folders of tests/cli that show what these folders of the program do.
shown_by() {
	case $1 in
	base/* | cli/*) echo cli/commands cli/screen cli/daemon cli/docs cli/estimate ;;
	rules/*) echo cli/rules cli/enforce cli/lease cli/slices cli/estimate ;;
	reports/*) echo cli/reports cli/notify ;;
	collector/*) echo cli/collector cli/bill ;;
	db/* | gcp/*) echo "cli/${1%%/*}" ;;
	tests/cli/*/*) dirname "${1#tests/}" ;;
	tests/*) echo cli/tests ;;
	docs/* | packaging/* | *.md) echo cli/docs cli/install ;;
	esac
}
quick() {
	base=${BASE:-HEAD}
	[ -n "${BASE:-}" ] || ! git diff --quiet HEAD 2>/dev/null || base=HEAD~
	echo unit
	git diff --name-only "$base" | while read -r file; do shown_by "$file"; done | tr ' ' '\n' | sort -u
}
# In memory, where it has room for it and programs may be run there: the files are many and live briefly.
memory=/dev/shm
OUT=$(mktemp -d -p $memory 2>/dev/null) && echo '#!/bin/sh' >"$OUT/try" && chmod +x "$OUT/try" && "$OUT/try" 2>/dev/null &&
	[ "$(df -Pk $memory | awk 'END { print $4 }')" -gt 4000000 ] || {
	[ -z "$OUT" ] || rm -rf "$OUT"
	OUT=$(mktemp -d)
}
chmod 711 "$OUT" || exit 1
export OUT
trap 'rm -rf "$OUT"' EXIT
trap 'exit 1' INT TERM
[ "${1:-}" != --quick ] || { set -- $(quick) && TEST_QUICK=7 && export TEST_QUICK; }
[ $# -gt 0 ] || set -- unit cli model googlesql
printf '%s\n' "$@" >"$OUT/wanted"
every | awk 'FNR == NR { want[$0]; next } { for (w in want) if (index($0 "/", w "/") == 1) { print; next } }' \
	"$OUT/wanted" - >"$OUT/tests"
[ -s "$OUT/tests" ] || {
	echo "run.sh: there is no test named $*" >&2
	exit 2
}
# Those that took longest the last time come first, so that none is left over at the end.
times=$(dirname "$B")/test-times
touch "$times"
awk 'FILENAME == ARGV[1] { took[$2] = $1; next } { print ($1 in took ? took[$1] : 5), $1 }' "$times" "$OUT/tests" |
	sort -rn | cut -d ' ' -f 2 >"$OUT/order"

# ---- all of them
began=$(date +%s)
LD_PRELOAD=${LD_PRELOAD:-$OUT/machine.so} # no waiting for the disk
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
ln -s "$B/machine.so" "$OUT/machine.so" # LD_PRELOAD takes no path with a blank
ln -s "$B/stubs" "$OUT/stubs"
export LD_PRELOAD B
# libraries that no test uses (tests/support/stubs.sh)
[ ! -f "$B/stubs/made" ] || export LD_LIBRARY_PATH="$OUT/stubs"
# the python3 of the system: that of a version manager takes ten times as long to begin
if [ -x /usr/bin/python3 ]; then
	mkdir "$OUT/bin" && ln -s /usr/bin/python3 "$OUT/bin" && chmod 755 "$OUT/bin"
	PATH=$OUT/bin:$PATH
fi
xargs -P "${JOBS:-$(($(nproc 2>/dev/null || echo 1) * 3))}" -n 1 sh "$0" --one <"$OUT/order"
cat "$OUT"/*.count 2>/dev/null | awk '{ print $6, $7 }' | cat - "$times" | awk '!seen[$2]++' >"$OUT/times" &&
	cp "$OUT/times" "$times"
cat "$OUT"/*.count | awk -v tests="$(wc -l <"$OUT/tests")" -v seconds=$(($(date +%s) - began)) '
	{ kind = $7; sub(/\/.*/, "", kind); passed[kind] += $1; all += $1; failed += $2 }
	$3 == "yes" { changes += $5 }
	$3 == "no" { dry += $4; dry_changes += $5 }
	END {
		failed += tests - NR # of those that came to nothing
		for (kind in passed) printf "%s: %d passed\n", kind, passed[kind]
		printf "dry runs: %d requests, %d mutating (and %d of the tests that act)\n", dry, dry_changes, changes
		printf "%d files of tests in %d s\n", tests, seconds
		printf "%d passed, %d failed\n", all, failed
		exit failed > 0 || !all
	}'
