# Reads tests/mutants/*.list and, from the root of the tree, the sources that they change.
#   -v want=names           id, file and tests of each mutant, with tabs between
#   -v want=check           what is wrong with the lists; status 1 when something is
#   -v want=apply -v id=ID  the changed source of that mutant; status 1 when it does not apply
#   -v want=file -v id=ID   which file that is
# A mutant is a paragraph of lines "key<blanks>value", see README.md.
BEGIN {
	split("id file from to user tests", need, " ")
	seen_any = 0
}

FNR == 1 && NR > 1 { finish() }
/^#/ { next }
/^[ \t]*$/ { finish(); next }
{
	key = $0
	sub(/[ \t].*/, "", key)
	value = substr($0, length(key) + 1)
	sub(/^[ \t]+/, "", value)
	if (key !~ /^(id|file|after|from|to|user|tests)$/)
		complain(FILENAME ":" FNR ": what is \"" key "\"?")
	else if (key in m)
		complain(FILENAME ":" FNR ": a second \"" key "\" in one mutant")
	m[key] = value
}
END {
	if (failed == 2)
		exit 1
	finish()
	if ((want == "apply" || want == "file") && !printed)
		failed = 1
	if (want == "check" && !n) {
		print "no mutants at all"
		failed = 1
	}
	if (want == "check" && !failed)
		print n " mutants, each applies"
	exit failed != 0
}

function complain(what) {
	if (want == "check")
		print what
	failed = 1
}

function slurp(file,   text, line) {
	if (file in cache)
		return cache[file]
	text = ""
	while ((getline line < file) > 0)
		text = text line "\n"
	close(file)
	return cache[file] = text
}

# How often is `part` in `text`?
function count(text, part,   c, at) {
	for (c = 0; (at = index(text, part)) > 0; c++)
		text = substr(text, at + length(part))
	return c
}

# Where `from` begins, or 0 and `why`. With `after`, the first place within 60 lines of it.
function place(   text, at, rest, lines) {
	why = ""
	text = slurp(m["file"])
	if (text == "") {
		why = m["file"] " is not there"
		return 0
	}
	if (!("after" in m)) {
		at = count(text, m["from"])
		if (at != 1) {
			why = "\"" m["from"] "\" is " at " times in " m["file"]
			return 0
		}
		return index(text, m["from"])
	}
	at = count(text, m["after"])
	if (at != 1) {
		why = "\"" m["after"] "\" is " at " times in " m["file"]
		return 0
	}
	at = index(text, m["after"]) + length(m["after"])
	rest = substr(text, at)
	if (!index(rest, m["from"])) {
		why = "\"" m["from"] "\" does not come after \"" m["after"] "\" in " m["file"]
		return 0
	}
	lines = count(substr(rest, 1, index(rest, m["from"])), "\n")
	if (lines > 60) {
		why = "\"" m["from"] "\" comes " lines " lines after \"" m["after"] "\" in " m["file"]
		return 0
	}
	return at + index(rest, m["from"]) - 1
}

# Each named test is a program of tests/unit or a script of tests/cli.
function check_tests(   list, i, c, line, there) {
	c = split(m["tests"], list, " ")
	for (i = 1; i <= c; i++) {
		there = list[i] ~ /^t[0-9]/ ? "tests/cli/*/" list[i] ".sh" : "tests/unit/*/" list[i] ".c"
		if ((("ls " there " 2>/dev/null") | getline line) <= 0)
			complain(m["id"] ": " there " is not there")
		close("ls " there " 2>/dev/null")
	}
}

function finish(   i, at, text, name) {
	for (name in m)
		seen_any = 1
	if (!seen_any)
		return
	seen_any = 0
	for (i = 1; i in need; i++)
		if (!(need[i] in m) || (need[i] != "to" && m[need[i]] == "")) {
			complain(m["id"] ": no \"" need[i] "\"")
			m[need[i]] = m[need[i]] ""
		}
	n++
	if (m["id"] in ids)
		complain(m["id"] ": there are two of this name")
	ids[m["id"]] = 1
	if (want == "names")
		print m["id"] "\t" m["file"] "\t" m["tests"]
	if (want == "check") {
		at = place()
		if (!at)
			complain(m["id"] ": does not apply: " why)
		if (m["from"] == m["to"])
			complain(m["id"] ": changes nothing")
		check_tests()
	}
	if (want == "file" && m["id"] == id) {
		print m["file"]
		printed = 1
	}
	if (want == "apply" && m["id"] == id) {
		at = place()
		if (!at) {
			print why > "/dev/stderr"
		} else {
			text = slurp(m["file"])
			printf "%s%s%s", substr(text, 1, at - 1), m["to"], substr(text, at + length(m["from"]))
			printed = 1
		}
	}
	split("", m)
}
