#!/usr/bin/env python3
"""Judges reports as JSON from the outside: no member twice, every figure exact and labelled where
the lists say so, and (where python3-jsonschema is installed) the schema of docs/.

Reads one JSON object: {"cases": [{"what": ..., "json": "..."}]}. Says what is wrong, exits 1.
"""
import json
import os
import re
import sys
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = ["report", "title", "subject", "headline", "timezone", "made"]
TAIL = ["notes", "section_notes", "estimates", "partial"]


def pairs(items):
    keys = [k for k, _ in items]
    if len(set(keys)) != len(keys):
        raise ValueError("a member comes twice: %r" % sorted(keys))
    return dict(items)


def refuse(text):
    raise ValueError("no JSON number: %s" % text)


def schema():
    try:
        import jsonschema
    except ImportError:
        return None
    with open(os.path.join(HERE, "..", "..", "docs", "report.schema.json")) as f:
        text = json.load(f)
    jsonschema.Draft202012Validator.check_schema(text)
    return jsonschema.Draft202012Validator(text)


def labels(place, obj, found):
    """Notes the figures of an object that carry a label, by label."""
    for key, value in obj.items():
        if not key.endswith("_status") or value not in ("estimate", "partial"):
            continue
        if obj.get(key[: -len("_status")]) is None:
            raise ValueError("%s labels what is not known: %s" % (place, key))
        found.setdefault(value, set()).add(place + key[: -len("_status")])


def judge(text, valid):
    d = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=Decimal)
    missing = [k for k in HEAD + TAIL if k not in d]
    if missing:
        raise ValueError("no %s" % ", ".join(missing))
    if list(d)[: len(HEAD)] != HEAD:
        raise ValueError("begins with %r" % list(d)[: len(HEAD)])
    found = {}
    labels("", {k: v for k, v in d.items() if not isinstance(v, (list, dict))}, found)
    for key, rows in d.items():
        if not isinstance(rows, list) or key in TAIL:
            continue
        for row in rows:
            labels(key + ".", row, found)
            if any(isinstance(v, (list, dict)) for v in row.values()):
                raise ValueError("%s: a row is not flat" % key)
    for name, label in (("estimates", "estimate"), ("partial", "partial")):
        if set(d[name]) != found.get(label, set()) or len(d[name]) != len(set(d[name])):
            raise ValueError("%s is %r, labelled are %r" % (name, d[name], found.get(label)))
    if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", d["made"]):
        raise ValueError("made: %r" % d["made"])
    if valid:
        for e in valid.iter_errors(json.loads(text)):
            raise ValueError("schema: %s at %s" % (e.message[:200], list(e.absolute_path)))


def main():
    cases = json.load(sys.stdin)["cases"]
    valid = schema()
    wrong = 0
    for case in cases:
        try:
            judge(case["json"], valid)
        except ValueError as e:
            print("%s: %s" % (case["what"], e))
            wrong += 1
    print("%d reports%s, %d wrong" % (len(cases), "" if valid else " (no schema)", wrong))
    return 1 if wrong or not cases else 0


sys.exit(main())
