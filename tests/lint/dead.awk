# What nobody uses: functions and variables that a header declares and no program needs, those that
# are declared and not defined, macros and members of structs without a reader, named queries
# without a caller. Run over the sources of the program and over db/sql/*/*.sql. Told by words, not by a
# compiler, so a name that two things share hides one of them; what is told is true.
#
# A use by tests is none. What is there for them alone is in `for_tests` below.

BEGIN {
	split("clock_fake_init clock_fake_advance", names, " ")
	for (i in names)
		for_tests[names[i]] = 1
}

function file_is_header() {
	return FILENAME ~ /\.h$/
}

# Comments and strings out of the line.
function code(line,    at) {
	if (in_comment) {
		at = index(line, "*/")
		if (!at)
			return ""
		line = substr(line, at + 2)
		in_comment = 0
	}
	gsub(/\\./, "", line)
	gsub(/"[^"]*"/, "\"\"", line)
	gsub(/'[^']*'/, "0", line)
	sub(/\/\/.*/, "", line)
	while ((at = index(line, "/*"))) {
		if (!match(substr(line, at + 2), /\*\//)) {
			in_comment = 1
			return substr(line, 1, at - 1)
		}
		line = substr(line, 1, at - 1) " " substr(line, at + 2 + RSTART + 1)
	}
	return line
}

function note_words(line,    rest, word, before) {
	rest = line
	before = ""
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(rest, RSTART, RLENGTH)
		before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : before
		words[word]++
		here[FILENAME, word] = 1
		if (RSTART > 1 && before ~ /[.>]/)
			reads[word]++
		rest = substr(rest, RSTART + RLENGTH)
		before = ""
	}
}

# What a header says is there: the name before "(" of a line that begins with no blank, or of the
# line after its type.
function note_declared(line,    name) {
	if (line ~ /^(extern|[a-z].*[a-z*] \**[a-z_0-9]+\()/ && line !~ /^(typedef|static|struct [a-z_]+ \{)/) {
		name = line
		if (line ~ /^extern/) {
			gsub(/\[[^]]*\]|;/, "", name)
			sub(/\)\(.*/, "", name)
			n = split(name, names, /,/)
			for (i = 1; i <= n; i++) {
				sub(/^.*[ \t*]/, "", names[i])
				if (names[i] != "")
					declare(names[i])
			}
			return
		}
		sub(/\(.*/, "", name)
		sub(/^.*[ *]/, "", name)
		declare(name)
	}
}

function declare(name) {
	declared[name] = FILENAME ":" FNR
}

FNR == 1 { in_comment = 0; in_struct = 0 }

# What writes C: its words count as uses.
FILENAME ~ /\.awk$/ {
	note_words($0)
	while (match($0, /[A-Za-z_][A-Za-z0-9_]*(\[\])* =/)) {
		name = substr($0, RSTART, RLENGTH)
		sub(/[^A-Za-z0-9_].*/, "", name)
		defined[name] = 1
		$0 = substr($0, RSTART + RLENGTH)
	}
	next
}

FILENAME ~ /\.sql$/ {
	if ($0 ~ /^-- (name|cells):/)
		query[$3] = FILENAME ":" FNR
	next
}

{
	line = code($0)
	note_words(line)
	if (file_is_header()) {
		if (open_extern != "")
			line = open_extern " " line
		open_extern = line ~ /^extern/ && line !~ /;/ ? line : ""
		if (open_extern != "")
			next
		if (line ~ /^#[ \t]*define[ \t]/) {
			name = $2
			sub(/\(.*/, "", name)
			if (name !~ /^TPUCOST_/)
				macro[name] = FILENAME ":" FNR
		}
		note_declared(line)
	} else if (match(line, /^[a-z].*\(\*(const )?[a-z_]+\)\(/)) {
		name = line
		sub(/\)\(.*/, "", name)
		sub(/^.*[ *]/, "", name)
		defined[name] = 1
	} else if (line ~ /^[a-z].* = / || line ~ /^[a-z].* = *$/ || line ~ /^[a-z].*[^)];$/) {
		name = line
		sub(/ = .*| =$|;$/, "", name)
		gsub(/\[[^]]*\]/, "", name)
		sub(/^.*[ *]/, "", name)
		defined[name] = 1
	} else if (line ~ /^[a-z].*[a-z*_] \**[a-z_0-9]+\(/ && line !~ /;[ \t]*$/) {
		name = line
		sub(/\(.*/, "", name)
		sub(/^.*[ *]/, "", name)
		defined[name] = 1
	}
	if (match(line, /[a-z_]+##[a-z]+(##_[a-z]+)?/)) {
		paste = substr(line, RSTART, RLENGTH)
		pasted[FILENAME, paste] = 1
	}
}

function tell(where, what) {
	print where ": " what
	bad = 1
}

# Made by a macro: q_##name##_put with "name" somewhere in the file of the macro.
function is_pasted(name,    key, part, ends, stem) {
	for (key in pasted) {
		split(key, part, SUBSEP)
		split(part[2], ends, "##")
		stem = name
		if (sub("^" ends[1], "", stem) && sub(ends[3] "$", "", stem) && ((part[1], stem) in here))
			return 1
	}
	return 0
}

END {
	for (name in declared)
		if (!(name in for_tests) && !is_pasted(name)) {
			if (words[name] < 3)
				tell(declared[name], name " is used by nobody")
			else if (!(name in defined))
				tell(declared[name], name " is declared and defined nowhere")
		}
	for (name in macro)
		if (words[name] < 2)
			tell(macro[name], name " is used by nobody")
	n = split("_open _one _row _rows _read _read_of", forms, " ")
	for (q in query) {
		calls = words["q_" q]
		for (i = 1; i <= n; i++)
			calls += words["q_" q forms[i]]
		if (!calls && !is_pasted("q_" q))
			tell(query[q], "query " q " is called by nobody")
	}
	exit bad
}
