# Turns SQL files into C. Run over db/derived.sql db/views/*/*.sql db/schema/*.sql db/sql/*/*.sql
# and new.sql with -v mode=h or mode=c.
#
#   db/schema/0001_init.sql   migration 1
#   new.sql                   the schema after all migrations, as sqlite3's .dump prints it
#   db/derived.sql            the derived rows (ROWS: a struct, and a table of SQL; see
#                             db/derived.c), and tables with its rows
#   db/views/*/10_NAME.sql    a public view, the tenth of the reference: leading comment (its doc, and after an
#                             empty comment line more for the maintainers) and one SELECT, in which each
#                             column ends its line with its type and its doc (see view_columns below)
#   db/views/*/NAME.sql       a view that only other views read
#   db/sql/*/*.sql            named queries:
#
#     -- name: host_list
#     SELECT id, owner?, hosts#, MAX(seen) AS seen#? FROM host WHERE zone = $zone AND seen > $since#;
#
#   A column, and a parameter where it stands first, ends with its type: none is text, "#" an integer, "?"
#   allows NULL. "-- cells: NAME" has columns that are read by name (see db_rows_step). What returns no
#   rows may be several statements with the same parameters, which run in order.
#
#     PUT host (id | zone, hosts#?, last_seen=$now#, complete=1);
#
#   inserts a row, or updates that of the same key, which stands before "|". "SET column = ..." after it
#   says otherwise for a column of a row that exists; without a key there is none.
#
# A query becomes typed functions (see db/stmt.h), so that a misspelt name or a wrong type
# does not compile.

function die(msg) {
	printf "%s:%d: %s\n", FILENAME, FNR, msg > "/dev/stderr"
	failed = 1
	exit 1
}

function quote(s,    r) {
	r = s
	gsub(/\\/, "\\\\", r)
	gsub(/"/, "\\\"", r)
	gsub(/\t/, "\\t", r)
	return r
}

# Text of several lines as adjacent C strings.
function literal(text,    n, lines, i, out) {
	n = split(text, lines, "\n")
	out = ""
	for (i = 1; i <= n; i++)
		if (i < n || lines[i] != "")
			out = out "\n\t\"" quote(lines[i]) "\\n\""
	return out == "" ? "\"\"" : out
}

