. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "credits:
  - {name: trial, amount: 300 USD, starts: 2026-01-01}
budgets:
  - {name: month, amount: 5000 USD, per: month, alert_at: [50, 80]}
  - {name: cpu, amount: 5 USD, per: day, where: \"category = 'cpu'\", count: gross}"
run tpucost why big
status "why of a world that was never read fails" 1
tpucost collect -q

# row LABEL FIELD: of the last JSON answer
row() { jq -r --arg l "$1" "[.[] | select(.label == \$l)][0].$2" stdout; }
# of VIEW COLUMN ID: what the view shows
of() { tpucost sql "SELECT $2 AS x FROM $1 WHERE id = '$3'" -f json | jq -r '.[0].x'; }

big=lab-one/vm/us-central1-b/big
run tpucost why $big -f json
status "a machine" 0
is "is an array of flat objects" \
	"$(jq -r '[.[] | to_entries[].value | type] | unique | join(" ")' stdout)" "null number string"
is "with these fields" "$(jq -r '.[0] | keys_unsorted | join(" ")' stdout)" \
	"section label value unit formula source age"
is "cores: the formula" "$(row "vCPUs n1" formula)" "96 vCPU x 0.031611 USD"
is "cores: 96 x 0.031611" "$(row "vCPUs n1" value)" 3.034656
is "memory: the formula" "$(row "memory n1" formula)" "624 GiB x 0.004237 USD"
is "memory: 624 x 0.004237" "$(row "memory n1" value)" 2.643888
has "where the price is from" "$(row "memory n1" source)" "builtin of 20"
is "gross is that of the view" "$(row gross value)" "$(of resources gross_per_hour $big)"
is "gross is the sum" "$(row gross value) $(row gross unit)" "5.678544 USD/h"
is "net too" "$(row net value)" "$(of resources net_per_hour $big)"
is "which source saw it" "$(row state source)" vm
is "and when" "$(row state age | sed 's/[0-9]*s/Ns/')" Ns
is "created as the view says" "$(row created value)" "$(of resources created $big)"
# 48 h x 3.034656 - 48 x 2
is "the bill, by SKU" "$(row "N1 Predefined Instance Core running in Americas" value)" 49.663488
is "the disk goes on: 500 x 0.04 / 730" \
	"$(row "still charged: lab-one/disk/us-central1-b/big" value)" 0.02739726
is "what stops it" "$(row command value)" \
	"gcloud compute instances stop big --zone us-central1-b --project lab-one"

run tpucost why lab-one/disk/us-central1-b/big -f json
is "a disk of that name is not on the machine's lines" "$(row bill section | cut -c1-11)" "On the bill"
is "and says who uses it" "$(row first value)" "big uses it"
run tpucost why spare-ip -f json
is "a short name will do" "$(row gross value)" 0.01
run tpucost why lab-two/vm/us-central1-a/keep -f json
has "an exempt machine says so" "$(row exempt value)" tpucost-keep
is "and has no command" "$(row command value)" "not shown: it is exempt: label tpucost-keep=forever"
run tpucost why off -f json
is "a stopped machine: why 0" "$(row gross formula)" "not charged while stopped"
is "a stopped machine needs no command" "$(row command value)" "not needed: it is stopped"

run tpucost why wrong -f json
is "not covered: the code" "$(row why value)" wrong-zone
is "not covered: the sentence is that of the view" "$(row explanation value)" \
	"$(of resources why_text lab-one/tpu/us-central1-a/wrong)"
is "not covered: the grant's line" "$(row "grant trc" value)" \
	"5 on-demand v3-8 devices in europe-west4-a: 4 of 20 chips used, 16 free"
is "a device by its chips" "$(row "TPU device v3" formula)" "4 chips x 8 USD / 4 chips"
run tpucost why good -f json
is "covered: net 0" "$(row net value) $(row net formula)" "0 paid by the grant"
is "covered: by whom" "$(row grant value)" trc

run tpucost why Grant:trc -f csv
status "a kind in any case" 0
run tpucost why Burn
status "burn in any case" 0
run tpucost why grant:trc -f json
is "grant: granted and used" "$(row granted value) $(row "used now" value)" "20 4"
is "grant: chip-hours are its chip-seconds, with four digits as in the view" \
	"$(row "covered so far" value)" \
	"$(jq '[.[] | select(.label == "covered so far")][0].formula | split(" ")[0] | tonumber
		/ 3600 * 10000 | round / 10000' stdout)"
is "grant: who uses it" "$(row lab-one/tpu/europe-west4-a/good value)" 8.8
run tpucost why credit trial -f json
# 48 h x 1.5
is "credit: used and left" "$(row used value) $(row left value)" "72 228"
is "credit: by month" "$(jq '[.[] | select(.section | startswith("Promotion")) | .value] | add' stdout)" -72
run tpucost why burn -f json
is "burn: the total is that of the view" "$(row together value)" \
	"$(tpucost burn -f json | jq '[.[].net_per_hour * 1e9 | round] | add / 1e9')"
is "burn: things add up to it" \
	"$(jq '[.[] | select(.section == "By resource") | .value * 1e9 | round] | add / 1e9' stdout)" \
	"$(row together value)"

run tpucost why budget:month -f json
cp stdout budget
tpucost budget -f json >view
# figures of the view move with the second; what does not must be the same
for column in amount spent; do
	is "budget: $column is that of the view" "$(row $column value)" \
		"$(jq --arg c "$column" '.[] | select(.name == "month")[$c]' view)"
done
is "budget: projects add up to spent" \
	"$(jq '[.[] | select(.section | startswith("Spent")) | select(.label != "spent") | .value * 1e9 | round] | add / 1e9' budget)" \
	"$(row spent value)"
is "budget: expected is spent and unbilled" \
	"$(jq '[.[] | select(.label == "spent" or .label == "unbilled") | .value * 1e9 | round] | add / 1e9' budget)" \
	"$(row expected value)"
is "budget: what burns in it is the burn" \
	"$(jq '[.[] | select((.section | startswith("Current costs")) and ((.formula // "") | startswith("from") | not)) |
		.value * 1e9 | round] | add / 1e9' budget)" 21.32174238
