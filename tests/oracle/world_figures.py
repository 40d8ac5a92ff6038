"""What tpucost should say of a world of world_make.py, worked out by other means than its own.

Amounts are Fractions of a unit of currency until they are rounded, half to even, to 1e-9 units;
times are seconds since 1970. Prices are read from rules/prices. Standard library only.
"""

import csv
import datetime
import os
import re
import zoneinfo
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from world_make import CATALOG, CATEGORIES, CORES, SKUS, region_of

NANOS = 10**9
HOUR = 3600
DAY = 86400
UTC = datetime.timezone.utc
FAMILY_OF_MACHINE = {"ct5lp-hightpu-4t": ("v5litepod", 4), "ct6e-standard-4t": ("v6e", 4)}
MONTH_HOURS = 730
CUSTOM = re.compile(r"(?:(n1|n2)-)?custom-(\d+)-(\d+)(-ext)?")
TS_MIN = -(10**12)


def half_even(amount):
    return round(amount * NANOS)


def instant(text, zone):
    """An RFC 3339 instant, or a date: its first moment in the zone."""
    if len(text) == 10:
        return midnight(datetime.date.fromisoformat(text), zone)
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())


def midnight(date, zone):
    at = datetime.datetime(date.year, date.month, date.day, tzinfo=zone)
    return int(at.astimezone(UTC).timestamp())


def table(root, name):
    with open(os.path.join(root, "rules/prices", name + ".csv"), encoding="utf-8") as file:
        yield from csv.DictReader(x for x in file if not x.startswith("#"))


def number(text):
    return Fraction(text) if text else None


class BuiltIn:
    """The lists of prices: (what, where, spot) to USD."""

    sizes = {}  # vCPUs that the guest sees, and memory, by machine type

    def __init__(self, root):
        self.types, self.vcpu, self.gib, self.whole = {}, {}, {}, {}
        self.gpu, self.disk, self.ip, self.tpu, self.extended = {}, {}, {}, {}, {}
        for x in table(root, "machine_types"):
            self.types[x["name"]] = (
                x["family"], Fraction(x["billed_vcpus"]), Fraction(x["billed_gib"]))
            # Google tells whole MiB
            gib = Decimal(int(Decimal(x["memory_gib"]) * 1024)) / 1024
            gib = gib.quantize(Decimal("1e-9"), ROUND_HALF_UP)
            self.sizes[x["name"]] = (int(x["vcpus"]), gib)
        for x in table(root, "compute_prices"):
            self.both(self.vcpu, x["family"], x["region"], x, "usd_per_vcpu_hour")
            self.both(self.gib, x["family"], x["region"], x, "usd_per_gib_hour")
        for x in table(root, "extended_prices"):
            self.both(self.extended, x["family"], x["region"], x, "usd_per_extended_gib_hour")
        for x in table(root, "machine_prices"):
            self.both(self.whole, x["machine_type"], x["region"], x, "usd_per_hour")
        for x in table(root, "gpu_prices"):
            self.both(self.gpu, x["gpu"], x["region"], x, "usd_per_gpu_hour")
        for x in table(root, "disk_prices"):
            self.both(self.disk, x["disk_type"], x["region"], x, "usd_per_gib_month")
        for x in table(root, "network_fixed_prices"):
            if x["item"] == "ip.unused":
                self.ip[x["region"]] = number(x["usd_per_hour"])
        for x in table(root, "tpu_prices"):
            for spot, key in ((False, "on_demand_usd_h"), (True, "spot_usd_h")):
                if x[key]:
                    kind = "device" if x["kind"] == "device" else "slice"
                    price = Fraction(x[key]) / int(x["chips_per_unit"])
                    self.tpu[x["generation"], kind, x["region"], spot] = price

    @staticmethod
    def both(into, what, region, row, column):
        into[what, region, False] = number(row[column])
        into[what, region, True] = number(row["spot_" + column])


class Part:
    """A part of a thing and what it costs an hour; price None: not known."""

    def __init__(self, category, price, currency=None):
        self.category, self.price, self.currency = category, price, currency


