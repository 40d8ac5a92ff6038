#!/usr/bin/env python3
"""Every command in every format: what goes to which stream, and what happens when a stream takes nothing.

usage: streams_run.py TPUCOST URL     in the lab of tests/cli/lib-lab.sh
"""
import json
import os
import sys

sys.dont_write_bytecode = True
import scripting as s  # noqa: E402, beside this file


def closed_pipe():
    r, w = os.pipe()
    os.close(r)
    return w


def without(fd):
    return ["sh", "-c", f'"$@" {fd}{"<" if not fd else ">"}&-', "sh"]


def plain(c, words, name):
    """In plain surroundings; gives what was seen."""
    p = s.run(words)
    s.say(f"{name}: ends well", s.fine(p, c.right), p)
    s.say(f"{name}: no escape codes where it is no terminal", b"\033" not in p.out + p.err, p)
    s.say(f"{name}: no error within the answer", b"tpucost: " not in p.out.replace(b"tpucost: the cost", b""), p)
    if words[-2:] == ["--format", "json"] and p.rc in (0, 3, 4):
        try:
            good = p.out.endswith(b"\n") and json.loads(p.out) is not None
        except ValueError as e:
            good = str(e)
        s.say(f"{name}: one JSON document, and nothing else", good is True, f"{good}\n{p}")
    return p


def full_disk(c, words, name, answers):
    """What was to be told and is not, is a failure."""
    with open("/dev/full", "wb") as full:
        q = s.run(words, stdout=full)
    if answers:
        s.say(f"{name} >/dev/full", q.rc == 1 and
              b"tpucost: write to standard output: No space left on device" in q.err, q)
    else:
        s.say(f"{name} >/dev/full: nothing to write", q.rc in c.right, q)


def gone(c, words, name, p):
    """Streams that are closed. `p` is what it does with all of them."""
    w = closed_pipe()
    q = s.run(words, stdout=w)
    os.close(w)
    s.say(f"{name} | true: quiet, and no death",
          q.rc in c.right and b"write to standard output" not in q.err, q)
    q = s.run(words, prefix=without(1))
    if p.out:
        s.say(f"{name} >&-", q.rc == 1 and b"tpucost: write to standard output: Bad file descriptor" in q.err, q)
    else:
        s.say(f"{name} >&-: nothing to write", q.rc in c.right, q)
    q = s.run(words, prefix=without(0), stdin=None, stderr=s.subprocess.DEVNULL)
    s.say(f"{name} <&-", q.rc in c.right and bool(q.out) == bool(p.out), q)
    q = s.run(words, prefix=without(2))
    s.say(f"{name} 2>&-", q.rc in c.right and bool(q.out) == bool(p.out), q)


def main():
    for c in s.commands():
        first = None
        for words in c.forms():
            p = plain(c, words, s.named(words))
            full_disk(c, words, s.named(words), bool(p.out))
            first = first or p
        name = s.named(c.words)
        gone(c, c.words, name, first)
        q = s.run(["--quiet", *c.words])
        s.say(f"--quiet {name}: no notes", q.rc in c.right and (q.rc in (1, 2) or not q.err), q)
        q = s.run([*c.name.split(), "--no-such-option"])
        s.say(f"{c.name} --no-such-option: usage, on standard error", q.rc == 2 and not q.out and s.is_error(q.err), q)
        q = s.run([*c.name.split(), "--help"])
        s.say(f"{c.name} --help: an answer", q.rc == 0 and q.out and not q.err, q)
    sys.exit(s.failed > 0)


main()
