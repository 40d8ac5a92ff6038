#!/bin/sh
# tpucost import: files, figures, refusals. The oracle computes with Decimal, on its own.
. "$ROOT/tests/cli/lib.sh"
cat >tpucost.yaml <<END
timezone: America/Los_Angeles
database: t.db
projects: []
END
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG

# Four days about the end of daylight saving time and of a month, three currencies' worth of
# odd amounts: a small generator of its own.
awk 'BEGIN {
	srand(42)
	for (i = 0; i < 3000; i++) {
		day = 30 + int(rand() * 4); mon = 10
		if (day > 31) { day -= 31; mon = 11 }
		cost = sprintf("%.*f", 1 + int(rand() * 9), rand() * 10 - 2)
		if (i % 7 == 0) cost = sprintf("%.10e", rand() / 1000)
		printf "{\"billing_account_id\":\"01AB23-CD45EF-678901\","
		printf "\"service\":{\"id\":\"6F81-5844-456A\",\"description\":\"Compute Engine\"},"
		printf "\"sku\":{\"id\":\"S%d\",\"description\":\"Sku %d\"},", i % 5, i % 5
		printf "\"usage_start_time\":\"2026-%02d-%02d %02d:00:00 UTC\",", mon, day, int(rand() * 24)
		if (i % 11) printf "\"project\":{\"id\":\"p-%d\"},", i % 3
		printf "\"location\":{\"location\":\"us\"},\"export_time\":\"2026-11-05 00:00:00 UTC\","
		printf "\"cost\":%s,\"currency\":\"%s\",", cost, i % 2 ? "USD" : "HKD"
		printf "\"usage\":{\"amount\":\"%d\",\"unit\":\"seconds\"},", i
		printf "\"credits\":["
		for (k = 0; k < i % 3; k++)
			printf "%s{\"name\":\"c\",\"amount\":%.*f,\"type\":\"%s\"}", k ? "," : "",
				1 + int(rand() * 9), -rand(), k ? "PROMOTION" : "DISCOUNT"
		printf "],\"invoice\":{\"month\":\"2026%02d\"},\"cost_type\":\"regular\"}\n", i % 4 ? mon : 11
	}
}' >rows.json
gzip -k rows.json
jq -s . rows.json >array.json

run tpucost import rows.json.gz
is "import: status" "$rc" 0
has "says rows and days" "$out" "3000 rows, 4 days from 2026-10-30 to 2026-11-02"

if command -v python3 >/dev/null; then
	for by in day sku project invoice_month credit_type; do
		python3 - "$by" <<'END' >want
import decimal, json, sys
from datetime import datetime, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo
by, zone, sums = sys.argv[1], ZoneInfo("America/Los_Angeles"), {}
decimal.getcontext().prec = 60
nano = lambda x: Decimal(x).quantize(Decimal("1e-9"), decimal.ROUND_HALF_EVEN)
for line in open("rows.json"):
    r = json.loads(line, parse_float=str, parse_int=str)
    t = datetime.strptime(r["usage_start_time"], "%Y-%m-%d %H:%M:%S UTC").replace(tzinfo=timezone.utc)
    key = {"day": t.astimezone(zone).strftime("%Y-%m-%d"), "sku": r["sku"]["description"],
        "project": r.get("project", {}).get("id"), "invoice_month": r["invoice"]["month"], "credit_type": None}[by]
    def add(key, cost, credits):
        s = sums.setdefault((str(key), r["currency"]), [Decimal(0), Decimal(0)])
        s[0] += cost; s[1] += credits
    add(key, nano(r["cost"]), 0)
    for c in r["credits"]:
        add(c["type"] if by == "credit_type" else key, 0, nano(c["amount"]))
for k in sorted(sums):
    print(*k, *("%.9f" % v for v in sums[k]))
END
		tpucost cost --by "$by" --format json >got.json 2>/dev/null
		python3 - "$by" <<'END' >got
import json, sys
from decimal import Decimal
rows = json.load(open("got.json"), parse_float=Decimal)
for r in sorted(rows, key=lambda r: (str(r[sys.argv[1]]), r["currency"])):
    print(r[sys.argv[1]], r["currency"], "%.9f" % r["cost"], "%.9f" % r["credits"])
END
		is "by $by: equal to the oracle to the nano-unit" "$(cat got)" "$(cat want)"
	done
fi

run tpucost import rows.json.gz
is "again: status" "$rc" 0
has "again: nothing to do" "$out" "already imported"
run tpucost import array.json
is "the same days from another file are refused" "$rc" 1
has "and says what to do" "$err" "--allow-overlap"
before=$(sqlite3 t.db 'SELECT sum(cost), sum(credits), count(*) FROM usage')

