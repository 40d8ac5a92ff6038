# Every command without a home, a configuration, a working directory or data on time zones, and with few
# open files and little memory.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
timeout 600 python3 "$ROOT/tests/support/run/surroundings_run.py" "$B/tpucost" "$url" env
timeout 600 python3 "$ROOT/tests/support/run/surroundings_run.py" "$B/tpucost" "$url" limits
