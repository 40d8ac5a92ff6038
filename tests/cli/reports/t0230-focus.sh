# FOCUS: files of each version pass the schema in tests/focus, and read again they give the same bill;
# Google's own two kinds and the altered copy of its view give the bill of the export that they were made of.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null; then
	pass "skipped: the schema needs python3"
	exit 0
fi
database() {
	printf 'timezone: Asia/Hong_Kong\nprojects: [lab-one, lab-two]\ndatabase: %s.db\n' "$1" >"$1.yaml"
}
in_db() { # NAME ARGS...
	name=$1
	shift
	run tpucost "$@" --config "$name.yaml"
}

# An export with consumption models in one SKU-hour, credits of each kind, taxes, corrections, two
# currencies, and names that CSV must quote.
cat >make.py <<'EOF2'
import json, random
from decimal import Decimal
random.seed(7)
n = Decimal("0.000000001")
def rows():
    for i in range(400):
        day, hour = 1 + i % 30, i % 24
        model = [("7754-699E-0EBF", "Default"), ("52FB-D69D-95BE", "Flexible CUD, 1 year"), None][i % 3]
        cost = n * random.randrange(0, 10**11)
        r = {
            "billing_account_id": "01AB23-CD45EF-678901",
            "service": {"id": "6F81-5844-456A", "description": "Compute Engine"},
            "sku": {"id": "AAAA-%d" % (i % 4), "description": ["TpuV6e running in Columbus", "Spot Core",
                    "Commitment v1: Cpu for 1 Year", 'N1, "core"'][i % 4]},
            "usage_start_time": "2026-10-%02d %02d:00:00 UTC" % (day, hour),
            "usage_end_time": "2026-10-%02d %02d:59:59 UTC" % (day, hour),
            "project": {"id": ["lab-one", "lab-two"][i % 2], "number": "%d" % (7 + i % 2), "name": "x"},
            "labels": [{"key": "owner", "value": 'ada "x", y'}] if i % 5 else [],
            "location": {"location": "us-east5", "region": "us-east5", "zone": "us-east5-a"},
            "resource": {"name": "vm-%d" % (i % 6), "global_name": "//compute/%d" % (i % 6)},
            "export_time": "2026-11-02 00:00:00 UTC", "currency": "HKD" if i % 7 else "USD",
            "currency_conversion_rate": 7.78, "cost": cost, "cost_type": "regular",
            "usage": {"amount": 3600 * i, "unit": "seconds", "amount_in_pricing_units": i, "pricing_unit": "hour"},
            "credits": [{"name": "c", "type": t, "amount": -n * random.randrange(1, 10**9), "full_name": "c", "id": "c"}
                        for t in ("PROMOTION", "SUSTAINED_USAGE_DISCOUNT", "COMMITTED_USAGE_DISCOUNT",
                                  "FREE_TIER", "NEW_TYPE")[: i % 6]],
            "invoice": {"month": "202610" if i % 9 else "202611"},
        }
        if model:
            r["consumption_model"] = {"id": model[0], "description": model[1]}
            r["cost_at_list"] = cost + n * random.randrange(0, 10**9)
            r["cost_at_effective_price_default"] = cost + n * random.randrange(0, 10**8)
        if i % 50 == 49:
            r.update(cost_type=["tax", "adjustment", "rounding_error"][i // 50 % 3], project=None, usage=None,
                     sku={"id": "TAX", "description": "Tax"}, cost=-cost, credits=[])
        if i == 149: # an adjustment that is reduced itself
            r.update(credits=[{"name": "c", "type": "DISCOUNT", "amount": n * 7, "full_name": "c", "id": "c"}])
        yield r
class Text(json.JSONEncoder):
    def default(self, x):
        return format(x, "f")
def exact(r):
    return json.dumps(r, cls=Text)
export = list(rows())
with open("export.json", "w") as f:
    f.writelines(exact(r) + "\n" for r in export)

import csv
def focus(r, after):
    total = sum((c["amount"] for c in r["credits"]), Decimal(0))
    month, project, usage = r["invoice"]["month"], r["project"] or {}, r["usage"] or {}
    return {
        "BilledCost": r["cost"] + (total if after else 0), "ContractedCost": r["cost"],
        "EffectiveCost": r["cost"] + total, "ListCost": r.get("cost_at_list", r["cost"]),
        "BillingAccountId": r["billing_account_id"], "BillingCurrency": r["currency"],
        "BillingPeriodStart": "%s-%s-01T07:00:00Z" % (month[:4], month[4:]),
        "ChargePeriodStart": r["usage_start_time"].replace(" ", "T", 1).replace(" UTC", "Z"),
        "ChargeCategory": "tax" if r["cost_type"] == "tax" else "usage",
        "ChargeDescription": r["sku"]["description"], "SkuId": r["sku"]["id"],
        "ServiceName": r["service"]["description"], "x_ServiceId": r["service"]["id"],
        "ProviderName": "Google Cloud", "RegionId": r["location"]["region"],
        "AvailabilityZone": r["location"]["zone"], "ResourceName": r["resource"]["name"],
        "ResourceId": r["resource"]["global_name"], "x_Location": r["location"]["location"],
        "x_CostType": r["cost_type"], "x_CurrencyConversionRate": r["currency_conversion_rate"],
        "x_Credits": exact([{"Name": c["name"], "Amount": c["amount"], "FullName": "c", "Id": "c", "Type": c["type"]}
                            for c in r["credits"]]),
        "x_Project": exact({"Id": project.get("id"), "Number": project.get("number"), "Name": "x"}) if project else "",
        "quantity": usage.get("amount_in_pricing_units", ""), "unit": usage.get("pricing_unit", ""),
        "labels": [{"Key": l["key"], "Value": l["value"]} for l in r.get("labels", [])],
        "project": project.get("id", ""), "model": r.get("consumption_model", {}),
        "default": r.get("cost_at_effective_price_default", ""),
    }
def view(r, after):
    """Google's view over the detailed export; `after` is False in copies of it."""
    f = focus(r, after)
    labels, own = f.pop("labels"), (f.pop("quantity"), f.pop("unit"))
    for name in ("project", "model", "default"):
        f.pop(name)
    return f | {"SubAccountId": r["billing_account_id"], "PricingQuantity": "1", "PricingUnit": "hour",
                "ConsumedQuantity": own[0], "ConsumedUnit": own[1],
                "Tags": exact([{**l, "x_type": "label", "x_inherited": False} for l in labels])}
def table(r):
    """Google's FOCUS export."""
    f = focus(r, True)
    labels, model = f.pop("labels"), f.pop("model")
    return f | {"SubAccountId": f.pop("project"), "PricingQuantity": f.pop("quantity"), "PricingUnit": f.pop("unit"),
                "x_Labels": exact(labels), "x_ConsumptionModelId": model.get("id", ""),
                "x_ConsumptionModelDescription": model.get("description", ""),
                "x_CostAtEffectivePriceDefault": f.pop("default")}
for name, made in (("view", [view(r, True) for r in export]), ("copy", [view(r, False) for r in export]),
                   ("table", [table(r) for r in export])):
    with open(name + ".csv", "w", newline="") as f:
        w = csv.DictWriter(f, list(made[0]))
        w.writeheader()
        w.writerows({k: format(v, "f") if isinstance(v, Decimal) else v for k, v in r.items()} for r in made)
    # as BigQuery extracts it, with records and lists
    with open(name + ".json", "w") as f:
        for r in made:
            nested = {k: json.loads(v) if k in ("x_Credits", "x_Project", "Tags", "x_Labels") and v else v
                      for k, v in r.items()}
            f.write(exact({k: v for k, v in nested.items() if v != ""}) + "\n")
EOF2
python3 make.py
database raw
in_db raw import export.json
is "the export: status" "$rc" 0

# Sums of every view of the bill: by day, project, SKU, month and currency. Credits are by type.
bill() { # NAME [COLUMNS]
	in_db "$1" sql "SELECT day, invoice_month, project, sku, resource, owner, currency, cost_type, ${2:-}
		sum(cost) AS cost, sum(credits) AS credits, sum(promo) AS promo, sum(list_cost) AS list,
		sum(savings) AS savings, sum(usage) AS usage FROM costs
		GROUP BY day, invoice_month, project, sku, resource, owner, currency, cost_type ORDER BY 1, 2, 3, 4, 5, 6, 7, 8" \
		--format csv
	printf '%s\n' "$out"
}
credits() {
	in_db "$1" sql "SELECT credit_type, currency, sum(credits) AS credits FROM billed_credits
		GROUP BY credit_type, currency ORDER BY 1, 2" --format csv
	printf '%s\n' "$out"
}
want=$(bill raw)
has "the bill has every column" "$want" "2026-10-01,202610,lab-one,TpuV6e running in Columbus,vm-0,"
is "and rows" "$(printf '%s\n' "$want" | awk 'END { print (NR > 100) }')" 1

for version in 1.2 1.3 1.4; do
	in_db raw cost --format focus --focus $version --output "out-$version.csv"
	is "$version: status" "$rc $out" "0 "
	run python3 -B "$ROOT/tests/focus/check.py" $version out-$version.csv
	is "$version: passes the schema" "$rc" 0
	sums=$(printf '%s\n' "$out" | awk '$1 == "HKD" { print $2, $5 }')
	in_db raw sql "SELECT sum(net) || ' ' || (SELECT sum(list_cost) FROM costs WHERE currency = 'HKD') AS x
		FROM costs WHERE currency = 'HKD'" --format csv
	billed=${sums% *}
	is "$version: BilledCost is net" "$(printf '%s' "$out" | tail -n 1 | awk '{ printf "%s", $1 }')" \
		"$(printf '%s' "$billed" | sed 's/0*$//; s/\.$//')"
	database "again-$version"
	in_db "again-$version" import out-$version.csv
	is "$version: read again" "$rc" 0
	is "$version: the same bill" "$(bill again-$version)" "$want"
	is "$version: the same credits" "$(credits again-$version)" "$(credits raw)"
	database "twice-$version"
	in_db again-$version cost --format focus --focus $version --output "twice-$version.csv"
	is "$version: and the same file" "$(sort twice-$version.csv | cksum)" "$(sort out-$version.csv | cksum)"
done
run python3 -B "$ROOT/tests/focus/check.py" 1.4 out-1.2.csv
is "the schema of another version refuses it" "$rc" 1
has "and says why" "$out" "ServiceProviderName: missing"
has "and what it does not know" "$out" "PublisherName: not a column of 1.4"

in_db raw cost --format focus
is "standard output is the file" "$(printf '%s\n' "$out" | tr -d '\r' | cksum)" "$(tr -d '\r' <out-1.2.csv | cksum)"
is "a reader that closes the pipe" "$(tpucost cost --config raw.yaml --format focus -q 2>err | head -n 1 | cut -d, -f 1) $(cat err)" \
	"AvailabilityZone "
in_db raw cost --format focus --output out.csv.gz
is "to a pipe" "$(tpucost cost --format focus -q --config raw.yaml 2>stderr | cksum)$(cat stderr)" \
	"$(cksum <out-1.2.csv)"
is "gzip by name" "$(gzip -dc out.csv.gz | cksum)" "$(cksum <out-1.2.csv)"
in_db raw cost --format focus --project lab-two --since 2026-10-05 --until 2026-10-06 --where "currency = 'HKD'" --output part.csv
is "a part of it" "$(awk -F, 'NR > 1' part.csv | grep -c lab-two) $(grep -c lab-one part.csv)" \
	"$(awk -F, 'NR > 1' part.csv | wc -l | tr -d ' ') 0"
in_db raw sql "SELECT sum(net) AS x FROM costs WHERE project = 'lab-two' AND day = '2026-10-05' AND currency = 'HKD'" --format csv
is "its sum" "$(python3 -B "$ROOT/tests/focus/check.py" 1.2 part.csv | awk '$1 == "HKD" { printf "%s", $2 }' | sed 's/0*$//')" \
	"$(printf '%s' "$out" | tail -n 1 | tr -d '\r')"

# Both kinds of Google, and the copy of its view: CSV and JSON.
for kind in view copy table; do
	for form in csv json; do
		database "$kind-$form"
		in_db "$kind-$form" import "$kind.$form"
		is "$kind as $form: status" "$rc" 0
		case $kind in copy) word=before ;; *) word=after ;; esac
		has "$kind as $form: says what BilledCost is" "$out" "BilledCost was read as $word credits"
		is "$kind as $form: the bill of the export" "$(bill "$kind-$form")" "$want"
		is "$kind as $form: its credits" "$(credits "$kind-$form")" "$(credits raw)"
	done
