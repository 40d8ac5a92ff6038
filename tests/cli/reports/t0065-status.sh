# How things stand on one screen, also when tpucost is called without a command.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config "notify:
  - name: log
    file: {path: messages.jsonl}
  - name: gone
    webhook: {url: \"http://127.0.0.1:9/hook\"}"
sed -i 's/projects: .*/projects: [tpu-develop]/' tpucost.yaml

run tpucost status
status "without a database" 1
has "it says what to do" "$err" "tpucost collect"

run tpucost collect
run tpucost status
status "after a poll it answers" 0
for part in "Do now" "Burn now" "Grant " "Data " "tpu-wrong" "gcloud compute tpus tpu-vm stop tpu-wrong" "Inventory"; do
	has "the screen has: $part" "$out" "$part"
done
is "no line is wider than the terminal, but commands" \
	"$(grep -v '^ *\(gcloud\|bq\|tpucost\) ' stdout | awk 'length($0) > 79' | wc -l)" 0
is "what belongs to the report only is left out" "$(grep -c 'Day by day' stdout)" 0
sed '/HKD\|USD\|old/d' stdout | head -4 >status.txt
run tpucost
is "without a command it is the same" "$(sed '/HKD\|USD\|old/d' stdout | head -4)" "$(cat status.txt)"
TPUCOST_CONFIG=nothing.yaml run tpucost
has "without a configuration it says how to begin" "$out" "tpucost init"
is "in three lines" "$(wc -l <stdout)" 3

run tpucost status --format json
is "programs get the same parts" \
	"$(jq -r '"\(.report) \([.do_now[].name] | index("tpu-wrong") != null) \(has("days"))"' stdout)" \
	"status true false"
run tpucost status --format htm
status "another format is refused" 2

# a message that was given up stays on the screen for a week
run tpucost run --once
status "a channel that does not answer makes run exit 4" 4
has "and is named" "$err" "channel gone: not sent: "
run tpucost status
status "while it is tried, nothing is lost" 0
sqlite3 t.db "UPDATE notification SET state = 'dead', finished = $(date +%s), next_at = NULL WHERE channel = 'gone'"
run tpucost status
status "a dead letter makes status exit 4" 4
has "and is shown" "$out" "Unsent"
has "with what stood in the way" "$out" "connection refused"
run tpucost notify retry gone
run tpucost status
status "until it is tried again" 0

# the heading is of whole words, however long the name of the zone is
sed -i 's|^timezone: .*|timezone: America/Argentina/Buenos_Aires|' tpucost.yaml
LANG=C.UTF-8 TERM=xterm run python3 "$ROOT/tests/support/run/terminal.py" 40x24 "$B/tpucost" status </dev/null
is "in 40 columns" "$(sed -n '1,2s/\x1b\[[0-9]*m//gp' stdout | sed 's/20[0-9-]* [0-9:]*/TIME/'; sed -n 2p stdout)" "Do now (5), as of TIME
  America/Argentina/Buenos_Aires"
LANG=C.UTF-8 TERM=xterm run python3 "$ROOT/tests/support/run/terminal.py" 80x24 "$B/tpucost" status </dev/null
is "and on one line where there is room" "$(sed -n '1s/\x1b\[[0-9]*m//gp' stdout | sed 's/20[0-9-]* [0-9:]*/TIME/')" \
	"Do now (5), as of TIME America/Argentina/Buenos_Aires"

# where nobody could look at the TPUs, a grant is not said to be free
is "how many chips are used is told" "$(grep -c 'Grant .* [0-9]*/[0-9]* ' stdout)" 1
sqlite3 t.db "DELETE FROM resource_interval WHERE kind = 'tpu'; DELETE FROM resource WHERE kind = 'tpu';
	UPDATE source_status SET last_success = NULL, state = 'failed' WHERE source = 'tpu'"
run tpucost status
has "unless it is not known" "$(grep '^Grant' stdout)" " unknown/"
