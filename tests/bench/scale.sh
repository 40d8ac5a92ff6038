#!/bin/sh
# make bench, scale: a poll of an organization with PROJECTS projects (10000), of which ACTIVE (all) have 20 resources
# each, when every answer takes 80 ms; the answers about it; then a second poll, and a pass of `run`. Beside it, how long
# the answers alone take, 32 at a time. KEEP=1 keeps the database.
. "$(dirname "$0")/lib.sh"
PROJECTS=${PROJECTS:-10000}
ACTIVE=${ACTIVE:-$PROJECTS}
of_each=20
delay_ms=80
inflight=32
dir=$work/scale
sandbox_pid=
finish() {
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null || true
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null || true
	[ -n "${KEEP:-}" ] || rm -rf "$dir"
}
trap finish EXIT
trap 'exit 130' INT TERM

# 8 machines with a disk each, 2 addresses and 2 TPUs
write_world() {
	cat <<END
name: organization
projects:
  - {id: like-this, number: "100000000001"}
zones: [us-central1-a, us-central1-f, europe-west4-a]
project_count: $PROJECTS
project_active: $ACTIVE
project_template: like-this
instances:
$(seq -f '  - {zone: us-central1-a, name: vm-%g, type: n1-standard-8, created: -20d}' 8)
disks:
$(seq 8 | sed 's|.*|  - {zone: us-central1-a, name: vm-&, type: pd-ssd, size_gb: 100, users: [vm-&], created: -20d}|')
addresses:
$(seq -f '  - {region: us-central1, name: ip-%g, created: -20d}' 2)
nodes:
$(seq -f '  - {zone: europe-west4-a, name: tpu-%g, type: v3-8, created: -20d}' 2)
faults:
  - {match: "GET ", delay_ms: $delay_ms}
END
}

start_organization() {
	rm -rf "$dir"
	mkdir -p "$dir"
	write_world >"$dir/world.yaml"
	"$B/sandbox" --port 0 --port-file "$dir/port" --log "$dir/requests" \
		--key-out "$dir" "$dir/world.yaml" >"$dir/sandbox.log" 2>&1 &
	sandbox_pid=$!
	i=0
	while [ ! -s "$dir/port" ]; do
		i=$((i + 1))
		if [ $i -gt 100 ] || ! kill -0 $sandbox_pid 2>/dev/null; then
			fail "the sandbox does not start: $(cat "$dir/sandbox.log")"
		fi
		sleep 0.1
	done
	cat >"$dir/tpucost.yaml" <<END
timezone: UTC
projects: {organization: 8, except: [like-this]}
credentials: service-account.json
database: t.db
poll: {instances: 15m, metrics: 30m, quotas: 2h}
endpoints: {all: "http://127.0.0.1:$(cat "$dir/port")"}
grants:
  - {name: trc, starts: $(date -u +%F --date=@$(($(date +%s) - 25 * 86400))), days: 30, tpus: [$((ACTIVE * 2 - 10)) on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}
budgets: [{name: month, amount: 50000 USD, per: month}]
END
}

# row NAME CALLS: of what was measured
row() {
	awk -v name="$1" -v calls="$2" -v delay=$delay_ms -v inflight=$inflight '{
		printf "%s\t%s\t%.2f\t%s\t%s\t%s\t%.0f\n", name, calls, $1,
			calls ? sprintf("%.2f", calls * delay / 1000 / inflight) : "", $2,
			calls ? sprintf("%.2f", $2 * 1000 / calls) : "", $3 / 1024
	}' "$work/measured" >>"$runs"
}
calls_so_far() {
	grep -c '"GET"' "$dir/requests" || true
}
# poll NAME COMMAND...
poll() {
	name=$1
	shift
	before=$(calls_so_far)
	rc=0
	"$work/measure" "$work/measured" "$B/tpucost" --config "$dir/tpucost.yaml" "$@" >"$work/out" 2>&1 || rc=$?
	[ $rc -eq 0 ] || say scale "$name: exit status $rc: $(grep '^tpucost:' "$work/out")"
	row "$name" $(($(calls_so_far) - before))
}
ask() {
	name=$1
	shift
	measure "$B/tpucost" --config "$dir/tpucost.yaml" "$@"
	row "$name" ""
}

begin scale "An organization with $PROJECTS projects, of which $ACTIVE have resources, and $((ACTIVE * of_each)) resources, every answer after $delay_ms ms, $inflight calls at a time"
printf 'step\tcalls\tseconds\twaiting alone, s\tCPU s\tCPU s per 1000 calls\tpeak MiB\n' >"$runs"
start_organization
poll "first poll" collect
seen=$("$B/tpucost" --config "$dir/tpucost.yaml" sql 'SELECT count(*) AS n FROM resources' --format csv | tail -n 1)
[ "$seen" -eq $((ACTIVE * of_each)) ] || fail "the poll saw $seen resources of $((ACTIVE * of_each))"
ask status
ask sources sources
ask ps ps
poll "resources and metrics, every project" collect instances metrics
# what is due after 10 s; `run` asks the index first
sed -i 's/^poll:.*/poll: {instances: 10s, metrics: 10s, quotas: 2h}/' "$dir/tpucost.yaml"
sleep 10
poll "the same by run" run --once
table scale <"$runs"
say scale
say scale "The database has $(($(stat -c %s "$dir/t.db") / 1048576)) MiB."
