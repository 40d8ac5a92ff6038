#!/bin/sh
# make bench, report: how long a daily report of millions of facts of a bill takes, the whole
# process: start, open, derive, build, say. Beside it the sqlite3 shell and DuckDB, who are asked for
# three of its figures alone, over the same facts: yesterday, by service and project, and the month
# so far. All must say the same of yesterday.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/world.sh"
times=5

flat="SELECT hour, service, sku, project, currency, cost, credits FROM usage
	JOIN sku USING (sku_ref) JOIN billed_project USING (project_ref)
	JOIN charge USING (charge_ref)"

# periods: the hours that the figures are of
periods() {
	now=$(date +%s)
	today=$((now - now % 86400))
	yesterday=$((today - 86400))
	month=$((today - 86400 * ($(date -u +%-d --date="@$now") - 1)))
	of_yesterday="hour >= $yesterday AND hour < $today"
	sum="CAST(sum(cost + credits) AS BIGINT)"
}

# statement_N FACTS: the three of them
statement_1() {
	echo "SELECT currency, $sum FROM $1 WHERE $of_yesterday GROUP BY currency"
}
statement_2() {
	echo "SELECT service, project, currency, $sum FROM $1 WHERE $of_yesterday
		GROUP BY service, project, currency ORDER BY 4 DESC"
}
statement_3() {
	echo "SELECT project, currency, $sum FROM $1 WHERE hour >= $month
		GROUP BY project, currency ORDER BY 3 DESC"
}

# same WHO NANOS: what it says of yesterday is what the facts say
same() {
	[ "$2" = "$want" ] || fail "$1 says of yesterday $2 nano-units, not $want"
}

run_tpucost() {
	measure "$B/tpucost" --config "$world/tpucost.yaml" report daily --format json
	same tpucost "$(jq -r '.yesterday[0].net * 1e9 | round' "$work/out")"
}
run_sqlite() {
	measure sqlite3 -readonly "$world/t.db" "$(statement_1 "($flat)")" \
		"$(statement_2 "($flat)")" "$(statement_3 "($flat)")"
	same sqlite3 "$(sed -n '1s/.*|//p' "$work/out")"
}
run_duckdb() {
	measure node "$duckdb" report "$world/facts.duckdb" "$(statement_1 facts)" \
		"$(statement_2 facts)" "$(statement_3 facts)"
	same DuckDB "$(sed -n '1s/.*|//p' "$work/out")"
}
make_duckdb() {
	[ ! -f "$world/facts.duckdb" ] || return 0
	progress "  DuckDB loads the facts"
	sqlite3 -readonly -csv -header "$world/t.db" "$flat" >"$world/facts.csv"
	node "$duckdb" facts "$world/facts.csv" "$world/new.duckdb" || fail "DuckDB has no facts"
	rm "$world/facts.csv"
	mv "$world/new.duckdb" "$world/facts.duckdb"
	progress ""
}

begin report "Daily report of $FACTS facts of a bill, $times times, the whole process"
make_world
periods
want=$(sqlite3 -readonly "$world/t.db" "$(statement_1 "($flat)")" | sed -n '1s/.*|//p')
who="tpucost sqlite"
if why=$(duckdb_ready); then
	make_duckdb
	who="$who duckdb"
else
	echo "  without DuckDB: $why"
fi
: >"$runs"
i=0
while [ $i -lt $times ]; do
	i=$((i + 1))
	for one in $who; do
		progress "  $one, report $i of $times"
		"run_$one"
		echo "$one $(cat "$work/measured")" >>"$runs"
	done
done
progress ""
awk "$medians"'
	{
		if (!($1 in kib)) order[++n] = $1
		wall[$1] = wall[$1] " " $2
		cpu[$1] = cpu[$1] " " $3
		if ($4 > kib[$1]) kib[$1] = $4
	}
	END {
		name["tpucost"] = "tpucost report daily"
		name["sqlite"] = "sqlite3, three figures of it"
		name["duckdb"] = "DuckDB, three figures of it"
		print "program\tms\tCPU ms\tpeak MiB\ttime, tpucost / it\tCPU, tpucost / it"
		for (i = 1; i <= n; i++) {
			w = order[i]
			printf "%s\t%.0f\t%.0f\t%.0f\t%s\t%s\n", name[w], median(wall[w]) * 1000,
				median(cpu[w]) * 1000, kib[w] / 1024,
				(i > 1 ? sprintf("%.2f", ratios(wall["tpucost"], wall[w])) : ""),
				(i > 1 ? sprintf("%.2f", ratios(cpu["tpucost"], cpu[w])) : "")
		}
	}' "$runs" | table report
say report
say report "$FACTS facts; medians of $times. All of them say the same of yesterday, to the nano-unit."
