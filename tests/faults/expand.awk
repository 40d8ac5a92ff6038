# cases.tsv taken apart: a line "CASE<tab>FILE<tab>TEST<tab>ROW" for each test that a case names, and
# "CASE<tab>n/a<tab>REASON" for what cannot be had. What is wrong with the table itself goes to stderr.
BEGIN {
	FS = OFS = "\t"
	split("A 40 B 17 C 20 D 14 E 14 F 14 G 10 H 15 I 30 J 15 K 5", many, " ")
}
function wrong(text) {
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	bad = 1
}
/^#/ { next }
NF != 4 || $2 == "" || $3 == "" || $4 == "" {
	wrong("want case, what is done, what comes of it, and its tests, with tabs between")
	next
}
$1 in seen { wrong($1 " is there twice") }
{
	seen[$1] = 1
	n = split($4, refs, " ; ")
	for (i = 1; i <= n; i++) {
		at = index(refs[i], " ")
		file = at ? substr(refs[i], 1, at - 1) : refs[i]
		test = at ? substr(refs[i], at + 1) : ""
		row = ""
		if (file == "n/a:") {
			if (test == "")
				wrong($1 ": n/a needs a reason")
			print $1, "n/a", test
			continue
		}
		if (file !~ /^(unit\/[a-z]+\/test_[a-z0-9_]+\.c|cli\/[a-z]+\/t[0-9]+-[a-z0-9-]+\.sh|faults\/[a-z]+\.sh|model\/enforce\.pml)$/)
			wrong($1 ": \"" refs[i] "\" is no test: want unit/FOLDER/test_X.c TEST, cli/FOLDER/tNNNN-X.sh [CHECK], faults/X.sh [CHECK]")
		if (file ~ /^unit/ && match(test, / @/)) {
			row = substr(test, RSTART + 2)
			test = substr(test, 1, RSTART - 1)
		}
		if (file ~ /^unit/ && test !~ /^[a-z0-9_]+$/)
			wrong($1 ": " file ": which test?")
		print $1, file, test, row
	}
}
END {
	for (i = 1; !PART && i < 22; i += 2)
		for (k = 1; k <= many[i + 1]; k++)
			if (!(many[i] k in seen))
				wrong(many[i] k " is missing")
	exit bad
}
