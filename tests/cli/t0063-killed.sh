# kill -9 at any moment of a run while sixty messages go to a slow webhook, a hundred times: none
# is lost, and what came twice says that it may be a repeat (case H10).
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
answer hook '{"delay":0.02}'
{
	echo "notify:"
	for n in 01 02 03 04 05 06 07 08 09 10; do
		echo "  - {name: hook-$n, webhook: {url: \"$hook/hook/$n\"}}"
	done
} >channels
write_config "$(cat channels)
rules: []"
tpucost run --once -q >/dev/null
# An hour passes between messages: a storm would make one of many.
: >hooks
for n in 1 2 3 4 5 6; do
	curl -sS -X POST --data-binary "nodes: [{project: lab-one, zone: us-central1-a, name: more-$n, type: v3-8, created: -1h}]" \
		"$url/_sandbox/world/patch" >/dev/null
	tpucost collect -q
	killed=0
	k=0
	while [ $k -lt 17 ]; do
		k=$((k + 1))
		# what the last one had in hand is free again
		[ $k -eq 1 ] && later 3600 || later 301
		timeout -s KILL "$(awk -v s="$n$k" 'BEGIN { srand(s * 7919); printf "%.3f", .02 + rand() * .25 }')" \
			"$B/tpucost" run --once -q >/dev/null 2>&1
		[ $? -ne 137 ] || killed=$((killed + 1))
	done
	echo $killed >>kills
done
