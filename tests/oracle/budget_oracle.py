#!/usr/bin/env python3
"""Figures of budgets, by other means than tpucost's: an independent check.

    budget_oracle.py FILE

FILE has one world per line, a JSON object: `now` and `zone`; `bill`, lines of a billing export;
`live`, what burns now, by resource and category, and when it `ends` by itself, or what begins to (`begins`, when the
grant of a TPU ends); `ran`, the same for what ran recently, from
`since` to `until`; `budgets`, as configured; and `got`, what tpucost says of each of them. Prints what differs, and how many figures were compared. Times are
seconds since 1970, amounts are integers of 1e-9 units.

  spent     lines that begin in the period, added up by currency and rate, and converted
  unbilled  net cost of what ran in each project since the end of its newest usage on the bill, of TPUs
            and of all else: no more than 14 days, and nothing before the period
  expected  both together; forecast adds the burn of the time that is left, or until it ends
  runs_out  the first second at which expected plus burn is the amount or more; of a budget that
            is over already: the end of the hour in which the bill reached it, on the first day
            that ended with it reached; or the second at which the burn since then did

Rounding is half to even: each converted sum and rate, unbilled, and the burn of the time left. Standard
library only.
"""

import datetime
import json
import sys
import zoneinfo
from fractions import Fraction

NANOS = 10**9
HOUR = 3600
DAY = 86400
LAG = 14 * DAY
UTC = datetime.timezone.utc


def half_even(value):
    return round(value)  # of a Fraction: half to even, exact


def utc_of_midnight(date, zone):
    """The first instant of a date; where clocks jump over midnight, the jump."""
    local = datetime.datetime(date.year, date.month, date.day, tzinfo=zone)
    return int(local.astimezone(UTC).timestamp())


def period(budget, now, zone):
    if budget["per"] == "custom":
        return budget["starts"], budget["ends"]
    date = datetime.datetime.fromtimestamp(now, UTC).astimezone(zone).date()
    one = datetime.timedelta(days=1)
    if budget["per"] == "day":
        first, end = date, date + one
    elif budget["per"] == "week":
        first = date - date.weekday() * one
        end = first + 7 * one
    else:
        first = date.replace(day=1)
        end = (first + 31 * one).replace(day=1)
    return utc_of_midnight(first, zone), utc_of_midnight(end, zone)


# Conditions by their SQL text; None where a row cannot tell.
CONDITIONS = {
    None: lambda row: True,
    "category = 'cpu'": lambda row: row["category"] == "cpu",
    "project IN ('p', 'r') AND category <> 'ip'": lambda row: (
        row["project"] in ("p", "r") and row["category"] != "ip"
        if row["project"] is not None
        else (False if row["category"] == "ip" else None)
    ),
    "zone = 'europe-west4-a' OR region = 'us-central1'": lambda row: (
        row["zone"] == "europe-west4-a" or row["region"] == "us-central1"
    ),
    "sku LIKE 'SSD%'": lambda row: row["sku"].startswith("SSD") if row["sku"] else None,
    "cost_type = 'regular'": lambda row: row["cost_type"] == "regular",
}


class World:
    def __init__(self, world):
        self.bill = world["bill"]
        self.live = world["live"]
        self.ran = world["ran"]
        self.now = world["now"]
        self.zone = zoneinfo.ZoneInfo(world["zone"])

    def newest_rate(self, currency):
        if currency == "USD":
            return NANOS
        with_rate = [x for x in self.bill if x["currency"] == currency and x["rate"] > 0]
        if not with_rate:
            return None
        newest = max(x["hour"] for x in with_rate)
        return next(x["rate"] for x in with_rate if x["hour"] == newest)

    def convert(self, amount, source, rate, target):
        """A rounded amount; None when nobody knows the rate."""
        if source == target or amount == 0:
            return amount
        if source == "USD":
            rate = NANOS
        to = self.newest_rate(target)
        if not rate or rate <= 0 or not to:
            return None
        return half_even(Fraction(amount) * to / rate)


