# What Google says of things goes out to people: hostile labels of machines are shown literally on
# every channel, by the real programs (cases G1 to G10).
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
cat >sendmail <<'END'
#!/bin/sh
cat >"$0.got"
printf '%s\n' "$@" >"$0.args"
END
chmod 755 sendmail
printf '%s/slack/x\n' "$hook" >slack_url
chmod 600 slack_url
write_config "rules:
  - {name: owner, on: resources, where: \"name LIKE 'evil-%'\", for: 0m, severity: critical, summary: \"{name} of {owner} runs\"}
  - {use: tpu-not-covered, enabled: false}
notify:
  - {name: log, file: {path: alerts.jsonl}}
  - {name: hook, webhook: {url: \"$hook/hook\"}}
  - {name: lab, slack: {webhook_file: slack_url}}
  - {name: am, alertmanager: {url: \"$hook\"}}
  - {name: mail, sendmail: {to: [me@example.org], from: tpucost@example.org, program: sendmail}}"
python3 - <<'END'
import json
owners = {
    "script": "<script>alert(1)</script>",
    "channel": "<!channel> *b* <http://x|y>",
    "formula": '=HYPERLINK("http://evil/","x")',
    "escape": "\x1b]0;x\x07\x1b[31mred",
    "lines": "a\r\nBcc: evil@x.org\r\n.\r\nb",
    "bidi": "abc\u202efed",
    "format": "%n%s%d%100000s",
    "long": "L" * 10240,
    "wide": "\u5f20\u4f1f \U0001f680",
    "quote": "'; DROP TABLE outbox; --",
}
json.dump(owners, open("owners", "w"))
json.dump({"instances": [{"project": "lab-one", "zone": "us-central1-a", "name": "evil-" + k,
    "type": "n1-standard-1", "created": "-2h", "labels": {"owner": v}} for k, v in owners.items()]}, open("patch", "w"), ensure_ascii=False)
END
run curl -sS -X POST --data-binary @patch "$url/_sandbox/world/patch"
run tpucost run --once -v
status "they are told" 0
is "each of them, on the terminal" "$(grep -c '^ALERT critical owner (owner .*): evil-' stdout)" 10
is "without a control or direction mark" "$(LC_ALL=C grep -c "$(printf '[\001-\010\013-\037]\\|\342\200\256')" stdout stderr)" "stdout:0
stderr:0"
has "shown as what they are" "$out" 'evil-escape of \x1b]0;x\x07\x1b[31mred runs'
has "line ends, too" "$out" 'evil-lines of a\x0d\x0aBcc: evil@x.org\x0d\x0a.\x0d\x0ab runs'
has "and directions" "$out" 'evil-bidi of abc<U+202E>fed runs'
has "nothing is a format" "$out" 'evil-format of %n%s%d%100000s runs'
is "what is long is cut" "$(awk '/evil-long/ { print (length < 2000), /\.\.\.$/ }' stdout)" "1 1"

python3 - <<'END' >problems 2>&1
import email, email.policy, html.parser, json, re
owners = json.load(open("owners"))
visible = {k: v.replace("\x1b", "\\x1b").replace("\x07", "\\x07").replace("\r", "\\x0d")
           .replace("\n", "\\x0a").replace("\u202e", "<U+202E>") for k, v in owners.items()}
del visible["long"]
came = {h["name"]: json.loads(h["body"]) for h in map(json.loads, open("hooks"))}

def check(what, got, want):
    if got != want:
        print(f"{what}: got {got!r:.300}, want {want!r:.300}")

def all_there(what, text):
    for k, v in visible.items():
        if f"evil-{k} of {v} runs" not in re.sub(r"\s+", " ", text):
            print(f"{what}: {k} is not there")

# JSON: the very texts, but for what is cut
for what, report in (("file", json.loads(open("alerts.jsonl").readline())["report"]), ("webhook", came["hook"]["report"])):
    rows = {r["name"][5:]: r["owner"] for r in report["firing"]}
    check(what, sorted(rows), sorted(owners))
    for k in visible:
        check(f"{what} {k}", rows[k], owners[k])
    check(f"{what} long", rows["long"].rstrip(".").strip("L"), "")
for a in came["api"]:
    k = a["annotations"]["name"][5:]
    if k in visible:
        check("alertmanager", a["annotations"]["owner"], owners[k])

# other chats mention whoever a text names; ours must not
check("webhook text", re.findall(r"<[!@#]|<http|\x1b|\u202e|@(?:here|everyone)", came["hook"]["text"]), [])

# Slack: what it would read as a mention, a link or a channel begins with "<"
def texts(x):
    if isinstance(x, dict):
        for k, v in x.items():
            if k == "text" and isinstance(v, str):
                yield v
            else:
                yield from texts(v)
    elif isinstance(x, list):
        for v in x:
            yield from texts(v)
slack = came["slack"]
for t in texts(slack):
    check("slack", re.findall(r"[<>]|\x1b|\u202e|\r", t), [])
check("slack's size", len(json.dumps(slack, ensure_ascii=False)) < 13200 and len(slack["blocks"]) <= 40, True)
check("slack: a mention is text", "`&lt;!channel&gt; *b* &lt;http://x|y&gt;`" in slack["text"], True)

# mail
raw = open("sendmail.got", "rb").read()
m = email.message_from_bytes(raw, policy=email.policy.default)
check("head", sorted(m.keys()), ["Auto-Submitted", "Content-Type", "Date", "From", "List-Id",
    "MIME-Version", "Message-Id", "Subject", "To"])
check("defects", m.defects, [])
parts = {p.get_content_type(): p.get_content() for p in m.iter_parts()}
all_there("text", parts["text/plain"])
check("80 columns", [l for l in parts["text/plain"].splitlines() if len(l) > 80], [])

class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.skip = set(), "", False
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.skip = tag in ("style", "title")
        for name, value in attrs:
            if name.startswith("on") or name == "src" or "script" in (value or "") or "evil" in (value or ""):
                print(f"html: {tag} has {name}={value}")
    def handle_endtag(self, tag):
        self.skip = False
    def handle_data(self, data):
        if not self.skip:
            self.text += data
r = Reader()
r.feed(parts["text/html"])
check("html elements", r.tags & {"script", "iframe", "img", "link", "form", "object", "embed", "a"}, set())
all_there("html", r.text)
END
is "on every channel they are what they are" "$(cat problems)" ""
is "a mail has the recipients of the configuration" "$(grep '@' sendmail.args | sort -u | xargs)" "me@example.org tpucost@example.org"

# ---- what is printed
run tpucost ps --columns name,owner --where "name LIKE 'evil-%'" -f csv
has "a formula is none in a spreadsheet" "$out" "evil-formula,\"'=HYPERLINK(\"\"http://evil/\"\",\"\"x\"\")\""
run tpucost ps --columns name,owner --where "name LIKE 'evil-%'" -f json
is "JSON has the very texts" "$(jq -r 'map(select(.name == "evil-escape")) | .[0].owner | length' stdout)" 14
run tpucost alerts
is "no control or direction mark" "$(LC_ALL=C grep -c "$(printf '[\001-\010\013-\037]\\|\342\200\256')" stdout)" 0
for format in text html markdown slack; do
	run tpucost report daily --format $format
	is "report as $format: no control or direction mark" \
		"$rc $(LC_ALL=C grep -c "$(printf '[\001-\010\013-\037]\\|\342\200\256')" stdout)" "0 0"
done
is "no table was dropped" "$(db 'SELECT COUNT(*) FROM outbox') $(db 'PRAGMA integrity_check')" "50 ok"
