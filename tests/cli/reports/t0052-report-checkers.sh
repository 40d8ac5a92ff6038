# The judges of reports for Slack and as JSON see what is wrong.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi

# judged NAME WANT JQ_FILTER: what a judge says of the good payload, changed
slack() {
	jq -c "$3" slack.json | jq -Rc --argjson shows "${4:-[]}" \
		'{cases: [{what: "it", max: 10000, payload: ., shows: $shows}]}' >cases
	run sh -c 'python3 -B "$ROOT/tests/oracle/slack_check.py" <cases'
	has "Slack: $1" "$rc $out" "$2"
}
# in_text NAME WANT TEXT: the same with a text of mrkdwn
in_text() {
	text=$3
	export text
	slack "$1" "$2" '.blocks[1].text.text = env.text'
}
cat >slack.json <<'END'
{"text": "news", "blocks": [
 {"type": "header", "text": {"type": "plain_text", "text": "Title", "emoji": false}},
 {"type": "section", "text": {"type": "mrkdwn", "text": "*eval-2*: `a_b`", "verbatim": true}}]}
END
slack "good" "0 1 payloads, 0 wrong" .
slack "shown" "0 1 payloads, 0 wrong" . '["eval-2", "a_b"]'
slack "not shown" "1 it: 'eval-3' is not to be read" . '["eval-3"]'
slack "a long header" "1 it: a header has 151 bytes" '.blocks[0].text.text = "x" * 151'
slack "an empty header" "1 it: a header has 0 bytes" '.blocks[0].text.text = ""'
slack "a long section" "1 it: a section has 2901 bytes" '.blocks[1].text.text = "x" * 2901'
slack "bytes, not characters" "1 it: a section has 3000 bytes" '.blocks[1].text.text = "機" * 1000'
slack "a long text" "1 it: the text has 1951 bytes" '.text = "x" * 1951'
slack "many blocks" "1 it: 41 blocks" '.blocks = [.blocks[1]] + [range(40) as $i | .blocks[1]]'
slack "a large payload" "1 it: the payload has" '.blocks = [range(5) as $i | .blocks[1].text.text = "x" * 2500 | .blocks[1]]'
slack "a block it does not know" "1 it: a block of type image" '.blocks[0].type = "image"'
slack "links made of text" "not verbatim" '.blocks[1].text.verbatim = false'
in_text "a mention" "a control sequence" '<!channel> x'
in_text "an entity" "a bare ampersand" '&quot;'
in_text "a name that is bold" "0 1 payloads" '*x*'
in_text "italics" "formatting in plain" 'x _i_'
in_text "struck" "formatting in plain" '~s~'
in_text "within bold" "formatting in bold" '*a ~s~*'
in_text "full width" "formatting in plain" '＿x＿'
in_text "a lone backtick" "a lone" 'a ` b'
in_text "at" "a mention in plain" 'ask @here'
in_text "an emoji" "an emoji code" 'x :smile:'
in_text "a link" "a link in plain" 'see https://x.example'
in_text "a quote" "a quote in plain" '&gt; x'
in_text "all of them as code" "0 1 payloads" '`&lt;@U1&gt; _i_ ~s~ :x: https://` x'
in_text "an invisible mark" "an invisible U+202E" "$(printf 'a\342\200\256b')"

json() {
	jq -c "$3" report.json | jq -Rc '{cases: [{what: "it", json: .}]}' >cases
	run sh -c 'python3 -B "$ROOT/tests/oracle/report_check.py" <cases'
	has "JSON: $1" "$rc $out" "$2"
}
cat >report.json <<'END'
{"report": "daily", "title": null, "subject": "s", "headline": "h", "timezone": "UTC",
 "made": "2026-11-21T00:00:00Z", "age": 240, "notes": [], "section_notes": {},
 "estimates": ["burn.net"], "partial": [],
 "burn": [{"net": 0.000000001, "net_currency": "HKD", "net_status": "estimate"}]}
END
json "good" "0 1 reports" .
json "a member is missing" "1 it: no notes" 'del(.notes)'
json "a label is not listed" "labelled are {'burn.net'}" '.estimates = []'
json "a list without a label" "labelled are None" '.partial = ["burn.net"]'
json "a label of nothing" "labels what is not known" '.burn[0].net = null'
json "an amount as text" "0 1 reports" '.burn[0].net = "1"'
json "a row that is not flat" "a row is not flat" '.burn[0].x = [1]'
json "local time" "made: '2026-11-21 08:00'" '.made = "2026-11-21 08:00"'
printf '%s' '{"cases": [{"what": "it", "json": "{\"report\": 1, \"report\": 2}"}]}' >cases
run sh -c 'python3 -B "$ROOT/tests/oracle/report_check.py" <cases'
has "JSON: a member twice" "$rc $out" "1 it: a member comes twice"
if python3 -c 'import jsonschema' 2>/dev/null; then
	json "a currency that is none" "1 it: schema: [{'net': 1e-09, 'net_currency': 'dollar'" '.burn[0].net_currency = "dollar"'
	json "nothing left out" "1 it: schema:" '.left_out = {}'
	json "a kind without name" "1 it: schema:" '.report = ""'
fi
