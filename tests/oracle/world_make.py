"""Random worlds for world_oracle.py: what a fake Google Cloud holds, and a configuration.

make(seed, now) gives the same world for the same seed, as two JSON objects, which are YAML as
well. Its times are absolute, and whole seconds before `now`. Standard library only.
"""

import datetime
import random
import zoneinfo

UTC = datetime.timezone.utc
HOUR = 3600
DAY = 86400
PROJECTS = ("lab-one", "lab-two", "lab-three")
ZONES = (
    "us-central1-a us-central1-b us-central1-c us-central1-f us-central2-b us-east1-d "
    "us-east5-a us-west1-c europe-west4-a europe-west4-b asia-east1-c"
).split()
TIMEZONES = (
    "UTC Asia/Hong_Kong America/Los_Angeles America/St_Johns Europe/London Asia/Kolkata "
    "Pacific/Auckland America/Sao_Paulo Asia/Kathmandu"
).split()
# What grants are likely to be for, so that most of them meet something.
TPUS = {
    "v2": (("v2-8", "v2-8", "v2-32"), ("us-central1-f", "us-central1-b", "europe-west4-a")),
    "v3": (("v3-8", "v3-8", "v3-32"), ("europe-west4-a", "us-central1-a", "us-east1-d")),
    "v4": (("v4-8", "v4-16", "v4-32"), ("us-central2-b",)),
    "v5litepod": (
        ("v5litepod-1", "v5litepod-4", "v5litepod-8", "v5litepod-16"),
        ("us-central1-a", "europe-west4-b", "us-west1-c"),
    ),
    "v5p": (("v5p-8", "v5p-16"), ("us-east5-a", "europe-west4-b", "us-central1-a")),
    "v6e": (("v6e-1", "v6e-4", "v6e-8"), ("europe-west4-a", "us-east1-d", "us-central2-b")),
}
CORES = ("v2", "v3", "v4", "v5p")
MACHINES = (
    "n1-standard-1 n1-standard-8 n1-highmem-96 n1-highcpu-16 n2-standard-8 n2-highmem-16 "
    "e2-micro e2-small e2-medium e2-standard-4 n2d-standard-4 c2d-standard-8 c2-standard-8 "
    "a2-highgpu-1g g2-standard-8 f1-micro g1-small t2d-standard-4 custom-4-5120 "
    "n1-custom-6-20480 custom-2-15360-ext n2-custom-8-16384 m1-ultramem-40 z9-standard-4"
).split()
DISKS = "pd-standard pd-ssd pd-balanced pd-standard pd-ssd pd-extreme hyperdisk-balanced".split()
COMPUTE = ("6F81-5844-456A", "Compute Engine")
TPU = ("E000-3F24-B8AA", "Cloud TPU")
STORAGE = ("95FF-2EF5-5EA1", "Cloud Storage")
# service, SKU id, description, category, unit, a price near to that of the list, what it prices
SKUS = (
    (COMPUTE, "2E27-4F75-95CD", "N1 Predefined Instance Core running in Americas", "cpu", "hour",
        31611, "n1 core"),
    (COMPUTE, "6C71-E844-38BC", "N1 Predefined Instance Ram running in Americas", "cpu",
        "gibibyte hour", 4237, "n1 ram"),
    (COMPUTE, "CF4E-A0C7-E3BF", "E2 Instance Core running in Americas", "cpu", "hour", 21811,
        "e2 core"),
    (COMPUTE, "F449-33EC-A5EF", "E2 Instance Ram running in Americas", "cpu", "gibibyte hour",
        2923, "e2 ram"),
    (COMPUTE, "D973-5D65-BAB2", "Storage PD Capacity", "disk", "gibibyte month", 40000,
        "pd-standard"),
    (COMPUTE, "B188-61DD-52E4", "SSD backed PD Capacity", "disk", "gibibyte month", 170000,
        "pd-ssd"),
    (COMPUTE, "6E5A-9A2C-9D36", "Static Ip Charge", "ip", "hour", 10000, "ip"),
    (TPU, "6B07-9E35-6C58", "Tpu-v3 accelerator running in Americas", "tpu", "hour", 8000000,
        "v3-8"),
    (TPU, "3B3D-4CB4-AECC", "Tpu-v2 accelerator running in Americas", "tpu", "hour", 4500000,
        "v2-8"),
    (COMPUTE, "9DE9-9092-B3BC", "Network Internet Data Transfer Out from Americas to China",
        "network", "gibibyte", 230000, None),
    (STORAGE, "7870-010B-2763", "Regional Standard Class B Operations", "storage", "count", 400,
        None),
)
CATEGORIES = {s[2]: s[3] for s in SKUS} | {"Tax": "other"}
CATALOG = {  # resource group and usage unit of the price list
    "n1 core": ("N1Standard", "h"), "n1 ram": ("N1Standard", "GiBy.h"), "e2 core": ("CPU", "h"),
    "e2 ram": ("RAM", "GiBy.h"), "pd-standard": ("PDStandard", "GiBy.mo"),
    "pd-ssd": ("SSD", "GiBy.mo"), "ip": ("IpAddress", "h"), "v3-8": ("TPU", "h"),
    "v2-8": ("TPU", "h"),
}
AMERICAS = ["us-central1", "us-east1", "us-west1"]
TABLE = "lab-one.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901"


