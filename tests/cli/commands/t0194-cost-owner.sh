# Billed cost by owner and by label: from the labels of the usage and of its project. Every sum is
# complete, in the polled export and in an imported file.
. "$ROOT/tests/cli/lib.sh"
write_world owners us-central1-a <<'END'
billing:
  table: lab-one.billing.gcp_billing_export_v1_00AA11_22BB33_44CC55
  location: EU
  currency: USD
  rows:
    - {project: lab-one, service: Compute Engine, sku: Core, unit: hour, usage: 2, cost: 0.100000001,
       resource: vm-1, labels: {owner: ada, team: vision}, from: 2026-11-10T00:00:00Z, until: 2026-11-10T05:00:00Z}
    # the same machine gets another owner
    - {project: lab-one, service: Compute Engine, sku: Core, unit: hour, usage: 2, cost: 0.100000001,
       resource: vm-1, labels: {owner: ben, team: vision}, from: 2026-11-10T05:00:00Z, until: 2026-11-10T07:00:00Z,
       credits: [{name: t, type: PROMOTION, amount: -0.000000003}]}
    - {project: lab-one, service: Compute Engine, sku: Ram, unit: hour, usage: 2, cost: 3,
       labels: {creator: ada, cost-center: "7", k8s-label/app.kubernetes.io/name: web}, from: 2026-11-11T00:00:00Z, until: 2026-11-11T01:00:00Z}
    - {project: lab-one, service: Compute Engine, sku: Ram, unit: hour, usage: 2, cost: 5,
       resource: vm-2, from: 2026-11-11T00:00:00Z, until: 2026-11-11T01:00:00Z}
END
start_sandbox "$work/world.yaml"
config_one "billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11_22BB33_44CC55}"
run tpucost collect billing
is "collect: status" "$rc" 0
csv() { "$@" --format csv | tr -d '\r' | tail -n +2; }

is "by owner" "$(csv tpucost cost --by owner --columns owner,cost,credits,net)" ",5,0,5
ada,3.500000005,0,3.500000005
ben,0.200000002,-0.000000006,0.199999996"
is "by owner and day" "$(csv tpucost cost --by owner,day --columns day,owner,net)" "2026-11-10,ada,0.500000005
2026-11-10,ben,0.199999996
2026-11-11,,5
2026-11-11,ada,3"
is "by label" "$(csv tpucost cost --by label:team --columns label:team,net)" ",8
vision,0.700000001"
is "by label and owner, in order" "$(csv tpucost cost --by label:team,owner --sort-by owner --columns owner,label:team,net)" ",,5
ada,,3
ada,vision,0.500000005
ben,vision,0.199999996"
is "a label with a hyphen" "$(csv tpucost cost --by label:cost-center --columns label:cost-center,net)" ",5.700000001
7,3"
is "a label of Kubernetes" "$(csv tpucost cost --by label:k8s-label/app.kubernetes.io/name --columns net,label:k8s-label/app.kubernetes.io/name)" "5.700000001,
3,web"
is "with a condition" "$(csv tpucost cost --by label:team,owner --where "owner <> 'ben'" --columns label:team,owner,net)" ",ada,3
vision,ada,0.500000005"
is "by type of credit" "$(csv tpucost cost --by owner,credit_type --columns owner,credit_type,net | sort)" ",,5
ada,,3.500000005
ben,,0.200000002
ben,PROMOTION,-0.000000006"
is "by resource: one row for each name" "$(csv tpucost cost --by resource --columns resource,net | grep -c vm-1)" 1
is "the view" "$(csv tpucost sql "SELECT owner, json_extract(labels, '$.team') AS team, SUM(usage) AS n FROM costs WHERE resource = 'vm-1' GROUP BY 1, 2")" "ada,vision,10
ben,vision,4"

run tpucost cost --by owner --since 2026-11-11T03:00:00Z --until 2026-11-11T04:00:00Z --columns net --format csv
is "a part of a day is all of it" "$(tr -d '\r' <stdout | tr '\n' ' ')" "net 5 3 "
has "and that is said" "$err" "note: the rows are of whole days (UTC)"
run tpucost cost --since 30d
is "days are nothing to note" "$(grep -c "whole days" stderr)" 0
run tpucost cost --by 'label:a"b'
is "a key that is not valid: status" "$rc" 2
has "a key that is not valid" "$err" "does not name a label"

# a budget of an owner
cat >>tpucost.yaml <<'END'
budgets: [{name: ada, amount: 10 USD, per: month, where: "owner = 'ada'"}]
END
is "a budget by owner" "$(csv tpucost budget --columns name,spent)" "ada,3.500000005"

# imported: the labels of a row take precedence over those of its project
cat >rows.json <<'END'
{"usage_start_time":"2026-11-02 00:00:00 UTC","currency":"USD","cost":1,"service":{"id":"S","description":"S"},"sku":{"id":"K","description":"K"},"project":{"id":"lab-one","labels":[{"key":"owner","value":"lab-one"},{"key":"team","value":"x"}]},"labels":[{"key":"user","value":"eve"},{"key":"owner","value":"dan"}],"invoice":{"month":"202611"},"credits":[]}
{"usage_start_time":"2026-11-02 00:00:00 UTC","currency":"USD","cost":2,"service":{"id":"S","description":"S"},"sku":{"id":"K","description":"K"},"project":{"id":"lab-one","labels":[{"key":"owner","value":"lab-one"}]},"labels":[],"invoice":{"month":"202611"},"credits":[]}
END
cat >rows.csv <<'END'
usage_start_time,cost,currency,service.description,sku.description,invoice.month,labels,project.labels
2026-10-02 00:00:00 UTC,4,USD,S,K,202610,"[{""key"":""team"",""value"":""x""},{""key"":""owner"",""value"":""dan""}]","[{""key"":""owner"",""value"":""lab-one""}]"
2026-10-02 00:00:00 UTC,8,USD,S,K,202610,,null
END
sed 's/^database:.*/database: i.db/; /^billing:/d' tpucost.yaml >import.yaml
export TPUCOST_CONFIG=$work/import.yaml
for file in rows.json rows.csv; do
	run tpucost import $file
	is "import $file: status" "$rc" 0
done
is "imported, by owner" "$(csv tpucost cost --by owner --columns owner,net)" ",8
dan,5
lab-one,2"
is "imported labels" "$(csv tpucost sql "SELECT DISTINCT labels FROM costs WHERE owner = 'dan' ORDER BY 1" | tr -d '"')" \
	"{owner:dan,team:x,user:eve}
{owner:dan,team:x}"
