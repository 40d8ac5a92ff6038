# The fake Google Cloud itself, over HTTP: what tests rely on, and Google's own traps.
# acts
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
token=$(curl -sS -H 'Metadata-Flavor: Google' \
	"$url/computeMetadata/v1/instance/service-accounts/default/token" | jq -r .access_token)
# ask METHOD PATH [CURL-OPTION...]: body in $out, status in $code
ask() {
	method=$1 path=$2
	shift 2
	run curl -sS -X "$method" -H "Authorization: Bearer $token" -o body -w '%{http_code}' \
		"$@" "$url$path"
	code=$out
	out=$(cat body)
	: >stdout
}
get() { ask GET "$@"; }
post() { ask POST "$@"; }
field() { printf '%s' "$out" | jq -r "$1"; }
control() { curl -sS -X POST --data-binary @- "$url/_sandbox/$1"; }
gce=/compute/v1/projects/lab-one
zone=$gce/zones/us-central1-b
tpu=/v2/projects/lab-one/locations

# ---- who may ask
run curl -sS -o body -w '%{http_code}' "$url$gce/aggregated/instances"
is "without a token: 401" "$out" 401
is "in Google's shape" "$(jq -r '.error | "\(.status) \(.errors[0].reason)"' body)" "UNAUTHENTICATED authError"
run curl -sS -o body -w '%{http_code}' "$url/computeMetadata/v1/project/project-id"
is "metadata without its header: 403" "$out" 403
run curl -sSi -H 'Metadata-Flavor: Google' "$url/computeMetadata/v1/instance/zone"
has "metadata: the header comes back" "$out" "Metadata-Flavor: Google"
has "metadata: the zone has the project's number" "$out" "projects/100000000001/zones/"
run curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=old
is "a refresh token that is not known" "$(jq -r .error stdout)" invalid_grant
run curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=sandbox-refresh
is "one that is" "$(jq -r '"\(.token_type) \(.expires_in)"' stdout)" "Bearer 3599"
is "the key is private" "$(stat -c %a service-account.json)" 600
is "and says where tokens are" "$(jq -r .token_uri service-account.json)" "$url/token"
get /nowhere
is "an unknown path: 404" "$code $(field .error.status)" "404 NOT_FOUND"

# ---- Compute
get "$gce/aggregated/instances?returnPartialSuccess=true"
is "every scope is there: zones, regions, global" "$(field '.items | length')" 9
is "those without instances say so" "$(field '.items["zones/europe-west4-a"].warning.code')" NO_RESULTS_ON_PAGE
is "ids are text beyond 2^53" "$(field '.items["zones/us-central1-b"].instances[0].id | type + (length > 16 | tostring)')" stringtrue
has "times have Pacific's offset" "$(field '.items["zones/us-central1-b"].instances[0].creationTimestamp')" "-08:00"
walk() { # PATH FILTER: what all pages of it hold
	next=
	: >pages
	while :; do
		get "$1" -G --data-urlencode maxResults=1 --data-urlencode "pageToken=$next"
		field "$2" >>pages
		next=$(field '.nextPageToken // ""')
		[ -n "$next" ] || break
	done
	grep -v '^$' pages | sort | xargs
}
is "pages of one hold everything once" "$(walk "$gce/aggregated/disks" '.items[].disks // [] | .[].name')" "big spare"
is "lists of a zone have pages too" "$(walk "$zone/disks" '.items // [] | .[].name')" "big spare"
get "$gce/aggregated/disks?maxResults=501"
is "more than 500 is refused" "$code $(field '.error.errors[0].reason')" "400 invalid"
get "$gce/aggregated/disks?pageToken=3"
is "a token that it never gave is refused" "$code" 400
get "$gce/aggregated/disks?filter=x"
is "a filter is refused, not ignored" "$code" 400
get /compute/v1/projects/nobody/aggregated/disks
is "no such project" "$code" 404
get "$zone/instances/none"
has "no such instance: its name is said" "$(field .error.message)" "instances/none' was not found"
get "$zone/machineTypes/n1-highmem-96"
is "a machine type" "$(field '"\(.guestCpus) \(.memoryMb)"')" "96 638976"
get "$zone/machineTypes/n1-highmem-97"
is "none such" "$code" 404
get "$zone/disks/spare"
is "a disk that nobody uses has no users at all" "$(field '"\(.sizeGb) \(has("users"))"')" "800 false"
get "$gce/regions/us-central1/addresses/spare-ip"
is "an address that nobody uses" "$(field .status)" RESERVED
get "$gce/regions/us-central1"
is "a region and its zones" "$(field '"\(.name) \(.zones | length)"')" "us-central1 3"
get "$gce/zones"
is "zones" "$(field '.items | length')" 5

