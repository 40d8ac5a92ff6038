# kill -9 at any moment of a run while sixty messages go to a slow webhook, a hundred times: none
# is lost, and what came twice says that it may be a repeat (case H10).
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
needs_kills
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
answer hook '{"delay":0.01}'
{
	echo "notify:"
	for n in 01 02 03 04 05 06 07 08 09 10; do
		echo "  - {name: hook-$n, webhook: {url: \"$hook/hook/$n\"}}"
	done
} >channels
write_config "$(cat channels)
rules: []"
preload=$LD_PRELOAD:$work/.test/preload.so
n=$(allocations "$B/tpucost" run --once -q)
# up_to N: one of 1 to N, another one each time and the same ones in each test
up_to() {
	awk -v n="$1" -v s=$runs 'BEGIN { srand(s * 7919); print 1 + int(rand() * n) }'
}
# Moments are places in the run and no times, as on a busy machine it takes any time. Of one run the process
# dies that makes some allocation; the next one dies with all its processes when one of its requests is at
# the webhook.
die() {
	if [ $((runs % 2)) = 0 ]; then
		answer hook '{"delay":0.01}'
		set -- "LD_PRELOAD=$preload" "KILL_AT=$(up_to "$n")"
	else
		answer hook "{\"delay\":0.01,\"kill\":$(up_to 10)}"
	fi
	# shellcheck disable=SC2016 # of the shell within
	setsid sh -c 'echo $$ >victim && exec env "$@"' sh "$@" "$B/tpucost" run --once -q >/dev/null 2>&1
}
waiting() {
	db "SELECT COUNT(*) FROM notification WHERE state <> 'sent'"
}
killed=0 news=0 runs=0
kills=$(some $(seq 100) | wc -w)
while [ $killed -lt "$kills" ] && [ $runs -lt 400 ]; do
	runs=$((runs + 1))
	# what the dead one had in hand is free again; is the last of the news told, and everywhere?
	left=$(later 301 "SELECT (SELECT COUNT(*) FROM notification WHERE state <> 'sent') + CASE $news WHEN 0 THEN 0 ELSE
		10 - (SELECT COUNT(*) FROM outbox WHERE state = 'told' AND subject LIKE '%/more-$news') END")
	if [ "$left" = 0 ]; then
		# an hour goes by between two messages: many in one hour would become one
		news=$((news + 1))
		later 3600
		curl -sS -X POST "$url/_sandbox/world/patch" >/dev/null --data-binary \
			"nodes: [{project: lab-one, zone: us-central1-a, name: more-$news, type: v3-8, created: -1h}]"
		tpucost collect -q
	fi
	die
	[ $? -ne 137 ] || killed=$((killed + 1))
	# those that send, where it was not one of them that died
	kill -KILL -- "-$(cat victim)" 2>/dev/null
done
answer hook '{"delay":0.01}'
n=0
while [ $n -lt 20 ] && [ "$(waiting)" != 0 ]; do
	n=$((n + 1))
	later 301
	run tpucost run --once -q
done
run tpucost run --once -q
status "in the end all is quiet" 0
is "so many were killed" "$killed" "$kills"
is "none is lost: all are sent" "$(waiting) $(db "SELECT COUNT(*) FROM outbox WHERE state <> 'told'")" "0 0"
is "each thing is told in one message on each channel" \
	"$(db "SELECT COUNT(*) FROM (SELECT 1 FROM outbox GROUP BY channel, subject HAVING COUNT(*) <> 1)") $(db "SELECT COUNT(DISTINCT channel) || ' ' || COUNT(*) FROM outbox WHERE subject LIKE '%/more-%'")" \
	"0 10 $((news * 10))"
db "SELECT channel || ' ' || message FROM notification ORDER BY 1" >sent
jq -r '"hook-" + (.path | split("/")[2]) + " " + (.body | fromjson | "\(.id) \(.may_be_repeat)")' hooks >came
cut -d ' ' -f 1,2 came | sort -u >there
is "none is lost: all are there" "$(cmp sent there 2>&1)" ""
# in whatever order they were taken: one that was on its way may be behind the one that came again
is "what came again says that it may be a repeat" "$(awk '$3 != "true" && seen[$1 " " $2]++' came)" ""
messages=$(wc -l <sent)
sends=$(wc -l <came)
is "there are as many as there should be" "$((messages * 10 >= kills * 6))" 1
is "a kill makes one repeat on a channel at most" \
	"$(awk -v most=$killed 'FNR == NR { sent[$1]++; next } ++came[$1] > sent[$1] + most' sent came)" ""
is "the database is whole" "$(db 'PRAGMA integrity_check')" ok
pass "$killed kills, $messages messages, $sends sends, $((sends - messages)) repeats, all marked"
