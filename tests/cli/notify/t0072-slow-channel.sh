# A channel that hangs keeps nobody waiting but itself: the others get theirs, and the next cycle
# is not refused.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
cat >mute.py <<'END'
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(50)
print(s.getsockname()[1], flush=True)
kept = []
while True:
    kept.append(s.accept())
END
python3 -B mute.py >mute.port &
mute=$!
trap 'kill $mute 2>/dev/null; finish' EXIT
wait_until test -s mute.port
write_config "report: {daily: {at: \"00:00\"}}
notify:
  - name: a-mute
    email: {to: [me@example.org], from: t@example.org, smtp: \"smtp://127.0.0.1:$(cat mute.port)\", tls: off}
  - name: b-mute
    webhook: {url: \"http://127.0.0.1:$(cat mute.port)/hook\"}
  - name: z-log
    file: {path: log.jsonl}"
run tpucost check
status "the configuration is right" 0

# not by way of the function: this shell is to be the parent
"$B/tpucost" run --once >first.out 2>first.err &
first=$!
wait_until test -s log.jsonl
is "the one that works has its messages" "$(jq -r .kind log.jsonl | sort -u | head -1)" alerts
kill -0 $first 2>/dev/null
is "while the others still hang" $? 0
run tpucost collect instances
status "and who polls meanwhile is not refused" 0
is "the hanging ones are in hand" \
	"$(sqlite3 t.db "SELECT group_concat(DISTINCT channel) FROM notification WHERE state = 'sending' AND channel LIKE '%mute'")" \
	"a-mute,b-mute"
is "each in a process of its own" "$(($(tr ' ' '\n' </proc/$first/task/$first/children | grep -c .) >= 2))" 1
for child in $(cat /proc/$first/task/$first/children); do
	kill -9 "$child"
done
wait $first
is "that they died is a failure" $? 4
run tpucost notify list --where "channel = 'z-log'" --format json
is "of theirs" "$(jq -r '[.[].state] | unique | join(" ")' stdout)" sent
