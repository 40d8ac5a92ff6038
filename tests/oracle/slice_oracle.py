#!/usr/bin/env python3
"""TPUs however they are made: what tpucost says of them, beside an independent table.

    slice_oracle.py --bin DIR [--root DIR] [--seed N] [--worlds N]

The first world has each family of TPUs, and one that does not exist yet, in each of the five ways to make one
and in each class. The others are random: groups whose hosts are in any state, of any number, beside nodes
and single machines. Each is served by DIR/sandbox, polled by DIR/tpucost, and compared: the row of a
slice, its hosts, verdict, price, and the quotas. Standard library only.
"""

import argparse
import csv
import json
import os
import random
import sys
import tempfile
import time
from decimal import Decimal
from fractions import Fraction

import world_oracle
from world_oracle import nanos

# family: name in the API and what its number counts for a chip, series of machines, chips of those, shapes of
# several hosts (topology, hosts of 4 chips), zones
FAMILIES = {
    "v2": ("v2", 2, None, (), (("4x4", 4),), ("us-central1-f",)),
    "v3": ("v3", 2, "ct3p-hightpu", (4,), (("4x4", 4),), ("europe-west4-a",)),
    "v4": ("v4", 2, "ct4p-hightpu", (4,), (("2x2x2", 2), ("2x2x4", 4)), ("us-central2-b",)),
    "v5litepod": ("v5litepod", 1, "ct5lp-hightpu", (1, 4, 8), (("4x4", 4), ("4x8", 8)),
                  ("us-central1-a", "us-west4-a")),
    "v5p": ("v5p", 2, "ct5p-hightpu", (4,), (("2x2x2", 2), ("2x2x4", 4)), ("us-east5-a",)),
    "v6e": ("v6e", 1, "ct6e-standard", (1, 4, 8), (("4x4", 4), ("4x8", 8), ("8x8", 16)),
            ("us-east5-a", "us-east5-b")),
    "tpu7x": (None, 2, "tpu7x-standard", (4,), (("2x2x2", 2), ("2x2x4", 4)), ("us-central1-c",)),
    "tpu9z": (None, 0, "tpu9z-standard", (4,), (("2x2x2", 2),), ("us-central1-c",)),
}
CLASSES = ("on-demand", "spot", "flex-start", "reserved")
ZONES = sorted({z for f in FAMILIES.values() for z in f[5]})
# Google's states of a machine: tpucost's word, does it use quota
STATES = {
    "RUNNING": ("running", True), "PROVISIONING": ("starting", True), "STAGING": ("starting", True),
    "PENDING": ("starting", False), "REPAIRING": ("starting", True), "STOPPING": ("stopping", True),
    "DEPROVISIONING": ("deleting", True), "SUSPENDED": ("suspended", False),
    "TERMINATED": ("stopped", False), "OF_TOMORROW": ("unknown", True),
}
# of hosts in several states, the one that the slice is in
FIRST = ("running", "unknown", "starting", "stopping", "deleting", "suspended", "stopped")
POOLS = {  # pool: quota, metric, region, series, classes
    "on-demand": ("TPUS-PER-TPU-FAMILY-per-project-region", "tpus_per_tpu_family", "us-east5", "ct6e",
                  ("on-demand",)),
    "preemptible": ("PREEMPTIBLE-TPU-V6E-per-project-region", "preemptible_tpu_v6e", "us-east5", "ct6e",
                    ("spot", "flex-start")),
}


class Tpu:
    """One row: a slice, a node or a machine. `hosts`: names and states of its machines; None: it is a node."""

    def __init__(self, made_by, name, zone, family, cls, created, chips, **more):
        self.made_by, self.name, self.zone, self.family, self.cls = made_by, name, zone, family, cls
        self.created, self.whole = created, chips
        self.type, self.topology = more.get("type"), more.get("topology")
        self.target, self.hosts = more.get("target"), more.get("hosts")
        self.node_hosts, self.node_type = more.get("node_hosts"), more.get("node_type")

    def state(self):
        if self.hosts is None:
            return "running"
        if not self.hosts:  # its group has none yet
            return "starting"
        return next(s for s in FIRST if any(STATES[h[1]][0] == s for h in self.hosts))

    def deciding(self):
        return [h for h in self.hosts if STATES[h[1]][0] == self.state()]

    def row(self):
        """type, raw state, hosts, chips"""
        if self.hosts is None:
            return self.node_type, "READY", self.node_hosts, self.whole
        if not self.hosts:
            return (f"{self.target} x {self.type}", f"0 of {self.target} creating", 0, self.whole)
        n, raw = len(self.deciding()), sorted(self.deciding())[-1][1]
        each = int(self.type.rsplit("-", 1)[1][:-1])
        if self.target is not None and n != self.target:
            raw = f"{n} of {self.target} {raw}"
        return (f"{n} x {self.type}" if n > 1 else self.type), raw, n, n * each

    def chips(self):
        return self.row()[3]


