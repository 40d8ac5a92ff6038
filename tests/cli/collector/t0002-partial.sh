. "$ROOT/tests/cli/lib.sh"
world=$ROOT/tests/sandbox/worlds/small.yaml
start_sandbox "$world"
write_config
post() { curl -sS -X POST --data-binary @- "$url/_sandbox/$1" >/dev/null; }

run tpucost collect
status "all is well at first" 0

sed 's/^instances:/unreachable: {compute: [us-central1-b], tpu: [us-central1-a]}\ninstances:/' "$world" | post world
run tpucost collect
status "an unreachable zone makes collect exit 4" 4
has "it is named" "$err" "us-central1-b is unreachable"
run tpucost ps --all --format json
has "a note says what did not answer" "$err" "unreachable in the last poll: us-central1-a, us-central1-b"
is "nothing disappears" "$(jq -r 'length' stdout)" 12
is "what is there is marked" "$(jq -r '[.[] | select(.complete == 0) | .name] | sort | join(" ")' stdout)" "big big spare wrong"
run tpucost sources --format json
is "the source says so" "$(jq -r '.[] | select(.source == "tpu" and .project == "lab-one") | "\(.state) \(.complete)"' stdout)" "partial 0"

post world <"$world"
sed '/name: wrong/d; /name: spare,/d' "$world" | post world
run tpucost collect
status "after deletions collect is fine again" 0
run tpucost ps --all --format json
is "what two complete lists lack is gone" "$(jq -r '[.[].name] | sort | join(" ")' stdout)" \
	"big big good keep off pre slice slice-w-0 slice-w-1 spare-ip"
run tpucost coverage --since 12h --format json
is "its past is kept" "$(jq -r '[.[] | select(.id | endswith("wrong"))] | length' stdout)" 1

sed 's/{id: lab-two, number: "100000000002"}/{id: lab-two, number: "100000000002", disabled: [tpu]}/' "$world" | post world
run tpucost collect
status "an API that is not enabled is no failure" 0
has "the command that enables it is said" "$err" "gcloud services enable tpu.googleapis.com --project"
has "and the rest is collected" "$out" "2 not enabled"

post world <"$world"
post faults <<'F'
- {match: "GET /compute/v1/projects/lab-one/aggregated/disks", status: 403}
F
run tpucost collect
status "a source that is refused makes collect exit 4" 4
has "the role to grant is said" "$err" "roles/compute.viewer"
has "the others are collected" "$out" "1 failed"
run tpucost ps --all --format json
is "old data is kept" "$(jq -r '[.[] | select(.kind == "disk")] | length' stdout)" 2

for how in empty html truncate; do
	post faults <<F
- {match: "GET /v2alpha1/projects/lab-one/locations/-/nodes", how: $how}
F
	run tpucost collect tpu
	status "an answer that is $how is not believed" 4
	run tpucost ps --all --format json
	is "and loses nothing ($how)" "$(jq -r '[.[] | select(.kind == "tpu")] | length' stdout)" 4
done
post faults <<'F'
- {match: "GET /v2alpha1/projects/lab-one/locations/-/nodes", body: '{"nodes":[{"name":"projects/lab-one/locations/z-a1-b/nodes/x","name":"y"}]}'}
F
run tpucost collect tpu
status "a duplicate key is not believed" 4

post faults <<'F'
- {match: "GET /bigquery/", status: 404}
F
run tpucost collect billing
status "a billing table that is gone: nothing at all was read" 1
has "its name is said" "$err" "gcp_billing_export_v1_00AA11"
run tpucost cost --format json
is "and cost does not become 0" "$(jq -r 'map(.cost * 1e9 | round) | add' stdout)" 146679824000

post faults <<'F'
- {match: "GET /compute/v1/projects/lab-one/aggregated/instances", status: 503, times: 1, retry_after: 1}
F
run tpucost collect vm
status "a passing 503 is tried again" 0

# ---- a size that Google does not state is unknown: no price of nothing
post faults <<'F'
- {match: "GET /compute/v1/projects/lab-one/aggregated/disks", body: '{"kind":"x","items":{"zones/us-central1-a":{"disks":[{"id":"5","name":"bare","type":"x/pd-ssd","status":"READY"}]}}}'}
- {match: "GET /compute/v1/projects/lab-one/aggregated/instances", body: '{"kind":"x","items":{"zones/us-central1-a":{"instances":[{"id":"6","name":"odd","status":"RUNNING","machineType":"x/n1-standard-1","guestAccelerators":[{"acceleratorType":"x/nvidia-tesla-t4"}]}]}}}'}
F
run tpucost collect
run tpucost ps --all --format json
is "of a disk and of GPUs" "$(jq -c '.[] | select(.name == ("bare", "odd")) | [.name, .size_gib, .gross_per_hour, .price_source]' stdout | sort)" \
	'["bare",null,null,"unknown"]
["odd",null,null,"unknown"]'
