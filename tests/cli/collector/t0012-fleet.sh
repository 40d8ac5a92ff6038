# A fleet of projects in the sandbox: what lists them, over HTTP and page by page.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<EOF
name: fleet
projects: [{id: lab-one, number: "100000000001"}]
project_count: 205
zones: [us-central1-a, us-central1-b]
billing: {table: lab-one.b.t, currency: HKD}
EOF
start_sandbox "$work/world.yaml"
token=$(curl -sS -H 'Metadata-Flavor: Google' \
	"$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
# get PATH [CURL-OPTION...]: body in $out, status in $code
get() {
	path=$1
	shift
	run curl -sS -G -H "Authorization: Bearer $token" -o body -w '%{http_code}' \
		"$@" "$url$path"
	code=$out
	out=$(cat body)
	: >stdout
}
field() { printf '%s' "$out" | jq -r "$1"; }
# walk PATH SIZE FILTER [CURL-OPTION...]: what all pages hold, and in $pages how many those are
walk() {
	path=$1 size=$2 filter=$3 next= pages=0
	shift 3
	: >all
	while :; do
		get "$path" --data-urlencode "pageSize=$size" --data-urlencode "pageToken=$next" "$@"
		field "$filter" >>all
		pages=$((pages + 1))
		next=$(field '.nextPageToken // ""')
		[ -n "$next" ] || break
	done
}
account=/v1/billingAccounts/01AB23-CD45EF-678901
type=assetTypes=cloudresourcemanager.googleapis.com/Project

get $account
is "the account" "$(field '"\(.open) \(.currencyCode)"')" "true HKD"
get /v1/billingAccounts/000000-000000-000000
is "another account is denied" "$code $(field .error.status)" "403 PERMISSION_DENIED"
walk $account/projects 5000 '.projectBillingInfo[].projectId'
is "its projects come by the hundred" "$pages $(sort -u all | wc -l)" "3 206"
is "the last of them" "$(tail -n 1 all)" lab-205
walk $account/projects 70 '.projectBillingInfo[] | select(.billingEnabled) | .projectId'
is "or as few as are wanted" "$pages $(sort -u all | wc -l)" "3 206"
get /v1/projects/lab-205/billingInfo
is "each says so itself" "$(field '"\(.billingAccountName) \(.billingEnabled)"')" \
	"billingAccounts/01AB23-CD45EF-678901 true"

for scope in organizations/8 folders/9; do
	walk /v1/$scope:searchAllResources 100 '.results[].name' --data-urlencode $type
	is "$scope: the projects" "$pages $(sort -u all | wc -l)" "3 206"
	is "$scope: a project's name" "$(sed -n 2p all)" \
		//cloudresourcemanager.googleapis.com/projects/lab-001
done
get /v1/folders/8:searchAllResources
is "another folder is denied" "$code" 403
get /v1/folders/9:searchAllResources --data-urlencode query=state:ACTIVE
is "a query is refused, not ignored" "$code" 400
run curl -sS -o body -w '%{http_code}' "$url/v1/folders/9:searchAllResources"
is "without a token: 401" "$out" 401

get /compute/v1/projects/lab-123/aggregated/instances
is "each project has one machine" \
	"$(field '[.items[].instances // [] | .[]] | "\(length) \(.[0].name) \(.[0].status)"')" \
	"1 vm-1 RUNNING"
is "of four processors" "$(field '.items["zones/us-central1-a"].instances[0].machineType | split("/") | last')" \
	n1-standard-4
first=$(field '.items["zones/us-central1-a"].instances[0].id')
get /compute/v1/projects/lab-124/aggregated/instances
is "with an id of its own" \
	"$(field '.items["zones/us-central1-a"].instances[0].id' | grep -vxc "$first")" 1
get /compute/v1/projects/200000000123/aggregated/disks
is "and nothing else" "$code $(field '[.items[].disks // [] | .[]] | length')" "200 0"
