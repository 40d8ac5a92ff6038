#!/bin/sh
# make deb: build/deb/tpucost_VERSION_ARCH.deb from a copy of the tree, so that neither sources nor
# build/release are touched. Needs no network. debian/changelog is written from CHANGELOG.md. For
# another ARCH it needs Debian's cross compiler, and builds B/tpucost to print the manual pages.
set -eu
out=build/deb
tree=$out/tpucost-$VERSION
own=$(dpkg --print-architecture)
arch=${ARCH:-$own}
if [ "$arch" != "$own" ]; then
	# the libraries of that architecture, and its compiler
	needs="crossbuild-essential-$arch $(sed -n '/^Build-Depends/,/^[^B ]/p' packaging/debian/control |
		grep -o '[a-z0-9.+-]*-dev' | sed "s/$/:$arch/" | tr '\n' ' ')"
	# shellcheck disable=SC2086
	if [ "$(dpkg-query -W -f '${db:Status-Status}\n' $needs 2>/dev/null | grep -cx installed)" \
		-ne "$(echo "$needs" | wc -w)" ]; then
		echo "tpucost: make deb failed: packages for $arch are missing; install them as root with:" >&2
		echo "  dpkg --add-architecture $arch && apt-get update" >&2
		echo "  apt-get install $needs" >&2
		exit 1
	fi
	$MAKE --no-print-directory "$B/tpucost"
	export TOOL="$PWD/$B/tpucost"
	unset PKG_CONFIG
	CC=$(dpkg-architecture -a "$arch" -q DEB_HOST_GNU_TYPE 2>/dev/null)-gcc
	export CC
fi
rm -rf "$tree" "$out"/tpucost_*_"$arch".* "$out"/tpucost-dbgsym_*_"$arch".*
mkdir -p "$tree"
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files -co --exclude-standard
else
	find . -type f ! -path './build/*' ! -path './demo/*' ! -path './.git/*' | sed 's|^\./||'
fi | while read -r f; do
	[ ! -f "$f" ] || printf '%s\n' "$f"
done | tar -cf - -T - | tar -xf - -C "$tree"
cp -R packaging/debian "$tree/debian"

# The date of what is packaged: the last commit's, or the newest file's.
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
{
	printf 'tpucost (%s) unstable; urgency=medium\n\n' "$VERSION"
	printf '  * See CHANGELOG.md (/usr/share/doc/tpucost/changelog.gz).\n\n'
	printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$when")"
} >"$tree/debian/changelog"

log=$out/build-$arch.log
if ! (cd "$tree" && dpkg-buildpackage -b -us -uc -a "$arch") >"$log" 2>&1; then
	tail -n 15 "$log" | cut -c1-300 >&2
	echo "tpucost: make deb failed: see $log" >&2
	exit 1
fi
rm -rf "$tree"
echo "  DEB   $out/tpucost_${VERSION}_$arch.deb"
