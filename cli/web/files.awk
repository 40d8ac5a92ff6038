# Turns the style sheet and the script of the page into C strings: const char web_css[] = "...";
# const char web_js[] = "...";
FNR == 1 {
	if (NR > 1) print ";"
	else print "/* Made by cli/web/files.awk. Do not edit. */\n#include \"cli/web/web.h\"\n"
	name = FILENAME
	sub(/.*\./, "", name)
	print "const char web_" name "[] ="
}
/^(\/\*|\/\/| \*)/ { next }
{
	gsub(/\\/, "\\\\")
	gsub(/"/, "\\\"")
	print "\t\"" $0 "\\n\""
}
END { print ";" }
