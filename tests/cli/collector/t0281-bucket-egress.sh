# Bytes that buckets send, and who receives them at the same time: across regions, within one, a download, many small reads.
. "$ROOT/tests/cli/lib.sh"

write_world buckets "us-central1-a, europe-west4-a" <<'EOW'
nodes:
  - {project: lab-one, zone: europe-west4-a, name: trains, type: v3-8, created: -10h}
instances:
  - {project: lab-one, zone: europe-west4-a, name: reader, type: n1-standard-8, created: -10h}
  - {project: lab-two, zone: us-central1-a, name: home, type: n1-standard-8, created: -10h}
buckets:
  - {project: lab-one, name: train-data, location: US-CENTRAL1, created: -40d}
  - {project: lab-one, name: results, location: EUROPE-WEST4, created: -40d}
  - {project: lab-one, name: tiles, location: EUROPE-WEST4, created: -40d}
  - {project: lab-two, name: near, location: US-CENTRAL1, created: -40d}
  - {project: lab-two, name: public, location: US-EAST1, created: -40d}
metrics:
  # 40 MiB/s to the reader, and 20 MiB/s to the TPU, from train-data: 60 MiB/s
  - {project: lab-one, type: compute.googleapis.com/instance/network/received_bytes_count, zone: europe-west4-a, instance: reader, value: "2516582400", integer: true, from: -20m, until: LATER}
  - {project: lab-one, type: tpu.googleapis.com/network/received_bytes_count, zone: europe-west4-a, node: trains, value: "1258291200", integer: true, from: -20m, until: LATER}
  - {project: lab-one, type: storage.googleapis.com/network/sent_bytes_count, zone: us-central1, bucket: train-data, value: "3774873600", integer: true, from: -20m, until: LATER}
  - {project: lab-one, type: storage.googleapis.com/network/sent_bytes_count, zone: us-central1, bucket: train-data, worker: ListObjects, value: "60", integer: true, from: -20m}
  # within the region, 30 MiB/s
  - {project: lab-two, type: compute.googleapis.com/instance/network/received_bytes_count, zone: us-central1-a, instance: home, value: "1887436800", integer: true, from: -9h}
  - {project: lab-two, type: storage.googleapis.com/network/sent_bytes_count, zone: us-central1, bucket: near, value: "1887436800", integer: true, from: -9h}
  # by nobody that is known, 20 MiB/s
  - {project: lab-two, type: storage.googleapis.com/network/sent_bytes_count, zone: us-east1, bucket: public, value: "1258291200", integer: true, from: -9h}
  # 50 reads a second, and 5 lists
  - {project: lab-one, type: storage.googleapis.com/api/request_count, zone: us-central1, bucket: train-data, value: "3000", integer: true, from: -9h}
  - {project: lab-one, type: storage.googleapis.com/api/request_count, zone: us-central1, bucket: train-data, worker: ListObjects, value: "300", integer: true, from: -9h}
EOW
sed -i "s/LATER/$(at 10800)/" world.yaml
start_sandbox "$work/world.yaml"
config_one "notify: [{name: log, file: {path: told.jsonl}}]"
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
run tpucost collect
status "collected" 0

# COLUMNS [WHERE]: of buckets
rows() { tpucost egress -q --format json --where "kind = 'bucket' AND (${2:-1})" --sort-by name | jq -c ".[] | [$1]"; }

is "the bucket, its rate, and where it goes" "$(rows ".name, .zone, .sent_bytes_per_second, .path, .receivers")" \
	'["near","us-central1",31457280,"region",null]
["public","us-east1",20971520,"unknown",null]
["train-data","us-central1",62914561,"inter-region","reader (europe-west4)"]'
# 60 MiB/s x 3600 s = 210.9375 GiB, x 0.05 to 0.12; 20 MiB/s x 3600 s = 70.3125 GiB x 0.12
is "what an hour costs" "$(rows ".name, (.estimated_low_per_hour * 1000 | round), (.estimated_high_per_hour * 1000 | round), .currency")" \
	'["near",0,0,"USD"]
