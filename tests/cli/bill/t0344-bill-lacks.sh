# A bill that the last poll could not read completely: where its figures are shown, a note says so, and why.
. "$ROOT/tests/cli/lib.sh"

write_world lacks us-central1-a <<END
$BILL
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: N1 Core, region: us-central1,
       unit: hour, usage: 96, cost: 3, from: $(at -432000), until: $(at -86400)}
END
start_sandbox "$work/world.yaml"
write_config
set_clock =$NOW
run tpucost collect -q billing
status "all was read" 0
run tpucost cost
is "then there is no note" "$(grep -c 'not read completely' stderr)" 0

# the export is loaded again, and empty until then
sed '/^  rows:/,$d' world.yaml >empty.yaml
echo '  rows: []' >>empty.yaml
curl -fsS -X POST "$url/_sandbox/world" --data-binary @empty.yaml >/dev/null
set_clock =$((NOW + 3600))
run tpucost collect -q billing
status "partly read" 4
why="not read completely in the last poll: export day $(day -5) and others up to $(day -1) lost more than half of its rows"
run tpucost cost
has "a note" "$err" "note: the billing data was $why or costs: the previous figures are kept"
has "the figures are kept" "$out" "288.00"
run tpucost report month --format json
has "the report of the month" "$(jq -r .section_notes.invoice stdout)" "The bill was $why"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"view":"costs","by":"day"}}}' |
	tpucost mcp >stdout 2>stderr
is "an assistant: not complete" "$(jq -r .result.structuredContent.complete stdout)" false
has "an assistant: why" "$(jq -r '.result.structuredContent.notes[]' stdout)" "$why"

# the file of a day, and then the export that has it, too: half of it is read, and the bill is not that of files
rm -f t.db*
curl -fsS -X POST "$url/_sandbox/world" --data-binary @world.yaml >/dev/null
day="$(day -2)T05:00:00Z"
printf '%s\n' '{"project": {"id": "lab-one"}, "service": {"id": "6F81-5844-456A"}, "sku": {"id": "A1", "description": "N1 Core"},
	"usage_start_time": "'"$day"'", "cost": 1, "currency": "USD", "usage": {"amount": 1, "unit": "seconds"},
	"invoice": {"month": "202611"}}' >file.json
tpucost import file.json >/dev/null 2>&1
run tpucost collect -q billing
status "the export is refused" 1
tpucost status >stdout 2>stderr
has "the source of the bill" "$(tr -s ' \n' ' ' <stdout)" "Billing: not read completely yet, newest usage"
run tpucost report month --format json
has "the report of the month, too" "$(jq -r .section_notes.invoice stdout)" \
	"The bill was not read completely in the last poll: usage of $(day -2)"
