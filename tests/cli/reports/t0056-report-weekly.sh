# The weekly report: the figures of `cost`, in every format.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-rows.sh"
cat >tpucost.yaml <<'END'
timezone: Asia/Hong_Kong
projects: []
database: t.db
END
TPUCOST_CONFIG=$work/tpucost.yaml
export TPUCOST_CONFIG
rows 2026-01 400 >a.ndjson
rows 2025-12 300 >b.ndjson
rows 2026-02 10 >c.ndjson # what comes after the week makes it final
run tpucost report weekly
status "without a database" 1
tpucost import a.ndjson b.ndjson c.ndjson >/dev/null 2>&1
run tpucost report weekly --until 2026-01-10 --format json
status "a week that is over" 0
is "its days" "$(jq -r '.first_day + " " + .last_day' stdout)" "2026-01-03 2026-01-09"
cp stdout week.json
billed() { # SINCE UNTIL BY FIELDS: rows of cost as JSON
	tpucost cost --since "$1" --until "$2" --by "$3" --format json | jq -c "sort_by($4) | map([$4, .net, .cost])"
}
said() { # PART FIELD
	jq -c ".$1 | sort_by($2) | map([$2, .net, .cost])" week.json
}
is "the sum is that of cost" "$(said sums .currency)" "$(billed 2026-01-03 2026-01-10 currency .currency)"
is "projects too" "$(said projects .project)" "$(billed 2026-01-03 2026-01-10 project .project)"
is "SKUs too" "$(said skus .sku)" "$(billed 2026-01-03 2026-01-10 sku .sku)"
is "fourteen days, of which some have costs" "$(jq -c '[.days[] | select(.cost != 0) | [.day, .net]]' week.json)" \
	"$(tpucost cost --since 2025-12-27 --until 2026-01-10 --by day --format json | jq -c 'map([.day, .net])')"
is "the bill is settled" "$(jq -c '.partial' week.json)" "[]"
run tpucost report weekly --until 2026-01-10
has "text: the headline" "$out" "The week cost"
has "beside the week before" "$out" "than the week before"
has "nothing was seen" "$out" "Resources were not collected"
is "no line beyond 78 columns but commands" "$(awk 'length($0) > 78' stdout | grep -vc tpucost)" 0
for format in html markdown slack csv; do
	run tpucost report weekly --until 2026-01-10 --format $format
	status "$format" 0
	has "$format says the sum" "$out" "$(jq -r '.sums[0].net' week.json | cut -d. -f1)"
done
run tpucost report weekly --until 2025-11-01
has "before the data begins" "$out" "The billing data begins on"
run tpucost report weekly --until 2026-03-01
has "after it ends" "$out" "the cost of this week is unknown"
case $out in
*"0.00 USD"*) flunk "and shows no zeros" ;;
*) pass "and shows no zeros" ;;
esac
run tpucost report weekly --until 2099-01-01
status "a week that is to come is none" 2
has "and why" "$err" "--until is in the future; the newest week ends yesterday"
tomorrow=$(day 1)
run tpucost report weekly --until "$tomorrow"
status "nor is the one that today is part of" 2
run tpucost report weekly --until "$(day 0)" --format json
status "up to today" 0
today=$(jq -r '.last_day' stdout)
run tpucost report weekly --format json
is "is what it is without" "$(jq -r '.last_day' stdout)" "$today"
run tpucost report weekly --send --output f
status "what is sent goes into no file" 2
has "said" "$err" "--send cannot be used with --output"
is "none is made" "$(ls f 2>&1 | grep -c 'No such')" 1
for option in "--format html" --raw --all; do
	# shellcheck disable=SC2086
	run tpucost report weekly --send $option
	status "what is sent has the form of its channel, not $option" 2
	has "the option is named" "$err" "--send cannot be used with ${option%% *}"
done
run tpucost report weekly --month 2026-01
is "--month is for another kind" "$rc" 2
run tpucost report weekly trc
is "and so is a name" "$rc" 2