class Thing:
    def __init__(self, kind, given, location, type_):
        self.kind, self.given, self.type = kind, given, type_
        self.project, self.name, self.location = given["project"], given["name"], location
        self.zone = given.get("zone") if kind != "snapshot" else None
        self.region = region_of(self.zone) if self.zone else given.get("region")
        self.id = "/".join((self.project, kind, location, self.name))
        self.created = instant(given["created"], UTC)
        self.started = instant(given.get("started", given["created"]), UTC)
        self.spot = given.get("spot", False)
        self.parts, self.currency, self.source = [], None, None
        self.chips = self.family = None
        self.running = True
        self.verdict = (None, None)  # why, grant

    @property
    def known(self):
        return all(p.price is not None for p in self.parts)

    def size(self):
        """vCPUs, GiB of memory, GiB of disk."""
        custom = CUSTOM.fullmatch(self.type or "")
        if self.kind == "disk":
            return None, None, self.given["size_gb"]
        if self.kind != "vm":
            return None, None, None
        if custom:
            return int(custom[2]), Decimal(custom[3]) / 1024, None
        return *BuiltIn.sizes.get(self.type, (None, None)), None

    def gross(self, category=None):
        """1e-9 units an hour, by part rounded once; None: a part has no known price."""
        parts = [p.price for p in self.parts if category in (None, p.category)]
        return None if None in parts else sum(half_even(p) for p in parts)

    def net(self, category=None):
        return 0 if self.verdict[0] == "covered" else self.gross(category)

    def currency_of(self, category):
        return next(p.currency for p in self.parts if p.category == category)


