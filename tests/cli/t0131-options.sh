# Every option of every command, as the help lists them, against the lab: it is taken, ends well, and
# where it means the same everywhere (--limit, --where, --columns, ...) it does it.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
cp "$ROOT/tests/scenarios/machine-forgotten.yaml" world.yaml
cat >mail.eml <<'MAIL'
Date: Sun, 01 Nov 2026 00:00:00 +0000
Subject: [TRC] You have access to free Cloud TPUs

Your Google Cloud project tpu-develop now has access to the following quota free of charge for 30 days:
5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
MAIL
printf '{"billing_account_id":"01AB23-CD45EF-678999","service":{"id":"6F81-5844-456A","description":"Compute Engine"},"sku":{"id":"2E27-4F75-95CD","description":"N1 Core"},"usage_start_time":"2026-01-01 00:00:00 UTC","usage_end_time":"2026-01-01 01:00:00 UTC","project":{"id":"other"},"export_time":"2026-01-01 06:00:00 UTC","cost":"12.4","currency":"USD","currency_conversion_rate":"1","usage":{"amount":"1","unit":"hour","amount_in_pricing_units":"1","pricing_unit":"hour"},"credits":[],"labels":[],"invoice":{"month":"202601"},"cost_type":"regular"}\n' >billing.json
timeout 120 python3 "$ROOT/tests/support/options_run.py" "$B/tpucost" "$url"
