# What would be created, by options: verdict, exact prices, exit status.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
run tpucost collect -q
status "collected" 0

flat() { tr -s '\n ' '  ' <stdout; } # lines are broken anywhere

# ---- covered, and not
run tpucost estimate --tpu v3-8 --zone europe-west4-a
status "covered: 0" 0
# five are granted, "good" runs: this one leaves three
has "free, and how many are left" "$out" \
	"FREE: covered by grant trc (3 of 5 v3-8 in europe-west4-a remain)"
has "until when" "$(flat)" "from then on 1 v3-8 costs 8.80 USD/h"
has "what it rests on" "$out" "basis   resources as of "
run tpucost estimate --tpu v3-8 --zone us-central1-a --project lab-one
status "wrong zone: 3" 3
has "what it costs, and why" "$(flat)" \
	"NOT FREE: 8.00 USD/h; v3-8 is granted in europe-west4-a; this one is in us-central1-a (grant trc)"
has "where it would be free" "$out" "instead free with --zone=europe-west4-a (grant trc)"
run tpucost estimate --tpu v3-8 --spot --zone europe-west4-a
status "wrong class: 3" 3
has "which one is granted" "$out" "instead free without --spot"
run tpucost estimate --tpu v3-32 --zone europe-west4-a
status "a slice is no device: 3" 3
has "which type is" "$out" "instead free with type v3-8"
run tpucost estimate --tpu v2-8 --zone us-central1-f
status "no grant at all: 3" 3
has "no grant is named" "$out" "NOT FREE: 4.50 USD/h; no grant is for v2"
run tpucost estimate --tpu v4-64 --zone us-central2-b
status "a slice of granted chips: 0" 0
has "all chips are taken then" "$out" "(0 of 32 v4 chips in us-central2-b remain)"
run tpucost estimate --tpu v4-128 --zone us-central2-b
status "more chips than granted: 3" 3

# ---- several
run tpucost estimate --tpu v3-8:4 --zone europe-west4-a
status "four fit beside the one that runs: 0" 0
run tpucost estimate --tpu v3-8 --count 7 --zone europe-west4-a
status "seven do not: 3" 3
# 5 granted, 1 runs: 4 of 7 fit, 3 x 8.80 are paid
has "how many do" "$out" "NOT FREE: 4 of 7 are covered by grant trc, the rest costs 26.40 USD/h; "
run tpucost estimate --tpu v3-8 --count 0 --zone europe-west4-a
status "none is not a number of TPUs: 2" 2
is "which is said" "$err" "tpucost: --count: expected a whole number from 1; use --count 2"
run tpucost estimate --tpu v3-8:7 --zone europe-west4-a --format json
is "part coverage in figures" \
	"$(jq -c '.[] | [.count, .covered, .covered_count, .why, .gross_per_hour, .net_per_hour, .refused]' stdout)" \
	'[7,0,4,"over-capacity",61.6,26.4,1]'
run tpucost estimate --tpu v3-8:3 --tpu v3-8:3 --zone europe-west4-a
status "two wishes share the room: 3" 3

# ---- prices: 96 x 0.031611 + 624 x 0.004237; 800 x 0.17 / 730; an address of a machine
run tpucost estimate --tpu v3-8 --vm n1-highmem-96 --disk pd-ssd:800 --ip --zone us-central1-b --format json
status "a TPU decides" 3
is "exact prices per hour" "$(jq -c '[.[] | .gross_per_hour]' stdout)" "[8,5.678544,0.18630137,0.005]"
is "of a day" "$(jq -c '[.[] | .net_per_day]' stdout)" "[192,136.285056,4.471232877,0.12]"
is "of a month of 730 hours" "$(jq -c '[.[] | .net_per_month]' stdout)" "[5840,4145.33712,136,3.65]"
is "the rest of a row" "$(jq -c '.[1] | [.kind, .name, .project, .location, .zone, .region, .type,
	.provisioning, .count, .chips, .vcpus, .covered, .why, .currency, .advice]' stdout)" \
	'["vm","new-vm","lab-one","us-central1-b","us-central1-b","us-central1","n1-highmem-96","on-demand",1,null,96,null,null,"USD",null]'
is "of the TPU" "$(jq -c '.[0] | [.chips, .covered, .covered_count, .grant_name, .why, .advice]' stdout)" \
	'[4,0,0,null,"wrong-zone","--zone=europe-west4-a"]'
is "the keys" "$(jq -r '.[0] | keys_unsorted | join(" ")' stdout)" \
	"kind name project location zone region type provisioning count chips vcpus size_gib covered covered_count grant_name why why_text grant_line quota quota_location pool limit_value used needs gross_per_hour net_per_hour gross_per_day net_per_day gross_per_month net_per_month ends gross_per_run net_per_run currency price_source price_date advice refused"