class Prices:
    """Which price applies: configuration, bill, price list, the built-in tables."""

    def __init__(self, world, config, builtin, bill):
        self.w, self.c, self.b = world, config, builtin
        self.billed, self.listed = {}, {}
        rate = Fraction(str(world["billing"]["rate"]))
        bill_currency = world["billing"]["currency"]
        list_currency = config["currency"]
        self.currencies = {"billed": bill_currency, "catalog": list_currency, "builtin": "USD"}
        self.target = list_currency
        self.rates = {"USD": Fraction(1)} | ({bill_currency: rate} if bill else {})
        for sku in SKUS:
            if not sku[6]:
                continue
            entry = next((x for x in world.get("skus", ()) if x["id"] == sku[1]), None)
            if entry:
                price = Fraction(str(entry["price"]))
                price *= rate if list_currency == bill_currency else 1
                for region in entry["regions"]:
                    self.listed[sku[6], region] = (price, list_currency)
            rows = [x for x in bill if x["sku_id"] == sku[1] and x["price"] is not None]
            if rows:
                newest = max(rows, key=lambda x: x["hour"])
                # sold where the list says so, and where it was sold
                regions = {x["region"] for x in rows} | set(entry["regions"] if entry else ())
                for region in regions:
                    self.billed[sku[6], region] = (newest["price"], bill_currency)

    def find(self, thing, wants, builtin):
        """One source that knows all; else each part by the first one that knows it, so that
        the whole has no price. `wants`: (category, SKU, units), `builtin`: a Part of each
        category. A thing on spot terms has other SKUs, which these worlds do not have."""
        sources = []
        for source, prices in (("billed", self.billed), ("catalog", self.listed)):
            parts = {}
            for category, sku, units in wants:
                found = None if thing.spot else prices.get((sku, thing.region))
                before = parts.get(category, Fraction(0))
                parts[category] = None if None in (found, before) else before + found[0] * units
                currency = found[1] if found else None
            sources.append((source, currency, parts))
        sources.append(("builtin", "USD", {p.category: p.price for p in builtin}))
        for source, currency, parts in sources:
            if None not in parts.values():
                thing.source, thing.currency = source, currency
                thing.parts = [Part(c, p, currency) for c, p in parts.items()]
                self.convert(thing)
                return
        used = []
        for part in builtin:
            known = [x for x in sources if x[2][part.category] is not None]
            used.append(known[0][0] if known else None)
            price = known[0][2][part.category] if known else None
            thing.parts.append(Part(part.category, price, self.currencies.get(used[-1])))
        thing.source = "unknown"
        self.convert(thing)
        if thing.known and len({p.currency for p in thing.parts}) == 1:
            thing.currency = thing.parts[0].currency
            thing.source = max(used, key=list(self.currencies).index)

    def convert(self, thing):
        """To the currency of figures, at the rate of the bill, before anything is rounded."""
        for part in thing.parts:
            if part.price is not None and {part.currency, self.target} <= set(self.rates):
                part.price *= self.rates[self.target] / self.rates[part.currency]
                part.currency = self.target
        if thing.currency:
            thing.currency = thing.parts[0].currency

    def tpu(self, t):
        for x in self.c["prices"]:
            if (x["tpu"], x["zone"]) == (t.family, t.zone) and t.spot >= ("provisioning" in x):
                amount, t.currency = x["per_chip_hour"].split()
                t.parts, t.source = [Part("tpu", Fraction(amount) * t.chips, t.currency)], "config"
                if "provisioning" in x:
                    break
        if t.source:
            self.convert(t)
            return
        device = t.type in ("v2-8", "v3-8")
        kind = "device" if device else "slice"
        price = self.b.tpu.get((t.family, kind, t.zone, t.spot),
            self.b.tpu.get((t.family, kind, t.region, t.spot)))
        self.find(t, [("tpu", t.type if device else None, 1)],
            [Part("tpu", None if price is None else price * t.chips)])

    def machine(self, t):
        if t.given["status"] == "SUSPENDED":
            t.parts, t.source = [Part("cpu", None)], "unknown"
            return
        wants, parts = [], []
        self.body(t, wants, parts)
        if "gpu" in t.given:
            gpu = t.given["gpu"].replace("nvidia-tesla-", "")
            self.add(parts, "gpu", self.b.gpu.get((gpu, t.region, t.spot)), t.given["gpus"])
            wants.append(("gpu", None, 1))
        if "local_ssds" in t.given:
            price = self.b.disk.get(("local-ssd", t.region, t.spot))
            self.add(parts, "disk", price, Fraction(375 * t.given["local_ssds"], MONTH_HOURS))
            wants.append(("disk", None, 1))
        self.find(t, wants, parts)

    @staticmethod
    def add(parts, category, price, units):
        parts.append(Part(category, None if price is None else price * units))

    def body(self, t, wants, parts):
        """vCPUs and memory, or the machine as a whole."""
        whole = self.b.whole.get((t.type, t.region, t.spot))
        custom = CUSTOM.fullmatch(t.type)
        if whole is not None:
            self.add(parts, "cpu", whole, 1)
            wants.append(("cpu", None, 1))
            return
        extended, surcharge = Fraction(0), 1
        if custom:
            family = custom[1] or "n1"
            vcpus, gib = Fraction(custom[2]), Fraction(int(custom[3]), 1024)
            if custom[4] and family == "n1":
                extended = max(gib - vcpus * Fraction(13, 2), Fraction(0))
            if family == "n1":
                family = "n1-custom"
            else:
                surcharge = Fraction(105, 100)
        else:
            family, vcpus, gib = self.b.types.get(t.type, ("none", 1, 1))
        key = (family, t.region, t.spot)
        vcpu, memory = self.b.vcpu.get(key), self.b.gib.get(key)
        more = self.b.extended.get(("n1", t.region, t.spot)) if extended else Fraction(0)
        if None in (vcpu, memory, more):
            parts.append(Part("cpu", None))
        else:
            parts.append(Part("cpu",
                (vcpus * vcpu + (gib - extended) * memory) * surcharge + extended * more))
        wants.append(("cpu", f"{family} core", vcpus))
        wants.append(("cpu", f"{family} ram", gib))

    def disk(self, t):
        type_ = t.type if t.zone else "regional-" + t.type
        units = Fraction(t.given["size_gb"], MONTH_HOURS)
        price = None if type_.endswith("extreme") else self.b.disk.get((type_, t.region, False))
        parts = []
        self.add(parts, "disk", price, units)
        self.find(t, [("disk", type_, units)], parts)

    def snapshot(self, t):
        where = t.given["locations"][0]
        listed = {"us": "us-multi", "eu": "europe-multi", "asia": "asia-multi"}.get(where, where)
        price = self.b.disk.get(("snapshot", listed, False))
        t.region = where
        parts = []
        self.add(parts, "snapshot", price, Fraction(t.given["bytes"], 2**30 * MONTH_HOURS))
        self.find(t, [("snapshot", None, 1)], parts)

    def ip(self, t):
        parts = []
        self.add(parts, "ip", self.b.ip.get(t.region), 1)
        self.find(t, [("ip", "ip", 1)], parts)


def chips_of(type_):
    """Family and chips of v3-8 and the like."""
    family, count = type_.rsplit("-", 1)
    return family, int(count) // 2 if family in CORES else int(count)


