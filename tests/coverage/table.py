#!/usr/bin/env python3
"""What the tests run of the program, against the floors.

usage: gcov --json-format --stdout --branch-probabilities ... | table.py FLOORS

FLOORS has lines "AREA PATTERN PERCENT" (of branches) and one "all lines PERCENT". Run where the sources are.
A branch of a line with LCOV_EXCL_BR_LINE and a reason behind it counts as taken; how many is in the
table. Exit status: 0, 1 below a floor, 2 what was given makes no sense.
"""
import fnmatch
import json
import os
import re
import sys

FOLDERS = ("base", "db", "gcp", "collector", "rules", "reports", "cli")
MARK = re.compile(r"LCOV_EXCL_BR_LINE:?\s*(.*?)\s*(?:\*/.*)?$")
SHOWN = 60  # of what is missing in a file


class Source:
    """One file: counts of its lines, of their branches, of its functions, from every object that has it."""

    def __init__(self, name):
        self.name = name
        self.lines, self.branches, self.functions = {}, {}, {}
        with open(name, encoding="utf-8") as f:
            self.text = f.read().split("\n")
        self.marked = {}
        for n, line in enumerate(self.text, 1):
            m = MARK.search(line)
            if m:
                self.marked[n] = m.group(1)

    def add(self, part):
        for f in part["functions"]:
            key = (f["start_line"], f["name"])
            self.functions[key] = self.functions.get(key, 0) + f["execution_count"]
        for entry in part["lines"]:
            n = entry["line_number"]
            self.lines[n] = self.lines.get(n, 0) + entry["count"]
            counts = [b["count"] for b in entry["branches"]]
            if counts:
                # one line can be in several functions (macros), and in objects of different flags
                key = (n, entry.get("function_name"))
                old = self.branches.get(key, [])
                wide = max(len(old), len(counts))
                self.branches[key] = [sum(x) for x in zip(old + [0] * (wide - len(old)), counts + [0] * (wide - len(counts)))]

    def never(self):
        """(line, what) of all that was not run"""
        out = []
        for (n, name), count in sorted(self.functions.items()):
            if not count:
                out.append((n, f"{name}() is never called"))
        for (n, _), counts in sorted(self.branches.items()):
            if n in self.marked:
                continue
            for i, count in enumerate(counts):
                if not count:
                    out.append((n, "never reached" if not self.lines[n] else f"branch {i + 1} of {len(counts)} never taken"))
        return sorted(set(out))


class Sum:
    def __init__(self, sources):
        flat = [c for s in sources for (n, _), c in s.branches.items() if n not in s.marked]
        self.lines = (sum(1 for s in sources for c in s.lines.values() if c), sum(len(s.lines) for s in sources))
        self.branches = (sum(1 for c in flat for x in c if x), sum(len(c) for c in flat))
        self.functions = (sum(1 for s in sources for c in s.functions.values() if c), sum(len(s.functions) for s in sources))
        self.excluded = sum(len(s.marked) for s in sources)

    def row(self):
        return [share(*self.lines), share(*self.branches), share(*self.functions), str(self.excluded or "")]


def percent(part, whole):
    """cut off, not rounded: 100 is all of them"""
    return part * 1000 // whole / 10 if whole else 100.0


def share(part, whole):
    return f"{percent(part, whole):.1f} % {part}/{whole}" if whole else "-"


def read_gcov(stream):
    sources = {}
    for line in stream:
        if not line.strip():
            continue
        for part in json.loads(line)["files"]:
            name = os.path.normpath(part["file"])
            if name.split("/")[0] not in FOLDERS:
                continue
            if name not in sources:
                sources[name] = Source(name)
            sources[name].add(part)
    return sources


def read_floors(path):
    floors, overall = [], None
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) != 3:
                raise ValueError(f"{path}:{n}: want AREA PATTERN PERCENT")
            if words[:2] == ["all", "lines"]:
                overall = float(words[2])
            else:
                floors.append((words[0], words[1], float(words[2])))
    if overall is None:
        raise ValueError(f"{path}: no line \"all lines PERCENT\"")
    return floors, overall


def table(head, rows):
    width = [max(len(r[i]) for r in [head] + rows) for i in range(len(head))]
    for row in [head] + rows:
        print("  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, width))).rstrip())
    print()


def judge(sources, floors, overall):
    """Prints the tables; the list of what is wrong."""
    wrong, rows = [], []
    head = ["", "lines", "branches", "functions", "excluded"]
    for folder in FOLDERS:
        inside = [s for n, s in sources.items() if n.startswith(folder + "/")]
        if inside:
            rows.append([folder + "/"] + Sum(inside).row())
    total = Sum(sources.values())
    rows.append(["all"] + total.row())
    table(head, rows)
    if percent(*total.lines) < overall:
        wrong.append(f"lines of all: {share(*total.lines)}, the floor is {overall:g} %")

    rows, missing, seen = [], [], {}
    for area, pattern, floor in floors:
        names = sorted(n for n in sources if fnmatch.fnmatchcase(n, pattern))
        if not names:
            wrong.append(f"{area}: there is no {pattern}")
        for name in names:
            seen.setdefault(area, []).append(sources[name])
            s = Sum([sources[name]])
            rows.append([f"{area:9} {name}"] + s.row())
            never = sources[name].never()
            if percent(*s.branches) < floor or s.functions[0] < s.functions[1]:
                wrong.append(f"{area}: {name}: branches {share(*s.branches)}, functions {share(*s.functions)}; the floor is {floor:g} %")
                missing += [f"{name}:{n}: {what}: {sources[name].text[n - 1].strip()}" for n, what in never[:SHOWN]]
                if len(never) > SHOWN:
                    missing.append(f"{name}: and {len(never) - SHOWN} more")
    table(["file with a floor"] + head[1:], rows)
    table(["area"] + head[1:], [[area] + Sum(of).row() for area, of in seen.items()])
    for name, s in sorted(sources.items()):
        for n, why in s.marked.items():
            if len(why) < 10:
                wrong.append(f"{name}:{n}: LCOV_EXCL_BR_LINE without its reason")
    for line in missing:
        print(line)
    return wrong


def main():
    try:
        floors, overall = read_floors(sys.argv[1])
        sources = read_gcov(sys.stdin)
    except (OSError, ValueError, KeyError, IndexError) as e:
        print(f"coverage: {e}", file=sys.stderr)
        return 2
    if not sources:
        print("coverage: gcov said nothing of the program", file=sys.stderr)
        return 2
    wrong = judge(sources, floors, overall)
    for line in wrong:
        print(f"BELOW {line}")
    print(f"coverage: {len(sources)} files, {len(wrong)} below their floor")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
