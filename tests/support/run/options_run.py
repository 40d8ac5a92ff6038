#!/usr/bin/env python3
"""Every option of every command, as the help lists them, is run once against the lab; that an
option does what it is for is looked at where it means the same for all commands.

usage: options_run.py TPUCOST     prints "ok ..." and "not ok ..." lines

A new command or option that is not in commands.py or the table below is a failed check: add what it is
run with.
"""
import csv
import io
import json
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
from commands import ARGS, MONTH, SOON  # noqa: E402, beside this file

TPUCOST = sys.argv[1]
# Values of options; a list is of the words that take the place of a command's own.
VALUES = {
    "what": {"": "egress"}, "by": {"cost": "category", "burn": "owner", "coverage": "grant", "": "project"},
    "month": {"report": ["month", "--month", MONTH], "": MONTH},
    "since": {"report": ["grant", "--since", "2d"], "": "2d"},
    "until": {"report": ["grant", "--since", "2d", "--until", "1h"], "coverage": ["--since", "2d", "--until", "1h"],
              "hold": ["add", "tpu-1", "--until", SOON], "": "1h"},
    "subject": {"silence": ["tpu-not-covered", "--for", "2h", "--subject", "tpu-1"], "": "x"},
    "for": {"silence": ["ip-unused", "--for", "2h"], "": "2h"},
    "comment": {"silence": ["ip-unused", "--for", "2h", "--comment", "because"],
                "hold": ["add", "tpu-1", "--until", SOON, "--comment", "because"], "": "because"},
    "output": {"cost": ["--format", "focus", "--output", "written"], "": "written"},
    "focus": {"": ["--format", "focus", "--focus", "1.4"]}, "billed-cost": {"": "after-credits"},
    "to": {"report": ["daily", "--send", "--to", "lab"]},
    "send": {"report": ["daily", "--send"]},
    "anchor": {"": "0" * 64},
    "starts": {"": "2026-11-01"}, "days": {"": "30"}, "name": {"": "other"},
    "extends": {"": "trc"}, "grant-mail": {"": "mail.eml"}, "billing-account": {"": "01AB23-CD45EF-678901"},
    "endpoint": {"": "URL"}, "credentials": {"": "service-account.json"},
    "tpu": {"": "v3-8"}, "vm": {"": "n1-standard-2"}, "disk": {"": "pd-ssd:100"}, "zone": {"": "europe-west4-a"},
    "count": {"": "2"}, "bucket": {"": "tpu-develop-data"},
    "project": {"": "tpu-develop"},
    "where": {"": "1 = 1"}, "limit": {"": "1"},
}
RIGHT = {"anchor": {0, 1, 2, 3}, "exit-code": {0, 3}, "strict": {0, 3}, "overwrite": {0, 1, 2},
         "extends": {0, 2, 3}, "apply": {0, 3, 4}}
EVERY_PROJECT = {"grant"}  # a row without a project is of all
GENERIC = {"format", "raw", "where", "sort-by", "limit", "columns", "project"}

# Other first words of a command; those that act refuse all formats.
ACTIONS = {"db": [["check"], ["compact"], ["forget", "x"]],
           "hold": [["add", "tpu-1", "--until", SOON], ["tpu-1", "--until", SOON], ["remove", "tpu-1"]],
           "silence": [["add", "ip-unused", "--for", "2h"], ["ip-unused", "--for", "2h"], ["remove", "1"]]}

failed = 0


def say(name, good, why=""):
    global failed
    print(("ok " if good else "not ok ") + name)
    if not good:
        failed += 1
        print("    " + why.replace("\n", "\n    ")[:1500])


