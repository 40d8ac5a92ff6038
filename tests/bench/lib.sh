# What the parts of `make bench` share: each is a script of its own that reads this first and
# leaves its tables, as Markdown, in $tables. Run from the root of the project.
set -eu
B=${B:-build/release}
ROOT=$(pwd)
case $B in /*) ;; *) B=$ROOT/$B ;; esac
export B ROOT
ROWS=${ROWS:-100000}
PAIRS=${PAIRS:-3}
FACTS=${FACTS:-5000000}
work=$B/bench
tables=$work/tables
runs=$work/runs
mkdir -p "$tables"

fail() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

for number in "$ROWS" "$PAIRS" "$FACTS"; do
	case $number in
	*[!0-9]* | 0* | "") fail "ROWS, PAIRS and FACTS are numbers from 1 on, not \"$number\"" ;;
	esac
done
[ "${MODE:-release}" = release ] || fail "MODE=$MODE says nothing about the speed of a release"

progress() {
	[ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2
}

# measure COMMAND...: its output in $work/out, "SECONDS CPU-SECONDS KIB" in $work/measured
measure() {
	"$work/measure" "$work/measured" "$@" >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		fail "this failed: $*"
	}
}

# turn N FIRST SECOND: both, the one that goes first by turns
turn() {
	if [ $(($1 % 2)) -eq 1 ]; then
		"$2"
		"$3"
	else
		"$3"
		"$2"
	fi
}

# table NAME: lines of fields that tabs divide, the first one the heading, as a Markdown table on
# standard output and at the end of $tables/NAME.md. All columns but the first are numbers.
table() {
	awk -F '\t' '
	{
		for (i = 1; i <= NF; i++) {
			cell[NR, i] = $i
			if (length($i) > width[i]) width[i] = length($i)
		}
		if (NF > columns) columns = NF
	}
	function pad(text, i, fill, n) {
		for (n = width[i] - length(text); n > 0; n--) text = i == 1 ? text fill : fill text
		return text
	}
	function line(r, i, out) {
		for (i = 1; i <= columns; i++) out = out "| " pad(cell[r, i], i, " ") " "
		print out "|"
	}
	END {
		line(1)
		for (i = 1; i <= columns; i++)
			rule = rule "|" (i == 1 ? ":" : "-") pad("", i, "-") (i == 1 ? "-" : ":")
		print rule "|"
		for (r = 2; r <= NR; r++) line(r)
	}' >"$work/table"
	[ "$(wc -l <"$work/table")" -gt 2 ] || fail "nothing was measured for the table $1"
	tee -a "$tables/$1.md" <"$work/table"
}

# say NAME TEXT...: a line above or below a table, there and on standard output
say() {
	name=$1
	shift
	printf '%s\n' "$*" | tee -a "$tables/$name.md"
}

# begin NAME TITLE: a part begins, with no tables yet
begin() {
	: >"$tables/$1.md"
	printf '\n%s\n\n' "$2"
}

# What awk programs below begin with: median(LIST) of numbers that blanks divide, and
# ratios(A, B): the median of a/b, pair by pair.
medians='
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
function ratios(a, b, v, w, n, i, out) {
	n = split(a, v, " ")
	split(b, w, " ")
	for (i = 1; i <= n; i++) out = out " " v[i] / w[i]
	return median(out)
}'

# npm_install DIR PACKAGE_JSON SCRIPT...: libraries of npm, once; the scripts must lie beside them
# for node to find them. What is in the way is told on standard output.
npm_install() {
	dir=$1
	list=$2
	shift 2
	for program in node npm; do
		command -v $program >/dev/null 2>&1 || {
			echo "$program is not installed"
			return 1
		}
	done
	mkdir -p "$dir"
	cp "$@" "$dir/"
	cmp -s "$list" "$dir/.installed" && return 0
	cp "$list" "$dir/package.json"
	(cd "$dir" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts \
		>npm.log 2>&1) || {
		echo "npm cannot install it: see $dir/npm.log"
		return 1
	}
	cp "$list" "$dir/.installed"
}

# duckdb_ready: its library is there and runs; $duckdb is the script
duckdb=$work/node/duckdb.mjs
duckdb_ready() {
	npm_install "$work/node" "$ROOT/tests/bench/package.json" "$ROOT/tests/bench/duckdb.mjs" ||
		return 1
	(cd "$work/node" && node -e 'import("@duckdb/node-api")') >"$work/node/npm.log" 2>&1 || {
		echo "it does not run here: see $work/node/npm.log"
		return 1
	}
}
