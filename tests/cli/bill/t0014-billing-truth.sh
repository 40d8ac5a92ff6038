# Billing, polled: equal to an independent computation over the rows of the export, to the
# nano-unit, whatever comes late, is corrected, is paged or is killed.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null; then
	pass "skipped: the oracle needs python3"
	exit 0
fi
write_world truth us-central1-a <<EOF
billing:
  table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
  location: EU
  currency: HKD
  rate: 7.7832
  page_rows: 7
  rows:
    # both changes of the clock in California, two ends of months, late loads
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: Core,
       unit: hour, usage: 96, cost: 0.123456789, region: us-central1, zone: us-central1-a,
       resource: tpu-vm, from: 2026-03-06T00:00:00Z, until: 2026-03-10T00:00:00Z,
       credits: [{name: sud, type: SUSTAINED_USAGE_DISCOUNT, amount: -0.0123456}]}
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A2, sku: Ram,
       unit: gibibyte hour, usage: 360.5, cost: 4.4E-5, from: 2026-10-30T00:00:00Z,
       until: 2026-11-03T12:00:00Z, lag: 5h, copies: 2,
       credits: [{name: t, type: PROMOTION, amount: -0.00004}, {name: u, type: FREE_TIER, amount: -1E-9}]}
    - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3,
       unit: hour, usage: 1, cost: 62.000000001, from: 2026-10-31T20:00:00Z,
       until: 2026-11-01T14:00:00Z, lag: 30h,
       credits: [{name: t, type: PROMOTION, amount: -62.000000001}]}
    - {project: lab-two, service_id: 95FF-2EF5-5EA1, service: Cloud Storage, sku_id: C1, sku: Egress,
       cost: 0.000000333, from: 2026-10-30T07:00:00Z, until: 2026-11-02T07:00:00Z, every: 3h}
    # one SKU and hour in three consumption models, a free hour with a list cost among them
    - {project: lab-two, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: M1, sku: TpuV6e,
       unit: hour, usage: 4, cost: 10.800000001, list_cost: 12.000000007, region: us-east5,
       from: 2026-10-31T20:00:00Z, until: 2026-11-01T14:00:00Z,
       credits: [{name: d, type: DISCOUNT, amount: -0.000000003}]}
    - {project: lab-two, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: M1, sku: TpuV6e,
       unit: hour, usage: 2, cost: 3.779999999, list_cost: 6.000000003, default_cost: 5.400000001,
       model: Flexible CUD, model_id: 52FB-D69D-95BE, region: us-east5,
       from: 2026-10-31T20:00:00Z, until: 2026-11-01T14:00:00Z, copies: 2}
    - {project: lab-two, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: M1, sku: TpuV6e,
       unit: hour, usage: 8, cost: 0, list_cost: 24.000000013, model: Research, model_id: 1111-2222-3333,
       region: us-east5, from: 2026-10-31T21:00:00Z, until: 2026-11-01T01:00:00Z}
    - {service: Tax, sku: Tax, cost: 3.21, cost_type: tax, from: 2026-11-01T07:00:00Z}
    - {project: lab-one, service: Support, sku: Refund, cost: -1000, cost_type: adjustment,
       from: 2026-10-31T10:00:00Z, invoice: next}
EOF
start_sandbox "$work/world.yaml"
table=/bigquery/v2/projects/lab-one/datasets/billing/tables/gcp_billing_export_resource_v1_00AA11_22BB33_44CC55
config() {
	cat >tpucost.yaml <<EOF
timezone: $1
projects: [lab-one]
credentials: service-account.json
database: ${2:-t.db}
billing: {table: lab-one.billing.gcp_billing_export_resource_v1_00AA11_22BB33_44CC55}
endpoints: {all: "$url"}
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}

# The rows of the export as the API lists them, put into the form of an extract.
cat >truth.py <<'EOF'
import datetime, json, os, sys, urllib.request, zoneinfo
from decimal import Decimal
sys.path.insert(0, os.environ["ROOT"] + "/tests/oracle")
import billing_oracle
url, table, zone = sys.argv[1:4]
def get(path, token=None):
    r = urllib.request.Request(url + path, headers={"Metadata-Flavor": "Google"} if not token else
                               {"Authorization": "Bearer " + token})
    return json.load(urllib.request.urlopen(r))
token = get("/computeMetadata/v1/instance/service-accounts/default/token")["access_token"]
fields = get(table, token)["schema"]["fields"]
def value(f, v):
    if v is None:
        return None
    if f["mode"] == "REPEATED":
        return [value({**f, "mode": "NULLABLE"}, x["v"]) for x in v]
    if f["type"] == "RECORD":
        return {g["name"]: value(g, c["v"]) for g, c in zip(f["fields"], v["f"])}
    if f["type"] == "TIMESTAMP":
        t = datetime.datetime.fromtimestamp(round(float(v)), datetime.timezone.utc)
        return t.strftime("%Y-%m-%d %H:%M:%S UTC")
    return v