def run(*words):
    p = subprocess.run([TPUCOST, *words], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def helped(command):
    """the options of a command, as its help has them: (name, takes a value)"""
    out = run("help", *command.split())[1]
    part = out.split("\nOptions:\n")[1].split("\n\n")[0] if "\nOptions:\n" in out else ""
    return re.findall(r"^  (?:-\w, |    )--([a-z-]+)(?: ([A-Z]\S*|\S*,\S*))?", part, re.M)


def watched(words):
    """--watch goes on until Ctrl-C: the status that it ends with, after the first answer"""
    p = subprocess.Popen([TPUCOST, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    first = p.stdout.readline()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    return p.returncode, (first + out).decode(), err.decode()


def listing(command, words, options):
    """what --format, --where and so on do to the rows"""
    base = [*command.split(), *words]
    rc, out, err = run(*base, "--format", "json")
    try:
        rows = json.loads(out)
        good = isinstance(rows, list)
    except ValueError as e:
        rows, good = [], False
        err += str(e)
    if not good:
        return False
    say(f"{command} --format json is rows", True)
    columns = list(rows[0]) if rows else []
    if "raw" in options:
        rc, out, err = run(*base, "--format", "csv", "--raw")
        table = list(csv.reader(io.StringIO(out)))
        say(f"{command} --format csv --raw: as many rows", rc in (0, 3, 4) and len(table) - 1 == len(rows) if rows
            else rc in (0, 3, 4), f"{len(table) - 1} of {len(rows)}\n{err}")
    if "limit" in options:
        rc, out, err = run(*base, "--format", "json", "--limit", "1")
        say(f"{command} --limit 1", len(json.loads(out or "[0,0]")) == min(1, len(rows)), err)
    if "where" in options:
        rc, out, err = run(*base, "--format", "json", "--where", "1 = 0")
        say(f"{command} --where", json.loads(out or "[0]") == [], err)
    if "columns" in options and columns:
        two = columns[-1] + "," + columns[0]
        rc, out, err = run(*base, "--format", "json", "--columns", two)
        say(f"{command} --columns", [list(r) for r in json.loads(out or "[]")[:1]] == [two.split(",")], out[:200] + err)
    if "sort-by" in options and columns:
        rc, out, err = run(*base, "--format", "json", "--sort-by", f"{columns[0]} desc")
        got = [r[columns[0]] for r in json.loads(out or "[]")]
        texts = [g for g in got if isinstance(g, str)]
        say(f"{command} --sort-by", len(got) == len(rows) and (len(texts) < len(got) or texts == sorted(texts, reverse=True)),
            f"{got}\n{err}")
    if "project" in options and rows and "project" in columns:
        rc, out, err = run(*base, "--format", "json", "--project", "tpu-develop")
        got = {r["project"] for r in json.loads(out or "[]")}
        say(f"{command} --project", got == {"tpu-develop"} or got == {None} and command in EVERY_PROJECT, err)
    return True


def formats(command, words):
    """no format is taken and then ignored"""
    name = " ".join([command, *words])
    plain = run(*command.split(), *words)[1]
    for form in "json", "csv", "markdown":
        rc, out, err = run(*command.split(), *words, "--format", form)
        refused = rc == 2 and not out and "format" in err
        good = refused or out and out != plain
        if form == "json" and not refused:
            try:
                json.loads(out)
            except ValueError:
                good = False
        say(f"{name} --format {form}: a document, or refused", good, f"status {rc}\n{out[:300]}\n{err}")


def main():
    listed = json.loads(run("help", "--format", "json")[1])
    url = sys.argv[2]
    for entry in listed:
        command = entry["command"]
        words, right = ARGS.get(command, ([], {0}))
        words = [url if w == "URL" else w for w in words]
        if command in ("help", "version"):
            words = []
        rc, out, err = run(*command.split(), *words)
        say(f"{command} {' '.join(words)}", rc in right, f"status {rc}\n{out[:300]}\n{err}")
        options = helped(command)
        names = [o for o, _ in options]
        if "format" in names:
            for w in [words, *ACTIONS.get(command, [])]:
                formats(command, w)
        rows = "format" in names and right <= {0, 3} and listing(command, words, names)
        for name, value in options:
            if (name in GENERIC and rows) or f"--{name}" in words:
                continue
            given = VALUES.get(name, {})
            given = given.get(command, given.get(""))
            if name == "watch":
                if command != "top":  # wants a terminal
                    rc, out, err = watched([*command.split(), *words, "--watch", "60"])
                    say(f"{command} --watch 60, and Ctrl-C", rc == 0 and out, f"status {rc}\n{out[:300]}\n{err}")
                continue
            if value and name not in GENERIC and given is None:
                say(f"{command} --{name} has a value in the table of this test", False)
                continue
            if isinstance(given, list):
                own = given
            elif name == "format":
                own = [*words, "--format", "json"]
            elif name in ("columns", "sort-by"):
                continue  # without rows there is nothing to name
            else:
                own = [*words, f"--{name}", *([url if given == "URL" else given] if value else [])]
            rc, out, err = run(*command.split(), *own)
            say(f"{command} {' '.join(own)}", rc in right | RIGHT.get(name, set()), f"status {rc}\n{out[:300]}\n{err}")
    sys.exit(failed > 0)


main()
