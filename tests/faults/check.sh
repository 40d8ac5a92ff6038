#!/bin/sh
# Is every test that the table names there? Prints what is not, and at the end how many were looked at.
# FOLDER: another folder of tests. TABLE: another table, of which PART=1 says that it is not the whole.
set -u
tests=${FOLDER:-tests}
table=${TABLE:-$tests/faults/cases.tsv}
out=$(mktemp) || exit 1
trap 'rm -f "$out" "$out".*' EXIT
awk -v PART="${PART:-}" -f "$(dirname "$0")/expand.awk" "$table" >"$out" 2>"$out.said" || : >"$out.bad"
cat "$out.said"
awk -v tests="$tests" -f "$(dirname "$0")/check.awk" "$out" || : >"$out.bad"
[ ! -e "$out.bad" ]
