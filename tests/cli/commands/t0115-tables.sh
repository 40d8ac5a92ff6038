# Tables in terminals of several widths, in colour and without, in UTF-8 and in the C locale.
. "$ROOT/tests/cli/lib.sh"
unset LC_ALL LC_CTYPE LINES
TERM=xterm LANG=C.UTF-8
export TERM LANG
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config
sed -i "s/projects: .*/projects: [tpu-develop]/; s/lab-one.billing.gcp_billing_export_v1_00AA11/tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901/" tpucost.yaml
run tpucost collect
status "the world is read" 0
sqlite3 t.db "UPDATE charge SET rate = 0" # without a rate there are two currencies
# tty SIZE COMMAND...: in a terminal of that size
tty() {
	# Python makes C.UTF-8 of the locale C for whom it starts
	PYTHONCOERCECLOCALE=0 run python3 "$ROOT/tests/support/run/terminal.py" "$@" </dev/null
}
plain() {
	sed 's/\x1b\[[0-9;]*m//g' stdout
}
widest() {
	plain | python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin))'
}
two="SELECT 'tpu-a' AS name, 'europe-west4-a' AS location, 1 AS covered, 8.8 AS gross_per_hour, 0 AS net_per_hour, 'USD' AS currency UNION ALL SELECT 'b', 'us-central1-b', 0, 12.5, 12.5, 'USD'"

tty 100x24 "$B/tpucost" sql -q "$two"
is "units below the headings, colours, amounts at the right" "$(cat stdout)" "$(printf '%b' '\033[1mname   location        covered  gross_per_hour  net_per_hour  currency\033[0m
                                         USD/h         USD/h
