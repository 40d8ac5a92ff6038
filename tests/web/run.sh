#!/bin/sh
# The pages in a browser (Chromium of Debian), with a checker of accessibility and a validator of HTML. Needs node,
# npm and, the first time, npm's registry; the packages (170 MB) go to build/web. PICTURES=DIR keeps pictures of
# every page. The last line is "web: N passed, N failed", or why nothing was run.
set -u
B=${B:-build/release}
case $B in /*) ;; *) B=$(pwd)/$B ;; esac
root=$(pwd)
home=$root/build/web
skip() {
	echo "web: skipped: $1"
	exit 0
}
for program in node npm chromium; do
	command -v $program >/dev/null 2>&1 || skip "$program is not installed"
done
mkdir -p "$home"
cp tests/web/check.mjs "$home/" # beside the packages, for node to find them
cmp -s tests/web/package.json "$home/.installed" || {
	cp tests/web/package.json "$home/"
	(cd "$home" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
		--cache "$home/npm" >npm.log 2>&1) || skip "npm cannot install the packages; its own words: $home/npm.log"
	rm -rf "$home/npm"
	cp tests/web/package.json "$home/.installed"
}

dir=$(mktemp -d)
# The programs have a time of their own (tests/support/machine.c): 2026-11-18 10:00 UTC, which runs on. The link is
# for paths with a blank.
ln -s "$B/machine.so" "$dir/machine.so"
ln -s 1794996000 "$dir/now"
own_clock() { TEST_CLOCK=$dir/now LD_PRELOAD=$dir/machine.so exec "$@"; }
sandbox=
web=
finish() {
	for pid in $sandbox $web; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	rm -rf "$dir"
}
trap finish EXIT
own_clock "$B/sandbox" --port 0 --port-file "$dir/port" --key-out "$dir" tests/sandbox/worlds/lab.yaml >"$dir/sandbox.log" 2>&1 &
sandbox=$!
while [ ! -s "$dir/port" ] && kill -0 $sandbox; do sleep 0.05; done
cat >"$dir/tpucost.yaml" <<YAML
timezone: Asia/Hong_Kong
currency: HKD
projects: [tpu-develop]
credentials: service-account.json
billing: {table: tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901}
grants:
  - {name: trc, starts: 2026-10-23, days: 30, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}
credits:
  - {name: free-trial, amount: 300 USD, expires: 2026-12-28}
budgets:
  - {name: month, amount: 5000 HKD, per: month}
rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
enforcement: {mode: dry-run, projects: [tpu-develop]}
notify:
  - {name: log, file: {path: messages.jsonl}}
endpoints: {all: "http://127.0.0.1:$(cat "$dir/port")"}
YAML
TPUCOST_CONFIG=$dir/tpucost.yaml
export TPUCOST_CONFIG
(own_clock "$B/tpucost" run --once -q) >/dev/null || exit 1
own_clock "$B/tpucost" web --listen 127.0.0.1:0 >"$dir/address" &
web=$!
while [ ! -s "$dir/address" ] && kill -0 $web; do sleep 0.05; done
address=$(sed 's,/$,,' "$dir/address")
log=$home/checks.log
node "$home/check.mjs" "$address" "$(command -v chromium)" "$dir/now" "${PICTURES:-}" >"$log" 2>&1 ||
	echo "not ok the checks did not run to their end: $(tail -3 "$log")" >>"$log"
grep -v '^ok ' "$log" | head -n 80
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "web: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
