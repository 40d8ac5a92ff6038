# awk -v ms=10 -v ratio=1.5 -f limits.awk RUNS: a line for each query that takes more of a processor
# than it may, of lines as tests/bench/query.sh writes them. Start-up, which is what "version" and
# "sql SELECT 1" take, may take so many times what the sqlite3 shell takes. Ends with 1 when there
# is one.
BEGIN { FS = "\t" }
$1 == "version" || $1 == "sql SELECT 1" {
	if ($6 > ratio * $7) {
		printf "  over its limit: %s takes %.2f times what sqlite3 takes, of %.2f\n", $1,
			$6 / $7, ratio
		over = 1
	}
	next
}
$6 > ms {
	printf "  over its limit: %s takes %.2f ms of a processor, of %.2f\n", $1, $6, ms
	over = 1
}
END { exit over }
