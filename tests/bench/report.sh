#!/bin/sh
# make bench, report: how long a daily report of millions of facts of a bill takes, the whole
# process: start, open, derive, build, say.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/world.sh"
times=10

begin report "Daily report of $FACTS facts of a bill, $times times, the whole process"
make_world
: >"$runs"
i=0
while [ $i -lt $times ]; do
	i=$((i + 1))
	measure "$B/tpucost" --config "$world/tpucost.yaml" report daily
	grep -q '^Yesterday\|Yesterday cost' "$work/out" ||
		fail "the report does not tell what yesterday cost"
	cat "$work/measured" >>"$runs"
done
awk "$medians"'
	{ wall = wall " " $1; cpu = cpu " " $2; if ($3 > kib) kib = $3 }
	END {
		print "program\tms\tCPU ms\tpeak MiB"
		printf "tpucost report daily\t%.0f\t%.0f\t%.0f\n", median(wall) * 1000,
			median(cpu) * 1000, kib / 1024
	}' "$runs" | table report
