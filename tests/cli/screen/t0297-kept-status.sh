# `status` of many resources is the screen that the last poll stored, as long as nothing changed since.
. "$ROOT/tests/cli/lib.sh"
export TPUCOST_CONFIG="$work/tpucost.yaml"
cat >world.yaml <<END
name: many
projects: [{id: lab-one, number: "100000000001"}]
zones: [us-central1-a]
addresses: [{region: us-central1, name: ilab-one, created: -1d}]
nodes: [{zone: us-central1-a, name: tpu-1, type: v3-8, created: -2h}, {zone: us-central1-a, name: tpu-2, type: v3-8, created: -1h}]
END
set_clock =$NOW
start_sandbox "$work/world.yaml" --now $NOW
cat >tpucost.yaml <<END
timezone: UTC
projects: [lab-one]
credentials: adc
database: t.db
endpoints: {all: "$url"}
grants: [{name: trc, starts: 2026-11-10, days: 30, tpus: [1 on-demand Cloud TPU v3-8 device(s) in zone us-central1-a]}]
budgets: [{name: month, amount: 50000 USD, per: month}]
END
touch -d "@$((NOW - 3600))" tpucost.yaml
disks() {
	sqlite3 t.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
	INSERT INTO resource (id, uid, source, kind, project, location, zone, region, name, state, raw_state, type,
		provisioning, size_gib, labels, created, state_since, first_seen, last_seen, complete)
	SELECT 'lab-one/disk/us-central1-a/d-' || i, i, 'disk', 'disk', 'lab-one', 'us-central1-a', 'us-central1-a', 'us-central1',
		'd-' || i, 'attached', 'READY', 'pd-ssd', 'on-demand', 10, '{}', $NOW - 9000, $NOW - 9000, $NOW - 9000, $NOW, 1
	FROM n;"
}
kept="status shows the last poll"
# stored NAME: is the stored screen shown? computed NAME: or a new one?
stored() { run tpucost status && has "$1" "$err" "$kept"; }
computed() { run tpucost status && is "$1" "$(printf '%s' "$err" | grep -c "$kept")" 0; }
run tpucost collect ip tpu
computed "few resources are computed"
disks 20000
run tpucost collect ip tpu
stored "many are not"
printf '%s\n' "$out" >kept
sqlite3 t.db "DELETE FROM meta WHERE key = 'status'"
computed "without a stored screen they are computed"
printf '%s\n' "$out" >computed
run diff kept computed
is "both are the same" "$out" ""

for change in "tpucost silence tpu-not-covered --for 1h" "touch tpucost.yaml"; do
	run tpucost collect ip tpu
	stored "stored again"
	run $change
	computed "after a change they are computed: $change"
	touch -d "@$((NOW - 3600))" tpucost.yaml
done
run tpucost collect ip tpu
set_clock =$((NOW + 179))
stored "it is shown for three intervals"
set_clock =$((NOW + 180))
computed "and no longer"
