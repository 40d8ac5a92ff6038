# Sourced by the tests of packages. They need root, debootstrap and a Debian mirror (MIRROR=URL, else that of
# debootstrap). Without these they print what they skip, and succeed. CHROOT=DIR keeps the Debian root file
# system for later runs. B is the build directory, VERSION that of the package.
unset MAKEFLAGS MFLAGS
B=${B:-build/release}
VERSION=${VERSION:-$(sed -n 's/^VERSION := //p' Makefile)}
own=$(dpkg --print-architecture)
test=${0##*/}
test=test-${test%.sh}
work=$(mktemp -d)
pid=
finish() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null || true
	if [ -n "${root:-}" ]; then
		! mountpoint -q "$root/proc" || umount "$root/proc"
		[ -n "${CHROOT:-}" ] || rm -rf "$root"
	fi
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM
passed=${PASSED:-0} failed=${FAILED:-0}
skip() {
	echo "$test: skipped: $*"
	result
}
result() {
	echo "$test: $passed passed, $failed failed"
	[ "$failed" -eq 0 ] || exit 1
	exit 0
}
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
# debian: makes $root, a Debian 12 of its own
debian() {
	[ "$(id -u)" -eq 0 ] || skip "only root can make a chroot"
	command -v debootstrap >/dev/null || skip "debootstrap is not installed"
	root=${CHROOT:-$(mktemp -d)}
	mkdir -p "$root"
	chmod 755 "$root"
	[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase bookworm "$root" ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 ||
		skip "debootstrap failed: $(tail -n 1 "$work/log")"
	mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
	cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
	rm -f "$root/etc/dpkg/dpkg.cfg.d/docker"
	in_root userdel tpucost >/dev/null || true # of an earlier test: a purge keeps it
	# nothing is started in there
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
}
in_root() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" 2>&1
}
apt() {
	in_root apt-get -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"
}
# sandbox: a fake Google Cloud on this machine; its key is $work/service-account.json
sandbox() {
	"$B/sandbox" --port 0 --port-file "$work/port" --key-out "$work" tests/sandbox/worlds/lab.yaml >"$work/sandbox" 2>&1 &
	pid=$!
	while [ ! -s "$work/port" ] && kill -0 $pid; do sleep 0.1; done
	endpoint=http://127.0.0.1:$(cat "$work/port")
}
# polls NAME COMMAND...: a poll that succeeds prints nothing but the alerts of the lab
polls() {
	name=$1
	shift
	is "$name" "$("$@" 2>&1 >"$work/alerts"; echo $?)" 0
	has "$name: rules" "$(cat "$work/alerts")" "ALERT critical tpu-not-covered (owner ben): tpu-wrong"
	is "$name: nothing else" "$(grep -v '^ALERT ' "$work/alerts")" ""
}
# config DATABASE: a configuration for it, with the key reader.json next to it
config() {
	cat <<-CONF
		timezone: UTC
		projects: [tpu-develop]
		credentials: reader.json
		database: $1
		grants:
		  - {name: trc, starts: $(date -u +%F --date="@$(($(date +%s) - 20 * 86400))"), days: 30, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}
		endpoints: {all: "$endpoint"}
	CONF
}
