# The status screen fits: with much to do, with nothing to do, with many grants, narrow and wide.
. "$ROOT/tests/cli/lib.sh"
unset LC_ALL LC_CTYPE LINES
TERM=xterm LANG=C.UTF-8 NO_COLOR=1
export TERM LANG NO_COLOR
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config "budgets:
  - {name: month, amount: 5000 HKD, per: month}"
sed -i "s/projects: .*/projects: [tpu-develop]/; s/lab-one.billing.gcp_billing_export_v1_00AA11/tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901/" tpucost.yaml
run tpucost run --once -q
tty() {
	run python3 "$ROOT/tests/support/run/terminal.py" "$@" </dev/null
}
# lines of the terminal, long ones counted as often as they are broken
lines() {
	awk -v w="$1" '{ n += 1 + (length($0) ? int((length($0) - 1) / w) : 0) } END { print n }' stdout
}
fits() { # NAME COLUMNS LINES
	got=$(lines "$2")
	if [ "$got" -lt "$3" ]; then pass "$1"; else flunk "$1" "$got lines of $3"; fi
}
tty 80x24 "$B/tpucost"
status "in a terminal" 0
fits "much to do, in 24 lines" 80 24
for part in "Do now (" "! tpu-wrong, about 62.00 HKD/h: Not covered" "Burn now about " \
	"Budget   month: about " "runs out in " "Grant    trc: " "Data     Inventory: "; do
	has "it has: $part" "$out" "$part"
done
has "the command is whole, to paste" "$(cat stdout)" \
	"gcloud compute tpus tpu-vm stop tpu-wrong --zone us-central1-a --project tpu-develop"
has "what there is no room for is counted" "$out" "more: tpucost status --all"
# five things fit with everything else: four to do, and what follows
cp t.db six.db
sqlite3 t.db "DELETE FROM alert WHERE rule = 'cost-jump'"
tty 80x25 "$B/tpucost"
has "four things to do" "$out" "Do now (4)"
fits "five, in 25 lines" 80 25
is "all of them" "$(grep -c '^! ' stdout) $(grep -c 'status --all' stdout)" "5 0"
cp six.db t.db
run tpucost silence cost-jump --for 1h
tty 80x24 "$B/tpucost"
fits "with a silence, in 24 lines" 80 24
has "which is counted" "$out" "Left out: 1 silenced (until 2026-11-18 11:00)."
cp six.db t.db
run tpucost report daily
is "the report has two screens of 50 lines at most" "$(awk 'END { print (NR <= 100) }' stdout)" 1
tty 200x50 "$B/tpucost"
fits "in a large one" 200 50
is "there is room for everything" "$(grep -c 'status --all' stdout)" 0
tty 80x24 "$B/tpucost" status --all
has "all of it: every sentence is whole" "$out" "Burn now"

# fifty grants
cp tpucost.yaml many.yaml
i=0
while [ $i -lt 50 ]; do
	i=$((i + 1))
	echo "  - {name: g$i, starts: $(day -20), days: 40, tpus: [\"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a\"]}"
done >grants
sed -i '/^grants:/r grants' many.yaml
tty 80x24 "$B/tpucost" --config many.yaml
fits "fifty grants" 80 24
has "the rest is counted" "$out" "more: tpucost grant list"

# nothing to do: the rules know of nothing, and no TPU is paid
sqlite3 t.db "DELETE FROM alert; DELETE FROM resource WHERE name IN ('tpu-wrong', 'sweep-1')" 2>/dev/null
cat >empty.yaml <<YAML
timezone: UTC
projects: [nowhere]
database: nothing.db
YAML
run tpucost --config empty.yaml status
status "without a database it says what to do" 1
has "with the command" "$err" "tpucost collect"
TPUCOST_CONFIG=none.yaml run tpucost
is "without a configuration: three lines" "$(cat stdout)" \
	"tpucost: the cost of your Google Cloud TPUs and related resources, and what is free
  tpucost init    find your project and write a configuration
  tpucost help    list the commands"
status "and no failure" 0
