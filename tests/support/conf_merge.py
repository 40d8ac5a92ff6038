#!/usr/bin/env python3
"""usage: conf_merge.py BASE PART...: a configuration with the sections of PARTs in place of those of BASE.
A section is a key at the beginning of a line, to the next one."""
import re
import sys


def sections(path):
    found, name = {}, ""
    for line in open(path, encoding="utf-8"):
        key = re.match(r"^([a-z_]+):", line)
        if key:
            name = key.group(1)
            if name in found:
                sys.exit(f"{path}: {name} twice")
        found[name] = found.get(name, "") + line
    return found


merged = {}
for path in sys.argv[1:]:
    merged.update(sections(path))
sys.stdout.write("".join(merged.values()))