# ---- stop
id=12345678-1234-4234-8234-123456789abc
post "$zone/instances/big/stop?requestId=$id"
op=$(field .name)
is "stop gives an operation" "$code $(field '"\(.kind) \(.operationType) \(.status)"')" "200 compute#operation stop PENDING"
state() { get "$zone/instances/big" && field .status; }
is "the machine is stopping" "$(state)" STOPPING
post "$zone/instances/big/stop?requestId=$id"
is "the same request id: the same operation" "$(field .name)" "$op"
get "$zone/operations/$op"
is "then it runs" "$(field '"\(.status) \(.progress)"')" "RUNNING 0"
is "and the machine is stopping still" "$(state)" STOPPING
get "$zone/operations/$op"
is "then it is done" "$(field '"\(.status) \(.progress) \(has("endTime")) \(has("error"))"')" "DONE 100 true false"
is "and the machine is stopped" "$(state)" TERMINATED
get "$zone/instances/big"
has "since when is said" "$(field .lastStopTimestamp)" "-08:00"
post "$zone/instances/big/start"
post "$zone/operations/$(field .name)/wait" -d ''
is "waiting for an operation ends it" "$(field .status)" DONE
is "a machine starts again" "$(state)" RUNNING
post "$zone/instances/big/stop?requestId=00000000-0000-0000-0000-000000000000"
is "a request id of zeros is none" "$code" 400
post "$zone/instances/none/stop"
is "what is not there cannot be stopped" "$code" 404
post "$zone/instances/big/explode"
is "there is no such verb" "$code" 404
get "$zone/operations/operation-x"
is "there is no such operation" "$code" 404
get "$zone/instances/big"
print=$(field .labelFingerprint)
post "$zone/instances/big/setLabels" -d "{\"labels\":{\"a\":\"b\"},\"labelFingerprint\":\"$print\"}"
is "labels are set" "$code" 200
post "$zone/instances/big/setLabels" -d "{\"labels\":{\"a\":\"c\"},\"labelFingerprint\":\"$print\"}"
is "with an old fingerprint they are not" "$code $(field '.error.errors[0].reason')" "412 conditionNotMet"
get "$zone/instances/big"
is "the first labels are there" "$(field '.labels | tojson')" '{"a":"b"}'
echo 'instances: [{name: big, deletion_protection: true}]' | control world/patch >/dev/null
ask DELETE "$zone/instances/big"
is "what is protected is not deleted" "$code" 400
echo 'instances: [{name: big, deletion_protection: false}]' | control world/patch >/dev/null
ask DELETE "$zone/instances/big"
post "$zone/operations/$(field .name)/wait" -d ''
get "$zone/instances/big"
is "a machine is deleted" "$code" 404
get "$zone/disks"
is "with its boot disk, and no other" "$(field '[.items[].name] | join(" ")')" spare

# ---- TPU
get "$tpu/-/nodes?pageSize=2"
is "nodes of all zones, in pages" "$(field '.nodes | length') $(field 'has("nextPageToken")')" "2 true"
is "what is false is left out" "$(field '.nodes[0].schedulingConfig | tojson')" "{}"
get "$tpu/us-central1-b/nodes"
is "nothing there: an empty object" "$out" "{}"
get "$tpu/mars-west1-a/nodes"
is "a zone that is hidden" "$code $(field .error.status)" "403 PERMISSION_DENIED"
get /v2alpha1/projects/lab-one/locations/-/nodes
is "v2alpha1 is the same" "$(field '.nodes | length')" 3
post "$tpu/us-central1-a/nodes/wrong:stop" -d '{}'
op=$(field .name)
is "stop gives a long-running operation" "$(field '"\(.done) \(.metadata.verb)"')" "false stop"
get "$tpu/us-central1-a/nodes/wrong"
is "the node is stopping" "$(field .state)" STOPPING
get "/v2/$op"
get "/v2/$op"
is "then it is done, with the node" "$(field '"\(.done) \(.response.state) \(.response["@type"])"')" \
	"true STOPPED type.googleapis.com/google.cloud.tpu.v2.Node"
