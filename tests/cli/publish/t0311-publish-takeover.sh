# A machine that takes over a lease: with a backup of each cycle it knows all that was published; otherwise it keeps that.
# acts
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-publish.sh"
start_publishing "enforcement: {lease: gs://lab-state/lease}
backup: {to: gs://lab-state/copy}"
monotonic=0 now=$NOW
ln -sfT 0 .test/mono
export TEST_MONOTONIC=$work/.test/mono
ahead() { # SECONDS
	monotonic=$((monotonic + $1)) now=$((now + $1))
	ln -sfT $monotonic .test/mono.new && mv -T .test/mono.new .test/mono
	set_clock =$now
}
to() { ahead $(($(date +%s --date="$1") - now)); } # TIME
# cycle MACHINE [TIMES]: cycles, each a minute after the last one
cycle() {
	for n in $(seq "${2:-1}"); do
		ahead 60
		TPUCOST_CONFIG=$work/$1/tpucost.yaml
		run tpucost run --once -q
	done
}
machines() { # NAME...: with the present configuration
	for m; do
		mkdir $m
		cp tpucost.yaml service-account.json $m/
	done
}
asked() { grep -c '"path":"[^"]*[$][0-9]*/data' requests; }
# The intervals of a TPU on a day, as HH:MM-HH:MM
intervals() { rows coverage "[.[] | select(.date == \"$(day "$2")\" and (.id | endswith(\"/$1\"))) | [.starts, .ends] | map(.[:-6] | tonumber | strftime(\"%H:%M\")) | join(\"-\")] | sort | join(\" \")"; }
comes() { patch "nodes: [{zone: us-central1-a, name: $1, type: v3-8, created: \"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"}]"; }
goes() { patch "remove: {nodes: [{zone: us-central1-a, name: $1}]}"; }

# ---- with a backup of each cycle
machines a b
cycle a 3
comes short
to "$(day 0) 11:00"
cycle a
goes short
to "$(day 0) 12:00"
cycle a
is "the first machine" "$rc:$(intervals good 0)" "0:00:00-12:01"
asks=$(asked)
to "$(day 0) 13:30"
cycle b 3
cycle b
to "$(day 0) 14:00"
cycle b
is "the one that takes over continues its days" "$rc:$(intervals good 0):$(intervals short 0)" "0:00:00-14:01:10:03-12:01"
is "and asks about none" "$(asked)" "$asks"

# ---- what the backup does not have is not sent
faults '[{match: POST /upload/storage, regex: copy, status: 503, times: 100}]'
to "$(day 0) 15:00"
cycle b
has "a backup that fails" "$err" "backup to gs://lab-state/copy"
is "keeps rows back" "$rc:$(intervals good 0):$([ "$(sqlite3 b/t.db 'SELECT COUNT(*) FROM publish_load')" -gt 3 ] && echo wait)" "4:00:00-14:01:wait"
cycle b
is "all of them" "$rc:$(intervals good 0)" "4:00:00-14:01"
faults '[]'
cycle b
is "until there is one" "$rc:$(intervals good 0):$(sqlite3 b/t.db 'SELECT COUNT(*) FROM publish_load')" "0:00:00-15:01:0"

# ---- without a backup
sed -i 's,gs://lab-state/lease,gs://lab-state/other,;/^backup:/d' tpucost.yaml
machines c d
to "$(day 1) 09:00"
cycle c 3
cycle c
to "$(day 1) 10:00"
cycle c
is "a machine" "$rc:$(intervals good 1)" "0:00:00-10:01"
to "$(day 1) 12:00"
cycle d 3
cycle d
is "the one that takes over keeps its day" "$rc:$(intervals good 1)" "0:00:00-10:01"
to "$(day 2) 01:00"
cycle d
is "and adds its own part when that is over" "$rc:$(intervals good 1)" "0:00:00-10:01 12:03-00:00"
to "$(day 2) 05:00"
cycle c 4
to "$(day 2) 06:00"
cycle c
is "the first one does the same" "$rc:$(intervals good 1):$(intervals good 2)" "0:00:00-10:01 12:03-00:00:00:00-01:01"
to "$(day 3) 01:00"
cycle c
is "in its turn" "$rc:$(intervals good 1):$(intervals good 2)" "0:00:00-10:01 12:03-00:00:00:00-01:01 05:03-00:00"

# ---- with a backup of each day
sed -i 's,gs://lab-state/other,gs://lab-state/third,' tpucost.yaml
echo 'backup: {to: gs://lab-state/daily, every: day}' >>tpucost.yaml
machines e f
to "$(day 4) 09:00"
cycle e 4
to "$(day 4) 10:00"
cycle e
to "$(day 4) 12:00"
cycle f 3
to "$(day 4) 13:00"
cycle f
is "a backup of the morning" "$rc:$(sqlite3 f/t.db "SELECT COUNT(*) FROM audit_entry WHERE event = 'lease-taken'"):$(intervals good 4)" "0:2:00:00-10:01"
to "$(day 5) 01:00"
cycle f
is "has a hole, too" "$rc:$(intervals good 3):$(intervals good 4)" "0:00:00-01:01:00:00-10:01 12:03-00:00"

# ---- a cycle in which another machine takes the lease: this one was suspended
sed -i 's,gs://lab-state/third,gs://lab-state/fourth,;/^backup:/d' tpucost.yaml
machines g
to "$(day 5) 09:00"
cycle g 4
to "$(day 5) 10:00"
sent=$(grep -c '"path":"/upload/bigquery' requests)
faults '[{match: GET /compute/v1/projects/lab-one/aggregated/instances, delay_ms: 1500, times: 1}]'
ahead 60
tpucost run --once >stdout 2>stderr &
wait_until grep -q 'held GET' sandbox.out
lease=$(grep 'name=fourth' requests | grep '"status":200' | tail -n 1 | jq -r .body | jq -c '.owner = "other" | .host = "other" | .epoch += 1')
patch 'remove: {objects: [{name: lab-state/fourth}]}'
patch "objects: [{name: lab-state/fourth, text: '$lease'}]"
wait $!
is "publishes nothing" "$?:$(grep -c '"path":"/upload/bigquery' requests)" "4:$sent"
has "and says so" "$(cat stderr)" "publish: other holds the lease gs://lab-state/fourth in epoch 2"
is "nor later" "$(sqlite3 g/t.db 'SELECT COUNT(*) FROM publish_load')" 0
