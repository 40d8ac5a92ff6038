# What machines and TPUs send and receive: from Monitoring's counters to what it may cost.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/traffic.yaml"
write_config
sed -i 's/projects: .*/projects: [lab-one, lab-two, lab-three]/' tpucost.yaml

run tpucost collect instances metrics
status "a project without Monitoring is no trouble" 0
run tpucost sources --where "source = 'metric'" --format json
is "and is said to have none" "$(jq -r '[.[] | "\(.project) \(.state)"] | sort | join(", ")' stdout)" \
	"lab-one ok, lab-three disabled, lab-two ok"

# one list for each metric
asked() { jq -r "select(.path == \"/v3/projects/$1/timeSeries\") | .path" requests | wc -l; }
is "twelve metrics, twelve requests" "$(asked lab-one)" 12

run tpucost egress --format json
status "egress exits 0" 0
one() { jq -r ".[] | select(.name == \"$1\") | $2" stdout; }
is "those whose counters are known" "$(jq -r '[.[].name] | sort | join(" ")' stdout)" "asleep half reader sender trains"
is "rates in bytes a second" "$(one reader '"\(.sent_bytes_per_second) \(.received_bytes_per_second)"')" "1048576 41943040"
is "and the peak of the hour" "$(one reader .received_peak_bytes_per_second)" 41943040
# 12 periods of 300 s: 40 MiB/s x 3600 s = 140.625 GiB, 1 MiB/s x 3600 s = 3.515625 GiB
is "GiB in the last hour" "$(one reader '"\(.sent_gib_last_hour) \(.received_gib_last_hour)"')" "3.516 140.625"
is "with far buckets only, both may be charged" "$(one reader .gib_last_hour)" 144.141
# 41 MiB/s x 86400 s
is "a day of it" "$(one reader .gib_per_day)" 3459.375
is "the buckets elsewhere" "$(one reader .far_buckets)" "results (us-central1), train-data (us)"
is "so it is likely between regions" "$(one reader .path)" inter-region
# 144.140625 GiB x 0.05
is "low: all of it across the ocean" "$(one reader .estimated_low_per_hour)" 7.20703125
# 3.515625 GiB x 0.12 to the internet + 140.625 GiB x 0.05 from the buckets
is "high: what is sent leaves Google" "$(one reader '"\(.estimated_high_per_hour) \(.currency)"')" "7.453125 USD"
is "it is never certain" "$(jq -r '[.[].certain] | unique | join(" ")' stdout)" 0
is "and minutes old" "$(one reader '.age_minutes >= 4 and .age_minutes <= 10')" true
is "where a bucket is near, traffic may be free" "$(one sender '"\(.path) \(.estimated_low_per_hour)"')" "unknown 0"
# 10 MiB/s x 3600 s = 35.15625 GiB x 0.12
is "or go to the internet" "$(one sender .estimated_high_per_hour)" 4.21875
is "what is not told is no 0" "$(one sender .received_bytes_per_second)" null
is "workers of a slice add up" "$(one half .sent_bytes_per_second)" 4194304
has "the sentence says what it rests on" "$(one reader .basis)" "every known bucket of lab-one is elsewhere: results (us-central1), train-data (us)"
has "and that it is an estimate" "$(one reader .basis)" "an estimate at list prices"
run tpucost egress
has "the table comes with sentences" "$out" "lab-one/vm/europe-west4-a/reader: sends 1.0 MiB/s, receives 40.0 MiB/s;"
run tpucost egress --where "gib_last_hour > 100" --format json
is "it can be filtered" "$(jq -r '[.[].name] | join(" ")' stdout)" reader
run tpucost egress --where "name = 'nobody'"
has "no match" "$out" "No rows match."

echo 'remove: {nodes: [{project: lab-two, zone: us-central2-b, name: half}]}' |
	curl -sS -X POST --data-binary @- "$url/_sandbox/world/patch" >/dev/null
run tpucost collect instances
before=$(asked lab-two)
run tpucost collect metrics
is "without TPUs nothing is asked about them" "$(($(asked lab-two) - before))" 7
is "and elsewhere as before" "$(asked lab-one)" 24
