#!/bin/sh
# Every lint that needs no build: layers, circles, banned calls, lengths, what nobody uses, headers that
# stand alone, shell syntax, and the words of tests/lint/words.md.
set -u
fail=0
sources=$(find base db gcp collector rules reports cli tests -name '*.[ch]' | LC_ALL=C sort)
program=$(printf '%s\n' $sources | grep -v '^tests/')
step() {
	name=$1
	shift
	if out=$("$@" 2>&1); then
		echo "  ok    $name"
	else
		echo "  FAIL  $name"
		printf '%s\n' "$out" | head -n 40
		fail=1
	fi
}
headers() {
	rc=0
	for h in $(printf '%s\n' $program | grep '\.h$'); do
		printf '#include "%s"\n' "$h" |
			${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I. -Ibuild/gen \
				-fsyntax-only -x c - || { echo "$h does not compile alone"; rc=1; }
	done
	return $rc
}
guards() {
	rc=0
	for h in $(printf '%s\n' $program | grep '\.h$'); do
		want=TPUCOST_$(printf '%s' "$h" | tr 'a-z/.-' 'A-Z___')
		grep -q "^#ifndef $want\$" "$h" || { echo "$h: guard is not $want"; rc=1; }
	done
	return $rc
}
shells() {
	rc=0
	for s in $(git ls-files '*.sh' .ci/run); do
		sh -n "$s" || rc=1
	done
	return $rc
}
# What a file is for stands in its first line, or in that of the header of its name.
jobs() {
	rc=0
	for f in $(printf '%s\n' $program | grep '\.c$'); do
		h=${f%.c}.h
		[ -e "$h" ] || h=$f
		head -q -n 1 "$f" "$h" | grep -q '^/\*' || { echo "$f does not say what it is for"; rc=1; }
	done
	return $rc
}
step "layers" awk -f tests/lint/layers.awk $sources
step "no circles" awk -f tests/lint/circles.awk $program
step "banned calls" awk -f tests/lint/banned.awk $sources
step "changes of the cloud" awk -f tests/lint/changes.awk $sources
step "every file says its job" jobs
step "lengths" awk -f tests/lint/length.awk $sources
step "nothing dead" awk -f tests/lint/dead.awk $program db/gen.awk rules/prices.awk cli/web/files.awk db/sql/*/*.sql
step "header guards" guards
step "headers stand alone" headers
step "shell syntax" shells
step "words" python3 tests/lint/words.py
exit $fail
