# The lists of reservations: what is refused, unreachable, disabled or not listed any more, and the same in
# the world of the sandbox.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: lists
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a, us-east5-a]
reservations:
  - {zone: us-east5-a, name: east, type: ct6e-standard-4t, count: 2}
  - {zone: us-central1-a, name: mid, type: n1-standard-4, count: 2}
  - {zone: us-central1-a, name: soon, kind: calendar, type: ct6e, count: 8, starts: +1d, ends: +2d}
W
start_sandbox world.yaml --now $NOW
config_one
set_clock =$NOW
names() { tpucost commitments --quiet --format csv --columns name,last_seen --sort-by name | tr -d '\r' | tail -n +2; }
source_of() { tpucost sources --quiet --format csv --columns "$1" --where "source = 'reservation'" | tr -d '\r' | tail -n +2; }
faults() { curl -sS -X POST "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
patch() { curl -sS -X POST "$url/_sandbox/world/patch" --data-binary "$1" >/dev/null; }

run tpucost collect reservation
status "two lists" 0
is "with two requests" "$(grep -c "aggregated/\(futureR\|r\)eservations" requests)" 2
is "three commitments" "$(source_of state,items)" "ok,3"

# ---- a zone without an answer keeps what it had; what another does not list any more is gone
patch '{unreachable: {compute: [us-east5-a]}, remove: {reservations: [{name: mid}]}}'
set_clock =$((NOW + 60))
run tpucost collect reservation
status "a part" 4
is "the gap" "$(source_of state,error)" "partial,no answer from us-east5-a"
is "stays, and is gone" "$(names)" "east,$(at 0)
soon,$(at 60)"
patch '{unreachable: {compute: []}}'

# ---- one list is refused: the other is not stored either, because a reservation may be one of calendar mode
for list in reservations futureReservations; do
	faults "[{match: GET /compute/v1/projects/lab-one/aggregated/$list, status: 403}]"
	run tpucost collect reservation
	status "$list: refused" 1
	is "$list: failed" "$(source_of state)" failed
	has "$list: and why" "$(source_of error)" "list "
	has "$list: with the fix" "$(source_of fix)" "roles/compute.viewer"
	is "$list: nothing is lost" "$(names | cut -d, -f1 | tr '\n' ' ')" "east soon "
done
faults "[{match: GET /compute/v1/projects/lab-one/aggregated/reservations, status: 403, reason: accessNotConfigured}]"
run tpucost collect reservation
is "a disabled API" "$(source_of state)" disabled
faults '[{match: GET /compute/v1/projects/lab-one/aggregated/reservations, body: "{\"kind\":\"k\",\"items\":{\"zones/us-east5-a\":{\"reservations\":[{\"id\":\"1\",\"name\":\"x\",\"specificReservation\":{\"count\":\"-4\"}}]}}}"}]'
run tpucost collect reservation
has "a number that is none" "$(source_of error)" "'x': specificReservation: field 'count': negative"
faults ''
run tpucost collect reservation
is "read again" "$(names)" "east,$(at 60)
soon,$(at 60)"

# ---- an account whose role is older than these lists
patch '{iam: [{member: tpucost@lab-one.iam.gserviceaccount.com, permissions: [compute.instances.*, compute.disks.*, compute.addresses.*, "tpu.*"]}]}'
run tpucost doctor
has "doctor names the permissions" "$out" "compute.reservations.list"
has "both of them" "$out" "compute.futureReservations.list"
# it was never read: it is off, and what else is read is complete
cp t.db before.db
sqlite3 t.db "DELETE FROM source_status WHERE source = 'reservation'"
run tpucost collect -q
is "before it was ever read, it is off" "$(source_of state)" disabled
has "with the reason" "$(source_of error)" "list "
run tpucost status
is "and nothing is stale" "$(printf '%s\n' "$out" | grep -c STALE)" 0
run tpucost doctor --format json
has "doctor says why" "$(jq -r '.[] | select(.check == "sources") | .detail' stdout)" "reservation: list "
rm -f t.db-wal t.db-shm && mv before.db t.db
patch '{iam: []}'

# ---- one list lacks a zone: what a future reservation made stays one commitment, and is not offered for deletion
patch 'reservations:
  - {zone: us-central1-a, name: made, type: ct6e, count: 8, used: 3}
  - {zone: us-central1-a, name: window, kind: calendar, type: ct6e, count: 8, starts: -1h, ends: +2d, made: [made], status: FULFILLED}'
run tpucost collect reservation
kinds() { tpucost commitments --quiet --format csv --columns name,kind,fixed,used --where "location = 'us-central1-a'" --sort-by name | tr -d '\r' | tail -n +2; }
is "one commitment" "$(kinds)" "made,calendar,1,3
soon,calendar,1,"
for list in futureReservations reservations; do
	faults "[{match: GET /compute/v1/projects/lab-one/aggregated/$list, body: '{\"kind\":\"k\",\"items\":{\"zones/us-central1-a\":{\"warning\":{\"code\":\"UNREACHABLE\"}}}}'}]"
	[ $list = reservations ] || patch 'reservations: [{zone: us-central1-a, name: made, used: 5}]'
	run tpucost collect reservation
	is "$list: it stays one" "$(kinds)" "made,calendar,1,5
soon,calendar,1,"
	faults ''
done

# ---- a project that is not polled any more has none
sed 's/\[lab-one\]/[lab-two]/' tpucost.yaml >other.yaml
run tpucost --config other.yaml collect reservation
is "removed" "$(names)" ""

# ---- a world with a kind that nobody has
sed 's/kind: calendar/kind: calender/' world.yaml >bad.yaml
run "$B/sandbox" --port 0 bad.yaml
status "refused" 1
has "with its place" "$err" "bad.yaml:7:45: 'calender' is not valid (expected one of: reservation, future-reservation, calendar)"
