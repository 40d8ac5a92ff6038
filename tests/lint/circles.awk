# Files whose functions call each other in a circle: nobody can read one of them alone. What two files
# share belongs into a third. Tables of functions do not count: who has the table calls what is in it.
BEGIN {
	# A token of one account is bought with that of another, by the same code.
	known["gcp/auth/auth.c gcp/auth/impersonate.c"]; known["gcp/auth/explain.c gcp/auth/impersonate.c"]
}
FILENAME ~ /\.h$/ { nextfile }
FNR == 1 { files[FILENAME]; comment = 0 }
{
	gsub(/\\./, ""); gsub(/"[^"]*"/, "\"\""); gsub(/\/\*.*\*\//, "")
	if (comment && sub(/^.*\*\//, "")) comment = 0
	if (comment) next
	if (sub(/\/\*.*$/, "")) comment = 1
	own = /^[a-z]/ && !/;$/
	line = $0
	while (match(line, /[a-z_][a-z0-9_]*\(/)) {
		name = substr(line, RSTART, RLENGTH - 1)
		line = substr(line, RSTART + RLENGTH)
		if (own) {
			here[FILENAME, name]
			if (!/^static/) {
				many[name] = name in at && at[name] != FILENAME
				at[name] = FILENAME
			}
			own = 0 # the rest of it are parameters
		} else if (/^\t/) {
			calls[FILENAME, name]
		}
	}
}
END {
	for (c in calls) {
		split(c, p, SUBSEP)
		to = at[p[2]]
		if (to == "" || many[p[2]] || to == p[1] || c in here || (p[1] " " to) in known) continue
		edge[p[1] " " to] = edge[p[1] " " to] " " p[2]
	}
	# What nobody calls, or what calls nobody, is in no circle.
	do {
		split("", out); split("", in_)
		for (k in edge) { split(k, p, " "); out[p[1]]; in_[p[2]] }
		gone = 0
		for (k in edge) {
			split(k, p, " ")
			if (!(p[1] in in_) || !(p[2] in out)) { delete edge[k]; gone = 1 }
		}
	} while (gone)
	for (k in edge) {
		split(k, p, " ")
		printf "%s calls %s, which leads back to it:%s\n", p[1], p[2], edge[k]
		bad = 1
	}
	exit bad
}
