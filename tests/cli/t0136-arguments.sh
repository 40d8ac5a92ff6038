# Every command and option with arguments that nobody means: empty, no UTF-8, far too long.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
timeout 120 python3 "$ROOT/tests/support/surroundings_run.py" "$B/tpucost" "$url" args
