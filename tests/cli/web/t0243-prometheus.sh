#!/bin/sh
# The shipped rules and dashboard: valid, about metrics that exist; and a real Prometheus that scrapes the page,
# where it is installed, and whose alert arrives at a webhook through a real Alertmanager.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-web.sh"
rules=$ROOT/packaging/examples/tpucost.rules.yml
board=$ROOT/packaging/examples/grafana.json
tpucost metrics --format json | jq -r '.[].metric' | sort >known
{ grep 'expr:' "$rules" && jq -r '.. | .expr?, .query?.query? | strings' "$board"; } | grep -o 'tpucost_[a-z_]*' | sort -u >used
is "there are many" "$([ "$(wc -l <used)" -ge 12 ] && echo yes)" yes
is "each exists" "$(comm -13 known used)" ""
is "every panel has a place, a source and queries" "$(jq '[.panels[] | select((.gridPos | not) or .datasource.uid != "${datasource}"
	or (.targets | length) == 0 or (.title | not))] | length' "$board")" 0
is "no panel is on another" "$(jq -r '.panels[].gridPos | . as $g | range($g.x; $g.x + $g.w) as $x | range($g.y; $g.y + $g.h) as $y | "\($x),\($y)"' "$board" | sort | uniq -d)" ""
if ! command -v promtool >/dev/null 2>&1; then
	pass "skipped: promtool is not installed (package prometheus)"
	exit 0
fi
run promtool check rules "$rules"
is "the rules are valid" "$rc" 0
cp "$rules" "$ROOT/tests/prometheus/rules.test.yml" .
run promtool test rules rules.test.yml
is "they fire when they should" "$rc" 0
sed -i 's/> 1800/> 18000/' tpucost.rules.yml
run promtool test rules rules.test.yml
is "a wrong rule is found" "$rc" 1

start_lab
unset LD_PRELOAD TEST_CLOCK # figures of now
start_web
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
am=127.0.0.1:$(free_port)
sed '/^ *for:/d' "$rules" >now.rules.yml # without waiting
cat >prometheus.yml <<YML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [now.rules.yml]
alerting: {alertmanagers: [{static_configs: [{targets: ["$am"]}]}]}
scrape_configs:
  - {job_name: tpucost, static_configs: [{targets: ["${web#http://}"]}]}
YML
run promtool check config prometheus.yml
is "the configuration of the scrape" "$rc" 0
prom=http://127.0.0.1:$(free_port)
prometheus --config.file=prometheus.yml --storage.tsdb.path=tsdb --web.listen-address="${prom#http://}" >prom.log 2>&1 &
prom_pid=$!
trap 'kill $prom_pid $web_pid 2>/dev/null; wait $prom_pid; finish' EXIT
ask_prom() {
	curl -s -G "$prom/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[].value[1]' 2>/dev/null
}
scraped() {
	[ "$(ask_prom 'up{job="tpucost"}')" = 1 ] && [ -n "$(ask_prom tpucost_build_info)" ]
}
wait_until scraped
is "a Prometheus scrapes the page" "$(ask_prom 'up{job="tpucost"}')" 1
is "it has the figures" "$(ask_prom tpucost_budget_spent)" "$(tpucost budget --format json | jq -r '.[0].spent')"
jq -r '.. | .expr? | strings' "$board" | sed 's/\$project/.*/g' | while read -r expr; do
	code=$(curl -s -G -o answer -w '%{http_code}' "$prom/api/v1/query" --data-urlencode "query=$expr")
	is "a query of the dashboard: $expr" "$code $(jq -r .status answer)" "200 success"
done

if command -v prometheus-alertmanager >/dev/null 2>&1; then
	python3 - >hook.port 2>hook.json <<'PY' &
import http.server, sys
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        sys.stderr.write(self.rfile.read(int(self.headers["Content-Length"])).decode() + "\n")
        sys.stderr.flush()
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
print(server.server_port, flush=True)
server.serve_forever()
PY
	hook_pid=$!
	wait_until test -s hook.port
	cat >am.yml <<YML
route: {receiver: hook, group_wait: 0s, group_interval: 1s}
receivers: [{name: hook, webhook_configs: [{url: "http://127.0.0.1:$(cat hook.port)/"}]}]
YML
	prometheus-alertmanager --config.file=am.yml --storage.path=am --web.listen-address="$am" \
		--cluster.listen-address= >am.log 2>&1 &
	am_pid=$!
	trap 'kill $prom_pid $web_pid $hook_pid $am_pid 2>/dev/null; wait $prom_pid $hook_pid $am_pid; finish' EXIT
	wait_until grep -q TpucostUncovered hook.json
	is "an alert arrives at a webhook" "$(jq -rs '[.[].alerts[] | select(.labels.alertname == "TpucostUncovered"
		and .labels.zone == "us-central1-a")][0] | .status + " " + .annotations.summary' hook.json)" \
		"firing 4 v3 chips in us-central1-a are not covered by a grant"
else
	pass "skipped: the Alertmanager is not installed (package prometheus-alertmanager)"
fi
stop_web
