#!/usr/bin/env python3
"""Checks a CSV file against FOCUS: check.py VERSION FILE.

The columns of each version are data, in columns.tsv beside this program; the rules that concern
several columns of a row are below. Prints the number of rows and the sums of the four costs by
currency; exit status 1 and a line for each problem if there are any. Standard library only.
"""

import csv
import datetime
import decimal
import gzip
import json
import os
import re
import sys
from collections import defaultdict
from decimal import Decimal

decimal.getcontext().prec = 60
COSTS = ("BilledCost", "EffectiveCost", "ContractedCost", "ListCost")
DECIMAL = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
MOST = 20  # problems that are printed


def columns_of(version):
    """name -> (level, required, kind) of a version; and the names of all versions."""
    out, every = {}, set()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "columns.tsv")
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            name, since, until, level, null, kind = line.rstrip("\n").split("\t")
            every.add(name)
            if since <= version <= until:
                out[name] = (level, null == "required", kind)
    return out, every


def instant(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


def wrong_value(kind, text):
    """Why the text is not a value of that kind; None if it is."""
    if kind in ("decimal", "decimal+"):
        if not DECIMAL.fullmatch(text) or (kind == "decimal+" and text.startswith("-")):
            return "not a plain decimal"
    elif kind == "time":
        try:
            instant(text)
        except ValueError:
            return "not a UTC time such as 2026-11-01T00:00:00Z"
    elif kind == "currency":
        if not re.fullmatch("[A-Z]{3}", text):
            return "not a currency"
    elif kind == "json":
        try:
            if not isinstance(json.loads(text), (dict, list)):
                return "not a JSON object"
        except ValueError:
            return "not JSON"
    elif kind != "text" and text not in kind.split("|"):
        return "not one of " + kind
    return None


def row_rules(row):
    """Rules that concern several columns."""
    category, get = row["ChargeCategory"], lambda name: row.get(name, "")
    for period in ("ChargePeriod", "BillingPeriod"):
        if not instant(row[period + "Start"]) < instant(row[period + "End"]):
            yield f"{period}Start is not before {period}End"
    if category == "Tax" and (get("PricingQuantity") or get("SkuId")):
        yield "a tax has no quantity and no SKU"
    if category in ("Usage", "Purchase") and get("ChargeClass") != "Correction":
        if not get("PricingQuantity"):
            yield "usage without PricingQuantity"
        if get("PricingQuantity") and not get("PricingUnit"):
            yield "PricingQuantity without PricingUnit"
    if category == "Credit" and len({Decimal(row[c]) for c in COSTS}) != 1:
        yield "the costs of a credit differ"
    if category not in ("Usage", "Purchase") and (
            Decimal(row["ContractedCost"]) != Decimal(row["BilledCost"])):
        yield "ContractedCost of what has no price is not BilledCost"
    if category == "Purchase" and get("ChargeFrequency") == "Usage-Based":
        yield "a purchase is not Usage-Based"
    if bool(get("SubAccountId")) != bool(get("SubAccountType")):
        yield "SubAccountType does not belong to SubAccountId"


def check(version, path):
    columns, every = columns_of(version)
    problems, sums, rows = [], defaultdict(lambda: [Decimal(0)] * 4), 0
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as f:
        reader = csv.reader(f, strict=True)
        header = next(reader)
        problems += [f"{n}: twice" for n in set(header) if header.count(n) > 1]
        problems += [f"{n}: missing" for n, c in columns.items()
                     if c[0] == "mandatory" and n not in header]
        problems += [f"{n}: not a column of {version}" for n in header
                     if n not in columns and (n in every or not n.startswith("x_"))]
        for number, fields in enumerate(reader, 2):
            rows += 1
            if len(fields) != len(header):
                problems.append(f"row {number}: {len(fields)} fields")
                continue
            row = dict(zip(header, fields))
            bad = []
            for name, (_, required, kind) in columns.items():
                if name not in row:
                    continue
                why = (wrong_value(kind, row[name]) if row[name]
                       else "null" if required else None)
                if why:
                    bad.append(f"row {number}: {name}: {why}: {row[name]!r}")
            if not bad:
                bad = [f"row {number}: {why}" for why in row_rules(row)]
            problems += bad
            if not bad:
                total = sums[row["BillingCurrency"]]
                sums[row["BillingCurrency"]] = [
                    t + Decimal(row[c]) for t, c in zip(total, COSTS)]
    return problems, rows, sums


def main(argv):
    version, path = argv
    problems, rows, sums = check(version, path)
    for problem in problems[:MOST]:
        print(problem)
    if problems:
        print(f"{len(problems)} problems")
        return 1
    print(f"{rows} rows")
    for currency, total in sorted(sums.items()):
        print(currency, *(f"{t:.9f}" for t in total))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
