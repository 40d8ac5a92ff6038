. "$ROOT/tests/cli/lib.sh"
url=http://127.0.0.1:1
bad() { # NAME PART FILE-CONTENT
	printf '%s\n' "$3" >bad.yaml
	run tpucost check --config bad.yaml
	status "$1: exit 2" 2
	has "$1: said" "$err" "$2"
	run tpucost collect --config bad.yaml
	status "$1: collect exits 2" 2
	is "$1: nothing is created" "$(ls ./*.db* 2>/dev/null)" ""
}
P='projects: [p-one-1]'
bad "unknown key" "bad.yaml:2:1: configuration: unknown key 'budgts'; did you mean 'budgets'?" "$P
budgts: []"
bad "unknown key inside" "bad.yaml:3:26: enforcement: unknown key 'arned'" "$P
timezone: UTC
enforcement: {mode: off, arned: true}"
bad "bad zone in a grant" 'bad.yaml:7:9:' "$P
grants:
  - name: g
    starts: 2026-11-01
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4"
bad "bad time zone" "unknown time zone 'Asia/HongKong'; did you mean Asia/Hong_Kong?" "$P
timezone: Asia/HongKong"
bad "a long history" "bad.yaml:2:15: '100000d' is too long: expected at most 3660d" "$P
keep_history: 100000d"
bad "a long interval" "'99999999999999999999d' is too long: expected at most 3660d" "$P
poll: {instances: 99999999999999999999d}"
bad "another time" "'2026-11-01 08:00' is not a date such as 2026-11-21, or a time such as 2026-11-21T08:00:00Z" "$P
grants: [{name: g, starts: '2026-11-01 08:00', days: 3, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}]"
bad "a short history" "bad.yaml:2:15: keep_history: expected at least 90d" "$P
keep_history: 89d"
bad "bad money" "bad.yaml:2:41: '\$50'" "$P
budgets: [{name: m, per: month, amount: \$50}]"
bad "swapped letters" "bad.yaml:2:11: 'HDK' is not a currency (expected three capital letters such as HKD); did you mean 'HKD'?" "$P
currency: HDK"
bad "a currency that does not exist" "bad.yaml:2:41: 'HDK' is not a currency" "$P
budgets: [{name: m, per: month, amount: 5 HDK}]"
bad "a channel twice" "report.daily: 'me' is listed twice" "$P
notify: [{name: me, file: {path: m.jsonl}}]
report: {daily: {to: [me, me, me]}}"
bad "a bad credential of a heartbeat" "'../x' is not a name of a credential" "$P
heartbeat: {url_file: \"credential:../x\"}"
bad "bad date" "'2026-02-30'" "$P
grants: [{name: g, starts: 2026-02-30, days: 3, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}]"
bad "duplicate key" "bad.yaml:2:1: key 'projects' is already in line 1" "$P
projects: [b]"
bad "alias" 'not allowed' "a: &x 1
b: *x"
bad "second document" 'second document' "$P
---
$P"
bad "no projects" 'projects is missing' "timezone: UTC"
bad "empty" 'is empty' ""
bad "armed without projects" 'mode armed needs projects' "$P
enforcement: {mode: armed}"
bad "two ends" 'days and until cannot be used together' "$P
grants: [{name: g, starts: 2026-11-01, days: 3, until: 2026-11-09, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}]"
bad "no count in a grant line" 'bad.yaml:2:' "$P
grants: [{name: g, starts: 2026-11-01, days: 3, tpus: [on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}]"
bad "a view that does not exist" "there is no view 'resorces'" "$P
rules: [{name: r, on: resorces, where: 1}]"
bad "a database without a name" "bad.yaml:2:11: '' is not the path of a file" "$P
database: ''"
bad "a directory as database" "bad.yaml:2:11: '.' is not the path of a file" "$P
database: ."
bad "a port without an address" "bad.yaml:2:15: listen: '8420' is not an address" "$P
web: {listen: 8420}"
bad "a port that cannot be" "bad.yaml:2:15: listen: '0.0.0.0:99999' is not an address" "$P
web: {listen: \"0.0.0.0:99999\"}"
bad "a name that is not this machine's" "bad.yaml:2:15: listen: 'lab:8420' is not an address" "$P
web: {listen: \"lab:8420\"}"
bad "a page for everybody" "bad.yaml:2:15: listen: other machines can reach 0.0.0.0:8420" "$P
web: {listen: \"0.0.0.0:8420\"}"
bad "bad project" "bad.yaml:1:12: 'A_b!' is not a project id" "projects: [A_b!]"
bad "a project by its number" "bad.yaml:1:12: '123456789012' is a project number (expected the id; see: gcloud projects describe" \
	"projects: ['123456789012']"
bad "a billing account in small letters" 'bad.yaml:1:' "projects: {billing_account: 01ab23-cd45ef-678901}"
bad "plain http elsewhere" 'bad.yaml:2:18:' "$P
endpoints: {all: \"http://example.com\"}"
bad "unknown built-in rule" "did you mean 'tpu-not-covered'?" "$P
rules: [{use: tpu-not-coverd}]"
bad "a grant that extends itself" 'extends itself' "$P
grants: [{name: g, extends: g, starts: 2026-11-01, days: 3, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}]"
for other in "" ", project: lab-two"; do
	bad "a renewal for other projects$other" "bad.yaml:4:24: extends: 'g' is for lab-one, this grant for ${other:+lab-two}" "$P
grants:
  - {name: g, project: lab-one, starts: 2026-11-01, days: 30, tpus: [8 on-demand v4 chips in zone us-central2-b]}
  - {name: h, extends: g, starts: 2026-11-08, days: 30, tpus: [8 on-demand v4 chips in zone us-central2-b]$other}"
done
bad "a negative credit" 'above 0' "$P
credits: [{name: c, amount: -3 USD}]"
bad "tab indent" 'bad.yaml:' "projects:
	- a"

run tpucost check --config none.yaml
status "missing file: exit 2" 2
has "missing file: said" "$err" "none.yaml"
run tpucost ps
status "no configuration at all: exit 2" 2
has "and what to do" "$err" "--config FILE"
mkfifo fifo
run tpucost check --config fifo
status "a FIFO is not read" 2

cat >good.yaml <<'F'
timezone: Asia/Hong_Kong
currency: HKD
projects: [tpu-develop]
credentials: adc
billing: {table: billing-admin.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901, location: US}
keep_history: 90d
poll: {instances: 1m, billing: 1h, quotas: 30m, prices: 24h, metrics: 5m}
grants:
  - name: trc-nov
    starts: 2026-11-01
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      - 100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f
      - 32 on-demand Cloud TPU v4 chips in zone us-central2-b
credits:
  - {name: free-trial, amount: 300 USD, starts: 2026-10-01, expires: 2026-12-30}
budgets:
  - {name: month, amount: 50 USD, per: month, alert_at: [50, 80, 100], forecast_at: [100]}
  - {name: cpu-day, amount: 100 HKD, per: day, where: "category = 'cpu'"}
rules:
  - use: tpu-not-covered
    then: {action: stop, grace: 30m, armed: true}
  - name: big-cpu
    on: resources
    where: kind = 'vm' AND state = 'running' AND vcpus >= 64 AND running_hours > 6
    for: 10m
    severity: critical
    summary: "{name} ({type}) has burned {gross_per_hour} {currency}/h for {running_hours} h"
    then: {action: stop, grace: 30m, armed: true}
notify:
  - name: me
    email: {to: [me@example.org], from: tpucost@example.org, smtp: "smtps://smtp.example.org", username: me, password_file: /run/secrets/smtp}
  - name: lab
    slack: {webhook_file: /run/secrets/slack}
    min_severity: warning
  - name: hook
    webhook: {url: "https://example.org/x"}
  - name: log
    file: {path: alerts.jsonl}
report: {daily: {at: "09:00", to: [me, lab]}}
enforcement:
  mode: dry-run
  projects: [tpu-develop]
  max_per_run: 3
  max_per_day: 10
  protect: "labels LIKE '%tpucost-keep%'"
prices:
  - {tpu: v4, zone: us-central2-b, per_chip_hour: 3.22 USD}
endpoints:
  all: http://127.0.0.1:8080
F
run tpucost ps --config ''
is "a name is not empty" "$rc $err" "2 tpucost: --config: the name of the file is empty; name a file"
for of in import "grant import" "rules test"; do
	run tpucost $of none --config good.yaml
	has "no file: $of" "$err" "open none: No such file or directory; check the name of the file"
done
run tpucost check --config good.yaml
status "the example of every key is accepted" 0
has "and summed up" "$out" "3 grant lines, 1 credit, 2 budgets, 2 custom rules, 4 channels"