class Prices:
    def __init__(self, root):
        self.of = {}
        for name in ("tpu_prices", "tpu7x_prices"):
            with open(os.path.join(root, f"rules/prices/{name}.csv"), encoding="utf-8") as file:
                for x in csv.DictReader(line for line in file if not line.startswith("#")):
                    for cls, key in (("on-demand", "on_demand_usd_h"), ("spot", "spot_usd_h"),
                                     ("flex-start", "flex_usd_h")):
                        price = Fraction(x[key]) / int(x["chips_per_unit"]) if x[key] else None
                        where = (x["generation"], x["kind"] == "device", cls)
                        self.of[where + (x["region"],)] = price

    def find(self, t):
        """1e-9 USD an hour; None: not known"""
        if t.state() == "suspended":  # its memory is charged, at a price that is not known
            return None
        if t.state() not in ("running", "unknown"):
            return 0
        device = (t.node_type or "") in ("v2-8", "v3-8")
        price = self.of.get((t.family, device, t.cls, t.zone.rsplit("-", 1)[0]))
        return None if price is None else round(price * t.chips() * 10**9)


class Maker:
    def __init__(self, seed, now):
        self.r, self.now, self.seed = random.Random(seed), now, seed
        self.tpus, self.number = [], 0
        self.world = {
            "name": "slices", "projects": [{"id": "lab-one", "number": "101"}], "zones": ZONES,
            "nodes": [], "queued": [], "groups": [], "instances": [],
            "limits": [
                {"service": "compute.googleapis.com", "quota": quota, "region": region, "value": "4096",
                 "metric": "compute.googleapis.com/" + metric}
                | ({"tpu_family": series.upper()} if "FAMILY" in quota else {})
                for quota, metric, region, series, _ in POOLS.values()],
        }
        self.grants = []

    def name(self, what):
        self.number += 1
        return f"{what}{self.number:03d}"

    def born(self):
        return self.now - 7200 - self.number * 60  # no two at once: who is first is known

    def time(self, at):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))

    def node(self, family, cls, queued=False):
        api, cores, _, _, shapes, zones = FAMILIES[family]
        topology, hosts = self.r.choice(shapes)
        name, zone = self.name("node"), self.r.choice(zones)
        type_ = f"{api}-{hosts * 4 * cores}"
        if self.r.random() < 0.3 and family in ("v2", "v3"):
            topology, hosts, type_ = "2x2", 1, f"{api}-8"
        given = {"zone": zone, "name": name, "type": type_, "topology": topology, "hosts": hosts,
                 "state": "READY", "created": self.time(self.born()), "provisioning": cls}
        if queued:
            given["queued"] = "q-" + name
            self.world["queued"].append({
                "zone": zone, "name": "q-" + name, "type": type_, "node": name, "state": "ACTIVE",
                "created": self.time(self.born()), "provisioning": cls})
        self.world["nodes"].append(given)
        self.tpus.append(Tpu("queued" if queued else "node", name, zone, family, cls, self.born(),
                             hosts * 4, node_hosts=hosts, node_type=type_, topology=topology))

    def machine(self, zone, name, type_, cls, status, labels=None, by=None):
        self.world["instances"].append({
            "zone": zone, "name": name, "type": type_, "provisioning": cls, "status": status,
            "created": self.time(self.born())}
            | ({"labels": labels} if labels else {})
            | ({"created_by": f"projects/101/{by}"} if by else {}))

    def single(self, family, cls):
        _, _, series, sizes, _, zones = FAMILIES[family]
        name, zone, size = self.name("vm"), self.r.choice(zones), self.r.choice(sizes)
        self.machine(zone, name, f"{series}-{size}t", cls, "RUNNING")
        self.tpus.append(Tpu("vm", name, zone, family, cls, self.born(), size,
                             type=f"{series}-{size}t", hosts=[(name, "RUNNING")]))

    def group(self, family, cls, pool=False, states=None):
        _, _, series, _, shapes, zones = FAMILIES[family]
        topology, target = self.r.choice(shapes)
        name, zone = self.name("pool" if pool else "group"), self.r.choice(zones)
        group = f"gke-c-{name}-grp" if pool else name
        regional = not pool and self.r.random() < 0.3
        place = f"regions/{zone.rsplit('-', 1)[0]}" if regional else f"zones/{zone}"
        labels = {"goog-k8s-cluster-location": zone, "goog-k8s-cluster-name": "c",
                  "goog-k8s-node-pool-name": name, "goog-gke-tpu-node-pool-type": "multi-host",
                  } if pool else None
        shows = not pool or self.r.random() < 0.5  # older pools have no workload policy
        states = ["RUNNING"] * target if states is None else states
        hosts = [(f"{group}-{i:02d}", s) for i, s in enumerate(states[:target])]
        given = {"zone": zone, "name": group, "type": f"{series}-4t", "target": target,
                 "regional": regional, "created": self.time(self.born()), "provisioning": cls}
        if shows:
            given["topology"] = topology
        if labels:
            given["labels"] = labels
        self.world["groups"].append(given)
        for host, status in hosts:
            self.machine(zone, host, f"{series}-4t", cls, status, labels,
                         f"{place}/instanceGroupManagers/{group}")
        self.tpus.append(Tpu("pool" if pool else "group", name, zone, family, cls, self.born(),
                             target * 4, type=f"{series}-4t", hosts=hosts, target=target,
                             topology=topology if shows else None))

    def way(self, way, family, cls, states=None):
        if way in ("node", "queued"):
            self.node(family, cls, way == "queued")
        elif way == "vm":
            self.single(family, cls)
        else:
            self.group(family, cls, way == "pool", states)

    def can(self, way, family, cls):
        """Nodes of the API do not have the newest; machines of v2 there are none; those of v3 are of pods.
        Only a queued resource makes a node of flex-start."""
        api, _, series, _, _, _ = FAMILIES[family]
        if (way, cls) == ("node", "flex-start"):
            return False
        return api if way in ("node", "queued") else series and not (way == "vm" and family == "v3")

    def table(self):
        for family in FAMILIES:
            for way in ("node", "queued", "group", "pool", "vm"):
                for cls in CLASSES:
                    if self.can(way, family, cls):
                        self.way(way, family, cls)

    def chance(self):
        for _ in range(self.r.randint(3, 14)):
            family = self.r.choice(("v6e", "v6e", "v6e", *FAMILIES))
            way = self.r.choice(("node", "queued", "vm", "group", "group", "group", "pool"))
            cls = self.r.choice(CLASSES)
            common = self.r.choice(list(STATES))
            states = [common if self.r.random() < 0.7 else self.r.choice(list(STATES)) for _ in range(16)]
            states = states[:self.r.randint(0, 16)]
            if self.can(way, family, cls):
                self.way(way, family, cls, states)

    def lines(self):
        """Of chips, each of its family, class and zone once; no two end together."""
        for family in FAMILIES:
            for cls in CLASSES[:3]:
                for zone in ZONES:
                    if family != "tpu9z" and self.r.random() < 0.12 or (
                            zone in FAMILIES[family][5] and family != "tpu9z" and self.r.random() < 0.4):
                        self.grants.append((family, cls, zone, self.r.choice((4, 16, 32, 64, 128))))

    def config(self):
        return {
            "timezone": "UTC", "projects": ["lab-one"], "database": "t.db", "currency": "USD",
            "credentials": "service-account.json",
            "grants": [{
                "name": f"g{i}", "starts": self.time(self.now - 30 * 86400),
                "until": self.time(self.now + 30 * 86400 + i * 60), "new_only": False,
                "tpus": [f"{chips} {cls} Cloud TPU {family} chips in zone {zone}"],
            } for i, (family, cls, zone, chips) in enumerate(self.grants)],
        }


