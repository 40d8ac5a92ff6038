#!/usr/bin/env python3
"""Reports of a week, of a month and of grants, beside figures made of the raw facts.

    report_oracle.py --bin DIR [--seed N] [--worlds N] [--keep DIR]

Makes small random worlds: a billing export, which is imported, and TPUs that ran, which are put
into the database as the collector would. Asks DIR/tpucost for its reports as JSON and compares
every figure with sums of decimals, days of zoneinfo and grants judged moment by moment: exactly,
to the last 1e-9 unit. Standard library only.
"""

import argparse
import datetime
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import zoneinfo
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

NANOS = 10**9
HOUR = 3600
DAY = 86400
UTC = datetime.timezone.utc
PACIFIC = zoneinfo.ZoneInfo("America/Los_Angeles")
ZONES = ["Asia/Hong_Kong", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "UTC",
         "America/Sao_Paulo"]
ACCOUNTS = ["01AB23-CD45EF-678901", "AAAAAA-BBBBBB-CCCCCC"]
SKUS = [("Compute Engine", "6F81-5844-456A", "N1 Instance Core", "C1"),
        ("Compute Engine", "6F81-5844-456A", "SSD backed PD Capacity", "D1"),
        ("Cloud TPU", "E000-3F24-B8AA", "Tpu-v3 accelerator", "T1"),
        ("Invoice", "I", "Tax", "X1")]
PLACES = [("v3", "v3-8", 4, "europe-west4-a", "on-demand"),
          ("v4", "v4-8", 4, "us-central2-b", "on-demand"),
          ("v4", "v4-16", 8, "us-central2-b", "on-demand"),
          ("v6e", "v6e-4", 4, "us-east1-d", "spot")]


def half_even(value):
    return round(value)  # of a Fraction: half to even, exact


def nanos(value):
    if value is None:
        return None
    scaled = Decimal(value) * NANOS
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{value} has more than nine decimals")
    return int(scaled)


def midnight(date, zone):
    at = datetime.datetime(date.year, date.month, date.day, tzinfo=zone)
    return int(at.astimezone(UTC).timestamp())


def date_of(at, zone):
    return datetime.datetime.fromtimestamp(at, UTC).astimezone(zone).date()


