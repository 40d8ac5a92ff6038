#!/usr/bin/env python3
"""Does a mail fit on a phone? phone.py MAIL [html]: says each table that does not, exits 1.

No browser: the widths are those of DejaVu Sans, which is wider than what phones have, in a
screen of 390 px. Numbers and the words of headings are never broken, other texts are.
"""
import email
import email.policy
import sys
from html.parser import HTMLParser

ROOM = 390 - 2 * 16  # the screen without the margins
GAP, SIZE, HEAD_SIZE = 14, 14, 12
TEXT = 90  # px: less than that of a text is hard to read
EM = {" ": .318, ".": .318, ",": .318, ":": .337, "-": .361, "*": .5, "~": .838, "%": .95, "/": .337}


def pixels(text, size, bold=False):
    ems = sum(EM.get(c, .636 if c.isdigit() else .7 if c.isupper() else .6) for c in text)
    return ems * size * (1.1 if bold else 1)


class Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.cell, self.depth, self.title, self.tag = [], None, 0, "", None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        names = (attrs.get("class") or "").split()
        if tag == "table" and "table" in names:
            self.tables.append((self.title.strip(), []))
            self.depth = 1
        elif tag == "table" and self.depth:
            self.depth += 1
        elif self.depth == 1 and tag == "tr":
            self.tables[-1][1].append([])
        elif self.depth == 1 and tag in ("td", "th"):
            self.cell = [names, "", "colspan" in attrs or "de" in names]
            self.tables[-1][1][-1].append(self.cell)
        elif tag == "h2":
            self.title = ""
        self.tag = "h2" if tag == "h2" else self.tag

    def handle_endtag(self, tag):
        if tag == "table" and self.depth:
            self.depth -= 1
        elif tag in ("td", "th") and self.depth == 1:
            self.cell = None
        elif tag == "h2":
            self.tag = None

    def handle_data(self, data):
        if self.cell:
            self.cell[1] += data
        elif self.tag == "h2":
            self.title += data


def width(names, text):
    text = " ".join(text.split())
    names = names or [""]  # the only column of a table
    if names[0] in ("th", "thn"):
        return max(pixels(w, HEAD_SIZE, True) for w in text.split())
    if names[0] in ("tdn", "ton"):
        return pixels(text, SIZE, names[0] == "ton")
    return min(pixels(text, SIZE, names[0] in ("rh", "toh")), TEXT)


def main():
    with open(sys.argv[1], "rb") as f:
        if "html" in sys.argv[2:]:
            page = f.read().decode()
        else:
            m = email.message_from_binary_file(f, policy=email.policy.default)
            page = m.get_body(("html",)).get_content()
    reader = Tables()
    reader.feed(page)
    wrong = 0
    for title, rows in reader.tables:
        columns = {}
        for row in rows:
            for i, (names, text, whole) in enumerate(row):
                if not whole and "wide" not in names:
                    columns[i] = max(columns.get(i, 0), width(names, text))
        need = sum(columns.values()) + GAP * (len(columns) - 1)
        if need > ROOM:
            print("%s: %d px" % (title, need))
            wrong = 1
    print("%d tables" % len(reader.tables))
    return wrong or not reader.tables


sys.exit(main())
