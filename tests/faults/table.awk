# The table that make check-faults prints. In: what came of each test, the tests of each case, the cases.
BEGIN {
	n_groups = split("A transport:B content of answers:C database and disk:D time:E configuration:F files, commands and SQL:" \
		"G hostile texts:H messages:I enforcement:J the bill:K secrets", groups, ":")
	for (i = 1; i <= n_groups; i++)
		title[substr(groups[i], 1, 1)] = groups[i]
	split("not run:FAILED:skipped", worst, ":")
}
/^#/ { next }
FILENAME ~ /results$/ { came[$1 SUBSEP $2] = $3; n_tests++; next }
FILENAME ~ /refs$/ {
	wanted[$1]
	if ($2 == "n/a") {
		reason[$1] = $3
		next
	}
	n_refs[$1]++
	got = came[$2 SUBSEP $3]
	if (got != "ok") {
		shown = $2 ($3 == "" ? "" : " " $3)
		why[$1] = why[$1] "\n            " got ": " shown
		for (i = 1; i <= 3 && worst[i] != state[$1]; i++)
			if (worst[i] == got)
				state[$1] = got
	}
	next
}
$1 in wanted {
	group = substr($1, 1, 1)
	if (group != last) {
		flush()
		last = group
		text = ""
		fine = all = 0
	}
	s = $1 in state ? state[$1] : n_refs[$1] ? "ok" : "n/a"
	count[s]++
	all++
	fine += s == "ok"
	text = text sprintf("  %-4s %-8s %s: %s%s%s\n", $1, s, $2, $3, why[$1], \
		$1 in reason ? "\n            n/a: " reason[$1] : "")
}
function flush() {
	if (last != "")
		printf "%s: %d of %d\n%s", title[last], fine, all, text
}
END {
	flush()
	total = count["ok"] + count["FAILED"] + count["not run"] + count["skipped"] + count["n/a"]
	printf "faults: %d cases: %d ok, %d failed, %d did not run, %d that there are not; %d tests in %d s\n", total, \
		count["ok"], count["FAILED"], count["not run"] + count["skipped"], count["n/a"], n_tests, seconds
	exit count["ok"] + count["n/a"] != total || !total
}
