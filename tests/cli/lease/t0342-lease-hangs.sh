# A machine that cannot work does not keep the lease from others: a cycle of `run --once` that hangs, and a daemon that
# waits for another process.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
cat >world.yaml <<'W'
name: two
projects: [{id: lab-one, number: "101"}]
zones: [us-central1-a]
instances: [{zone: us-central1-a, name: one, type: n1-standard-4, created: -26h}]
buckets: [{name: lab-state, location: us-central1}]
W
monotonic=0
later() { # SECONDS of both clocks
	monotonic=$((monotonic + $1))
	ln -sfT $monotonic .test/mono.new && mv -T .test/mono.new .test/mono
	set_clock $(($(date +%s) + $1))
}
later 0
TEST_MONOTONIC=$work/.test/mono
export TEST_MONOTONIC
start_sandbox world.yaml
config_one "enforcement: {lease: gs://lab-state/lease}"
pid=
end_all() {
	[ -z "$pid" ] || kill -CONT "$pid"
	[ -z "$pid" ] || kill -KILL "$pid"
	finish
}
trap end_all EXIT
slow() { curl -fsS "$url/_sandbox/faults" --data-binary "$1" >/dev/null; }
looks() { grep -cF '"path":"/storage/v1/b/lab-state/o/lease"' requests; }
HELD="the lease gs://lab-state/lease in epoch"

# ---- a cycle that hangs ----
for i in 1 2 3; do
	run tpucost run --once
	later 60
done
slow '[{match: "GET /compute", delay_ms: 3000}]'
"$B/tpucost" run --once >a.out 2>a.err &
pid=$!
wait_until grep -q 'aggregated/instances' requests
keeper=
runs() { keeper=$(pgrep -n -P $pid) && kill -STOP $pid && grep -qs '^State:.T' "/proc/$pid/status"; }
wait_until runs
slow '[]'
renewed() { later 16 && sleep 0.3 && [ "$(looks)" -gt "$before" ]; }
before=$(looks)
wait_until renewed
pass "a process renews the lease during a cycle"
ended() { later 100 && sleep 0.3 && grep -qs '^State:.Z' "/proc/$keeper/status"; }
wait_until ended
has "not for ever" "$(cat a.err)" "tpucost: this cycle made no progress for 30 minutes, and another machine may take over the lease"
before=$(looks)
later 100
sleep 0.3
is "it does not renew it then" "$(looks)" "$before"
kill -CONT $pid
wait $pid
pid=

# ---- a daemon that waits ----
"$B/tpucost" run >a.out 2>a.err &
pid=$!
wait_for "the daemon holds the lease" a.err "holds $HELD 1"
wait_until grep -q aggregated/instances requests
exec 9>t.db.lock
wait_until flock -n 9
busy() { later 100 && sleep 0.1 && grep -q "no cycle was possible for 30 minutes, and another machine may take over the lease" a.err; }
wait_until busy
has "at first it waits" "$(cat a.err)" "another tpucost has been polling for a long time; this one is waiting"
pass "then it leaves the lease to others"
before=$(looks)
later 100
sleep 0.3
is "and renews it no more" "$(looks)" "$before"
exec 9>&-
back() { later 16 && sleep 0.3 && [ "$(looks)" -gt "$before" ]; }
wait_until back
pass "it comes back when it can work"
kill -TERM $pid
wait $pid
is "and ends well" "$?" 0
pid=
