# make install puts everything where DESTDIR and PREFIX say, what it puts there works from there, and
# make uninstall takes exactly that away again.
. "$ROOT/tests/cli/lib.sh"
makeit() { # TARGET...: no packages are looked for, nothing is built anew
	run make -s -C "$ROOT" B="${B#"$ROOT"/}" PREFIX=/opt/there DESTDIR="$work/root" "$@"
}
makeit install-files
status "make install" 0
find root -type f | sort >installed
for f in bin/tpucost libexec/tpucost/tpucost-net libexec/tpucost/tpucost-web share/doc/tpucost/README.md \
	share/doc/tpucost/examples/config.yaml share/doc/tpucost/examples/rules.yaml share/doc/tpucost/docs/views.md; do
	is "there is $f" "$(grep -cx "root/opt/there/$f" installed)" 1
done
is "all of it below the prefix" "$(grep -vc '^root/opt/there/' installed)" 0
is "everybody may read it" "$(find root -type f ! -perm -444 | wc -l)" 0
is "three programs" "$(find root -type f -perm -111 | sort | tr '\n' ' ')" \
	"root/opt/there/bin/tpucost root/opt/there/libexec/tpucost/tpucost-net root/opt/there/libexec/tpucost/tpucost-web "
# the links between the pages lead somewhere there, too
missing=
for page in root/opt/there/share/doc/tpucost/*.md root/opt/there/share/doc/tpucost/docs/*.md; do
	for to in $(grep -oE '\]\([^)#:]+' "$page" | cut -c3-); do
		case $to in
		http* | *tests/* | */rules/*) continue ;; # elsewhere, or of the sources alone
		esac
		[ -e "$(dirname "$page")/$to" ] || missing="$missing $page:$to"
	done
done
is "no link leads nowhere" "$missing" ""
is "units name files that are there" "$(grep -rho '/[a-z/]*/\(bin\|share\)/[^ ]*' root/opt/there/lib/systemd | sort -u | while read -r f; do
	[ -e "root$f" ] || echo "$f"
done)" ""

cp root/opt/there/share/doc/tpucost/examples/config.yaml example.yaml
run root/opt/there/bin/tpucost --config example.yaml check
status "the example is right" 0
sed 's/^#\([a-z]\|  \)/\1/' example.yaml >all.yaml
mkdir -p etc && printf 'https://hooks.slack.com/services/T/B/x\n' >etc/slack && chmod 600 etc/slack
sed -i "s|/etc/tpucost/slack|$work/etc/slack|" all.yaml
run root/opt/there/bin/tpucost --config all.yaml check
status "also with everything in it switched on" 0
run root/opt/there/bin/tpucost --config all.yaml sources
is "it works where it was never meant to be" "$rc" 1
has "and says what comes first" "$err" "tpucost collect"
mv root elsewhere
run elsewhere/opt/there/bin/tpucost --config all.yaml notify test nobody
case $err in
*"not installed"*) flunk "the other program is found after a move" ;;
*) pass "the other program is found after a move" ;;
esac
mv elsewhere root

echo keep >root/opt/there/bin/other
makeit uninstall
status "make uninstall" 0
is "takes all of it away, and nothing else" "$(find root -type f | tr '\n' ' ')" "root/opt/there/bin/other "
is "with its directories" "$(find root -name 'tpucost*' | wc -l)" 0
makeit uninstall
status "once more is no error" 0

# another prefix is no reason to compile everything anew
for prefix in one two; do
	make -s -C "$ROOT" B="$work/there" PREFIX=/$prefix "$work/there/.flags" "$work/there/.libexecdir" >/dev/null 2>&1
	cp there/.flags flags.$prefix
	cp there/.libexecdir place.$prefix
done
is "another prefix: the flags of all files are the same" "$(cmp flags.one flags.two && echo same)" same
is "and the one that needs it is compiled anew" "$(cat place.one place.two)" "/one/libexec/tpucost
/two/libexec/tpucost"