is "budget: what is free until its grant ends" \
	"$(jq -r '.[] | select((.section | startswith("Current costs")) and ((.formula // "") | startswith("from"))) |
		[.label, .value, .formula] | join(" ")' budget)" \
	"lab-one/tpu/europe-west4-a/good (tpu) 8.8 from $(day +10)T00:00:00Z"
is "budget: what is advised" "$(jq -r '[.[] | select(.source == "recommended: stop it") | .label] | join(" ")' budget)" \
	"lab-one/tpu/us-central1-a/wrong (tpu) lab-two/tpu/us-central2-b/slice (tpu)"
run tpucost why budget cpu -f json
is "budget: the condition" "$(row counts value)" "cost before credits, category = 'cpu'"
is "budget: only what it selects" "$(jq '[.[] | select(.section | startswith("Current costs")) | .value] | add' stdout)" 5.72604375
day=$(day -4)
run tpucost why cost:$day -f json
status "a day" 0
is "a day: net is that of cost" "$(row net value)" \
	"$(tpucost cost --by day --since $day --until $(day -3) -f json | jq '.[0].net')"
is "a day: SKUs add up to it" \
	"$(jq '[.[] | select(.section == "By SKU") | .value * 1e9 | round] | add / 1e9' stdout)" "$(row net value)"
is "a day: its status" "$(row status value)" \
	"$(tpucost sql "SELECT DISTINCT status FROM costs WHERE day = '$day'" -f json | jq -r '.[0].status')"
has "a day: its table" "$(row lab-one.billing.gcp_billing_export_v1_00AA11 value)" "export, partitions"
cp stdout by-kind
run tpucost why $day -f json
is "a date alone is a day" "$(jq -c 'map(.value)' stdout)" "$(jq -c 'map(.value)' by-kind)"
month=$(tpucost sql "SELECT MAX(invoice_month) AS m FROM costs" -f json | jq -r '.[0].m')
run tpucost why cost:$(echo $month | sed 's/\(....\)/\1-/') -f json
is "a month: net is that of cost --month" "$(row net value)" \
	"$(tpucost cost --month $(echo $month | sed 's/\(....\)/\1-/') --by currency -f json | jq '.[0].net')"
is "a month: days add up to it" \
	"$(jq '[.[] | select(.section == "By day") | .value * 1e9 | round] | add / 1e9' stdout)" "$(row net value)"
run tpucost why cost:1999-01-01
has "a day without lines" "$out" "no line for this day"
run tpucost why source vm -f json
is "a source" "$(row state value) $(row items value)" "ok 2"

# text fits 80 columns, whatever is asked
for what in $big wrong slice good off spare grant:trc budget:month budget:cpu credit:trial burn cost:$day source:vm; do
	tpucost why $what >stdout 2>&1
	is "$what: 80 columns" "$(awk 'length > 80' stdout)" ""
	is "$what: no blank at an end" "$(grep -c ' $' stdout)" 0
done
run tpucost why wrong
command=$(sed -n '/^  command/,/^  goes/{/^  goes/d;s/^  command *//;p;}' stdout)
is "a wrapped command is one command" "$(eval "set -- $command"; echo $#:$9)" "10:--project"
run tpucost why wrong -f markdown
has "markdown" "$out" "| Net: amount to pay after grants, per hour | why | wrong-zone |"

no() { # NAME PART ARGS...
	n=$1 p=$2
	shift 2
	run tpucost why "$@"
	status "$n: status" 2
	has "$n: said" "$err" "$p"
}
no "the beginning of several" "'lab-one/vm' is ambiguous (2 matches): lab-one/vm/us-central1-a/off, $big; type one of them" lab-one/vm
no "a part of many" "'lab' is ambiguous (10 matches): " lab
has "of which some are listed" "$err" ", ...; type a longer name"
no "a misspelt name" 'did you mean' wrnog
no "a misspelt id" 'lab-one/vm/us-central1-b/big' lab-one/vm/us-central1-b/bgi
no "a grant that is none" "grant 'tcr' does not exist; did you mean" grant:tcr
no "a day that is none" 'is not a valid day or month' cost:2026-02-30
no "nothing" 'no id or name is given'
no "an empty name" 'a name has 0 characters' ''
no "a kind alone" 'missing name' grant:
no "two names" "alert 'big/wrong' does not exist" big wrong
no "another format" 'table, json' big -f xml
no "SQL is text" 'no object is named' "x'; DROP TABLE resource; --"
no "a pattern is text" 'no object is named' '%'
no "control characters are shown, not sent" '\x1b[31m' "$(printf '\033[31mred')"
is "none comes out" "$(grep -c "$(printf '\033')" stderr)" 0
no "a name of 100 kB" '102400 characters' "$(head -c 102400 /dev/zero | tr '\0' a)"
is "all of that changed nothing" "$(sqlite3 t.db 'SELECT count(*) FROM resource')" 10
