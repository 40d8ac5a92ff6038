# The daily report by project and by owner, and the owner of a resource in alerts.
. "$ROOT/tests/cli/lib.sh"
write_world owners us-central1-a <<END
instances:
  - {project: lab-one, zone: us-central1-a, name: vm-ada, type: n1-standard-4, labels: {owner: ada}, created: $(at -864000)}
  - {project: lab-two, zone: us-central1-a, name: vm-none, type: n1-standard-8, created: $(at -864000)}
$BILL
    - {project: lab-one, service: Compute Engine, sku: Core, cost: 1, resource: vm-ada, labels: {owner: ada},
       from: $(day -17)T00:00:00Z, until: $(day 0)T00:00:00Z, every: 24h}
    - {project: lab-two, service: Compute Engine, sku: Core, cost: 0.5, resource: vm-none,
       from: $(day -17)T00:00:00Z, until: $(day 0)T00:00:00Z, every: 24h}
    - {project: lab-two, service: Compute Engine, sku: Core, cost: 0.25, resource: vm-eve, labels: {user: eve},
       from: $(day -1)T00:00:00Z, until: $(day 0)T00:00:00Z, every: 24h,
       credits: [{name: t, type: PROMOTION, amount: -0.125}]}
END
start_sandbox "$work/world.yaml"
write_config 'rules:
  - {name: runs, on: resources, where: "kind = '"'vm'"'", severity: warning, summary: "{name} runs"}'
run tpucost collect
run tpucost report daily --format json --output report.json
is "report: status" "$rc" 0
rows() { jq -r ".$1[] | [.$2, .net_yesterday, .net_7d, .net_month, .net_per_hour, .currency] | @csv" report.json | tr -d '"'; }
is "by project" "$(rows projects project | cut -d, -f1-4,6)" "lab-two,0.625,3.625,8.625,USD
lab-one,1,7,17,USD"
is "by owner" "$(rows owners owner | cut -d, -f1-4,6)" ",0.5,3.5,8.5,USD
ada,1,7,17,USD
eve,0.125,0.125,0.125,USD"
burn() { tpucost burn --by "$1" --format json | jq -r ".[] | select(.$1 == $2) | .net_per_hour"; }
is "burn of a project" "$(rows projects project | grep lab-two | cut -d, -f5)" "$(burn project '"lab-two"')"
is "burn of an owner" "$(rows owners owner | grep ada | cut -d, -f5)" "$(burn owner '"ada"')"
is "nothing of hers runs" "$(rows owners owner | grep eve | cut -d, -f5)" 0
text=$(tpucost report daily --format text)
has "text: by project" "$text" "By project, after credits"
has "text: by owner" "$text" "By owner, after credits"
# 0.38 an hour are more than the dollar of yesterday
has "text: the most expensive first" "$(echo "$text" | grep -A 2 "By owner" | tail -1 | tr -s " ")" "- 0.50 USD"
is "text: three are named" "$(echo "$text" | sed -n '/^By owner/,/^$/p' | grep -c 'USD.*USD')" 3
has "markdown" "$(tpucost report daily --format markdown)" "By owner, after credits"

is "alerts: the view" "$(tpucost alerts --where "rule = 'runs'" --columns subject,owner --sort-by subject --format csv | tr -d '\r')" \
	"subject,owner
lab-one/vm/us-central1-a/vm-ada,ada
lab-two/vm/us-central1-a/vm-none,"
has "alerts: the list" "$(tpucost alerts)" "vm-ada, owner ada"
is "alerts: no owner" "$(tpucost alerts | grep -c 'vm-none, owner')" 0

# ---- a bill in HKD, and list prices in USD: each in its currency, and no sum of both
cp t.db hkd.db
sed -i 's/^database: .*/database: hkd.db/' tpucost.yaml
sqlite3 hkd.db "UPDATE charge SET currency = 'HKD'"
run tpucost report daily --format json --output report.json
burns() { jq -r ".$1[] | [.$2, .net_month, .currency, .net_per_hour, .net_per_hour_currency] | @csv" report.json | tr -d '"'; }
is "HKD: by project" "$(burns projects project)" "lab-one,17,HKD,$(burn project '"lab-one"'),USD
lab-two,8.625,HKD,$(burn project '"lab-two"'),USD"
is "HKD: by owner" "$(burns owners owner)" "ada,17,HKD,$(burn owner '"ada"'),USD
,8.5,HKD,$(burn owner null),USD
eve,0.125,HKD,0,"
is "HKD: in text" "$(tpucost report daily --format text | sed -n '/^By project/,/^$/p' | tr -s ' ')" "By project, after credits
 project yesterday 7 days month now, an hour
 lab-one 1.00 HKD* 7.00 HKD* 17.00 HKD* 0.19 USD/h~
 lab-two 0.62 HKD* 3.62 HKD* 8.62 HKD* 0.38 USD/h~"
# a price that is unknown, and a project that is not watched
sqlite3 hkd.db "UPDATE resource SET type = 'x9-unknown-1' WHERE name = 'vm-ada';
	UPDATE billed_project SET project = 'lab-far' WHERE project = 'lab-two'"
run tpucost report daily --format json --output report.json
is "HKD: without a price, of a project that is not watched, and that is not billed" "$(burns projects project)" \
	"lab-one,17,HKD,,
