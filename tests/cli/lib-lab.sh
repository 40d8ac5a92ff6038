# Sourced after lib.sh: the lab of the TPU tutorials, collected and judged.

# lab_config LINES [MORE_OF_THE_GRANT]: the sandbox, and a configuration of its project and grant
lab_config() {
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
    starts: $(day -26)
    days: 30
    tpus:
      - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
      ${2:+- $2}
endpoints: {all: "$url"}
$1
EOF
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}

# start_lab [LINES]: a bit of everything, and one cycle
start_lab() {
	lab_config "credits:
  - {name: free-trial, amount: 2300 HKD, expires: $(day 40)}
budgets:
  - {name: month, amount: 400 HKD, per: month}
notify:
  - name: lab
    file: {path: alerts.jsonl}
${1:-}"
	tpucost run --once -q >/dev/null || echo "not ok the first cycle: $?"
}

# start_files: what commands of tests/support/run/commands.py read
start_files() {
	cp "$ROOT/tests/scenarios/machine-forgotten.yaml" world.yaml
	cat >mail.eml <<'MAIL'
From: trc-support@google.com
Date: Sun, 01 Nov 2026 00:00:00 +0000
Subject: [TRC] You have access to free Cloud TPUs

Your Google Cloud project tpu-develop now has access to the following quota free of charge for 30 days:
5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
MAIL
	printf '{"billing_account_id":"01AB23-CD45EF-678999","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"2E27-4F75-95CD","description":"N1 Core"},"usage_start_time":"2026-01-01 00:00:00 UTC","usage_end_time":"2026-01-01 01:00:00 UTC","project":{"id":"other"},"export_time":"2026-01-01 06:00:00 UTC","cost":"12.4","currency":"USD","currency_conversion_rate":"1","usage":{"amount":"1","unit":"hour","amount_in_pricing_units":"1","pricing_unit":"hour"},"credits":[],"labels":[],"invoice":{"month":"202601"},"cost_type":"regular"}\n' >billing.json
}
