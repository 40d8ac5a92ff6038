#!/bin/sh
# Is every test that the table names there? Prints what is not, and at the end how many were looked at.
# FOLDER: another folder of tests. TABLE: another table, of which PART=1 says that it is not the whole.
set -u
tests=${FOLDER:-tests}
table=${TABLE:-$tests/faults/cases.tsv}
out=$(mktemp) || exit 1
trap 'rm -f "$out" "$out".*' EXIT
missing() {
	echo "$case: $*"
	: >"$out.bad"
}
awk -v PART="${PART:-}" -f "$(dirname "$0")/expand.awk" "$table" >"$out" 2>"$out.said" || : >"$out.bad"
cat "$out.said"
# tabs between, of which several would be one
tr '\t' '\037' <"$out" >"$out.refs"
while IFS=$(printf '\037') read -r case file test row; do
	[ "$file" != n/a ] || continue
	at=$tests/$file
	if [ ! -f "$at" ]; then
		missing "$file is not there"
		continue
	fi
	case $file in
	unit/*)
		grep -q "^static void $test(void \*\*state)" "$at" || missing "$file has no $test"
		[ "$(grep -c "\b$test\b" "$at")" -ge 2 ] || missing "$file does not run $test"
		[ -z "$row" ] || grep -q "\"$row[ \"]" "$at" || missing "$file has no row $row"
		;;
	*.sh)
		# names of checks may be those of a program that the test runs
		programs=$(sed -n 's,.*/tests/support/\([a-z_]*\.py\).*,\1,p' "$at" | sort -u | sed "s,^,$tests/support/,")
		# shellcheck disable=SC2086 # words
		[ -z "$test" ] || grep -qF -- "$test" "$at" $programs || missing "$file has no check \"$test\""
		;;
	esac
done <"$out.refs"
awk -F '\t' '{ cases[$1] } $2 == "n/a" { na++; next } { tests[$2 " " $3] } END {
	print length(cases) " cases, " length(tests) " tests, " na + 0 " parts that there are not" }' "$out"
[ ! -e "$out.bad" ]
