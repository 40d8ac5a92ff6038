#!/bin/sh
# make bench SLOPE=1, slope: does import take memory or time for each row that grows with the number
# of rows? 100,000, a million and five million of them (SLOPE_ROWS), once each, in processor time.
# The files take 1.3 KiB a row while they are read.
. "$(dirname "$0")/lib.sh"
SLOPE_ROWS=${SLOPE_ROWS:-100000 1000000 5000000}
dir=$work/slope
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

begin slope "Import of more and more rows"
: >"$runs"
for rows in $SLOPE_ROWS; do
	rm -rf "$dir"
	mkdir -p "$dir"
	printf 'timezone: America/Los_Angeles\nprojects: [tpu-lab-01]\ndatabase: t.db\n' \
		>"$dir/tpucost.yaml"
	if [ "$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')" -lt $((rows * 3 / 2)) ]; then
		echo "  without $rows rows: too little room on the disk"
		continue
	fi
	progress "  making $rows rows"
	"$work/gen" "$rows" ndjson >"$dir/export.ndjson" || fail "the generator failed"
	progress "  importing $rows rows"
	measure "$B/tpucost" --config "$dir/tpucost.yaml" import "$dir/export.ndjson"
	grep -q ": $rows rows" "$work/out" || fail "not all of $rows rows came: $(cat "$work/out")"
	echo "$rows $(cat "$work/measured") $(cat "$dir"/t.db* | wc -c)" >>"$runs"
	progress ""
done
awk '
	BEGIN { print "rows\tseconds\tCPU s\trows per CPU s\tpeak MiB\tbytes/row" }
	{ printf "%d\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\n", $1, $2, $3, $1 / $3, $4 / 1024, $5 / $1 }
	' "$runs" | table slope
