#!/bin/sh
# The manual: made of the tables, all of it there, and good mdoc.
. "$ROOT/tests/cli/lib.sh"
for p in tpucost.1 tpucost.yaml.5 tpucost-rules.7 tpucost-views.7; do
	awk -v tool="$B/tpucost" -f "$ROOT/docs/man/make.awk" "$ROOT/docs/man/$p.in" >$p 2>stderr
	is "$p is made" "$? $(cat stderr)" "0 "
	is "$p: nothing is left to fill in" "$(grep -c '^@' $p)" 0
	if command -v mandoc >/dev/null; then
		is "$p: no mistake" "$(clock_at 2100-01-01T00:00:00Z mandoc -T lint -W warning $p 2>&1)" ""
		is "$p: no long line" "$(clock_at 2100-01-01T00:00:00Z mandoc -T lint $p | grep -v 'manual not found\|typo in section')" ""
		mandoc -T utf8 -O width=78 $p | sed 's/.\x08//g' >${p%.in}.txt
		is "$p: 80 columns" "$(sed 's/[^ -~]/x/g' $p.txt | awk 'length($0) > 80' | head -3)" ""
	fi
done
awk -v tool=/nonexistent/tpucost -f "$ROOT/docs/man/make.awk" "$ROOT/docs/man/tpucost.1.in" >broken 2>stderr
is "a program that fails is a page that fails" "$?" 1
run tpucost manual nonsense
status "no such part" 2

plain() { # PAGE: words as they are read
	sed 's/\\-/-/g; s/\\e/\\/g; s/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\&//g' "$1"
}
missing() { # what of standard input is no ".It" of the page
	while IFS= read -r want; do
		grep -qxF -- "$want" items || printf '%s\n' "$want"
	done
}
plain tpucost.1 | sed -n 's/^\.It Cm //p' | sed 's/ Ar .*//' >items
is "every command" "$(tpucost help --format json | jq -r '.[].command' | missing)" ""
is "and no hidden one" "$(grep -c 'complete$\|manual' items)" 0
plain tpucost.1 | sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' >items
is "every option" "$(sed -n 's/^\t{"\([a-z-]*\)", .*OPT_.*/\1/p' "$ROOT/cli/opts.c" | missing)" ""
plain tpucost.yaml.5 | sed -n 's/^\.It Cm \([^ ]*\) .*/\1/p' >items
is "every key" "$(sed -n 's/^| `\([^`]*\)`.*/\1/p' "$ROOT/docs/config.md" | missing)" ""
plain tpucost-views.7 | awk '/^\.Ss / { v = $2 } /^\.It Va / { print v "." $3 }' >items
is "every column" "$(tpucost views --format json | jq -r '.[] | .view + "." + .column' | missing)" ""
printf 'projects: []\ndatabase: t.db\n' >tpucost.yaml
plain tpucost-rules.7 | sed -n 's/^\.It Cm \([^ ]*\) .*/\1/p' >items
is "every rule" "$(tpucost rules list --config tpucost.yaml --format json | jq -r '.[].name' | missing)" ""
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' tpucost.yaml.5 | sed '/^\./d' >example.yaml
run tpucost check --config example.yaml
is "the example is a configuration" "$rc $err" "0 "
