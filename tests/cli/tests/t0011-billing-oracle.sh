# The oracle of bills against rows whose sums were worked out by hand (tests/oracle/data: the same rows
# as NDJSON and as CSV).
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts

oracle() {
	run python3 -B "$ROOT/tests/oracle/billing_oracle.py" "$@"
}

# sums NAME WANT ARGS...: lines of key, currency, rows, cost, credits and net
sums() {
	name=$1 want=$2
	shift 2
	for file in export.ndjson export.csv again.gz; do
		oracle "$@" "$file"
		is "$name: $file" "$(printf '%s' "$out" |
			jq -r '.[] | map(. // "-") | join(" ")')" "$want"
	done
}

right_sums() {
	cp "$ROOT"/tests/oracle/data/export.* . || exit 1
	# two gzip members in a row, as `gcloud storage compose` leaves them
	{ head -n 4 export.ndjson | gzip; tail -n +5 export.ndjson | gzip; } >again.gz
	sums "currency" "HKD 1 0.1 0 0.1
USD 9 7.079356004 -4.945052802 2.134303202" --by currency
	sums "half goes to even, row by row" "2025-01-01 USD 3 6.069356 -4.9450528 1.1243032
2025-01-02 HKD 1 0.1 0 0.1
2025-01-02 USD 2 0.000000004 -0.000000002 0.000000002
2025-03-09 USD 1 10 0 10
2025-03-10 USD 3 -8.99 0 -8.99" --by day
	sums "the day that clocks go forward" "2024-12-31 USD 1 3.034656 -1.9103968 1.1242592
2025-01-01 HKD 1 0.1 0 0.1
2025-01-01 USD 4 3.034700004 -3.034656002 0.000044002
2025-03-09 USD 3 11.01 0 11.01
2025-03-10 USD 1 -10 0 -10" --by day --zone America/Los_Angeles
	sums "project" "- USD 2 1.01 0 1.01
lab-one USD 2 6.069312 -4.9450528 1.1242592
lab-two HKD 1 0.1 0 0.1
lab-two USD 5 0.000044004 -0.000000002 0.000044002" --by project
	sums "sku" "2E27-4F75-95CD USD 2 6.069312 -4.9450528 1.1242592
D973-5D65-BAB2 HKD 1 0.1 0 0.1
D973-5D65-BAB2 USD 5 0.000044004 -0.000000002 0.000044002
Tax USD 2 1.01 0 1.01" --by sku
	sums "invoice month" "202412 USD 1 3.034656 -1.9103968 1.1242592
202501 HKD 1 0.1 0 0.1
202501 USD 4 3.034700004 -3.034656002 0.000044002
202503 USD 3 11.01 0 11.01
202504 USD 1 -10 0 -10" --by invoice_month
	sums "credit type" "- HKD 1 0.1 0 0.1
- USD 9 7.079356004 0 7.079356004
DISCOUNT USD 1 0 0 0
PROMOTION USD 2 0 -4.034656 -4.034656
SUSTAINED_USAGE_DISCOUNT USD 1 0 -0.9103968 -0.9103968
UNKNOWN USD 1 0 -0.000000002 -0.000000002" --by credit_type
	oracle --by currency export.ndjson export.csv again.gz
	is "three files" "$(printf '%s' "$out" | jq -r '.[1].cost')" 21.238068012
}

# refused NAME WHY TEXT: such a file is not summed
refused() {
	printf '%s' "$3" >bad
	oracle --by day bad
	is "$1: refused" "$rc $out" "1 "
	has "$1: says why" "$err" "$2"
}

wrong_rows() {
	at='"usage_start_time":"2025-01-01 00:00:00 UTC"'
	columns=usage_start_time,cost,currency
	refused "not a number" "NaN is no amount" "{$at,\"currency\":\"USD\",\"cost\":NaN}"
	refused "not a decimal" "bad:1: cost: want a decimal" \
		"{$at,\"currency\":\"USD\",\"cost\":\"1,5\"}"
	refused "a flag" "want a decimal" "{$at,\"currency\":\"USD\",\"cost\":true}"
	refused "no currency" "bad:2: no currency" "{$at,\"currency\":\"USD\"}
{$at,\"cost\":1}"
	refused "a name twice" "twice" "{$at,\"currency\":\"USD\",\"cost\":1,\"cost\":2}"
	refused "half a row" "JSON" "{$at,\"curr"
	refused "no such day" "usage_start_time" \
		'{"usage_start_time":"2025-02-29 00:00:00 UTC","currency":"USD","cost":1}'
	refused "no start" "want an instant" '{"currency":"USD","cost":1}'
	refused "a credit that is none" "want records" \
		"{$at,\"currency\":\"USD\",\"credits\":[5]}"
	refused "an infinite credit" "Infinity" \
		"{$at,\"currency\":\"USD\",\"credits\":[{\"amount\":-Infinity}]}"
	refused "a field too few" "2 fields" "$columns
2025-01-01 00:00:00 UTC,1"
	refused "no column of costs" "no column cost" "usage_start_time,currency
x,y"
	refused "text behind a quote" "expected after" "$columns
\"2025-01-01\"x,1,USD"
	head -c 200 again.gz >cut.gz
	oracle --by day cut.gz
	is "half a gzip file: refused" "$rc $out" "1 "
	oracle --by day --zone Mars/Olympus export.csv
	has "no such zone" "$rc $err" "1 unknown time zone"
}

right_sums
wrong_rows
