. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
run tpucost ps
status "before anything was collected ps fails" 1
has "and says what to do" "$err" "run: tpucost collect"
tpucost collect -q

no() { # NAME STATUS PART ARGS...
	n=$1 s=$2 p=$3
	shift 3
	run tpucost "$@"
	status "$n: status" "$s"
	has "$n: said" "$err" "$p"
}
no "unknown command" 2 "did you mean 'ps'?" pss
no "unknown option" 2 'did you mean --where?' ps --wher x
no "option of another command" 2 'ps does not accept --by' ps --by day
no "unknown column" 2 "did you mean 'vcpus'?" ps --where "vcpu > 3"
no "unknown --columns" 2 "did you mean 'name'?" ps --columns nam
no "unknown --sort-by" 2 'no column' ps --sort-by zzz
no "unknown format" 2 'table, json, csv or markdown' ps --format xml
no "unknown group" 2 "did you mean 'day'?" cost --by dya
no "bad month" 2 'not a valid month (expected YYYY-MM); use --month 2026-11' cost --month 2026-13
no "a month with a sign" 2 'not a valid month (expected YYYY-MM); use --month 2026-11' cost --month 2026-+1
no "bad time" 2 'use 7d' coverage --since someday
no "since after until" 2 'is not before' coverage --since 1h --until 2h
no "closing our parenthesis" 2 'parenthesis' ps --where "1) OR (1"
no "comment in a condition" 2 'not allowed' ps --where "1 -- x"
no "writing" 2 'only reading' sql "DELETE FROM resources"
no "two statements" 2 'only one' sql "SELECT 1; SELECT 2"
no "attaching" 2 'only reading' sql "ATTACH 'x.db' AS x"
no "a pragma" 2 'only reading' sql "PRAGMA user_version = 9"
no "a file function" 2 'SQL' sql "SELECT readfile('/etc/passwd')"
no "unknown source" 2 "did you mean 'instances'?" collect instanses
is "all of that changed nothing" "$(sqlite3 t.db 'SELECT count(*) FROM resource')" 10

run tpucost ps --where "name = '''; DROP TABLE resource; --'" --format json
is "quotes are data" "$out" "[]"
run tpucost ps --project lab-two --format json
is "--project" "$(jq -r '[.[].name] | sort | join(" ")' stdout)" "keep slice"
run tpucost ps --sort-by "gross_per_hour desc" --limit 1 --columns name,gross_per_hour --format csv
is "--sort-by, --limit, --columns, csv" "$(tr -d '\r' <stdout)" "$(printf 'name,gross_per_hour\ngood,8.8')"
run tpucost ps --columns name,covered --where "name = 'wrong'" --format markdown
has "markdown" "$out" "| wrong | 0 |"
run tpucost sql "SELECT kind, COUNT(*) AS n FROM resources GROUP BY kind ORDER BY kind" --format json
is "sql over the views" "$(jq -c '[.[] | [.kind, .n]]' stdout)" '[["disk",2],["ip",1],["tpu",4],["vm",3]]'
run tpucost ps --where "exempt = 1" --columns name --format json
is "the keep label protects" "$(jq -r '.[0].name' stdout)" keep
run tpucost ps --where "name = 'nobody'"
is "a filter that matches nothing is not an empty world" "$out" "No rows match."
run tpucost ps
is "fresh data needs no note, built-in prices do" "$err" \
	"note: the prices of 7 rows are from the built-in list of 2026-07-02 (139 days old)"
sqlite3 t.db "UPDATE source_status SET last_success = last_success - 180000"
run tpucost burn
has "stale data is labelled" "$err" "note: the inventory is 2d 2h old"
run tpucost burn --quiet
is "unless it is to be quiet" "$err" ""
run tpucost sql "SELECT cost FROM usage"
is "tables are no views: status" "$rc" 2
has "tables are no views: said" "$err" "only of the views"
run tpucost sql "WITH costs2 AS (SELECT * FROM usage) SELECT * FROM costs2"
is "nor by another name: status" "$rc" 2
run tpucost sql "SELECT z.cost FROM (SELECT cost FROM usage) z"
is "nor in a subquery: status" "$rc" 2
for s in "WITH resources AS (SELECT * FROM action) SELECT record FROM resources" \
	"SELECT * FROM (WITH resources AS (SELECT * FROM action) SELECT record FROM resources)" \
	"WITH a AS (SELECT 1), grants AS MATERIALIZED (SELECT COUNT(*) AS n FROM action) SELECT n FROM grants" \
	"SELECT EXISTS (SELECT 1 FROM sqlite_master)" "SELECT COUNT(*) FROM main.resource" "SELECT COUNT(*) FROM verdict" \
	"SELECT 1 FROM resources NATURAL JOIN verdict" "SELECT COUNT(*) FROM resources a JOIN verdict USING (resource)" \
	"SELECT COUNT(*) FROM sqlite_temp_schema" "SELECT COUNT(*) FROM pragma_table_list"; do
	run tpucost sql "$s"
	status "not by way of: $s" 2
	is "nothing of it is shown: $s" "$out" ""
