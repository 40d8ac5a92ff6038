# The use of a grant is unknown while TPUs of one of its projects have never been read: they may be older and use it.
. "$ROOT/tests/cli/lib.sh"
write_world unread "us-central2-b, europe-west4-a" <<'W'
nodes:
  - {project: lab-one, zone: us-central2-b, name: one, type: v4-8, created: -6h}
  - {project: lab-two, zone: us-central2-b, name: two, type: v4-8, created: -7h}
W
start_sandbox world.yaml
config_one "grants:
  - {name: all, starts: $(day -8), days: 30, tpus: [4 on-demand v4 chips in zone us-central2-b]}
  - {name: own, project: lab-one, starts: $(day -8), days: 30, tpus: [8 on-demand v3 chips in zone europe-west4-a]}
  - {name: later, starts: $(day 8), days: 30, tpus: [4 on-demand v2 chips in zone us-central2-b]}"
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
faults() { curl -sf -X POST --data-binary "$1" "$url/_sandbox/faults" >/dev/null || flunk "faults" "$1"; }
rows() { tpucost "$@" --format csv 2>/dev/null | tr -d '\r' | tail -n +2; }
use() { rows grant list --columns name,used_chips,free_chips,covered_chip_hours; }
refused='[{match: "GET /v2alpha1/projects/lab-two/", status: 403}, {match: "GET /v2/projects/lab-two/", status: 403}]'
set_clock =$NOW
faults "$refused"
run tpucost collect
run tpucost ps --columns name,covered --format csv
status "what was read is shown, as partial" 4
has "with the reason" "$err" "parts of the inventory have not been read completely yet"
is "a TPU that may be covered stays so" "$(tail -n +2 stdout | tr -d '\r')" "one,1"
is "the use of grants for both projects is unknown" "$(use)" "all,,,
later,,,
own,0,8,0"
run tpucost why one
has "as why says" "$(echo "$out" | tr -s ' \n' ' ')" "use unknown: TPUs of its projects were not read"
run tpucost why grant:all
has "of the grant, too" "$(echo "$out" | tr -s ' \n' ' ')" "used now unknown free now unknown"
run tpucost status
has "and status" "$out" "all: 21.6 days left; v4 unknown/4 us-central2-b"
run tpucost estimate --tpu v3-8 --zone europe-west4-a --project lab-one
is "room of a grant whose projects were read" "$rc $(head -n 1 stdout)" "0 FREE: covered by grant own (4 of 8 v3 chips in europe-west4-a remain)"
sed -i 's/4 on-demand v4/8 on-demand v4/' tpucost.yaml
run tpucost estimate --tpu v4-8 --zone us-central2-b --project lab-one
is "room that may be used is not free" "$rc $(tr -s ' \n' ' ' <stdout | sed 's/ kind type.*//')" "3 UNKNOWN: TPUs of a project that grant all covers were never read; it is unknown whether it has room; run: tpucost sources"
run tpucost estimate --tpu v4-32 --zone us-central2-b --project lab-one
has "none is none" "$out" "NOT FREE"
sed -i 's/8 on-demand v4/4 on-demand v4/' tpucost.yaml

set_clock =$((NOW + 61))
faults '[]'
run tpucost collect
run tpucost ps --columns name,covered --format csv
status "everything was read" 0
is "the older one has the room" "$(tail -n +2 stdout | tr -d '\r' | sort)" "one,0
two,1"
is "the use is known" "$(use)" "all,4,0,28.0678
later,0,0,0
own,0,8,0"
set_clock =$((NOW + 122))
faults "$refused"
run tpucost collect
run tpucost ps
status "refused later: the last known data counts" 0
is "with its use" "$(rows grant list --columns name,used_chips,free_chips)" "all,4,0
later,0,0
own,0,8"

# ---- a project that was added since the last poll
sed -i 's/^projects: .*/projects: [lab-one, lab-two, lab-three]/' tpucost.yaml
run tpucost ps --columns name
status "a project that was not polled yet" 4
has "is named" "$err" "note: 1 project of \`projects:\` was not polled yet; run: tpucost collect"
is "and may use the grants for all" "$(rows grant list --columns name,used_chips,free_chips)" "all,,
later,,
own,0,8"
sed -i 's/4 on-demand v4/16 on-demand v4/' tpucost.yaml
run tpucost estimate --tpu v4-8 --zone us-central2-b --project lab-one
is "no room is known" "$rc $(head -n 1 stdout | cut -c 1-40)" "3 UNKNOWN: TPUs of a project that grant al"
sed -i 's/16 on-demand v4/4 on-demand v4/' tpucost.yaml
run tpucost estimate --tpu v3-8 --zone europe-west4-a --project lab-one
is "a grant of another project has room" "$rc" 0
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
run tpucost ps --columns name
status "without it all is known" 0