done

# What does not show it is asked for, and nothing of it is stored.
sed 's/,ContractedCost,/,y,/' view.csv >unclear.csv
database unclear
in_db unclear import unclear.csv
is "not to be told: status" "$rc" 1
has "not to be told: asks" "$err" "--billed-cost after-credits"
in_db unclear sql "SELECT count(*) AS n FROM costs" --format csv
is "nothing is stored" "$(printf '%s' "$out" | tail -n 1 | tr -d '\r')" 0
in_db unclear import unclear.csv --billed-cost after
is "a wrong word: status" "$rc" 2
in_db unclear import unclear.csv --billed-cost after-credits
is "told: status" "$rc" 0
is "told: the bill of the export" "$(bill unclear)" "$want"

# Rows of other providers
awk 'NR == 1 || NR > 390' view.csv >many.csv
sed 1d many.csv | sed 's/Google Cloud/AWS/' >>many.csv
database many
in_db many import many.csv
is "several providers: status" "$rc" 4
has "several providers: says how many" "$err" "11 rows of other providers skipped: AWS"

sed '2s/Google Cloud//' many.csv >unnamed.csv
database unnamed
in_db unnamed import unnamed.csv
is "a row without a provider among several: status" "$rc" 1
has "a row without a provider among several: says so" "$err" "1 row names no provider, in a file with rows of others (AWS); name the"
in_db unnamed sql "SELECT count(*) AS n FROM costs" --format csv
is "a row without a provider among several: nothing is stored" "$(printf '%s' "$out" | tail -n 1 | tr -d '\r')" 0

