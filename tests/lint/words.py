#!/usr/bin/env python3
"""Searches strings, comments and documentation for the words that tests/lint/words.md replaces.

usage: words.py [--count] [FILE ...]    without files: the whole program and its documentation

tests/lint/words.allow lists the exceptions: FILE-GLOB PATTERN-WORDS, both may be *.
"""
import collections
import fnmatch
import re
import subprocess
import sys

TREE = ("base", "db", "gcp", "collector", "rules", "reports", "cli", "docs", "packaging", "README.md", "CONTRIBUTING.md", "tests/*.md",
        "Makefile", "Containerfile", ".ci/run")
C = re.compile(r"""/\*(?P<comment>.*?)\*/|(?P<strings>"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI\w+\s*)?"(?:\\.|[^"\\\n])*")*)|'(?:\\.|[^'\\])+'""", re.S)


def word_list(name):
    """[(regex, only at the beginning of a comment, replacement)] of the table"""
    found = []
    for line in open(name, encoding="utf-8"):
        row = re.match(r"\| `(.*)` \| (.*) \| (.*) \|$", line)
        if row:
            pattern = row[1].replace("\\|", "|")
            found.append((re.compile(pattern, re.I), pattern.startswith("^"), row[3], row[2]))
    return found


def texts_of_c(source):
    for m in C.finditer(source):
        line = source.count("\n", 0, m.start()) + 1
        if m["comment"] is not None:
            yield line, "comment", re.sub(r"\n[ \t]*\*?", "\n", m["comment"].lstrip("*! "))
        elif m["strings"]:
            text = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", m["strings"])[1:-1]
            if re.search(r"\s", text):
                yield line, "string", re.sub(r"\\[nt]", " ", text)


def texts_of_lines(source, mark):
    """comments that begin with the mark, lines that follow each other joined"""
    start, text = 0, []
    for n, line in enumerate(source.split("\n") + [""], 1):
        m = re.match(r"\s*" + mark + r"+ ?(.*)", line) or re.search(r"\s" + mark + r" (.*)$", line)
        if m and (not text or re.match(r"\s*" + mark, line)):
            start = start or n
            text.append(m[1])
            continue
        if text:
            yield start, "comment", "\n".join(text)
        start, text = (n, [m[1]]) if m else (0, [])


def texts_of_sql(source):
    yield from texts_of_lines(source, "--")
    for m in re.finditer(r"--[^\n]*|'([^'\n]*\s[^'\n]*)'", source):
        if m[1]:
            yield source.count("\n", 0, m.start()) + 1, "string", m[1]


def texts_of_markdown(source):
    yield 1, "text", re.sub(r"`[^`\n]+`", lambda m: "x" * len(m[0]), re.sub(r"\]\([^)]*\)", "]", source))


def texts(name, source):
    if name.endswith((".c", ".h")):
        return texts_of_c(source)
    if name.endswith(".sql"):
        return texts_of_sql(source)
    if name.endswith(".md"):
        return texts_of_markdown(source)
    if name.endswith((".in", ".sh", ".awk", ".mk", ".yaml", ".service", ".timer", "Makefile", "Containerfile", ".ci/run")):
        return texts_of_lines(source, "#")
    return ()


def main():
    args = sys.argv[1:]
    count = args[:1] == ["--count"]
    files = args[1:] if count else args
    files = files or subprocess.run(["git", "ls-files", *TREE], capture_output=True, text=True, check=True).stdout.split("\n")
    words = word_list("tests/lint/words.md")
    allow = [line.split(None, 1) for line in open("tests/lint/words.allow", encoding="utf-8") if line.strip() and line[0] != "#"]
    found, per = 0, collections.Counter()
    for name in files:
        if name in ("", "tests/lint/words.md"):
            continue
        for line, kind, text in texts(name, open(name, encoding="utf-8", errors="replace").read()):
            for pattern, first, better, _ in words:
                if first and kind != "comment":
                    continue
                for m in pattern.finditer(re.sub(r"\s", " ", text)):
                    said = m[0].strip()
                    if any(fnmatch.fnmatch(name, g) and (w.strip() == "*" or w.strip().lower() in said.lower()) for g, w in allow):
                        continue
                    found += 1
                    per[pattern.pattern] += 1
                    if not count:
                        at = line + text.count("\n", 0, m.start())
                        around = re.sub(r"\s+", " ", text[max(0, m.start() - 30):m.end() + 30]).strip()
                        print(f"{name}:{at}: '{said}' in \"{around}\"; write like \"{better}\"")
    if count:
        for p, n in per.most_common():
            print(f"{n:5} {p}")
        print(f"{found:5} in all")
    return 1 if found else 0


sys.exit(main())
