"""Price and judge the commands of tests/data/tutorials anew, from the price lists alone, and compare
with what `tpucost estimate` says of each. Prints one line a command, as the other tests do.

usage: tutorials.py TPUCOST ROOT ZONE; the configuration is $TPUCOST_CONFIG. ZONE is for commands
without one. The grants are those of GRANTS, which the configuration has in words."""

import csv
import json
import os
import subprocess
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path

# (type or generation, zone, class) -> chips
GRANTS = {
    ("v3-8", "europe-west4-a", "on-demand"): 5 * 4,
    ("v2-8", "us-central1-f", "spot"): 100 * 4,
    ("v4", "us-central2-b", "on-demand"): 32,
}


def table(root, name):
    lines = (root / "rules" / "prices" / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


class Prices:
    def __init__(self, root):
        self.tpu = table(root, "tpu_prices.csv") + table(root, "tpu7x_prices.csv")
        self.cpu = {(r["family"], r["region"]): r for r in table(root, "compute_prices.csv")}
        self.types = {r["name"]: r for r in table(root, "machine_types.csv")}
        self.disks = {(r["disk_type"], r["region"]): r for r in table(root, "disk_prices.csv")}

    @staticmethod
    def chips(name):
        generation, n = name.rsplit("-", 1)
        host = {"ct5lp": "v5litepod", "ct6e": "v6e"}.get(generation.split("-")[0])
        if host:  # a machine with so many chips: ct5lp-hightpu-4t
            return host, int(n.removesuffix("t"))
        return generation, int(n) if generation in ("v5litepod", "v6e") else int(n) // 2

    def of_tpu(self, name, zone, provisioning):
        if provisioning == "reserved":
            return None  # the price is that of the reservation
        generation, chips = self.chips(name)
        device = name in ("v2-8", "v3-8")
        rows = [r for r in self.tpu
                if r["generation"] == generation and (r["kind"] == "device") == device]
        column = {"spot": "spot_usd_h", "flex-start": "flex_usd_h"}.get(provisioning, "on_demand_usd_h")
        here = [r for r in rows if r["region"] == zone.rsplit("-", 1)[0]]
        if not here or not here[0][column]:
            return None
        return Fraction(here[0][column]) * chips / int(here[0]["chips_per_unit"])

    def of_vm(self, name, region, spot):
        kind = self.types.get(name)
        row = kind and self.cpu.get((kind["family"], region))
        if not row:
            return "skip"
        prefix = "spot_" if spot else ""
        if not row[prefix + "usd_per_vcpu_hour"]:
            return "skip"
        return (Fraction(kind["billed_vcpus"]) * Fraction(row[prefix + "usd_per_vcpu_hour"])
                + Fraction(kind["billed_gib"]) * Fraction(row[prefix + "usd_per_gib_hour"]))

    def of_disk(self, name, region, gib):
        row = self.disks.get((name, region))
        if not row or name.startswith("hyperdisk") or name == "pd-extreme":
            return "skip"
        return Fraction(row["usd_per_gib_month"]) * gib / 730


def nanos(value):
    if value is None:
        return None
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal("0.000000001"), rounding=ROUND_HALF_EVEN)


def blocks(path):
    """(title, command, lines that must come out, parts of the error)"""
    for text in path.read_text().split("\n@@ ")[0:]:
        lines = text.removeprefix("@@ ").split("\n")
        command = [x for x in lines[1:] if x[:3] not in ("=> ", "#> ", "!> ")]
        yield (lines[0], "\n".join(command) + "\n",
               [x[3:].split() for x in lines if x.startswith("=> ")],
               [x[3:] for x in lines if x.startswith("!> ")])


