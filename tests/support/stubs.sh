#!/bin/sh
# stubs.sh FOLDER: makes libraries of the same names that do nothing, for protocols and encodings that no test
# uses. curl, gmime and libxml2 are linked with them, and tests start programs 7,000 times: with these, half as
# fast. A library for which it does not work is left out: the tests run with the real one.
set -u
mkdir -p "$1" && cd "$1" || exit
for name in libldap-2.5.so.0 liblber-2.5.so.0 librtmp.so.1 libssh2.so.1 libgssapi_krb5.so.2 libpsl.so.5 libidn2.so.0 \
	libgio-2.0.so.0 libgpgme.so.11 libicuuc.so.72; do
	real=$(ldconfig -p 2>/dev/null | awk -v name="$name" '$1 == name { print $NF; exit }')
	[ -n "$real" ] || continue
	# "T ldap_init@@OPENLDAP_2.5": a function, its default version
	nm -D --defined-only --with-symbol-versions "$real" 2>/dev/null | awk -v name="$name" '
		$(NF - 1) == "A" || $NF ~ /[^@]@[^@]/ { next }
		{
			split($NF, part, "@@")
			print $(NF - 1) ~ /[TtWi]/ ? "long " part[1] "(void) { return 0; }" : "char " part[1] "[64];"
			names[part[2]] = names[part[2]] part[1] ";"
		}
		END { for (version in names) printf "%s { global: %s };\n", version, names[version] >name ".map" }' >"$name.c"
	cc -w -fno-builtin -shared -fPIC -nostdlib -Wl,-soname,"$name" -Wl,--version-script="$name.map" -o "$name.new" \
		"$name.c" 2>/dev/null && mv "$name.new" "$name"
	rm -f "$name.c" "$name.map" "$name.new"
done
