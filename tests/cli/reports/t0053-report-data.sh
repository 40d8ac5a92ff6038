# Real reports as JSON and for Slack, before the judges of tests/oracle.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config 'credits: [{name: trial, amount: 300 USD}]'

# judge KIND SHOWS: both forms of a report; Slack must show the JSON array of texts
judge() {
	run tpucost report "$1" --format json
	status "$1 as JSON" 0
	is "$1: one line" "$(wc -l <stdout)" 1
	is "$1: jq reads it" "$(jq -r .report stdout)" "$1"
	jq -Rc --arg what "$1" '{cases: [{what: $what, json: .}]}' stdout >cases
	run sh -c 'python3 -B "$ROOT/tests/oracle/report_check.py" <cases'
	has "$1: JSON is well" "$rc $out" ", 0 wrong"
	run tpucost report "$1" --format slack
	status "$1 for Slack" 0
	jq -Rc --arg what "$1" --argjson shows "$2" \
		'{cases: [{what: $what, max: 10000, payload: ., shows: $shows}]}' stdout >cases
	run sh -c 'python3 -B "$ROOT/tests/oracle/slack_check.py" <cases'
	has "$1: Slack is well" "$rc $out" "0 1 payloads, 0 wrong"
}
run tpucost run --once
status "run --once exits 0" 0
judge daily '["wrong", "gcloud compute tpus tpu-vm stop wrong --zone us-central1-a --project lab-one"]'
run tpucost report daily --format slack
has "the text alone names the TPU that costs" "$(jq -r .text stdout)" "*wrong*"
for kind in weekly month grant; do
	judge $kind '[]'
done
