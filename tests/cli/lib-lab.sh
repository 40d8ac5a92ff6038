# Sourced after lib.sh: the lab of the TPU tutorials, collected and judged.

# start_lab [LINES]: the sandbox, a configuration with a bit of everything, and one cycle
start_lab() {
	start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
	cat >tpucost.yaml <<EOF
timezone: Asia/Hong_Kong
currency: HKD
projects: [tpu-develop]
credentials: service-account.json
database: t.db
billing: {table: tpu-develop.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901}
grants:
  - name: trc
    starts: $(date -u -d '-26 days' +%Y-%m-%d)
    days: 30
    tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]
credits:
  - {name: free-trial, amount: 2300 HKD, expires: $(date -u -d '+40 days' +%Y-%m-%d)}
budgets:
  - {name: month, amount: 400 HKD, per: month}
notify:
  - name: lab
    file: {path: alerts.jsonl}
endpoints: {all: "$url"}
${1:-}
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
	tpucost run --once -q >/dev/null || echo "not ok the first cycle: $?"
}
