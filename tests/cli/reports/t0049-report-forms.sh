# The report as text, markdown and CSV: the same figures as in JSON, whatever things are called.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q
name="=1+1|<b>*x*</b>"
sqlite3 t.db "UPDATE resource SET name = '$name' WHERE name = 'big'"

run tpucost report daily --format json
status "json" 0
rate=$(jq -r '.running[] | select(.name == "'"$name"'") | .net_per_hour' stdout)
is "the machine burns" "$(printf '%.2f' "$rate")" 5.68

run tpucost report daily
status "text" 0
has "its name and burn" "$(grep -F -A1 "$name" stdout | tr -s ' ')" "5.68 USD/h~"
is "no line beyond 78 columns but commands" "$(awk 'length($0) > 78' stdout | grep -vc 'gcloud')" 0
run tpucost report daily --format markdown
status "markdown" 0
has "escaped, with its burn" "$(grep -F 'n1-highmem-96' stdout)" '| =1+1\|\<b\>\*x\*\</b\> | vm | n1-highmem-96 |'
has "in a row of a table" "$(grep -F 'n1-highmem-96' stdout)" '| 5.68 USD/h\~ |'
is "no name of it is left as it was" "$(grep -cF '<b>' stdout)" 0

run tpucost report daily --format csv
status "csv" 0
cp stdout report.csv
python3 - report.csv <<'EOP' >tidy
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert list(rows[0]) == ["section", "row", "field", "value", "unit", "status"], rows[0]
row = [r["row"] for r in rows if r["section"] == "running" and r["value"].endswith("*x*</b>") and r["field"] == "name"]
print(*[(r["value"], r["unit"], r["status"]) for r in rows if r["section"] == "running" and r["row"] == row[0]
        and r["field"] in ("name", "net_per_hour")])
EOP
is "a value a line, no formulas" "$(cat tidy)" "(\"'$name\", '', '') ('$rate', 'USD/h', 'estimate')"
run tpucost report daily --format csv --raw
has "--raw" "$out" ",name,$name,,"

# limits are for people, not for data
is "all rows are in the data" "$(tpucost report daily --format csv | grep -c '^running,[0-9]*,name,')" \
	"$(tpucost report daily --format json | jq '.running | length')"
