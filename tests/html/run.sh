#!/bin/sh
# Reports as HTML against a validator of HTML, both versions of the sample documents. Needs
# node, npm and, the first time, npm's registry; the validator (30 MB) goes to build/html. With
# FETCH=no it is not fetched: then the test runs only where it is already. The last line is
# "html: N passed, N failed", or why nothing was run.
set -u
B=${B:-build/release}
case $B in /*) ;; *) B=$(pwd)/$B ;; esac
home=$(pwd)/build/html

skip() {
	echo "html: skipped: $1"
	exit 0
}

# The script must lie beside the validator for node to find it.
install_validator() {
	mkdir -p "$home" || return 1
	cp tests/html/check.mjs "$home/" || return 1
	cmp -s tests/html/package.json "$home/.installed" && return 0
	[ "${FETCH:-}" != no ] || skip "make test-html fetches the validator (30 MB)"
	cp tests/html/package.json "$home/" || return 1
	(cd "$home" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
		--cache "$home/npm" >npm.log 2>&1) || return 1
	rm -rf "$home/npm" # the same files once more
	cp tests/html/package.json "$home/.installed"
}

for program in node npm; do
	command -v $program >/dev/null 2>&1 || skip "$program is not installed"
done
install_validator || skip "npm cannot install the validator; its own words: $home/npm.log"

for sample in sample hostile; do
	for version in file mail; do
		"$B/html/print_doc" $sample html $version >"$home/$sample-$version.html" || exit 1
		"$B/html/print_doc" $sample html $version 20000 >"$home/short-$sample-$version.html" ||
			exit 1
	done
done
"$B/html/print_doc" many html mail 100000 >"$home/many-mail.html" || exit 1
log=$home/checks.log
node "$home/check.mjs" "$home"/*.html >"$log" 2>&1 ||
	echo "not ok the checks did not run to their end" >>"$log"
grep -v '^ok ' "$log" | head -n 60
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "html: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