# A fee has neither usage nor a unit; the first row of a file need not have credits.
cat >fee.json <<'EOF2'
{"service":{"id":"S","description":"Support"},"sku":{"id":"K","description":"Fee"},"usage_start_time":"2026-10-02 10:00:00 UTC","project":{"id":"p"},"cost":29,"currency":"USD","invoice":{"month":"202610"},"cost_type":"regular"}
{"service":{"id":"S","description":"Support"},"sku":{"id":"L","description":"Fee"},"usage_start_time":"2026-10-02 10:00:00 UTC","project":{"id":"p"},"cost":9,"currency":"USD","invoice":{"month":"202610"},"cost_type":"regular","credits":[{"type":"PROMOTION","amount":-9}]}
EOF2
database fee
in_db fee import fee.json
is "a fee: no note" "$rc $(printf '%s' "$out" | grep -c note)" "0 0"
in_db fee cost --format focus --output fee.csv
run python3 -B "$ROOT/tests/focus/check.py" 1.2 fee.csv
is "a fee: passes the schema" "$rc" 0

database told
in_db told import fee.json --billed-cost after-credits
is "an export has no BilledCost to speak of" "$rc $(printf '%s' "$out" | grep -c BilledCost)" "0 0"

# A tag may have the name of a column of the export.
printf '%s\n' '{"BilledCost":1,"BillingCurrency":"USD","ChargePeriodStart":"2026-10-02T10:00:00Z","ServiceName":"S","SkuId":"K","BillingPeriodStart":"2026-10-01T07:00:00Z","ProviderName":"Google Cloud","ContractedCost":1,"Tags":{"cost":"x"}}' >tagged.json
database tagged
in_db tagged import tagged.json
is "FOCUS with a tag named cost: status" "$rc" 0

