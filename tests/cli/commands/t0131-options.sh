# Every option of every command, as the help lists them, against the lab: it is taken, ends well, and
# where it means the same everywhere (--limit, --where, --columns, ...) it does it.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
timeout 600 python3 "$ROOT/tests/support/run/options_run.py" "$B/tpucost" "$url"
