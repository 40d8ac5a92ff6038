# Two machines that share a lease publish each row once; and a job that BigQuery refuses does not block its table.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing "enforcement: {lease: gs://lab-state/lease}
backup: {to: gs://lab-state/copy}"
for m in a b; do
	mkdir $m
	cp tpucost.yaml service-account.json $m/
done
monotonic=0 now=$NOW
ln -sfT 0 .test/mono
export TEST_MONOTONIC=$work/.test/mono
ahead() { # SECONDS
	monotonic=$((monotonic + $1)) now=$((now + $1))
	ln -sfT $monotonic .test/mono.new && mv -T .test/mono.new .test/mono
	set_clock =$now
}
# cycle MACHINE: one cycle, a minute after the last one
cycle() {
	ahead 60
	TPUCOST_CONFIG=$work/$1/tpucost.yaml
	run tpucost run --once -q
}
moments() { rows "$1" '[.[].as_of] | unique | length'; }

# ---- a take-over: the copy has the rows that were sent
cycle a
cycle a
cycle a
is "the first machine" "$rc:$(moments burn):$(moments capacity)" "0:1:1"
cycle b
cycle b
cycle b
is "the second one took over" "$rc:$(moments burn):$(moments capacity)" "0:1:1"
is "with what was sent" "$(sqlite3 b/t.db 'SELECT COUNT(*) FROM publish_load')" 0

# ---- the first one cannot read the lease
ahead 3600
faults '[{match: GET /storage/v1/b/lab-state/o/lease, status: 403, times: 100}]'
cycle a
has "a machine that does not know who holds it" "$err" "nothing is stopped or deleted"
faults '[]'
cycle b
is "publishes nothing" "$rc:$(moments burn)" "0:2"
