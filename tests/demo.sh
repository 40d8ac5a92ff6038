#!/bin/sh
# make demo: the lab of the TPU tutorials, read over HTTP in Google's shapes, judged and
# reported by the real program. Needs no account and no network beyond this machine.
set -eu
B=${B:-build/release}
dir=demo
rm -rf "$dir"
mkdir -p "$dir"

PAGER=cat # the steps follow each other on the screen
export PAGER
pid=
cleanup() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	[ -z "$pid" ] || wait "$pid" 2>/dev/null || true
	rm -f "$dir/port" "$dir/service-account.json" "$dir/tpucost.db.lock"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
else
	bold='' plain=''
fi
say() {
	printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}
show() {
	printf '%s$ tpucost %s%s\n' "$bold" "$*" "$plain"
	"$B/tpucost" "$@"
}

# The lab of the tutorials, and a slice as Compute Engine sells it: a managed group of 16 machines.
cp tests/sandbox/worlds/lab.yaml "$dir/world.yaml"
cat >>"$dir/world.yaml" <<'EOF'
groups:
  - {zone: europe-west4-a, name: pod, type: ct6e-standard-4t, topology: 8x8, target: 16, hosts: 16,
     provisioning: spot, created: -5h}
EOF
"$B/sandbox" --port 0 --port-file "$dir/port" --log "$dir/requests.ndjson" \
	--key-out "$dir" "$dir/world.yaml" >"$dir/sandbox.log" 2>&1 &
pid=$!
i=0
while [ ! -s "$dir/port" ]; do
	i=$((i + 1))
	if [ $i -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
		cat "$dir/sandbox.log" >&2
		exit 1
	fi
	sleep 0.1
done
port=$(cat "$dir/port")
now=$(date +%s)
day() { date -u +%F --date="@$((now + $1 * 86400))"; }
start=$(day -26)
expires=$(day 40)
since=$(day -60)

cat >"$dir/tpucost.yaml" <<EOF
# The configuration of the demo. With your own project, leave out endpoints: and
# credentials: (then the usual Google credentials are used).
timezone: Asia/Hong_Kong
currency: HKD
projects: [tpu-develop]
credentials: service-account.json
billing:
  table: tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901
grants:
  - name: trc
    starts: $start
    days: 30
    tpus:                       # the very words of the mail
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f
      - 64 spot Cloud TPU v6e chips in zone europe-west4-a
credits:
  - {name: free-trial, amount: 300 USD, starts: $since, expires: $expires}
budgets:
  - {name: month, amount: 5000 HKD, per: month, forecast_at: [100]}
rules:                          # what to stop; nothing is, in the mode dry-run
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
  - use: vm-forgotten
    then: {action: stop, grace: 30m, armed: true}
enforcement: {mode: dry-run, projects: [tpu-develop]}   # docs/enforce.md
notify:                         # mail, Slack and others: docs/notify.md
  - name: log
    file: {path: messages.jsonl}
report: {daily: {at: "00:00"}}
endpoints: {all: "http://127.0.0.1:$port"}
EOF
TPUCOST_CONFIG=$dir/tpucost.yaml
export TPUCOST_CONFIG

say "1. One cycle: poll everything, judge, say how things stand."
show run --once
say "2. Everything that exists, in every zone. Look at tpu-wrong, tpu-vm and
   imagenet: they cost money, and should not. pod is a slice of 16 machines."
show ps
say "3. Why. The same v3-8 is free in europe-west4-a and charged in us-central1-a."
show coverage
say "4. What that burns. Net is the list price without what the grant covers."
show burn
say "5. What is wrong, by the built-in rules. What must hold for a while is pending."
show alerts
say "6. When the money is gone, and what stopping the worst would change."
show budget
say "7. The daily report, as it goes out by mail."
show report daily
say "8. What it would stop if it were armed, when, and what is in the way."
show enforce
say "9. Who was told: alerts and the report, on the one channel of this demo, a file."
show notify list --columns id,channel,kind,state,subject
"$B/tpucost" report daily --format html --output "$dir/report.html"

say "10. What all this asked of Google, and how much would have changed anything."
asked=$(grep -c . "$dir/requests.ndjson")
mutating=$(grep -c '"mutating":true' "$dir/requests.ndjson" || true)
echo "$asked requests, $mutating mutating"
if [ "$mutating" -ne 0 ]; then
	echo "the demo asked for a change of the cloud" >&2
	exit 1
fi

say "Left for you: $dir/report.html, for a browser, and $dir/tpucost.db. Ask on:"
cat <<EOF
  export TPUCOST_CONFIG=$dir/tpucost.yaml PATH=$B:\$PATH
  tpucost status
  tpucost cost --by category --since 7d
  tpucost report month
  tpucost ps --where "kind = 'vm' AND vcpus >= 32" --format json
  tpucost coverage --since 7d
  tpucost why tpu-wrong
  tpucost sql "SELECT kind, count(*) AS n FROM resources GROUP BY kind"
All of it in a browser, at the address that this prints:
  tpucost web --listen 127.0.0.1:0
EOF
