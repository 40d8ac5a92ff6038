#!/usr/bin/env python3
"""Every command where the environment, the arguments or the limits of the process are odd.

usage: surroundings_run.py TPUCOST URL PART     in the lab of tests/cli/lib-lab.sh; PART: env, limits or args
"""
import os
import resource
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import scripting as s  # noqa: E402, beside this file

# Without a configuration these answer; the others say how to get one.
ANYWAY = {"init", "doctor", "help", "version", "views", "completion", "estimate", "grant import", "mcp", "rules test",
          "top", "web"}
VALUES = ("", "\udcff\udcfe", "'", "x" * 100_000, "-1", "\x1b[31m\nred", "99999999999999999999")
# Their answers are the same a moment later; that of "grant" is where the clock stands.
STEADY = {"rules", "views", "help", "version", "completion", "silence", "hold", "db", "quota", "rules test"}
FLAGS = {"raw", "all", "watch", "send", "apply", "once", "strict", "overwrite", "dry-run", "exit-code", "spot", "reserved",
         "allow-overlap"}


def standing_clock():
    """What makes the clock of a program stand (tests/support/machine.c)."""
    link = os.path.abspath("standing-clock")
    os.symlink(f"={int(time.time())}", link)
    return {"TEST_CLOCK": link}


def environment(**changes):
    env = dict(os.environ, **{k: v for k, v in changes.items() if v is not None})
    for k, v in changes.items():
        if v is None:
            env.pop(k, None)
    return env


def no_configuration(everything, about, text, **more):
    for c in everything:
        if c.name in ("init", "doctor"):
            continue  # their own tests have it
        q = s.run(c.words, **more)
        if c.name in ANYWAY:
            s.say(f"{about}: {c.name}", s.fine(q, {0, 1, 2, 3}), q)
        else:
            # check has errors as an editor reads them, without the name of the program
            s.say(f"{about}: {c.name}", q.rc == 2 and not q.out and text in q.err and
                  (c.name == "check" or s.is_error(q.err)), q)


def homeless(everything):
    bare = environment(HOME=None, TPUCOST_CONFIG=None, XDG_CONFIG_HOME=None)
    if not os.path.exists("/etc/tpucost/config.yaml"):
        no_configuration(everything, "no home, no configuration",
                         b"no configuration: /etc/tpucost/config.yaml does not exist; write one with: tpucost init", env=bare)
    os.mkdir("folder.yaml")
    few = [c for c in everything if c.name in ("check", "ps", "sql", "collect", "audit verify")]
    no_configuration(few, "a directory as the configuration", b"folder.yaml is not a regular file",
                     env=environment(TPUCOST_CONFIG="folder.yaml"))
    no_configuration(few, "a configuration that is not there", b"/nonexistent/x does not exist",
                     env=environment(TPUCOST_CONFIG="/nonexistent/x"))
    for c in everything:
        q = s.run(c.words, env=environment(HOME="/dev/null"))
        s.say(f"a home that is a file: {c.name}", q.rc in c.right, q)
        q = s.run(c.words, env={k: os.environ[k] for k in ("TPUCOST_CONFIG", "LD_PRELOAD", "TEST_CLOCK", "ASAN_OPTIONS")})
        s.say(f"an empty environment: {c.name}", q.rc in c.right, q)


def odd_places(everything):
    """A working directory that was deleted, other locales, no data on time zones."""
    clock = standing_clock()
    for c in everything:
        if c.name != "backup":  # names a file to make
            words = [os.path.abspath(w) if os.path.isfile(w) else w for w in c.words]
            q = s.run(words, prefix=["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"])
            s.say(f"a working directory that was deleted: {c.name}", q.rc in c.right, q)
        if c.name in STEADY or c.name == "grant":
            answers = {s.run(c.words, env=environment(LC_ALL=l, LANG=l, **clock)).out for l in ("C", "C.UTF-8", "tr_TR.ISO-8859-9")}
            s.say(f"the same in every locale: {c.name}", len(answers) == 1, answers)
        q = s.run(c.words, env=environment(TZDIR="/nonexistent", TZ="Nowhere/Land"))
        s.say(f"no data on time zones: {c.name}", q.rc in c.right or
              q.rc == 2 and b"time zone Asia/Hong_Kong: there are no zone files in /nonexistent; run: apt-get" in q.err, q)


def limits(everything):
    """Few open files, little memory. With still less the loader of programs fails, with 127."""
    for c in everything:
        for about, which, n in (("6 open files", resource.RLIMIT_NOFILE, 6),
                                ("24 MiB of addresses", resource.RLIMIT_AS, 24 << 20)):
            q = s.run(c.words, preexec_fn=lambda: resource.setrlimit(which, (n, n)))
            good = q.rc in c.right or q.rc == 127 or q.rc in (1, 2, 4) and (q.out or s.is_error(q.err))
            s.say(f"{about}: {c.name}", good, q)


def odd_words(c):
    if c.name in ("run", "collect", "init", "notify test", "doctor"):
        return [[*c.name.split(), VALUES[1]]]
    forms = [[*c.name.split(), v] for v in VALUES] + [[*c.words, v, v] for v in VALUES[:2]]
    takes = [o for o in c.options if o not in FLAGS]
    forms += [[*c.words, f"--{o}", VALUES[i % 2]] for i, o in enumerate(takes)]
    return forms + [[*c.words, f"--{o}={VALUES[5]}"] for o in takes[:2]]


def plain(q):
    """In UTF-8, short where it is an error, and nothing in it drives a terminal."""
    try:
        q.out.decode()
        q.err.decode()
    except UnicodeDecodeError:
        return False
    return len(q.err) < 4000 and b"\033" not in q.err


def arguments(everything):
    """Arguments and values that nobody means: an error or an answer."""
    for c in everything:
        for words in odd_words(c):
            q = s.run([w.encode("utf-8", "surrogateescape") for w in words])
            short = " ".join(w if len(w) < 60 else w[:20] + "..." for w in words)
            s.say(ascii(short), s.fine(q, {0, 1, 2, 3, 4}) and plain(q), q)


def main():
    everything = s.commands()
    part = sys.argv[3]
    if part == "env":
        homeless(everything)
        odd_places(everything)
    elif part == "limits":
        limits(everything)
    else:
        arguments(everything)
    sys.exit(s.failed > 0)


main()
