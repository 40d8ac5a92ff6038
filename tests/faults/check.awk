# Are the tests that expand.awk lists there, below the folder `tests`? Prints what is not, and how many were looked at.
BEGIN {
	FS = "\t"
}
function missing(what) {
	print $1 ": " what
	bad = 1
}
# text(PATH): what is in that file, after a newline; "" when it is not there
function text(path,    all, part, rs) {
	if (path in texts)
		return texts[path]
	rs = RS
	RS = "\001"
	while ((getline part <path) > 0)
		all = all "\n" part
	close(path)
	RS = rs
	return texts[path] = all
}
# words(ALL, WORD): in how many places it stands as a word of its own, or 2
function words(all, word,    n, at) {
	all = all "\n"
	while (n < 2 && (at = index(all, word))) {
		n += substr(all, at - 1, 1) !~ /[A-Za-z0-9_]/ && substr(all, at + length(word), 1) !~ /[A-Za-z0-9_]/
		all = substr(all, at + length(word) - 1)
	}
	return n
}
# programs(ALL): of a script, what is in the programs that it runs: names of checks may be theirs
function programs(all,    more) {
	while (match(all, /\/tests\/support\/[a-z_\/]*\.py/)) {
		more = more text(tests substr(all, RSTART + 6, RLENGTH - 6))
		all = substr(all, RSTART + RLENGTH)
	}
	return more
}
{ cases[$1] }
$2 == "n/a" { na++; next }
{
	seen[$2 " " $3]
	all = text(tests "/" $2)
	if (all == "")
		missing($2 " is not there")
	else if ($2 ~ /^unit\//) {
		if (!index(all, "\nstatic void " $3 "(void **state)"))
			missing($2 " has no " $3)
		if (words(all, $3) < 2)
			missing($2 " does not run " $3)
		if ($4 != "" && !index(all, "\"" $4 "\"") && !index(all, "\"" $4 " "))
			missing($2 " has no row " $4)
	} else if ($2 ~ /\.sh$/ && $3 != "" && !index(all, $3) && !index(programs(all), $3))
		missing($2 " has no check \"" $3 "\"")
}
END {
	print length(cases) " cases, " length(seen) " tests, " na + 0 " parts that there are not"
	exit bad
}
