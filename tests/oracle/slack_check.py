#!/usr/bin/env python3
"""Judges payloads for Slack from the outside: its limits, and what its mrkdwn would make of them.

Reads one JSON object: {"cases": [{"what": ..., "max": bytes, "payload": "...", "shows": [...]}]}.
`shows` are texts that must be readable in the blocks, literally. Says what is wrong, exits 1.
"""
import json
import re
import sys
import unicodedata

ZERO_WIDTH = set(range(0x200B, 0x2010)) | set(range(0x2028, 0x202F)) | set(range(0x2060, 0x206A))
ZERO_WIDTH |= {0xAD, 0x61C, 0xFEFF} | set(range(0xFFF9, 0xFFFC)) | set(range(0xE0000, 0xE0080))
wrong = []


def fail(case, why):
    wrong.append("%s: %s" % (case["what"], why))


def pairs(items):
    keys = [k for k, _ in items]
    if len(set(keys)) != len(keys):
        raise ValueError("a member comes twice: %r" % keys)
    return dict(items)


def decode(text):
    """The three entities, and nothing else that begins with an ampersand."""
    if re.search(r"&(?!amp;|lt;|gt;)", text):
        raise ValueError("a bare ampersand in %r" % text[:80])
    if "<" in text or ">" in text:
        raise ValueError("a control sequence in %r" % text[:80])
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def tokens(text):
    """(kind, text) of mrkdwn: fence, code, bold or plain, with entities decoded."""
    rest = text
    while rest:
        m = re.match(r"```\n?(.*?)\n?```", rest, re.S)
        kind = "fence"
        if not m:
            m = re.match(r"`([^`\n\uff40]+)`", rest)
            kind = "code"
        if not m:
            m = re.match(r"\*(\S(?:[^*\n]*\S)?)\*(?!\w)", rest)
            kind = "bold"
        if not m:
            m = re.match(r"([^*`]+)", rest)
            kind = "plain"
        if not m:
            raise ValueError("a lone %r before %r" % (rest[0], rest[:60]))
        yield kind, decode(m.group(1))
        rest = rest[m.end():]


def literal(kind, text):
    """Text outside code: nothing in it may format, mention, link or become an emoji."""
    for what, pattern in (
        ("formatting", r"[*~`\uff0a\uff3f\uff40\uff5e]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"),
        ("a mention", r"[@\uff20]"),
        ("a link", r"://|\bwww\.|\]\("),
        ("an emoji code", r":[^\s:]+:"),
        ("a quote", r"^[>\uff1e]|\n[>\uff1e]"),
    ):
        m = re.search(pattern, text)
        if m:
            raise ValueError("%s in %s %r" % (what, kind, text[max(0, m.start() - 30):][:60]))


def mrkdwn(text):
    """What a reader sees."""
    seen = ""
    for kind, part in tokens(text):
        if kind in ("plain", "bold"):
            literal(kind, part)
        seen += part
    for c in seen:
        if c != "\n" and (unicodedata.category(c) == "Cc" or ord(c) in ZERO_WIDTH):
            raise ValueError("an invisible U+%04X" % ord(c))
    return seen


def limit(case, what, text, most):
    if not 1 <= len(text.encode()) <= most:
        fail(case, "%s has %d bytes, not 1 to %d" % (what, len(text.encode()), most))


def block(case, b):
    kind = b["type"]
    if kind == "header":
        t = b["text"]
        if (t["type"], t["emoji"]) != ("plain_text", False):
            fail(case, "a header that is not plain")
        limit(case, "a header", t["text"], 150)
        return decode(t["text"])
    if kind == "section":
        texts, most = [b["text"]], 2900
    elif kind == "context":
        texts, most = b["elements"], 2000
        if not 1 <= len(texts) <= 10:
            fail(case, "a context of %d elements" % len(texts))
    else:
        raise ValueError("a block of type %s" % kind)
    for t in texts:
        if (t["type"], t["verbatim"]) != ("mrkdwn", True):
            fail(case, "a text that is not verbatim mrkdwn")
        limit(case, "a " + kind, t["text"], most)
    return "\n".join(mrkdwn(t["text"]) for t in texts)


def visible(text):
    """As controls and invisible characters are shown; backticks look a little different."""
    out = ""
    for c in text:
        if ord(c) < 0x20 or ord(c) == 0x7F:
            out += "\\x%02x" % ord(c)
        elif 0x80 <= ord(c) < 0xA0 or ord(c) in ZERO_WIDTH:
            out += "<U+%04X>" % ord(c)
        else:
            out += c
    return out.replace("`", "\u02cb").replace("\uff40", "\u02cb")


def judge(case):
    raw = case["payload"]
    p = json.loads(raw, object_pairs_hook=pairs)
    if set(p) != {"text", "blocks"}:
        fail(case, "members %s" % sorted(p))
    limit(case, "the payload", raw, case["max"])
    limit(case, "the text", p["text"], 1950)
    if not 1 <= len(p["blocks"]) <= 40:
        fail(case, "%d blocks" % len(p["blocks"]))
    mrkdwn(p["text"])
    seen = "\n".join(block(case, b) for b in p["blocks"])
    for text in case["shows"]:
        want = visible(text)
        if len(want.encode()) > 200:
            want = want[:100]
        if want not in seen:
            fail(case, "%r is not to be read in %r" % (want[:80], seen[:400]))


def main():
    cases = json.load(sys.stdin)["cases"]
    for case in cases:
        try:
            judge(case)
        except ValueError as e:
            fail(case, str(e))
    for line in wrong:
        print(line)
    print("%d payloads, %d wrong" % (len(cases), len(wrong)))
    return 1 if wrong or not cases else 0


sys.exit(main())
