#!/bin/sh
# `make fuzz`: every target (or those of FUZZ) by turns for SECONDS_EACH seconds, or RUNS
# executions; then a table. Exit 1 when a promise was broken, with the input and the command that
# shows it again. What was learned stays in $B/corpus for the next time.
#
# PROGRAMS=DIR takes the programs from there and builds nothing.
#
# run.sh keep TARGET FILE...: puts files into the corpus of that target, under their names.
set -u
MODE=${MODE:-fuzz}
B=${B:-build/$MODE}
PROGRAMS=${PROGRAMS:-}
SECONDS_EACH=${SECONDS_EACH:-20}
RUNS=${RUNS:-}
FUZZ=${FUZZ:-}
export LC_ALL=C.UTF-8 TZ=UTC

# A line of tests/fuzz/corpus/TARGET is the name of a seed, a blank, and its bytes as printf '%b' takes them.
keep() {
	for file in "$@"; do
		od -An -v -t u1 "$file" | awk -v name="${file##*/}" '
			{ for (i = 1; i <= NF; i++) byte[n++] = $i }
			END {
				printf "%s ", name
				for (i = 0; i < n; i++)
					printf byte[i] == 92 ? "\\\\" : (byte[i] > 32 && byte[i] < 127) ||
						(byte[i] == 32 && i > 0 && i < n - 1) ? "%c" : "\\0%03o", byte[i]
				print ""
			}'
	done
}
unpack() { # TARGET DIRECTORY
	mkdir -p "$2"
	while read -r seed text; do
		printf '%b' "$text" >"$2/$seed"
	done <"tests/fuzz/corpus/$1"
}
if [ "${1:-}" = keep ]; then
	[ $# -gt 2 ] || { echo "use: run.sh keep TARGET FILE..." >&2 && exit 2; }
	target=$2
	shift 2
	keep "$@" >>"tests/fuzz/corpus/$target"
	exit
fi

skip() {
	echo "fuzz: skipped: $1"
	exit 0
}

build() {
	sh tests/support/packages.sh fuzz || skip "clang and its runtime cannot be installed"
	echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' |
		$CC -fsanitize=fuzzer,address,undefined -x c -o "$B/probe" - 2>"$B/probe.log" ||
		skip "$CC cannot link libFuzzer (packages clang, libclang-rt-dev); its words: $B/probe.log"
	${MAKE:-make} --no-print-directory -s CC="$CC" MODE="$MODE" B="$B" V= fuzz-programs || exit 1
	PROGRAMS=$B/fuzz
}

# The longest input: where it is longer than it needs to be, little is learned in much time.
longest() {
	case $1 in
	money | time) echo 96 ;;
	escape | grant | url) echo 128 ;;
	answer | config | import | mail | paste | tz) echo 1024 ;;
	letter) echo 512 ;;
	*) echo 256 ;;
	esac
}

# The number behind a word in what the program said last: "cov: 812"
said() {
	grep -E -o "(^| )$1: *[0-9]+" "$log" | tail -n 1 | grep -o '[0-9]*$'
}

executions() {
	said 'stat::number_of_executed_units' ||
		sed -n 's/^#\([0-9][0-9]*\)[^0-9].*/\1/p' "$log" | tail -n 1
}

progress() {
	[ -t 2 ] || return 0
	printf '\r\033[K  %-10s %s executions, %s edges' "$1" \
		"$(executions)" "$(said cov)" >&2
}

run_one() {
	name=$1
	log=$B/log/$name.log
	mkdir -p "$B/corpus/$name" "$B/findings" "$B/log"
	set -- "$B/corpus/$name"
	if [ -f "tests/fuzz/corpus/$name" ]; then
		rm -rf "$B/seeds/$name"
		unpack "$name" "$B/seeds/$name"
		set -- "$@" "$B/seeds/$name"
	fi
	[ ! -f "tests/fuzz/dict/$name.dict" ] || set -- "-dict=tests/fuzz/dict/$name.dict" "$@"
	if [ -n "$RUNS" ]; then set -- "-runs=$RUNS" "$@"; else set -- "-max_total_time=$SECONDS_EACH" "$@"; fi
	begun=$(date +%s)
	"$PROGRAMS/$name" -print_final_stats=1 -timeout=10 -rss_limit_mb=3000 \
		-max_len="$(longest "$name")" -artifact_prefix="$B/findings/$name-" "$@" \
		>"$log" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		progress "$name"
		sleep 1
	done
	wait $pid
	status=$?
	[ ! -t 2 ] || printf '\r\033[K' >&2
	row "$name" "$status" $(($(date +%s) - begun))
}

row() {
	count=$(executions)
	seconds=$3
	[ "$seconds" -gt 0 ] || seconds=1
	found=0
	if [ "$2" -ne 0 ]; then
		found=1
		findings=$((findings + 1))
		input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
		printf '  %s: ' "$1"
		grep -m 1 -e 'broken promise' -e 'runtime error' -e 'ERROR: ' "$log" ||
			echo "ended with status $2"
		echo "    log:    $log"
		[ -z "$input" ] || echo "    input:  $input"
		[ -z "$input" ] || echo "    repeat: $PROGRAMS/$1 $input"
	fi
	printf '%-10s %12s %9s %7s %7s %9s\n' "$1" "${count:-0}" \
		$((${count:-0} / seconds)) "$(said cov)" "$(said corp)" $found >>"$table"
}

mkdir -p "$B"
[ -n "$PROGRAMS" ] || build
table=$B/table.txt
findings=0
printf '%-10s %12s %9s %7s %7s %9s\n' target executions exec/s edges corpus findings >"$table"
targets=$FUZZ
[ -n "$targets" ] || targets=$(cd "$PROGRAMS" && ls)
for target in $targets; do
	if [ ! -x "$PROGRAMS/$target" ]; then
		echo "fuzz: there is no target \"$target\"; there are: $(cd "$PROGRAMS" && ls | tr '\n' ' ')" >&2
		exit 2
	fi
done
for target in $targets; do
	run_one "$target"
done
cat "$table"
echo "fuzz: $(($(wc -l <"$table") - 1)) targets, $findings findings"
[ "$findings" -eq 0 ]
