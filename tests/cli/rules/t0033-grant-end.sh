# The end of a grant: what becomes paid, what it costs together, and the commands against it.
. "$ROOT/tests/cli/lib.sh"

write_world ends "us-central1-a, europe-west4-a" <<'EOW'
nodes:
  - {project: lab-one, zone: europe-west4-a, name: old, type: v3-8, created: -10h}
  - {project: lab-one, zone: europe-west4-a, name: young, type: v3-8, created: -5h, queued: asked}
  - {project: lab-one, zone: us-central1-a, name: wrong, type: v3-8, created: -10h}
queued:
  - {project: lab-one, zone: europe-west4-a, name: asked, type: v3-8, state: ACTIVE, node: young, created: -6h}
  - {project: lab-one, zone: europe-west4-a, name: waits, type: v3-8, state: WAITING_FOR_RESOURCES, node: later, created: -1h}
limits:
  - {quota: TPUV3sPerProjectPerZoneForTPUAPI, metric: tpu.googleapis.com/tpu-v3s, zone: europe-west4-a, value: "8"}
EOW
start_sandbox "$work/world.yaml"
config() { # GRANTS
	cat >tpucost.yaml <<EOC
timezone: Asia/Tokyo
projects: [lab-one]
credentials: service-account.json
database: t.db
grants:
$1
endpoints: {all: "$url"}
EOC
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}
trc="  - name: trc
    starts: $(day -20)
    until: $(day +3)
    tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]"
config "$trc"
run tpucost collect -q
status "collected" 0

run tpucost grant plan
status "a plan" 0
has "its end, in one zone" "$out" "trc ends $(day +3) 00:00 Asia/Tokyo, in 2d "
# two v3-8 of 8.80 an hour: 17.60, and 24 x 17.60 = 422.40
has "what it costs together" "$out" "2 TPUs will be charged: 17.60 USD an hour together, 422.40 USD a day."
has "how to delete a TPU" "$out" "  gcloud compute tpus tpu-vm delete old --zone=europe-west4-a --project=lab-one"
has "and one of a queued resource" "$out" \
	"  gcloud compute tpus queued-resources delete asked --zone=europe-west4-a --project=lab-one --force"
has "how to copy" "$out" \
	"  gcloud compute tpus tpu-vm scp --recurse --worker=all 'old:~/OUTPUT' ./old/ --zone=europe-west4-a --project=lab-one"
has "and to a bucket" "$out" "gcloud storage cp -r ~/OUTPUT gs://BUCKET/old/"
has "what waits" "$out" "These are waiting, and would be charged once they are created:
  gcloud compute tpus queued-resources delete waits "
is "what is paid already is not in it" "$(grep -c wrong stdout)" 0

run tpucost grant plan trc --format json
is "JSON" "$(jq -c '[.[] | [.grant_name, .name, .kind, .gross_per_hour, .waits]]' stdout)" \
	'[["trc","old","tpu",8.8,0],["trc","young","tpu",8.8,0],["trc","waits","queued",8.8,1]]'
run tpucost grant plan --format markdown
has "markdown: a heading" "$out" "## trc"
has "markdown: a table" "$out" "| old | tpu | europe-west4-a | v3-8 |"
is "markdown: fences are closed" "$(($(grep -c '^```' stdout) % 2))" 0
run tpucost sql "SELECT name, stage, becomes_paid, per_hour, resources FROM grant_ends" --format json
is "the view" "$(jq -c '.[0] | [.name, .stage, .becomes_paid, .per_hour, .resources]' stdout)" \
	'["trc",2,2,17.6,"lab-one/tpu/europe-west4-a/old, lab-one/tpu/europe-west4-a/young"]'
run tpucost rules explain grant-ending
has "two TPUs" "$(echo $out)" "Then 2 running TPUs become paid, 17.60 USD an hour in total"
cp t.db two.db
sqlite3 t.db "UPDATE resource SET state = 'stopped' WHERE name = 'young'"
run tpucost rules explain grant-ending
has "one TPU" "$(echo $out)" "Then 1 running TPU becomes paid, 8.80 USD an hour in total"
sqlite3 t.db "UPDATE resource SET state = 'stopped' WHERE name = 'old'"
run tpucost rules explain grant-ending
has "no TPU" "$(echo $out)" "Then no running TPU becomes paid."
mv two.db t.db
run tpucost grant plan trk
status "a name that is none" 2
has "and the one that was meant" "$err" "did you mean 'trc'?"
run tpucost grant plan --where 1
status "what it does not take" 2

# 8 cores are 4 chips; the grant has 5 x 4
run tpucost grant list --format json
is "the quota beside the grant" "$(jq -r '.[0].quota_note' stdout)" \
	"granted 20 chips; quota TPUV3s of lab-one limits use to 4 (8 cores)"

run tpucost grant list
has "below the table it is a sentence" "$err" "note: trc, v3 on-demand in europe-west4-a: granted 20 chips; quota TPUV3s of lab-one limits use to 4"
run tpucost grant -q
is "unless it is to be quiet" "$err" ""

# a renewal takes over what it has room for: the older one
config "$trc
  - name: next
    extends: trc
    starts: $(day +3)
    days: 30
    tpus: [1 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]"
run tpucost grant plan trc
has "a renewal" "$out" "next continues it"
has "one is left" "$out" "1 TPU will be charged: 8.80 USD an hour, 211.20 USD a day."
is "not the one that is taken over" "$(grep -c 'delete old' stdout)" 0
# with a gap before it both are paid, and are told when that ends
sed -i "s/starts: $(day +3)/starts: $(day +5)/" tpucost.yaml
run tpucost grant plan trc --format json
is "a gap" "$(jq -c '[.[] | select(.kind == "tpu") | [.name, .again_grant]]' stdout)" \
	'[["old","next"],["young",null]]'

# an ended grant
config "$(echo "$trc" | sed "s/until: .*/until: $(at -3600)/")"
run tpucost grant plan
has "after the end" "$out" "trc ended "
has "what is paid now" "$out" "2 TPUs are charged: 17.60 USD an hour together"
config "  - {name: far, starts: $(day +9), days: 9, tpus: [1 on-demand v3-8 device in europe-west4-a]}"
run tpucost grant plan
has "nothing to plan" "$out" "No grant is valid or ended in the last two days."

# totals of a period: 10 h and 5 h of 4 chips each way, at 8.80 and 8.00 an hour. What is polled
# is a few seconds later than the world began, so hours are cut to a tenth.
config "$trc"
run tpucost coverage --since 1d --by grant --format json
is "totals" "$(jq -c '[.[] | [.grant_name, .why, .covered, .tpus, (.chip_hours * 10 | floor / 10), (.saved | floor), (.net | floor), .currency]]' stdout)" \
	'[["trc","covered",1,2,60,132,0,"USD"],[null,"wrong-zone",0,1,40,0,80,"USD"]]'
run tpucost coverage --since 1d
has "they stand below the TPUs" "$out" "Together"
run tpucost coverage --since 1d --where "covered = 0"
is "but not below a part of them" "$(grep -c Together stdout)" 0
run tpucost coverage --since 1d --by day
status "another group" 2
