# What building needs is listed in four places, which agree: pkg-config's modules in the Makefile, the
# packages that make installs, those of the Debian package, and the table of other distributions.
. "$ROOT/tests/cli/lib.sh"
modules=$(sed -n 's/^PKG_\(CORE\|NET\|WEB\) *:= //p' "$ROOT/Makefile" | tr '\n' ' ')
build=$(sed -n '/^build="/,/"$/p' "$ROOT/tests/support/packages.sh" | tr -d '"' | sed 's/^build=//' | tr '\n' ' ')
libraries=$(for p in $build; do echo "$p"; done | grep -- '-dev$' | sort)
is "the Debian package needs the libraries that make installs" \
	"$(sed -n '/^Build-Depends/,/^[^B ]/p' "$ROOT/packaging/debian/control" | grep -o '[a-z0-9.+-]*-dev' | sort)" "$libraries"
is "without dpkg, the same modules are checked" \
	"$(sed -n 's/^	for p in \(.*\); do$/\1/p' "$ROOT/tests/support/packages.sh")" "${modules% }"
is "no line of its description is longer than lintian wants" "$(sed '1,/^Description/d' "$ROOT/packaging/debian/control" | awk 'length > 80')" ""
for distribution in Fedora Arch Alpine; do
	is "$distribution has a package for each library" \
		"$(sed -n "s/^| $distribution | \(.*\) |\$/\1/p" "$ROOT/docs/install.md" | wc -w)" "$(echo "$libraries" | wc -l)"
done

# a system without dpkg: what is missing is said in pkg-config's words, and nothing else is tried
mkdir bin
for p in sh; do ln -s "$(command -v $p)" "$work/bin/$p"; done
printf '#!/bin/sh\n[ "$2" != gmime-3.0 ]\n' >"$work/bin/pkg-config"
chmod 755 "$work/bin/pkg-config"
run env PATH="$work/bin" sh "$ROOT/tests/support/packages.sh" build
is "elsewhere the missing library is named" "$rc $err" "1 tpucost: libraries are missing: gmime-3.0; install their \
packages for developers (docs/install.md)"
printf '#!/bin/sh\n' >"$work/bin/pkg-config"
run env PATH="$work/bin" sh "$ROOT/tests/support/packages.sh" build
is "with all of them it builds" "$rc $err" "0 "
