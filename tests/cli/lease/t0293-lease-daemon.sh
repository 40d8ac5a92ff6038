# Two daemons share a lease: the one that holds it polls, the other one takes over when it is killed, and both say so once.
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
for m in a b; do
	mkdir $m
	config_one "enforcement: {lease: gs://lab-state/lease}
backup: {to: gs://lab-state/copy}"
	mv tpucost.yaml $m/
	cp service-account.json $m/
done
polls() { grep -c aggregated/instances requests; }
start() { # MACHINE
	TPUCOST_CONFIG=$work/$1/tpucost.yaml "$B/tpucost" run >"$1/out" 2>"$1/err" &
	echo $! >"$1/pid"
}
finish_both() {
	for m in a b; do
		kill -KILL "$(cat $m/pid)"
		wait "$(cat $m/pid)"
	done 2>/dev/null
	finish
}
trap finish_both EXIT
LOOK='"path":"/storage/v1/b/lab-state/o/lease"'
looks() { grep -cF "$LOOK" requests; }
pass_time() { # SECONDS: until the machines have looked at the lease afterwards
	n=$(looks)
	later "$1"
	wait_until more_than $((n + $2 - 1)) "$LOOK" requests
}
HELD="the lease gs://lab-state/lease in epoch"

start a
wait_for "the first one waits" a/err "info: standby: no machine holds the lease gs://lab-state/lease"
is "it does not poll yet" "$(polls)" 0
pass_time 60 1
later 60
wait_for "then it holds the lease" a/err "info: holds $HELD 1"
wait_until grep -q aggregated/instances requests
wait_until grep -q 'name=copy%2Ftpucost.db' requests
# a cycle that stands still, while another process renews the lease
keeper=$(pgrep -o -P "$(cat a/pid)")
stands() {
	c=$(pgrep -n -P "$(cat a/pid)") && [ "$c" != "$keeper" ] && kill -STOP "$c" 2>/dev/null && grep -qs '^State:.T' "/proc/$c/status"
}
curl -fsS "$url/_sandbox/faults" --data-binary '[{match: "GET /compute", delay_ms: 3000}]' >/dev/null
later 60
wait_until stands
pass_time 1000 1
pass_time 1000 1
wait_for "a cycle that hangs does not hold the lease for ever" a/err "error: a cycle reported no progress for 30 minutes and was killed"
curl -fsS "$url/_sandbox/faults" --data-binary '[]' >/dev/null
start b
wait_for "the second one stands by" b/err "info: standby: $(hostname) holds $HELD 1"
for i in 1 2 3 4 5 6; do
	pass_time 16 2
done
is "it stays so as long as the first one renews" "$(grep -c "holds $HELD 2" b/err)" 0
children=$(pgrep -P "$(cat a/pid)")
kill -KILL "$(cat a/pid)"
wait "$(cat a/pid)" 2>/dev/null
gone() {
	for c in $children; do
		! kill -0 "$c" 2>/dev/null || return 1
	done
}
wait_until gone
before=$(polls) # after its last one
pass_time 16 1
pass_time 60 1
later 60
wait_for "it takes over when the first one is dead" b/err "info: holds $HELD 2"
wait_for "with the backup" b/err "restored the database from gs://lab-state/copy"
wait_until more_than "$before" aggregated/instances requests
start a
wait_for "the first one stands by when it is back" a/err "info: standby: $(hostname) holds $HELD 2"
kill -TERM "$(cat b/pid)"
wait "$(cat b/pid)"
is "SIGTERM ends it well" "$?" 0
