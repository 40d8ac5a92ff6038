# burn --by: every grouping adds up to the same, currencies stay apart, and what is not known is
# not counted as nothing. The clock stands still: a faked one is read from the database's own.
. "$ROOT/tests/cli/lib.sh"
write_world owners "us-central1-a, us-central1-b, europe-west4-a" <<WORLD
instances:
  - {project: lab-one, zone: us-central1-a, name: a, type: n1-standard-1, created: -200h, labels: {owner: ada, team: red}}
  - {project: lab-one, zone: us-central1-b, name: b, type: n1-standard-4, created: -200h, labels: {owner: ben, team: red}}
  - {project: lab-two, zone: us-central1-a, name: c, type: n1-standard-2, created: -200h, labels: {owner: ada}}
  - {project: lab-two, zone: us-central1-a, name: odd, type: zz9-mega-7, created: -200h, labels: {owner: cy}}
disks:
  - {project: lab-one, zone: us-central1-a, name: d, type: pd-standard, size_gb: 730, created: -200h, labels: {owner: ada}}
billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11, location: EU, currency: USD}
WORLD
start_sandbox world.yaml
write_config
run tpucost collect
status "collected" 0

# n1: 0.031611 a vCPU, 0.004237 a GiB, 3.75 of them a vCPU; the disk 730 x 0.04 / 730
# a 0.04749975, b 0.189999, c 0.0949995, d 0.04
run tpucost burn --by owner --format json
is "by owner" "$(jq -c '[.[] | [.owner, .resources, .gross_per_hour, .currency]]' stdout)" \
	'[["ben",1,0.189999,"USD"],["ada",3,0.18249925,"USD"],["cy",1,null,null]]'
is "a day is 24 hours" "$(jq -r '.[0] | "\(.gross_per_day) \(.net_per_day)"' stdout)" "4.559976 4.559976"
for by in resource project category owner kind label:team owner,category project,kind,label:team; do
	run tpucost burn --by "$by" --format json
	is "by $by it adds up to the same" \
		"$(jq -r 'map(select(.currency).gross_per_hour * 1e9 | round) | add' stdout)" 372498250
	is "by $by every resource is there once" "$(jq -r 'map(.resources) | add' stdout)" 5
done
run tpucost burn --by label:team --format json
is "a label that some lack" "$(jq -c '[.[] | [.["label:team"], .gross_per_hour]]' stdout)" \
	'[["red",0.23749875],[null,0.1349995],[null,null]]'
is "what a group is not known of is not told for the rest of it" \
	"$(jq -c '[.[] | (.gross_24h == null)]' stdout)" "[false,true,true]"
run tpucost burn --by category --project lab-one --format json
is "one project" "$(jq -c '[.[] | [.category, .gross_per_hour]]' stdout)" \
	'[["cpu",0.23749875],["disk",0.04]]'
run tpucost burn --by resource --where "owner = 'ada' AND category = 'cpu'" --sort-by gross_per_hour --columns resource,gross_per_hour --format csv
is "filtered, sorted, cut" "$(echo "$out" | tr -d '\r')" "resource,gross_per_hour
lab-one/vm/us-central1-a/a,0.04749975
lab-two/vm/us-central1-a/c,0.0949995"
run tpucost burn --by project --limit 1 --format json
is "--limit" "$(jq length stdout)" 1

# a table adds up, and says nothing where it does not know
run tpucost burn --by owner --project lab-one
has "a line of totals" "$(echo "$out" | tail -n 1 | tr -s ' ')" "total 0.28 0.28"
run tpucost burn --by owner
last=$(echo "$out" | tail -n 1)
has "what is known of now is summed" "$(echo "$last" | tr -s ' ')" "total 0.37 0.37"

# what is gone counts with what it was
sqlite3 t.db "UPDATE resource_interval SET ends = starts + 720000 WHERE name = 'b';
	UPDATE resource_interval SET owner = 'ben' WHERE name = 'b';
	UPDATE resource_interval SET ends = strftime('%s','now') - 3600 WHERE name = 'b';
	DELETE FROM resource WHERE name = 'b'"
run tpucost burn --by owner --where "owner = 'ben'" --format json
is "one that is gone burns nothing" "$(jq -c '.[0] | [.owner, .resources, .gross_per_hour]' stdout)" '["ben",0,0]'
# about 23 h x 0.189999 = 4.37 and 167 h = 31.73: the clock goes on
is "and has cost" "$(jq -r '.[0] | (.gross_24h > 4.36 and .gross_24h < 4.38 and
	.gross_7d > 31.72 and .gross_7d < 31.74)' stdout)" true

no() { # NAME PART ARGS...
	n=$1 p=$2
	shift 2
	run tpucost "$@"
	status "$n: status" 2
	has "$n: said" "$err" "$p"
}
no "unknown column" "did you mean 'owner'?" burn --by ownr
no "a label that ends the query" 'does not name a label' burn --by "label:x') FROM burn --"
no "no label" 'does not name a label' burn --by label:
no "sorting by what is not shown" 'cannot sort' burn --by project --sort-by kind
no "columns that are not shown" 'add it to --by' burn --by project --columns kind
no "a condition that closes ours" 'parenthesis' burn --by project --where "1) OR (1"
no "the same of cost" 'parenthesis' cost --where "1) OR (1"
no "too many" 'more than' burn --by label:a,label:b,label:c,label:d,label:e,label:f,label:g,label:h,label:i
run tpucost burn --by owner --where "1 = 0"
is "no row" "$out" "No rows match."

# ---- what a grant pays costs nothing, also where its price is not known ------------------------

kill "$sandbox_pid"
wait "$sandbox_pid" 2>/dev/null
write_world far africa-south1-a <<WORLD
nodes:
  - {project: lab-one, zone: africa-south1-a, name: far, type: v3-8, created: -5h}
billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11, location: EU, currency: USD}
WORLD
start_sandbox world.yaml
write_config
sed -i 's/zone europe-west4-a/zone africa-south1-a/; s/t\.db/far.db/' tpucost.yaml
run tpucost collect
run tpucost ps --format json
is "it runs, it is covered, its price is not known" \
	"$(jq -c '.[0] | [.covered, .gross_per_hour, .net_per_hour]' stdout)" '[1,null,0]'
run tpucost burn --by resource --format json
is "so gross is not known, and net is nothing" \
	"$(jq -c '.[0] | [.gross_per_hour, .net_per_hour, .net_per_day]' stdout)" '[null,0,0]'
