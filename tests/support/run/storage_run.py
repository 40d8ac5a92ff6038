#!/usr/bin/env python3
"""Every command with a database that is not as it should be: an error says which file and what to do; what
only reads goes on where it can; and nothing is changed, or made, that was not there.

usage: storage_run.py TPUCOST URL     in the lab of tests/cli/lib-lab.sh
"""
import hashlib
import os
import re
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
import scripting as s  # noqa: E402, beside this file

# These need no database, or say what is wrong with it as an answer.
WITHOUT = {"init", "check", "doctor", "rules", "rules test", "views", "version", "help", "completion", "grant import",
           "estimate", "mcp", "top", "web"}
HALTS = {"enforce halt": {0, 4}, "enforce resume": {1}}  # a halt holds whatever the database says
NO_HALT = {"enforce halt": "NOT halted"}  # unless there is no room for it beside the database
MAKERS = {*HALTS, "collect", "run", "import", "hold", "enforce approve", "notify test", "notify retry", "audit verify", "db",
          "backup"}
CONFIG = open("tpucost.yaml").read()


def use(path):
    """The configuration has that database."""
    with open("tpucost.yaml", "w") as f:
        f.write(re.sub(r"^database: .*$", "database: " + path, CONFIG, flags=re.M))


def digest(path):
    if os.path.isdir(path):
        return sorted(os.listdir(path))
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def not_halted(c, q):
    return c.name in NO_HALT and q.rc == 1 and not q.out and NO_HALT[c.name] in q.err.decode()


def wrong(path, about, text, all_commands, maker=True, prefix=()):
    """With that as the database, every command that needs one fails with that text, and leaves it."""
    use(path)
    before = digest(path) if os.path.exists(path) else None
    for c in all_commands:
        if c.name in MAKERS and not maker:
            continue
        q = s.run(c.words, prefix=prefix)
        error = s.is_error(q.err) and text in q.err.decode() and path in q.err.decode()
        if c.name in WITHOUT:
            s.say(f"{about}: {c.name}", q.rc in {0, 1, 2, 3} and (q.out or s.is_error(q.err) or c.name == "mcp"), q)
        else:
            right = q.rc in HALTS.get(c.name, {1}) and not q.out and error
            s.say(f"{about}: {c.name}", prefix and not_halted(c, q) or right, q)
        after = digest(path) if os.path.exists(path) else None
        if after != before:
            s.say(f"{about}: {c.name} leaves it as it is", False, f"{before} {after}")
            before = after


def reads(about, all_commands, prefix, want=None):
    """Who may only read gets every answer; what writes says why it cannot."""
    for c in all_commands:
        if c.name in WITHOUT:
            continue
        words = ["backup", "out/copy.db"] if c.name == "backup" else c.words
        q = s.run(words, prefix=prefix)
        good = q.rc in HALTS.get(c.name, c.right) or q.rc == 1 and not q.out and s.is_error(q.err) and "writable" in q.err.decode()
        if c.name not in MAKERS:
            good = q.rc in c.right and bool(q.out)
        if c.name in NO_HALT:
            good = not_halted(c, q)
        s.say(f"{about}: {c.name}", good, q)
    q = s.run(["ps", "--all", "--format", "csv", "--columns", "id,state,why"], prefix=prefix)
    s.say(f"{about}: all that exists", want and q.out == want, q)


def wal(path, everything, prefix):
    """A read-only directory where a -wal file holds the newest: what lies in the database alone is old, and
    is not shown."""
    db = sqlite3.connect("t.db")
    db.execute("CREATE TABLE one (more INTEGER)")
    db.execute("DROP TABLE one")
    db.commit()
    os.mkdir("walled")
    for end in ("", "-wal"):
        shutil.copy("t.db" + end, path + end)
        os.chmod(path + end, 0o444)
    s.say("there is a -wal file", os.path.getsize(path + "-wal") > 0)
    db.close()
    os.chmod("walled", 0o555)
    wrong(path, "a read-only directory with a -wal file", "writable", everything, prefix=prefix)


def main():
    everything = s.commands()
    want = s.run(["ps", "--all", "--format", "csv", "--columns", "id,state,why"]).out
    wrong("missing.db", "no database", "nothing has been collected yet", everything, maker=False)
    s.say("no query makes one", not os.path.exists("missing.db"), os.listdir("."))
    os.mkdir("folder.db")
    wrong("folder.db", "a directory", "database", everything)
    with open("text.db", "w") as f:
        f.write("This is a letter, and no database at all.\n" * 200)
    wrong("text.db", "another file", "not a database", everything)
    shutil.copy("t.db", "newer.db")
    with sqlite3.connect("newer.db") as db:
        db.execute("PRAGMA user_version = 9999")
    db.close()
    wrong("newer.db", "a newer one", "upgrade tpucost", everything)
    with sqlite3.connect("foreign.db") as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()
    wrong("foreign.db", "of another program", "not a tpucost database", everything)
    open("empty.db", "w").close()
    wrong("empty.db", "an empty file", "nothing has been collected yet", everything, maker=False)
    if len(sys.argv) > 3:
        prefix = sys.argv[3:]
        os.mkdir("out")
        os.chmod("out", 0o777)
        if os.geteuid() == 0:
            os.chown("service-account.json", 65534, -1)
        os.mkdir("locked")
        shutil.copy("t.db", "locked/t.db")
        os.chmod("locked/t.db", 0o444)
        os.chmod("locked", 0o555)
        use("locked/t.db")
        reads("a read-only directory", everything, prefix, want)
        wal("walled/t.db", everything, prefix)
        s.say("a read-only directory: as it was", os.listdir("locked") == ["t.db"], os.listdir("locked"))
    sys.exit(s.failed > 0)


main()