sed '1500s/"cost":[^,]*/"cost":oops/' rows.json >bad.json
run tpucost import bad.json
is "a bad line: status" "$rc" 1
has "names file and line" "$err" "bad.json:1500: JSON"
is "nothing of the file is kept" "$(sqlite3 t.db 'SELECT sum(cost), sum(credits), count(*) FROM usage')" "$before"

# a fresh database, an array, and one file of two that is bad
sed -i 's/t.db/u.db/' tpucost.yaml
run tpucost import --format json array.json bad.json
is "one of two: status" "$rc" 4
is "JSON names what was stored" "$(echo "$out" | jq -r '.[].rows')" 3000
is "the array gives the same figures" "$(sqlite3 u.db 'SELECT sum(cost), sum(credits), count(*) FROM usage')" "$before"

# killed at any moment: the old or the new, never half
sed -i 's/u.db/k.db/' tpucost.yaml
n=$(allocations "$B/tpucost" import -q rows.json)
for part in 3 4 5 6 7 8 9 10; do
	rm -f k.db*
	die_at $((n * part / 11)) "$B/tpucost" import -q rows.json
	# "table usage is not there" when it died before that
	is "killed after $part of 11 parts: all or nothing" \
		"$(sqlite3 k.db 'SELECT count(*) FROM usage' 2>/dev/null || echo 0)" \
		"$(sqlite3 k.db 'SELECT CASE count(*) WHEN 0 THEN 0 ELSE (SELECT count(*) FROM usage) END FROM import_file' 2>/dev/null || echo 0)"
done
run tpucost import rows.json
is "after the kills" "$(sqlite3 k.db 'SELECT sum(cost), sum(credits), count(*) FROM usage')" "$before"

run tpucost import
is "without files: status" "$rc" 2
run tpucost import nowhere.json
is "a missing file: status" "$rc" 1
has "a missing file: said" "$err" "nowhere.json"

# what is in the database, and taking it out again
cat >f.yaml <<'END'
database: f.db
currency: HKD
timezone: UTC
projects: []
END
export TPUCOST_CONFIG=f.yaml
head -n 400 rows.json >head.json
run tpucost db
is "nothing there yet: status" "$rc" 1
has "nothing there yet: said" "$err" "nothing has been collected yet"
tpucost import -q head.json
tpucost cost --by day --format csv >first.csv
tail -n 2600 rows.json >tail.json
run tpucost import --allow-overlap tail.json
is "both files: status" "$rc" 0
run tpucost db list --format json
is "both are listed" "$(echo "$out" | jq -r '[.[] | .kind, (.row_count | tostring)] | join(" ")')" "file 400 file 2600"
has "by their names" "$out" '"file:tail.json#'
run tpucost db forget other.json
is "another name: status" "$rc" 1
has "another name: said" "$err" 'no table or file '"'"'other.json'
run tpucost db forget tail.json
is "taken out: status" "$rc" 0
has "taken out: said" "$out" "tail.json: removed"
tpucost cost --by day --format csv >then.csv
is "the figures are as before" "$(cat then.csv)" "$(cat first.csv)"
is "nothing is left of it" "$(sqlite3 f.db "SELECT (SELECT count(*) FROM billing_table), (SELECT count(*) FROM import_file),
	(SELECT count(*) FROM billing_unit WHERE table_id NOT IN (SELECT table_id FROM billing_table)),
	(SELECT count(*) FROM billing_day WHERE table_id NOT IN (SELECT table_id FROM billing_table)),
	(SELECT count(*) FROM usage WHERE table_id NOT IN (SELECT table_id FROM billing_table))")" "1|1|0|0|0"
run tpucost import --allow-overlap tail.json
has "it can be imported again" "$out" "tail.json: 2600 rows"
sed 's/"HKD"/"USD"/' head.json >head2.json && mv head2.json head.json
tpucost import -q --allow-overlap head.json
run tpucost db forget head.json
is "two files of one name: status" "$rc" 1
has "two files of one name: said" "$err" 'more than one file '"'"'head.json'
cat >>f.yaml <<'END'
billing: {table: p.d.gcp_billing_export_v1_01AB23}
END
run tpucost db forget p.d.gcp_billing_export_v1_01AB23
is "a table that is polled: status" "$rc" 2
has "a table that is polled: said" "$err" "is in the configuration"
# a total that is two places wider than its rows
cat >w.yaml <<'END'
database: w.db
timezone: UTC
projects: []
END
awk 'BEGIN { for (i = 0; i < 200; i++) printf "{\"service\":{\"id\":\"S\"},\"sku\":{\"id\":\"K\"},\"usage_start_time\":\"2026-%02d-%02d 00:00:00 UTC\",\"currency\":\"USD\",\"cost\":9.99}\n",
	1 + int(i / 25), 1 + i % 25 }' >wide.json
