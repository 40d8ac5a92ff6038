# `sources` with many projects: counts by source and state, and the sources with a problem by name. Programs get a
# row for each source.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q vm
sql() { sqlite3 t.db "$1"; }
many() {
	sql "DELETE FROM source_status;
	WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
	INSERT OR REPLACE INTO source_status (source, project, state, last_attempt, last_success, items, poll_group, error, fix)
	SELECT s.source, 'p-' || i, IIF(s.source = 'disk' AND i <= $2, 'failed', 'ok'), unixepoch('$now'), unixepoch('$now'),
		3, 'instances', IIF(s.source = 'disk' AND i <= $2, 'HTTP 403', NULL), NULL
	FROM n, (SELECT 'vm' AS source UNION ALL SELECT 'disk') s;"
}
now=$(date -u +%FT%TZ)
many 100 2
run tpucost sources
is "200 sources are listed" "$(printf '%s\n' "$out" | grep -c 'p-')" 200
many 101 2
run tpucost sources
is "of more, only those with a problem" "$(printf '%s\n' "$out" | grep -c 'p-')" 2
is "by source and state" "$(printf '%s\n' "$out" | awk '$1 == "disk" || $1 == "vm" { print $1, $2, $3 }' | head -n 3)" \
"disk failed 2
disk ok 99
vm ok 101"
has "how to see each" "$err" "tpucost sources --all"
many 101 50
run tpucost sources
is "and no more than 20 of them" "$(printf '%s\n' "$out" | grep -c 'p-')" 20
has "the others are counted" "$out" "and 30 more"
run tpucost sources --all
is "--all lists each" "$(printf '%s\n' "$out" | grep -c 'p-')" 202
run tpucost sources --format json
is "so do other formats" "$(printf '%s' "$out" | jq length)" 202
run tpucost sources --where "state = 'failed'"
is "and selections" "$(printf '%s\n' "$out" | grep -c 'p-')" 50
