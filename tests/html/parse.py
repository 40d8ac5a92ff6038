#!/usr/bin/env python3
"""Reads a report as HTML with Python's own parser and judges it from outside.

parse.py file|mail REPORT.html TEXTS: one line a check, "ok ..." or "not ok ...".
TEXTS is what print_doc says the document holds: "kind NUL text NUL" in the order of reading.
The version for mail must keep to what mail clients know. The elements, attributes and CSS
properties below are those that caniemail.com (https://www.caniemail.com/features/) lists as
known, at least in part, to Gmail, Apple Mail, Outlook.com and Thunderbird; Outlook for Windows
drops some (max-width, white-space, display in part) without harm.
"""
import re
import sys
import unicodedata
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr"}
ELEMENTS = {
    "mail": set("html head meta title style body table thead tbody tr th td h1 h2 p div span "
                "pre code strong br wbr".split()),
    "file": set("html head meta title style body main table thead tbody tr th td h1 h2 p div "
                "span pre code strong wbr svg rect line text".split()),
}
ATTRIBUTES = {
    "mail": set("lang charset name content class style role align valign width height border "
                "cellpadding cellspacing colspan scope dir aria-hidden".split()),
    "file": set("lang charset name content class role width height colspan scope dir "
                "aria-hidden aria-label x y x1 x2 y1 y2 rx text-anchor".split()),
}
# mso-hide is Outlook's own display:none.
PROPERTIES = set("background border border-left border-top border-collapse color display font "
                 "font-family font-size font-weight line-height margin max-height max-width "
                 "mso-hide overflow padding table-layout text-align vertical-align white-space "
                 "width word-break".split())
BLOCKS = {"title", "h1", "h2", "p", "th", "td", "pre", "div"}
CONTRAST = 4.5  # of text, level AA of WCAG 2
failed = []


def check(ok, what, why=""):
    print(("ok " if ok else "not ok ") + what)
    if not ok:
        print("    " + str(why)[:400])
        failed.append(what)


def visible(raw):
    """What people see of a text: nothing unprintable, nothing invisible."""
    out = []
    for c in raw.decode("utf-8", "surrogateescape"):
        n = ord(c)
        if 0xDC80 <= n <= 0xDCFF:
            out.append("\\x%02x" % (n - 0xDC00))
        elif n < 0x20 or n == 0x7F:
            out.append("\\x%02x" % n)
        elif unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"):
            out.append("<U+%04X>" % n)
        else:
            out.append(c)
    return "".join(out)


def declarations(css):
    pairs = [d.split(":", 1) for d in css.split(";") if d.strip()]
    return {k.strip(): v.replace("!important", "").strip() for k, v in pairs}


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []  # [tag, text so far, attributes]
        self.blocks, self.elements, self.attributes = [], set(), set()
        self.styles, self.wrong, self.seen, self.titles = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        names = [k for k, _ in attrs]
        self.attributes.update(names)
        if len(set(names)) != len(names):
            self.wrong.append("an attribute of %s comes twice" % tag)
        if tag == "style":
            self.styles.append("")
        if tag not in VOID:
            self.open.append([tag, "", dict(attrs)])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.wrong.append("</%s> in %s" % (tag, [o[0] for o in self.open]))
            return
        _, text, _ = self.open.pop()
        if tag == "title" and any(o[0] == "svg" for o in self.open):
            self.titles.append(text)
        elif tag in BLOCKS:
            self.blocks.append((tag, text))
        elif self.open and tag in ("span", "code", "strong"):
            self.open[-1][1] += text

    def handle_data(self, data):
        if not self.open:
            if data.strip():
                self.wrong.append("text outside: %r" % data)
        elif self.open[-1][0] == "style":
            self.styles[-1] += data
        else:
            self.open[-1][1] += data
            if data.strip():
                self.seen.append([dict(o[2], tag=o[0]) for o in self.open])

    def handle_comment(self, data):
        self.wrong.append("a comment")

    def unknown_decl(self, data):
        self.wrong.append("a declaration: " + data)


