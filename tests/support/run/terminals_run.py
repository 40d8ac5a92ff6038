#!/usr/bin/env python3
"""Every command in terminals: the width, NO_COLOR, TERM=dumb, and a locale that is not UTF-8.

usage: terminals_run.py TPUCOST URL     in the lab of tests/cli/lib-lab.sh
"""
import os
import re
import sys
import unicodedata

sys.dont_write_bytecode = True
import scripting as s  # noqa: E402, beside this file
from terminal import Terminal  # noqa: E402

# Has blocks in its text, wherever it goes.
BLOCKS = {"report"}
# Their headings and sentences are broken by the terminal.
PROSE = {"report", "rules test", "doctor", "grant plan", "why", "budget", "alerts"}


def shown(size, words, **env):
    """What a terminal of that size is sent as the answer, and how the program ends."""
    before = dict(os.environ)
    os.environ.update(env)
    try:
        t = Terminal(size, ["sh", "-c", 'exec "$@" 2>/dev/null', "sh", s.TPUCOST, *words])
    finally:
        os.environ.clear()
        os.environ.update(before)
    while t.read(1):
        pass
    status = os.waitpid(t.pid, 0)[1]
    os.close(t.fd)
    return os.waitstatus_to_exitcode(status), t.shown.decode().replace("\r\n", "\n")


def width(line):
    return sum(0 if unicodedata.combining(ch) else 2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in line)


def widest(text):
    """The widest line; what is meant to be copied is left whole: commands, and words that are longer."""
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return max((line for line in text.splitlines() if "gcloud " not in line and " " in line.strip()), key=width, default="")


def main():
    for k in ("LC_ALL", "LC_CTYPE", "COLUMNS", "LINES", "NO_COLOR"):
        os.environ.pop(k, None)
    os.environ.update(TERM="xterm", LANG="C.UTF-8", PYTHONCOERCECLOCALE="0")
    for c in s.commands():
        if c.name in ("top", "mcp"):
            continue  # last; their own tests have them
        listing = "raw" in c.options and c.name not in PROSE
        for columns, term in ((80, "xterm"), (40, "dumb")):
            rc, text = shown(f"{columns}x24", c.words, TERM=term)
            line = widest(text)
            s.say(f"{c.name} in {columns} columns", rc in c.right and (not listing or width(line) <= columns), f"{rc} {line!r}")
            s.say(f"{c.name} with TERM={term}", term != "dumb" or "\x1b" not in text, repr(text[:300]))
        rc, text = shown("80x24", c.words, NO_COLOR="1", LANG="C")
        s.say(f"{c.name} with NO_COLOR", rc in c.right and not re.search(r"\x1b\[[0-9;]*m", text), f"{rc} {text[:300]!r}")
        s.say(f"{c.name} in the locale C: ASCII", text.isascii() or c.name in BLOCKS, ascii(text[:300]))
    sys.exit(s.failed > 0)


main()
