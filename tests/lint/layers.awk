# Who may include whom. A folder that includes one it may not is an error of the build.
BEGIN {
	ok["base"] = "base"
	ok["db"] = "base db"
	ok["gcp"] = "base gcp"
	ok["collector"] = "base db gcp collector"
	ok["rules"] = "base db rules"
	ok["reports"] = "base db rules reports"
	ok["cli"] = "base db gcp collector rules reports cli"
	ok["tests"] = "base db gcp collector rules reports cli tests"
	# Foreign headers that belong to one place.
	home["sqlite3.h"] = "^db/"
	home["curl/curl.h"] = "^base/net/(http|smtp)|^tests/"
	home["yaml.h"] = "^base/data/yaml"
	home["cjson/cJSON.h"] = "^base/data/json"
	home["openssl/.*"] = "^base/net/(jwt|gzin|digest)|^tests/"
	home["gmime/.*"] = "^base/net/mail"
	home["libxml/.*"] = "^base/net/mail"
	home["microhttpd.h"] = "^cli/web/serve|^tests/"
	home["cmocka.h"] = "^tests/"
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, q, "\"")
	from = FILENAME; sub(/\/.*/, "", from)
	to = q[2]; sub(/\/.*/, "", to)
	if (q[2] !~ /\//) {
		if (q[2] == "db_sql.h") to = "db"
		else if (q[2] == "tpu_families.h") to = "base" # names and numbers, for gcp and rules
		else if (q[2] == "html_css.h") to = "reports"
		else { printf "%s:%d: write the folder too: \"%s\"\n", FILENAME, FNR, q[2]; bad = 1; next }
	}
	if ((" " ok[from] " ") !~ (" " to " ")) {
		printf "%s:%d: %s/ may not include %s\n", FILENAME, FNR, from, q[2]
		bad = 1
	}
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	name = $0; sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
	for (h in home)
		if (name ~ ("^" h "$") && FILENAME !~ home[h]) {
			printf "%s:%d: <%s> belongs to %s\n", FILENAME, FNR, name, home[h]
			bad = 1
		}
}
END { exit bad }
