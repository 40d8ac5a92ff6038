# Conditions and columns as users write them: what is missing, what is not a column, what may not be read.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config "budgets:
  - {name: \"a@b's\", amount: 5 USD, per: month, where: \"project = 'lab-two'\"}
  - {name: week, amount: 7 USD, per: week}"
tpucost collect -q

refused() { # PART ARGS...
	part=$1
	shift
	run tpucost "$@"
	status "$*: status" 2
	has "$*: said" "$err" "$part"
}
early="tpucost: --where: the condition ends too early: text is missing after"
refused "$early 'AND'" ps --where "kind = 'vm' AND"
refused "$early '='" ps --where "kind ="
refused "$early 'AND'" ps --where "(kind = 'vm') AND  "
refused "$early '>'" cost --by project --where "cost >"
refused "$early 'OR'" burn --by owner --where "owner = 'x' OR"
refused 'near ")": syntax error' ps --where "(kind = 'vm' AND)"
refused "a closing parenthesis has no opening parenthesis" ps --where "kind = 'vm')"
refused "a parenthesis or quote is not closed" ps --where "kind = 'vm"

# Amounts are called cost by users
refused "did you mean 'net_per_hour'?" ps --sort-by cost
refused "did you mean 'net_per_hour'?" burn --where "price > 1"
refused "did you mean 'saved'?" grant list --sort-by cost
run tpucost cost --sort-by cost
status "where cost is a column" 0
run tpucost grant list --columns ends --format csv
is "the end of a grant" "$(echo "$out" | tr -d '\r' | tail -n 1)" "$(day 10)T00:00:00Z"

# Internal tables, also if only their rows are counted
views="only of the views"
for c in "EXISTS (SELECT 1 FROM sqlite_master)" "EXISTS (SELECT 1 FROM \"SQLITE_SCHEMA\")" \
	"EXISTS (SELECT 1 FROM dbstat)" "(SELECT COUNT(*) FROM resource) > 0" "EXISTS (SELECT 1 FROM verdict)"; do
	refused "$views" ps --where "$c"
	refused "$views" enforce --where "$c"
	refused "$views" cost --by project --where "$c"
	for s in "rules: [{name: x, on: resources, where: '$c'}]" \
		"rules: [{name: x, on: resources, where: '1', critical_when: '$c'}]" \
		"budgets: [{name: b, amount: 5 USD, per: month, where: '$c'}]" \
		"enforcement: {protect: '$c'}"; do
		printf 'timezone: UTC\nprojects: [lab-one]\n%s\n' "$s" >bad.yaml
		case $c in
		*"FROM resource)"*) refused "there is no view 'resource'; did you mean 'resources'?" check --config bad.yaml ;;
		*) refused "$views" check --config bad.yaml ;;
		esac
	done
done
printf 'timezone: UTC\nprojects: [lab-one]\nrules: [{name: x, on: resources, where: "kind = 1 AND"}]\n' >bad.yaml
refused "bad.yaml:3:41: rule x: where: the condition ends too early: text is missing after 'AND'" check --config bad.yaml

# budget NAME
refused "there is no budget 'wek'; did you mean 'week'?" budget wek
refused "unexpected argument 'x'" budget week x
run tpucost budget week --format csv --columns name
is "one budget" "$(echo "$out" | tr -d '\r' | tr '\n' ' ')" "name week "
run tpucost budget week
is "its sentences only" "$(echo "$out" | grep -c ', until ')" 1
has "in words" "$out" "week, until "
run tpucost budget "a@b's" --project lab-two
is "with any name: status" "$rc" 0
is "the share of that budget only" "$(echo "$err" | grep -c 'of the amount spent from')" \
	"$(echo "$err" | grep -c "of the amount spent from a@b's")"
run tpucost budget "a@b's" --since 60d --format json
is "in periods that have ended" "$(jq -r 'map(.name) | unique[]' stdout)" "a@b's"

# ---- values that are not given
refused "parameters (?) are not allowed in a condition; write the value" cost --where "cost > ?"
refused "parameters (:x) are not allowed in a condition" burn --where "gross_per_hour > :x"
run tpucost burn --where "project = 'a:b?'"
is "within quotes they are text" "$rc" 0
refused "SQL: parameters such as ? and :name have no value; write the values in the statement" sql "SELECT day FROM costs WHERE cost > ?"
run tpucost sql "SELECT 9e999 AS a, -9e999 AS b, 1 AS c" --format json
is "what JSON cannot hold is null" "$(jq -c . stdout)" '[{"a":null,"b":null,"c":1}]'
