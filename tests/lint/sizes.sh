#!/bin/sh
# make sizes: how long files and functions are, by folder, as a table. Functions are those that
# ctags finds; a comment is counted by lines that hold nothing else.
set -u
export LC_ALL=C
command -v ctags >/dev/null || {
	echo "sizes: ctags is not installed: apt-get install universal-ctags" >&2
	exit 1
}
at() { # at PERCENT: of sorted numbers
	awk -v p="$1" '{v[NR] = $1} END {i = int((NR * p + 99) / 100); print NR ? v[i ? i : 1] : "-"}'
}
row() { # row NAME FILE...
	name=$1
	shift
	lens=$(ctags -x --sort=no --_xformat='%{line} %{end}' --c-kinds=f --languages=C "$@" |
		awk 'NF == 2 {print $2 - $1 + 1}' | sort -n)
	files=$(wc -l "$@" | awk '$2 != "total" {print $1}' | sort -n)
	n=$(printf '%s\n' "$files" | wc -l)
	lines=$(printf '%s\n' "$files" | awk '{s += $1} END {print s}')
	fns=$(printf '%s\n' "$lens" | wc -l)
	long=$(printf '%s\n' "$lens" | awk '$1 > 100 {n++} END {print n + 0}')
	comments=$(awk '/^[ \t]*\/\*/ {c = 1} c {n++} /\*\// {c = 0} END {print n + 0}' "$@")
	printf '| %s | %d | %.1f | %s / %s / %s | %.0f | %s / %s / %s / %s | %.1f %% | %.0f %% |\n' "$name" \
		"$n" "$(echo "$lines" | awk '{print $1 / 1000}')" \
		"$(printf '%s\n' "$files" | at 50)" "$(printf '%s\n' "$files" | at 90)" \
		"$(printf '%s\n' "$files" | at 100)" "$(echo "$fns $n" | awk '{print $1 / $2}')" \
		"$(printf '%s\n' "$lens" | at 50)" "$(printf '%s\n' "$lens" | at 75)" \
		"$(printf '%s\n' "$lens" | at 90)" "$(printf '%s\n' "$lens" | at 99)" \
		"$(echo "$long $fns" | awk '{print 100 * $1 / $2}')" \
		"$(echo "$comments $lines" | awk '{print 100 * $1 / $2}')"
}
echo '| part | .c files | kloc | file median / p90 / max | fn per file | fn length median / p75 / p90 / p99 | over 100 lines | comments |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
folders='base db gcp collector rules reports cli'
for d in $folders; do
	# shellcheck disable=SC2046 # names
	row "$d/" $(find $d -name '*.c')
done
row 'all of the program' $(find $folders -name '*.c')
row 'tests/ (C)' $(find tests -name '*.c')
code=$(find $folders -name '*.[ch]' | xargs cat db/sql/*/*.sql db/views/*/*.sql db/derived.sql | wc -l)
tests=$(git ls-files tests | grep -E '\.([ch]|sh|py|awk|pml)$' | xargs cat | wc -l)
echo
echo "test : code $(echo "$tests $code" | awk '{printf "%.2f : 1 (%d : %d lines)", $1 / $2, $1, $2}')"
