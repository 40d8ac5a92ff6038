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
is "by project" "$(rows projects project | cut -d, -f1-4,6)" "lab-one,1,7,17,USD
lab-two,0.625,3.625,8.625,USD"
is "by owner" "$(rows owners owner | cut -d, -f1-4,6)" "ada,1,7,17,USD
,0.5,3.5,8.5,USD
eve,0.125,0.125,0.125,USD"
burn() { tpucost burn --by "$1" --format json | jq -r ".[] | select(.$1 == $2) | .net_per_hour"; }
is "burn of a project" "$(rows projects project | grep lab-two | cut -d, -f5)" "$(burn project '"lab-two"')"
is "burn of an owner" "$(rows owners owner | grep ada | cut -d, -f5)" "$(burn owner '"ada"')"
is "nothing of hers runs" "$(rows owners owner | grep eve | cut -d, -f5)" ""
text=$(tpucost report daily --format text)
has "text: by project" "$text" "By project, after credits"
has "text: by owner" "$text" "By owner, after credits"
has "text: the most expensive first" "$(echo "$text" | grep -A 2 "By owner" | tail -1 | tr -s " ")" "ada 1.00 USD"
has "markdown" "$(tpucost report daily --format markdown)" "By owner, after credits"

is "alerts: the view" "$(tpucost alerts --where "rule = 'runs'" --columns subject,owner --sort-by subject --format csv | tr -d '\r')" \
	"subject,owner
lab-one/vm/us-central1-a/vm-ada,ada
lab-two/vm/us-central1-a/vm-none,"
has "alerts: the list" "$(tpucost alerts)" "vm-ada, owner ada"
is "alerts: no owner" "$(tpucost alerts | grep -c 'vm-none, owner')" 0

# one project and no owner: the sections say nothing
sed -i 's/^projects: .*/projects: [lab-two]/; s/^database: .*/database: u.db/; /^billing:/d' tpucost.yaml
run tpucost collect
run tpucost report daily --format json --output report.json
is "one project: not by project" "$(jq -c '[.projects, .owners]' report.json)" "[[],[]]"
is "nor in text" "$(tpucost report daily --format text | grep -c 'By owner\|By project')" 0
