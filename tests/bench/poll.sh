#!/bin/sh
# make bench, poll: how long a poll of 200 projects takes when every answer takes 80 ms, and how
# much of a processor, beside Google's own client libraries for Node, which list only what exists.
# They make fewer calls: what compares is the figures for 1000 of them.
. "$(dirname "$0")/lib.sh"
fleet=200
delay_ms=80
inflight=32
sandbox_pid=
finish() {
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null || true
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null || true
	rm -rf "$work/poll"
}
trap finish EXIT
trap 'exit 130' INT TERM

start_fleet() {
	rm -rf "$work/poll"
	mkdir -p "$work/poll"
	cat >"$work/poll/world.yaml" <<END
name: fleet
projects:
  - {id: lab-zero, number: "100000000001"}
zones: [us-central1-a, us-central1-f, europe-west4-a]
project_count: $fleet
faults:
  - {match: "GET ", delay_ms: $delay_ms}
END
	"$B/sandbox" --port 0 --port-file "$work/poll/port" --log "$work/poll/requests" \
		--key-out "$work/poll" "$work/poll/world.yaml" >"$work/poll/sandbox.log" 2>&1 &
	sandbox_pid=$!
	i=0
	while [ ! -s "$work/poll/port" ]; do
		i=$((i + 1))
		if [ $i -gt 100 ] || ! kill -0 $sandbox_pid 2>/dev/null; then
			fail "the sandbox does not start: $(cat "$work/poll/sandbox.log")"
		fi
		sleep 0.1
	done
	cat >"$work/poll/tpucost.yaml" <<END
timezone: UTC
projects: [$(seq -f 'lab-%03.0f' -s ', ' $fleet)]
credentials: service-account.json
database: t.db
endpoints: {all: "http://127.0.0.1:$(cat "$work/poll/port")"}
END
}

calls_so_far() {
	grep -c '"GET"' "$work/poll/requests" || true
}

# A line "WHO CALLS SECONDS CPU KIB" in $runs
note() {
	echo "$1 $(($(calls_so_far) - before)) $(cat "$work/measured")" >>"$runs"
}

poll_tpucost() {
	rm -f "$work"/poll/t.db*
	before=$(calls_so_far)
	measure "$B/tpucost" --config "$work/poll/tpucost.yaml" collect
	seen=$("$B/tpucost" --config "$work/poll/tpucost.yaml" ps --all --format json | jq length)
	[ "$seen" -eq $fleet ] || fail "the poll saw $seen machines of $fleet"
	note tpucost
}

google=$work/google
poll_google() {
	before=$(calls_so_far)
	# shellcheck disable=SC2046 # a word for each project
	NO_PROXY=127.0.0.1 measure node "$google/google.mjs" \
		"http://127.0.0.1:$(cat "$work/poll/port")" "$work/poll/service-account.json" \
		$inflight $(seq -f 'lab-%03.0f' $fleet)
	[ "$(tail -n 1 "$work/out")" = $fleet ] ||
		fail "Google's libraries saw $(tail -n 1 "$work/out") machines of $fleet"
	note google
}
no_peer() {
	:
}

rows_of_table() {
	awk -v delay=$delay_ms -v inflight=$inflight "$medians"'
	{
		if (!($1 in calls)) order[++n] = $1
		calls[$1] = $2
		seconds[$1] = seconds[$1] " " $3
		cpu[$1] = cpu[$1] " " $4 * 1000 / $2
		rate[$1] = rate[$1] " " $2 / $3
		if ($5 > kib[$1]) kib[$1] = $5
	}
	END {
		name["tpucost"] = "tpucost collect"
		name["google"] = "Google'"'"'s Node libraries"
		print "program\tcalls\tseconds\tcalls/s\twaiting alone, s\t" \
			"CPU s per 1000 calls\tpeak MiB\tCPU, tpucost / it"
		for (i = 1; i <= n; i++) {
			w = order[i]
			printf "%s\t%d\t%.2f\t%.0f\t%.2f\t%.2f\t%.0f\t%s\n", name[w], calls[w],
				median(seconds[w]), median(rate[w]), calls[w] * delay / 1000 / inflight,
				median(cpu[w]), kib[w] / 1024,
				(i > 1 ? sprintf("%.2f", ratios(cpu["tpucost"], cpu[w])) : "")
		}
	}' "$runs"
}

begin poll "Polling $fleet projects, every answer after $delay_ms ms, $inflight calls at a time"
: >"$runs"
start_fleet
peer=poll_google
if ! why=$(npm_install "$google" "$ROOT/tests/bench/google.json" "$ROOT/tests/bench/google.mjs"); then
	echo "  without Google's libraries: $why"
	peer=no_peer
fi
i=0
while [ $i -lt "$PAIRS" ]; do
	i=$((i + 1))
	progress "  poll $i of $PAIRS"
	turn $i poll_tpucost $peer
done
progress ""
rows_of_table | table poll
say poll
say poll "$fleet projects, every answer after $delay_ms ms, $inflight calls at a time; medians of $PAIRS."
