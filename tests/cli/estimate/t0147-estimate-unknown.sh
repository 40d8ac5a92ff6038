# estimate says "not known" where it does not know: a project that is not watched, what stands beside a TPU and
# is not read, a rule that cannot be judged.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: unknown
projects: [{id: lab-one, number: "101"}]
zones: [europe-west4-a, us-west4-a]
nodes:
  - {zone: europe-west4-a, name: runs, type: v3-8, created: -10h}
W
start_sandbox "$work/world.yaml"
. "$ROOT/tests/cli/lib-estimate.sh"
config() { # PROJECTS [GRANT [LINES]]
	config_with "[2 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]" "${3:-}" "$running${2:+
    $2}" "$1"
}
ask() {
	run tpucost estimate --tpu v3-8 --zone europe-west4-a "$@"
}
config "[lab-one]"
run tpucost collect -q
status "collected" 0

# ---- a project that is not watched
ask
status "the one that is watched: 0" 0
ask --project lab-one
status "said: 0" 0
ask --project lab-two
status "another: 3" 3
has "why, and what to do" "$(flat)" "UNKNOWN: project lab-two is not watched (projects:); it is unknown whether the grant is for it; add it to projects: of the configuration, or to the grant as its project:"
is "nothing is advised" "$(grep -c instead stdout)" 0
ask --project lab-two --format json -q
status "as rows: 3" 3
is "they say unknown" "$(jq -c '.[0] | [.covered, .covered_count, .grant_name, .why, .net_per_hour, .gross_per_hour, .refused]' stdout)" \
	"[null,null,null,null,null,8.8,1]"
is "and why" "$(jq -r '.[0].why_text' stdout)" \
	"project lab-two is not watched (projects:); it is unknown whether the grant is for it"
run tpucost estimate --tpu v3-8 --zone us-west4-a --project lab-two
status "one that no grant is for: 3" 3
has "is not free" "$out" "NOT FREE: "
ask --project lab-two --tpu v3-8 --tpu v2-8
has "what is sure goes first" "$out" "NOT FREE: "
ask --project lab-two --count 3
has "more than would fit" "$out" "UNKNOWN"
status "more than would fit: 3" 3
run tpucost estimate --vm n1-standard-2 --zone europe-west4-a --project lab-two
status "a machine is paid anywhere: 0" 0
has "a note" "$err" "project lab-two is not in projects:"
config "[lab-one]" "project: lab-two"
ask --project lab-two
status "the grant names it: 0" 0
ask --project lab-six
has "it names another" "$out" "NOT FREE: "
run tpucost estimate -- gcloud compute tpus tpu-vm create t --project=lab-two --zone=europe-west4-a --accelerator-type=v3-8 --version=x
status "so does the command: 0" 0

# ---- a machine type that is in no list
config "[lab-one]"
run tpucost estimate --vm n9-foo --zone us-west4-a
status "a machine type: 3" 3
has "it is said" "$(flat)" "UNKNOWN: there is no machine type n9-foo in the list of 2026-06-05, so its price is unknown; see: gcloud compute machine-types list"
run tpucost estimate --vm n1-standrd-2 --zone us-west4-a --format json --project lab-two
is "as rows: 3" "$rc $(jq -c '.[0] | [.gross_per_hour, .price_source, .refused]' stdout)" '3 [null,"unknown",1]'
has "with the nearest" "$err" "note: there is no machine type n1-standrd-2 in the list of 2026-06-05, so its price is unknown; did you mean 'n1-standard-2'?"
run tpucost estimate -- gcloud compute instances create x --zone=us-west4-a --machine-type=n9-foo
status "in a command, with its disk: 3" 3
ask --vm n9-foo
is "the TPU decides" "$rc:$(echo "$err" | grep -c "note: there is no machine type n9-foo")" 0:1
sqlite3 t.db "INSERT INTO machine_type (name, zone, vcpus, memory_mib, shared_cpu, seen) VALUES ('n9-foo', 'us-west4-a', 2, 2048, 0, 1)"
run tpucost estimate --vm n9-foo --zone us-west4-a
is "Google lists it" "$rc:$(flat | cut -c 1-24)" "0:PAID: an unknown price; "
sqlite3 t.db "DELETE FROM machine_type WHERE name = 'n9-foo'"
run tpucost estimate --vm n2-standard-7 --zone us-west4-a
has "the nearest size, not the nearest text" "$(flat)" "did you mean 'n2-standard-8'?"

# ---- a disk type that is in no list
run tpucost estimate --disk pd-sssd:100 --zone us-west4-a
has "a disk type: 3" "$rc:$(flat)" \
	"3:UNKNOWN: there is no disk type pd-sssd in the list of 2026-06-05, so its price is unknown; did you mean 'pd-ssd'?"