# Macros for SQL that many queries and views share:
#
#   @RFC3339(seconds)@      a time as text
#   @STATUS(ends, known)@   finality of costs of a day that ends then, known up to there, with as_of a:
#                           as rec_status_at() of rules/bill/reconcile.c has it
#   @NAMED(row)@            name of a resource for readers: PROJECT/NAME if another project has one of
#                           that name; of a row with name and project
#   @HOURS(time)@           hours since then, with as_of a; NULL: after it, because the clock was set back
#   @SPARED(row)@           1: that resource is exempt or on hold, or another zone of its node pool is, which
#                           would end with it; with verdict v and as_of a
#   @LATEST(column, id)@    of a resource, deleted or not, with LEFT JOIN resource r
#   @DUE(action)@           when an action is due: not before its next attempt; NULL before the warning.
#                           As action_due() of rules/enforce/action.h has it
#   @PERCENT_OF(part, all)@ percentage in tenths, as outputs have it, without the rest: no output has a threshold
#                           that is not reached; of integers
#   @STALE_AFTER@           seconds after which polled data is stale, with poll_interval i: three
#                           intervals, as stale_after() of rules/derive/coverage.c has it
#   @CLOCK_WRONG(row)@      the last poll of that source_status failed because of the clock: CLOCK_IS
function in_sql(name, args,    p) {
	if (name == "RFC3339")
		return "strftime('%Y-%m-%dT%H:%M:%SZ', " args ", 'unixepoch')"
	if (name == "CLOCK_WRONG")
		return args ".state = 'failed' AND instr(" args ".error, 'the clock of this machine is') > 0"
	if (name == "DUE")
		return "MAX(" args ".due, COALESCE(" args ".next_at, " args ".due))"
	if (name == "NAMED")
		return "CASE WHEN EXISTS (SELECT 1 FROM resource o WHERE o.name = " args ".name " \
			"AND o.project <> " args ".project) THEN " args ".project || '/' || " args ".name " \
			"ELSE " args ".name END"
	if (name == "HOURS")
		return "CASE WHEN " args " <= a.now THEN ROUND((a.now - " args ") / 3600.0, 2) END"
	if (name == "SPARED")
		return "CASE WHEN v.exempt = 1 OR EXISTS (SELECT 1 FROM hold h WHERE h.id = " args ".id " \
			"AND h.until > a.now) OR (" args ".source = 'slice' AND EXISTS (SELECT 1 " \
			"FROM pool_rows p LEFT JOIN verdict x USING (id) LEFT JOIN hold h USING (id) " \
			"WHERE p.project = " args ".project AND p.pool = " args ".attached_to " \
			"AND (x.exempt = 1 OR h.until > a.now))) THEN 1 ELSE 0 END"
	if ((name != "STATUS" && name != "LATEST" && name != "PERCENT_OF") || split(args, p, ", ") != 2)
		die("@" name "(" args ")@ is not known")
	if (name == "PERCENT_OF")
		return "(CAST(" p[1] " * 1000 / " p[2] " AS INTEGER) / 10.0)"
	if (name == "LATEST")
		return "CASE WHEN r.id IS NULL THEN (SELECT i." p[1] " FROM resource_interval i " \
			"WHERE i.id = " p[2] " ORDER BY i.starts DESC LIMIT 1) ELSE r." p[1] " END"
	return "CASE WHEN a.now < " p[1] " + 86400 OR " p[2] " < " p[1] " + 86400 THEN 'partial' " \
		"WHEN a.now < " p[1] " + 259200 OR " p[2] " < " p[1] " + 259200 THEN 'settling' " \
		"ELSE 'settled' END"
}
function expanded(text,    start, name, rest, end) {
	gsub(/@STALE_AFTER@/, "(3 * COALESCE(i.seconds, 3600))", text)
	while (match(text, /@[A-Z0-9_]+\(/)) {
		start = RSTART
		name = substr(text, start + 1, RLENGTH - 2)
		rest = substr(text, start + RLENGTH)
		end = index(rest, ")@")
		if (!end)
			die("@" name "( without )@")
		text = substr(text, 1, start - 1) in_sql(name, substr(rest, 1, end - 1)) substr(rest, end + 2)
	}
	return text
}

# Comments are removed: otherwise the engine would parse them with every table and view.
function without_comments(text) {
	gsub(/[ \t]*--[^\n]*/, "", text)
	gsub(/\n+/, "\n", text)
	sub(/^\n/, "", text)
	return text
}

# "v.gross / 2 AS half" of that type as users and rules read it: amounts in units, times in words.
function public_column(expr, name, type) {
	if (type == "money" || type == "nanos")
		expr = (expr ~ /^[a-z_.]+$/ ? expr : "(" expr ")") " / 1e9"
	else if (type == "time")
		expr = "@RFC3339(" expr ")@"
	return expr " AS " name
}

# The columns of a public view. A line such as
#
#	b.gross * 24 AS gross_per_day, -- money: list price of a day
#
# ends a column. In SQL of tpucost that reads NAME_raw an amount is an integer of nano-units and a time one of
# seconds, unchanged; in the view NAME public_column converts them. Types: text, int,
# flag (0 or 1), money (nanos of the row's currency), decimal (rounded by the SQL), nanos (a decimal that
# comes as nanos), time (UTC), json, internal (only in NAME_raw, and not the last one). Sets raw_text, public_text, view_doc and view_fields (C).
function view_columns(text,    n, lines, i, line, expr, name, type, doc, comma, in_head, code) {
	raw_text = public_text = view_doc = view_fields = expr = ""
	n = split(text, lines, "\n")
	in_head = 1
	for (i = 1; i <= n; i++) {
		line = lines[i]
		if (line ~ /^--/) {
			if (line == "--")
				in_head = 0
			else if (in_head)
				view_doc = view_doc (view_doc == "" ? "" : " ") substr(line, 4)
			continue
		}
		if (!match(line, / -- (text|int|flag|money|decimal|nanos|time|json|internal):( |$)/)) {
			expr = expr (line ~ /^[ \t]*--/ ? "" : line "\n")
			continue
		}
		code = expr substr(line, 1, RSTART - 1)
		doc = substr(line, RSTART + 4)
		type = doc
		sub(/:.*/, "", type)
		doc = substr(doc, length(type) + 3)
		for (; lines[i + 1] ~ /^\t\t-- /; i++)
			doc = doc (doc == "" ? "" : " ") substr(lines[i + 1], 6)
		comma = sub(/,$/, "", code) ? "," : ""
		if (sub(/^SELECT\n/, "", code)) {
			raw_text = raw_text "SELECT\n"
			public_text = public_text "SELECT\n"
		}
		sub(/^\t/, "", code)
		name = code
		if (match(code, / AS "?[a-z_0-9]+"?$/)) {
			name = substr(code, RSTART + 4)
			code = substr(code, 1, RSTART - 1)
		} else if (code ~ /^[a-z]+\.[a-z_0-9]+$/) {
			sub(/.*\./, "", name)
		} else if (code !~ /^[a-z_0-9]+$/) {
			die(current ": no name: " code)
		}
		raw_text = raw_text "\t" code " AS " name comma "\n"
		expr = ""
		if (type == "internal")
			continue
		public_text = public_text "\t" public_column(code, name, type) comma "\n"
		gsub(/"/, "", name)
		view_fields = view_fields "\t{\"" name "\", COL_" (type == "nanos" ? "DECIMAL" : toupper(type)) ",\n\t\t\"" quote(doc) "\"},\n"
	}
	raw_text = raw_text expr
	public_text = public_text expr
}

function add_view(name, text) {
	sub(/[ \t\n]*;?[ \t\n]*$/, "", text)
	is_view[name]
	view_list = view_list "\t{\"" name "\", " literal(expanded(without_comments(text))) "},\n"
	all_sql = all_sql text
}

# A view that other views or queries read unchanged: "resources_raw".
function add_raw_views(    name) {
	for (name in raw_of)
		if (match(all_sql, "(^|[^a-z_])" name "_raw([^a-z_]|$)"))
			add_view(name "_raw", raw_of[name])
}

function basename(path) {
	sub(/.*\//, "", path)
	sub(/\.sql$/, "", path)
	return path
}

# A field of such a type mark: "#?" is an integer or NULL.
function add_field(f, name, mark) {
	f[++f["n"], "name"] = name
	f[f["n"], "null"] = mark ~ /\?/ ? "true" : "false"
	f[f["n"], "kind"] = mark ~ /#/ ? "SQL_I64" : "SQL_TEXT"
	f[f["n"], "type"] = mark !~ /#/ ? "const char *" : mark ~ /\?/ ? "struct opt_i64 " : "int64_t "
}

function print_struct(name, f,    i) {
	printf "struct %s {\n", name
	for (i = 1; i <= f["n"]; i++)
		printf "\t%s%s;\n", f[i, "type"], f[i, "name"]
	print "};"
}

function print_fields(array, name, f,    i) {
	printf "static const struct sql_field %s[] = {\n", array
	for (i = 1; i <= f["n"]; i++) {
		if (length(f[i, "name"]) > 23)
			die(q_name ": the name " f[i, "name"] " is longer than 23 characters")
		printf "\t{\"%s\", offsetof(struct %s, %s), %s, %s},\n", f[i, "name"], name, f[i, "name"],
			f[i, "kind"], f[i, "null"]
	}
	print "};"
}

# The parameters of q_text, from which their types are removed.
function parse_params(f,    text, name, type, seen) {
	f["n"] = 0
	text = ""
	while (match(q_text, /\$[a-z][a-z0-9_]*#?\??/)) {
		name = type = substr(q_text, RSTART + 1, RLENGTH - 1)
		gsub(/[#?]/, "", name)
		type = substr(type, length(name) + 1)
		if (!(name in seen)) {
			seen[name] = type
			add_field(f, name, type)
		} else if (type != "" && type != seen[name]) {
			die(q_name ": $" name " has two types")
		}
		text = text substr(q_text, 1, RSTART) name
		q_text = substr(q_text, RSTART + RLENGTH)
	}
	q_text = text q_text
	if (match(q_text, /\$[0-9]/))
		die(q_name ": parameters have names")
}

# "MAX(r.seen) AS seen#?" -> the field, and the column without its type.
function parse_column_of(f, item,    blank, mark, name) {
	match(item, /#?\??[ \t\n]*$/)
	blank = mark = substr(item, RSTART)
	item = name = substr(item, 1, RSTART - 1)
	gsub(/[ \t\n]/, "", mark)
	gsub(/[#?]/, "", blank)
	if (match(name, / AS "?[a-z][a-z0-9_]*"?$/))
		name = substr(name, RSTART + 4)
	else if (name !~ /^[ \t\n]*([a-z]+\.)?[a-z][a-z0-9_]*$/)
		die(q_name ": no name:" item)
	gsub(/.*\.|["\n\t ]/, "", name)
	add_field(f, name, mark)
	return item blank
}

# The columns of q_text, from which their types are removed: of its first SELECT that is not in parentheses,
# or its RETURNING.
function parse_columns(f,    text, rest, word, item, depth, state, begins) {
	begins = q_text ~ /^(SELECT|WITH)[ \n]/ ? "SELECT" : "RETURNING"
	f["n"] = depth = state = 0
	text = item = ""
	rest = q_text
	while (state < 2 && match(rest, /'[^']*'|--[^\n]*|\$?[A-Za-z_][A-Za-z0-9_]*|[(),]/)) {
		word = substr(rest, RSTART, RLENGTH)
		item = item substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART + RLENGTH)
		depth += (word == "(") - (word == ")")
		if (state == 1 && !depth && word ~ /^(,|FROM|WHERE|UNION|GROUP|ORDER|LIMIT)$/) {
			text = text parse_column_of(f, item) word
			item = ""
			state += word != ","
		} else if (!state && !depth && word == begins || state == 1 && word == "DISTINCT") {
			text = text item word
			item = ""
			state = 1
		} else {
			item = item word
		}
	}
	q_text = text (state == 1 ? parse_column_of(f, item rest) : item rest)
}

# "PUT host (id | zone, seen=$now#) SET ..." as SQL.
function put(text,    table, inner, i, depth, own, side, n_side, k, n, list, name, comma, keys, columns, values, sets) {
	if (!match(text, /^PUT [a-z_]+ \(/))
		return text
	table = substr(text, 5, RLENGTH - 6)
	inner = substr(text, RLENGTH + 1)
	depth = 1
	for (i = 1; depth && i <= length(inner); i++)
		depth += (substr(inner, i, 1) == "(") - (substr(inner, i, 1) == ")")
	own = substr(inner, i)
	keys = columns = values = sets = comma = ""
	n_side = split(substr(inner, 1, i - 2), side, "|")
	for (k = 1; k <= n_side; k++) {
		n = split(side[k], list, /,[ \t\n]*/)
		for (i = 1; i <= n; i++) {
			gsub(/^[ \t\n]+|[ \t\n]+$/, "", list[i])
			name = list[i]
			gsub(/=.*|[#?]/, "", name)
			if (name == "")
				continue
			columns = columns comma name
			values = values comma (list[i] ~ /=/ ? substr(list[i], length(name) + 2) : "$" list[i])
			comma = ", "
			if (k < n_side)
				keys = keys (keys == "" ? "" : ", ") name
			else if (own !~ ("(SET |,[ \t\n]*)" name " = "))
				sets = sets (sets == "" ? "" : ", ") name " = excluded." name
		}
	}
	text = "INSERT INTO " table " (" columns ")\nVALUES (" values ")"
	if (n_side == 1)
		return text own
	if (sub(/^[ \t\n]*SET /, "", own) && sets != "")
		sets = sets ", "
	return text "\nON CONFLICT (" keys ") DO UPDATE SET " sets own
}

# Reports whether it may name a view. A column of the same name counts as well.
function names_views(text,    n, words, i) {
	n = split(text, words, /[^a-z_]+/)
	for (i = 1; i <= n; i++)
		if (words[i] in is_view)
			return 1
	return 0
}

# q_NAME_row(x, .id = id): the same for a struct x with the members of struct db_reader, with named parameters.
function reader(what, type, has_in) {
	printf "%sq_%s_%s_of(const struct db_reader *r, const void *in);\n", type, q_name, what
	printf "#define q_%s_%s(x%s) q_%s_%s_of(DB_READER(x), %s)\n", q_name, what, (has_in ? ", ..." : ""), q_name, what,
		has_in ? "(&(const struct q_" q_name "_in){__VA_ARGS__})" : "NULL"
}

function finish_query(    i, n_part, part, has_in, has_out, arg, pass, in_f, out_f) {
	if (q_name == "")
		return
	sub(/[ \t\n]*;[ \t\n]*$/, "", q_text)
	if (q_text == "")
		die(q_name ": no SQL")
	if (q_text ~ /;[ \t]*--/)
		die(q_name ": a comment behind the end of a statement")
	n_part = split(q_text, part, /;\n/)
	q_text = ""
	for (i = 1; i <= n_part; i++)
		q_text = q_text (i > 1 ? ";\n" : "") put(part[i])
	q_text = expanded(q_text)
	parse_params(in_f)
	out_f["n"] = 0
	if (!q_cells)
		parse_columns(out_f)
	all_sql = all_sql q_text
	has_in = in_f["n"] > 0
	has_out = out_f["n"] > 0
	arg = has_in ? "const struct q_" q_name "_in *in, " : ""
	pass = has_in ? "in" : "NULL"
	if (mode == "h") {
		if (has_in)
			print_struct("q_" q_name "_in", in_f)
		if (has_out) {
			print_struct("q_" q_name, out_f)
			printf "enum err_code q_%s_open(struct db *db, %sstruct db_rows *rows, struct err *e)\n\tmust_check;\n", q_name, arg
			printf "bool q_%s_next(struct db_rows *rows, struct q_%s *row);\n", q_name, q_name
			printf "enum err_code q_%s_one(struct db *db, %sstruct arena *a, struct q_%s *row,\n\tbool *found, struct err *e) must_check;\n", q_name, arg, q_name
			printf "enum err_code q_%s_all(struct db *db, %sstruct arena *a, struct q_%s **rows,\n\tsize_t *n, struct err *e) must_check;\n", q_name, arg, q_name
			printf "struct q_%s_rows {\n\tstruct q_%s *v;\n\tsize_t n;\n};\n", q_name, q_name
			reader("row", "struct q_" q_name " *", has_in)
			reader("rows", "struct q_" q_name "_rows ", has_in)
		} else if (q_cells) {
			printf "enum err_code q_%s_open(struct db *db, %sstruct db_rows *rows, struct err *e)\n\tmust_check;\n", q_name, arg
			reader("read", "struct db_rows ", has_in)
		} else {
			printf "enum err_code q_%s(struct db *db, %sstruct err *e) must_check;\n", q_name, arg
		}
		print ""
		return
	}
	if (has_in)
		print_fields(q_name "_in", "q_" q_name "_in", in_f)
	if (has_out)
		print_fields(q_name "_out", "q_" q_name, out_f)
	n_part = split(q_text, part, /;\n/)
	if (n_part > 1 && (has_out || q_cells))
		die(q_name ": several statements return no rows")
	for (i = 1; i <= n_part; i++) {
		printf "static const struct sql_query sql_%s%s = {\n\t.name = \"%s\",\n\t.text = %s,\n", q_name, (i > 1 ? i : ""), q_name, literal(part[i])
		if (names_views(part[i]))
			print "\t.views = true,"
		if (has_in)
			printf "\t.in = %s_in,\n\t.n_in = %d,\n", q_name, in_f["n"]
		if (has_out)
			printf "\t.out = %s_out,\n\t.n_out = %d,\n\t.row_size = sizeof(struct q_%s),\n", q_name, out_f["n"], q_name
		print "};"
		list_of_queries = list_of_queries "\t&sql_" q_name (i > 1 ? i : "") ",\n"
	}
	if (has_out) {
		printf "enum err_code q_%s_open(struct db *db, %sstruct db_rows *rows, struct err *e)\n{\n\treturn db_rows_open(db, &sql_%s, %s, rows, e);\n}\n", q_name, arg, q_name, pass
		printf "bool q_%s_next(struct db_rows *rows, struct q_%s *row)\n{\n\treturn db_rows_next(rows, row);\n}\n", q_name, q_name
		printf "enum err_code q_%s_one(struct db *db, %sstruct arena *a, struct q_%s *row,\n\tbool *found, struct err *e)\n{\n\treturn db_rows_one(db, &sql_%s, %s, a, row, found, e);\n}\n", q_name, arg, q_name, q_name, pass
		printf "enum err_code q_%s_all(struct db *db, %sstruct arena *a, struct q_%s **rows,\n\tsize_t *n, struct err *e)\n{\n\treturn db_rows_all(db, &sql_%s, %s, a, (void **)rows, n, e);\n}\n", q_name, arg, q_name, q_name, pass
		printf "struct q_%s *q_%s_row_of(const struct db_reader *r, const void *in)\n{\n\treturn db_read_row(r, &sql_%s, in);\n}\n", q_name, q_name, q_name
		printf "struct q_%s_rows q_%s_rows_of(const struct db_reader *r, const void *in)\n{\n\tstruct q_%s_rows rows = {0};\n\n\trows.v = db_read_rows(r, &sql_%s, in, &rows.n);\n\treturn rows;\n}\n", q_name, q_name, q_name, q_name
	} else if (q_cells) {
		printf "enum err_code q_%s_open(struct db *db, %sstruct db_rows *rows, struct err *e)\n{\n\treturn db_rows_open(db, &sql_%s, %s, rows, e);\n}\n", q_name, arg, q_name, pass
		printf "struct db_rows q_%s_read_of(const struct db_reader *r, const void *in)\n{\n\treturn db_read_open(r, &sql_%s, in);\n}\n", q_name, q_name
	} else {
		printf "enum err_code q_%s(struct db *db, %sstruct err *e)\n{\n\tenum err_code rc = db_query_run(db, &sql_%s, %s, e);\n\n", q_name, arg, q_name, pass
		for (i = 2; i <= n_part; i++)
			printf "\tif (!rc)\n\t\trc = db_query_run(db, &sql_%s%d, %s, e);\n", q_name, i, pass
		print "\treturn rc;\n}"
	}
	print ""
}

# "verdict (id | family?, chips#?) SORTED"
function finish_row(decl,    f, name, n, side, list, i, k, n_key, n_side, sorted, columns) {
	sorted = sub(/\) SORTED$/, "", decl) ? "true" : "false"
	sub(/\)$/, "", decl)
	match(decl, / \(/)
	name = substr(decl, 1, RSTART - 1)
	n_side = split(substr(decl, RSTART + 2), side, "|")
	f["n"] = n_key = 0
	for (k = 1; k <= n_side; k++) {
		n = split(side[k], list, ",")
		for (i = 1; i <= n; i++) {
			gsub(/[ \t\n]/, "", list[i])
			columns = list[i]
			gsub(/[#?]/, "", columns)
			add_field(f, columns, substr(list[i], length(columns) + 1))
		}
		if (k < n_side)
			n_key = n
	}
	if (f["n"] > 64)
		die(name " has more than 64 columns, for which a row has a bit each")
	if (mode == "h") {
		print_struct("row_" name, f)
		printf "#define DERIVED_%s %d\n", toupper(name), n_rows++
		printf "enum err_code derived_put_%s(\n\tstruct db *db, const struct row_%s *row, struct err *e) must_check;\n\n", name, name
		return
	}
	print_fields("row_" name, "row_" name, f)
	printf "enum err_code derived_put_%s(struct db *db, const struct row_%s *row, struct err *e)\n{\n\treturn db_derived_put(db, %d, row, e);\n}\n\n", name, name, n_rows++
	columns = ""
	for (i = 1; i <= f["n"]; i++)
		columns = columns (i > 1 ? ", " : "") f[i, "name"] " " (f[i, "kind"] == "SQL_TEXT" ? "TEXT" : "INTEGER")
	list_of_rows = list_of_rows "\t{\"" name "\", \"" columns "\", row_" name ", " f["n"] ", " n_key ", " sorted ", sizeof(struct row_" name ")},\n"
}

# Removes the derived rows from the text; the tables are left.
function finish_rows(text,    at, end, rest) {
	text = "\n" text
	while ((at = index(text, "\nROWS ")) > 0) {
		end = index(substr(text, at), ";\n")
		finish_row(substr(text, at + 6, end - 7))
		text = substr(text, 1, at - 1) substr(text, at + end)
	}
	rest = text
	while (match(rest, /CREATE @KEPT@ TABLE [a-z_]+/)) {
		list_of_rollups = list_of_rollups "\t\"" substr(rest, RSTART + 20, RLENGTH - 20) "\",\n"
		rest = substr(rest, RSTART + RLENGTH)
	}
	return text
}

function finish_file(    n, parts, base) {
	base = basename(current)
	if (base == "new") {
		new = text
		return
	}
	if (current ~ /db\/schema\//) {
		n_migrations++
		if (base !~ /^[0-9][0-9][0-9][0-9]_/ || substr(base, 1, 4) + 0 != n_migrations)
			die(current ": migrations are numbered 0001, 0002, ...")
		migrations = migrations "\t{" (substr(base, 1, 4) + 0) ", \"" substr(base, 6) "\", " literal(text) "},\n"
	} else if (current ~ /db\/views\//) {
		if (sub(/^[0-9]+_/, "", base)) {
			view_columns(text)
			public_view[substr(current, match(current, /[0-9]+_[a-z_]*\.sql$/), 2) + 0] = base
			vocabulary = vocabulary "static const struct column " base "_columns[] = {\n" view_fields "};\n" \
				"static const struct view view_" base " = {\"" base "\", \"" quote(view_doc) "\",\n\t" base "_columns, ARRAY_LEN(" base "_columns)};\n\n"
			raw_of[base] = raw_text
			is_view[base "_raw"]
			text = public_text
		}
		add_view(base, text)
	} else if (current ~ /db\/derived\.sql$/) {
		derived = literal(finish_rows(without_comments(text)))
	} else {
		finish_query()
		q_name = ""
	}
	text = ""
}

BEGIN {
	q_name = ""
	if (mode == "h") {
		print "/* Made by db/gen.awk from db/sql. Do not edit. */"
		print "#ifndef TPUCOST_DB_SQL_H\n#define TPUCOST_DB_SQL_H\n"
		print "#include \"db/db.h\"\n"
		print "/* SQL of the finality of costs of day c, known up to n.until, with as_of a. */"
		print "#define SQL_STATUS \"" expanded("@STATUS(c.ends, n.until)@") "\"\n"
	} else {
		print "/* Made by db/gen.awk. Do not edit. */"
		print "#include \"db_sql.h\"\n\n#include \"db/stmt.h\"\n#include \"db/vocab.h\"\n"
	}
}

FNR == 1 {
	if (current != "")
		finish_file()
	current = FILENAME
}

current ~ /db\/sql\// {
	if ($0 ~ /^-- (name|cells):/) {
		finish_query()
		q_name = $3
		q_cells = $2 == "cells:"
		q_text = ""
		if (q_name !~ /^[a-z][a-z0-9_]*$/)
			die("bad query name \"" q_name "\"")
		if (q_name in known)
			die("query " q_name " exists already")
		known[q_name] = 1
	} else if ($0 !~ /^--/ && (q_text != "" || $0 != "")) {
		q_text = q_text $0 "\n"
	}
	next
}
current ~ /new\.sql$/ && /^(PRAGMA foreign_keys=OFF|BEGIN TRANSACTION|COMMIT);$/ { next }
{ text = text $0 "\n" }

END {
	if (failed)
		exit 1
	finish_file()
	if (mode == "h") {
		print "#endif"
	} else {
		add_raw_views()
		printf "%sconst struct view *const views[] = {\n", vocabulary
		for (i = 1; i in public_view; i++)
			printf "\t&view_%s,\n", public_view[i]
		print "};\nconst size_t n_views = ARRAY_LEN(views);\n"
		printf "const struct db_migration db_migrations[] = {\n%s};\n", migrations
		printf "const int db_n_migrations = %d;\n\n", n_migrations
		printf "const char db_new[] = %s;\n\n", literal(new)
		printf "const struct db_view db_views[] = {\n%s};\n", view_list
		print "const int db_n_views = (int)ARRAY_LEN(db_views);\n"
		printf "const struct derived_table db_derived_tables[] = {\n%s};\n", list_of_rows
		print "const int db_n_derived_tables = (int)ARRAY_LEN(db_derived_tables);\n"
		printf "const char *const db_rollups[] = {\n%s};\n", list_of_rollups
		print "const int db_n_rollups = (int)ARRAY_LEN(db_rollups);\n"
		printf "const char db_derived[] = %s;\n\n", derived
		printf "const struct sql_query *const db_queries[] = {\n%s};\n", list_of_queries
		print "const int db_n_queries = (int)ARRAY_LEN(db_queries);"
	}
}
