#!/bin/sh
# make bench-count: user-space instructions of each query, counted by callgrind, compared with those of
# tests/bench/counts.tsv: a query that takes a tenth more is a failure. The facts and the clock are fixed, so
# that nothing but the code changes a count. Counts of another compiler or other libraries are told, and fail nothing.
# KEEP=1 writes the table; COUNTS names another one, COUNT_FACTS another number of facts.
. "$(dirname "$0")/lib.sh"
counts=${COUNTS:-$ROOT/tests/bench/counts.tsv}
world=$work/count
now=1794996000 # 2026-11-18 10:00 UTC, as in tests/cli
facts=${COUNT_FACTS:-1000000}

# made_by: what the counts depend on
made_by() {
	printf '%s, %s, SQLite %s, %s\n' "$(${CC:-cc} --version | sed -n '1s/^[^ ]* //p')" "$(uname -m)" \
		"$(sqlite3 --version | cut -d ' ' -f 1)" "$(ldd --version | sed -n '1s/^[^ ]* //p')"
}

make_facts() {
	if [ -f "$world/t.db" ] && [ "$world/t.db" -nt "$work/facts" ]; then
		return
	fi
	rm -rf "$world"
	mkdir -p "$world"
	ln -s "$B/machine.so" "$world/machine.so" # LD_PRELOAD takes no path with a blank
	ln -s "=$now" "$world/clock"
	cat >"$world/tpucost.yaml" <<-'YAML'
		timezone: UTC
		projects: [tpu-lab-1]
		database: t.db
		grants:
		  - {name: trc, starts: 2026-10-29, days: 30, tpus: [50 on-demand Cloud TPU v3-8 device(s) in zone us-central1-b]}
		credits: [{name: trial, amount: 300 USD}]
		budgets:
		  - {name: month, amount: 50000 USD, per: month}
		  - {name: small, amount: 50 USD, per: month}
		  - {name: week, amount: 50000 USD, per: week}
		  - {name: day, amount: 1 USD, per: day}
		  - {name: cpu-month, amount: 50000 USD, per: month, where: "category = 'cpu'"}
		  - {name: cpu-small, amount: 500 USD, per: month, where: "category = 'cpu'"}
		  - {name: lab, amount: 50000 USD, per: month, where: "project = 'tpu-lab-1'"}
		  - {name: tpus, amount: 50000 USD, per: month, where: "service = 'Cloud TPU'"}
		  - {name: zone, amount: 50000 USD, per: month, where: "zone = 'us-central1-b'"}
		  - {name: large, amount: 50000 USD, per: month, where: "cost > 1"}
	YAML
	progress "  making $facts facts"
	"$work/facts" "$world/new.db" $facts $now || fail "no facts"
	mv "$world/new.db" "$world/t.db"
	progress ""
}

# count COMMAND: its instructions, or nothing
count() {
	# shellcheck disable=SC2086
	LD_PRELOAD=$world/machine.so TEST_CLOCK=$world/clock TZ=UTC COLUMNS=100 valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null "$B/tpucost" --config "$world/tpucost.yaml" -q $1 2>"$world/log.$$" \
		>/dev/null && sed -n 's/^==[0-9]*== Collected : //p' "$world/log.$$"
	rm -f "$world/log.$$"
}

case ${1:-} in
one) # COMMAND: a line of the table
	printf '%s\t%s\n' "$2" "$(count "$2")"
	exit
	;;
esac

command -v valgrind >/dev/null 2>&1 || fail "valgrind is not installed; run: apt-get install valgrind"
[ -s "$counts" ] || fail "there is no $counts"
make_facts
by=$(made_by)
progress "  counting"
grep -v '^#' "$counts" | cut -f 1 | tr '\n' '\0' |
	xargs -0 -n 1 -P "$(nproc)" sh "$0" one >"$world/unsorted"
progress ""
grep -v '^#' "$counts" | awk -F '\t' '
	NR == FNR { now[$1] = $2; next }
	!now[$1] { printf "bench: no count of %s\n", $1 >"/dev/stderr"; exit 1 }
	{ print $1 "\t" now[$1] }' "$world/unsorted" - >"$world/counted" || exit 1
if [ -n "${KEEP:-}" ]; then
	{
		echo "# Instructions of each query over $facts facts: make bench-count; KEEP=1 writes this file."
		echo "# made by $by"
		cat "$world/counted"
	} >"$counts.new"
	mv "$counts.new" "$counts"
	echo "  kept in $counts"
fi
awk -F '\t' -v limit=10 -v by="$by" '
	/^# made by / { other = substr($0, 11) != by ? substr($0, 11) : "" }
	/^#/ { next }
	NR == FNR { before[$1] = $2; next }
	FNR == 1 { printf "  %-42s %14s %14s %8s\n", "query", "counted", "table", "change" }
	{
		more = ($2 - before[$1]) * 100 / before[$1]
		grown = more > limit
		n += grown
		printf "  %-42s %14d %14d %+7.1f%%%s\n", $1, $2, before[$1], more, grown ? "  grown" : ""
	}
	END {
		if (other)
			printf "  not comparable, the table was made by: %s; here it is: %s\n", other, by
		else if (n)
			printf "  %d queries take over %d %% more; if that is right: make bench-count KEEP=1\n",
				n, limit
		exit n && !other
	}' "$counts" "$world/counted"