class Line:
    """A line of a grant."""

    WORDS = re.compile(
        r"(\d+) (on-demand|preemptible|spot) Cloud TPU (\S+) (device\(s\)|chips|cores) "
        r"in zone (\S+)")

    def __init__(self, grant, text, starts, until, root, joined):
        count, kind, what, unit, self.zone = self.WORDS.fullmatch(text).groups()
        self.grant, self.starts, self.until = grant["name"], starts, until
        self.spot = kind != "on-demand"
        self.project = grant.get("project")  # None: of any
        self.joined = joined  # starts of the first grant that this one renews
        self.type = what if unit == "device(s)" else None
        if self.type:
            self.family, chips = chips_of(what)
            self.chips = int(count) * chips
        else:
            self.family = {"v5e": "v5litepod"}.get(what, what)
            self.chips = int(count) // 2 if unit == "cores" else int(count)
        shape = "device" if self.type else unit
        self.pool = (root, self.zone, self.spot, shape, self.type or self.family)

    def faults(self, t, at):
        """What is wrong with it for a TPU at a moment."""
        out = set()
        if at >= self.until:
            out.add("expired")
        if at < self.starts:
            out.add("not-started")
        if t.created < self.joined <= at:
            out.add("created-before")
        if t.spot != self.spot:
            out.add("wrong-provisioning")
        if self.type and self.type != t.type:
            out.add("wrong-type")
        if self.zone != t.zone:
            out.add("wrong-zone")
        return out


FAULTS = (
    "created-before", "expired", "not-started", "wrong-provisioning", "wrong-type", "wrong-zone")


class Grants:
    def __init__(self, config, zone):
        self.lines, chains = [], {}
        for grant in config["grants"]:
            starts = instant(grant["starts"], zone)
            if "until" in grant:
                until = instant(grant["until"], zone)
            elif len(grant["starts"]) == 10:
                days = datetime.timedelta(days=grant["days"])
                until = midnight(datetime.date.fromisoformat(grant["starts"]) + days, zone)
            else:
                until = starts + grant["days"] * DAY
            root, joined = chains.get(grant.get("extends"), (grant["name"], starts))
            # created at any time, if it or what it renews says so
            joined = TS_MIN if grant.get("new_only") is False else min(joined, starts)
            chains[grant["name"]] = (root, joined)
            self.lines += [Line(grant, x, starts, until, root, joined) for x in grant["tpus"]]
        self.lines.sort(key=lambda x: x.until)

    def moments(self):
        return {x.starts for x in self.lines} | {x.until for x in self.lines}

    def judge(self, tpus, at):
        """(why, grant) of each TPU that runs at a moment, by id; and the chips used by line."""
        used, pooled, out = {}, {}, {}
        room = {}
        for x in self.lines:
            if x.starts <= at < x.until:
                room[x.pool] = max(room.get(x.pool, 0), x.chips)
        for t in sorted(tpus, key=lambda t: (t.created, t.name)):
            mine = [
                x for x in self.lines
                if x.family == t.family and x.project in (None, t.project)]
            fits = [x for x in mine if not x.faults(t, at)]
            for x in fits:
                if (used.get(x, 0) + t.chips <= x.chips
                        and pooled.get(x.pool, 0) + t.chips <= room[x.pool]):
                    used[x] = used.get(x, 0) + t.chips
                    pooled[x.pool] = pooled.get(x.pool, 0) + t.chips
                    out[t.id] = ("covered", x.grant)
                    break
            else:
                single = {f for x in mine for f in x.faults(t, at) if len(x.faults(t, at)) == 1}
                why = "over-capacity" if fits else next(
                    (f for f in FAULTS if f in single), "no-grant")
                out[t.id] = (why, None)
        return out, used