def texts_are_there(reader, texts):
    """Each text is the whole text of some element, in the order of the document."""
    at, missing = 0, []
    blocks = [(tag, re.sub(r"^!!? ", "", text)) for tag, text in reader.blocks]
    for kind, text in texts:
        found = next((i for i in range(at, len(blocks))
                      if text == blocks[i][1] or
                      (kind == "fact" and blocks[i][0] == "p" and text in blocks[i][1])), None)
        if found is None:
            missing.append((kind, text))
        elif kind != "fact":
            at = found + 1
    check(not missing, "%d texts are there, whole and in order" % len(texts), missing[:3])


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def rules_of(css):
    """Class -> declarations: those for every screen, and those for dark ones."""
    plain, dark = {}, {}
    head, _, tail = css.partition("@media (prefers-color-scheme:dark){")
    for part, into in ((head.partition("@media")[0], plain), (tail, dark)):
        for name, body in re.findall(r"\.([a-z0-9]+)\{([^}]*)\}", part):
            into[name] = declarations(body)
    return plain, dark


def colours(path, plain, dark, is_dark):
    text, back = "#000000", "#ffffff"
    for o in path:
        here = {}
        for name in (o.get("class") or "").split():
            here.update(plain.get(name, {}))
        here.update(declarations(o.get("style") or ""))
        for name in (o.get("class") or "").split() if is_dark else []:
            here.update(dark.get(name, {}))
        text, back = here.get("color", text), here.get("background", back)
    return text, back


def contrast_is_enough(reader):
    plain, dark = rules_of("".join(reader.styles))
    for is_dark in (False, True):
        poor = set()
        for path in reader.seen:
            if any("display:none" in (o.get("style") or "") for o in path):
                continue
            if any(o["tag"] in ("svg", "head") for o in path):
                continue
            if path[-1].get("class", "").startswith("bar"):
                continue
            pair = colours(path, plain, dark, is_dark)
            if contrast(*pair) < CONTRAST:
                poor.add(pair + (path[-1].get("class"),))
        check(not poor, "contrast on %s screens" % ("dark" if is_dark else "light"), poor)


def mail_clients_know_it(reader, raw):
    used = set()
    for path in reader.seen:
        for o in path:
            used |= set(declarations(o.get("style") or ""))
    check(used <= PROPERTIES, "properties that mail clients know", used - PROPERTIES)
    css = "".join(reader.styles)
    check(len(css) < 16000, "a style sheet that Gmail keeps", len(css))
    check(not re.search(r"url\(|@import|@font-face|var\(|position|float|flex|grid", css),
          "nothing else in the style sheet")
    check(max(len(line) for line in raw.split(b"\n")) <= 900, "lines of at most 900 bytes")
    divs = [text for tag, text in reader.blocks if tag == "div"]
    leads = [text for tag, text in reader.blocks if tag == "td"]
    check(divs[0] == leads[0], "the preheader is the headline", (divs[0], leads[0]))


def main():
    version, page, texts = sys.argv[1:4]
    with open(page, "rb") as f:
        raw = f.read()
    with open(texts, "rb") as f:
        parts = f.read().split(b"\0")[:-1]
    wanted = [(parts[i].decode(), visible(parts[i + 1])) for i in range(0, len(parts), 2)]
    reader = Reader()
    reader.feed(raw.decode("utf-8"))  # and it is UTF-8
    reader.close()
    check(not reader.wrong and not reader.open, "elements are closed in order",
          reader.wrong[:3] or reader.open[:3])
    check(reader.elements <= ELEMENTS[version] | {"title"}, "known elements only",
          reader.elements - ELEMENTS[version])
    check(reader.attributes <= ATTRIBUTES[version], "known attributes only",
          reader.attributes - ATTRIBUTES[version])
    texts_are_there(reader, wanted)
    contrast_is_enough(reader)
    if version == "mail":
        mail_clients_know_it(reader, raw)
    return 1 if failed else 0


sys.exit(main())
