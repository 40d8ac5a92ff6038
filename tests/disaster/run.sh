#!/bin/sh
# make disaster: an n1-highmem-96 and a v3-8 in the wrong zone, started at 18:00 and left, on a clock
# that is played: what it costs until tpucost stops them, beside what it costs until somebody does. Then a
# TPU that reads from another region: what it costs until tpucost tells, beside what it costs until Google does.
# The real program against the fake cloud; figures are its own. STEP=5 polls every five minutes.
set -eu
B=${B:-build/release}
STEP=${STEP:-1}
root=$PWD
case $B in /*) ;; *) B=$root/$B ;; esac
dir=$(mktemp -d)
pid=
end_sandbox() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	[ -z "$pid" ] || wait "$pid" 2>/dev/null || true
	pid=
}
finish() {
	end_sandbox
	[ -z "${REQUESTS:-}" ] || [ ! -f "$dir/requests" ] || cat "$dir/requests" >"$REQUESTS"
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 130' INT TERM
cd "$dir"

start=2026-11-20T10:00:00Z # 18:00 in Hong Kong, a Friday
begins=$(date -u +%s --date=$start)
ln -s "$B/machine.so" machine.so # LD_PRELOAD takes no path with a blank
play() { # WORLD LOG: begins it at 18:00
	rm -f port
	"$B/sandbox" --port 0 --port-file port --log "$2" --now "$start" --key-out . \
		"$root/tests/disaster/$1.yaml" >sandbox.log 2>&1 &
	pid=$!
	i=0
	while [ ! -s port ]; do
		i=$((i + 1))
		if [ $i -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
			cat sandbox.log >&2
			exit 1
		fi
		sleep 0.1
	done
	url=http://127.0.0.1:$(cat port)
}
play world requests
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json

config() { # CURRENCY MODE
	cat >"$1.yaml" <<EOF2
timezone: Asia/Hong_Kong
currency: $1
projects: [tpu-develop]
credentials: user.json
database: $1.db
grants:
  - name: trc
    starts: 2026-11-10
    days: 30
    tpus: ["5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a"]
rules:
  - use: tpu-not-covered
    for: 10m
    then: {action: stop, grace: 30m, armed: true}
  - name: big-cpu
    on: resources
    where: kind = 'vm' AND state = 'running' AND vcpus >= 64
    for: 10m
    severity: critical
    summary: "{name} ({type}) runs"
    then: {action: stop, grace: 30m, armed: true}
notify: [{name: log, file: {path: told.jsonl}}]
enforcement: {mode: $2, projects: [tpu-develop]}
endpoints: {all: "$url"}
EOF2
}
# at MINUTE COMMAND...: so long after 18:00
at() {
	ln -sfT "=$((begins + $1 * 60))" clock-now # it stands
	shift
	LD_PRELOAD=$dir/machine.so TEST_CLOCK=$dir/clock-now "$B/tpucost" "$@"
}
# rate CURRENCY MINUTE: what both cost an hour, by the program
rate() {
	at "$2" --config "$1.yaml" ps --columns gross_per_hour,net_per_hour,currency --format json \
		--where "kind IN ('vm', 'tpu')" >rows
	jq -e --arg c "$1" 'length == 2 and all(.currency == $c and .gross_per_hour == .net_per_hour)' rows >/dev/null || {
		echo "disaster: what they cost in $1 is not known" >&2
		cat rows >&2
		exit 1
	}
	jq 'map(.net_per_hour * 1000000) | add | round' rows
}

config USD dry-run
config HKD armed
at 0 --config USD.yaml collect -q >said 2>&1 || { cat said >&2; exit 1; }
usd=$(rate USD 0)
hkd=
minute=0
while [ "$(jq -r 'select(.mutating) | .path' requests | wc -l)" -lt 2 ]; do
	if [ $minute -gt 120 ]; then
		echo "disaster: they still run after two hours" >&2
		cat said >&2
		exit 1
	fi
	at $minute --config HKD.yaml run --once -q >>said 2>&1 || { cat said >&2; exit 1; }
	[ -n "$hkd" ] || hkd=$(rate HKD 0)
	minute=$((minute + STEP))
	curl -sS -o clock -d "{\"advance\": $((STEP * 60))}" "$url/_sandbox/clock"
done
# Nothing but those two stops, and both after a warning that was taken.
jq -r 'select(.mutating) | "\(.method) \(.path) \(.time)"' requests >acts
grep -q 'tpu-vm/stop' acts
grep -q 'tpu-wrong:stop' acts
stopped=$(awk '{ print $3 }' acts | sort | tail -1)
minutes=$((($(date -u +%s --date="$stopped") - begins) / 60))
[ "$(grep -o '"event":"warning"' told.jsonl | wc -l)" -eq 2 ] || {
	echo "disaster: they were not warned of" >&2
	exit 1
}

# line WHO WHEN MINUTES
line() {
	awk -v who="$1" -v when="$2" -v m="$3" -v usd="$usd" -v hkd="$hkd" 'BEGIN {
		printf "| %s | %s | %d:%02d | %.2f | %.2f |\n", who, when, int(m / 60), m % 60,
			usd * m / 60 / 1000000, hkd * m / 60 / 1000000 }'
}
clock=$(TZ=Asia/Hong_Kong date +%H:%M --date="$stopped")
awk -v usd="$usd" -v hkd="$hkd" 'BEGIN {
	printf "n1-highmem-96 and a v3-8 that no grant covers, started at 18:00: %.2f USD (%.2f HKD) an hour\n\n",
		usd / 1000000, hkd / 1000000 }'
echo "| stopped by | when | ran for (h:mm) | USD | HKD |"
echo "| --- | --- | ---: | ---: | ---: |"
line "tpucost: \`for: 10m\`, \`grace: 30m\`, polled every minute" "$clock" "$minutes"
line "a person at 08:30, by an alert on the bill that came 12 hours late, at 06:00" "08:30 the next day" 870
line "a person at once, by the mail of a budget, which comes when the bill does: a day late" "18:00 the next day" 1440
line "a person after the weekend, on Monday at 08:30" "08:30 on Monday" 3750

# ---- traffic
end_sandbox
play egress reads
cat >traffic.yaml <<EOF2
timezone: Asia/Hong_Kong
currency: USD
projects: [tpu-develop]
credentials: user.json
database: traffic.db
notify: [{name: log, file: {path: traffic.jsonl}}]
endpoints: {all: "$url"}
EOF2
minute=0
until grep -q '"egress-fast"' traffic.jsonl 2>/dev/null; do
	if [ $minute -gt 60 ]; then
		echo "disaster: traffic was not told of in an hour" >&2
		cat said >&2
		exit 1
	fi
	at $minute --config traffic.yaml run --once -q >>said 2>&1 || { cat said >&2; exit 1; }
	minutes=$minute
	minute=$((minute + STEP))
	curl -sS -o clock -d "{\"advance\": $((STEP * 60))}" "$url/_sandbox/clock"
done
cat reads >>requests
at $minutes --config traffic.yaml egress --format json --where "kind = 'bucket' AND path = 'inter-region'" >rows
usd=$(jq '.[0].estimated_per_hour * 1000000 | round' rows)
# line WHO WHEN MINUTES
line() {
	awk -v who="$1" -v when="$2" -v m="$3" -v usd="$usd" 'BEGIN {
		printf "| %s | %s | %d:%02d | %.2f |\n", who, when, int(m / 60), m % 60, usd * m / 60 / 1000000 }'
}
clock=$(TZ=Asia/Hong_Kong date +%H:%M --date="@$((begins + minutes * 60))")
awk -v usd="$usd" 'BEGIN {
	printf "\na v4-128 that reads 3.2 GiB/s from a bucket in another region, started at 18:00: %.2f USD an hour\n\n", usd / 1000000 }'
echo "| found by | when | ran for (h:mm) | USD |"
echo "| --- | --- | ---: | ---: |"
line "tpucost: \`egress-fast\`, with the bucket, the TPU and the rate" "$clock" "$minutes"
line "Google, by a mail on a cost anomaly 10 to 12 hours later" "05:00 the next day" 660
line "the bill, a day late" "18:00 the next day" 1440