class Figures:
    """All of a world at a moment."""

    def __init__(self, world, config, builtin, made):
        self.w, self.c = world, config
        self.zone = zoneinfo.ZoneInfo(config["timezone"])
        self.bill = self.read_bill(made)
        self.prices = Prices(world, config, builtin, self.bill)
        self.grants = Grants(config, self.zone)
        self.things = self.read_things()
        self.tpus = [t for t in self.things if t.kind == "tpu" and t.running]

    def read_bill(self, made):
        rows = []
        for line in self.w["billing"]["rows"]:
            cost = Fraction(line["cost"])
            usage = Fraction(str(line.get("usage", 0)))
            given = line.get("credits", ())
            credits = sum(Fraction(x["amount"]) for x in given)
            promo = sum(Fraction(x["amount"]) for x in given if x["type"] == "PROMOTION")
            for at in range(instant(line["from"], UTC), instant(line["until"], UTC), HOUR):
                if at + HOUR + int(line["lag"][:-1]) > made:
                    continue
                rows.append({
                    "hour": at, "project": line.get("project"), "service": line["service"],
                    "sku": line["sku"], "sku_id": line.get("sku_id"),
                    "category": CATEGORIES[line["sku"]], "zone": line.get("zone"),
                    "region": line.get("region"), "cost": half_even(cost),
                    "credits": half_even(credits), "promo": half_even(promo), "usage": usage,
                    "currency": self.w["billing"]["currency"],
                    "rate": half_even(Fraction(str(self.w["billing"]["rate"]))),
                    "cost_type": line.get("cost_type", "regular"),
                    "price": cost / usage if usage else None,
                })
        return rows

    def read_things(self):
        out = []
        for x in self.w["nodes"]:
            t = Thing("tpu", x, x["zone"], x["type"])
            t.family, t.chips = chips_of(x["type"])
            t.running = x["state"] == "READY"
            if t.running:
                self.prices.tpu(t)
            out.append(t)
        for x in self.w["instances"]:
            special = FAMILY_OF_MACHINE.get(x["type"])
            t = Thing("tpu" if special else "vm", x, x["zone"], x["type"])
            t.running = x["status"] == "RUNNING"
            if special:
                t.family, t.chips = special
            if t.running and special:
                self.prices.tpu(t)
            elif x["status"] != "TERMINATED":
                self.prices.machine(t)
            out.append(t)
        for x in self.w["disks"]:
            out.append(Thing("disk", x, x.get("zone") or x["region"], x["type"]))
            self.prices.disk(out[-1])
        for x in self.w["snapshots"]:
            out.append(Thing("snapshot", x, x["locations"][0], None))
            self.prices.snapshot(out[-1])
        for x in self.w["addresses"]:
            out.append(Thing("ip", x, x["region"], None))
            if not x["users"] and x["type"] == "EXTERNAL":
                self.prices.ip(out[-1])
        return out

    def judge(self, now):
        self.now = now
        verdicts, self.used = self.grants.judge(self.tpus, now)
        for t in self.tpus:
            t.verdict = verdicts[t.id]

    # ---- burn

    def burn(self):
        """(project, category, currency) to gross, net an hour and how many things."""
        out = {}
        for t in self.things:
            for category in {p.category for p in t.parts}:
                gross, net = t.gross(category), t.net(category)
                key = (t.project, category, t.currency_of(category))
                g, n, count = out.get(key, (0, 0, 0))
                out[key] = (
                    None if gross is None else g + gross,
                    None if None in (net, n) else n + net, count + 1)
        return out

    def end_of(self, t):
        """When it ends by itself: a machine while it runs, a disk if it is deleted with one."""
        if t.kind == "disk":
            machines = (v for v in self.things if v.kind in ("vm", "tpu") and t.zone == v.zone
                        and t.project == v.project and t.name == v.name)
            machine = None if t.given.get("keep") else next(machines, None)
            deleted = machine and machine.given.get("at_end") == "delete"
            return self.end_of(machine) if deleted else None
        return instant(t.given["ends"], UTC) if t.running and "ends" in t.given else None

    def live(self):
        """The same by thing, as budget_oracle.py wants it."""
        return [
            {
                "id": t.id, "project": t.project, "zone": t.zone, "region": t.region,
                "sku": None, "category": category, "service": TPU_SERVICE.get(t.kind, COMPUTE),
                "cost_type": "regular", "net": t.net(category) or 0, "currency": t.currency_of(category),
                "advised": t.kind == "tpu" and t.verdict[0] != "covered", "ends": self.end_of(t),
            }
            for t in self.things for category in sorted({p.category for p in t.parts})
            if t.currency_of(category) or t.net(category) is None
        ] + self.lapses()

    def lapses(self):
        """What is covered now, from the end of its grant on."""
        out, running = [], [t for t in self.tpus if t.running]
        moments = sorted(x for x in self.grants.moments() if x > self.now)
        for begins, ends in zip(moments, moments[1:] + [None]):
            verdicts, _ = self.grants.judge(running, begins)
            for t in running:
                end = min((x for x in (ends, self.end_of(t)) if x is not None), default=None)
                if (t.verdict[0] == "covered" and verdicts[t.id][0] != "covered"
                        and (end is None or begins < end)):
                    out.append({
                        "id": t.id, "project": t.project, "zone": t.zone, "region": t.region,
                        "sku": None, "category": "tpu", "service": TPU_SERVICE[t.kind],
                        "cost_type": "regular", "net": t.gross("tpu") or 0,
                        "currency": t.currency_of("tpu"), "advised": False,
                        "begins": begins, "ends": end})
        return out

    def ran(self, now):
        """What ran and no grant paid, from when until when."""
        out = []
        for row, t in ((r, t) for r in self.live() for t in self.things
                       if t.id == r["id"] and "begins" not in r):
            if t.kind != "tpu" or not t.running:
                out.append(dict(row, since=t.started, until=now))
        for starts, ends, verdicts, _ in self.stretches(now):
            for t in self.tpus:
                if t.started <= starts and verdicts[t.id][0] != "covered":
                    out.append({
                        "id": t.id, "project": t.project, "zone": t.zone, "region": t.region,
                        "sku": None, "category": "tpu", "service": TPU_SERVICE[t.kind],
                        "cost_type": "regular", "net": t.gross("tpu") or 0,
                        "currency": t.currency_of("tpu"), "since": starts, "until": ends})
        return out

    # ---- coverage

    def cuts(self):
        begun = {t.created for t in self.tpus} | {t.started for t in self.tpus}
        return sorted(self.grants.moments() | begun)

    def stretches(self, now):
        """Time between changes, and the verdicts of it: (starts, ends, verdicts, chips used)."""
        cuts = [c for c in self.cuts() if c < now] + [now]
        for starts, ends in zip(cuts, cuts[1:]):
            running = [t for t in self.tpus if t.started <= starts]
            yield starts, ends, *self.grants.judge(running, starts)

    def granted(self, now):
        """By line of a grant: chips of it, in use, free, chip-seconds covered so far."""
        seconds = {}
        for starts, ends, _, used in self.stretches(now):
            for line, chips in used.items():
                seconds[line] = seconds.get(line, 0) + chips * (ends - starts)
        used = self.grants.judge(self.tpus, now)[1]
        out = {}
        for x in self.grants.lines:
            active = [
                y for y in self.grants.lines if y.pool == x.pool and y.starts <= now < y.until]
            room = max((y.chips for y in active), default=0)
            taken = sum(c for y, c in used.items() if y.pool == x.pool)
            key = (x.grant, x.zone, x.family, x.type, "spot" if x.spot else "on-demand")
            free = room - taken if x in active else 0
            out[key] = (x.chips, used.get(x, 0), free, seconds.get(x, 0))
        return out

    # ---- what ran lately

    def lately(self, now, hours):
        """(project, category) to {currency: [gross, net]}; None: some of it has no price."""
        since = now - hours * HOUR
        covered = {}
        for starts, ends, verdicts, _ in self.stretches(now):
            for t, verdict in verdicts.items():
                if verdict[0] == "covered":
                    covered[t] = covered.get(t, 0) + max(ends - max(starts, since), 0)
        out = {}
        for t in self.things:
            seconds = now - max(t.started, since)
            for part in t.parts:
                key = (t.project, part.category)
                if part.price is None:
                    out[key] = None
                if out.get(key, 0) is None:
                    continue
                sums = out.setdefault(key, {}).setdefault(part.currency, [0, 0])
                free = covered.get(t.id, 0)
                # the rate of now, as it is shown, for so long
                rate = half_even(part.price)
                sums[0] += round(Fraction(rate * seconds, HOUR))
                sums[1] += round(Fraction(rate * (seconds - free), HOUR))
        return out

    # ---- what was billed

    def costs(self, *keys):
        out = {}
        for x in self.bill:
            day = datetime.datetime.fromtimestamp(x["hour"], UTC).astimezone(self.zone).date()
            row = x | {"day": day.isoformat()}
            key = tuple(row[k] for k in keys) + (row["currency"],)
            sums = out.setdefault(key, [0, 0, 0])
            for i, column in enumerate(("cost", "credits", "promo")):
                sums[i] += row[column]
        return out

    def credit_used(self, credit):
        """1e-9 units of the credit's currency."""
        currency = credit["amount"].split()[1]
        starts = instant(credit["starts"], self.zone)
        used = -sum(x["promo"] for x in self.bill if x["hour"] >= starts)
        if currency != self.w["billing"]["currency"]:
            used = round(Fraction(used) / Fraction(str(self.w["billing"]["rate"])))
        return used


COMPUTE = "Compute Engine"
TPU_SERVICE = {"tpu": "Cloud TPU"}
