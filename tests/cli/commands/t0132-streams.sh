# Every command in every format: the answer and nothing else goes to standard output; a full disk, a
# closed pipe and streams that are not there are said, or borne, and never a death.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
timeout 600 python3 "$ROOT/tests/support/run/streams_run.py" "$B/tpucost" "$url"