lab-far,8.625,HKD,,
lab-two,,USD,$(burn project '"lab-two"'),"
is "HKD: then owners may run machines there" "$(burns owners owner)" "ada,17,HKD,,
,8.5,HKD,$(burn owner null),USD
eve,0.125,HKD,,"

sqlite3 hkd.db "UPDATE resource SET project = 'lab-two' WHERE name = 'vm-ada'"
run tpucost report daily --format json --output report.json
is "a project with known and unknown prices is one row" "$(jq -c '[.projects[] | [.project, .currency, .detail]]' report.json)" \
	'[["lab-one","HKD",null],["lab-far","HKD",null],["lab-two","USD","Other resources have an unknown price."]]'

# one project and no owner: the sections say nothing
sed -i 's/^projects: .*/projects: [lab-two]/; s/^database: .*/database: u.db/; /^billing:/d' tpucost.yaml
run tpucost collect
run tpucost report daily --format json --output report.json
is "one project: not by project" "$(jq -c '[.projects, .owners]' report.json)" "[[],[]]"
is "nor in text" "$(tpucost report daily --format text | grep -c 'By owner\|By project')" 0

# ---- one name in two projects
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/; s/^database: .*/database: twins.db/' tpucost.yaml
cat >>tpucost.yaml <<'END'
notify: [{name: mail, sendmail: {to: [me@example.org], from: tpucost@example.org, program: sendmail}}]
enforcement: {mode: armed, projects: [lab-one, lab-two]}
END
sed -i "s/{name: runs, /{name: also, on: resources, where: \"name = 'twin'\", for: 0m, severity: critical, summary: '{name} of {owner}', \\
    then: {action: stop, grace: 20m, armed: true}}\n  - &/; s/severity: warning/for: 0m, &/" tpucost.yaml
printf '#!/bin/sh\ncat >>"%s/mails"\n' "$work" >sendmail && chmod 755 sendmail
# decoded: the text of the mails
decoded() { tr -d '\r' <mails | sed -e ':a' -e '/=$/{N;s/=\n//;ba' -e '}' -e '/^Content-Type: text.html/,$d'; }
patch() { curl -sS -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null; }
patch "instances:
  - {project: lab-one, zone: us-central1-a, name: twin, type: n1-standard-16, labels: {owner: ada}, created: -10h}
  - {project: lab-two, zone: us-central1-a, name: twin, type: n1-standard-16, labels: {owner: eve}, created: -10h}"
set_clock $NOW
run tpucost run --once
is "an alert has project and owner" "$(grep ^ALERT stdout | sort)" "ALERT critical also (owner ada): lab-one/twin of ada
ALERT critical also (owner eve): lab-two/twin of eve
ALERT warning runs (owner ada): lab-one/twin runs
ALERT warning runs (owner ada): vm-ada runs
ALERT warning runs (owner eve): lab-two/twin runs
ALERT warning runs: vm-none runs"
mail=$(decoded)
has "the mail" "$mail" "
Subject: [tpucost] lab-one/twin will be stopped at 10:20 (and 7 more)"
has "its table of actions" "$mail" "
! lab-two/twin  n1-standard-16  will be stopped  2026-11-18 10:20  eve"
has "a summary without a full stop" "$mail" "lab-two/twin of eve. To prevent it from being stopped:"
is "and of alerts" "$(echo "$mail" | sed -n 's/^! warning *runs *\([^ ]*\) .* \([^ ]*\)$/\1 \2/p' | sort)" "lab-one/twin ada
lab-two/twin eve
vm-ada ada
vm-none -"
run tpucost status
is "status: do now" "$(sed -n 's/^! \([^,:]*\)[,:].*/\1/p' stdout | sort)" "lab-one/twin
lab-two/twin
vm-ada
vm-none"
has "status: the next stop" "$out" "next: lab-one/twin"
run tpucost report daily --format text
is "report: running now" "$(sed -n '/^Running now/,/^$/s/^  \([^ ]*\) .*/\1/p' stdout | sort)" "lab-one/twin
lab-two/twin
name
vm-ada
vm-none"
run tpucost report daily --format json
is "for programs, the name is the same" "$(jq -c '[.running[].name] | sort' stdout)" '["twin","twin","vm-ada","vm-none"]'
run tpucost ps --format csv --columns project,display_name,name --sort-by display_name
is "the column" "$(tr -d '\r' <stdout)" "project,display_name,name
lab-one,lab-one/twin,twin
lab-two,lab-two/twin,twin
lab-one,vm-ada,vm-ada
lab-two,vm-none,vm-none"

# ---- a long name is not cut, also of a machine that is gone
long=a-machine-with-a-name-of-more-than-forty-characters
# below LINE: the line below that one, in a mail, without the age
below() { decoded | tr -s ' ' | grep -A1 "^$1$" | sed 1d | sed 's/ [0-9]*[hms] / /'; }
# cycles: two polls, ten minutes apart, and their mails only
cycles() {
	: >mails
	for _ in 1 2; do
		NOW=$((NOW + 600))
		set_clock $NOW
		run tpucost run --once
	done
}
sed -i 's/mode: armed/mode: off/' tpucost.yaml
patch "instances: [{project: lab-one, zone: us-central1-a, name: $long, type: n1-standard-16, labels: {owner: ada}, created: -10h}]"
cycles
is "its name has its own line" "$(below "! $long")" " warning runs 0.76 USD/h~ ada"
patch "remove: {instances: [{name: $long}]}"
cycles
is "and when it is gone, instead of its id" "$(below " $long")" " warning runs - ada"
