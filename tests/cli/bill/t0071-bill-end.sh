# A billing export that stopped at Google, and is read all the same: the age that people are told is
# that of the newest usage on it, and sums over the days that are missing are not taken for final.
. "$ROOT/tests/cli/lib.sh"
# collect DAYS: all is read now, of a bill of 2 USD an hour that ends at midnight so many days ago, and
# a tax of yesterday, which is no usage
collect() {
	ends=$(day "-$1" %Y-%m-%dT00:00:00Z)
	day=$(day "-$1")
	write_world stopped us-central1-a <<END2
$BILL
    - {project: lab-one, service_id: 6F81-5844-456A, service: Compute Engine, sku_id: A1, sku: Core,
       region: us-central1, zone: us-central1-a, unit: hour, usage: 1, cost: 2, lag: 1h,
       from: $(day -18 %Y-%m-%dT00:00:00Z), until: $ends}
    - {service: Invoice, sku: Tax, cost: 0.01, cost_type: tax, lag: 1h, every: 1h,
       from: $(day -1 %Y-%m-%dT00:00:00Z)}
END2
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid"
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null
	rm -f t.db*
	start_sandbox "$work/world.yaml"
	write_config
	sed -i 's/, lab-two//' tpucost.yaml
	run tpucost collect -q
	status "collected, of a bill that ends $1 days ago" 0
}
report() { # KIND
	run tpucost report "$1"
	cp stdout "$1.txt"
	run tpucost report "$1" --format json
	status "$1" 0
	cp stdout "$1.json"
	is "$1: the newest usage" "$(jq -r .billing_newest_usage "$1.json")" "$ends"
}
said() { # KIND SECTION: its headline, and the note of the section
	jq -r --arg s "$2" '.headline, .section_notes[$s]' "$1.json"
}

collect 4
report daily
has "daily: said of the bill" "$(said daily money)" "The bill ends at $day 00:00, 4d "
has "beside when it was read" "$(jq -r .billing_age daily.json)" " old, newest usage $day 00:00, 4d "
is "the sum is of some days" "$(jq -c '.money[] | select(.category == "other") | [.net_7d, .net_7d_status]' daily.json)" '[144.01,"partial"]'
is "the last day of it is not settled" "$(jq -r --arg d "$(day -5)" '.days[] | select(.day == $d) | .status' daily.json)" settling
is "the one before is" "$(jq -r --arg d "$(day -6)" '.days[] | select(.day == $d) | .status' daily.json)" settled
is "of those after it nothing is known" "$(jq -c --arg d "$(day -3)" '.days[] | select(.day == $d) | [.net, .status]' daily.json)" "[null,null]"
is "the read was fresh" "$(jq -r '.stale' daily.json)" false

echo "budgets: [{name: daily, amount: 100 USD, per: day}]" >>tpucost.yaml
run tpucost budget daily --since "$(day -6)" --until "$(day -2)" --format json
is "budgets of those days, too" "$(jq -c '[.[].status]' stdout)" '["settled","settling","partial","partial"]'

report weekly
has "weekly: said of its sums" "$(said weekly sums)" "The bill ends at $day 00:00, 4d "
is "and compares nothing" "$(jq -c '.sums[] | [.net, .net_before, .change]' weekly.json)" "[144.01,336,null]"
case $(jq -r .headline weekly.json) in
*"the week before"*) flunk "nor in words" ;;
*) pass "nor in words" ;;
esac
is "its sums are partial" "$(jq -c '[.sums[0] | .net_status, .cost_status] + [.partial | index("sums.net", "categories.net") != null]' weekly.json)" '["partial","partial",true,true]'
has "for people, too" "$(cat weekly.txt)" "144.01 USD*"
has "why" "$(tr -s ' \n' ' ' <weekly.txt)" "Some days are missing: not compared with the week before."

report month
is "month: known up to the newest usage" "$(jq -r .known_until month.json)" "$ends"
has "said of the invoice" "$(said month invoice)" "The bill ends at $day 00:00, 4d "
is "and it was read" "$(jq -r '.billing_read > .known_until' month.json)" true

# Google is late by a day and a half now and then
collect 1
report daily
report weekly
for kind in daily weekly; do
	case $(cat $kind.txt) in
	*"bill ends"*) flunk "$kind: late is not stopped" "$(cat $kind.txt)" ;;
	*) pass "$kind: late is not stopped" ;;
	esac
done
is "the weeks are compared" "$(jq -c '.sums[] | .change != null' weekly.json)" true
