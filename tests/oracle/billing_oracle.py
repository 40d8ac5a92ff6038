#!/usr/bin/env python3
"""Sums of a Cloud Billing export, by other means than tpucost's: an independent check.

    billing_oracle.py --by day [--zone America/Los_Angeles] FILE...

Reads rows of a standard or detailed export (gcp_billing_export_v1_*, _resource_v1_*) as NDJSON
or CSV, either gzipped, and prints a JSON array: one object for each value of the key and
currency, sorted, with `rows` and decimal strings `cost`, `credits` and `net`.

  day            date of usage_start_time in --zone (IANA name; UTC if none is given)
  sku            sku.id
  project        project.id; null for charges of the account
  invoice_month  invoice.month
  consumption_model  consumption_model.description; null where none is stated
  credit_type    null for the charges themselves, else the type of a credit
  currency       nothing but the currency

With --list also `list_cost` (the first of cost_at_list, cost_at_list_consumption_model and cost
that the row has) and `savings`, which is list_cost minus net.

What a row comes to: `cost` is before credits; `net` is cost plus the amounts of the row's
credits. Each of these amounts is rounded to 1e-9, half to even, before anything is added. CSV
has the columns of a record as record.column, and lists as JSON text. A row without cost counts
0; anything else that is not understood is an error that names file and line. Standard library
only.
"""

import argparse
import csv
import datetime
import decimal
import gzip
import json
import re
import sys
import zoneinfo
from decimal import Decimal

NANO = Decimal("1e-9")
# Wide enough for every sum to be exact.
decimal.setcontext(
    decimal.Context(
        prec=200,
        rounding=decimal.ROUND_HALF_EVEN,
        traps=[
            decimal.InvalidOperation,
            decimal.DivisionByZero,
            decimal.Overflow,
            decimal.Underflow,
        ],
    )
)
KEYS = ("day", "sku", "project", "invoice_month", "consumption_model", "credit_type", "currency")
DECIMAL = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", re.ASCII)
INSTANT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d+)?"
    r"( ?UTC|Z|[-+]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
CURRENCY = re.compile(r"[A-Z]{3}")
MONTH = re.compile(r"\d{4}(0[1-9]|1[0-2])", re.ASCII)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Bad(Exception):
    """A row that is not what an export has."""


# ---- values ------------------------------------------------------------------------------


def amount(value, name):
    """A FLOAT or NUMERIC column, as a number or as text: nano-units."""
    if isinstance(value, bool) or not isinstance(value, (Decimal, str)):
        raise Bad(f"{name}: want a decimal, got {value!r}")
    if isinstance(value, str):
        if not DECIMAL.fullmatch(value):
            raise Bad(f"{name}: want a decimal, got {value!r}")
        value = Decimal(value)
    return value.quantize(NANO)


def offset_seconds(text):
    """What stands behind the time: seconds east of UTC."""
    if text is None or text.strip() in ("UTC", "Z"):
        return 0
    digits = text[1:].replace(":", "").ljust(4, "0")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return -seconds if text[0] == "-" else seconds


def instant(value, name):
    """TIMESTAMP: as text, or as seconds since 1970 (what REST gives)."""
    if isinstance(value, str):
        m = INSTANT.fullmatch(value)
        if m:
            parts = [int(m.group(i)) for i in range(1, 7)]
            try:
                wall = datetime.datetime(*parts, tzinfo=datetime.timezone.utc)
                return wall - datetime.timedelta(seconds=offset_seconds(m.group(8)))
            except (ValueError, OverflowError) as e:
                raise Bad(f"{name}: {value!r}: {e}") from e
    try:
        seconds = amount(value, name)
        whole = int(seconds.to_integral_value(decimal.ROUND_FLOOR))
        return EPOCH + datetime.timedelta(seconds=whole)
    except (Bad, OverflowError):
        raise Bad(f"{name}: want an instant, got {value!r}") from None


def text(value, name, pattern=None):
    """STRING; NULL stays None, and so does the empty text that CSV has for it."""
    if value is None or value == "":
        return None
    if not isinstance(value, str) or (pattern and not pattern.fullmatch(value)):
        raise Bad(f"{name}: unexpected {value!r}")
    return value


# ---- rows --------------------------------------------------------------------------------


def no_constant(word):
    raise Bad(f"{word} is no amount")