TPUCOST_CONFIG=w.yaml tpucost import -q wide.json
has "the total is whole" "$(TPUCOST_CONFIG=w.yaml tpucost cost --by day 2>/dev/null | tail -n 1)" "1998.00"

# a sum that is too large is refused, and its parts are not
sed 's/w\.db/large.db/' w.yaml >large.yaml
export TPUCOST_CONFIG=large.yaml
for day in 1 2; do
	printf '{"service":{"id":"S"},"sku":{"id":"K"},"usage_start_time":"2026-10-0%d 00:00:00 UTC","currency":"USD","cost":9000000000}\n' $day >large$day.json
	tpucost import -q large$day.json
done
for by in project resource invoice_month; do
	run tpucost cost -q --by $by
	is "too large by $by: status" "$rc$out" 1
	has "too large by $by: said" "$err" "9.2 billion"
	run tpucost cost -q --by day,$by --format json
	is "by day and $by" "$(printf '%s' "$out" | jq -c '[.[].cost]')" "[9000000000,9000000000]"
done
export TPUCOST_CONFIG=f.yaml

# a day of two accounts, the one settled, the other not
cat >s.yaml <<'END'
database: s.db
timezone: UTC
projects: []
END
row() {
	printf '{"service":{"id":"S"},"sku":{"id":"K"},"billing_account_id":"%s","usage_start_time":"2026-10-0%d 00:00:00 UTC","currency":"USD","cost":1}\n' "$1" "$2"
}
{ row 000000-000000-00000A 1; row 000000-000000-00000A 2; row 000000-000000-00000A 9; } >a.json
{ row 000000-000000-00000B 1; row 000000-000000-00000B 2; } >b.json
TPUCOST_CONFIG=s.yaml tpucost import -q a.json b.json
is "each day is there once, as final as the least" \
	"$(TPUCOST_CONFIG=s.yaml tpucost cost --by day --format csv 2>/dev/null | tr -d '\r' | cut -d, -f1,2,7)" \
	"day,cost,status
2026-10-01,2,settling
2026-10-02,2,partial
2026-10-09,1,partial"

# parts of one extract, the first one of which is bad at first
cat >g.yaml <<'END'
database: g.db
timezone: UTC
projects: []
END
export TPUCOST_CONFIG=g.yaml
split -n r/3 -d -a 12 rows.json part-
sed '5s/"cost":[^,]*/"cost":oops/' part-000000000000 >bad && cp part-000000000000 good && mv bad part-000000000000
run tpucost import part-*
is "one of three parts is bad: status" "$rc" 4
mv good part-000000000000
run tpucost import part-*
is "mended: status" "$rc" 0
has "mended: said" "$out" "part-000000000000: 1000 rows"
is "mended: all are there" "$(sqlite3 g.db 'SELECT sum(cost), sum(credits), sum(row_count) FROM usage')" \
	"$(sqlite3 k.db 'SELECT sum(cost), sum(credits), sum(row_count) FROM usage')"
mkdir other && cp rows.json other/
run tpucost import other/rows.json part-000000000001
is "all of it once more: status" "$rc" 4
has "all of it once more: said" "$err" "it may be the same data"
export TPUCOST_CONFIG=f.yaml

run tpucost db remove x
is "another action: status" "$rc" 2

# a cost and a credit that each fit, and their sum does not: no figure rather than a wrong one
sed 's/^database:.*/database: sum.db/' tpucost.yaml >sum.yaml
export TPUCOST_CONFIG=sum.yaml
day() { # day DAY COST CREDITS
	cat <<END
{"billing_account_id": "01AB23-CD45EF-678901", "service": {"id": "A", "description": "Compute Engine"}, "sku": {"id": "S", "description": "Core"}, "usage_start_time": "$1T00:00:00Z", "usage_end_time": "$1T01:00:00Z", "project": {"id": "tpu-develop"}, "export_time": "2026-11-06T00:00:00Z", "cost": "$2", "currency": "USD", "cost_type": "regular", "invoice": {"month": "202611"}, "credits": [$3]}
END
}
day 2026-11-02 -9000000000 '' >cost.json
day 2026-11-05 0 '{"name": "x", "amount": "-9000000000", "type": "DISCOUNT"}' >credit.json
tpucost import -q cost.json credit.json
run tpucost cost --by category
is "a sum that does not fit: status" "$rc" 1
has "a sum that does not fit: said" "$err" "tpucost: cost: a sum does not fit"
is "a sum that does not fit: no figure" "$out" ""
run tpucost cost --by category --where "cost < 0 OR credits < 0" --format json
is "nor of a part: status" "$rc" 1
is "nor of a part: no figure" "$out" ""
run tpucost cost --by day --format json
is "each day fits" "$(jq -c '[.[].net]' stdout)" '[-9000000000,-9000000000]'

