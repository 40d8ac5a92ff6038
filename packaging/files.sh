#!/bin/sh
# Files that `make install` installs and `make uninstall` removes.
#   sh packaging/files.sh install|uninstall|list
# Variables of the Makefile: B DESTDIR BINDIR LIBEXECDIR MANDIR DOCDIR UNITDIR USERUNITDIR SYSUSERSDIR
# BASHDIR ZSHDIR FISHDIR.
set -eu

# each MODE SOURCE PLACE
every() {
	each 755 "$B/tpucost" "$BINDIR/tpucost"
	each 755 "$B/tpucost-net" "$LIBEXECDIR/tpucost-net"
	each 755 "$B/tpucost-web" "$LIBEXECDIR/tpucost-web"
	for f in packaging/*.service packaging/*.socket packaging/*.timer; do
		[ ! -f "$f" ] || each unit "$f" "$UNITDIR/${f##*/}"
	done
	for f in packaging/user/*.service; do
		each unit "$f" "$USERUNITDIR/${f##*/}"
	done
	each 644 packaging/tpucost.sysusers "$SYSUSERSDIR/tpucost.conf"
	for f in docs/man/*.in; do
		f=${f##*/}
		f=${f%.in}
		each 644 "$B/man/$f" "$MANDIR/man${f##*.}/$f"
	done
	each 644 "$B/completion/tpucost.bash" "$BASHDIR/tpucost"
	each 644 "$B/completion/tpucost.zsh" "$ZSHDIR/_tpucost"
	each 644 "$B/completion/tpucost.fish" "$FISHDIR/tpucost.fish"
	for f in README.md CHANGELOG.md CONTRIBUTING.md LICENSE; do
		each 644 "$f" "$DOCDIR/$f"
	done
	for f in docs/*.md docs/*.svg docs/*.png docs/*.json docs/adr/*.md; do
		each 644 "$f" "$DOCDIR/$f"
	done
	for f in packaging/examples/*; do
		each 644 "$f" "$DOCDIR/examples/${f##*/}"
	done
}

put() {
	[ -f "$2" ] || {
		echo "tpucost: install: $2 was not built; run: make" >&2
		exit 1
	}
	if [ "$1" = unit ]; then
		install -d "$DESTDIR${3%/*}"
		# units contain the full path of the program
		sed "s|/usr/bin/tpucost|$BINDIR/tpucost|g; s|/usr/share/doc/tpucost|$DOCDIR|g" "$2" >"$DESTDIR$3"
		chmod 644 "$DESTDIR$3"
	else
		install -D -m "$1" "$2" "$DESTDIR$3"
	fi
}
# Our own directories are removed with their last file; others stay.
take() {
	rm -f "$DESTDIR$3"
	d=${3%/*}
	while [ "$d" != "${d%/tpucost*}" ] && [ -d "$DESTDIR$d" ]; do
		rmdir "$DESTDIR$d" 2>/dev/null || break
		d=${d%/*}
	done
}
show() {
	printf '%s\n' "$DESTDIR$3"
}

case ${1:-} in
install) each() { put "$@"; } ;;
uninstall) each() { take "$@"; } ;;
list) each() { show "$@"; } ;;
*)
	echo "usage: packaging/files.sh install|uninstall|list" >&2
	exit 2
	;;
esac
every
