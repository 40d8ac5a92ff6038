#!/bin/sh
# make sizes: how long files and functions are, by folder, and what the program weighs, as tables.
# Functions are those that ctags finds; a comment is counted by lines that hold nothing else.
# sizes.sh FOLDER...: the second table, of these folders.
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
folders='base db gcp collector rules reports cli'
if [ $# = 0 ]; then
	echo '| part | .c files | kloc | file median / p90 / max | fn per file | fn length median / p75 / p90 / p99 | over 100 lines | comments |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
	for d in $folders; do
		# shellcheck disable=SC2046 # names
		row "$d/" $(find $d -name '*.c')
	done
	row 'all of the program' $(find $folders -name '*.c')
	row 'tests/ (C)' $(find tests -name '*.c')
	echo
else
	folders=$*
fi
# Static functions, as "file name lines": ctags knows where each ends.
statics=$(find $folders -name '*.c' | xargs ctags --sort=no --languages=C --c-kinds=f -x \
	--_xformat='%{input} %{name} %{line} %{end} %{pattern}' |
	awk '$5 ~ /static/ {print $1, $2, $4 - $3 + 1}')
measure() { # measure NAME VALUE
	echo "| $1 | $2 |"
}
echo '| measure | |'
echo '| --- | --- |'
measure 'lines of .c and .h' "$(find $folders -name '*.[ch]' | xargs cat | wc -l)"
measure 'lines that are not blank, comment, lone brace or include' "$(find $folders -name '*.[ch]' | xargs cat | awk '
	/^[ \t]*\/\*/ {c = 1}
	!c && !/^[ \t]*[{}]?[;,]?[ \t]*$/ && !/^#include/ {n++}
	/\*\// {c = 0}
	END {print n + 0}')"
measure 'lines of SQL, named queries' "$(cat db/sql/*/*.sql db/views/*/*.sql db/derived.sql | wc -l), $(cat db/sql/*/*.sql | grep -cE '^-- (name|cells):')"
measure 'largest folder' "$(git ls-files $folders tests docs packaging | sed 's|/[^/]*$||' | sort | uniq -c | sort -rn |
	awk 'NR == 1 {print $1 " files in " $2 "/"}')"
measure '.c files below 60 lines, headers below 30' "$(find $folders -name '*.c' | xargs wc -l | awk '$2 != "total" && $1 < 60 {n++} END {print n + 0}'), $(
	find $folders -name '*.h' | xargs wc -l | awk '$2 != "total" && $1 < 30 {n++} END {print n + 0}')"
measure 'static functions that are used once' "$(echo "$statics" | awk '
	function words(file, line, n, parts, i) {
		while ((getline line < file) > 0) {
			n = split(line, parts, /[^A-Za-z0-9_]+/)
			for (i = 1; i <= n; i++)
				seen[file, parts[i]]++
		}
		close(file)
	}
	!read[$1]++ {words($1)}
	{n++; if (seen[$1, $2] == 2) {once++; if ($3 <= 8) small++}}
	END {printf "%.0f %%, %d of 8 lines or fewer", n ? 100 * once / n : 0, small}')"
measure 'static functions that share their name with another file' "$(echo "$statics" | awk '
	{n++; of[$2]++} END {for (f in of) if (of[f] > 1) shared += of[f]; printf "%.0f %% of %d", n ? 100 * shared / n : 0, n}')"
measure 'pairs of files in a circle' "$(grep -o 'known\["' tests/lint/circles.awk | wc -l)"
[ $# = 0 ] || exit 0
code=$(find $folders -name '*.[ch]' | xargs cat db/sql/*/*.sql db/views/*/*.sql db/derived.sql | wc -l)
tests=$(git ls-files tests | grep -E '\.([ch]|sh|py|awk|pml)$' | xargs cat | wc -l)
echo "| test : code | $(echo "$tests $code" | awk '{printf "%.2f : 1 (%d : %d lines)", $1 / $2, $1, $2}') |"
