#!/bin/sh
# make test-deb: the package in a Debian 12 of its own: installed, run against the fake cloud, upgraded,
# removed, purged. What was built for arm64 runs in qemu-user.
set -eu
. tests/packaging/lib.sh
deb=build/deb/tpucost_${VERSION}_$own.deb
other=build/deb/tpucost_${VERSION}_arm64.deb
debian
apt update >/dev/null || true
in_root dpkg --purge tpucost >/dev/null || true
files() { # all files but those in which packages record themselves
	(cd "$root" && find etc usr lib var/lib/tpucost opt srv ! -path '*/__pycache__*' 2>/dev/null | sort)
}

cp "$deb" "$root/tmp/tpucost.deb"
is "lintian has no objection" "$(lintian --fail-on error,warning --tag-display-limit 0 \
	"build/deb/tpucost_${VERSION}_$own.changes" 2>/dev/null)" ""
# what it depends on first, so that before and after differ by tpucost alone
apt install $(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g') >"$work/log" ||
	skip "its dependencies cannot be installed: $(tail -n 1 "$work/log")"
files >"$work/before"

out=$(in_root dpkg -i /tmp/tpucost.deb) || true
is "it installs" "$(in_root dpkg-query -W -f '${Status} ${Version}' tpucost)" "install ok installed $VERSION"
case $out in
*[Ww]arning* | *[Ee]rror*) is "without a warning" "$out" "" ;;
*) is "without a warning" yes yes ;;
esac
has "it runs" "$(in_root tpucost version)" "tpucost $VERSION"
is "every library is there" "$(in_root ldd /usr/bin/tpucost /usr/libexec/tpucost/tpucost-net | grep -c 'not found')" 0
is "the example is right" "$(in_root tpucost --config /usr/share/doc/tpucost/examples/config.yaml check >/dev/null; echo $?)" 0

sandbox
mkdir -p "$root/etc/tpucost" "$root/var/lib/tpucost"
install -m 600 "$work/service-account.json" "$root/etc/tpucost/reader.json"
config /var/lib/tpucost/tpucost.db >"$root/etc/tpucost/config.yaml"
in_root tpucost check >"$work/out" || true
has "it finds /etc/tpucost/config.yaml" "$(cat "$work/out")" "/etc/tpucost/config.yaml: valid:"
polls "it polls" in_root tpucost collect -q
has "and answers" "$(in_root tpucost ps --format csv --columns name,why)" "tpu-wrong,wrong-zone"
rows=$(in_root tpucost ps --all --format json | jq length)

# The next version.
rm -rf "$work/next"
dpkg-deb -R "$deb" "$work/next"
sed -i "s/^Version: .*/Version: $VERSION+next/" "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next" "$root/tmp/next.deb" >/dev/null
in_root dpkg -i /tmp/next.deb >"$work/out" || cat "$work/out"
is "it upgrades" "$(in_root dpkg-query -W -f '${Status} ${Version}' tpucost)" "install ok installed $VERSION+next"
is "and keeps its data" "$(in_root tpucost ps --all --format json | jq length)" "$rows"

in_root dpkg --remove tpucost >"$work/out" || cat "$work/out"
is "it can be removed" "$(ls "$root/usr/bin/tpucost" 2>/dev/null)" ""
is "the data stays" "$(ls "$root/var/lib/tpucost/tpucost.db")" "$root/var/lib/tpucost/tpucost.db"
in_root dpkg -i /tmp/tpucost.deb >/dev/null || true
is "and is used after it is installed again" "$(in_root tpucost ps --all --format json | jq length)" "$rows"
in_root dpkg --purge tpucost >"$work/out" || cat "$work/out"
is "without complaint" "$(grep -i 'warning\|error' "$work/out")" ""
is "after a purge, only the files of the administrator stay" "$(files | diff "$work/before" - | grep '^[<>]' | tr '\n' ' ')" \
	"> etc/tpucost > etc/tpucost/config.yaml > etc/tpucost/reader.json "
rm -rf "$root/etc/tpucost"

# What `make install` installs is in it, except that Debian has other places and names for two files, and adds one.
make -s --no-print-directory B="$B" PREFIX=/usr DESTDIR= ZSHDIR=/usr/share/zsh/vendor-completions \
	UNITDIR=/lib/systemd/system USERUNITDIR=/usr/lib/systemd/user list-files | sort >"$work/listed"
check_files() { # DEB
	dpkg-deb -c "$1" | awk '$1 !~ /^d/ { print $6 }' | sed 's|^\.||; s|\.gz$||' | sort >"$work/has"
	is "${1##*/} has the files of make install" "$(diff "$work/listed" "$work/has" | grep '^[<>]' | sort | tr '\n' ' ')" \
		"< /usr/share/doc/tpucost/CHANGELOG.md < /usr/share/doc/tpucost/LICENSE \
> /usr/share/doc/tpucost/changelog > /usr/share/doc/tpucost/changelog.Debian > /usr/share/doc/tpucost/copyright "
}
check_files "$deb"

# The package for the other architecture: its programs in qemu, with Debian's libraries.
[ -f "$other" ] || skip "arm64: not built (make ARCH='amd64 arm64' test-deb)"
check_files "$other"
qemu=$(command -v qemu-aarch64-static) || skip "arm64: qemu-user-static is not installed"
in_root dpkg --add-architecture arm64
apt update >"$work/log" && apt install $(dpkg-deb -f "$other" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g' |
	grep -Eo 'z?lib[a-z0-9.+-]*' | sed 's/$/:arm64/') >"$work/log" || skip "arm64: no libraries: $(tail -n 1 "$work/log")"
cp "$qemu" "$root/usr/bin/qemu-aarch64-static"
rm -rf "$root/arm64"
dpkg-deb -x "$other" "$root/arm64"
cp "$work/service-account.json" "$root/arm64/reader.json"
config /arm64/t.db >"$root/arm64/t.yaml"
arm() { # without binfmt_misc the one cannot start the other
	program=$1
	shift
	in_root qemu-aarch64-static "/arm64/usr/$program" --config /arm64/t.yaml "$@"
}
has "arm64: it runs" "$(arm bin/tpucost version)" "tpucost $VERSION"
polls "arm64: it polls" arm libexec/tpucost/tpucost-net collect -q
has "arm64: and answers" "$(arm bin/tpucost ps --format csv --columns name,why)" "tpu-wrong,wrong-zone"
rm -rf "$root/arm64"
result