def wanted(words, prices, zone):
    kind, _, _, place, name, provisioning = (words + ["-"] * 6)[:6]
    extra = words[6:] if len(words) > 6 else []
    count = next((int(x[1:]) for x in words[5:] if x[0] == "x" and x[1:].isdigit()), 1)
    gib = next((int(x[:-3]) for x in words[5:] if x.endswith("GiB")), 0)
    place = zone if place == "-" else place
    region = place.rsplit("-", 1)[0] if place.count("-") > 1 else place
    spot = provisioning == "spot"
    price = "skip"
    if kind == "tpu":
        price = prices.of_tpu(name, place, provisioning)
    elif kind == "vm" and not any(x.startswith(("gpu=", "ssd=")) for x in extra):
        price = prices.of_vm(name, region, spot)
    elif kind == "disk" and gib and place.count("-") > 1:
        price = prices.of_disk(name, region, gib)
    if price not in ("skip", None):
        price = nanos(price) * count
    return {"kind": kind, "type": name, "place": place, "class": provisioning, "count": count,
            "price": price}


def judge(things):
    """How many of each TPU wish a grant pays, first come first served."""
    left = dict(GRANTS)
    for t in things:
        if t["kind"] != "tpu":
            continue
        _, chips = Prices.chips(t["type"])
        t["covered"] = 0
        for key in ((t["type"], t["place"], t["class"]),
                    (t["type"].rsplit("-", 1)[0], t["place"], t["class"])):
            if key in left:
                t["covered"] = min(t["count"], left[key] // chips)
                left[key] -= t["covered"] * chips
    return all(t["covered"] == t["count"] for t in things if t["kind"] == "tpu")


def differences(things, rows):
    if len(things) != len(rows):
        return [f"{len(rows)} things, not {len(things)}"]
    wrong = []
    for t, r in zip(things, rows):
        got = {"kind": r["kind"], "count": r["count"]}
        want = {"kind": t["kind"], "count": t["count"]}
        if t["type"] != "-":
            got["type"], want["type"] = r["type"], t["type"]
        if t["kind"] == "tpu":
            got |= {"place": r["zone"], "class": r["provisioning"], "covered": r["covered_count"]}
            want |= {"place": t["place"], "class": t["class"], "covered": t["covered"]}
            each = None if t["price"] is None else t["price"] / t["count"]
            got["net"] = r["net_per_hour"]
            want["net"] = (Decimal(0) if t["covered"] == t["count"] else
                           None if each is None else each * (t["count"] - t["covered"]))
        if t["price"] != "skip":
            got["price"], want["price"] = r["gross_per_hour"], t["price"]
        if got != want:
            wrong.append(f"{r['kind']} {r['name']}: got {got}, want {want}")
    return wrong


def main():
    program, root, zone = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    prices = Prices(root)
    kept = ("HOME", "TPUCOST_CONFIG", "LD_PRELOAD", "TEST_CLOCK", "ASAN_OPTIONS")
    env = {"USER": "kim", **{k: os.environ[k] for k in kept if k in os.environ}}
    priced = n = 0
    for path in sorted((root / "tests/data/tutorials").glob("*.txt")):
        for title, command, lines, errors in blocks(path):
            n += 1
            things = [wanted(x, prices, zone) for x in lines]
            for t in things:
                if t["kind"] == "tpu":
                    t["covered"] = 0
            free = judge(things)
            tpus = [t for t in things if t["kind"] == "tpu"]
            typo = not tpus and any(t["kind"] == "vm" and t["type"] not in (*prices.types, "-")
                                    for t in things)
            status = 2 if errors else 0 if free and not typo else 3
            run = subprocess.run(
                [program, "estimate", "-", "-q", "--format", "json", "--zone", zone],
                input=command, capture_output=True, text=True, env=env, check=False)
            wrong = [] if run.returncode == status else [
                f"status {run.returncode}, not {status}: {run.stderr}"]
            for part in errors:
                if part not in run.stderr:
                    wrong.append(f"no \"{part}\" in {run.stderr}")
            if not wrong and not errors:
                wrong = differences(things, json.loads(run.stdout, parse_float=Decimal,
                                                       parse_int=lambda x: Decimal(x)))
            priced += sum(t["price"] not in ("skip", None) for t in tpus)
            print(("not ok " if wrong else "ok ") + path.stem + ": " + title)
            for w in wrong:
                print("    " + w)
    ok = n >= 60 and priced >= 50
    print(("ok " if ok else "not ok ") + f"{n} commands, {priced} TPU prices")


main()
