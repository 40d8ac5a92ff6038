#!/usr/bin/env python3
"""python_sqlite.py FILE DATABASE: the export as a script would load it.

json and sqlite3 of the standard library, one transaction, the columns that costs are asked by.
"""

import itertools
import json
import sqlite3
import sys

COLUMNS = (
    "start",
    "service",
    "sku_id",
    "sku",
    "project",
    "location",
    "zone",
    "resource",
    "invoice_month",
    "cost_type",
    "currency",
    "usage",
    "unit",
    "cost",
    "credits",
)
BATCH = 10000


def row(line):
    r = json.loads(line)
    project, location, usage = r["project"], r["location"], r["usage"]
    return (
        r["usage_start_time"],
        r["service"]["description"],
        r["sku"]["id"],
        r["sku"]["description"],
        project["id"],
        location["location"],
        location.get("zone"),
        r["resource"]["name"],
        r["invoice"]["month"],
        r["cost_type"],
        r["currency"],
        usage["amount_in_pricing_units"],
        usage["pricing_unit"],
        r["cost"],
        # nano-units: sums of floats depend on the order
        sum(round(c["amount"] * 1e9) for c in r["credits"]),
    )


def main(path, database):
    db = sqlite3.connect(database)
    db.execute(f"CREATE TABLE usage ({', '.join(COLUMNS)})")
    insert = f"INSERT INTO usage VALUES ({', '.join('?' * len(COLUMNS))})"
    with open(path, encoding="utf-8") as f, db:
        while batch := list(itertools.islice(f, BATCH)):
            db.executemany(insert, map(row, batch))
    db.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