\033[32mtpu-a  europe-west4-a  yes                8.80          0.00  USD\033[0m
\033[31mb      us-central1-b   no                12.50         12.50  USD\033[0m')"
NO_COLOR=1 tty 66x24 "$B/tpucost" sql -q "$two"
is "headings are broken before anything is cut" "$(cat stdout)" "                                                net_per
name   location        covered  gross_per_hour     hour  currency
                                         USD/h    USD/h
tpu-a  europe-west4-a  yes                8.80     0.00  USD
b      us-central1-b   no                12.50    12.50  USD"
NO_COLOR=1 tty 40x24 "$B/tpucost" sql -q "$two"
is "what does not fit becomes a block a row" "$(cat stdout)" "name:           tpu-a
location:       europe-west4-a
covered:        yes
gross_per_hour: 8.80 USD/h
net_per_hour:   0.00 USD/h

name:           b
location:       us-central1-b
covered:        no
gross_per_hour: 12.50 USD/h
net_per_hour:   12.50 USD/h"
TERM=dumb tty 100x24 "$B/tpucost" sql -q "$two"
is "a dumb terminal gets no colours" "$(grep -c "$(printf '\033')" stdout)" 0
COLUMNS=40 tty 100x24 "$B/tpucost" sql -q "$two"
has "COLUMNS is before the size of the terminal" "$(plain)" "gross_per_hour: 8.80 USD/h"
run tpucost sql "$two"
is "no terminal: one heading line, no colours" "$(head -1 stdout)" \
	"name   location        covered  gross_per_hour  net_per_hour  currency"

long="SELECT 'a-machine' AS name, 'project-one/vm/us-central1-b/the-machine' AS id, 'words of a sentence that goes on' AS text"
NO_COLOR=1 tty 50x24 "$B/tpucost" sql -q "$long"
is "names are whole, ids are cut inside, sentences at the end" "$(tail -1 stdout)" \
	"a-machine  project-…e-machine  words of a sentenc…"
LANG=C NO_COLOR=1 tty 50x24 "$B/tpucost" sql -q "$long"
is "in the C locale nothing is beyond ASCII" "$(tail -1 stdout)" \
	"a-machine  project-..-machine  words of a senten.."
paths="SELECT 'tpu.googleapis.com/tpu-v3' AS metric, 'a/disk/us-central1-b/data' AS part, 'ends 1/2 of a day early, says the mail' AS text"
NO_COLOR=1 tty 50x24 "$B/tpucost" sql -q "$paths"
is "paths are cut inside" "$(tail -1 stdout)" "tpu.goo…/tpu-v3  a/disk/…-b/data  ends 1/2 of a d…"
wide="SELECT '東京の機械' AS name, 1 AS n UNION ALL SELECT 'tokyo', 20"
NO_COLOR=1 tty 50x24 "$B/tpucost" sql -q "$wide"
is "wide characters take two columns" "$(cat stdout)" "name        n
東京の機械  1
tokyo       20"

# ---- what every command shows
NO_COLOR=1 tty 100x24 "$B/tpucost" ps
has "places are whole" "$out" "  us-central1-a   "
is "what is left out is said" "$(tail -n 1 stdout)" "not shown in 100 columns: covered, gross_per_hour, running_hours"
# of two projects and currencies, and with long names, what each row is and costs stays
cp t.db keep.db
cp tpucost.yaml keep.yaml
sed -i 's/^projects: .*/projects: [tpu-develop, lab-two]/' tpucost.yaml
sqlite3 t.db "UPDATE resource SET project = 'lab-two', id = replace(id, 'tpu-develop/', 'lab-two/') WHERE name = 'tpu-vm';
	UPDATE resource SET name = 'a-name-of-20-letters', id = id || 's' WHERE name = 'sweep-1'"
NO_COLOR=1 tty 80x24 "$B/tpucost" ps -q --where "kind IN ('vm', 'tpu')"
is "in 80 columns: kind, project, name, type, state and one amount" "$(cat stdout)" "\
kind   project      name                  type           state      net_per_hour
tpu    tpu-develop  tpu-wrong             v3-8           running       62.00 HKD
vm     lab-two      tpu-vm                n1-highmem-96  running       44.01 HKD
tpu    tpu-develop  sweep-2               v2-8           preempted      0.00 HKD
tpu    tpu-develop  a-name-of-20-letters  v2-8           running        1.35 USD
vm     tpu-develop  tpu-driver            n1-standard-2  running        0.10 USD
tpu    tpu-develop  tpu-1                 v3-8           running        0.00 USD
total                                                                 106.01 HKD
total                                                                   1.45 USD"
NO_COLOR=1 tty 80x24 "$B/tpucost" ps -q --since 2026-11-18 --where "kind IN ('vm', 'tpu')"
is "also of a period" "$(head -n 1 stdout | tr -s ' ')" "kind project name type state hours net"
sqlite3 t.db "UPDATE resource SET name = 'vision-transformer-pretraining-and-evaluation-run-00017' WHERE name = 'tpu-vm'"
NO_COLOR=1 tty 80x24 "$B/tpucost" ps -q --where "kind = 'vm'"
is "a name of 55 characters is broken; project and state stay" "$(cat stdout)" "\
                                                                         net_per
project      name                                             state         hour
lab-two      vision-transformer-pretraining-and-evaluation-   running  44.01 HKD
             run-00017
tpu-develop  tpu-driver                                       running   0.10 USD
total                                                                  44.01 HKD
total                                                                   0.10 USD"
mv keep.db t.db
mv keep.yaml tpucost.yaml
# also by commands that print more than one table
left() {
	NO_COLOR=1 tty 80x24 "$B/tpucost" "$@"
	plain | sed -n '/^not shown in /,$p' | tr '\n' ' '
}
is "of tables with words around them too: coverage" "$(left coverage)" "not shown in 80 columns: gross, starts "
is "of several tables, each column once" "$(left coverage --since 7d)" "not shown in 80 columns: gross, starts "
is "reconcile" "$(left reconcile --all)" \
	"not shown in 80 columns: discounts, billed_chip_hours, uncovered_chip_hours, covered_chip_hours, provisioning "
is "egress" "$(left egress)" "not shown in 80 columns: estimated_low_per_hour, received_bytes_per_second, command, since "
is "not where it is to be quiet" "$(left coverage -q)$(left ps -q)" ""
three="name = 'tpu-wrong' OR kind = 'vm' AND name IN ('tpu-vm', 'tpu-driver')"
NO_COLOR=1 tty 40x24 "$B/tpucost" ps --where "$three"
is "in 40 columns: what, how much, and whole words" "$(sed '1,/^old)/d' stdout)" "kind   name        state    net_per_hour
tpu    tpu-wrong   running     62.00 HKD
vm     tpu-vm      running     44.01 HKD
vm     tpu-driver  running      0.10 USD
total                         106.01 HKD
total                           0.10 USD
not shown in 40 columns: covered,
gross_per_hour, running_hours, location,
why, type"
NO_COLOR=1 tty 60x24 "$B/tpucost" ps -q --where "$three"
is "in 60 the type comes back" "$(head -2 stdout)" "kind   name        type           state    net_per_hour
tpu    tpu-wrong   v3-8           running     62.00 HKD"
NO_COLOR=1 tty 40x24 "$B/tpucost" ps -q --where "$three" --columns name,type,location,net_per_hour,currency,why
is "what was asked for is not left out" "$(head -2 stdout)" "name:         tpu-wrong
type:         v3-8"
tty 80x24 "$B/tpucost" ps -q
has "a TPU that is paid is red" "$(grep tpu-wrong stdout)" "$(printf '\033[31mtpu')"
has "one that is free is green" "$(grep 'covered' stdout | head -1)" "$(printf '\033[32mtpu')"
tty 120x40 "$B/tpucost" rules list -q --where "severity IN ('critical', 'warning')"
is "a rule that found nothing has no colour, though what it is for is bad" \
	"$(grep -c . stdout) $(sed 1d stdout | grep -c "$(printf '\033')")" "$("$B/tpucost" rules list -q --where "severity IN ('critical', 'warning')" --format json | jq -r '"\(length + 1) \(map(select(.firing > 0)) | length)"')"
sum=$("$B/tpucost" ps -q --all --where "currency = 'HKD' AND net_per_hour > 0" --format json | jq 'map(.net_per_hour) | add')
NO_COLOR=1 tty 80x24 "$B/tpucost" ps -q --all --where "currency = 'HKD' AND net_per_hour > 0"
is "the total stays when the column of its currency goes" "$(grep -c currency stdout) $(sed -n 's/^total  *//p' stdout)" "0 $(printf %.2f "$sum")"
tty 80x24 "$B/tpucost" ps -q
is "with a total for each currency" "$(plain | grep -c '^total  *[0-9.]* *[A-Z]')" 2
tty 80x24 "$B/tpucost" burn -q
has "burn too" "$(plain | grep total | head -1)" "HKD"
tty 200x50 "$B/tpucost" budget --columns name,amount,currency
is "budgets overlap: no total" "$(grep -c total stdout)" 0
cat >fit.py <<'EOF'
import os, re, sys, unicodedata
sys.path.insert(0, os.environ["ROOT"] + "/tests/support/run")
import terminal
commands = """ps|ps --all|coverage|coverage --since 7d|coverage --since 7d --by grant|burn|burn --by resource|egress|cost
cost --by project,sku,type|budget|credit|quota|grant list|sources|alerts|alerts --columns rule,summary,subject|silence list
hold list|enforce|audit|rules|notify|notify list|db|hidden|reconcile --all|status"""
whole = re.compile(r"\s*(gcloud|tpucost|Based on:|[a-z-]+/)")  # to paste; notes; and ids on lines of their own
for command in re.split(r"[|\n]", commands):
    for size in "40x24", "80x24", "133x50":
        t = terminal.Terminal(size, [os.environ["B"] + "/tpucost"] + command.split())
        while t.read(15):
            pass
        os.waitpid(t.pid, 0)
        os.close(t.fd)
        for line in re.sub(r"\x1b\[[0-9;]*m", "", t.shown.decode()).splitlines():
            width = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
            if width > int(size.split("x")[0]) and not whole.match(line):
                print("%s in %s: %r" % (command, size, line))
        if not t.shown:
            print("%s says nothing" % command)
EOF
export ROOT B
is "no line of any command is wider than the terminal" "$(python3 fit.py 2>&1)" ""
