#!/bin/sh
# The generated export is what a benchmark may rest on: the same on every run, in Google's
# shape, and NDJSON and CSV come to the sums that the generator tells. The last line is
# "N passed, N failed".
set -u
ROOT=$(pwd)
B=${B:-build/release}
case $B in /*) ;; *) B=$ROOT/$B ;; esac
export ROOT B
gen=$B/bench/gen

shape() {
	run true
	"$gen" 2400 ndjson >rows.ndjson
	"$gen" 2400 csv >rows.csv
	"$gen" 4800 ndjson | head -n 2400 | cmp -s - rows.ndjson
	is "more rows begin with the same" $? 0
	is "rows" "$(jq -s length rows.ndjson) $(sqlite3 :memory: '.import --csv rows.csv t' \
		'SELECT count(*) FROM t')" "2400 2400"
	bytes=$(wc -c <rows.ndjson)
	is "bytes of a row" "$((bytes / 2400 / 500))" 2
	is "SKUs, projects, resources, hours" "$(jq -s -c '[(map(.sku.id) | unique | length),
		(map(.project.id) | unique | length), (map(.resource.name) | unique | length),
		(map(.usage_start_time) | unique | length)]' rows.ndjson)" "[14,12,420,5]"
	is "in the order of time" "$(jq -s -c 'map(.usage_start_time) | . == sort' rows.ndjson)" true
	is "every fifth row has credits" \
		"$(jq -s 'map(select(.credits != [])) | length / 48 | round' rows.ndjson)" 10
	is "types of the columns" "$(jq -c '[(.cost, .currency_conversion_rate, .usage.amount,
		.usage.amount_in_pricing_units, .price.effective_price, .project.number,
		.invoice.month, .usage_end_time) | type]' rows.ndjson | sort -u)" \
		'["number","number","number","number","string","string","string","string"]'
	is "no NULLs" "$(jq -c '[.. | select(. == null)]' rows.ndjson | sort -u)" "[]"
	is "first and last hour" "$(jq -r .usage_start_time rows.ndjson | sed -n '1p;$p')" \
		"2025-01-01 00:00:00 UTC
2025-01-01 04:00:00 UTC"
	is "invoice months are Pacific" "$("$gen" 4320 ndjson |
		jq -s -c 'map("\(.usage_start_time[8:13]) \(.invoice.month)") | unique')" \
		'["01 00 202412","01 01 202412","01 02 202412","01 03 202412","01 04 202412","01 05 202412","01 06 202412","01 07 202412","01 08 202501"]'
	is "CSV has every column of NDJSON" "$(head -n 1 rows.csv | tr , '\n' | sort)" \
		"$({ echo seller_name; jq -r 'def columns: to_entries[] | .key as $k | .value |
			if type == "object" then columns | "\($k).\(.)" else $k end;
			columns' rows.ndjson; } | sort -u)"
	is "lists in CSV are JSON" "$(sqlite3 :memory: '.import --csv rows.csv t' \
		'SELECT sum(json_valid(labels) AND json_valid(credits) AND json_valid(tags)
		AND json_valid("project.ancestors") AND json_valid(system_labels)) FROM t')" 2400
}

sums() {
	run "$gen" 2400 sums
	want=$(printf '%s' "$out" | sed 's/[a-z]* //' | xargs)
	if ! command -v python3 >/dev/null 2>&1; then
		return
	fi
	for file in rows.ndjson rows.csv; do
		run python3 -B "$ROOT/tests/oracle/billing_oracle.py" --by currency "$file"
		is "sums of $file" "$(printf '%s' "$out" |
			jq -r '.[] | "\(.rows) \(.cost) \(.credits)"')" "$want"
	done
}

wrong_use() {
	for words in "" "5" "x ndjson" "-1 csv" "5 xml" "5 csv more" "100000001 csv"; do
		# shellcheck disable=SC2086
		run "$gen" $words
		is "gen $words: refused" "$rc $out" "1 "
	done
	run "$gen" 0 ndjson
	is "no rows" "$rc $out" "0 "
	"$gen" 1000 csv >/dev/full 2>stderr
	is "a full disk is told" "$? $(cat stderr)" "1 gen: cannot write"
}

measured() {
	run "$B/bench/measure" m sh -c 'sleep 0.2; exit 3'
	status "measure ends as the command does" 3
	is "measure: seconds" "$(cut -c 1-3 m)" "0.2"
	run "$B/bench/measure" m sh -c 'kill -9 $$'
	status "measure: a signal" 137
	run "$B/bench/measure" m /no/such/program
	status "measure: no such program" 127
	"$B/bench/measure" m python3 -c 'x = b"x" * (64 << 20)' 2>stderr &&
		is "measure: KiB" "$(awk '{ print ($3 > 64 * 1024 && $3 < 128 * 1024) }' m)" 1
	run "$B/bench/measure" m sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	is "measure: seconds, of a processor, KiB" \
		"$(awk '{ print NF, ($2 > 0 && $2 <= $1 + 0.1) }' m)" "3 1"
	run "$B/bench/measure" m
	status "measure without a command" 126
}

judged() {
	run "$B/bench/judge" 100 50 2
	status "judge runs" 0
	is "a line a round" "$(printf '%s\n' "$out" | wc -l)" 2
	is "some rules fire" "$(printf '%s\n' "$out" | awk 'NR == 2 { print ($3 > 0) }')" 1
	mkdir judging
	run "$B/bench/judge" 100 50 1 judging
	is "judge leaves its database and a line a rule" "$rc $(wc -l <judging/conditions) $(sqlite3 \
		judging/t.db 'SELECT count(*) FROM resource')" "0 50 100"
	if command -v python3 >/dev/null 2>&1; then
		fires=${out##* }
		run sh -c "python3 -B '$ROOT/tests/bench/judge.py' judging <judging/views"
		is "the same conditions in Python match as many" "${out##* }" "$fires"
	fi
	run "$B/bench/judge" 100 0 2
	status "judge: no rules is wrong use" 1
}

pairs() {
	run "$B/bench/pairs" 3 true --- true
	status "pairs runs" 0
	is "pairs: seven numbers" "$(printf '%s' "$out" | wc -w | tr -d ' ')" 7
	run "$B/bench/pairs" 3 true --- false
	status "pairs: what fails has no time" 1
	run "$B/bench/pairs" 3 true
	status "pairs: two commands" 126
}

facts() {
	run "$B/bench/facts" t.db 52000 "$(date +%s)"
	status "facts runs" 0
	is "facts: rows, hours, projects" "$(sqlite3 t.db "SELECT count(*) || ' ' ||
		count(DISTINCT hour) || ' ' || count(DISTINCT project_ref) FROM usage")" "52000 100 12"
	printf 'timezone: UTC\nprojects: [tpu-lab-1]\ndatabase: t.db\n' >tpucost.yaml
	run "$B/tpucost" --config tpucost.yaml report --format json
	status "facts: a report of them" 0
	is "facts: yesterday is what they are" "$(printf '%s' "$out" | jq '.yesterday[0].net')" \
		"$(sqlite3 t.db "SELECT sum(cost) / 1e9 FROM usage WHERE hour / 86400 = \
			CAST(strftime('%s', 'now') AS INTEGER) / 86400 - 1")"
	is "facts: a report needs no rollup of its own" \
		"$(sqlite3 t.db 'SELECT count(*) FROM project_day' | awk '{ print ($1 > 300) }')" 1
	run "$B/bench/facts" t.db 0 1
	status "facts: no rows is wrong use" 1
}

# The parts of make bench, and the page that they fill.
parts() {
	mkdir -p b/bench/tables b/docs
	ln -s "$ROOT/tests" b/tests
	cp "$B/tpucost" b/
	printf 'Before\n<!-- bench: poll -->\nold poll\n<!-- end -->\nBetween\n<!-- bench: judge -->\nold judge\n<!-- end -->\nAfter\n' \
		>b/docs/performance.md
	printf 'new poll\nin two lines\n' >b/bench/tables/poll.md
	(cd b && B=$PWD sh tests/bench/page.sh >/dev/null)
	is "page: what was run is new, the rest stays" "$(cat b/bench/performance.md)" "Before
<!-- bench: poll -->

new poll
in two lines

<!-- end -->
Between
<!-- bench: judge -->
old judge
<!-- end -->
After"
	(cd b && printf 'a\tb\nlong one\t10\nx\t9.25\n' >t.tsv &&
		B=$PWD sh -c '. tests/bench/lib.sh; table t <t.tsv >/dev/null') 2>stderr
	is "a table of fields" "$(cat b/bench/tables/t.md)" "| a        |    b |
|:---------|-----:|
| long one |   10 |
| x        | 9.25 |"
	run sh -c "cd b && B=\$PWD && . tests/bench/lib.sh && echo heading | table t"
	is "a table of nothing is a failure" "$rc $err" "1 bench: nothing was measured for the table t"
	printf 'ps\t1\t1\t1\t1\t9.99\t1\t1\nversion\t1\t1\t1\t1\t1.5\t1\t1\n' >limits
	is "queries within their limits are not told" \
		"$(awk -v ms=10 -v ratio=1.5 -f "$ROOT/tests/bench/limits.awk" limits && echo fine)" fine
	printf 'cost\t1\t1\t1\t1\t10.01\t1\t1\nversion\t1\t1\t1\t1\t1.6\t1\t1\n' >>limits
	is "those beyond are" "$(awk -v ms=10 -v ratio=1.5 -f "$ROOT/tests/bench/limits.awk" limits || echo failed)" \
		"  over its limit: cost takes 10.01 ms of a processor, of 10.00
  over its limit: version takes 1.60 times what sqlite3 takes, of 1.50
failed"
	is "every part has its place in the page" "$(for part in import slope poll judge report query; do
		grep -c "^<!-- bench: $part -->\$" "$ROOT/docs/performance.md"; done | xargs)" "1 1 1 1 1 1"
	for words in "ROWS=0" "PAIRS=x" "PARTS=none" "MODE=asan"; do
		run env B="$PWD/b" "$words" sh -c "cd '$ROOT' && sh tests/bench/run.sh"
		is "bench $words: refused" "$rc $out" "1 "
	done
}

# A table that is right, one that allows less, and one of another compiler.
counted() {
	if ! command -v valgrind >/dev/null 2>&1; then
		return
	fi
	mkdir counting
	count() { run env B="$PWD/counting" COUNT_FACTS=2000 COUNTS="$PWD/counts" "$@" sh -c \
		"cd '$ROOT' && sh tests/bench/count.sh"; }
	for program in tpucost machine.so; do
		ln -s "$B/$program" counting/
	done
	mkdir counting/bench
	ln -s "$B/bench/facts" counting/bench/
	printf '# of nobody\nversion\t1\nsql SELECT+1\t1\n' >counts
	count KEEP=1
	is "counts are kept" "$rc $(grep -c '^# made by .*SQLite' counts) $(awk -F '\t' '!/^#/ && $2 > 100000 { print $1 }' counts |
		xargs)" "0 1 version sql SELECT+1"
	count
	is "the same again" "$rc $(printf '%s\n' "$out" | grep -c grown)" "0 0"
	awk -F '\t' -v OFS='\t' '/^version/ { $2 = int($2 / 1.2) } { print }' counts >less && mv less counts
	count
	is "a query that takes a fifth more is a failure" "$rc $(printf '%s\n' "$out" |
		sed -n 's/  *[0-9].*grown$//p')" "1   version"
	sed -i 's/^# made by/# made by another compiler,/' counts
	count
	is "but not with another compiler" "$rc $(printf '%s\n' "$out" | grep -c 'not comparable')" "0 1"
	printf 'version\t1\nsql SELECT+no\t1\n' >counts
	count
	is "a query that fails has no count" "$rc $err" "1 bench: no count of sql SELECT+no"
}

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
(
	. "$ROOT/tests/cli/lib.sh"
	shape
	sums
	wrong_use
	measured
	judged
	pairs
	facts
	parts
	counted
) >"$log" 2>&1 </dev/null || echo "not ok the checks did not run to their end" >>"$log"
grep -v '^ok ' "$log"
passed=$(grep -c '^ok ' "$log")
failed=$(grep -c '^not ok ' "$log")
echo "bench: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
