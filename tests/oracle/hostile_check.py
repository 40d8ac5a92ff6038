#!/usr/bin/env python3
"""Hostile names from end to end: what every format makes of them, read by other people's parsers.

    hostile_check.py rows FILE      writes billing rows whose every text is a hostile name
    hostile_check.py names DATABASE renames what runs
    hostile_check.py reports BIN    judges each kind of report in each format
    hostile_check.py mail FILE...   judges mails

Says what is wrong, exits 1. cmark-gfm is used where it is installed.
"""
import csv
import datetime
import email
import email.policy
import html.parser
import io
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import unicodedata

NAMES = [
    "<script>alert(1)</script>", "<!channel>", "<@U1>", "*b*", '=HYPERLINK("http://x")', "+1+1",
    "@SUM(1)", "a-2|cmd", "\x1b[31mred\x1b]0;t\x07", "x\r\nBcc: evil@x\r\n\r\nbody",
    "\u202egnp.exe", "z\u200bw\u200d\u2060\ufeff", "\U0001f680\U0001f1ed\U0001f1f0",
    "\u6a5f\u68b0\u5b66\u7fd2", "e\u0301a\u0300\u0323", "%n%s%d%x", "a|b||c", "`x` ```y```",
    "\"q\" 'a' \\", "$(touch pwned); rm -rf ~ #", "</td></table><img src=x onerror=alert(1)>",
    "[l](http://evil) ![i](javascript:1)", "_i_ ~s~ :smile: https://evil.example/x",
    "&lt;b&gt; &amp; &#60;", "x\n# head\n- x", "\t=1", "  =1", "'=1", "\x85\u2028\u2029", "\x7f\x9b31m",
    "\uff41\uff20\uff3f\uff0a", "x" * 300, "\u540d" * 120, "@everyone", "<!--x", "]]>", "> quote",
    "    code", "~~~", "===", "1. one", "{{7*7}}",
]
KINDS = ("daily", "weekly", "month", "grant")
UNSEEN = set(range(0x200B, 0x2010)) | set(range(0x2028, 0x202F)) | set(range(0x2060, 0x206A))
UNSEEN |= {0xAD, 0x61C, 0xFEFF}
HTML_TAGS = set(
    "html head meta title style body main div p h1 h2 h3 span table thead tbody tfoot tr th td caption "
    "pre code b strong bdi svg g rect line text path title desc br wbr small ul li".split())
MARKDOWN_TAGS = set("h1 h2 h3 p table thead tbody tr th td pre code strong br ul li".split())
HERE = os.path.dirname(os.path.abspath(__file__))
wrong = []


def fail(*what):
    wrong.append(" ".join(ascii(x)[:240] for x in what))


def rows(path):
    now = datetime.datetime.now(datetime.timezone.utc)
    with open(path, "w", encoding="utf-8") as file:
        for i, name in enumerate(NAMES * 2):
            at = now - datetime.timedelta(days=1 + i % 9)
            file.write(json.dumps({
                "billing_account_id": "01AB23-CD45EF-678901",
                "service": {"id": f"S{i % 40}", "description": name},
                "sku": {"id": f"K{i % len(NAMES)}", "description": name},
                "usage_start_time": at.strftime("%Y-%m-%d %H:00:00 UTC"),
                "export_time": at.strftime("%Y-%m-%d %H:00:00 UTC"),
                "project": {"id": f"p{i}", "name": name}, "resource": {"name": name},
                "labels": [{"key": "owner", "value": name}, {"key": "l", "value": "L" * 10240}],
                "location": {"location": "us-central1"}, "usage": {"amount": "1", "unit": name},
                "cost": ["99999999.999999999", "-3.25", "0.000000001", "12.5"][i % 4],
                "currency": ["USD", "HKD", "JPY"][i % 3],
                "credits": [{"name": name, "type": "PROMOTION", "amount": "-0.5"}],
                "invoice": {"month": now.strftime("%Y%m")}, "cost_type": "regular"}) + "\n")


def names(path):
    with sqlite3.connect(path) as db:
        cols = [x[1] for x in db.execute("PRAGMA table_info(resource)")]
        model = db.execute("SELECT * FROM resource WHERE kind = 'vm' AND state = 'running'").fetchone()
        for i, name in enumerate(NAMES):
            row = dict(zip(cols, model))
            row.update(name=name, owner=name, uid=str(10**15 + i),
                       id=f"{row['project']}/vm/{row['location']}/{name}")
            db.execute(f"INSERT INTO resource ({','.join(cols)}) VALUES "
                       f"({','.join('?' * len(cols))})", [row[x] for x in cols])


def visible(text):
    out = ""
    for c in text:
        n = ord(c)
        if n < 0x20 or n == 0x7F:
            out += f"\\x{n:02x}"
        else:
            out += f"<U+{n:04X}>" if 0x80 <= n < 0xA0 or n in UNSEEN else c
    return out


def columns(line):
    """How wide a terminal shows it."""
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def unseen(what, text, fine="\n"):
    for c in set(text) - set(fine):
        if unicodedata.category(c) == "Cc" or ord(c) in UNSEEN:
            fail(what, "has an unseen", hex(ord(c)))


