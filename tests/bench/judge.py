#!/usr/bin/env python3
"""judge.py DIRECTORY <VIEWS: the rules as a script would run them, over the same resources.

The views come from judge, as `tpucost views --format sql` prints them. One SELECT a rule over a copy of the view in memory. Prints the milliseconds of the copy, those of
the rules, and how many subjects they matched.
"""

import sqlite3
import sys
import time


def main(directory):
    db = sqlite3.connect(f"file:{directory}/t.db?mode=ro", uri=True)
    with open(f"{directory}/conditions", encoding="utf-8") as f:
        conditions = f.read().splitlines()
    db.executescript(sys.stdin.read())
    began = time.monotonic()
    db.execute("CREATE TEMP TABLE copy AS SELECT * FROM resources")
    db.execute("DROP VIEW resources")
    db.execute("ALTER TABLE copy RENAME TO resources")
    copied = time.monotonic()
    matched = sum(
        len(db.execute(f"SELECT id FROM resources WHERE {c}").fetchall()) for c in conditions
    )
    print(
        round((copied - began) * 1000),
        round((time.monotonic() - copied) * 1000),
        matched,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
