# What a spreadsheet would run as a formula comes out as text; an independent reader finds the rest
# as it was.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q

# rows FILE: one line of JSON a record, as Python's csv module reads it
rows() {
	python3 -c 'import csv, json, sys
for row in csv.reader(open(sys.argv[1], newline="")): print(json.dumps(row))' "$1"
}

cat >hostile.sql <<'EOS'
SELECT '=HYPERLINK("http://evil.example/","x")' AS a, '+1' AS "=b", '-2+3' AS c, '@x' AS d,
	char(9) || '=1' AS e, char(13) || '=1' AS f, '  =1' AS g, '"=1"' AS h, 'a=1' AS i,
	char(10) || 'x,y' AS j, -5 AS k, -0.25 AS l, NULL AS m, '-1.5' AS cost
EOS
run tpucost sql "$(cat hostile.sql)" --format csv
status "hostile texts in CSV" 0
cp stdout safe.csv
is "headings are no formulas" "$(rows safe.csv | sed -n 1p)" \
	'["a", "'\''=b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "cost"]'
is "texts have a quote in front, numbers have not" "$(rows safe.csv | sed -n 2p)" \
	'["'\''=HYPERLINK(\"http://evil.example/\",\"x\")", "'\''+1", "'\''-2+3", "'\''@x", "'\''\t=1", "'\''\r=1", "'\''  =1", "'\''\"=1\"", "a=1", "'\''\nx,y", "-5", "-0.25", "", "-1.5"]'
run tpucost sql "$(cat hostile.sql)" --format csv --raw
cp stdout raw.csv
is "--raw: as it is" "$(rows raw.csv | sed -n 2p)" \
	'["=HYPERLINK(\"http://evil.example/\",\"x\")", "+1", "-2+3", "@x", "\t=1", "\r=1", "  =1", "\"=1\"", "a=1", "\nx,y", "-5", "-0.25", "", "-1.5"]'
run tpucost sql "$(cat hostile.sql)" --format json
is "JSON is data" "$(jq -r '.[0].c' stdout)" "-2+3"

sqlite3 t.db "UPDATE resource SET name = '=cmd|'' /C calc''!A0' WHERE name = 'keep'"
run tpucost ps --columns name --format csv
has "names of resources, too" "$out" "'=cmd|' /C calc'!A0"
run tpucost ps --columns name --format csv --raw
is "and raw" "$(printf %s "$out" | tr -d '\r' | grep -cx "=cmd|' /C calc'!A0")" 1
run tpucost ps --columns net_per_hour,name --format csv
is "no number is quoted" "$(printf %s "$out" | grep -c "^'")" 0
run tpucost ps --help
has "help says so" "$out" "--raw"
