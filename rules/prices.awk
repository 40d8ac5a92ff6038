# Generates build/gen/prices.c from rules/prices/*.csv. Decimal text is converted to nano-USD by
# moving digits, never through awk's floating point. Runs on any POSIX awk.
#
# A file is recognised by its header line. Strings live in one pool and are referenced by
# offset: tables without pointers need no relocation at program start.
BEGIN {
	FS = ","
	none = "-1"
	letters = "-0123456789abcdefghijklmnopqrstuvwxyz"
	pool_size = 0
	oldest = ""
}

function fail(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}

# "12.88" -> "12880000000"; an empty field has no price
function nanos(s,    dot, whole, part) {
	if (s == "")
		return none
	if (s !~ /^[0-9]+(\.[0-9]+)?$/)
		fail("not a decimal: " s)
	dot = index(s, ".")
	whole = dot ? substr(s, 1, dot - 1) : s
	part = dot ? substr(s, dot + 1) : ""
	if (length(part) > 9)
		fail("more than nine fraction digits: " s)
	while (length(part) < 9)
		part = part "0"
	whole = whole part
	sub(/^0+/, "", whole)
	if (length(whole) > 18)
		fail("too large: " s)
	return whole == "" ? "0" : whole
}

function pooled(s) {
	if (!(s in pool_at)) {
		if (s !~ /^[ -~]*$/ || s ~ /["\\?]/)
			fail("strange text: " s)
		pool_at[s] = pool_size
		pool_text[++pool_n] = s
		pool_size += length(s) + 1
	}
	return pool_at[s]
}

# strcmp of names, independent of the locale
function before(a, b,    i, x, y) {
	for (i = 1; i <= length(a) || i <= length(b); i++) {
		x = i <= length(a) ? index(letters, substr(a, i, 1)) : 0
		y = i <= length(b) ? index(letters, substr(b, i, 1)) : 0
		if (x != y)
			return x < y
	}
	return 0
}

function put(item, name, place, per, usd, spot, flex,    key) {
	key = item SUBSEP name
	if (!(key in group_of)) {
		group_of[key] = ++groups
		group_item[groups] = item
		group_name[groups] = pooled(name)
		group_date[groups] = pooled(date)
		group_rows[groups] = 0
	}
	if ((key SUBSEP place) in seen)
		fail("a second price of " name " in " place)
	seen[key SUBSEP place] = 1
	row[group_of[key], ++group_rows[group_of[key]]] = \
		sprintf("{%d, %d, {%s, %s, %s}}", pooled(place), per, nanos(usd), nanos(spot), nanos(flex))
}

function put_type(    mib) {
	if (last_type != "" && !before(last_type, $1))
		fail("machine types must be sorted by name")
	if ($3 !~ /^[0-9]+$/ || $4 !~ /^[0-9]+(\.[0-9]+)?$/)
		fail("bad machine type")
	last_type = $1
	mib = sprintf("%d", $4 * 1024 + 0.001)
	type_row[++types] = sprintf("{%d, %d, %d, %d, %s, %s, %s, %s}", pooled($1), pooled($2),
		$7 == "tpu-host", $7 == "gpu", $3, mib, nanos($5), nanos($6))
}

FNR == 1 { kind = ""; date = "" }
/^# date: / {
	date = substr($0, 9)
	if (oldest == "" || date < oldest)
		oldest = date
	next
}
/^# source: / {
	text = substr($0, 11)
	if (text ~ /["\\?]/)
		fail("strange text: " text)
	if (!(text in cited))
		sources = sources (sources == "" ? "" : "\\n") text
	cited[text] = 1
	next
}
/^#/ { next }
kind == "" {
	kind = $1
	if (date !~ /^20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/)
		fail("\"# date: YYYY-MM-DD\" must come before the header")
	columns = NF
	next
}
NF != columns { fail("expected " columns " fields, found " NF) }
kind == "generation" {
	if ($2 !~ /^(device|pod|slice)$/)
		fail("unknown kind: " $2)
	put($2 == "device" ? "PRICE_TPU_DEVICE" : "PRICE_TPU", $1, $3, $4, $5, $6, $7)
	next
}
kind == "family" && columns == 6 {
	put("PRICE_CORE", $1, $2, 1, $3, $5)
	put("PRICE_RAM", $1, $2, 1, $4, $6)
	next
}
kind == "family" { put("PRICE_RAM_EXT", $1, $2, 1, $3, $4); next }
kind == "machine_type" { put("PRICE_MACHINE", $1, $2, 1, $3, $4); next }
kind == "gpu" { put("PRICE_GPU", $1, $2, 1, $3, $4); next }
kind == "disk_type" && $1 == "snapshot" { put("PRICE_SNAPSHOT", "", $2, 1, $3, $4); next }
kind == "disk_type" { put("PRICE_DISK", $1, $2, 1, $3, $4); next }
kind == "item" && $1 == "ip.unused" { put("PRICE_IP_UNUSED", "", $2, 1, $3, $4); next }
kind == "item" && $1 == "ip.vm" { put("PRICE_IP_VM", "", $2, 1, $3, $4); next }
kind == "destination" { put("PRICE_INTERNET", "", $2, 1, $3, ""); next }
kind == "operation_class" { put("PRICE_OPERATION", $1, $2, 1000, $3, ""); next }
kind == "scope" { put("PRICE_TRANSFER", "", $1, 1, $2, ""); next }
kind == "name" { put_type(); next }
{ fail("unknown table or row") }

END {
	if (failed)
		exit 1
	if (pool_size > 65535) {
		print "prices.awk: the string pool is full" > "/dev/stderr"
		exit 1
	}
	print "/* Made by rules/prices.awk from rules/prices; do not edit. */"
	print "#include \"rules/price/table.h\"\n"
	printf "const char price_table_date[] = \"%s\";\n\n", oldest
	print "const char price_strings[] ="
	for (i = 1; i <= pool_n; i++)
		printf "\t\"%s\\0\"\n", pool_text[i]
	print "\t;\n\nconst struct price_row price_rows[] = {"
	first = 0
	for (i = 1; i <= groups; i++) {
		group_first[i] = first
		for (j = 1; j <= group_rows[i]; j++)
			print "\t" row[i, j] ","
		first += group_rows[i]
	}
	print "};\n\nconst struct price_group price_groups[] = {"
	for (i = 1; i <= groups; i++)
		printf "\t{%s, %d, %d, %d, %d},\n", group_item[i], group_name[i],
			group_date[i], group_first[i], group_rows[i]
	print "};\nconst size_t n_price_groups = " groups ";\n"
	print "const struct machine_row machine_rows[] = {"
	for (i = 1; i <= types; i++)
		print "\t" type_row[i] ","
	print "};\nconst size_t n_machine_rows = " types ";"
}
