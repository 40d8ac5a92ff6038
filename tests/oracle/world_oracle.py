#!/usr/bin/env python3
"""Worlds that nobody wrote: what tpucost says of them, beside an independent oracle.

    world_oracle.py --bin DIR [--root DIR] [--seed N] [--worlds N] [--keep DIR] [--views]

Makes random worlds (world_make.py), serves each with DIR/sandbox on loopback, polls it with
DIR/tpucost, reads ps, coverage, burn, budget, quota, credit and cost as JSON, and compares every
figure with those of world_figures.py and budget_oracle.py: exactly, to the last 1e-9 unit.
With --views, DIR/lazy/compare reads every view in both ways that it can be derived.
A command counts only if it began and ended in the same second, which is then its moment.
Standard library only.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from fractions import Fraction

import budget_oracle
import world_make
from world_figures import HOUR, NANOS, BuiltIn, Figures, half_even, instant, midnight

BUDGET_CONDITIONS = {
    "category = 'cpu'": lambda x: x["category"] == "cpu",
    "category = 'tpu' OR category = 'disk'": lambda x: x["category"] in ("tpu", "disk"),
    "project = 'lab-one'": lambda x: x["project"] == "lab-one",
    "project IN ('lab-two', 'lab-three') AND category <> 'ip'": lambda x: (
        x["project"] in ("lab-two", "lab-three") and x["category"] != "ip"),
    "region = 'us-central1'": lambda x: x["region"] == "us-central1",
    "zone = 'us-central1-a' OR zone = 'europe-west4-a'": lambda x: (
        x["zone"] in ("us-central1-a", "europe-west4-a")),
    "cost_type = 'regular'": lambda x: x["cost_type"] == "regular",
    "service = 'Compute Engine' AND NOT category = 'snapshot'": lambda x: (
        x["service"] == "Compute Engine" and x["category"] != "snapshot"),
}
budget_oracle.CONDITIONS.update(BUDGET_CONDITIONS)


def nanos(value):
    """A decimal of the output as 1e-9 units; finer than that is an error."""
    if value is None:
        return None
    scaled = Decimal(value) * NANOS
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{value} has more than nine decimals")
    return int(scaled)


class World:
    def __init__(self, args, seed, builtin, directory):
        self.args, self.seed, self.dir = args, seed, directory
        self.made = int(time.time())
        self.world, self.config = world_make.make(seed, self.made)
        self.figures = Figures(self.world, self.config, builtin, self.made)
        self.compared = self.wrong = 0
        self.sandbox = None
        # LD_PRELOAD takes no path with a blank, which that of the programs may have
        preload, clock = os.path.join(directory, "machine.so"), os.path.join(directory, "clock")
        os.symlink(os.path.join(args.bin, "machine.so"), preload)
        self.env = dict(os.environ, TPUCOST_CONFIG=os.path.join(directory, "tpucost.yaml"),
                        HOME=directory, TZ="UTC", LD_PRELOAD=preload, TEST_CLOCK=clock)
        self.stand(self.made)

    # ---- the programs

    def stand(self, now):
        """The clock of all programs stands at `now` (tests/support/machine.c)."""
        self.now = now
        link = self.env["TEST_CLOCK"]
        os.symlink(f"={now}", link + ".new")
        os.replace(link + ".new", link)

    def start(self):
        self.write("world.yaml", self.world)
        self.sandbox = subprocess.Popen(
            [os.path.join(self.args.bin, "sandbox"), "--port", "0", "--port-file", "port",
             "--key-out", self.dir, "world.yaml"],
            cwd=self.dir, env=self.env, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        port = os.path.join(self.dir, "port")
        for _ in range(1000):
            if os.path.exists(port) and os.path.getsize(port):
                break
            if self.sandbox.poll() is not None:
                raise RuntimeError(f"seed {self.seed}: the sandbox ended")
            time.sleep(0.01)
        with open(port, encoding="ascii") as file:
            self.config["endpoints"] = {"all": f"http://127.0.0.1:{file.read().strip()}"}
        self.write("tpucost.yaml", self.config)

    def stop(self):
        if self.sandbox:
            self.sandbox.terminate()
            self.sandbox.wait()

    def write(self, name, value):
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)

    def run(self, *words):
        done = subprocess.run(
            [os.path.join(self.args.bin, "tpucost"), *words], cwd=self.dir, env=self.env,
            stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"seed {self.seed}: {words} gave {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def ask_all(self, *commands):
        """The rows of commands, and the second at which all of them ran."""
        out = [self.run(*words, "--format", "json") for words in commands]
        return *(json.loads(x, parse_float=Decimal) for x in out), self.now

    def ask(self, *words):
        return self.ask_all(words)

    # ---- comparing

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            self.wrong += 1
            print(f"seed {self.seed}: {what}: got {got}, want {want}")

    def same_keys(self, what, got, want):
        for key in sorted(set(want) - set(got), key=str):
            self.same(f"{what} {key}", "nothing", want[key])
        for key in sorted(set(got) - set(want), key=str):
            self.same(f"{what} {key}", got[key], "nothing")
        return sorted(set(got) & set(want), key=str)

    def check(self):
        self.start()
        self.run("collect", "-q")
        self.stand(self.made + 7)
        self.check_ps()
        self.check_burn()
        self.check_coverage()
        self.check_grants()
        self.check_budgets()
        self.check_quotas()
        self.check_credits()
        self.check_costs()
        if self.args.views:
            self.check_views()

    def check_ps(self):
        rows, now = self.ask("ps", "--all")
        self.figures.judge(now)
        got = {x["id"]: x for x in rows if x["kind"] not in ("queued", "bucket")}
        want = {t.id: t for t in self.figures.things}
        for key in self.same_keys("ps", got, want):
            x, t = got[key], want[key]
            why, grant = t.verdict
            name = f"ps {key} {t.type} {'spot' if t.spot else ''}"
            self.same(f"{name} kind", x["kind"], t.kind)
            self.same(f"{name} chips", x["chips"], t.chips)
            if t.kind != "snapshot":
                self.same(f"{name} size", (x["vcpus"], x["memory_gib"], x["size_gib"]),
                          t.size())
            self.same(f"{name} created", x["created"], world_make.text(t.created))
            if t.kind in ("vm", "tpu"):
                hours = decimals(Fraction(now - t.started, HOUR), 2) if t.running else None
                self.same(f"{name} running_hours", x["running_hours"], hours)
            hours = decimals(Fraction(now - t.created, HOUR), 2)
            self.same(f"{name} age_hours", x["age_hours"], hours)
            end = self.figures.end_of(t)
            self.same(f"{name} ends", x["ends"], None if end is None else world_make.text(end))
            self.same(f"{name} why", (x["why"], x["grant_name"]), (why, grant))
            self.same(f"{name} covered", x["covered"], None if not why else int(why == "covered"))
            self.same(f"{name} gross_per_hour", nanos(x["gross_per_hour"]), t.gross())
            self.same(f"{name} net_per_hour", nanos(x["net_per_hour"]), t.net())
            if t.parts:
                self.same(f"{name} currency", x["currency"], t.currency)
                self.same(f"{name} price_source", x["price_source"], t.source)

    def check_burn(self):
        rows, now = self.ask("burn")
        self.figures.judge(now)
        got = {(x["project"], x["category"], x["currency"] or "-"): x for x in rows}
        want = {(p, c, u or "-"): v for (p, c, u), v in self.figures.burn().items()}
        for key in self.same_keys("burn", got, want):
            x, (gross, net, count) = got[key], want[key]
            day = None if gross is None else gross * 24
            self.same(f"burn {key} gross_per_hour", nanos(x["gross_per_hour"]), gross)
            self.same(f"burn {key} net_per_hour", nanos(x["net_per_hour"]), net)
            self.same(f"burn {key} gross_per_day", nanos(x["gross_per_day"]), day)
            self.same(f"burn {key} net_per_day", nanos(x["net_per_day"]),
                      None if net is None else net * 24)
            self.same(f"burn {key} resources", x["resources"], count)
            for name, hours in (("24h", 24), ("7d", 168)):
                sums = self.figures.lately(now, hours)[key[:2]]
                sums = (None, None) if sums is None else sums.get(key[2], (0, 0))
                self.same(f"burn {key} gross_{name}", nanos(x["gross_" + name]), sums[0])
                self.same(f"burn {key} net_{name}", nanos(x["net_" + name]), sums[1])

    def check_coverage(self):
        """Rows cover the time of each TPU without gap or overlap; each has one verdict."""
        f = self.figures
        day = world_make.local_date(self.made - 12 * 24 * HOUR, f.zone)
        words = ("coverage", "--since", day.isoformat())
        rows, totals, now = self.ask_all(words, (*words, "--by", "grant"))
        self.check_totals(rows, totals)
        since = midnight(day, f.zone)
        cuts = f.cuts()
        by_id = {}
        for x in rows:
            by_id.setdefault(x["id"], []).append(x)
        want = {t.id: t for t in f.tpus}
        for key in self.same_keys("coverage", by_id, want):
            t, at = want[key], max(since, want[key].started)
            name = f"coverage {key} {t.type} {'spot' if t.spot else ''}"
            for x in sorted(by_id[key], key=lambda x: x["starts"]):
                starts, ends = instant(x["starts"], f.zone), instant(x["ends"], f.zone)
                self.same(f"{name} starts", x["starts"], world_make.text(at))
                at = ends
                for cut in [starts] + [c for c in cuts if starts < c < ends]:
                    running = [r for r in f.tpus if r.started <= cut]
                    verdict = f.grants.judge(running, cut)[0][key]
                    self.same(f"{name} at {world_make.text(cut)}",
                              (x["why"], x["grant_name"]), verdict)
                gross = None
                if t.known:
                    gross = half_even(t.parts[0].price * (ends - starts) / HOUR)
                self.same(f"{name} {x['starts']} gross", nanos(x["gross"]), gross)
                self.same(f"{name} {x['starts']} net", nanos(x["net"]),
                          0 if x["why"] == "covered" else gross)
                self.same(f"{name} {x['starts']} chip_hours", x["chip_hours"],
                          decimals(Fraction(t.chips * (ends - starts), HOUR), 4))
            self.same(f"{name} ends", at, now)

    def check_totals(self, rows, totals):
        """The sums by grant and reason are those of the rows."""
        sums = {}
        for x in rows:
            key = (x["grant_name"], x["why"], x["currency"])
            of = sums.setdefault(key, {"ids": set(), "seconds": 0, "gross": 0, "net": 0})
            starts, ends = (instant(x[k], self.figures.zone) for k in ("starts", "ends"))
            t = next(t for t in self.figures.tpus if t.id == x["id"])
            of["ids"].add(x["id"])
            of["seconds"] += t.chips * (ends - starts)
            for column in ("gross", "net"):
                amount = nanos(x[column])
                of[column] = None if None in (amount, of[column]) else of[column] + amount
        got = {(x["grant_name"], x["why"], x["currency"]): x for x in totals}
        for key in self.same_keys("coverage --by grant", got, sums):
            x, of = got[key], sums[key]
            saved = None if of["gross"] is None else of["gross"] - of["net"]
            self.same(f"coverage of {key} tpus", x["tpus"], len(of["ids"]))
            self.same(f"coverage of {key} gross", nanos(x["gross"]), of["gross"])
            self.same(f"coverage of {key} net", nanos(x["net"]), of["net"])
            self.same(f"coverage of {key} saved", nanos(x["saved"]), saved)
            self.same(f"coverage of {key} chip_hours", x["chip_hours"],
                      decimals(Fraction(of["seconds"], HOUR), 4))

    def check_grants(self):
        rows, now = self.ask("sql", "SELECT * FROM grants")
        names = ("name", "zone", "family", "type", "provisioning")
        got = {tuple(x[n] for n in names): x for x in rows}
        want = self.figures.granted(now)
        for key in self.same_keys("grant", got, want):
            x, (chips, used, free, seconds) = got[key], want[key]
            self.same(f"grant {key} granted_chips", x["granted_chips"], chips)
            self.same(f"grant {key} used_chips", x["used_chips"], used)
            self.same(f"grant {key} free_chips", x["free_chips"], free)
            hours = decimals(Fraction(seconds, HOUR), 4)
            self.same(f"grant {key} covered_chip_hours", x["covered_chip_hours"], hours)

    def check_budgets(self):
        rows, now = self.ask("budget")
        f = self.figures
        f.judge(now)
        world = budget_oracle.World({
            "bill": f.bill, "live": f.live(), "ran": f.ran(now), "now": now, "zone": self.config["timezone"]})
        got = {x["name"]: x for x in rows}
        for given in self.config["budgets"]:
            amount, currency = given["amount"].split()
            budget = {
                "name": given["name"], "per": given.get("per", "custom"), "currency": currency,
                "amount": half_even(Fraction(amount)), "where": given.get("where"),
                "gross": given.get("count") == "gross",
                "alert_at": given["alert_at"], "forecast_at": given["forecast_at"],
            }
            for key in ("starts", "ends"):
                if key in given:
                    budget[key] = instant(given[key], f.zone)
            want = budget_oracle.Budget(world, budget).figures()
            for key, value in want.items():
                x = got[given["name"]][key]
                if key in ("starts", "ends", "runs_out", "runs_out_if_stopped"):
                    x = None if x is None else instant(x, f.zone)
                elif key not in ("reached", "forecast_reached", "unpriced"):
                    x = nanos(x)
                self.same(f"{given} {key}", x, value)
            for of, key in (("expected", "percent"), ("forecast", "forecast_percent")):
                value = None
                if want[of] is not None:
                    value = Decimal(int(Fraction(1000 * want[of], budget["amount"]))) / 10
                self.same(f"{given} {key}", got[given["name"]][key], value)

    def devices(self, x, zone):
        """Cores in use, and chips held, of what counts towards a limit of devices on demand."""
        family = x["metric"].rsplit("-", 1)[1].rstrip("s")
        tpus = [y["state"] for y in self.world["nodes"] + self.world["queued"]
                if (y["project"], y["zone"], y["type"]) == (x["project"], zone, f"{family}-8")
                and not y["spot"] and y["state"] != "WAITING_FOR_RESOURCES"]
        return 8 * len(tpus), 4 * sum(state != "READY" for state in tpus)

    def check_quotas(self):
        rows, _ = self.ask("quota")
        got = {(x["project"], x["metric"], x["location"]): x for x in rows}
        want = {}
        for x in self.world["quotas"]:
            want[x["project"], x["metric"], x.get("region", "global")] = (x["limit"], x["usage"], None)
        for x in sorted(self.world["limits"], key=lambda x: "zone" in x):
            for zone in x.get("locations", ()) if "zone" not in x else (x["zone"],):
                want[x["project"], x["metric"], zone] = (int(x["value"]), *self.devices(x, zone))
        for key in self.same_keys("quota", got, want):
            limit, used, held = want[key]
            self.same(f"quota {key} limit_value", got[key]["limit_value"], limit)
            self.same(f"quota {key} used", got[key]["used"], used)
            self.same(f"quota {key} held", got[key]["held"], held)
            percent = None
            if limit > 0:
                percent = decimals(Fraction(100 * used, limit), 1)
            self.same(f"quota {key} percent", got[key]["percent"], percent)

    def check_credits(self):
        rows, now = self.ask("credit")
        got = {x["name"]: x for x in rows}
        for given in self.config["credits"]:
            x = got[given["name"]]
            amount = half_even(Fraction(given["amount"].split()[0]))
            used = self.figures.credit_used(given)
            self.same(f"{given} amount", nanos(x["amount"]), amount)
            self.same(f"{given} used", nanos(x["used"]), used)
            self.same(f"{given} left", nanos(x["left"]), amount - used)
            per_day = None
            if "expires" in given:
                # the last day is not stretched
                seconds = max(instant(given["expires"], self.figures.zone) - now, 24 * HOUR)
                unbilled = nanos(x["unbilled"]) or 0  # of what has a price, which is not computed here
                per_day = round(Fraction(max(amount - used - unbilled, 0) * 24 * HOUR, seconds))
            got_per_day = nanos(x["safe_per_day"])
            if x["unbilled"] is None and per_day is not None and 0 <= got_per_day <= per_day:
                got_per_day = per_day  # less by that use
            self.same(f"{given} safe_per_day", got_per_day, per_day)

    def check_costs(self):
        since = world_make.local_date(self.made - 90 * 24 * HOUR, self.figures.zone)
        for keys in (("day", "project", "sku"), ("category", "service"), ("project",)):
            rows, _ = self.ask("cost", "--by", ",".join(keys), "--since", since.isoformat())
            got = {tuple(x[k] for k in keys) + (x["currency"],): x for x in rows}
            want = self.figures.costs(*keys)
            for key in self.same_keys("cost", got, want):
                cost, credits, promo = want[key]
                x = got[key]
                self.same(f"cost {key} cost", nanos(x["cost"]), cost)
                self.same(f"cost {key} credits", nanos(x["credits"]), credits)
                self.same(f"cost {key} promo", nanos(x["promo"]), promo)
                self.same(f"cost {key} net", nanos(x["net"]), cost + credits)

    def check_views(self):
        """Every view as a query derives it, and as the writer derives everything."""
        self.run("backup", "-q", "copy.db")
        for since in ((), (str(self.made - 9 * 24 * HOUR), str(self.made - 2 * 24 * HOUR))):
            done = subprocess.run(
                [os.path.join(self.args.bin, "lazy", "compare"), "tpucost.yaml", "copy.db",
                 str(self.now), *since],
                cwd=self.dir, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            self.same("views", (done.returncode, done.stderr), (0, b""))
            if done.returncode:
                print(done.stdout.decode()[:2000])


def decimals(value, places):
    """A positive figure that is printed with so many decimals, half up."""
    return Decimal(int(value * 10**places + Fraction(1, 2))) / 10**places


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--bin", required=True)
    ask.add_argument("--root", default=".")
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--worlds", type=int, default=1)
    ask.add_argument("--keep", help="leave what differs in this directory")
    ask.add_argument("--views", action="store_true", help="compare all views as well")
    args = ask.parse_args()
    args.bin = os.path.abspath(args.bin)
    builtin = BuiltIn(args.root)
    compared = wrong = 0
    for seed in range(args.seed, args.seed + args.worlds):
        with tempfile.TemporaryDirectory() as directory:
            if args.keep:
                directory = os.path.join(args.keep, str(seed))
                os.makedirs(directory)
            world = World(args, seed, builtin, directory)
            try:
                world.check()
            finally:
                world.stop()
            compared += world.compared
            wrong += world.wrong
    print(f"{compared} figures of {args.worlds} worlds, {wrong} differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
