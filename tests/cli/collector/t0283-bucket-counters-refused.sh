# Counters of buckets that may not be read: the bounds of the machines stay, and are called so.
. "$ROOT/tests/cli/lib.sh"

write_world refused "us-central1-a" <<'EOW'
instances:
  - {project: lab-one, zone: us-central1-a, name: reader, type: n1-standard-8, created: -10h}
buckets:
  - {project: lab-one, name: far, location: US-EAST1, created: -40d}
metrics:
  - {project: lab-one, type: compute.googleapis.com/instance/network/received_bytes_count, zone: us-central1-a, instance: reader, value: "3774873600", integer: true, from: -9h}
  - {project: lab-one, type: storage.googleapis.com/network/sent_bytes_count, zone: us-east1, bucket: far, value: "3774873600", integer: true, from: -9h}
EOW
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}]"
rows() { tpucost egress -q --format json --sort-by kind | jq -c ".[] | [$1]"; }
echo '- {regex: "timeSeries.*storage.googleapis", status: 403}' | curl -sf -o said --data-binary @- "$url/_sandbox/faults"
run tpucost collect
# 60 MiB/s x 3600 s = 210.9375 GiB x 0.02
is "bounds of the machine, and no row of the bucket" "$(rows ".kind, .estimated_low_per_hour, .estimated_high_per_hour, .estimated_per_hour, .certain")" \
	'["vm",4.21875,4.21875,null,0]'
has "they are called so" "$(rows .basis)" "where the bytes go is not measured: an estimate at list prices"
has "and why" "$(rows .basis)" "every known bucket of lab-one is elsewhere: far (us-east1), whose traffic is not known"
is "the counters of machines are read" "$(tpucost sources -q --format json --where "source = 'metric'" | jq -r .[].state)" ok
tpucost run --once -q >said
has "the alarm is that of the machine" "$(tpucost alerts -q --format json --where "rule = 'egress-fast'" | jq -r .[].summary)" \
	"vm reader (us-central1-a): GiB last hour: sent unknown, received 210.9, about 4.22 to 4.22 USD; buckets elsewhere: far (us-east1)"
is "and nothing is compared with the bill" "$(tpucost reconcile --what egress -q --format json | jq -c .)" "[]"

curl -sf -o said --data-binary '' "$url/_sandbox/faults"
set_clock $(($(date +%s) + 300))
tpucost run --once -q >said
is "with them, the bucket has the bytes" "$(rows ".kind, .estimated_per_hour, .estimated_high_per_hour")" '["bucket",4.21875,25.3125]
["vm",null,0]'
