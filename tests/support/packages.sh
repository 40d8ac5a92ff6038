#!/bin/sh
# Installs missing Debian packages: those for building and testing; with "build" only those for building, with
# "deb", "dist" or "fuzz" those for `make deb`, `make dist` or `make fuzz`. If it may not install them, it prints
# the command.
set -eu

build="gcc make pkg-config libsqlite3-dev libcurl4-openssl-dev libssl-dev libcjson-dev
libyaml-dev zlib1g-dev libgmime-3.0-dev libxml2-dev libmicrohttpd-dev sqlite3 tzdata ca-certificates"
case ${1:-} in
build) packages=$build ;;
deb) packages="build-essential debhelper dpkg-dev fakeroot lintian" ;;
dist) packages="autoconf automake libtool meson ninja-build tcl dpkg-dev" ;;
fuzz) packages="clang libclang-rt-dev" ;;
*) packages="$build libcmocka-dev libcmark-gfm-dev libcmark-gfm-extensions-dev curl
openssl jq gojq procps python3 python3-jsonschema python3-aiosmtpd spin mandoc clang-format" ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
	[ "${1:-}" = build ] || {
		echo "tpucost: this target needs Debian or a derivative of it; make and make install do not" >&2
		exit 1
	}
	missing=
	for p in sqlite3 libcjson yaml-0.1 libcurl libcrypto zlib gmime-3.0 libxml-2.0 libmicrohttpd; do
		${PKG_CONFIG:-pkg-config} --exists "$p" 2>/dev/null || missing="$missing $p"
	done
	[ -z "$missing" ] || {
		echo "tpucost: libraries are missing:$missing; install their packages for developers (docs/install.md)" >&2
		exit 1
	}
	exit 0
fi

missing=
for p in $packages; do
	# also for virtual packages (clang-format)
	if ! dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed; then
		missing="$missing $p"
	fi
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		root="sudo"
	elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
		root="sudo"
	else
		echo "tpucost: packages are missing and this user may not install them." >&2
		echo "Ask an administrator to run:" >&2
		echo "  apt-get install$missing" >&2
		exit 1
	fi
fi
echo "  APT  $missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $root env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
	# shellcheck disable=SC2086
	$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
		install $missing; } >"$log" 2>&1; then
	cat "$log" >&2
	echo "tpucost: installing packages failed (see above). Needed:$missing" >&2
	exit 1
fi