def add(values):
    """The sum; None when one is not known."""
    total = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total


class Budget:
    def __init__(self, world, budget):
        self.w, self.b = world, budget
        self.currency, self.amount = budget["currency"], budget["amount"]
        self.starts, self.ends = period(budget, world.now, world.zone)
        holds = CONDITIONS[budget["where"]]
        self.lines = [
            x for x in world.bill if self.starts <= x["hour"] < self.ends and holds(x)
        ]
        self.parts = [x for x in world.live if holds(x) and max(x.get("begins", 0), world.now) < self.ends]
        self.ran = [x for x in world.ran if holds(x)]
        self.until = max(min(world.now, self.ends), self.starts)
        self.left = max(self.ends - max(world.now, self.starts), 0)

    def billed(self, line):
        return line["cost"] + (0 if self.b["gross"] else line["credits"])

    def spent(self):
        sums = {}
        for x in self.lines:
            key = (x["currency"], x["rate"])
            sums[key] = sums.get(key, 0) + self.billed(x)
        return add(self.w.convert(v, c, r, self.currency) for (c, r), v in sums.items())

    def converted(self, part):
        """Net per hour in the currency of the budget; None when nobody knows the rate."""
        currency = part["currency"]
        return self.w.convert(
            part["net"], currency, self.w.newest_rate(currency), self.currency)

    def rate(self, parts):
        return add(self.converted(x) for x in parts if x["currency"] is not None)

    def begin_of(self, part):
        return max(part.get("begins", 0), self.w.now, self.starts)

    def newest(self, project, category):
        """The end of the newest usage of TPUs, or of all else, of the project on the bill; what ran before is billed.
        It is at most a day before that of the project."""
        usage = [
            (x["hour"] + HOUR, (x["category"] == "tpu") == (category == "tpu"))
            for x in self.w.bill
            if x["project"] == project and x["cost_type"] == "regular"
            and x["hour"] >= self.w.now - LAG - HOUR
        ]
        ends = [end for end, own in usage if own]
        ends += [max(end for end, _ in usage) - DAY] if usage else []
        return min(max(ends + [self.w.now - LAG, self.starts]), self.until)

    def runs(self):
        """What ran and is not billed: (what, from, until)."""
        out = []
        for x in self.ran:
            first = max(x["since"], self.newest(x["project"], x["category"]))
            last = min(x["until"], self.until)
            if first < last:
                out.append((x, first, last))
        return out

    def amount_of(self, lines):
        return sum(
            self.w.convert(self.billed(x), x["currency"], x["rate"], self.currency) for x in lines
        )

    def whole_day(self, hour):
        """The day of the zone that the hour is in, if all of it is in the period; else None."""
        date = datetime.datetime.fromtimestamp(hour, UTC).astimezone(self.w.zone).date()
        first = utc_of_midnight(date, self.w.zone)
        end = utc_of_midnight(date + datetime.timedelta(days=1), self.w.zone)
        return (first, end) if self.starts <= first and end <= self.ends else None

    def passed(self):
        """The end of the hour in which the bill reached the amount, on a day that ended so."""
        total = 0
        hours = sorted({x["hour"] for x in self.lines})
        days = {}
        for hour in hours:
            days.setdefault(self.whole_day(hour) or hour, []).append(hour)
        for key, inside in days.items():
            lines = [x for x in self.lines if x["hour"] in inside]
            if total + self.amount_of(lines) < self.amount:
                total += self.amount_of(lines)
                continue
            for hour in inside:
                total += self.amount_of(x for x in lines if x["hour"] == hour)
                if total >= self.amount:
                    return min(hour + HOUR, self.w.now)
        return None

    def burnt(self, parts, until):
        """Amount x seconds of an hour that these will have cost from now until then."""
        return sum(
            self.converted(x) * max(min(until, self.end_of(x)) - self.begin_of(x), 0)
            for x in parts if x["currency"] is not None)

    def end_of(self, part):
        """Disks do not end here, and an end that passed ended nothing."""
        ends = part.get("ends")
        return ends if ends is not None and ends > self.w.now else self.ends

    def runs_out(self, spent, expected, runs, parts):
        if expected >= self.amount:
            if spent is not None and spent >= self.amount:
                return self.passed()
            # second by second would do as well: what ran only adds
            want = (self.amount - (spent or 0)) * HOUR
            for at in sorted({x for r in runs for x in r[1:]} | {self.until}):
                done = self.work(runs, at)
                if done >= want:
                    pace = sum(v for v, first, last in runs if first < at <= last)
                    return at - (done - want) // pace if pace else at
            return self.until
        # between two of these moments, the burn does not change
        want, at = (self.amount - expected) * HOUR, max(self.w.now, self.starts)
        moments = {f(x) for x in parts for f in (self.begin_of, self.end_of)}
        for end in sorted(moments | {self.ends}):
            if not at < end <= self.ends:
                continue
            done = self.burnt(parts, end) - self.burnt(parts, at)
            if done >= want:
                return at - (-want * (end - at) // done)
            want, at = want - done, end
        return None

    @staticmethod
    def work(runs, at):
        return sum(v * max(min(at, last) - first, 0) for v, first, last in runs)

    def figures(self):
        names = (
            "spent", "unbilled", "expected", "forecast", "forecast_if_stopped",
            "runs_out", "runs_out_if_stopped", "reached", "forecast_reached", "safe_per_day",
        )
        out = dict.fromkeys(names)
        out["starts"], out["ends"] = self.starts, self.ends
        spent = self.spent()
        ran, burn = self.runs(), self.rate(self.parts)
        kept = [x for x in self.parts if not x["advised"]]
        priced = [x for x in ran if x[0]["currency"] is not None and x[0]["net"]]
        runs = [(self.converted(x), first, last) for x, first, last in priced]
        out["unpriced"] = len({
            x["id"] for x in self.parts + [x[0] for x in ran] if x["currency"] is None})
        if spent is None or burn is None or None in [x[0] for x in runs]:
            return out
        known = bool(self.w.bill)
        unbilled = half_even(Fraction(self.work(runs, self.until), HOUR))
        expected = spent + unbilled
        forecast = expected + half_even(Fraction(self.burnt(self.parts, self.ends), HOUR))
        stopped = expected + half_even(Fraction(self.burnt(kept, self.ends), HOUR))
        billed = spent if known else None
        out.update(
            spent=billed,
            unbilled=unbilled,
            expected=expected,
            forecast=forecast,
            forecast_if_stopped=stopped,
            runs_out=self.runs_out(billed, expected, runs, self.parts),
            runs_out_if_stopped=self.runs_out(billed, expected, runs, kept),
            reached=self.threshold("alert_at", expected),
            forecast_reached=self.threshold("forecast_at", forecast),
        )
        if self.left:
            rest = max(self.amount - expected, 0)
            out["safe_per_day"] = half_even(Fraction(rest * DAY, max(self.left, DAY)))
        return out

    def threshold(self, key, value):
        reached = [t for t in self.b[key] if Fraction(value * 100, self.amount) >= t]
        return max(reached, default=None)


def main(path):
    compared = wrong = worlds = unknown = over = 0
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            worlds += 1
            raw = json.loads(text)
            world = World(raw)
            got = {x["name"]: x for x in raw["got"]}
            for budget in raw["budgets"]:
                want = Budget(world, budget).figures()
                unknown += want["expected"] is None
                over += want["reached"] is not None and want["reached"] >= 100
                for key, value in want.items():
                    compared += 1
                    if got[budget["name"]][key] != value:
                        wrong += 1
                        print(
                            f"world {number}: {budget}: {key}: "
                            f"got {got[budget['name']][key]}, want {value}"
                        )
    print(
        f"{compared} figures of {worlds} worlds, {wrong} differ "
        f"({unknown} budgets unknown, {over} over)"
    )
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