run tpucost estimate --tpu v3-8 --vm n1-standard-2 --zone europe-west4-a
status "a covered TPU with a machine: 0" 0
has "what is paid beside it" "$(flat)" "; in addition, 0.10 USD/h is paid"
run tpucost estimate --vm n1-standard-2 --disk pd-standard:100 --zone us-central1-b
status "a machine alone: 0" 0
has "it is paid" "$out" "PAID: 0.10 USD/h; grants cover TPUs only"
run tpucost estimate --tpu v3-8 --spot --zone us-east1-d --format json
is "a price that nobody knows is none" "$(jq -c '.[0] | [.gross_per_hour, .net_per_hour, .currency, .price_source]' stdout)" \
	'[null,null,null,"unknown"]'
run tpucost estimate --tpu v9-8 --zone us-central1-a
is "no known type: a mistake" "$rc:$err" "2:tpucost: --tpu: there is no TPU type 'v9-8'; types begin with one of v2 v3 v4 v5litepod v5p v6e tpu7x; for a newer type, give its gcloud command"
run tpucost estimate -- gcloud compute tpus tpu-vm create x --accelerator-type v9-8 --zone us-central1-a --version tpu-ubuntu2204-base
status "a type of the future: 3" 3
has "its price is not known" "$out" "NOT FREE: an unknown price; this version of tpucost does not know its TPU family"
run tpucost estimate --vm quantum-1 --zone us-central1-a
status "a machine of the future: 3" 3
has "neither is that" "$out" "UNKNOWN: there is no machine type quantum-1 in the list of"
is "which is a no, as the help says" "$rc $(tpucost help estimate | grep -c 'a machine or disk type is unknown: probably misspelled')" "3 1"

# ---- other forms
run tpucost estimate --tpu v3-8 --zone europe-west4-a --format csv
is "CSV has the same columns" "$(head -n 1 stdout | tr -d '\r' | cut -d, -f1-4)" "kind,name,project,location"
run tpucost estimate --tpu v3-8 --zone europe-west4-a --format markdown
has "markdown" "$out" "| tpu | new-tpu | lab-one | europe-west4-a |"
COLUMNS=40 run tpucost estimate --tpu v3-8 --zone us-central1-a -q
status "narrow" 3
run tpucost estimate --tpu v3-8 --zone us-central1-a -q
is "quiet says nothing beside the answer" "$err" ""

# ---- what cannot be understood: 2, and nothing on standard output
refuses() { # NAME MESSAGE OPTION...
	name=$1 want=$2
	shift 2
	run tpucost estimate "$@"
	status "$name: 2" 2
	has "$name: why" "$err" "$want"
	is "$name: no answer" "$out" ""
}
refuses "nothing" "no resources are given"
refuses "no zone" "no zone is given; price and coverage depend on it; add --zone ZONE" --tpu v3-8
refuses "no size" "--disk: 'pd-ssd' has no size" --disk pd-ssd --zone us-central1-a
refuses "no number" "(expected a whole number" --tpu v3-8:many --zone us-central1-a
refuses "none of it" "(expected a whole number" --tpu v3-8:0 --zone us-central1-a
refuses "no type" "is not a valid type" --vm "" --zone us-central1-a
refuses "a region" "'europe-west4' is not a valid zone" --tpu v3-8 --zone europe-west4
refuses "a path" "is not a valid zone" --tpu v3-8 --zone ../us-central1-a
refuses "a form" "json" --tpu v3-8 --zone us-central1-a --format yaml
run tpucost estimate --tpu v3-8:100000 --zone us-central1-a
status "too many" 1
has "how many may be" "$err" "are more than 10000"
long=$(printf 'x%.0s' $(seq 300))
run tpucost estimate --vm "$long" --zone us-central1-a
status "a long type" 3
esc=$(printf 'n1\033[31m')
run tpucost estimate --vm "$esc" --zone us-central1-a
is "no escape reaches the terminal" "$(grep -c "$(printf '\033')" stdout)" 0

# ---- it leaves no trace
is "the database has nothing of it" "$(tpucost sql "SELECT count(*) AS n FROM resources WHERE name LIKE 'new-%'" --format csv | tail -n 1 | tr -d '\r')" 0
before=$(cksum <t.db)
chmod 0444 t.db
run tpucost estimate --tpu v3-8 --zone europe-west4-a
status "a database that may not be written" 0
is "is as it was" "$(cksum <t.db)" "$before"