run tpucost estimate --disk floppy:1 --zone us-west4-a
has "none is near" "$rc:$(flat)" "so its price is unknown; see: gcloud compute disk-types list"
for type in hyperdisk-ml hyperdisk-balanced-high-availability; do
	run tpucost estimate --disk $type:100 --zone us-west4-a
	is "$type is known, without a price" "$rc:$(flat | cut -c 1-24)" "0:PAID: an unknown price; "
done

# ---- none is said
CLOUDSDK_CORE_PROJECT=lab-six
export CLOUDSDK_CORE_PROJECT
config "[lab-one]"
ask --format json
is "the only one that is watched" "$rc $(jq -r '.[0].project' stdout)" "0 lab-one"
run tpucost estimate -- gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=x
status "gcloud itself would take its own: 3" 3
config "[lab-one, lab-two]"
ask --format json
is "gcloud's" "$rc $(jq -r '.[0].project' stdout)" "3 lab-six"
unset CLOUDSDK_CORE_PROJECT
ask
status "the first; lab-two was not polled: 3" 3
has "with a note" "$err" "note: no --project: lab-one, the first watched one"

# ---- found instead of listed
config "{organization: 8, except: [lab-t*]}"
sqlite3 t.db "INSERT INTO project (project, number, origin, first_seen, last_seen) VALUES ('lab-one', '1', 'organizations/8', 1, 1),
	('lab-two', '2', 'organizations/8', 1, 1), ('lab-old', '3', 'organizations/9', 1, 1)"
ask --format json
is "found, the only one" "$rc $(jq -r '.[0].project' stdout)" "0 lab-one"
ask --project lab-two
status "not wanted any more: 3" 3
ask --project lab-old
status "found elsewhere: 3" 3
config "[lab-one]"

# ---- what stands beside it
free="gcloud compute tpus tpu-vm create t --zone=europe-west4-a --accelerator-type=v3-8 --version=x"
for c in "gcloud container clusters create c --num-nodes=8" \
	"gcloud dataproc clusters create c --region=us-west4" "bq mk d" "terraform apply"; do
	run tpucost estimate "$free
$c"
	status "$c: 2" 2
	has "$c is named" "$err" "$(echo "$c" | sed 's/ \(c\|d\)\( .*\|$\)//'): it creates a resource, but is not supported"
	is "$c: no answer" "$out" ""
done
run tpucost estimate "gcloud config set project lab-one
gcloud services enable tpu.googleapis.com
gcloud compute tpus tpu-vm list
$free
gcloud compute tpus tpu-vm scp --recurse create t: --zone=europe-west4-a
gcloud compute tpus tpu-vm ssh t --zone=europe-west4-a --command='pip install terraform'
gcloud storage cp gs://a/create .
gsutil -m cp -r a gs://b
pip install jax[tpu]"
status "what creates nothing: 0" 0

# ---- a rule that cannot be judged
config "[lab-one]" "" "rules:
  - {name: odd, on: resources, where: \"json_extract(name, '\$.x') = 1\", severity: warning}"
ask
status "a rule that fails: 4" 4
has "it is named" "$err" "note: rule odd could not be evaluated: "
has "the rest is answered" "$out" "FREE: covered by grant trc"
ask -q --format json
status "also quiet: 4" 4
ask --project lab-two
status "no is no: 3" 3
config "[lab-one]"

# ---- how many
count_of() { # WANT FLAG...
	want=$1
	shift
	run tpucost estimate --format json -- gcloud compute instances bulk create --zone=us-west4-a "$@"
	is "bulk create $*" "$(jq -c '[.[].count]' stdout)" "[$want,$want,$want]"
}
count_of 4 --count=4 --name-pattern=x-##
count_of 4 --count 4 --min-count=1 --name-pattern=x-##
count_of 3 --predefined-names=a,b,c
count_of 3 --predefined-names=a,b,c --count=3
count_of 2 --name-pattern=x-# --min-count=1 --count=5 --count=2
run tpucost estimate --format json -- gcloud compute instances create a b c --zone=us-west4-a
is "create a b c" "$(jq -c '[.[].count]' stdout)" "[3,3,3]"
for c in --name-pattern=x-# "--count=0" "--count=many" "--count"; do
	run tpucost estimate -- gcloud compute instances bulk create --zone=us-west4-a $c
	status "bulk create $c: 2" 2
done

# ---- a first start that changes all of a large database
for f in tpucost.service user/tpucost.service tpucost-once.service; do
	is "$f waits" "$(sed -n 's/^TimeoutStartSec=//p' "$ROOT/packaging/$f")" 30min
done
