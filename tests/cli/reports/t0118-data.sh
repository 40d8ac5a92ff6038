# JSON and CSV of every listing as docs/output.md promises, and the options that listings share.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config "budgets:
  - {name: month, amount: 5000 HKD, per: month}
credits:
  - {name: free, amount: 300 USD, starts: $(day -60), expires: $(day 40)}
notify: [{name: log, file: {path: messages.jsonl}}]"
sed -i "s/projects: .*/projects: [tpu-develop]/; s/lab-one.billing.gcp_billing_export_v1_00AA11/tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901/" tpucost.yaml
run tpucost run --once -q
run tpucost silence ip-unused --for 2h -q
run tpucost hold add old-vm --until 2030-01-01 -q
# two readings of what goes on with every second are the same where the clock stands
set_clock "=$(date +%s)"
export B
cat >strict.py <<'PY'
import csv, decimal, io, json, os, re, subprocess
commands = """ps --all:resources|coverage:coverage|burn:burn|egress:egress|budget:budgets|credit:credits|quota:quotas
grant list:grants|sources:sources|alerts --all:alerts|silence list:silences|hold list:holds|audit:audit
notify:channels|notify list:notifications|hidden:hidden_costs|reconcile --all:reconciliation|grant plan:grant_plan
coverage --since 7d --by grant:coverage_totals|cost:|cost --by project,sku:|burn --by resource:|enforce:|rules:|db list:|
sql SELECT~*~FROM~present:present|views:"""
tpucost = os.environ["B"] + "/tpucost"
def run(*words):
    p = subprocess.run([tpucost, "-q", *words], capture_output=True)
    if p.returncode:
        print(words, "ends with", p.returncode, p.stderr)
    return p.stdout.decode("utf-8")
def fail_on(constant):
    raise ValueError(constant)
views = {}
for row in json.loads(run("views", "--format", "json")):
    views.setdefault(row["view"], []).append((row["column"], row["type"]))
time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
for item in re.split(r"[|\n]+", commands):
    if not item:
        continue
    command, view = item.rsplit(":", 1)
    words = [w.replace("~", " ") for w in command.split()]
    text = run(*words, "--format", "json")
    rows = json.loads(text, parse_float=decimal.Decimal, parse_constant=fail_on, object_pairs_hook=list)
    if not isinstance(rows, list) or not text.endswith("\n"):
        print(command, "is no array")
    table = list(csv.reader(io.StringIO(run(*words, "--format", "csv", *([] if command == "views" else ["--raw"])), newline=""), strict=True))
    keys = [[k for k, _ in row] for row in rows]
    if any(k != table[0] for k in keys):
        print(command, "JSON has", keys[0], "CSV", table[0])
    if len(rows) != len(table) - 1 or any(len(line) != len(table[0]) for line in table):
        print(command, "JSON has", len(rows), "rows, CSV", len(table) - 1)
    if view and table[0] != [name for name, _ in views[view]]:
        print(command, "columns are", table[0], "those of the view", views[view])
    types = dict(views[view]) if view else {}
    for row, line in zip(rows, table[1:]):
        for (key, value), field in zip(row, line):
            kind = types.get(key)
            if value is None:
                good = field == ""
            elif kind in ("money", "decimal", "integer", "flag"):
                good = isinstance(value, (int, decimal.Decimal)) and decimal.Decimal(field) == value
                good = good and (kind != "flag" or value in (0, 1))
            elif kind == "time":
                good = bool(time.fullmatch(value)) and field == value
            else:
                good = str(value) == field or command == "views" and "'" + value == field
            if not good:
                print(command, key, kind, repr(value), repr(field))
    if view and not command.startswith(("sql", "views", "grant plan")) and table[0]:
        two = ",".join([table[0][-1], table[0][0]])
        for row in json.loads(run(*words, "--format", "json", "--columns", two), object_pairs_hook=list):
            if [k for k, _ in row] != two.split(","):
                print(command, "--columns", two, row)
PY
is "strict readers of JSON and CSV find the columns of the views" "$(python3 strict.py 2>&1)" ""
run tpucost ps --where 0 --format json
is "no rows: an empty array" "$(cat stdout)" "[]"
run tpucost ps --where 0 --format csv --columns id,kind
is "no rows: the heading line" "$(od -c stdout | head -1 | tr -s ' ')" "$(printf 'id,kind\r\n' | od -c | head -1 | tr -s ' ')"
status "and that is an answer" 0

# ---- options
ids() { # COMMAND...: how many rows, as JSON
	tpucost -q "$@" --format json | jq length
}
all=$(ids ps)
sqlite3 t.db "INSERT INTO project VALUES ('a', '1', 'x', 0, 0), ('other', '2', 'x', 0, 0)" # known, without resources
is "one project" "$(ids ps --project tpu-develop)" "$all"
is "several" "$(ids ps --project other,tpu-develop)" "$all"
is "another one" "$(ids ps --project other)" 0
run tpucost ps --project "x' OR '1' = '1"
is "a name is no SQL" "$rc:$out" 2:
alerts=$(ids alerts)
is "alerts are of a project by their subject" "$(ids alerts --project tpu-develop --where "subject LIKE 'tpu-develop/%'")" \
	"$(ids alerts --where "subject LIKE 'tpu-develop/%'")"
is "of another: none" "$(ids alerts --project other)" 0
is "alerts of today" "$([ "$(ids alerts --since yesterday)" = "$alerts" ] && echo yes)" yes
is "until then there were none" "$(ids alerts --until 2020-01-01)" 0
is "messages have a time" "$(ids notify list --until 2020-01-02) $([ "$(ids notify list --since month)" -gt 0 ] && echo some)" "0 some"
is "the audit too" "$(ids audit --until 2020-01-01) $([ "$(ids audit --since week)" -gt 0 ] && echo some)" "0 some"
is "and a project" "$(ids audit --project other)" 0
is "burn and cost of several projects" "$(ids burn --project a,tpu-develop --by kind) $(ids cost --project a,tpu-develop --by project)" \
	"$(ids burn --by kind) $(ids cost --project tpu-develop --by project)"
is "sql: at most so many rows" "$(ids sql "SELECT * FROM quotas" --limit 3)" 3
is "enforce: several projects" "$(ids enforce --project a,tpu-develop)" "$(ids enforce)"
run tpucost notify --since 7d
status "channels have no time" 2
run tpucost cost --since tomorrow
has "a word that is no time names those that are" "$err" "use 7d, 12h, today, yesterday, week, month"
