# VM flow counters have the region of the other end: that part of the traffic has a price, and only the rest has bounds.
. "$ROOT/tests/cli/lib.sh"

flow() { echo "  - {project: lab-one, type: networking.googleapis.com/vm_flow/$1_bytes_count, zone: us-central1-a, instance: $2, remote: $3, value: \"$4\", integer: true, from: -9h, until: ${5:-+9h}}"; }
count() { echo "  - {project: lab-one, type: compute.googleapis.com/instance/network/$1_bytes_count, zone: us-central1-a, instance: $2, value: \"$3\", integer: true, from: -9h}"; }
mib=$((1024 * 1024 * 60)) # bytes a minute of 1 MiB/s
{
	cat <<EOF
buckets:
  - {project: lab-one, name: data, location: US, created: -40d}
instances:
  - {project: lab-one, zone: us-central1-a, name: near, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: away, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: mixed, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: plain, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: busy, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: apart, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: turned, type: n1-standard-8, created: -10h}
  - {project: lab-one, zone: us-central1-a, name: again, type: n1-standard-8, created: -10h, started: -20m}
metrics:
EOF
	count sent near $((200 * mib))
	count received near $((200 * mib))
	flow egress near us-central1 $((196 * mib))
	flow ingress near us-central1 $((198 * mib))
	count sent away $((100 * mib))
	flow egress away europe-west4 $((100 * mib))
	count sent mixed $((100 * mib))
	flow egress mixed us-central1 $((40 * mib))
	flow egress mixed europe-west4 $((20 * mib))
	flow egress mixed EXTERNAL $((8 * mib))
	flow egress mixed NETWORK $((4 * mib))
	count sent plain $((10 * mib))
	# most of its traffic remains in the region, and a leak does not
	count sent busy $((133 * mib))
	count received busy $((300 * mib))
	flow ingress busy us-central1 $((300 * mib))
	flow egress busy us-central1 $((120 * mib))
	flow egress busy europe-west4 $((13 * mib))
	# flows of other minutes than the counter
	count sent apart $((100 * mib))
	flow egress apart us-central1 $((150 * mib))
	flow egress apart europe-west4 $((90 * mib))
	# within the region until 25 minutes ago, since then elsewhere, without flows
	count sent turned $((100 * mib))
	flow egress turned us-central1 $((100 * mib)) -25m
	flow egress turned europe-west4 $((1 * mib))
	# started 20 minutes ago: the counters have 15 minutes of it
	count sent again $((50 * mib))
	flow egress again us-central1 $((40 * mib))
} >lines
write_world flows us-central1-a <lines
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}]"
run tpucost run --once -q
status "collected" 0
is "one series for each machine and region" "$(jq -r 'select(.path == "/v3/projects/lab-one/timeSeries") | .query' requests | grep vm_flow |
	grep -c 'crossSeriesReducer=REDUCE_SUM.*groupByFields=resource.label.instance_id.*remote_region.*remote_location_type')" 2

run tpucost egress --format json -q
one() { jq -r ".[] | select(.name == \"$1\") | $2" stdout; }
is "within the region: no alarm" "$(one near '"\(.path) \(.destinations)"')" "region us-central1 196.0 MiB/s"
# 4 of 200 sent and 2 of 200 received may be charged: 6 MiB/s x 3600 s
is "the rest may be charged" "$(one near '"\(.gib_last_hour) \(.sent_gib_last_hour)"')" "21.094 703.125"
is "to another region: the price" "$(one away '"\(.path) \(.estimated_low_per_hour) \(.estimated_high_per_hour)"')" \
	"inter-region 17.578125 17.578125"
is "several: the largest first" "$(one mixed .destinations)" \
	"us-central1 40.0 MiB/s, europe-west4 20.0 MiB/s, external 8.0 MiB/s, unknown 4.0 MiB/s"
# every bucket is elsewhere: 40 MiB/s at 0.02; 70.3125 GiB x 0.05
is "bounds of the rest only" "$(one mixed '"\(.estimated_low_per_hour) \(.estimated_high_per_hour)"')" "6.328125 20.390625"
has "the sentence" "$(one mixed .basis)" "; VM flow counters: to us-central1 40.0 MiB/s, europe-west4 20.0 MiB/s, external 8.0 MiB/s, unknown 4.0 MiB/s; the rest is not measured"
is "a machine without flows has bounds as before" "$(one plain '"\(.destinations) \(.estimated_low_per_hour) \(.estimated_high_per_hour)"')" \
	"null 0.703125 4.21875"
is "and no flows in its sentence" "$(one plain .basis | grep -c "VM flow")" 0
# 13 MiB/s x 3600 s = 45.703125 GiB x 0.05
is "a leak beside traffic within the region" "$(one busy '"\(.path) \(.gib_last_hour) \(.estimated_low_per_hour) \(.estimated_high_per_hour)"')" \
	"inter-region 45.703 2.28515625 2.28515625"
is "flows elsewhere are not less than their counters say" "$(one apart '"\(.path) \(.gib_last_hour) \(.estimated_low_per_hour)"')" "inter-region 316.406 15.8203125"
is "a flow that ended hides no leak" "$(one turned '"\(.path) \(.destinations) \(.gib_per_day)"')" "inter-region europe-west4 1.0 MiB/s 8437.5"
# 10 MiB/s x 900 s
is "bytes of flows since the start" "$(one again '"\(.gib_last_hour) \(.sent_gib_last_hour)"')" "8.789 43.945"
is "who has the alarm" "$(tpucost alerts -q --format json --where "rule = 'egress-fast'" | jq -r '[.[].subject] | sort | join(" ")')" \
	"$(printf 'lab-one/vm/us-central1-a/%s ' apart away busy mixed plain turned | sed 's/ $//')"
has "it names the destination" "$(tpucost alerts -q --format json --where "rule = 'egress-fast'" | jq -r .[].summary)" \
	"vm away (us-central1-a): GiB last hour: sent 351.6, received unknown, about 17.58 to 17.58 USD; to europe-west4 100.0 MiB/s; buckets elsewhere: data (us)"

# no such metric, or no permission for it: bounds, and the source is well
for status in 400 403; do
	[ $status = 400 ] && message="The provided filter does not refer to any known metric." || message="Permission denied."
	printf '%s\n' "- regex: timeSeries.*vm_flow" "  status: $status" \
		"  body: '{\"error\": {\"code\": $status, \"message\": \"$message\"}}'" |
		curl -sf -o said --data-binary @- "$url/_sandbox/faults"
	sqlite3 t.db "DELETE FROM metric"
	tpucost collect metrics -q
	is "$status: bounds" "$(tpucost egress -q --format json --where "name = 'away'" | jq -r '.[] | "\(.estimated_low_per_hour) \(.destinations)"')" "7.03125 null"
	is "$status: the source" "$(tpucost sources -q --format json --where "source = 'metric'" | jq -r '.[] | "\(.state) \(.note)"')" "ok null"
	curl -sf -o said --data-binary '' "$url/_sandbox/faults"
done