post /v2/projects/lab-two/locations/us-central2-b/nodes/slice:stop -d '{}'
is "slices are not stopped" "$code $(field .error.status)" "400 FAILED_PRECONDITION"
ask DELETE /v2/projects/lab-two/locations/us-central2-b/nodes/slice
op=$(field .name)
get "/v2/$op"
get "/v2/$op"
is "they are deleted" "$(field '"\(.done) \(.response["@type"])"')" "true type.googleapis.com/google.protobuf.Empty"
get /v2/projects/lab-two/locations/-/nodes
is "and gone" "$out" "{}"
echo 'queued: [{zone: us-central2-b, name: q1, type: v4-8, node: n1}]
nodes: [{zone: us-central2-b, name: n1, type: v4-8, queued: q1}]' | control world/patch >/dev/null
post "$tpu/us-central2-b/nodes/n1:stop" -d '{}'
is "nodes of queued resources are not stopped" "$code" 400
ask DELETE "$tpu/us-central2-b/queuedResources/q1"
is "a queued resource with nodes wants force" "$code" 400
ask DELETE "$tpu/us-central2-b/queuedResources/q1?force=true"
get "$tpu/us-central2-b/nodes/n1"
is "which deletes its node first" "$(field .state)" DELETING
echo '{"advance": 60}' | control clock >/dev/null
get "$tpu/us-central2-b/nodes/n1"
is "a minute later both are gone" "$code" 404
get "$tpu/us-central2-b/queuedResources"
is "unseen" "$out" "{}"
get "$tpu/us-central2-b/acceleratorTypes/v4-8"
is "accelerator types have a topology" "$(field '.acceleratorConfigs[0].topology')" 2x2x1

# ---- BigQuery
table=/bigquery/v2/projects/lab-one/datasets/billing/tables/gcp_billing_export_v1_00AA11
get "$table"
is "the detailed export has a resource" "$(field '[.schema.fields[].name] | contains(["resource"])') $(field .timePartitioning.type)" "true DAY"
rows=$(field .numRows) moved=$(field .lastModifiedTime)
get /bigquery/v2/projects/lab-one/datasets/billing/tables
is "it is in its dataset" "$(field '.tables[0].tableReference.tableId')" gcp_billing_export_v1_00AA11
query() {
	jq -n --arg q "$1" --argjson more "$2" '{query: $q, useLegacySql: false} + $more' >query
	post /bigquery/v2/projects/lab-one/queries --data-binary @query
}
known="/* tpucost:billing-units v2 */ SELECT 1 FROM \`lab-one.billing.gcp_billing_export_v1_00AA11\`"
since='"queryParameters":[{"name":"since","parameterType":{"type":"DATE"},"parameterValue":{"value":"2020-01-01"}}]'
query "$known" "{$since}"
is "a known query is answered" "$(field '[.rows[].f[2].v | tonumber] | add')" "$rows"
query "$known" "{$since, \"dryRun\": true}"
is "a dry run has columns and no rows" "$(field '"\(.jobComplete) \(.schema.fields | length) \(has("rows")) \(has("jobReference"))"')" "true 6 false false"
query "$known" "{$since, \"location\": \"US\"}"
is "the wrong location" "$code $(field '.error.errors[0].reason')" "404 notFound"
query "$known" "{$since, \"maximumBytesBilled\": \"1000\"}"
is "too few bytes allowed" "$(field '.error.errors[0].reason')" bytesBilledLimitExceeded
query "SELECT 1 FROM \`lab-one.billing.gcp_billing_export_v1_00AA11\`" '{}'
is "an unknown query" "$code $(field .error.message)" "400 sandbox: unknown query"
query "$known" "{$since, \"maxResults\": 1}"
job=$(field .jobReference.jobId) next=$(field .pageToken)
get "/bigquery/v2/projects/lab-one/queries/$job?location=EU&maxResults=1&pageToken=$next"
is "pages go on where they ended" "$(field '.rows | length')" 1
get "/bigquery/v2/projects/lab-one/queries/$job?location=us-east1"
is "a job is where its data is" "$code" 404
echo 'billing_rows: [{service: S, sku: Late, cost: 5, from: -30h, lag: 1h}]' | control world/patch >/dev/null
get "$table"
is "appended rows are there" "$(field .numRows)" $((rows + 1))
echo '{"advance": 86400}' | control clock >/dev/null
run curl -sS -o body -w '%{http_code}' -H "Authorization: Bearer $token" "$url$table"
is "a day later the token has expired" "$out" 401
token=$(curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=sandbox-refresh | jq -r .access_token)
get "$table"
is "and the export has moved" "$(field ".lastModifiedTime > \"$moved\"")" true

