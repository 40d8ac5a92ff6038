# What is said of a part: a total of columns that are shown, a saving of actions that are shown, and a
# key file that is not there, with the command that makes one.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab "rules:
  - {use: tpu-not-covered, then: {action: stop, grace: 30m, armed: true}}
  - {use: vm-forgotten, then: {action: stop, grace: 30m, armed: true}}
enforcement: {mode: dry-run, projects: [tpu-develop]}"
tty() {
	LANG=C.UTF-8 TERM=xterm run python3 "$ROOT/tests/support/run/terminal.py" "$@" </dev/null
}

sed -i 's/^grants:/&\n  - {name: more, days: 30, starts: '"$(day -3)"', tpus: [100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f]}/' tpucost.yaml
tty 80x24 "$B/tpucost" grant -q
is "two grants, in a terminal without room for what they saved" "$(grep -c -e '^trc' -e '^more' stdout) $(grep -c saved stdout)" "2 0"
is "no total of what is not shown" "$(grep -c total stdout)" 0
tty 200x24 "$B/tpucost" grant -q
is "where it is shown there is one" "$(grep -c total stdout)" 1
tty 40x24 "$B/tpucost" grant -q
is "and in blocks" "$(grep -c total stdout)" 1

tty 80x24 "$B/tpucost" ps -q --sort-by=-net_per_hour --limit 2 --columns net_per_hour,currency
is "a total is of the rows shown" "$(sed 's/\x1b\[[0-9;]*m//g' stdout | tail -1 | sed 's|^ *||; s|  *| |')" "106.01 HKD"

run tpucost status
has "the sentence follows the name" "$out" "! budget month: "
tty 40x60 "$B/tpucost" budget -q --limit 1
is "a budget in 40 columns has a heading of two lines" \
	"$(sed -n '/^month, until/,/^  Forecast without/p' stdout | sed '$d' | awk 'length($0) <= 40' | wc -l)" 2

run tpucost enforce -q
has "what all actions save" "$(tr '\n' ' ' <stdout)" "All actions save 106.01 HKD"
run tpucost enforce -q --limit 1
has "what one of them saves is not that of all" "$(tr '\n' ' ' <stdout)" "The actions shown save 62.00 HKD"
has "and how many there are stays known" "$out" "Would be done (1 of 2)"
is "of which one is listed" "$(grep -c '^  stop ' stdout)" 1
run tpucost enforce -q --limit 0
has "also where none is listed" "$out" "Would be done (0 of 2)"
run tpucost enforce -q --limit 100
has "all of them are a number" "$out" "Would be done (2)"
run tpucost enforce -q --where "name = 'tpu-vm'"
has "nor that of those that match" "$(tr '\n' ' ' <stdout)" "The actions shown save 44.01 HKD"

create="gcloud iam service-accounts keys create '$work/no key.json' --iam-account=NAME@PROJECT.iam.gserviceaccount.com"
sed -i 's/^credentials: .*/credentials: "no key.json"/' tpucost.yaml
run tpucost doctor --format json -q
status "a key file that is not there" 1
is "fails" "$(jq -r '.[] | select(.check == "credentials") | .status' stdout)" fail
has "with the command that makes one" "$(jq -r '.[] | select(.check == "credentials") | .fix' stdout)" "$create"
run tpucost collect vm -q
status "nothing can be read" 1
has "and that says how too" "$err" "; name an existing file, or create one: $create"
