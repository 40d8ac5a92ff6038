# Calls that are wrong everywhere, or outside the one file that owns them.
BEGIN {
	everywhere = "strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|alloca|" \
		"system|popen|tmpnam|mktemp|asctime|ctime"
	clocks = "time|gettimeofday|clock_gettime|gmtime|gmtime_r|localtime|localtime_r|" \
		"mktime|strftime|sleep|usleep|nanosleep"
}
FNR == 1 { comment = 0; before = "" }
{
	line = $0
	gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
	if (comment) { if (sub(/^.*\*\//, "", line)) comment = 0; else next }
	gsub(/\/\*[^*]*\*\//, "", line)
	if (sub(/\/\*.*$/, "", line)) comment = 1
	if (line ~ ("(^|[^A-Za-z0-9_.>])(" everywhere ")[ ]*\\(")) {
		printf "%s:%d: banned call: %s\n", FILENAME, FNR, $0; bad = 1
	}
	if (FILENAME !~ /^base\/(time\/(clock|tz)|log)\.c$/ && FILENAME !~ /^tests\// &&
	    line ~ ("(^|[^A-Za-z0-9_.>])(" clocks ")[ ]*\\(")) {
		printf "%s:%d: only a struct clock gives the time: %s\n", FILENAME, FNR, $0
		bad = 1
	}
	if (FILENAME !~ /^tests\// && line ~ /(^|[^a-z_])(double|float) [a-z_]*(money|cost|price|amount|net|gross)/) {
		printf "%s:%d: money is integer nano-units: %s\n", FILENAME, FNR, $0; bad = 1
	}
}
# "if (failed || !found) return e->code" returns what e held before, where nothing failed.
{
	if (line ~ /^\t+return e->code;$/ && before ~ /\|\| !\*?[A-Za-z_.>-]+\)$/) {
		printf "%s:%d: not an error of this call: %s\n", FILENAME, FNR, before; bad = 1
	}
	before = line
}
END { exit bad }