# ---- faults and control
fault() { echo "- {match: GET $gce/zones, $1}" | control faults; }
fault 'status: 429, retry_after: 7, times: 1'
run curl -sSi -H "Authorization: Bearer $token" "$url$gce/zones"
has "a fault has its status" "$out" "429"
has "and says when to come again" "$out" "Retry-After: 7"
get "$gce/zones"
is "and is over when it was seen often enough" "$code" 200
fault 'how: cut'
run curl -sS -H "Authorization: Bearer $token" "$url$gce/zones"
status "an answer that is cut: curl misses the rest" 18
fault 'how: close'
run curl -sS -H "Authorization: Bearer $token" "$url$gce/zones"
status "a connection that is closed" 52
fault 'how: endless, bytes: 3000000'
run curl -sS -H "Authorization: Bearer $token" "$url$gce/zones" -o big
is "a body that goes on and on" "$(wc -c <big)" 3000011
fault 'how: bomb, bytes: 5000000'
run curl -sS --compressed -H "Authorization: Bearer $token" "$url$gce/zones" -o big
is "a bomb unpacks" "$(wc -c <big)" 5000000
fault 'how: gzip'
run curl -sS --compressed -H "Authorization: Bearer $token" "$url$gce/zones" -o big
is "what says gzip and is not" "$rc" 61
fault 'delay_ms: 300'
get "$gce/zones"
is "late is still right" "$code $(field '.items | length')" "200 5"
: | control faults
has "a misspelt fault is refused" "$(fault 'how: stragely' | jq -r .error.message)" "a fault's how is"
has "a patch that fails says where" "$(echo 'nodes: [{name: good, stat: X}]' | control world/patch | jq -r .error.message)" 'patch:1:'
is "the clock goes forward only" "$(echo '{"advance": -1}' | control clock | jq -r .error.code)" 400
echo 'unreachable: {compute: [us-central1-b], tpu: [us-central1-a]}' | control world/patch
get "$gce/aggregated/instances"
is "a zone out of reach fails the list" "$code" 503
get "$gce/aggregated/instances?returnPartialSuccess=true"
is "unless partial success is wanted" \
	"$code $(field '.items["zones/us-central1-b"].warning.code') $(field '.unreachables | join(" ")')" \
	"200 UNREACHABLE zones/us-central1-b"
get "$zone/instances"
is "its own list fails" "$code" 503
get "$tpu/-/nodes"
is "nodes: the zone is named" "$(field '.unreachable | join(" ")') $(field '.nodes | length')" "us-central1-a 2"
get "$tpu/us-central1-a/nodes"
is "and fails alone" "$code $(field .error.status)" "503 UNAVAILABLE"

# ---- the log
curl -sS "$url/_sandbox/log" >log
is "what would change the cloud is marked" "$(jq -r 'select(.mutating) | .method' log | sort | uniq -c | xargs)" \
	"$(jq -r 'select((.method == "DELETE") or ((.method == "POST") and (.path | test("/(stop|start|setLabels|explode)$|:stop$")))) | .method' log | sort | uniq -c | xargs)"
