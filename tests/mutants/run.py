#!/usr/bin/env python3
"""Breaks the program in small ways, in a copy of the tree, and says which test notices: see README.md.

usage: run.py list | show ID | run       from the root of the tree, settings in the environment
"""
import collections
import fnmatch
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import mutate

B, MODE, CC = os.environ.get("B", "build/release"), os.environ.get("MODE", "release"), os.environ.get("CC", "cc")
COV = "build/cov"
FOLDERS = ("base", "db", "gcp", "collector", "rules", "reports", "cli")
SCRIPTS = int(os.environ.get("SCRIPTS", 60))  # seconds of them for a mutant that unit tests run and do not notice
PATIENCE = int(os.environ.get("PATIENCE", 10))  # seconds for each test, and ten times its usual duration
PROGRAMS = ("tpucost", "tpucost-net")
HERE = os.path.dirname(os.path.abspath(__file__))
# What breaks a promise where it is wrong; a sample takes as many of each.
GROUPS = {
    "guards": "rules/enforce/guard*.c rules/enforce/caps.c rules/enforce/exempt.c base/url/netguard.c db/sql/rules/guard.sql",
    "enforcement": "rules/enforce/plan.c rules/enforce/rows.c rules/enforce/generation.c rules/enforce/halt.c rules/act/*.c gcp/live/*.c gcp/auth/own_host.c db/sql/rules/enforce.sql db/sql/rules/audit.sql",
    "derived": "db/derived.c db/derived_rows.c db/rollup/own_rollups.c",
    "coverage": "rules/grant/coverage*.c rules/derive/coverage.c db/views/grants/*co*.sql",
    "money": "base/money.c rules/price/*.c rules/budget/*.c rules/derive/credits.c db/sql/rules/budget.sql db/views/burn/*.sql db/views/budget/*.sql",
    "billing": "collector/bill/*.c collector/source/billing.c db/rollup/rollup.c db/rollup/*_sums.c "
               "db/sql/collector/billing.sql db/sql/rules/derived.sql db/views/bill/*.sql",
    "outbox": "reports/outbox/*.c db/sql/reports/outbox.sql",
}


def fail(text):
    print(f"mutants: {text}", file=sys.stderr)
    sys.exit(2)


def read(name):
    with open(name, encoding="utf-8", errors="replace") as f:
        return f.read()


def write(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)


def matching(patterns):
    return sorted({f for p in patterns.split() for f in glob.glob(p)})