["public",0,8438,"USD"]
["train-data",10547,25313,"USD"]'
has "by which price" "$(rows .basis "name = 'train-data'")" "list prices: 0.05 USD per GiB between the locations (billed as Network Inter Region Data Transfer Out), 0.12 USD per GiB to the internet"
has "or that it is free" "$(rows .basis "name = 'near'")" "sends 30.0 MiB/s; machines in us-central1 receive as much: free of charge"
is "what may be charged of the last hour" "$(rows ".name, .sent_gib_last_hour, .gib_last_hour")" \
	'["near",105.469,0]
["public",70.313,70.313]
["train-data",70.313,70.313]'
is "requests of all methods" "$(rows .requests_last_hour "requests_last_hour > 0")" "[198000]"
# 180000 x 0.0000004 + 18000 x 0.000005 USD
is "operations by class, and their cost an hour" "$(rows ".class_a_last_hour, .class_b_last_hour, .operations_per_hour" "requests_last_hour > 0")" \
	"[18000,180000,0.162]"
is "the likely cost of what is sent" "$(rows "(.estimated_per_hour * 1000 | round)")" "[0]
[8438]
[10547]"
is "since when" "$(rows ".since >= \"$(at -240)\" and .since < \"$(at -60)\"" "name = 'train-data'")" '[true]'
is "the command that finds the other end" "$(rows .command)" '[null]
["gcloud storage buckets get-iam-policy gs://public"]
["tpucost why lab-one/vm/europe-west4-a/reader"]'
is "the same bytes are not charged twice" "$(tpucost egress -q --format json --where "name = 'reader'" | jq -c '.[] | [.received_bytes_per_second, .gib_last_hour, .estimated_high_per_hour]')" \
	'[41943040,0,0]'

# the first alarm comes with the first counters, of what leaves its region only
tpucost run --once -q
fast() { tpucost alerts -q --format json --where "rule = 'egress-fast' AND state = 'firing'" --sort-by subject | jq -c '.[] | [.subject, .severity]'; }
is "what leaves is told" "$(fast)" '["lab-one/bucket/us-central1/train-data","critical"]
["lab-two/bucket/us-east1/public","warning"]'
has "in words" "$(tpucost alerts -q --format json --where "subject LIKE '%train-data'" | jq -r .[].summary | sed "s/since $(at -240 %FT%H:%M):..Z/since NOW/")" \
	"bucket train-data (us-central1): GiB last hour: sent 70.31, received unknown, about 10.55 to 25.31 USD; sends 60.0 MiB/s; machines elsewhere receive as much: reader (europe-west4); an estimate at list prices: 0.05 USD per GiB between the locations (billed as Network Inter Region Data Transfer Out), 0.12 USD per GiB to the internet: about 10.55 USD an hour; 18000 class A and 180000 class B operations an hour: about 0.16 USD; since NOW; see: tpucost why lab-one/vm/europe-west4-a/reader"

# a bucket without requests has no counters: its alarm ends
set_clock $((NOW + 4 * 3600))
for i in 1 2; do tpucost run --once -q; done
is "it ends with the traffic" "$(fast)" '["lab-two/bucket/us-east1/public","warning"]'

# a project whose buckets have no counters keeps the bounds of its machines
sed '/storage.googleapis/d' world.yaml >other.yaml
set_clock $NOW
curl -sf -X POST --data-binary @other.yaml "$url/_sandbox/world" >/dev/null
rm -f t.db*
run tpucost collect
status "none is no failure" 0
is "then no bucket has a row" "$(rows .name)" ""
has "the machine has its bounds" "$(tpucost egress -q --format json --where "name = 'reader'" | jq -c '.[] | [.path, .estimated_low_per_hour, .estimated_high_per_hour]')" '["unknown",0,7.03125]'
has "and they are called so" "$(tpucost egress --where "name = 'reader'")" "where the bytes go is not measured: an estimate at list prices"