is "queries of URLs are there" "$(jq -r 'select(.query | startswith("requestId=")) | .query' log | head -n 1)" "requestId=$id"
has "with the time" "$(jq -r .time log | head -n 1)" "T"
is "no secret is" "$(grep -c 'sandbox-refresh\|ya29' log)" 0
is "the file has the same and the control requests" "$(jq -r 'select(.path | startswith("/_sandbox") | not) | .n' requests | cksum)" "$(jq -r .n log | cksum)"

# ---- a clock that stands, and worlds that are wrong
kill "$sandbox_pid" && wait "$sandbox_pid"
is "SIGTERM ends it cleanly" $? 0
"$B/sandbox" --now 2026-11-21T09:00:00Z --port-file port2 "$ROOT/tests/sandbox/worlds/small.yaml" >sandbox.out &
sandbox_pid=$!
wait_until test -s port2
url=http://127.0.0.1:$(cat port2)
is "one line says where it is" "$(cat sandbox.out)" "sandbox: $url world small"
token=$(curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=sandbox-refresh | jq -r .access_token)
get "$zone/instances/big"
is "--now: times are relative to it" "$(field .creationTimestamp)" "2026-11-20T15:00:00.000-08:00"
printf 'name: x\nprojects: [{id: p, number: "1"}]\nzones: [a]\ndisk: []\n' >bad.yaml
run "$B/sandbox" bad.yaml
is "a bad world: exit 1" "$rc" 1
has "with its line" "$err" "bad.yaml:4:1: world: unknown key 'disk'"
run "$B/sandbox" --now soon bad.yaml
has "a bad time" "$err" "bad --now: soon"
run "$B/sandbox" --port 70000 "$ROOT/tests/sandbox/worlds/small.yaml"
has "a bad port" "$err" "bad port: 70000"
kill "$sandbox_pid" && wait "$sandbox_pid"

# ---- what there is beside: quotas, prices, metrics, snapshots, buckets
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
token=$(curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=sandbox-refresh | jq -r .access_token)
get /compute/v1/projects/tpu-develop/regions/us-central1
is "quotas of a region are doubles" "$(jq -c '.quotas[0]' body) $(grep -c '"limit":96.0' body)" '{"metric":"CPUS","limit":96,"usage":96} 1'
get /compute/v1/projects/tpu-develop
is "and of the project" "$(field '[.quotas[].metric] | join(" ")')" "CPUS_ALL_REGIONS GPUS_ALL_REGIONS"
infos=/v1/projects/tpu-develop/locations/global/services/tpu.googleapis.com/quotaInfos
get "$infos"
is "limits by zone: a grant, another, and a default of nothing" \
	"$(field '.quotaInfos[0].dimensionsInfos | map("\(.dimensions.zone):\(.details.value)") | join(" ")')" \
	"europe-west4-a:40 us-central1-a:8 null:null"
is "names have the project's number" "$(field '.quotaInfos[1].name')" \
	"projects/123456789012/locations/global/services/tpu.googleapis.com/quotaInfos/TPUV2sPreemptiblePerProjectPerZoneForTPUAPI"
get "$infos?pageSize=1"
is "in pages" "$(field '.quotaInfos | length') $(field 'has("nextPageToken")')" "1 true"
get "$infos/TPUV3sPerProjectPerZoneForTPUAPI"
is "one of them" "$(field '.dimensionsInfos | length')" 3
get "$infos/none"
is "and none" "$code" 404
get "/v1/services"
is "services of the price list" "$(field '[.services[].serviceId] | join(" ")') $(field .nextPageToken)" "E000-3F24-B8AA 6F81-5844-456A "
get "/v1/services/6F81-5844-456A/skus?pageSize=1"
is "prices come in pages" "$(field '.skus | length')" 1
get "/v1/services/6F81-5844-456A/skus" -G --data-urlencode "pageToken=$(field .nextPageToken)"
is "with a free tier first" "$(field '.skus[0].pricingInfo[0].pricingExpression.tieredRates | map("\(.startUsageAmount) \(.unitPrice.units).\(.unitPrice.nanos)") | join(", ")')" \
	"0 0.null, 30 0.40000000"
get "/v1/services/E000-3F24-B8AA/skus?currencyCode=HKD"
is "and in the currency of the bill: 4.5 x 7.75" \
	"$(field '.skus[0].pricingInfo[0].pricingExpression.tieredRates[0].unitPrice | "\(.units) \(.nanos) \(.currencyCode)"')" "34 875000000 HKD"