def rfc3339(at):
    return None if at is None else datetime.datetime.fromtimestamp(
        at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Fact:
    """A line of the export; amounts in 1e-9 units."""

    def __init__(self, rng, now):
        self.hour = (now - rng.randrange(70 * DAY)) // HOUR * HOUR
        self.account = rng.choice(ACCOUNTS)
        self.currency = rng.choice(["USD", "USD", "JPY"])
        self.sku = rng.choice(SKUS)
        self.cost_type = "tax" if self.sku[2] == "Tax" else rng.choice(
            ["regular"] * 6 + ["adjustment", "rounding_error"])
        self.project = None if self.cost_type != "regular" else rng.choice(["lab-one", "lab-two"])
        self.cost = rng.choice([rng.randrange(10**11), rng.randrange(-10**10, 10**6)])
        self.credits = []
        for _ in range(rng.choice([0, 0, 1, 2])):
            self.credits.append((rng.choice(["PROMOTION", "DISCOUNT"]), -rng.randrange(10**10)))
        month = date_of(self.hour, PACIFIC).replace(day=1)
        if rng.random() < 0.15:  # late, or early
            month = (month + datetime.timedelta(days=rng.choice([-5, 35]))).replace(day=1)
        self.invoice = month.strftime("%Y%m")

    def credit(self):
        return sum(x for _, x in self.credits)

    def json(self):
        service, service_id, sku, sku_id = self.sku
        at = datetime.datetime.fromtimestamp(self.hour, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        row = {"billing_account_id": self.account,
               "service": {"id": service_id, "description": service},
               "sku": {"id": sku_id, "description": sku}, "usage_start_time": at,
               "export_time": at, "location": {"location": "us-central1"},
               "cost": self.decimal(self.cost), "currency": self.currency,
               "usage": {"amount": "1", "unit": "seconds"}, "cost_type": self.cost_type,
               "invoice": {"month": self.invoice},
               "credits": [{"name": t, "type": t, "amount": self.decimal(x)}
                           for t, x in self.credits]}
        if self.project:
            row["project"] = {"id": self.project, "number": "7"}
        return json.dumps(row)

    @staticmethod
    def decimal(n):
        return f"{'-' if n < 0 else ''}{abs(n) // NANOS}.{abs(n) % NANOS:09d}"


class Node:
    def __init__(self, rng, i, now, seen):
        self.family, self.type, self.chips, self.zone, self.provisioning = rng.choice(PLACES)
        if rng.random() < 0.2:
            self.zone = "us-central1-a"  # not granted
        self.name = f"n{i:02d}"
        self.id = f"lab-one/tpu/{self.zone}/{self.name}"
        self.created = now - rng.randrange(2 * DAY, 60 * DAY)
        self.spans = []
        self.lasts = False  # was there when it was last looked
        at = self.created
        for _ in range(rng.choice([1, 1, 2, 3])):
            end = at + rng.randrange(600, 15 * DAY)
            if seen and end >= seen > at:
                self.lasts = True
                self.spans.append((at, seen))
                break
            if end >= (seen or now - DAY):
                break
            self.spans.append((at, end))
            at = end + rng.randrange(1, 2 * DAY)

    def runs(self, at):
        return any(a <= at < b for a, b in self.spans)


class Line:
    def __init__(self, name, family, type_, zone, provisioning, count, starts, until):
        self.name, self.family, self.type, self.zone = name, family, type_, zone
        self.provisioning, self.count, self.starts, self.until = provisioning, count, starts, until
        self.chips = count * 4 if type_ else count
        what = f"{type_} device(s)" if type_ else f"{family} chips"
        self.texts = [f"{count} {provisioning} Cloud TPU {what} in zone {zone}"]

    def key(self):
        return self.name, self.family, self.type, self.zone, self.provisioning

    def join(self, other):
        """Lines of one grant for the same thing add up."""
        self.count += other.count
        self.chips += other.chips
        self.texts += other.texts

    def takes(self, node, at):
        """Units that the node would use, or None."""
        if (node.family, node.zone, node.provisioning) != (
                self.family, self.zone, self.provisioning):
            return None
        if not self.starts <= at < self.until or node.created < self.starts:
            return None
        if self.type:
            return 1 if node.type == self.type else None
        return node.chips


class World:
    def __init__(self, args, seed, directory):
        self.args, self.seed, self.dir = args, seed, directory
        self.rng = rng = random.Random(seed)
        self.now = int(datetime.datetime.now(UTC).timestamp())
        self.zone_name = rng.choice(ZONES)
        self.zone = zoneinfo.ZoneInfo(self.zone_name)
        self.facts = [Fact(rng, self.now) for _ in range(250)]
        # the newest poll, where that is old; what ran later nobody knows
        self.seen = rng.choice([None, self.now - rng.randrange(4 * HOUR, 40 * DAY)])
        self.nodes = [Node(rng, i, self.now, self.seen) for i in range(25)]
        self.watched = min(self.now - rng.randrange(5 * DAY, 80 * DAY), self.seen or self.now)
        self.lines = []
        for name in ("one", "two"):
            first = date_of(self.now - rng.randrange(20 * DAY, 55 * DAY), self.zone)
            end = first + datetime.timedelta(days=rng.choice([10, 15, 18]))
            for x in rng.sample(PLACES, 2):
                line = Line(name, x[0], x[1] if x[0] == "v3" else None, x[3], x[4],
                            rng.choice([1, 2]) if x[0] == "v3" else rng.choice([8, 16]),
                            midnight(first, self.zone), midnight(end, self.zone))
                like = [y for y in self.lines if y.key() == line.key()]
                if like:
                    like[0].join(line)
                else:
                    self.lines.append(line)
        self.compared = self.wrong = 0

    def prepare(self):
        with open(os.path.join(self.dir, "bill.ndjson"), "w", encoding="utf-8") as file:
            file.writelines(x.json() + "\n" for x in self.facts)
        grants = []
        for name in ("one", "two"):
            of = [x for x in self.lines if x.name == name]
            grants.append({"name": name, "starts": rfc3339(of[0].starts),
                           "until": rfc3339(of[0].until),
                           "tpus": [y for x in of for y in x.texts]})
        with open(os.path.join(self.dir, "tpucost.yaml"), "w", encoding="utf-8") as file:
            json.dump({"timezone": self.zone_name, "projects": [], "database": "t.db",
                       "currency": "USD", "grants": grants}, file)
        self.run("import", "bill.ndjson")
        with sqlite3.connect(os.path.join(self.dir, "t.db")) as db:
            for n in self.nodes:
                if n.lasts:
                    db.execute(
                        "INSERT INTO resource (id, uid, source, kind, project, location, zone, "
                        "name, state, raw_state, type, provisioning, labels, created, "
                        "first_seen, last_seen, complete) VALUES (?, ?, 'tpu', 'tpu', "
                        "'lab-one', ?, ?, ?, 'running', 'READY', ?, ?, '{}', ?, ?, ?, 1)",
                        (n.id, n.name, n.zone, n.zone, n.name, n.type, n.provisioning, n.created,
                         n.created, self.seen))
                for a, b in n.spans:
                    if n.lasts and b == self.seen:
                        b = None
                    db.execute(
                        "INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
                        "location, name, state, type, provisioning, created) VALUES "
                        "(?, ?, ?, ?, 'tpu', 'lab-one', ?, ?, 'running', ?, ?, ?)",
                        (n.id, n.name, a, b, n.zone, n.name, n.type, n.provisioning, n.created))
            db.execute(
                "INSERT INTO source_status (source, project, state, last_attempt, last_success, "
                "items, failures, watched_since) VALUES ('tpu', 'lab-one', 'ok', ?, ?, 0, 0, ?)",
                (self.seen or self.now, self.seen or self.now, self.watched))

    def run(self, *words):
        env = dict(os.environ, TPUCOST_CONFIG=os.path.join(self.dir, "tpucost.yaml"),
                   HOME=self.dir, TZ="UTC")
        done = subprocess.run([os.path.join(self.args.bin, "tpucost"), *words], cwd=self.dir,
                              env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"seed {self.seed}: {words} gave {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def report(self, *words):
        return json.loads(self.run("report", *words, "--format", "json"), parse_float=Decimal)

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            self.wrong += 1
            print(f"seed {self.seed}: {what}: got {got}, want {want}")

    def same_rows(self, what, got, want):
        self.compared += len(want)
        if got != want:
            self.wrong += 1
            print(f"seed {self.seed}: {what}:\n  got  {got}\n  want {want}")

    def stale(self, until):
        """Is what ran until then not known?"""
        return self.seen is not None and self.seen < until

    # ---- what TPUs did

    def stretches(self, since, until):
        """(node, line index or None, starts, ends), judged at every moment that matters."""
        cuts = {since, until}
        for n in self.nodes:
            cuts.update(x for span in n.spans for x in span)
        for x in self.lines:
            cuts.update((x.starts, x.until))
        cuts = sorted(x for x in cuts if since <= x <= until)
        by_end = sorted(range(len(self.lines)), key=lambda i: (self.lines[i].until, i))
        for a, b in zip(cuts, cuts[1:]):
            left = [x.count for x in self.lines]
            for n in sorted((n for n in self.nodes if n.runs(a)),
                            key=lambda n: (n.created, n.name, n.id)):
                found = None
                for i in by_end:
                    need = self.lines[i].takes(n, a)
                    if need is not None and need <= left[i]:
                        left[i] -= need
                        found = i
                        break
                yield n, found, a, b

    # ---- the week

    def check_week(self):
        until = date_of(self.now - self.rng.randrange(0, 45 * DAY), self.zone)
        doc = self.report("weekly", "--until", until.isoformat())
        days = [until - datetime.timedelta(days=i) for i in range(14, 0, -1)]
        first = midnight(days[7], self.zone)
        before, end = midnight(days[0], self.zone), midnight(until, self.zone)
        begins = min(date_of(x.hour, self.zone) for x in self.facts) <= days[0]

        def sums(key):
            out = defaultdict(lambda: [0, 0, 0])
            for x in self.facts:
                if before <= x.hour < end:
                    row = out[key(x)]
                    if x.hour >= first:
                        row[0] += x.cost
                        row[1] += x.credit()
                    else:
                        row[2] += x.cost + x.credit()
            return {k: (c, r, c + r, b if begins else None, c + r - b if begins else None)
                    for k, (c, r, b) in out.items()}

        def got(section, *names):
            return {tuple(x[n] for n in names): tuple(
                nanos(x[n]) for n in ("cost", "credits", "net", "net_before", "change"))
                    for x in doc[section]}

        self.same("days of the week", (doc["first_day"], doc["last_day"]),
                  (days[7].isoformat(), days[13].isoformat()))
        self.same_rows("week", got("sums", "currency"), sums(lambda x: (x.currency,)))
        self.same_rows("week by project", got("projects", "project", "currency"),
                       sums(lambda x: (x.project, x.currency)))
        self.same_rows("week by SKU", got("skus", "sku_id", "currency"),
                       sums(lambda x: (x.sku[3], x.currency)))
        billed = {date_of(x.hour, self.zone) for x in self.facts}
        used = {x.currency for x in self.facts if before <= x.hour < end}
        want = {(d.isoformat(), c): 0 for d in days for c in used
                if min(billed) <= d <= max(billed)}
        for x in self.facts:
            if before <= x.hour < end:
                want[date_of(x.hour, self.zone).isoformat(), x.currency] += x.cost + x.credit()
        self.same_rows("days", {(x["day"], x["currency"]): nanos(x["net"]) for x in doc["days"]},
                       want)
        self.same("week: stale", doc["headline"].startswith("DATA STALE since "), self.stale(end))
        seconds = defaultdict(int)
        for n, line, a, b in self.stretches(first, end):
            seconds[None if line is None else self.lines[line].name] += n.chips * (b - a)
        tpus = defaultdict(int)
        for x in doc["tpus"]:
            tpus[x["grant_name"]] += nanos(x["chip_hours"])
        for name in set(seconds) | set(tpus):
            # rows are rounded one by one
            off = abs(tpus[name] - half_even(Fraction(seconds[name] * NANOS, HOUR)))
            self.same(f"chip-hours of {name}", off <= len(doc["tpus"]), True)

    # ---- the month

    def check_month(self):
        day = date_of(self.now - self.rng.randrange(5 * DAY, 60 * DAY), PACIFIC).replace(day=1)
        after = (day + datetime.timedelta(days=31)).replace(day=1)
        invoice = day.strftime("%Y%m")
        doc = self.report("month", "--month", day.strftime("%Y-%m"))
        ours = [x for x in self.facts if x.invoice == invoice]

        def add(facts, key):
            out = defaultdict(lambda: [0, 0])
            for x in facts:
                out[key(x)][0] += x.cost
                out[key(x)][1] += x.credit()
            return {k: tuple(v) for k, v in out.items()}

        def got(section, *names):
            return {tuple(x[n] for n in names): (nanos(x["cost"]), nanos(x["credits"]))
                    for x in doc[section]}

        def account(x):
            return x.account, x.currency

        self.same_rows("month by project", got("projects", "account", "currency", "project"),
                       add(ours, lambda x: (*account(x), x.project)))
        self.same_rows("month by service", got("services", "account", "currency", "service"),
                       add(ours, lambda x: (*account(x), x.sku[0])))
        self.same_rows("month by SKU", got("skus", "account", "currency", "sku_id"),
                       add(ours, lambda x: (*account(x), x.sku[3])))
        totals = add(ours, account)
        self.same_rows(
            "totals", {(x["account"], x["currency"]): nanos(x["amount"])
                       for x in doc["invoice"] if x["line"] == "total"},
            {k: c + r for k, (c, r) in totals.items()})
        lines = defaultdict(int)
        for x in doc["invoice"]:
            if not x.get("total"):
                lines[x["account"], x["currency"]] += nanos(x["amount"])
        self.same_rows("lines", dict(lines), {k: c + r for k, (c, r) in totals.items()})
        self.check_calendar(doc, invoice, day, after, totals)

    def check_calendar(self, doc, invoice, day, after, totals):
        def within(zone):
            a, b = midnight(day, zone), midnight(after, zone)
            return [x for x in self.facts if a <= x.hour < b]

        pacific, local = within(PACIFIC), within(self.zone)
        for key in {(x["account"], x["currency"]) for x in doc["calendar"]}:
            rows = [x for x in doc["calendar"] if (x["account"], x["currency"]) == key]
            sums = {x["step"]: (nanos(x["cost"]), nanos(x["credits"])) for x in rows}

            def total(facts, key=key):
                mine = [x for x in facts if (x.account, x.currency) == key]
                return sum(x.cost for x in mine), sum(x.credit() for x in mine)

            self.same(f"invoice {key}", sums["invoice"], totals.get(key, (0, 0)))
            self.same(f"pacific {key}", sums["pacific"], total(pacific))
            self.same(f"zone {key}", sums["zone"], total(local))
            strays = defaultdict(int)
            for x in self.facts:
                inside = x in pacific
                if (x.account, x.currency) == key and inside != (x.invoice == invoice):
                    sign = 1 if inside else -1
                    at = date_of(x.hour, PACIFIC).isoformat(), x.invoice
                    strays[at] += sign * (x.cost + x.credit())
            self.same_rows(
                f"strays {key}", {(x["day"], x["invoice_month"]): nanos(x["net"])
                                  for x in rows if x["step"].startswith("other")}, dict(strays))
            net = sum(nanos(x["net"]) for x in rows
                      if x["step"] == "invoice" or not x.get("total"))
            self.same(f"rows add up {key}", net, sum(sums["zone"]))

    # ---- grants

    def check_grant(self):
        name = self.rng.choice([None, "one", "two"])
        doc = self.report("grant", *([name] if name else []))
        mine = [i for i, x in enumerate(self.lines) if name in (None, x.name)]
        since = min(self.lines[i].starts for i in mine)
        until = min(self.now, max(self.lines[i].until for i in mine))
        self.same("grants: stale", doc["headline"].startswith("DATA STALE since "),
                  self.stale(until))
        use = [x for x in self.stretches(since, until) if x[1] in mine]
        want = [self.line_figures(self.lines[i], [x for x in use if x[1] == i]) for i in mine]
        self.same_rows("grants", [
            (x["grant_name"], x["family"], x["granted_chips"], nanos(x["chip_hours"]),
             nanos(x["tpu_hours"]), nanos(x["percent"]), x["tpus"], x["peak_chips"],
             x["active_days"], x["first_use"], x["last_use"]) for x in doc["grants"]], want)
        self.check_types_and_weeks(doc, use)

    def line_figures(self, line, use):
        if not use and (self.watched > line.starts or self.stale(line.until)):
            return (line.name, line.family, line.chips, *[None] * 8)
        chips = sum(n.chips * (b - a) for n, _, a, b in use)
        now = defaultdict(int)
        days = set()
        for n, _, a, b in use:
            now[a] += n.chips
            at = date_of(a, self.zone)
            while at <= date_of(b - 1, self.zone):
                days.add(at)
                at += datetime.timedelta(days=1)
        room = line.chips * (line.until - line.starts)
        return (line.name, line.family, line.chips,
                half_even(Fraction(chips * NANOS, HOUR)),
                half_even(Fraction(sum(b - a for _, _, a, b in use) * NANOS, HOUR)),
                half_even(Fraction(100 * NANOS * chips, room)),
                len({n.id for n, _, _, _ in use}), max(now.values(), default=0), len(days),
                rfc3339(min((a for _, _, a, _ in use), default=None)),
                rfc3339(max((b for _, _, _, b in use), default=None)))

    def check_types_and_weeks(self, doc, use):
        types = defaultdict(lambda: [0, 0, set()])
        weeks = defaultdict(lambda: [0, 0, set()])
        for n, _, a, b in use:
            row = types[n.type, n.zone, n.provisioning]
            row[0] += n.chips * (b - a)
            row[1] += b - a
            row[2].add(n.id)
            while a < b:
                day = date_of(a, self.zone)
                monday = day - datetime.timedelta(days=day.weekday())
                end = min(b, midnight(monday + datetime.timedelta(days=7), self.zone))
                row = weeks[monday.isoformat()]
                row[0] += n.chips * (end - a)
                row[1] += end - a
                row[2].add(n.id)
                a = end

        def figures(row):
            return (half_even(Fraction(row[0] * NANOS, HOUR)),
                    half_even(Fraction(row[1] * NANOS, HOUR)), len(row[2]))

        def got(x):
            return nanos(x["chip_hours"]), nanos(x["tpu_hours"]), x["tpus"]

        self.same_rows("types", {(x["type"], x["zone"], x["provisioning"]): got(x)
                                 for x in doc["types"]},
                       {k: figures(v) for k, v in types.items()})
        self.same_rows("weeks", {x["week"]: got(x) for x in doc["weeks"] if x["tpus"]},
                       {k: figures(v) for k, v in weeks.items()})

    def check(self):
        self.prepare()
        for _ in range(3):
            self.check_week()
            self.check_month()
            self.check_grant()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=5)
    parser.add_argument("--keep")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    compared = wrong = 0
    for seed in range(args.seed, args.seed + args.worlds):
        with tempfile.TemporaryDirectory() as scratch:
            directory = scratch
            if args.keep:
                directory = os.path.join(os.path.abspath(args.keep), str(seed))
                os.makedirs(directory, exist_ok=True)
            world = World(args, seed, directory)
            world.check()
            compared += world.compared
            wrong += world.wrong
    print(f"{compared} figures of {args.worlds} worlds, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
