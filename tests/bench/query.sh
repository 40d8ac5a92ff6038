#!/bin/sh
# make bench, query: each query as a whole process, beside the sqlite3 shell with a plain SQL
# statement over the same facts, by turns.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/world.sh"

# asks SQL ARG...: a line of the table
asks() {
	sql=$1
	shift
	progress "  $*"
	numbers=$("$work/pairs" 9 "$B/tpucost" --config "$world/tpucost.yaml" -q "$@" \
		--- sqlite3 -readonly "$world/t.db" "$sql") || fail "no times of $*"
	printf '%s\t%s\n' "$*" "$(printf '%s' "$numbers" | tr ' ' '\t')" >>"$runs"
	progress ""
}

queries() {
	days="SELECT day, sum(cost), sum(credits) FROM project_day
		WHERE day >= unixepoch() / 86400 - 30 GROUP BY day"
	things="SELECT * FROM resource"
	asks "SELECT 1" version
	asks "SELECT 1" sql "SELECT 1"
	asks "$things" ps
	asks "$things" burn
	asks "SELECT * FROM resource WHERE kind = 'tpu'" coverage
	asks "SELECT * FROM source_status" sources
	asks "SELECT * FROM quota_item JOIN quota_limit USING (limit_id)" quota
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

begin query "Queries over $FACTS facts, whole processes, medians of 9 pairs, milliseconds"
make_world
: >"$runs"
queries
{
	printf 'command\ttpucost\tsqlite3\tmore\tratio\tcpu\tits cpu\tnoise\n'
	cat "$runs"
} | table query
# QUERY_MS: what one may take; STRICT=1: one that takes more is a failure.
awk -v ms="${QUERY_MS:-10}" -v ratio=1.5 -f "$(dirname "$0")/limits.awk" "$runs" ||
	[ -z "${STRICT:-}" ] || fail "a query takes too long"