# What a file leaves open is said, once.
focus_file() { # NAME COLUMNS LINE...: Google Cloud, unless a column says otherwise
	name=$1
	printf 'ChargePeriodStart,BillingCurrency,ServiceName,BillingPeriodStart,SkuId,BilledCost%s\n' "$2" >$name.csv
	shift 2
	printf '2026-10-02T10:00:00Z,USD,S,2026-10-01T07:00:00Z,K,%s\n' "$@" >>$name.csv
	database $name
	in_db $name import $name.csv
}
notes() { printf '%s\n' "$out" | grep '^note: ' | sed "s/^note: $1.csv:* //"; }
focus_file nobody ,ContractedCost 1,1 2,2
is "no provider and no credits: both are said" "$rc $(notes nobody)" "0 has no credits: net is BilledCost, which may be before credits
provider not named in 2 rows: read as Google Cloud"
focus_file shown ,ContractedCost,ProviderName "1,2,Google Cloud" "2,2,Google Cloud"
is "another ContractedCost shows that BilledCost is after credits" "$rc $(notes shown)" "0 "
focus_file rows ,ChargeCategory,ProviderName "1,Usage,Google Cloud" "-0.5,Credit,Google Cloud"
is "so does a row that is a credit" "$rc $(notes rows)" "0 "
focus_file fine ,x_Credits,ProviderName "0.0000000005,[],Google Cloud"
is "half a nano-unit is not dropped without a word" "$rc $(notes fine)" \
	"0 amounts with more than nine decimals were rounded; the exact sum differs by 0.000000000500000000 USD"
