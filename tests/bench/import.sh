#!/bin/sh
# make bench, import: how fast `tpucost import` loads a synthetic export, and in how much memory,
# beside tools that people load one with. Every run loads the same file into a new database;
# tpucost and the other tool run by turns, and a ratio is the median of those of the pairs, so
# that a machine that slows down meets both.
. "$(dirname "$0")/lib.sh"
data=$work/export-$ROWS
trap 'rm -rf "$work/db"' EXIT
trap 'exit 130' INT TERM

# ---- what is loaded ------------------------------------------------------------------------

make_data() {
	if [ -n "$(find "$work" -name "export-$ROWS.sums" -newer "$work/gen")" ]; then
		return
	fi
	rm -f "$work"/export-*
	progress "  making $ROWS rows"
	for format in ndjson csv sums; do
		"$work/gen" "$ROWS" $format >"$data.$format.new" || fail "the generator failed"
	done
	for format in ndjson csv sums; do
		mv "$data.$format.new" "$data.$format"
	done
	progress ""
}

# Lines "rows N", "cost DECIMAL" and "credits DECIMAL" as "ROWS COST CREDITS" in nano-units;
# as text, because awk and jq count in floats.
nanos() {
	awk '$1 == "rows" { out = $2; next }
		{ sign = sub(/^-/, "", $2) ? "-" : ""; n = split($2, p, ".")
		digits = p[1] (n > 1 ? p[2] : "")
		for (i = n > 1 ? length(p[2]) : 0; i < 9; i++) digits = digits "0"
		sub(/^0+/, "", digits)
		out = out " " (digits == "" ? 0 : sign digits) }
		END { print out }'
}

# ---- who loads it --------------------------------------------------------------------------
# load_X FILE DATABASE runs under measure; sums_X DATABASE gives "ROWS COST CREDITS" of what
# is in there, in nano-units.

load_tpucost() {
	measure "$B/tpucost" --config "$work/db/tpucost.yaml" import "$1"
}
sums_tpucost() {
	{
		# a row of the database stands for many of the export: the import counts those
		sed -n 's/.*: \([0-9]*\) rows.*/rows \1/p' "$work/out"
		"$B/tpucost" --config "$work/db/tpucost.yaml" cost --since 2024-12-01 \
			--by currency --format json | tr -d '[{} ' | tr ':,' ' \n' | tr -d '"' |
			grep -E '^(cost|credits) '
	} | nanos
}

load_sqlite() {
	measure sqlite3 "$2" ".import --csv $1 export"
}
sums_sqlite() {
	sqlite3 -separator ' ' "$1" "SELECT (SELECT count(*) FROM export),
		(SELECT sum(CAST(round(cost * 1e9) AS INTEGER)) FROM export),
		(SELECT coalesce(sum(CAST(round(json_extract(value, '\$.amount') * 1e9) AS INTEGER)), 0)
			FROM export, json_each(credits))"
}

load_python() {
	measure python3 -B "$ROOT/tests/bench/python_sqlite.py" "$1" "$2"
}
sums_python() {
	sqlite3 -separator ' ' "$1" \
		"SELECT count(*), sum(CAST(round(cost * 1e9) AS INTEGER)), sum(credits) FROM usage"
}

load_duckdb() {
	measure node "$duckdb" load "$1" "$2"
}
sums_duckdb() {
	node "$duckdb" sums "$1"
}

# ---- runs ----------------------------------------------------------------------------------

# one_run WHO: a line "PEER FORMAT WHO SECONDS CPU KIB BYTES" in $runs
one_run() {
	rm -rf "$work/db"
	mkdir -p "$work/db"
	cat >"$work/db/tpucost.yaml" <<END
timezone: America/Los_Angeles
projects: [tpu-lab-01]
database: t.db
END
	"load_$1" "$data.$format" "$work/db/t.db"
	got=$("sums_$1" "$work/db/t.db")
	[ "$got" = "$want" ] ||
		fail "$1 loads $format and has rows, cost and credits of $got nano-units, not $want"
	# with what stands beside it, as a log that was not folded in
	bytes=$(cat "$work"/db/t.db* | wc -c)
	echo "$peer $format $1 $(cat "$work/measured") $bytes" >>"$runs"
}
own_run() {
	one_run tpucost
}
peer_run() {
	one_run "$peer"
}

# pairs PEER FORMAT
pairs() {
	peer=$1
	format=$2
	i=0
	while [ $i -lt "$PAIRS" ]; do
		i=$((i + 1))
		progress "  $peer, $format: pair $i of $PAIRS"
		turn $i own_run peer_run
	done
	progress ""
}

rows_of_table() {
	awk -v rows="$ROWS" "$medians"'
	function line(who, input, k, beside) {
		printf "%s\t%s\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%s\t%s\n", who, input,
			median(seconds[k]), median(cpu[k]), rows / median(seconds[k]),
			kib[k] / 1024, bytes[k] / rows,
			beside ? sprintf("%.2f", ratios(seconds[beside], seconds[k])) : "",
			beside ? sprintf("%.2f", ratios(cpu[beside], cpu[k])) : ""
	}
	{
		k = $1 " " $2
		if (!(k in seen)) { seen[k] = 1; order[++n] = k }
		id = k " " ($3 == "tpucost" ? "own" : "peer")
		seconds[id] = seconds[id] " " $4
		cpu[id] = cpu[id] " " $5
		if ($6 > kib[id]) kib[id] = $6
		bytes[id] = $7
	}
	END {
		name["sqlite"] = "sqlite3 .import --csv"
		name["duckdb"] = "DuckDB read_json, typed"
		name["python"] = "Python json and sqlite3"
		print "program\tinput\tseconds\tCPU s\trows/s\tpeak MiB\tbytes/row\t" \
			"time, tpucost / it\tCPU, tpucost / it"
		for (i = 1; i <= n; i++) {
			k = order[i]
			split(k, part, " ")
			line("tpucost import", toupper(part[2]), k " own", "")
			line(name[part[1]], toupper(part[2]), k " peer", k " own")
		}
	}' "$runs"
}

make_data
want=$(nanos <"$data.sums")
: >"$runs"
begin import "Import of $ROWS rows"
pairs sqlite csv
if why=$(duckdb_ready); then
	pairs duckdb ndjson
else
	echo "  without DuckDB: $why"
fi
if command -v python3 >/dev/null 2>&1; then
	pairs python ndjson
else
	echo "  without Python: python3 is not installed"
fi
rows_of_table | table import
say import
say import "$ROWS rows, $(wc -c <"$data.ndjson") bytes as NDJSON, $(wc -c <"$data.csv") as CSV; medians of" \
	"$PAIRS pairs. All of them hold the same rows and the same sums, to the nano-unit."