# one row of one day is singular
sed 's/^database:.*/database: one.db/' tpucost.yaml >one.yaml
export TPUCOST_CONFIG=one.yaml
day 2026-11-02 1 '' >one.json
run tpucost import one.json
has "one row of one day" "$out" "one.json: 1 row, 1 day from "
run tpucost db forget one.json
has "forgetting it" "$out" "one.json: removed, with 1 day of the export"

# a day is as final as its account: the sums of two accounts stay apart where their days are not equally known
usage_of() { # ACCOUNT PROJECT COST EXPORTED
	printf '{"billing_account_id":"%s","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"2E27-4F75-95CD","description":"N1 Core"},"usage_start_time":"2026-11-10 00:00:00 UTC","usage_end_time":"2026-11-10 01:00:00 UTC","project":{"id":"%s"},"export_time":"%s","cost":"%s","currency":"USD","currency_conversion_rate":"1","usage":{"amount":"1","unit":"hour","amount_in_pricing_units":"1","pricing_unit":"hour"},"credits":[],"labels":[],"invoice":{"month":"202611"},"cost_type":"regular"}\n' "$1" "$2" "$4" "$3"
}
usage_of 00AA11-22BB33-44CC55 lab-one 1.5 "2026-11-17 00:00:00 UTC" >early.json
usage_of 66DD77-88EE99-00FF11 lab-two 0.25 "2026-11-11 00:00:00 UTC" >late.json
printf 'timezone: UTC\nprojects: [lab-one, lab-two]\ndatabase: two.db\n' >two.yaml
tpucost --config two.yaml import early.json late.json -q >/dev/null || flunk "two accounts are imported"
run tpucost --config two.yaml cost --by status,category --format json
is "two accounts, of which one is settled" "$(jq -c 'map([.status, .net]) | sort' stdout)" '[["partial",0.25],["settled",1.5]]'
run tpucost --config two.yaml cost --by day,category --format json
is "their common day is not" "$(jq -c 'map([.day, .net, .status])' stdout)" '[["2026-11-10",1.75,"partial"]]'

# that nothing was found to do is not known before resources were read
head_of_status() { sed -n '1s/ as of .*//p; 2p' stdout; }
run tpucost --config two.yaml status
is "status of imported costs names the next step" "$(head_of_status)" "Do now,
  Collect first: tpucost collect"
sed 's/^projects:.*/projects: []/' two.yaml >none.yaml
run tpucost --config none.yaml status
is "without projects there is nothing to collect" "$(head_of_status)" "Do now,
  Not known: the configuration lists no project."

# nor is the use of a credit that is not on the bill yet
printf 'credits: [{name: trial, amount: 2 USD, expires: 2026-11-28}]\n' >>none.yaml
run tpucost --config none.yaml credit --format json
is "what a credit paid since the bill is not known" "$(jq -c '.[0] | [.left, .unbilled, .runs_out]' stdout)" '[2,null,null]'
run tpucost --config none.yaml credit
has "and the amount per day is an upper limit" "$err" "note: safe_per_day is at most that: "

# a month without lines is not a missing bill, and a row without a month is in none
has "the invoice month of rows is missing: a note" "$(tpucost --config none.yaml import --allow-overlap a.json)" \
	"note: a.json: 3 rows without an invoice month: omitted by cost --month and report month"
run tpucost --config none.yaml cost --month 2026-12
is "no row of a month, but some of none" "$out" \
	"No rows match; some rows of the bill have no invoice month: tpucost cost --by invoice_month"
run tpucost --config none.yaml cost --by invoice_month,sku --format json
is "they have no month and no name" "$(jq -c '[.[] | [.invoice_month, .sku, .net]]' stdout)" \
	'[[null,null,3],["202611","N1 Core",1.75]]'
tpucost --config none.yaml db forget a.json >/dev/null
run tpucost --config none.yaml cost --month 2026-12
is "no row of a month" "$out" "No rows match."
run tpucost --config s.yaml report month
has "no invoice is known" "$out" "no row of the bill has an invoice month"
run tpucost --config none.yaml import --format json --allow-overlap a.json one.json
is "JSON counts such rows" "$(jq -c '[.[].rows_without_invoice_month]' stdout)" "[3,null]"
