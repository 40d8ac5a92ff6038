# Turns reports/doc/html/report.css into C, with -v mode=h or mode=c: an enum of the named rules,
# their styles, and the part that only a file has. Replaces fonts: "var(--sans)"
function with_fonts(s,    name, i) {
	for (name in font)
		while (i = index(s, "var(" name ")"))
			s = substr(s, 1, i - 1) font[name] substr(s, i + length(name) + 5)
	return s
}
/^(\/\*| \*)/ { file = file || /In a file only/; next }
/^:root\{/ {
	body = substr($0, 7, length($0) - 7)
	for (n = split(body, parts, ";"); n; n--) {
		i = index(parts[n], ":")
		font[substr(parts[n], 1, i - 1)] = substr(parts[n], i + 1)
	}
	next
}
/^@media/ { media = /max-width/ ? "narrow" : /dark/ ? "dark" : "css"; next }
/^}$/ { media = ""; next }
file { text[media] = text[media] "\n" quote_line(with_fonts($0)); next }
{
	class = substr($0, 2, index($0, "{") - 2)
	css = substr($0, index($0, "{") + 1)
	sub(/}.*/, "", css)
	css = with_fonts(css)
	if (media == "") {
		name[++rules] = $(NF - 1)
		classes[rules] = class
		look["css", class] = css
	} else {
		look[media, class] = css
	}
}
function quote_line(s) {
	gsub(/\\/, "\\\\", s)
	return "\t\"" s "\\n\""
}
function look_of(kind, class) {
	return (kind, class) in look ? "\"" look[kind, class] "\"" : "NULL"
}
END {
	print "/* Made by reports/doc/html/css.awk from report.css. Do not edit. */"
	if (mode == "h") {
		print "#ifndef TPUCOST_HTML_CSS_H\n#define TPUCOST_HTML_CSS_H\n\nenum html_style {\n\tHTML_NO_STYLE,"
		for (i = 1; i <= rules; i++)
			print "\t" name[i] ","
		print "\tHTML_STYLES,\n};\n\nextern const struct html_look {\n\tconst char *name, *css, *dark, *narrow;\n} html_looks[HTML_STYLES];"
		print "extern const char html_file_css[], html_file_narrow[], html_file_dark[];\n\n#endif"
		exit
	}
	print "#include \"html_css.h\"\n\n#include <stddef.h>\n\nconst struct html_look html_looks[HTML_STYLES] = {"
	for (i = 1; i <= rules; i++)
		print "\t[" name[i] "] = {\"" classes[i] "\", " look_of("css", classes[i]) ", " look_of("dark", classes[i]) ", " look_of("narrow", classes[i]) "},"
	print "};"
	print "const char html_file_css[] =" text["css"] ";"
	print "const char html_file_narrow[] =" text["narrow"] ";"
	print "const char html_file_dark[] =" text["dark"] ";"
}
