# make install without root, into a home that has nothing yet: every file of the list is below it, the
# programs work, and the unit is where systemd searches those of a user.
. "$ROOT/tests/cli/lib.sh"
mkdir home
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
	if ! setpriv --reuid=65533 --regid=65533 --clear-groups test -r "$ROOT/Makefile" 2>/dev/null; then
		pass "skipped: another user cannot read the sources"
		exit 0
	fi
	chmod 755 . && chown 65533:65533 home
	as_user() { setpriv --reuid=65533 --regid=65533 --clear-groups "$@"; }
fi
makeit() { # TARGET
	run as_user env -u TPUCOST_CONFIG HOME="$work/home" make -s -C "$ROOT" B="${B#"$ROOT"/}" PREFIX="$work/home/.local" "$@"
}
makeit install-files
status "make install" 0
makeit list-files
is "installs the files of its list, and no other" "$(echo "$out" | sort)" "$(find "$work/home" -type f | sort)"
is "all are the user's" "$(find home ! -user "$(stat -c %u home)" | wc -l)" 0
run as_user env -i HOME="$work/home" "$work/home/.local/bin/tpucost"
has "the first start says what to do" "$out" "tpucost init"
# doctor is in the other program
run as_user env -i HOME="$work/home" "$work/home/.local/bin/tpucost" doctor
has "the other program is found" "$out" "no configuration"
is "the unit has the path of the program" "$(grep ^ExecStart= home/.local/share/systemd/user/tpucost.service)" \
	"ExecStart=$work/home/.local/bin/tpucost run"
makeit uninstall
is "make uninstall leaves no file" "$rc $(find home -type f)" "0 "
