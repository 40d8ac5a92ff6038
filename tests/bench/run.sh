#!/bin/sh
# make bench: how fast `tpucost import` loads a synthetic export, and in how much memory,
# beside tools that people load one with; how long a poll of 200 projects takes when every
# answer takes 80 ms; how long 500 rules over 10,000 resources take; and how long a daily
# report of five million facts of a bill takes, and each query beside the sqlite3 shell. ROWS
# (100000), PAIRS (3) and FACTS (5000000) by variable.
#
# Every run loads the same file into a new database. tpucost and the other tool run by turns,
# and the ratio is the median of those of the pairs, so that a machine that slows down meets
# both. What is not installed is left out, and said.
set -eu
B=${B:-build/release}
ROWS=${ROWS:-100000}
PAIRS=${PAIRS:-3}
FACTS=${FACTS:-5000000}
ROOT=$(pwd)
case $B in /*) ;; *) B=$ROOT/$B ;; esac
work=$B/bench
node=$work/node
data=$work/export-$ROWS
runs=$work/runs
for number in "$ROWS" "$PAIRS" "$FACTS"; do
	case $number in *[!0-9]* | 0*)
		echo "bench: ROWS, PAIRS and FACTS are numbers from 1 on, not \"$number\"" >&2
		exit 1
		;;
	esac
done

if [ "${MODE:-release}" != release ]; then
	echo "bench: MODE=$MODE says nothing about the speed of a release" >&2
	exit 1
fi

sandbox_pid=
finish() {
	[ -z "$sandbox_pid" ] || kill "$sandbox_pid" 2>/dev/null || true
	[ -z "$sandbox_pid" ] || wait "$sandbox_pid" 2>/dev/null || true
	rm -rf "$work/db" "$work/poll" "$work/report"
}
trap finish EXIT
trap 'exit 130' INT TERM
fail() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

progress() {
	[ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2
}

# ---- what is loaded ------------------------------------------------------------------------

make_data() {
	if [ -n "$(find "$work" -name "export-$ROWS.sums" -newer "$work/gen")" ]; then
		return
	fi
	rm -f "$work"/export-*
	for format in ndjson csv sums; do
		"$work/gen" "$ROWS" $format >"$data.$format.new" || fail "the generator failed"
	done
	for format in ndjson csv sums; do
		mv "$data.$format.new" "$data.$format"
	done
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

measure() {
	"$work/measure" "$work/measured" "$@" >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		fail "this failed: $*"
	}
}

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
	measure node "$node/duckdb.mjs" load "$1" "$2"
}
sums_duckdb() {
	node "$node/duckdb.mjs" sums "$1"
}
# The script must lie beside the library for node to find it.
install_duckdb() {
	for program in node npm; do
		command -v $program >/dev/null 2>&1 || {
			echo "$program is not installed"
			return 1
		}
	done
	mkdir -p "$node"
	cp "$ROOT/tests/bench/duckdb.mjs" "$node/"
	if ! cmp -s "$ROOT/tests/bench/package.json" "$node/.installed"; then
		cp "$ROOT/tests/bench/package.json" "$node/"
		(cd "$node" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
			>npm.log 2>&1) || {
			echo "npm cannot install it: see $node/npm.log"
			return 1
		}
		cp "$ROOT/tests/bench/package.json" "$node/.installed"
	fi
	(cd "$node" && node -e 'import("@duckdb/node-api")') >"$node/npm.log" 2>&1 || {
		echo "it does not run here: see $node/npm.log"
		return 1
	}
}

# ---- runs ----------------------------------------------------------------------------------

# one_run WHO PEER FORMAT: a line "PEER FORMAT WHO SECONDS KIB BYTES" in $runs
one_run() {
	rm -rf "$work/db"
	mkdir -p "$work/db"
	cat >"$work/db/tpucost.yaml" <<END
timezone: America/Los_Angeles
projects: [tpu-lab-01]
database: t.db
END
	"load_$1" "$data.$3" "$work/db/t.db"
	got=$("sums_$1" "$work/db/t.db")
	[ "$got" = "$want" ] ||
		fail "$1 loads $3 and has rows, cost and credits of $got nano-units, not $want"
	# with what stands beside it, as a log that was not folded in
	bytes=$(cat "$work"/db/t.db* | wc -c)
	echo "$2 $3 $1 $(cat "$work/measured") $bytes" >>"$runs"
}

# pairs PEER FORMAT
pairs() {
	i=0
	while [ $i -lt "$PAIRS" ]; do
		i=$((i + 1))
		progress "  $1, $2: pair $i of $PAIRS"
		if [ $((i % 2)) -eq 1 ]; then
			one_run tpucost "$1" "$2"
			one_run "$1" "$1" "$2"
		else
			one_run "$1" "$1" "$2"
			one_run tpucost "$1" "$2"
		fi
	done
	progress ""
}

table() {
	awk -v rows="$ROWS" '
	function sorted(list, v, n, i, j, t) {
		n = split(list, v, " ")
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n
	}
	function median(list, v, n) {
		n = sorted(list, v)
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	function line(who, k) {
		printf "  %-22s %9.2f %10.0f %10.0f %10.0f   %s\n", who, median(seconds[k]),
			rows / median(seconds[k]), kib[k] / 1024, bytes[k] / rows, all[k]
	}
	{
		k = $1 " " $2
		if (!(k in seen)) { seen[k] = 1; order[++n] = k }
		own = $3 == "tpucost"
		id = k " " (own ? "own" : "peer")
		seconds[id] = seconds[id] " " $4
		all[id] = all[id] sprintf(" %.2f", $4)
		if ($5 > kib[id]) kib[id] = $5
		bytes[id] = $6
		count[id]++
	}
	END {
		name["sqlite"] = "sqlite3 .import --csv"
		name["duckdb"] = "DuckDB read_json"
		name["python"] = "python3 json, sqlite3"
		for (i = 1; i <= n; i++) {
			k = order[i]
			split(k, part, " ")
			split(seconds[k " own"], a, " ")
			m = split(seconds[k " peer"], b, " ")
			ratios = ""
			for (j = 1; j <= m; j++) ratios = ratios " " b[j] / a[j]
			printf "\n  %-22s %9s %10s %10s %10s   %s\n", toupper(part[2]), "seconds",
				"rows/s", "peak MiB", "bytes/row", "each run, seconds"
			line("tpucost import", k " own")
			line(name[part[1]], k " peer")
			printf "  time of the other / time of tpucost: %.2f (median of %d pairs)\n",
				median(ratios), m
		}
	}' "$runs"
}

imports() {
	make_data
	want=$(nanos <"$data.sums")
	: >"$runs"
	printf 'Import of %s rows: NDJSON of %s bytes, CSV of %s; %s processors\n' "$ROWS" \
		"$(wc -c <"$data.ndjson")" "$(wc -c <"$data.csv")" "$(nproc)"
	pairs sqlite csv
	if why=$(install_duckdb); then
		pairs duckdb ndjson
	else
		echo "  without DuckDB: $why"
	fi
	if command -v python3 >/dev/null 2>&1; then
		pairs python ndjson
	else
		echo "  without Python: python3 is not installed"
	fi
	table
	printf '\n  All of them hold %s rows and the same sums, to the nano-unit.\n' "$ROWS"
	rm -rf "$work/db"
}

# ---- polling -------------------------------------------------------------------------------

fleet=200
delay_ms=80
inflight=32

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

polls() {
	start_fleet
	: >"$runs"
	i=0
	while [ $i -lt "$PAIRS" ]; do
		i=$((i + 1))
		rm -f "$work"/poll/t.db*
		before=$(calls_so_far)
		measure "$B/tpucost" --config "$work/poll/tpucost.yaml" collect
		seen=$("$B/tpucost" --config "$work/poll/tpucost.yaml" ps --all --format json |
			jq length)
		[ "$seen" -eq $fleet ] || fail "the poll saw $seen machines of $fleet"
		echo "$(($(calls_so_far) - before)) $(cat "$work/measured")" >>"$runs"
	done
	printf '\nPolling %d projects, every answer after %d ms, %d calls at a time\n' $fleet \
		$delay_ms $inflight
	awk -v delay=$delay_ms -v inflight=$inflight '{
		bound = $1 * delay / 1000 / inflight
		printf "  %d calls: %.2f s, where waiting alone takes %.2f (%.2f times that), %.0f MiB\n",
			$1, $2, bound, $2 / bound, $3 / 1024
	}' "$runs"
}

# ---- judging -------------------------------------------------------------------------------

judging() {
	printf '\nJudging 500 rules over 10000 resources, %d cycles\n' "$PAIRS"
	"$B/bench/judge" 10000 500 "$PAIRS" | awk '{
		printf "  derived in %d ms, judged in %d ms, %d alerts fire\n", $1, $2, $3
	}'
}

# ---- reports -------------------------------------------------------------------------------

# The whole process: start, open, derive, build, say.
reports() {
	rm -rf "$work/report"
	mkdir -p "$work/report"
	cat >"$work/report/tpucost.yaml" <<END
timezone: UTC
projects: [tpu-lab-1]
database: t.db
grants:
  - {name: trc, starts: $(date -u -d '-20 days' +%Y-%m-%d), days: 30, tpus: [50 on-demand Cloud TPU v3-8 device(s) in zone us-central1-b]}
credits: [{name: trial, amount: 300 USD}]
budgets: [{name: month, amount: 50000 USD, per: month}]
END
	"$work/facts" "$work/report/t.db" "$FACTS" "$(date +%s)" || fail "no facts"
	: >"$runs"
	i=0
	while [ $i -lt 10 ]; do
		i=$((i + 1))
		measure "$B/tpucost" --config "$work/report/tpucost.yaml" report daily
		grep -q '^Yesterday\|Yesterday cost' "$work/out" ||
			fail "the report does not tell what yesterday cost"
		cat "$work/measured" >>"$runs"
	done
	printf '\nDaily report of %s facts of a bill, 10 times, the whole process\n' "$FACTS"
	sort -n "$runs" | awk '{ s[NR] = $1; if ($2 > kib) kib = $2 }
		END { printf "  %d ms (median; %d to %d), %.0f MiB\n", s[int((NR + 1) / 2)] * 1000,
			s[1] * 1000, s[NR] * 1000, kib / 1024 }'
}

# ---- queries -------------------------------------------------------------------------------

# asks SQL ARG...: the command as a whole process, beside the sqlite3 shell with that SQL over the
# same facts, by turns.
asks() {
	sql=$1
	shift
	# shellcheck disable=SC2046 # seven numbers
	set -- "$*" $("$work/pairs" 9 "$B/tpucost" --config "$work/report/tpucost.yaml" -q "$@" \
		--- sqlite3 -readonly "$work/report/t.db" "$sql") || fail "no times of $*"
	printf '  %-32s %8s %8s %8s %6s %8s %8s %8s\n' "$@"
}

queries() {
	days="SELECT day, sum(cost), sum(credits) FROM project_day
		WHERE day >= unixepoch() / 86400 - 30 GROUP BY day"
	things="SELECT * FROM resource"
	printf '\nQueries over the same facts, whole processes, medians of 9 pairs, milliseconds\n'
	printf '  %-32s %8s %8s %8s %6s %8s %8s %8s\n' command tpucost sqlite3 more ratio \
		"cpu" "its cpu" noise
	asks "SELECT 1" version
	asks "SELECT 1" sql "SELECT 1"
	asks "$things" ps
	asks "$things" burn
	asks "SELECT * FROM resource WHERE kind = 'tpu'" coverage
	asks "SELECT * FROM source_status" sources
	asks "SELECT * FROM quota" quota
	asks "SELECT * FROM alert" alerts
	asks "$days" cost --since 30d
	asks "$days" cost --by project,category --since 30d
	asks "SELECT resource_ref, sum(cost) FROM cost_day WHERE day >= unixepoch() / 86400 - 30
		GROUP BY 1" cost --by resource --since 30d
	asks "SELECT day, sum(cost), sum(credits) FROM project_day GROUP BY day" cost
	asks "$days" budget
	asks "SELECT sum(promo) FROM project_day" credit
	asks "$days" reconcile
	asks "$things" why burn
	asks "$days" status
	asks "$days" report daily
	asks "$days" report weekly
	asks "$days" report month
	asks "$things" report grant
}

imports
polls
judging
reports
queries