page = ""
with open("rows.json", "w") as out:
    while page is not None:
        d = get(table + "/data?maxResults=1000" + ("&pageToken=" + page if page else ""), token)
        for row in d.get("rows", []):
            print(json.dumps({f["name"]: value(f, c["v"]) for f, c in zip(fields, row["f"])}), file=out)
        page = d.get("pageToken")

# What the oracle sums of them and what tpucost says, by each column: into want.BY and got.BY.
def plain(path, column, groups):
    with open(path, "w") as out:
        for r in sorted(groups, key=lambda r: (str(r.get(column)), r["currency"])):
            if Decimal(r["list_cost"]) or Decimal(r["cost"]) or Decimal(r["credits"]):
                print(r.get(column) or None, r["currency"], *("%.9f" % Decimal(r[c])
                      for c in ("cost", "credits", "list_cost", "savings")), file=out)
for by in sys.argv[4:]:
    oracle = billing_oracle.Oracle(by, zoneinfo.ZoneInfo(zone), True)
    for _, row in billing_oracle.rows_of("rows.json"):
        oracle.take(row)
    plain("want." + by, by, oracle.result())
    with open("said." + by) as f:
        plain("got." + by, "sku_id" if by == "sku" else by, json.load(f, parse_float=Decimal))
EOF
# compare NAME ZONE: what tpucost says against the oracle
compare() {
	rm -f want.* got.* said.*
	for by in day sku project invoice_month consumption_model credit_type; do
		column=$by
		[ $by != sku ] || column=sku_id
		tpucost cost --by $column --format json >said.$by 2>/dev/null
	done
	python3 -B truth.py "$url" "$table" "$2" day sku project invoice_month consumption_model credit_type
	for by in day sku project invoice_month consumption_model credit_type; do
		is "$1: by $by" "$(sort got.$by)" "$(sort want.$by || echo none)"
	done
}

config America/Los_Angeles
run tpucost collect billing
is "collect: status" "$rc" 0
compare first America/Los_Angeles
is "the oracle saw rows" "$(wc -l <rows.json)" 414
is "pages of seven" "$(grep -c '"GET".*queries/job' requests | awk '{print ($1 > 30)}')" 1
is "23 and 25 hours" "$(tpucost sql "SELECT day, CAST(SUM(usage) / 96 AS INTEGER) AS n FROM costs WHERE sku_id = 'A1' AND day IN ('2026-03-07', '2026-03-08', '2026-03-09') GROUP BY day" --format csv | tr '\r\n' '  ' | tr -s ' ')" \
	"day,n 2026-03-07,24 2026-03-08,23 2026-03-09,17 "
is "and 25" "$(tpucost sql "SELECT CAST(SUM(usage) / 721 AS INTEGER) AS n FROM costs WHERE sku_id = 'A2' AND day = '2026-11-01'" --format csv | tail -1 | tr -d '\r')" 25

queries() { grep -c '"POST".*/queries"' requests; }
before=$(queries)
run tpucost collect billing
is "nothing new: no query" "$(queries)" "$before"
compare second America/Los_Angeles

# late rows into old partitions, and a correction: the wrong row again with the other sign, and
# the right one, both in the next invoice
curl -sS -X POST --data-binary @- "$url/_sandbox/world/patch" >/dev/null <<'EOF'
billing_rows:
  - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: Core,
     unit: hour, usage: 1, cost: 0.777777777, from: 2026-03-08T09:00:00Z, lag: 40h}
  - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3,
     unit: hour, usage: -1, cost: -62.000000001, from: 2026-11-01T05:00:00Z, lag: 200h, invoice: next,
     credits: [{name: t, type: PROMOTION, amount: 62.000000001}]}
  - {project: lab-two, service_id: E000-3F24-B8AA, service: Cloud TPU, sku_id: B1, sku: Tpu v3,
     unit: hour, usage: 1, cost: 5, from: 2026-11-01T05:00:00Z, lag: 200h, invoice: next}
EOF
set_clock $((NOW + 60)) # a change is news only of a day that an earlier poll knew
run tpucost collect billing
is "late rows: status" "$rc" 0
compare late America/Los_Angeles
is "what changed is written down" \
	"$(tpucost sql "SELECT day, change FROM restatements WHERE day = '2026-03-08'" --format csv | tail -1 | tr -d '\r')" \
	"2026-03-08,0.777777777"

for zone in Asia/Hong_Kong Australia/Lord_Howe UTC; do
	config $zone
	run tpucost collect billing
	compare "days of $zone" $zone
done

# killed at any moment, then run to the end
config America/Los_Angeles k.db
n=$(allocations "$B/tpucost" collect billing -q)
rm -f k.db*
for part in 2 3 4 5 6 7 8; do
	die_at $((n * part / 9)) "$B/tpucost" collect billing -q
	is "killed after $part of 9 parts: every unit that is there is whole" "$(sqlite3 k.db '
		SELECT count(*) FROM billing_unit_sum s WHERE s.cost <> (
			SELECT COALESCE(SUM(u.cost), 0) FROM usage u JOIN charge c USING (charge_ref)
			WHERE u.table_id = s.table_id AND u.unit = s.unit AND c.currency = s.currency)')" 0
done
run tpucost collect billing
is "after the kills: status" "$rc" 0
compare "after the kills" America/Los_Angeles