def judge(tpus, grants):
    """(why, grant) of each running TPU, the oldest first; a slice fits as a whole."""
    room = {i: g[3] for i, g in enumerate(grants)}
    out = {}
    for t in sorted(tpus, key=lambda t: t.created):
        if t.state() != "running":
            out[t.name] = (None, None)
            continue
        if t.family == "tpu9z":
            out[t.name] = ("family-unknown", None)
            continue
        mine = [(i, g) for i, g in enumerate(grants) if g[0] == t.family]
        fits = [(i, g) for i, g in mine if g[1] == t.cls and g[2] == t.zone]
        paid = next((i for i, g in fits if room[i] >= t.chips()), None)
        if paid is not None:
            room[paid] -= t.chips()
            out[t.name] = ("covered", f"g{paid}")
        elif fits:
            out[t.name] = ("over-capacity", None)
        elif any(g[2] == t.zone for _, g in mine):
            out[t.name] = ("wrong-provisioning", None)
        elif any(g[1] == t.cls for _, g in mine):
            out[t.name] = ("wrong-zone", None)
        else:
            out[t.name] = ("no-grant", None)
    return out


def pool_use(pool, tpus):
    """Chips in use and held; None: not known, because a reservation may use the pool on demand, or the state
    is not one that is known."""
    _, _, region, series, classes = POOLS[pool]
    used = held = 0
    unknown = False
    for t in tpus:
        if t.hosts is None or not t.type.startswith(series) or t.zone.rsplit("-", 1)[0] != region:
            continue
        unknown = unknown or (t.cls == "reserved" and pool == "on-demand")
        if t.cls not in classes:
            continue
        busy = [h for h in t.hosts if STATES[h[1]][1]]
        each = int(t.type.rsplit("-", 1)[1][:-1])
        used += each * len(busy)
        starts = any(STATES[h[1]][0] == "starting" for h in t.hosts)
        if t.target is not None and busy and not starts and len(busy) != t.target:
            held += each * len(busy)
    return None if unknown else used, held


