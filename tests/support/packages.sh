#!/bin/sh
# Installs the Debian packages that building and testing need, if any is missing; with "deb" those
# of `make deb`, with "fuzz" those of `make fuzz`. Says which ones and how when it cannot install
# them itself.
set -eu

packages="gcc make pkg-config libsqlite3-dev libcurl4-openssl-dev libssl-dev libcjson-dev
libyaml-dev zlib1g-dev libgmime-3.0-dev libxml2-dev libcmocka-dev libmicrohttpd-dev libcmark-gfm-dev libcmark-gfm-extensions-dev tzdata ca-certificates curl
openssl jq sqlite3 procps python3 python3-jsonschema python3-aiosmtpd spin mandoc clang-format"

[ "${1:-}" != deb ] || packages="debhelper dpkg-dev fakeroot lintian"
[ "${1:-}" != fuzz ] || packages="clang libclang-rt-dev"

missing=
for p in $packages; do
	# virtual names (clang-format) and real ones alike: is a version of it installed?
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
if ! command -v apt-get >/dev/null 2>&1; then
	echo "tpucost: this is not a Debian system; please install the equivalents of:" >&2
	echo " $missing" >&2
	exit 1
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
