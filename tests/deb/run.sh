#!/bin/sh
# make test-deb: the package in a Debian 12 of its own, made with debootstrap: installed, run against
# the fake cloud, upgraded, removed, purged. Needs root, debootstrap, and Debian's mirror
# (MIRROR=URL, else that of debootstrap); says so and succeeds where they are missing. CHROOT=DIR keeps the Debian for later runs.
set -eu
B=${B:-build/release}
deb=$(ls build/deb/tpucost_"$VERSION"_*.deb)
skip() {
	echo "test-deb: skipped: $*"
	exit 0
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a chroot"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
root=${CHROOT:-$(mktemp -d)/debian}
work=$(mktemp -d)
pid=
finish() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	! mountpoint -q "$root/proc" || umount "$root/proc"
	rm -rf "$work"
	[ -n "${CHROOT:-}" ] || rm -rf "${root%/debian}"
}
trap finish EXIT
trap 'exit 1' INT TERM
passed=0 failed=0
is() { # NAME GOT WANT
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'not ok %s\n    got:  %s\n    want: %s\n' "$1" "$2" "$3"
	fi
}
has() { # NAME TEXT PART
	case $2 in
	*"$3"*) is "$1" yes yes ;;
	*) is "$1" "$2" "... $3 ..." ;;
	esac
}
in_root() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" 2>&1
}
apt() {
	in_root apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}

[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase bookworm "$root" ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 ||
	skip "debootstrap failed: $(tail -n 1 "$work/log")"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
# nothing is started in there
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
apt update >/dev/null || true
in_root dpkg --purge tpucost >/dev/null || true
files() { # what is there, but for what packages keep books in
	(cd "$root" && find etc usr lib var/lib/tpucost opt srv ! -path '*/__pycache__*' 2>/dev/null | sort)
}

cp "$deb" "$root/tmp/tpucost.deb"
# what it depends on first, so that before and after differ by tpucost alone
apt install $(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g') >"$work/log" ||
	skip "its dependencies cannot be installed: $(tail -n 1 "$work/log")"
files >"$work/before"

out=$(in_root dpkg -i /tmp/tpucost.deb) || true
is "it installs" "$(in_root dpkg-query -W -f '${Status} ${Version}' tpucost)" "install ok installed $VERSION"
case $out in
*[Ww]arning* | *[Ee]rror*) is "without a word" "$out" "" ;;
*) is "without a word" yes yes ;;
esac
has "it runs" "$(in_root tpucost version)" "tpucost $VERSION"
is "every library is there" "$(in_root ldd /usr/bin/tpucost /usr/libexec/tpucost/tpucost-net | grep -c 'not found')" 0
is "the example is right" "$(in_root tpucost --config /usr/share/doc/tpucost/examples/config.yaml check >/dev/null; echo $?)" 0

"$B/sandbox" --port 0 --port-file "$work/port" --key-out "$work" tests/sandbox/worlds/lab.yaml >"$work/sandbox" 2>&1 &
pid=$!
while [ ! -s "$work/port" ] && kill -0 $pid; do sleep 0.1; done
mkdir -p "$root/etc/tpucost" "$root/var/lib/tpucost"
install -m 600 "$work/service-account.json" "$root/etc/tpucost/reader.json"
cat >"$root/etc/tpucost/config.yaml" <<CONF
timezone: UTC
projects: [tpu-develop]
credentials: reader.json
database: /var/lib/tpucost/tpucost.db
grants:
  - {name: trc, starts: $(date -u +%F --date="@$(($(date +%s) - 20 * 86400))"), days: 30, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}
endpoints: {all: "http://127.0.0.1:$(cat "$work/port")"}
CONF
in_root tpucost check >"$work/out" || true
has "/etc/tpucost/config.yaml is found" "$(cat "$work/out")" "fine"
in_root tpucost collect -q >"$work/out" && rc=0 || rc=$?
is "it polls" "$rc $(cat "$work/out")" "0 "
has "and answers" "$(in_root tpucost ps --format csv --columns name,why)" "tpu-wrong,wrong-zone"
rows=$(in_root tpucost ps --all --format json | jq length)

# The next version.
rm -rf "$work/next"
dpkg-deb -R "$deb" "$work/next"
sed -i "s/^Version: .*/Version: $VERSION+next/" "$work/next/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/next" "$root/tmp/next.deb" >/dev/null
in_root dpkg -i /tmp/next.deb >"$work/out" || cat "$work/out"
is "it upgrades" "$(in_root dpkg-query -W -f '${Status} ${Version}' tpucost)" "install ok installed $VERSION+next"
is "and knows what it knew" "$(in_root tpucost ps --all --format json | jq length)" "$rows"

in_root dpkg --remove tpucost >"$work/out" || cat "$work/out"
is "it can be removed" "$(ls "$root/usr/bin/tpucost" 2>/dev/null)" ""
is "what was collected stays" "$(ls "$root/var/lib/tpucost/tpucost.db")" "$root/var/lib/tpucost/tpucost.db"
in_root dpkg -i /tmp/tpucost.deb >/dev/null || true
is "and is there when it comes back" "$(in_root tpucost ps --all --format json | jq length)" "$rows"
in_root dpkg --purge tpucost >"$work/out" || cat "$work/out"
is "without complaint" "$(grep -i 'warning\|error' "$work/out")" ""
is "purged, nothing of it stays but what people wrote" "$(files | diff "$work/before" - | grep '^[<>]' | tr '\n' ' ')" \
	"> etc/tpucost > etc/tpucost/config.yaml > etc/tpucost/reader.json "
rm -rf "$root/etc/tpucost"
echo "deb: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
