#!/bin/sh
# make dist: build/dist/tpucost-VERSION-linux-ARCH.tar.gz with programs that need no library of the system,
# and every file that `make install` installs, and LIBRARIES with their licences. Unpack it into /usr/local or ~/.local. The same commit with
# the same versions of the libraries gives the same bytes. They are linked with musl: with glibc, a static
# program loads name services and character sets of the system's glibc, which must be of the same version.
set -eu
own=$(dpkg --print-architecture)
arch=${ARCH:-$own}
out=build/dist
name=tpucost-$VERSION-linux-$arch
libs=build/static
case $arch in
arm64) tool=aarch64-linux-gnu- ;;
amd64) tool=x86_64-linux-gnu- ;;
*)
	echo "tpucost: make dist failed: '$arch' is not a known architecture (expected amd64 or arm64)" >&2
	exit 1
	;;
esac
command -v "${tool}gcc" >/dev/null || {
	echo "tpucost: make dist failed: there is no compiler for $arch; install it as root with:" >&2
	echo "  apt-get install crossbuild-essential-$arch" >&2
	exit 1
}
sh packaging/static.sh "$arch" "$libs"
# The manual pages are printed by a program that this machine can run.
$MAKE --no-print-directory "$B/tpucost"
root=$PWD/$libs/$arch
# Linked again, because a library may be newer.
rm -f "$libs/$arch/tpucost/tpucost" "$libs/$arch/tpucost/tpucost-net" "$libs/$arch/tpucost/tpucost-web"
PKG_CONFIG_LIBDIR="$root/lib/pkgconfig" $MAKE --no-print-directory B="$libs/$arch/tpucost" TOOL="$B/tpucost" \
	CC="$root/bin/musl-gcc" AR="${tool}ar" PKG_CONFIG='pkg-config --static' PKG_TEST= PREFIX=/usr/local \
	CPPFLAGS="-I$root/include -DLIBXML_STATIC" LDFLAGS='-static -no-pie -Wl,--gc-sections' CFLAGS='-g0 -fno-pie' all

rm -rf "${out:?}/$name" "$out/$name.tar.gz"
# Units contain the path of the program; everything else works from any place.
$MAKE --no-print-directory B="$libs/$arch/tpucost" PREFIX=/usr/local DESTDIR="$PWD/$out/$name/root" install-files
mv "$out/$name/root/usr/local/"* "$out/$name/"
rm -r "$out/$name/root"
"${tool}strip" "$out/$name/bin/tpucost" "$out/$name/libexec/tpucost/tpucost-net" \
	"$out/$name/libexec/tpucost/tpucost-web"
sh packaging/static.sh --licences "$libs" >"$out/$name/share/doc/tpucost/LIBRARIES"
when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
tar -C "$out" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
	--format=gnu -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
rm -rf "${out:?}/$name"
echo "  DIST  $out/$name.tar.gz"