class World(world_oracle.World):
    """Serves and polls one world, and compares it with the table."""

    def __init__(self, args, seed, prices, directory):
        self.maker = Maker(seed, int(time.time()))
        self.prices = prices
        made, world_oracle.world_make.make = world_oracle.world_make.make, self.make
        figures, world_oracle.Figures = world_oracle.Figures, lambda *_: None
        super().__init__(args, seed, None, directory)
        world_oracle.world_make.make, world_oracle.Figures = made, figures

    def make(self, seed, now):
        m = self.maker = Maker(seed, now)
        if seed:
            m.chance()
        else:
            m.table()
        m.lines()
        return m.world, m.config()

    def check(self):
        self.start()
        self.run("collect", "-q")
        rows, hosts, quotas, burn, _ = self.ask_all(
            ("sql", "SELECT * FROM resources WHERE kind = 'tpu'"),
            ("ps", "--all", "--where", "kind = 'host'"), ("quota",), ("burn",))
        got, tpus = {x["name"]: x for x in rows}, self.maker.tpus
        want = {t.name: t for t in tpus}
        verdicts = judge(tpus, self.maker.grants)
        total = 0
        for key in self.same_keys("tpu", got, want):
            x, t = got[key], want[key]
            name = f"{key} {t.made_by} {t.family} {t.cls} {t.hosts}"
            type_, raw, n, chips = t.row()
            gross = self.prices.find(t)
            why, grant = verdicts[key]
            self.same(f"{name} made_by", x["made_by"], t.made_by)
            self.same(f"{name} type", x["type"], type_)
            self.same(f"{name} state", (x["state"], x["raw_state"]), (t.state(), raw))
            self.same(f"{name} chips", x["chips"], chips)
            if t.family != "tpu9z" or t.target:
                self.same(f"{name} hosts", x["hosts"], n)
            self.same(f"{name} target_hosts", x["target_hosts"], t.target)
            self.same(f"{name} topology", x["topology"], t.topology)
            self.same(f"{name} provisioning", x["provisioning"], t.cls)
            self.same(f"{name} why", (x["why"], x["grant_name"]), (why, grant))
            self.same(f"{name} gross", nanos(x["gross_per_hour"]), gross)
            self.same(f"{name} net", nanos(x["net_per_hour"]), 0 if why == "covered" else gross)
            total += gross or 0
        self.same("burn", sum(nanos(x["gross_per_hour"] or 0) for x in burn if x["category"] == "tpu"), total)
        of = {x["name"]: x["slice"] for x in hosts}
        workers = {f"{t.name}-w-{i}": t for t in tpus if (t.node_hosts or 0) > 1
                   for i in range(t.node_hosts)}
        self.same("hosts of slices", of, {
            name: f"lab-one/tpu/{t.zone}/{t.name}" for name, t in [
                *workers.items(), *((h[0], t) for t in tpus if t.target for h in t.hosts)]})
        limits = {x["pool"]: x for x in quotas if x["service"] == "compute.googleapis.com"}
        for pool in POOLS:
            used, held = pool_use(pool, tpus)
            self.same(f"{pool} used", limits[pool]["used"], used)
            self.same(f"{pool} held", limits[pool]["held"], held)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--root", default=".")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--worlds", type=int, default=10)
    args = p.parse_args()
    args.bin = os.path.abspath(args.bin)
    prices = Prices(args.root)
    compared = wrong = 0
    for seed in range(args.seed, args.seed + args.worlds):
        with tempfile.TemporaryDirectory() as directory:
            world = World(args, seed, prices, directory)
            try:
                world.check()
            finally:
                world.stop()
            compared, wrong = compared + world.compared, wrong + world.wrong
    print(f"{compared} figures of {args.worlds} worlds, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
