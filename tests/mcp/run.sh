#!/bin/sh
# The clients of the Model Context Protocol (of its makers) use the tools of `tpucost mcp`: those of the revisions with a
# handshake, and of the one without. Needs node, npm and, the first time, npm's registry; the packages go to build/mcp.
# The last line is "mcp: N passed, N failed", or why nothing was run.
set -u
B=${B:-build/release}
ROOT=$(pwd)
case $B in /*) ;; *) B=$ROOT/$B ;; esac
home=$ROOT/build/mcp
export B ROOT
skip() {
	echo "mcp: skipped: $1"
	exit 0
}
for program in node npm; do
	command -v $program >/dev/null 2>&1 || skip "$program is not installed"
done
mkdir -p "$home"
cp tests/mcp/check.mjs "$home/" # beside the packages, for node to find them
cmp -s tests/mcp/package.json "$home/.installed" || {
	cp tests/mcp/package.json "$home/"
	(cd "$home" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
		--cache "$home/npm" >npm.log 2>&1) || skip "npm cannot install the packages; its own words: $home/npm.log"
	rm -rf "$home/npm"
	cp tests/mcp/package.json "$home/.installed"
}
log=$home/checks.log
(
	. "$ROOT/tests/cli/lib.sh"
	. "$ROOT/tests/cli/lib-lab.sh"
	start_lab ""
	set_clock "=$(($(date +%s) + 60))" # figures that grow stand still
	node "$home/check.mjs" "$B/tpucost" </dev/null 2>&1 || echo "not ok the checks did not run to their end"
) >"$log" 2>&1
grep -v '^ok ' "$log" | head -n 80
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "mcp: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
