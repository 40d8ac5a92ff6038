"""Runs every command of `tpucost help --format json` as a script may run it. For *_run.py beside it.

SHOWN is what a command wrote and answered in plain surroundings; checks are printed as lib.sh does.
"""
import json
import os
import re
import subprocess
import sys

from commands import ARGS

TPUCOST = sys.argv[1]
URL = sys.argv[2]
NET = {"init", "collect", "run", "doctor", "import", "notify test"}  # the slower ones: not in every variant
FORMATS = ("table", "json", "csv", "markdown")
failed = 0


def say(name, good, why=""):
    global failed
    print(("ok " if good else "not ok ") + name, flush=True)
    if not good:
        failed += 1
        print("    " + str(why).replace("\n", "\n    ")[:1500])


class Ended:
    """How a program ended: rc (below 0: the signal), out and err as bytes."""

    def __init__(self, rc, out, err):
        self.rc, self.out, self.err = rc, out or b"", err or b""

    def __str__(self):
        return f"status {self.rc}\n{self.out[:400]}\n{self.err[:600]}"


def run(words, prefix=(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more):
    p = subprocess.run([*prefix, TPUCOST, *words], stdin=stdin, stdout=stdout, stderr=stderr, timeout=60, **more)
    return Ended(p.returncode, p.stdout, p.stderr)


def is_error(err):
    """One line `tpucost: what failed: why...` at the end, in UTF-8, without control characters."""
    try:
        lines = err.decode().splitlines()
    except UnicodeDecodeError:
        return False
    return bool(lines) and lines[-1].startswith("tpucost: ") and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err.decode())


def fine(ended, right):
    """No signal, a right status, and an error says why it is one."""
    return ended.rc in right and (ended.rc not in (1, 2) or is_error(ended.err) or ended.out)


class Command:
    def __init__(self, entry):
        self.name, self.options = entry["command"], entry["options"].split()
        words, self.right = ARGS.get(self.name, ([], {0}))
        self.words = [*self.name.split(), *(URL if w == "URL" else w for w in words)]
        if self.name == "backup":
            self.words.append("--overwrite")
        if self.name == "rules test":
            self.words[-1] = "small.yaml"  # a short story
        self.net = self.name in NET

    def forms(self):
        """The command in every format that it has."""
        if self.name == "report":
            return [[*self.words, "--format", f] for f in ("text", "html", "markdown", "json", "slack", "csv")]
        if self.name in ("help", "views", "version"):
            return [self.words, *([*self.words, "--format", f] for f in ("json", "markdown")[: 2 if self.name == "views" else 1])]
        if "raw" in self.options and not self.net:
            return [[*self.words, "--format", f] for f in FORMATS]
        return [self.words] + ([[*self.words, "--format", "json"]] if "format" in self.options and self.name != "top" else [])


def commands():
    out = run(["help", "--format", "json"]).out
    return [Command(entry) for entry in json.loads(out)]


def named(words):
    return " ".join(w for w in words if w != URL)
