#!/bin/sh
# make test-container: the steps of the Containerfile, with chroot in a Debian 12. The result runs as the image
# states: not as root, with a read-only root file system and one volume.
set -eu
. tests/packaging/lib.sh
debian
umount "$root/proc"
# as in the slim image
printf 'path-exclude /usr/share/doc/*\npath-exclude /usr/share/man/*\n' >"$root/etc/dpkg/dpkg.cfg.d/docker"
mkdir "$work/context"
git ls-files -co --exclude-standard | while read -r f; do
	[ ! -f "$f" ] || printf '%s\n' "$f"
done | tar -cf - -T - | tar -xf - -C "$work/context"
/usr/bin/python3 -B tests/packaging/container.py Containerfile "$work/context" "$root" "$work" >"$work/log" 2>&1 || {
	tail -n 20 "$work/log"
	is "it builds" no yes
	result
}
image() { jq -r "$1" "$work/image.json"; }
is "the user is not root" "$(image .user)" 10001:10001
is "one volume" "$(image '.volumes | join(" ")')" /var/lib/tpucost
is "the user owns it" "$(stat -c '%u %g %a' "$work/root/var/lib/tpucost")" "10001 10001 2750"
make -s --no-print-directory B="$B" PREFIX=/usr DESTDIR="$work/root" ZSHDIR=/usr/share/zsh/vendor-completions \
	UNITDIR=/lib/systemd/system USERUNITDIR=/usr/lib/systemd/user list-files >"$work/listed"
is "it has the files of make install, except for two that Debian has elsewhere" \
	"$(while read -r f; do [ -e "$f" ] || [ -e "$f.gz" ] || echo "${f##*/}"; done <"$work/listed" | sort | tr '\n' ' ')" \
	"CHANGELOG.md LICENSE "
is "no file of the build stays" "$(find "$work/root" -xdev -name 'tpucost*.deb' -o -xdev -name '*-dev.list' | wc -l)" 0

sandbox
mkdir "$work/root/etc/tpucost" "$work/volume"
cp "$work/service-account.json" "$work/root/etc/tpucost/reader.json"
chmod 600 "$work/root/etc/tpucost/reader.json"
chown 10001:10001 "$work/root/etc/tpucost/reader.json"
config /var/lib/tpucost/tpucost.db >"$work/root/etc/tpucost/config.yaml"
cp -a "$work/root/var/lib/tpucost/." "$work/volume"
chown 10001:10001 "$work/volume"
chmod 2750 "$work/volume"
# as USER COMMAND...: in the image
as() {
	unshare -m sh -ec 'cd "$1"; mount --bind root root; mount --bind volume root/var/lib/tpucost
		mount -o remount,bind,ro root; mount -t proc proc root/proc; user=$2; shift 2
		exec chroot --userspec="$user" root env -i "$@"' sh "$work" "$1" \
		$(image '.env | to_entries[] | "\(.key)=\(.value)"') sh -c 'cd "$0" && shift && exec "$@"' "$(image .workdir)" \
		"$@" 2>&1
}
# in_image ARGUMENT...: as the image says
in_image() {
	as "$(image .user)" $(image '.entrypoint[]') "$@"
}
has "it runs" "$(in_image version)" "tpucost $VERSION"
is "its root file system cannot be written" "$(as 0:0 touch /usr/x)" "touch: cannot touch '/usr/x': Read-only file system"
has "it finds its configuration" "$(in_image check)" "/etc/tpucost/config.yaml: valid:"
polls "it polls" in_image collect -q
has "and answers" "$(in_image ps --format csv --columns name,why)" "tpu-wrong,wrong-zone"
is "the data is in the volume" "$(stat -c '%u %a' "$work/volume/tpucost.db")" "10001 640"
in_image $(image '.cmd[]') >"$work/daemon" &
daemon=$!
i=0
while [ $i -lt 200 ] && ! grep -qsF "tpucost[run]: info: running" "$work/daemon"; do sleep 0.1; i=$((i + 1)); done
kill -TERM "$(pgrep -P "$daemon")"
wait "$daemon" && rc=0 || rc=$?
is "the daemon starts, and ends when asked" "$rc $(grep -cF 'tpucost[run]: info: ended' "$work/daemon")" "0 1"
result