def shows(what, text, wanted):
    text = re.sub(r"[\s\u200b]", "", text)
    for name in wanted:
        if re.sub(r"\s", "", visible(name)) not in text:
            fail(what, "does not show", name)


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text, self.style = set(), [], False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.style = tag == "style"
        for key, _ in attrs:
            if key.startswith("on") or key in ("href", "src", "action", "xlink:href"):
                fail("an attribute", tag, key)

    def handle_endtag(self, tag):
        self.style = False

    def handle_comment(self, data):
        fail("a comment", data)

    def handle_data(self, data):
        if not self.style:
            self.text.append(data)


def markup(what, text, allowed, wanted):
    reader = Reader()
    reader.feed(text)
    reader.close()
    if reader.tags - allowed:
        fail(what, "has tags", sorted(reader.tags - allowed))
    unseen(what, "".join(reader.text), "\n\t\u200b\u2060")
    shows(what, "".join(reader.text), wanted)


def plain(what, text, wanted):
    unseen(what, text)
    shows(what, text, wanted)
    for line in text.split("\n"):
        if columns(line) > 78 and not line.startswith("      "):
            fail(what, "is wide:", line)


def commands(what, section):
    for row in section:
        if not isinstance(row, dict) or not row.get("command"):
            continue
        argv = shlex.split(row["command"])
        if argv[0] == "gcloud" and row.get("name") and row["name"] not in argv:
            fail(what, "the name is no word of", row["command"])


def spreadsheet(what, text, d):
    got = {}
    for line in csv.reader(io.StringIO(text, newline="")):
        if len(line) != 6:
            fail(what, "a line of", len(line))
        if re.match(r"[\s\"']*[=+@]", line[3]) and line[3][0] != "'":
            fail(what, "a formula", line[3])
        got[tuple(line[:3])] = line[3]
    for key, section in d.items():
        for i, row in enumerate(section if isinstance(section, list) else []):
            for field, value in row.items() if isinstance(row, dict) else ():
                mine = got.get((key, str(i + 1), field))
                if isinstance(value, str) and field in ("name", "sku", "owner") and (
                        mine not in (value, "'" + value)):
                    fail(what, key, field, mine, value)


def judged_by(what, oracle, case):
    done = subprocess.run([sys.executable, "-B", os.path.join(HERE, oracle)], text=True,
                          input=json.dumps({"cases": [case]}), capture_output=True, check=False)
    if done.returncode:
        fail(what, done.stdout + done.stderr)


def report(binary, kind):
    def ask(form, *more):
        done = subprocess.run([binary, "report", kind, "--format", form, *more],
                              capture_output=True, check=False)
        if done.returncode or done.stderr:
            fail(kind, form, done.returncode, done.stderr)
        return done.stdout.decode()

    raw = ask("json")
    d = json.loads(raw, parse_float=str)
    wanted = []
    if kind == "daily":
        wanted = NAMES
        if not set(NAMES) <= {x["name"] for x in d["running"]}:
            fail("names are missing")
    elif kind == "month":
        wanted = [x["sku"] for x in d["skus"]]
        if len(set(wanted) & set(NAMES)) < 30:
            fail("few names", len(wanted))
    for section in d.values():
        if isinstance(section, list):
            commands(kind, section)
    judged_by(kind + " json", "report_check.py", {"what": kind, "json": raw})
    judged_by(kind + " slack", "slack_check.py",
              {"what": kind, "max": 10000, "payload": ask("slack"), "shows": []})
    # texts that are no names are cut where a table is wide
    plain(kind + " text", ask("text", "--all"),
          [x for x in wanted if kind == "daily" or len(visible(x)) < 20])
    markup(kind + " html", ask("html", "--all"), HTML_TAGS, wanted)
    if shutil.which("cmark-gfm"):
        done = subprocess.run(["cmark-gfm", "-e", "table", "-e", "strikethrough", "--unsafe"],
                              input=ask("markdown", "--all").encode(), capture_output=True,
                              check=True)
        markup(kind + " markdown", done.stdout.decode(), MARKDOWN_TAGS, wanted)
    spreadsheet(kind + " csv", ask("csv"), d)


def mail(path):
    with open(path, "rb") as file:
        raw = file.read()
    m = email.message_from_bytes(raw, policy=email.policy.default)
    if m.defects or m["Bcc"] or max(map(len, raw.split(b"\n"))) > 998:
        fail(path, m.keys(), m.defects)
    text = m.get_body(("plain",)).get_content()
    plain(path, text, ["<!channel>"])
    markup(path, m.get_body(("html",)).get_content(), HTML_TAGS, ["<!channel>"])


def main():
    what, given = sys.argv[1], sys.argv[2:]
    if what == "rows":
        rows(given[0])
    elif what == "names":
        names(given[0])
    elif what == "reports":
        for kind in KINDS:
            report(given[0], kind)
    else:
        for path in given:
            mail(path)
    if os.path.exists("pwned"):
        fail("a command was run")
    print("\n".join(wrong) if wrong else "fine")
    return 1 if wrong else 0


sys.exit(main())
