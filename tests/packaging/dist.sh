#!/bin/sh
# make test-dist: the tarball in file systems with nothing else in them, and in Debian 11: it collects from
# the fake cloud by a name, over TLS, with the authorities where each distribution has them. Everything is
# in a network of its own, so it needs root. OLD=DIR is a Debian 11, else debootstrap makes one.
set -eu
CHROOT=kept # nothing but $work is removed
chroot=$(command -v chroot)
. tests/packaging/lib.sh
tarball=build/dist/tpucost-$VERSION-linux-$own.tar.gz
other=build/dist/tpucost-$VERSION-linux-arm64.tar.gz

# The files of make install, and the licences of the libraries.
make -s --no-print-directory B="$B" PREFIX= DESTDIR= list-files | sort >"$work/listed"
check_files() { # TARBALL
	tar -tzf "$1" | grep -v '/$' | sed 's|^[^/]*||' | sort >"$work/has"
	is "${1##*/} has the files of make install" "$(diff "$work/listed" "$work/has" | grep '^[<>]')" \
		"> /share/doc/tpucost/LIBRARIES"
	is "${1##*/}: each file is root's, and everybody may read it" \
		"$(tar -tvzf "$1" --numeric-owner | grep -cv '^-r..r..r.. 0/0\|^drwxr-xr-x 0/0')" 0
}
if [ -z "${ALONE:-}" ]; then
	check_files "$tarball"
	mkdir "$work/unpacked"
	tar -xzf "$tarball" -C "$work/unpacked"
	is "no program contains a path of this machine" "$(grep -rlF "$PWD" "$work/unpacked")" ""
	cp "$tarball" "$work/first"
	ARCH=$own VERSION=$VERSION B=$B MAKE=make sh packaging/dist.sh >/dev/null
	is "packing again gives the same bytes" "$(cmp "$work/first" "$tarball" && echo same)" same
fi

[ "$(id -u)" -eq 0 ] || skip "only root can make a chroot"
if [ -z "${ALONE:-}" ]; then
	old=${OLD:-$work/old}
	[ -x "$old/bin/sh" ] || debootstrap --variant=minbase bullseye "$old" ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 || {
		echo "$test: skipped: Debian 11: debootstrap failed: $(tail -n 1 "$work/log")"
		old=
	}
	unshare -n true 2>/dev/null || skip "no network namespaces"
	ALONE=1 OLD=$old PASSED=$passed FAILED=$failed unshare -n sh "$0" && exit 0
	exit 1
fi
ip link set lo up
ip address add 8.8.4.4/32 dev lo # a public address: others are refused
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/ca.key" -out "$work/ca.pem" -subj /CN=test -days 2 2>/dev/null
openssl req -newkey rsa:2048 -nodes -keyout "$work/key" -out "$work/csr" -subj /CN=cloud.example 2>/dev/null
printf 'subjectAltName=DNS:cloud.example' >"$work/ext"
openssl x509 -req -in "$work/csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -out "$work/pem" \
	-days 2 -extfile "$work/ext" 2>/dev/null
sandbox
python3 -B tests/packaging/front.py cloud.example 8.8.4.4 "$work/pem" "$work/key" "$(cat "$work/port")" "$work/ready" &
front=$!
trap 'kill $front; finish' EXIT
while [ ! -s "$work/ready" ] && kill -0 $front; do sleep 0.1; done
endpoint=https://cloud.example:$(cat "$work/ready")

# at ROOT TARBALL: unpacks it as a user would, with a configuration and a name server
at() {
	root=$1
	mkdir -p "$root/usr/local" "$root/etc" "$root/tmp"
	tar -xzf "$2" -C "$root/usr/local" --strip-components=1
	echo "nameserver 127.0.0.1" >"$root/etc/resolv.conf"
	cp "$work/service-account.json" "$root/tmp/reader.json"
	config t.db >"$root/tmp/t.yaml"
	rm -f "$root"/tmp/t.db*
}
bare() { # without even env
	env -i "$chroot" "$root" "$@" 2>&1
}
check_answers() { # NAME
	has "$1: it runs" "$(bare /usr/local/bin/tpucost version)" "tpucost $VERSION"
	has "$1: a certificate of an unknown authority is refused" \
		"$(bare /usr/local/bin/tpucost --config /tmp/t.yaml collect)" "certificate"
	for ca in /etc/ssl/certs/ca-certificates.crt /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem \
		/etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
		mkdir -p "$root${ca%/*}"
		[ ! -e "$root$ca" ] || continue
		cp "$work/ca.pem" "$root$ca"
		rm -f "$root"/tmp/t.db* # a second poll has no new alerts
		polls "$1: it collects by name and TLS, with the authorities of $ca" \
			bare /usr/local/bin/tpucost --config /tmp/t.yaml collect -q
		rm "$root$ca"
	done
	cp "$work/ca.pem" "$root/tmp/ca.pem"
	rm -f "$root"/tmp/t.db*
	polls "$1: with SSL_CERT_FILE" env -i SSL_CERT_FILE=/tmp/ca.pem "$chroot" "$root" \
		/usr/local/bin/tpucost --config /tmp/t.yaml collect -q
	has "$1: and answers" "$(bare /usr/local/bin/tpucost --config /tmp/t.yaml ps --format csv --columns name,why)" \
		"tpu-wrong,wrong-zone"
}
at "$work/bare" "$tarball"
mkdir "$work/bare/proc"
mount -t proc proc "$work/bare/proc"
check_answers "nothing else"
umount "$work/bare/proc"
if [ -n "$OLD" ]; then
	at "$OLD" "$tarball"
	check_answers "Debian 11"
	rm -rf "$OLD/usr/local/bin/tpucost" "$OLD"/tmp/*
fi
root=
[ -f "$other" ] || skip "arm64: not built (make ARCH='amd64 arm64' test-dist)"
check_files "$other"
qemu=$(command -v qemu-aarch64-static) || skip "arm64: qemu-user-static is not installed"
at "$work/arm64" "$other"
cp "$qemu" "$work/arm64/qemu"
cp "$work/ca.pem" "$work/arm64/tmp/"
has "arm64: it runs" "$(bare /qemu /usr/local/bin/tpucost version)" "tpucost $VERSION"
# without binfmt_misc the one cannot start the other
polls "arm64: it collects by name and TLS" env -i SSL_CERT_FILE=/tmp/ca.pem "$chroot" "$root" /qemu \
	/usr/local/libexec/tpucost/tpucost-net --config /tmp/t.yaml collect -q
has "arm64: and answers" "$(bare /qemu /usr/local/bin/tpucost --config /tmp/t.yaml ps --format csv --columns name,why)" \
	"tpu-wrong,wrong-zone"
root=
result