done
run tpucost sql "SELECT 'sqlite_x_master' AS t" --format csv
is "a text may look like a table" "$(echo "$out" | tr -d '\r' | tr '\n' ' ')" "t sqlite_x_master "
no "nor in --where" 2 'only of the views' ps --where "EXISTS (SELECT 1 FROM verdict)"
no "nor by a name of a view" 2 'only of the views' burn --where "project IN (WITH burn AS (SELECT project FROM resource) SELECT project FROM burn)"
run tpucost sql "WITH RECURSIVE resource(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM resource WHERE i < 5) SELECT SUM(i) AS n FROM resource" --format csv
is "a WITH may be called like a table" "$(echo "$out" | tr -d '\r' | tr '\n' ' ')" "n 15 "
run tpucost sql "WITH resource AS (SELECT 1 AS id) SELECT COUNT(*) AS n FROM temp.resources" --format csv
is "and changes no view" "$(echo "$out" | tr -d '\r' | tr '\n' ' ')" "n 10 "
run tpucost sql "SELECT r.name, j.value FROM resources r, json_each(r.labels) j ORDER BY 1, 2 LIMIT 1" --format csv
is "what is in labels: status" "$rc" 0
run tpucost sql "WITH x AS (SELECT cost FROM costs) SELECT COUNT(*) > 0 AS n FROM x" --format csv
is "what is made of views may be read" "$(echo "$out" | tr -d '\r' | tr '\n' ' ')" "n 1 "
run tpucost sql "SELECT 0.1 + 0.2 AS x" --format json
is "sums of decimals show no binary noise" "$(jq -r '.[0].x' stdout)" 0.3
no "descending" 2 'expected asc or desc' ps --sort-by "gross_per_hour descending"
no "an empty condition" 2 'is empty' ps --where " "
run tpucost views --format markdown
is "docs/views.md is what tpucost prints" "$out" "$(cat "$ROOT/docs/views.md")"
run tpucost views grants --format markdown
is "or of one view" "$out" "$(awk '/^## / { on = $2 == "grants" } on' "$ROOT/docs/views.md")"
run tpucost views grants
is "for people: what a row is, and its columns" "$(head -4 stdout | tr -s ' ')" "$(tpucost views grants --format json |
	jq -r '"grants: '"$(grep -A 2 '^## grants$' "$ROOT/docs/views.md" | tail -1)"'\n\ncolumn type meaning\n\(.[0] | .column + " " + .type + " " + .meaning)"')"
is "JSON has the keys of all views" "$(tpucost views grants --format json | jq -c 'map(.view) | unique')" '["grants"]'
no "another view" 2 "there is no view 'grant'; did you mean 'grants'?" views grant
no "one view as SQL" 2 "views depend on each other; omit 'grants'" views grants --format sql
run tpucost views --format sql
is "another tool sees the views by what is printed for it" \
	"$( (cat stdout; echo "SELECT kind, COUNT(*) FROM resources GROUP BY 1 ORDER BY 1;") | sqlite3 t.db | tr '\n' ' ')" \
	"disk|2 ip|1 tpu|4 vm|3 "
sed 's/^timezone: .*/timezone: Asia\/Hong_Kong/' tpucost.yaml >hong-kong.yaml
no "days of another zone" 1 "its daily sums were made by another version or in another time zone; run: tpucost collect" \
	--config hong-kong.yaml views --format sql
is "and not without" "$(sqlite3 t.db "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'view'")" 0
run tpucost version
has "version" "$out" "tpucost 0."
run tpucost --version
has "--version" "$out" "tpucost 0."
for c in why collect ps coverage burn cost credit grant sources report run sql views check version; do
	run tpucost $c --help
	has "help on $c has an example" "$out" "Example:"
	run tpucost help
	has "help names $c" "$out" "  $c "
done
run tpucost ps --format json --quiet
"$B/tpucost" ps >/dev/full 2>stderr
is "a full disk under stdout is an error" "$?" 1

# a query started in a directory that cannot be written
mkdir ro && cp t.db tpucost.yaml service-account.json ro/ && chmod 555 ro
run tpucost ps --config ro/tpucost.yaml --format json
status "a read-only directory will do for queries" 0
chmod 755 ro
head -c 4096 /dev/urandom >t.db
run tpucost ps
status "a database that is none is refused" 1
has "by name" "$err" "t.db"
