# Every command and option with arguments that nobody means: empty, no UTF-8, far too long.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
start_lab
start_files
cp "$ROOT/tests/scenarios/price-not-known.yaml" small.yaml
timeout 600 python3 "$ROOT/tests/support/run/surroundings_run.py" "$B/tpucost" "$url" args

# what is wrong with an option is said with how it is written
wrong() { # COMMAND WANT
	# shellcheck disable=SC2086 # words
	run tpucost $1
	is "$1" "$rc $err" "2 tpucost: $2"
}
wrong "ps --limit -1" "--limit: '-1' is not a whole number from 0 to 1000000000; use --limit 10"
wrong "ps --limit=1e3" "--limit: '1e3' is not a whole number from 0 to 1000000000; use --limit 10"
wrong "ps -n 1000000001" "--limit: '1000000001' is not a whole number from 0 to 1000000000; use --limit 10"
wrong "ps --limit" "option --limit needs a value; use --limit N"
wrong "ps --quiet=yes" "option --quiet does not accept a value; use --quiet"
wrong "ps -q1" "option -q does not accept a value; use -q"
wrong "cost --by owner --by project" "option --by is given twice; use one --by A,B"
wrong "ps -p a -w 1 --where=0" "option --where is given twice; use one --where SQL"
wrong "ps -p a --project b" "option --project is given twice; use one --project P"
wrong "estimate --tpu v3-8:0 --zone us-central1-a" \
	"--tpu: 'v3-8:0' is not valid (expected a whole number from 1 to 100000 after the colon); use --tpu v3-8:2"