def text(instant):
    return datetime.datetime.fromtimestamp(instant, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def local_date(instant, zone):
    return datetime.datetime.fromtimestamp(instant, UTC).astimezone(zone).date()


def region_of(zone):
    return zone.rsplit("-", 1)[0]


def micros(n):
    """A decimal of so many millionths, as JSON has it."""
    return float(f"{n // 10**6}.{n % 10**6:06d}")


class Maker:
    def __init__(self, seed, now):
        self.r = random.Random(seed)
        self.now = now
        self.names = 0
        self.zone_name = self.r.choice(TIMEZONES)
        self.zone = zoneinfo.ZoneInfo(self.zone_name)
        self.currency = self.r.choice(("USD", "HKD", "HKD"))
        # whether the bill tells prices, and whether there is a price list
        self.prices_billed = self.r.random() < 0.5
        self.prices_listed = self.r.random() < 0.4
        # loads are done well away from now: the bill is the same all through the test
        self.shift = (now + HOUR // 2) % HOUR

    def chance(self, p):
        return self.r.random() < p

    def name(self, what):
        self.names += 1
        return f"{what}-{self.r.choice('abcdefgh')}{self.names}"

    def ago(self, most, least=60):
        """A moment before now, mostly not a whole hour."""
        at = self.now - self.r.randint(least, most)
        return at - at % 60 if self.chance(0.3) else at

    # ---- what exists

    def labels(self):
        return {"owner": self.r.choice(("ada", "ben", "cyd"))} if self.chance(0.5) else {}

    def node(self, family):
        # half of them crowd where a grant is likely to be, and to be too small
        crowd = self.chance(0.5)
        types, zones = TPUS[self.hot[0] if crowd else family]
        zone = self.r.choice(zones) if self.chance(0.85) else self.r.choice(ZONES)
        node = {
            "project": self.r.choice(PROJECTS),
            "zone": self.hot[1] if crowd else zone,
            "name": self.name("tpu"),
            "type": self.r.choice(types[:2] if crowd else types),
            "spot": self.hot[2] if crowd else self.chance(0.4),
            "state": self.r.choice(("READY",) * 8 + ("PREEMPTED", "STOPPED")),
            "labels": self.labels(),
        }
        created = self.r.choice(self.births) if self.chance(0.2) else self.ago(25 * DAY)
        self.births.append(created)
        return node | {"created": text(created)}

    def machine(self):
        created = self.ago(40 * DAY)
        vm = {
            "project": self.r.choice(PROJECTS),
            "zone": self.r.choice(ZONES),
            "name": self.name("vm"),
            "type": self.r.choice(MACHINES),
            "spot": self.chance(0.3),
            "status": self.r.choice(("RUNNING",) * 5 + ("TERMINATED", "SUSPENDED")),
            "labels": self.labels(),
            "created": text(created),
        }
        if self.chance(0.4):
            vm["started"] = text(self.r.randint(created, self.now - 30))
        if vm["type"].startswith("n1-standard") and self.chance(0.5):
            vm["gpu"] = self.r.choice(("nvidia-tesla-v100", "nvidia-tesla-v100", "nvidia-tesla-p4"))
            vm["gpus"] = self.r.choice((1, 2, 4))
        if vm["type"][:2] in ("n1", "n2") and "custom" not in vm["type"] and self.chance(0.3):
            vm["local_ssds"] = self.r.choice((1, 2))
        if self.chance(0.1):
            vm["type"] = self.r.choice(("ct5lp-hightpu-4t", "ct6e-standard-4t"))
            vm["zone"] = self.r.choice(("us-central1-a", "europe-west4-a", "us-east5-a"))
            vm["status"] = self.r.choice(("RUNNING", "RUNNING", "TERMINATED"))
            for key in ("gpu", "gpus", "local_ssds"):
                vm.pop(key, None)
        if self.chance(0.4):  # the end is often within the period of a budget
            vm["ends"] = text(self.now + self.r.randint(HOUR, 30 * DAY))
            vm["at_end"] = self.r.choice(("stop", "delete"))
        return vm

    def disk(self, machines):
        vm = self.r.choice(machines) if machines and self.chance(0.5) else None
        disk = {
            "project": vm["project"] if vm else self.r.choice(PROJECTS),
            "zone": vm["zone"] if vm else self.r.choice(ZONES),
            "name": self.name("disk"),
            "type": self.r.choice(DISKS),
            "size_gb": self.r.randint(1, 3000),
            "users": [vm["name"]] if vm else [],
            "created": text(self.ago(40 * DAY)),
        }
        if not vm and self.chance(0.3):
            disk["region"] = region_of(disk.pop("zone"))
        if vm and "boot" not in vm and self.chance(0.5):  # the fake cloud knows it by its name
            vm["boot"] = disk["name"] = vm["name"]
            disk["keep"] = self.chance(0.3)
        return disk

    def snapshot(self, disks):
        disk = self.r.choice([d for d in disks if "zone" in d])
        where = self.r.choice((region_of(disk["zone"]), "us", "eu", "asia"))
        return {
            "project": disk["project"], "name": self.name("snap"), "disk": disk["name"],
            "zone": disk["zone"], "size_gb": disk["size_gb"], "locations": [where],
            "bytes": self.r.randint(1, 10**9), "created": text(self.ago(30 * DAY)),
        }

    def address(self, machines):
        running = [m for m in machines if m["status"] == "RUNNING" and m["zone"].endswith("-a")]
        vm = self.r.choice(running) if running and self.chance(0.4) else None
        return {
            "project": vm["project"] if vm else self.r.choice(PROJECTS),
            "region": region_of(vm["zone"] if vm else self.r.choice(ZONES)),
            "name": self.name("ip"),
            "users": [vm["name"]] if vm else [],
            "type": "EXTERNAL" if vm or self.chance(0.8) else "INTERNAL",
            "created": text(self.ago(40 * DAY)),
        }

    def queued(self):
        family = self.r.choice(list(TPUS))
        return {
            "project": self.r.choice(PROJECTS), "zone": self.r.choice(TPUS[family][1]),
            "name": self.name("queue"), "type": TPUS[family][0][0], "spot": self.chance(0.5),
            "state": self.r.choice(("SUSPENDED", "WAITING_FOR_RESOURCES", "FAILED")),
            "created": text(self.ago(5 * DAY)),
        }

    # ---- the bill

    def line(self, sku, project, region, price, first, last):
        """One row an hour; `price` in millionths of the bill's currency a unit."""
        service, number, name, _, unit, _, _ = sku
        usage = self.r.randint(1, 2000)  # thousandths
        cost = price * usage  # 1e-9 units
        line = {
            "project": project, "service_id": service[0], "service": service[1],
            "sku_id": number, "sku": name, "location": region, "region": region,
            "resource": f"things/{number[:4]}", "unit": unit,
            "usage": micros(usage * 1000) if self.prices_billed or not sku[6] else 0,
            "cost": f"{cost // 10**9}.{cost % 10**9:09d}",
            "from": text(first), "until": text(last),
            "lag": f"{self.r.randint(1, 9) * HOUR + self.shift}s",
        }
        if self.chance(0.4):
            part = self.r.choice((cost, cost, cost // 3))
            line["credits"] = [{
                "name": "coupon",
                "type": self.r.choice(("PROMOTION", "PROMOTION", "SUSTAINED_USAGE_DISCOUNT")),
                "amount": f"-{part // 10**9}.{part % 10**9:09d}",
            }]
        return line

    def bill(self):
        hour = self.now - self.now % HOUR
        lines = []
        for sku in SKUS:
            if self.chance(0.3):
                continue
            price = sku[5] * self.r.randint(50, 150) // 100
            if self.currency == "HKD":
                price = price * 31 // 4
            region = self.r.choice(AMERICAS[:2])
            project = self.r.choice(PROJECTS[:2])
            cut = hour - self.r.randint(2, 20) * DAY
            if self.chance(0.4):  # another price before
                lines.append(self.line(
                    sku, project, region, price * 2, cut - self.r.randint(1, 240) * HOUR, cut))
            end = hour if self.chance(0.7) else cut + DAY
            lines.append(self.line(sku, project, region, price, cut, end))
            lines[-1]["lag"] = lines[-2]["lag"] if len(lines) > 1 else lines[-1]["lag"]
        if self.chance(0.5):
            at = hour - self.r.randint(2, 30) * DAY
            lines.append({
                "service": "Invoice", "sku": "Tax", "cost": "12.34", "cost_type": "tax",
                "from": text(at), "until": text(at + HOUR), "lag": f"{5 * HOUR + self.shift}s"})
        return {
            "table": TABLE, "location": "US", "currency": self.currency,
            "rate": 7.75 if self.currency == "HKD" else 1, "rows": lines,
        }

    def price_list(self):
        out = []
        for sku in SKUS:
            if not sku[6] or self.chance(0.3):
                continue
            group, unit = CATALOG[sku[6]]
            out.append({
                "service_id": sku[0][0], "service": sku[0][1], "id": sku[1], "name": sku[2],
                "group": group, "unit": unit, "free": self.r.choice((0, 0, 30)),
                "regions": AMERICAS[: self.r.randint(1, 3)],
                "price": micros(sku[5] * self.r.randint(80, 120) // 100),
            })
        return out

    # ---- quotas

    def quotas(self):
        out = []
        for project in PROJECTS:
            for region in (None, "us-central1", "europe-west4"):
                for metric in ("CPUS_ALL_REGIONS",) if not region else ("CPUS", "SSD_TOTAL_GB"):
                    if self.chance(0.6):
                        out.append({
                            "project": project, "metric": metric,
                            "limit": self.r.choice((0, 8, 24, 96, 4096)),
                            "usage": self.r.randint(0, 100),
                        } | ({"region": region} if region else {}))
        return out

    def limits(self):
        out = []
        for project in PROJECTS:
            for kind in ("V2s", "V3s"):
                if self.chance(0.3):  # where no zone has its own
                    out.append({
                        "project": project, "quota": f"TPU{kind}PerProjectPerZoneForTPUAPI",
                        "metric": f"tpu.googleapis.com/tpu-{kind.lower()}",
                        "value": self.r.choice(("0", "16")),
                        "locations": self.r.sample(ZONES, self.r.randint(1, 3)),
                    })
                for zone in self.r.sample(ZONES, self.r.randint(0, 3)):
                    out.append({
                        "project": project, "zone": zone,
                        "quota": f"TPU{kind}PerProjectPerZoneForTPUAPI",
                        "metric": f"tpu.googleapis.com/tpu-{kind.lower()}",
                        "value": self.r.choice(("0", "-1", "8", "40", "2048")),
                    })
        return out

    # ---- the configuration

    def moment(self, instant):
        """Both what the configuration says and when it is: a date or an instant."""
        if self.chance(0.5):
            return local_date(instant, self.zone).isoformat()
        return text(instant)

    def granted(self, used):
        family = self.r.choice(list(TPUS))
        zone = self.r.choice(TPUS[family][1])
        spot = self.chance(0.4)
        if self.chance(0.25):
            family, zone, spot = self.hot
        kind = self.r.choice(("preemptible", "spot")) if spot else "on-demand"
        key = (family, kind == "on-demand", zone)  # preemptible and spot are the same
        if key in used:
            return None
        used.add(key)
        shape = self.r.choice(("device", "device", "chips", "cores"))
        word = "v5e" if family == "v5litepod" and self.chance(0.5) else family
        if shape == "device" or (shape == "cores" and family not in CORES):
            what = f"{self.r.randint(1, 3)} {kind} Cloud TPU {self.r.choice(TPUS[family][0])} device(s)"
        else:
            count = self.r.randint(1, 6) * 4 * (2 if shape == "cores" else 1)
            what = f"{count} {kind} Cloud TPU {word} {shape}"
        return f"{what} in zone {zone}"

    def grants(self):
        out, times = [], {}
        for number in range(self.r.randint(1, 6)):
            used = set()
            lines = [self.granted(used) for _ in range(self.r.randint(1, 7))]
            lines = [x for x in lines if x]
            starts = self.now - self.r.randint(-3 * DAY, 30 * DAY)
            other = self.r.choice(out) if out and self.chance(0.35) else None
            if other:  # a renewal begins and ends later, before the other is over or after it
                starts = times[other["name"]] + self.r.randint(1, 20) * DAY
            grant = {"name": f"grant-{number}", "starts": self.moment(starts), "tpus": lines}
            times[grant["name"]] = starts
            if not other and self.chance(0.3):
                grant["days"] = self.r.choice((7, 14, 30, 60))
            else:
                # no two grants end together: who is used first is not said then
                grant["until"] = text(starts + self.r.randint(2, 40) * DAY + number * 61)
            # not of a renewal: which of the two then pays is a matter of names alone
            if not other and self.chance(0.15):
                grant["new_only"] = False
            if self.chance(0.15):
                grant["project"] = self.r.choice(PROJECTS)
            if other:
                grant["extends"] = other["name"]
                grant.pop("project", None)
                if "project" in other:
                    grant["project"] = other["project"]
                if self.chance(0.8):
                    grant["tpus"] = [self.more(x) for x in other["tpus"]]
            out.append(grant)
        return out

    def more(self, line):
        count, rest = line.split(" ", 1)
        return f"{self.r.choice((int(count), int(count) + 4, max(int(count) // 8 * 4, 1)))} {rest}" \
            if "core" not in line else line

    def budgets(self):
        out = []
        for number, per in enumerate(("month", "week", "day", "custom", "custom", "month")):
            budget = {
                "name": f"budget-{number}",
                "amount": f"{self.r.choice((20, 100, 900, 5000, 30000))}.{self.r.randint(0, 99):02d} "
                + self.r.choice((self.currency, "USD")),
                "alert_at": [50, 80, 100], "forecast_at": [90, 100],
            }
            if per == "custom":
                budget["starts"] = self.moment(self.now - self.r.randint(-2 * DAY, 15 * DAY))
                budget["ends"] = self.moment(self.now + self.r.randint(3 * DAY, 20 * DAY))
                if number == 4:
                    budget["starts"] = self.moment(self.now - 14 * DAY)
                    budget["ends"] = self.moment(self.now - 5 * DAY)
            else:
                budget["per"] = per
            if self.chance(0.3):
                budget["count"] = "gross"
            if self.chance(0.6):
                budget["where"] = self.r.choice(CONDITIONS)
            out.append(budget)
        return out

    def overrides(self):
        out = []
        for family in self.r.sample(list(TPUS), self.r.randint(0, 2)):
            entry = {
                "tpu": family, "zone": self.r.choice(TPUS[family][1]),
                "per_chip_hour": f"{micros(self.r.randint(10**5, 5 * 10**6))} {self.currency}",
            }
            out.append(entry | ({"provisioning": "spot"} if self.chance(0.3) else {}))
        return out

    def make(self):
        self.births = [self.now - 5 * DAY]
        families = self.r.sample(list(TPUS), self.r.randint(2, 6))
        self.hot = (families[0], TPUS[families[0]][1][0], self.chance(0.3))
        nodes = [self.node(self.r.choice(families)) for _ in range(self.r.randint(0, 16))]
        machines = [self.machine() for _ in range(self.r.randint(0, 12))]
        disks = [self.disk(machines) for _ in range(self.r.randint(1, 12))]
        for vm in machines:
            vm.pop("boot", None)
        snapshots = [self.snapshot(disks) for _ in range(self.r.randint(0, 3))
                     if any("zone" in d for d in disks)]
        world = {
            "name": "made",
            "projects": [{"id": p, "number": f"10000000000{n}"} for n, p in enumerate(PROJECTS)],
            "zones": ZONES, "nodes": nodes, "instances": machines, "disks": disks,
            "snapshots": snapshots, "billing": self.bill(), "quotas": self.quotas(),
            "addresses": [self.address(machines) for _ in range(self.r.randint(0, 6))],
            "queued": [self.queued() for _ in range(self.r.randint(0, 3))],
            "limits": self.limits(),
        }
        if self.prices_listed:
            world["skus"] = self.price_list()
        config = {
            "timezone": self.zone_name, "projects": list(PROJECTS), "database": "t.db",
            "currency": self.currency if self.chance(0.6) else "USD",
            "credentials": "service-account.json",
            "billing": {"table": TABLE},
            "grants": self.grants(), "budgets": self.budgets(), "prices": self.overrides(),
            # one at a time: how two share a promotion is not for this oracle to say
            "credits": [self.r.choice((
                {"name": "trial", "amount": "300 USD",
                 "starts": self.moment(self.now - self.r.randint(1, 30) * DAY),
                 "expires": self.moment(self.now + self.r.randint(1, 60) * DAY)},
                {"name": "coupon", "amount": f"1000.5 {self.currency}",
                 "starts": self.moment(self.now - self.r.randint(1, 30) * DAY)},
            ))],
        }
        return world, config


CONDITIONS = (
    "category = 'cpu'",
    "category = 'tpu' OR category = 'disk'",
    "project = 'lab-one'",
    "project IN ('lab-two', 'lab-three') AND category <> 'ip'",
    "region = 'us-central1'",
    "zone = 'us-central1-a' OR zone = 'europe-west4-a'",
    "cost_type = 'regular'",
    "service = 'Compute Engine' AND NOT category = 'snapshot'",
)


def make(seed, now):
    return Maker(seed, now).make()
