# Sourced by tests that break things: extracts whose sums are known, what is in a database as
# another program reads it, and what the program shows of it.

# rows MONTH N [SKUS]: an extract; the amount of row i is i % 7 USD and i nano-units
rows() {
	awk -v month="$1" -v n="$2" -v skus="${3:-5}" 'BEGIN { for (i = 0; i < n; i++) {
		printf "{\"billing_account_id\":\"01AB23-CD45EF-678901\","
		printf "\"service\":{\"id\":\"6F81-5844-456A\",\"description\":\"Compute Engine\"},"
		printf "\"sku\":{\"id\":\"S%d\",\"description\":\"Sku %d\"},", i % skus, i % skus
		printf "\"usage_start_time\":\"%s-%02d %02d:00:00 UTC\",", month, 1 + i % 9, i % 24
		printf "\"project\":{\"id\":\"p-%d\"},\"location\":{\"location\":\"us\"},", i % 3
		printf "\"export_time\":\"%s-15 00:00:00 UTC\",\"cost\":%d.%09d,", month, i % 7, i
		printf "\"currency\":\"USD\",\"usage\":{\"amount\":\"1\",\"unit\":\"seconds\"},"
		printf "\"credits\":[],\"invoice\":{\"month\":\"202601\"},\"cost_type\":\"regular\"}\n"
	} }'
}
# nanos N...: what extracts of so many rows cost together
nanos() {
	awk 'BEGIN { for (k = 1; k < ARGC; k++) for (i = 0; i < ARGV[k]; i++) sum += i % 7 * 1e9 + i
		printf "%.0f\n", sum }' "$@"
}

# ask DB SQL: of a copy, which needs no room beside the database and changes nothing of it
ask() {
	rm -f "$work"/copy.db*
	cp "$1" "$work/copy.db"
	[ ! -f "$1-wal" ] || cp "$1-wal" "$work/copy.db-wal"
	sqlite3 "$work/copy.db" "$2"
}
# what imported files told; as files are stored whole or not at all, a sum of nanos
files() {
	ask "$1" "SELECT COALESCE(SUM(cost), 0) FROM usage JOIN billing_table USING (table_id)
		WHERE kind = 'file'"
}
# what Google told: the export, what exists, and how the polls went; what a poll of only the
# new read differs from one to the next
polled() {
	ask "$1" "SELECT COUNT(*), SUM(cost), SUM(credits) FROM usage
			JOIN billing_table USING (table_id) WHERE kind <> 'file';
		SELECT kind, name, location, state FROM resource ORDER BY 1, 2, 3;
		SELECT source, project, state, CASE WHEN source IN ('billing', 'machine-type') THEN '' ELSE items END
			FROM source_status ORDER BY 1, 2"
}
whole() { ask "$1" 'PRAGMA integrity_check'; }

# database PATH: what the configuration says
database() { sed -i "s,^database:.*,database: $1," tpucost.yaml; }
# the figures as the program shows them, or its message
shown() { tpucost cost --by day --format csv 2>&1 | tr -d '\r'; }
# which commands that only read do not work; nothing: all do
readers_failed() {
	for view in cost ps sources "db list" coverage; do
		# shellcheck disable=SC2086 # words
		# a database without a complete poll: coverage is not certain
		tpucost $view --format csv >/dev/null 2>reader || [ "$view $?" = "ps 4" ] || { echo "$view:" && cat reader; }
	done
}
# refused NAME WORDS: the last run ended with status 1, for this reason
refused() {
	is "$1: status" "$rc" 1
	has "$1: said" "$err" "$2"
}
