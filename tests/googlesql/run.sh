#!/bin/sh
# Every SQL text that BigQuery may get, on Google's own engine for that language. Needs node,
# npm and, the first time, npm's registry; the engine (350 MB) goes to $B/googlesql. With
# FETCH=no it is not fetched: then the test runs only where it is already. A line is
# "ok NAME" or "not ok NAME", or why nothing was run.
set -u
B=${B:-build/release}
case $B in /*) ;; *) B=$(pwd)/$B ;; esac
home=$B/googlesql

skip() {
	echo "ok skipped: $1"
	exit 0
}

# The scripts must lie beside the engine for node to find it.
install_engine() {
	mkdir -p "$home" || return 1
	cp tests/googlesql/*.mjs "$home/" || return 1
	cmp -s tests/googlesql/package.json "$home/.installed" && return 0
	[ "${FETCH:-}" != no ] || skip "make test-googlesql fetches the engine (350 MB)"
	cp tests/googlesql/package.json "$home/" || return 1
	(cd "$home" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
		--cache "$home/npm" >npm.log 2>&1) || return 1
	rm -rf "$home/npm" # the same files once more
	cp tests/googlesql/package.json "$home/.installed"
}

for program in node npm; do
	command -v $program >/dev/null 2>&1 || skip "$program is not installed"
done
case $(uname -sm) in
"Linux x86_64" | "Linux aarch64") ;;
*) skip "the engine does not exist for $(uname -sm)" ;;
esac
install_engine || skip "npm cannot install the engine; its own words: $home/npm.log"

log=$home/checks.log
node "$home/check.mjs" "$home/print_sql" >"$log" 2>&1 ||
	echo "not ok the checks did not run to their end" >>"$log"
cat "$log"
grep -q '^ok ' "$log" && ! grep -q '^not ok ' "$log"