focus_file parts ,ContractedCost,x_Credits,ProviderName '0.5,1.000000000,"[{""Type"":""DISCOUNT"",""Amount"":-0.5}]",GCP' \
	'1,1,"[{""Type"":""DISCOUNT"",""Amount"":-0.0000000004}]",GCP'
is "credits in BilledCost are of its decimals" "$rc $(notes parts)" "0 BilledCost was read as after credits"
focus_file before ,ContractedCost,x_Credits,ProviderName '1,1,"[{""Type"":""DISCOUNT"",""Amount"":-0.1000000005}]",GCP'
is "of a credit, before credits" "$rc $(notes before)" "0 BilledCost was read as before credits
amounts with more than nine decimals were rounded; the exact sum differs by -0.000000000500000000 USD"
for bad in 0 -7.8 NaN x 1e-12; do
	focus_file "rate$bad" ,x_Credits,ProviderName,x_CurrencyConversionRate "1,[],Google Cloud,$bad" "2,[],Google Cloud,7.8" \
		"3,[],Google Cloud,$bad" "4,[],Google Cloud,"
	is "a rate of $bad is refused" "$rc $(notes "rate$bad")" \
		"0 2 rows with a conversion rate that is not positive, the first in line 2: read without it"
	is "a rate of $bad is not stored" "$(sqlite3 "rate$bad.db" "SELECT group_concat(rate, ' ') FROM (SELECT rate FROM charge ORDER BY rate)")" \
		"0 7800000000"
	in_db "rate$bad" sql "SELECT rate IS NULL AS unknown FROM focus_exact ORDER BY 1" --format csv
	is "a rate of $bad is unknown, not 0" "$(printf '%s' "$out" | tr -d '\r' | tr '\n' ' ')" "unknown 0 1"
done

focus_file python ,x_Credits,ProviderName "1,\"[{'Type': 'DISCOUNT', 'Amount': -0.5}]\",Google Cloud"
has "a Python literal: a hint" "$err" "not a Python literal"

# Several currencies without a rate
{
	printf 'ChargePeriodStart,BillingCurrency,ServiceName,BillingPeriodStart,SkuId,BilledCost,ProviderName,x_CurrencyConversionRate\n'
	for currency in USD EUR; do
		printf '2026-10-02T10:00:00Z,%s,S,2026-10-01T07:00:00Z,K,1,Google Cloud,\n' $currency
	done
} >mixed.csv
database mixed
in_db mixed import mixed.csv
is "several currencies without a rate: status" "$rc" 1
has "several currencies without a rate: says what to do" "$err" "none states the conversion rate of EUR; import the rows of each currency"
in_db mixed sql "SELECT count(*) AS n FROM costs" --format csv
is "several currencies without a rate: nothing is stored" "$(printf '%s' "$out" | tail -n 1 | tr -d '\r')" 0
sed 's/\(.*EUR.*,\)$/\10.92/' mixed.csv >rated.csv
in_db mixed import rated.csv
is "with a rate: status" "$rc" 0
has "with a rate: sums stay apart" "$out" "net 1.00 USD and 1.00 EUR"

# Options
in_db raw cost --format focus --focus 1.5
is "an unknown version: status" "$rc" 2
has "an unknown version: says which" "$err" "use 1.2, 1.3 or 1.4"
in_db raw cost --focus 1.2
is "--focus without the format: status" "$rc" 2
in_db raw cost --output x.csv
is "--output without the format: status" "$rc" 2
in_db raw cost --format focus --by sku
is "no groups: status" "$rc" 2
in_db raw cost --format fokus
is "no such format: status" "$rc" 2
in_db raw cost --format focus --output missing/x.csv
is "no such folder: status" "$rc" 1
