#!/usr/bin/env python3
"""judge.py DIRECTORY: the rules as a script would run them, over the same resources.

One SELECT a rule over a copy of the view in memory. Prints the milliseconds of the copy, those of
the rules, and how many subjects they matched.
"""

import sqlite3
import sys
import time


def main(directory):
    db = sqlite3.connect(f"file:{directory}/t.db?mode=ro", uri=True)
    with open(f"{directory}/conditions", encoding="utf-8") as f:
        conditions = f.read().splitlines()
    began = time.monotonic()
    db.execute("CREATE TEMP TABLE resources AS SELECT * FROM main.resources")
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