def unique(pairs):
    """An object in which a name stands twice has two meanings."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Bad("a name stands twice in one object")
    return out


def parse_json(s):
    try:
        return json.loads(
            s,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=no_constant,
            object_pairs_hook=unique,
        )
    except (ValueError, RecursionError) as e:
        raise Bad(f"JSON: {e}") from e


def dig(row, path):
    """A column of a nested row, NULL where a record on the way is NULL."""
    for name in path.split("."):
        if row is None:
            return None
        if not isinstance(row, dict):
            raise Bad(f"{path}: not a record")
        row = row.get(name)
    return row


class Nested:
    """A row of NDJSON."""

    def __init__(self, line):
        self.row = parse_json(line)
        if not isinstance(self.row, dict):
            raise Bad("a row is an object")

    def get(self, path):
        return dig(self.row, path)


class Flat:
    """A row of CSV: dotted columns, lists as JSON text, NULL as nothing."""

    def __init__(self, header, fields):
        if len(fields) != len(header):
            raise Bad(f"{len(fields)} fields, the header has {len(header)}")
        self.row = dict(zip(header, fields))

    def get(self, path):
        value = self.row.get(path)
        if value and path == "credits":
            return parse_json(value)
        return value or None


def credits_of(row):
    """(type, nano-units) of each credit."""
    credits = row.get("credits")
    if credits is None:
        return []
    if not isinstance(credits, list):
        raise Bad("credits: want a list")
    out = []
    for c in credits:
        if not isinstance(c, dict):
            raise Bad("credits: want records")
        value = c.get("amount")
        nanos = amount(value, "credits.amount") if value is not None else Decimal(0)
        out.append((text(c.get("type"), "credits.type"), nanos))
    return out


def list_of(row, cost):
    """The cost at list prices; where the row states none, the cost itself."""
    for name in ("cost_at_list", "cost_at_list_consumption_model"):
        value = row.get(name)
        if value is not None:
            return amount(value, name)
    return cost


# ---- files -------------------------------------------------------------------------------


def open_text(path):
    with open(path, "rb") as f:
        zipped = f.read(2) == b"\x1f\x8b"
    opener = gzip.open if zipped else open
    # newline="": quoted fields of CSV keep their line ends
    return opener(path, "rt", encoding="utf-8-sig", errors="strict", newline="")


def rows_of_json(lines):
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, Nested, (line,)


def rows_of_csv(lines):
    reader = csv.reader(lines, strict=True)
    header = next(reader, None)
    if header is None:
        return
    if len(set(header)) != len(header):
        raise Bad("a column stands twice in the header")
    for need in ("usage_start_time", "cost", "currency"):
        if need not in header:
            raise Bad(f"no column {need}")
    for fields in reader:
        if fields:
            yield reader.line_num, Flat, (header, fields)


def rows_of(path):
    """Rows of a file, each with what names it in a message."""
    number = 0
    try:
        with open_text(path) as f:
            # an object can begin a row of JSON only
            first = f.readline()
            rest = (line for source in ([first], f) for line in source)
            make = rows_of_json if first.lstrip().startswith("{") else rows_of_csv
            for number, kind, args in make(rest):
                yield f"{path}:{number}", kind(*args)
    except (Bad, csv.Error, UnicodeDecodeError, EOFError, OSError) as e:
        raise SystemExit(f"{path}: behind line {number}: {e}") from e


# ---- sums --------------------------------------------------------------------------------


class Oracle:
    def __init__(self, by, zone, with_list=False):
        self.with_list = with_list
        self.by = by
        self.zone = zone
        self.days = {}  # an hour of usage -> its date
        self.groups = {}

    def day(self, row):
        written = row.get("usage_start_time")
        if written not in self.days:
            at = instant(written, "usage_start_time").astimezone(self.zone)
            self.days[written] = at.date().isoformat()
        return self.days[written]

    def key(self, row):
        if self.by == "day":
            return self.day(row)
        if self.by == "sku":
            return text(row.get("sku.id"), "sku.id")
        if self.by == "project":
            return text(row.get("project.id"), "project.id")
        if self.by == "consumption_model":
            return text(row.get("consumption_model.description"), "consumption_model")
        if self.by == "invoice_month":
            return text(row.get("invoice.month"), "invoice.month", MONTH)
        return None

    def add(self, key, currency, rows, cost, credits, list_cost):
        g = self.groups.setdefault((key, currency), [0] + 3 * [Decimal(0)])
        g[0] += rows
        g[1] += cost
        g[2] += credits
        g[3] += list_cost

    def take(self, row):
        currency = text(row.get("currency"), "currency", CURRENCY)
        if currency is None:
            raise Bad("no currency")
        value = row.get("cost")
        cost = amount(value, "cost") if value is not None else Decimal(0)
        credits = credits_of(row)
        list_cost = list_of(row, cost)
        if self.by != "credit_type":
            whole = sum((nanos for _, nanos in credits), Decimal(0))
            self.add(self.key(row), currency, 1, cost, whole, list_cost)
            return
        self.add(None, currency, 1, cost, Decimal(0), list_cost)
        for kind, nanos in credits:
            # a credit without type is told apart from the charges
            self.add(kind or "UNKNOWN", currency, 1, Decimal(0), nanos, Decimal(0))

    def result(self):
        def order(item):
            (key, currency), _ = item
            return key is not None, key or "", currency

        out = []
        for (key, currency), (rows, cost, credits, list_cost) in sorted(
            self.groups.items(), key=order
        ):
            group = {} if self.by == "currency" else {self.by: key}
            group |= {
                "currency": currency,
                "rows": rows,
                "cost": plain(cost),
                "credits": plain(credits),
                "net": plain(cost + credits),
            }
            if self.with_list:
                group |= {
                    "list_cost": plain(list_cost),
                    "savings": plain(list_cost - cost - credits),
                }
            out.append(group)
        return out


def plain(d):
    """The shortest decimal without exponent: "12.5", "-0.000000001", "0"."""
    s = format(d, "f")
    if "." in s:
        s = s.rstrip("0").rstrip(".")
    return "0" if s in ("-0", "") else s


def main(argv):
    p = argparse.ArgumentParser(description="sums of a Cloud Billing export")
    p.add_argument("--by", choices=KEYS, required=True)
    p.add_argument("--zone", default="UTC", help="IANA name, for --by day")
    p.add_argument("--list", action="store_true", help="also cost at list prices")
    p.add_argument("files", nargs="+", metavar="FILE")
    args = p.parse_args(argv)
    csv.field_size_limit(1 << 24)
    try:
        zone = zoneinfo.ZoneInfo(args.zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise SystemExit(f"unknown time zone {args.zone!r}") from None
    oracle = Oracle(args.by, zone, args.list)
    for path in args.files:
        for where, row in rows_of(path):
            try:
                oracle.take(row)
            except (Bad, decimal.DecimalException) as e:
                raise SystemExit(f"{where}: {e}") from e
    json.dump(oracle.result(), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
