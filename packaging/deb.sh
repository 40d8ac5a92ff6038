#!/bin/sh
# make deb: build/deb/tpucost_VERSION_ARCH.deb from a copy of the tree, so that neither sources nor
# build/release are touched. Needs no network. debian/changelog is written from CHANGELOG.md.
set -eu
out=build/deb
tree=$out/tpucost-$VERSION
rm -rf "$out"
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

log=$out/build.log
if ! (cd "$tree" && dpkg-buildpackage -b -us -uc) >"$log" 2>&1; then
	tail -n 15 "$log" | cut -c1-300 >&2
	echo "tpucost: make deb failed: see $log" >&2
	exit 1
fi
rm -rf "$tree"
deb=$(ls "$out"/tpucost_"$VERSION"_*.deb)
echo "  DEB   $deb"
lintian --fail-on error,warning --tag-display-limit 0 "$out"/tpucost_"$VERSION"_*.changes