def call(command, seconds=600, cwd=None, env=None):
    """(status, output) of a command; None: it took too long. What it started ends with it."""
    p = subprocess.Popen(command, shell=isinstance(command, str), cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        out = p.communicate(timeout=seconds)[0]
        return p.returncode, out.decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()


def make(*args, cwd=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return call(["make", "--no-print-directory", f"CC={CC}", *args], 3600, cwd, env)


def clean_env(root, b, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS")) and k not in ("MODE", "TESTS", "N", "SEED", "FILES")}
    return dict(env, ROOT=root, B=os.path.join(root, b), LC_ALL="C", **more)


# ---- tests -----------------------------------------------------------------------------------------

class Test:
    """a file of unit tests, or a script"""

    def __init__(self, path):
        self.path, self.name = path, re.sub(r".*/|\.\w+$", "", path)
        self.program = os.path.join("unit", path.split("/")[2]) if path.endswith(".c") else None
        self.seconds, self.lines, self.queries = 1.0, {}, set()

    def run(self, root, b, seconds, **env):
        if self.program:
            program = os.path.join(root, b, self.program)
            return call([program, self.name], seconds, root, clean_env(root, b, CMOCKA_TEST_ABORT="1", **env))
        rc, out = call(["sh", os.path.join(root, self.path)], seconds, root, clean_env(root, b, **env))
        if rc == 0 and (re.search("^not ok ", out, re.M) or not re.search("^ok ", out, re.M)):
            rc = 1
        return rc, out


def failure(out):
    """the first case that failed; unit tests end there"""
    bad = re.search(r"^(?:\[  FAILED  \]|not ok) (.*)$", out, re.M)
    ran = re.findall(r"^\[ RUN      \] (\S+)", out, re.M)
    return (ran[-1] if ran else bad[1] if bad else "").strip()


class Cover:
    """Which test runs which line: counted by gcov, kept in build/cov until a source or that test changes."""

    def __init__(self):
        self.file = os.path.join(COV, "lines.json")
        self.kept = json.loads(read(self.file)) if os.path.exists(self.file) else {}
        common = [f for d in FOLDERS for f in matching(f"{d}/*.[ch] {d}/*/*.[ch] {d}/*/*.sql {d}/*/*/*.sql")]
        self.common = hashlib.sha256("".join(f + read(f) for f in common).encode()).hexdigest()
        self.lock, self.scripts, self.dir = threading.Lock(), None, None
        self.units = self.read(matching("tests/unit/*/test_*.c"), [f"{COV}/{d}" for d in unit_programs()])

    def read(self, paths, programs):
        tests = [Test(p) for p in paths]
        keys = {t.path: hashlib.sha256((self.common + read(t.path)).encode()).hexdigest() for t in tests}
        missing = [t for t in tests if self.kept.get(t.path, {}).get("key") != keys[t.path]]
        if missing:
            print(f"mutants: counting the lines that {len(missing)} tests run", flush=True)
            rc, out = make("-s", "MODE=cov", "B=" + COV, *programs)
            if rc != 0:
                fail(f"{COV} does not build\n{out[-2000:]}")
            self.dir = tempfile.mkdtemp()
            try:
                for t in missing:
                    passed, counted = self.count(t)
                    self.kept[t.path] = dict(counted, key=keys[t.path] if passed else "")  # "": not known the next time
                    if not passed:
                        print(f"mutants: {t.name} does not pass, and its lines are not counted", flush=True)
                    write(self.file, json.dumps(self.kept))
            finally:
                shutil.rmtree(self.dir)
        for t in tests:
            k = self.kept[t.path]
            t.seconds, t.queries = k["seconds"], set(k["queries"])
            t.lines = {f: set(v) for f, v in k["lines"].items()}
        return sorted(tests, key=lambda t: t.seconds)

    def count(self, t):
        root = os.getcwd()
        shutil.rmtree(os.path.join(self.dir, COV), ignore_errors=True)
        for d in [*FOLDERS, "gen"]:
            for notes in glob.glob(f"{COV}/{d}/**/*.gcno", recursive=True):
                at = os.path.join(self.dir, notes)
                os.makedirs(os.path.dirname(at), exist_ok=True)
                os.symlink(os.path.join(root, notes), at)
        begun = time.monotonic()
        rc, _ = t.run(root, COV, 1200, GCOV_PREFIX=self.dir, GCOV_PREFIX_STRIP=str(root.count("/")), GCOV_ERROR_FILE="/dev/null",
                      LD_PRELOAD=nosync())
        seconds = time.monotonic() - begun
        counted = glob.glob(f"{self.dir}/{COV}/**/*.gcda", recursive=True)
        lines, queries = collections.defaultdict(set), set()
        if rc == 0 and counted:
            out = subprocess.run(["gcov", "--json-format", "--stdout", *counted], capture_output=True, check=False).stdout
            for source in (s for doc in out.splitlines() if doc for s in json.loads(doc)["files"]):
                name = os.path.normpath(source["file"])
                if name.endswith("gen/db_sql.c"):
                    ran = {f["name"].removeprefix("q_") for f in source["functions"] if f["execution_count"]}
                    queries |= ran | {re.sub(r"_(one|all|open|next)$", "", name) for name in ran}
                elif name.split("/")[0] in FOLDERS:
                    lines[name] |= {e["line_number"] for e in source["lines"] if e["count"]}
        return rc == 0, {"seconds": round(seconds, 2), "queries": sorted(queries), "lines": {f: sorted(v) for f, v in lines.items() if v}}

    def all_scripts(self):
        with self.lock:
            if self.scripts is None:
                skipped = {line.split()[0] for line in read("tests/coverage/skipped").splitlines() if line[:1] not in ("#", "")} \
                    if os.path.exists("tests/coverage/skipped") else set()
                self.scripts = self.read([p for p in matching("tests/cli/*/t*.sh") if Test(p).name not in skipped], ["cli-programs"])
            return self.scripts

    def of(self, m, tests):
        """those that run what the mutant changes: first those named after it, then the fastest"""
        part = re.sub(r".*/(?:\d+_)?|[_.].*", "", m.file)
        tests = sorted(tests, key=lambda t: (f"_{part}" not in t.name, t.seconds))
        if not m.file.endswith(".sql"):
            lines = set(range(m.first, m.line + 1))
            return [t for t in tests if t.lines.get(m.file, set()) & lines or (not m.first and m.file in t.lines) or
                    f'#include "{m.file}"' in read(t.path)]
        names = {m.function}
        if m.file.startswith("db/views/"):
            names = users(m.function)
            asked = re.compile(rf'(?:FROM |JOIN |")(?:{"|".join(names)})\b')
            asking = [f for d in FOLDERS for f in matching(f"{d}/*.[ch] {d}/*/*.[ch]") if asked.search(read(f))]
            files = {f for d in FOLDERS for f in matching(f"{d}/*.c {d}/*/*.c") if f in asking or any(f'"{h}"' in read(f) for h in asking)}
            return [t for t in tests if t.queries & names or files & t.lines.keys() or asked.search(read(t.path))]
        return [t for t in tests if t.queries & names or f'"{m.function}"' in read(t.path)]


def users(view):
    """names of the queries that ask a view, itself or through another"""
    texts = {}
    for f in matching("db/views/*/*.sql"):
        texts[re.sub(r".*/\d+_|\.sql$", "", f)] = read(f)
    for f in matching("db/sql/*.sql db/sql/*/*.sql"):
        texts.update(re.findall(r"^-- (?:name|cells): (\w+)\n(.*?)(?=^-- (?:name|cells)|\Z)", read(f), re.M | re.S))
    found, todo = {view}, [view]
    while todo:
        word = re.compile(rf"\b{todo.pop()}\b")
        more = {n for n, text in texts.items() if n not in found and word.search(text)}
        found |= more
        todo += sorted(more)
    return found


def unit_programs():
    return ["unit/" + os.path.basename(d) for d in sorted(glob.glob("tests/unit/*")) if os.path.isdir(d)]


def nosync(made=[]):
    """Most of the time of the tests is waiting for the disk: a library that does not."""
    if not made:
        out = os.path.abspath("build/machine.so")
        made.append(out if call([*CC.split(), "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", out, "tests/support/machine.c"])[0] == 0 else "")
    return made[0]


# ---- a copy of the tree, in which mutants are tried ----------------------------------------------------

class Copy:
    def __init__(self, at, cover):
        self.at, self.cover, self.same = at, cover, {}
        self.flags, self.mutated, self.links = read(f"{B}/.flags").strip(), B + ".mutant", {}
        os.makedirs(os.path.join(at, self.mutated, "unit"))
        parts = [p for p in os.listdir(".") if p not in ("build", "demo", ".git")] + ["build/gen", "build/.deps"]
        for part in filter(os.path.exists, parts):
            call(["cp", "-a", part, os.path.join(at, part)])
        os.symlink(os.path.abspath(B), os.path.join(at, B))  # read only: what is made is made beside it
        for name in os.listdir(B):
            if name != "unit" and name not in PROGRAMS:
                os.symlink(os.path.abspath(f"{B}/{name}"), os.path.join(at, self.mutated, name))

    def compile(self, file, optimise):
        """the object of a file as text, or None and why not"""
        source = file
        if file.endswith(".sql"):
            rc, out = make("-s", f"MODE={MODE}", f"B={B}", "-W", file, "-o", "build/gen/db_sql.h", "build/gen/db_sql.c", cwd=self.at)
            source = "build/gen/db_sql.c"
            if rc != 0:
                return None, out
        rc, out = call(f"{self.flags} -g0 {optimise} -w -c {source} -o mutant.o", cwd=self.at)
        if rc != 0:
            return None, out
        with open(os.path.join(self.at, "mutant.o"), "rb") as f:
            return hashlib.sha256(f.read()).hexdigest(), ""

    def is_same(self, m, optimise, text):
        """is the object that of the source as it is?"""
        if (m.file, optimise) not in self.same:
            write(os.path.join(self.at, m.file), read(m.file))
            self.same[m.file, optimise] = self.compile(m.file, optimise)[0]
        write(os.path.join(self.at, m.file), text)
        return self.compile(m.file, optimise)

    def link(self, program, file):
        """the program with the mutant in front: what is defined twice is taken from there"""
        out = f"{B}/{program}"
        if program not in self.links:
            said = make("-n", f"MODE={MODE}", f"B={B}", "-W", f"{B}/libcore.a", out)[1]
            line = next((s for s in said.splitlines() if f" -o {out} " in s), "false")
            self.links[program] = line.replace(f" -o {out} ", f" -Wl,-z,muldefs -o {self.mutated}/{program} mutant.o ")
        line = self.links[program]
        for t in glob.glob(f"tests/{program}/*.c"):
            if f'"{file}"' in read(t):  # that test has the source in its own object
                call(f"{self.flags} -g0 -w -c {t} -o test.o", cwd=self.at)
                line = line.replace(f"{B}/{t[:-2]}.o", "test.o")
        rc, said = call(line, cwd=self.at)
        if rc != 0 and program == "tpucost":  # it has no part of what needs the network
            rc = call(["cp", out, f"{self.mutated}/{program}"], cwd=self.at)[0]
        return rc == 0, said

    def tried(self, m, tests, linked):
        for t in tests:
            for program in [t.program] if t.program else PROGRAMS:
                if program not in linked:
                    ok, said = self.link(program, m.file)
                    if not ok:
                        return "does not build: " + said.strip()[-200:]
                    linked.add(program)
            rc, out = t.run(self.at, self.mutated, PATIENCE + 10 * t.seconds, LD_PRELOAD=nosync() if t.program else "")
            if rc == 0 or not self.passes(t):
                continue
            return f"killed by {t.name} {failure(out) if rc is not None else '(too slow)'}".strip()
        return None

    def passes(self, t, known={}):
        """does it without a mutant?"""
        if t.path not in known:
            known[t.path] = t.run(self.at, B, PATIENCE + 10 * t.seconds, LD_PRELOAD=nosync() if t.program else "")[0] == 0
            if not known[t.path]:
                print(f"mutants: {t.name} does not pass as it is, and counts for nothing", flush=True)
        return known[t.path]

    def verdict(self, m):
        whole = read(m.file)
        text = whole[:m.start] + m.text + whole[m.end:]
        try:
            now, why = self.is_same(m, "", text)
            if not now:
                error = re.search(r"rror:.*|.*rror.*", why)
                return "does not build: " + (error[0] if error else why[:100])
            if now == self.same[m.file, ""]:
                return "equivalent: the same object"
            linked = set()
            units = self.cover.of(m, self.cover.units)
            said = self.tried(m, units, linked)
            if said:
                return said
            if self.is_same(m, "-O2", text)[0] == self.same[m.file, "-O2"]:
                return "equivalent: the same object when optimised"
            self.compile(m.file, "")
            scripts = self.cover.of(m, self.cover.all_scripts())
            if units:  # what these do not notice shows in few scripts, and then soon
                scripts = [t for i, t in enumerate(scripts) if sum(s.seconds for s in scripts[:i]) < SCRIPTS]
            return self.tried(m, scripts, linked) or f"SURVIVED {len(units)} unit tests, {len(scripts)} scripts"
        finally:
            write(os.path.join(self.at, m.file), whole)


# ---- which of them, and what is said of each -------------------------------------------------------------

def order(m, seed):
    return hashlib.sha256(f"{seed}\0{m.id}".encode()).digest()


class Draw:
    """Mutants to be tried: all, or N that build, as many of each group."""

    def __init__(self, lists, n):
        self.lists, self.lock = lists, threading.Lock()
        self.left = [len(v) if n is None else n // len(lists) + (i < n % len(lists)) for i, v in enumerate(lists)]

    def next(self):
        with self.lock:
            for i in sorted(range(len(self.lists)), key=lambda i: -self.left[i]):
                if self.left[i] > 0 and self.lists[i]:
                    self.left[i] -= 1
                    return i, self.lists[i].pop(0)
            return None, None

    def again(self, i):
        """that one did not count"""
        with self.lock:
            self.left[i] += 1


def wanted():
    names, files = os.environ.get("MUTANT"), os.environ.get("FILES")
    every = matching(" ".join(f"{d}/*.c {d}/*/*.c" for d in FOLDERS) + " db/sql/*.sql db/sql/*/*.sql db/views/*/*.sql")
    if names or files:
        found = [m for m in mutate.mutants(matching(files) if files else every) if re.fullmatch(names or ".*", m.id)]
        lists, n = [found], os.environ.get("N")
    else:
        lists = [mutate.mutants(f) for f in map(matching, GROUPS.values()) if f]
        n = os.environ.get("N") or "100"
    if not any(lists):
        fail(f"there is none: MUTANT={names or ''} FILES={files or ''}")
    if not re.fullmatch(r"\d+|all|", n or ""):
        fail("N: want a number or all")
    n = int(n) if n and n != "all" else None
    if n is not None:
        for v in lists:
            v.sort(key=lambda m: order(m, os.environ.get("SEED", "")))
    return lists, n


def survivors():
    out = {}
    for line in read("tests/mutants/survivors").splitlines():
        if line and line[0] != "#":
            name, _, why = line.partition(" ")
            if not why.strip():
                fail(f"survivors: {name} has no reason")
            out[name] = why.strip()
    return out


def stale(known):
    """survivors that are no mutants any more"""
    files = sorted({n.split(":")[0] for n in known})
    there = {m.id for m in mutate.mutants([f for f in files if os.path.exists(f)])}
    return sorted(set(known) - there)


def summary(said, known):
    kinds = collections.Counter(re.match(r"killed|SURVIVED|equivalent|does not build", v)[0] for v in said.values())
    unknown = [n for n, v in said.items() if v.startswith("SURVIVED") and n not in known]
    old = stale(known) + [n for n in known if said.get(n, "").startswith("killed")]
    for n in unknown:
        print(f"not in survivors: {n}")
    for n in old:
        print(f"stale in survivors: {n}")
    print(f"mutants: {kinds['killed']} of {kinds['killed'] + kinds['SURVIVED']} killed, {kinds['SURVIVED']} survived "
          f"({len(unknown)} not in survivors), {kinds['equivalent']} equivalent, {kinds['does not build']} do not build")
    return 1 if unknown or old else 0


def run():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the copies go, too
    lists, n = wanted()
    known, said, trouble = survivors(), {}, []
    rc, out = make("-s", f"MODE={MODE}", f"B={B}", "unit-programs", "cli-programs")
    if rc != 0:
        fail(f"{B} does not build\n{out[-2000:]}")
    cover, draw = Cover(), Draw(lists, n)

    def work(at):
        try:
            copy = Copy(at, cover)
            while not trouble:
                i, m = draw.next()
                if not m:
                    return
                v = copy.verdict(m)
                said[m.id] = v
                if not v.startswith(("killed", "SURVIVED")):
                    draw.again(i)
                print(f"  {m.id} ({m.line}) {' '.join(v.split())}", flush=True)
        except BaseException as e:  # pylint: disable=broad-except
            trouble.append(e)

    top = tempfile.mkdtemp()
    try:
        jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
        threads = [threading.Thread(target=work, args=(f"{top}/{i}",), daemon=True) for i in range(jobs)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if trouble:
        raise trouble[0]
    return summary(said, known)


def show(name):
    for m in mutate.mutants([name.split(":")[0]]):
        if m.id == name:
            print(f"{m.file}:{m.line}: {m.function}\n- {m.old}\n+ {m.text.strip()}")
            return 0
    fail(f"there is no {name}")


def main():
    what = sys.argv[1:]
    if what == ["list"]:
        draw = Draw(*wanted())
        for _, m in iter(draw.next, (None, None)):
            print(f"{m.id}\t{m.line}\t{' '.join(m.old.split())}\t{' '.join(m.text.split())}")
        return 0
    if what == ["run"]:
        return run()
    if len(what) == 2 and what[0] == "show":
        return show(what[1])
    print(__doc__.strip().splitlines()[-1], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
