# From the first byte to the bill: a read across regions, by a pod of 16 hosts, a read within the region, a download and
# a loop over small files. The first alarm comes within ten minutes, names the bucket, the other end and the cost, which
# is within a tenth of the bill that comes a day later.
. "$ROOT/tests/cli/lib.sh"

mib=$((1024 * 1024 * 60)) # bytes a minute of 1 MiB/s
hour() { at $((3600 * $1)); }
# series TYPE ZONE OWNER PER_MINUTE UNTIL: of a counter that begins now
series() { echo "  - {project: lab-one, type: $1, zone: $2, $3, value: \"$4\", integer: true, from: $(at 0), until: $(at "$5")}"; }
received=compute.googleapis.com/instance/network/received_bytes_count
sent=storage.googleapis.com/network/sent_bytes_count
requests=storage.googleapis.com/api/request_count
# line BUCKET SKU REGION UNIT USAGE COST: an hour of usage, known five hours later
line() {
	echo "    - {project: lab-one, service_id: 95FF-2EF5-5EA1, service: Cloud Storage, sku_id: ${2%% *}, sku: ${2#* }, resource: $1, region: $3, unit: $4, usage: $5, cost: $6, from: $(at 0), until: $(hour 1), every: 1h, lag: 5h}"
}
{
	cat <<EOF
buckets:
  - {project: lab-one, name: far, location: US-EAST1, created: -40d}
  - {project: lab-one, name: pod, location: US-WEST1, created: -40d}
  - {project: lab-one, name: near, location: US-CENTRAL1, created: -40d}
  - {project: lab-one, name: public, location: EUROPE-WEST4, created: -40d}
  - {project: lab-one, name: small, location: US-CENTRAL1, created: -40d}
instances:
  - {project: lab-one, zone: us-central1-a, name: home, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-south1-a, name: reader, type: n1-standard-8, created: -10h}
nodes:
  - {project: lab-one, zone: us-central2-b, name: slice, type: v4-128, created: -10h}
metrics:
EOF
	series $received us-south1-a "instance: reader" $((200 * mib)) 3600
	series $sent us-east1 "bucket: far" $((200 * mib)) 3600
	for worker in $(seq 0 15); do
		series tpu.googleapis.com/network/received_bytes_count us-central2-b "node: slice, worker: \"$worker\"" $((30 * mib)) 3600
	done
	series $sent us-west1 "bucket: pod" $((480 * mib)) 3600
	series $received us-central1-a "instance: home" $((320 * mib)) 3600
	series $sent us-central1 "bucket: near" $((300 * mib)) 3600
	series $sent europe-west4 "bucket: public" $((250 * mib)) 3600
	series $sent us-central1 "bucket: small" $((10 * mib)) 3600
	series $requests us-central1 "bucket: small" 600000 3600
	series $requests us-central1 "bucket: small, worker: ListObjects" 6000 3600
	echo "$BILL"
	# 200 MiB/s x 3600 s = 703.125 GiB x 0.02; 1687.5 x 0.02; 878.906 x 0.12
	line far "S1 Network Inter Region Data Transfer Out" us-east1 gibibyte 703.125 14.0625
	line pod "S2 Network Inter Region Data Transfer Out" us-west1 gibibyte 1687.5 33.75
	line public "S3 Download Data Transfer Out to the Internet" europe-west4 gibibyte 878.90625 105.46875
	# 36,000,000 x 0.0000004; 360,000 x 0.000005
	line small "S4 Regional Standard Class B Operations" us-central1 count 36000000 14.4
	line small "S5 Regional Standard Class A Operations" us-central1 count 360000 1.8
} >lines
write_world egress "us-central1-a, us-central2-b, us-south1-a, europe-west4-a" <lines
start_sandbox "$work/world.yaml"
config_one "billing: {table: lab-one.billing.gcp_billing_export_v1_00AA11}
notify: [{name: log, file: {path: told.jsonl}}]"

# run_at SECONDS: a cycle, so long after the first byte
run_at() {
	set_clock "=$((NOW + $1))"
	curl -sf -o now -d "{\"advance\": $(($1 - moment))}" "$url/_sandbox/clock" || exit 1
	moment=$1
	tpucost run --once -q >>said 2>&1
}
fast() { tpucost alerts -q --format json --where "rule = 'egress-fast' AND state = 'firing'" --sort-by subject | jq -c ".[] | $1"; }
moment=0
run_at 0
is "before the first byte" "$(fast .subject)" ""
for minute in 1 2 3 4 5 6 7 8 9 10; do
	run_at $((minute * 60))
done
is "ten minutes after it: who, and how bad" "$(fast '[.subject, .severity]')" '["lab-one/bucket/europe-west4/public","warning"]
["lab-one/bucket/us-central1/small","warning"]
["lab-one/bucket/us-east1/far","critical"]
["lab-one/bucket/us-west1/pod","critical"]'
has "the pod: where to, and the likely cost" "$(fast .summary)" "machines elsewhere receive as much: slice (us-central2); an estimate at list prices: 0.02 USD per GiB between the locations (billed as Network Inter Region Data Transfer Out), 0.12 USD per GiB to the internet: about 33.75 USD an hour; since "
has "the command that finds the end of it" "$(fast .summary)" "see: tpucost why lab-one/tpu/us-central2-b/slice"
has "small files" "$(fast .summary)" "360000 class A and 36000000 class B operations an hour: about 16.20 USD"
is "the alarm was sent" "$(grep -c '"egress-fast".*bucket public ' told.jsonl)" 1

for minute in 15 20 25 30 35 40 45 50 55 60 65 70; do
	run_at $((minute * 60))
done
run tpucost reconcile --what egress
has "before the bill: not final" "$out" "not-final"
# Wednesday's traffic; on Friday it is on the bill, and not final before
run_at $((38 * 3600 + 60))
run tpucost reconcile --what egress --format json -q
row() { jq -r ".[] | select(.bucket == \"$1\" and .what == \"$2\") | $3" stdout; }
for bucket in far pod public; do
	is "$bucket: within a tenth of the bill" "$(row $bucket traffic '"\(.verdict) \(.percent | fabs <= 10) \(.billed > 10)"')" "ok true true"
done
is "small files: the same of operations" "$(row small operations '"\(.verdict) \(.percent | fabs <= 10) \(.billed)"')" "ok true 16.2"
is "the difference" "$(row far traffic '(.estimated - .billed - .difference) | fabs < 0.000001')" true
is "what is free has no row" "$(row near traffic .verdict)" ""
run tpucost reconcile --what egress --since "$(day 1)" --format json -q
is "--since" "$(jq -c . stdout)" "[]"
run tpucost reconcile --what egres
status "another word: 2" 2