get "/v1/services/E000-3F24-B8AA/skus?currencyCode=CHF"
is "in no other" "$code" 400
series() { # TYPE SECONDS-BACK [CURL-OPTION...]
	filter="metric.type = \"$1\" AND resource.type = \"gce_instance\""
	start=$(at "-$2")
	shift 2
	get /v3/projects/tpu-develop/timeSeries -G --data-urlencode "filter=$filter" \
		-d "interval.startTime=$start" -d "interval.endTime=$(at 0)" "$@"
}
series compute.googleapis.com/instance/cpu/utilization 600
is "series of what runs" "$(field '[.timeSeries[].metric.labels.instance_name] | join(" ")')" "tpu-vm tpu-driver"
is "a point a minute" "$(field '.timeSeries[0].points | length | . >= 10 and . <= 11')" true
is "the newest first" "$(field '.timeSeries[0].points | .[0].interval.endTime > .[1].interval.endTime')" true
has "joined by the machine's id" "$(curl -sS -H "Authorization: Bearer $token" "$url/compute/v1/projects/tpu-develop/zones/us-central1-b/instances/tpu-vm" | jq -r .id)" \
	"$(field '.timeSeries[0].resource.labels.instance_id')"
series compute.googleapis.com/instance/cpu/utilization 600 -d aggregation.alignmentPeriod=300s -d aggregation.perSeriesAligner=ALIGN_MEAN
is "or one every five" "$(field '.timeSeries[0].points | length | . >= 2 and . <= 3')" true
series compute.googleapis.com/instance/network/sent_bytes_count 120
is "integers are text" "$(field '.timeSeries[0].points[0].value.int64Value | type')" string
series compute.googleapis.com/instance/uptime 120
is "no data: no series, and no zeros" "$out" "{}"
get "/v3/projects/tpu-develop/timeSeries?filter=x&interval.endTime=2026-01-01T00:00:00Z"
is "a filter names one metric" "$code" 400
get /compute/v1/projects/tpu-develop/global/snapshots
is "snapshots" "$(field '.items[0] | "\(.name) \(.storageBytes) \(.storageLocations[0])"')" "old-vm-2026 900000000 us"
get "/storage/v1/b?project=tpu-develop"
is "buckets are in a region or many" "$(field '[.items[] | "\(.location) \(.locationType)"] | join(", ")')" "US-CENTRAL1 region, EU multi-region"
get /v1/projects/tpu-develop/billingInfo
is "the project is billed" "$(field .billingEnabled)" true
post /v1/projects/-/serviceAccounts/x@y.iam.gserviceaccount.com:generateAccessToken -d '{}'
token=$(field .accessToken)
get /v1/services
is "a token for another account works" "$code" 200
kill "$sandbox_pid" && wait "$sandbox_pid"

# ---- a bad day, as tpucost sees it
start_sandbox "$ROOT/tests/sandbox/worlds/faulty.yaml"
write_config
run tpucost collect
status "a zone out of reach and an API that is off: exit 4" 4
has "the zone is named" "$err" "us-east1-d is unreachable"
has "the API too" "$err" "gcloud services enable tpu.googleapis.com"
run tpucost ps --all --format json
is "what is in reach is there" "$(jq -r '[.[].name] | sort | join(" ")' stdout)" "near other seen seen"
run tpucost cost --format json
is "and what was asked for twice" "$(jq -r 'map(.cost * 1e9 | round) | add' stdout)" 3034656000
token=$(curl -sS "$url/token" -d grant_type=refresh_token -d refresh_token=sandbox-refresh | jq -r .access_token)
: | control faults
get "$table"
is "the standard export has none" "$(field '[.schema.fields[].name] | contains(["resource"])')" false
post "$zone/instances/seen/stop"
post "$zone/operations/$(field .name)/wait" -d ''
is "an operation that fails is done, with its error" \
	"$(field '"\(.status) \(.error.errors[0].code)"')" "DONE ZONE_RESOURCE_POOL_EXHAUSTED"
get "$zone/instances/seen"
is "and the machine runs on" "$(field .status)" RUNNING
