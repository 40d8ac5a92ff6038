# Every command in terminals of 80 and 40 columns: nothing is wider, and colours are left out when asked to.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
timeout 600 python3 "$ROOT/tests/support/run/terminals_run.py" "$B/tpucost" "$url"
