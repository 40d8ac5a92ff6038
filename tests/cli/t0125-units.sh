# The units of systemd: they are right, hardened, and name what is there.
. "$ROOT/tests/cli/lib.sh"
if ! command -v systemd-analyze >/dev/null 2>&1; then
	pass "skipped: systemd-analyze is not installed"
	exit 0
fi
mkdir units user
for f in "$ROOT"/packaging/*.service "$ROOT"/packaging/*.timer; do
	sed "s|/usr/bin/tpucost|$B/tpucost|; /^Documentation=/d; /^User=/d; /^Group=/d" "$f" >"units/${f##*/}"
done
for f in "$ROOT"/packaging/user/*.service; do
	sed "s|/usr/bin/tpucost|$B/tpucost|; /^Documentation=/d" "$f" >"user/${f##*/}"
done
for f in units/*; do
	run systemd-analyze verify --man=no --recursive-errors=no "$f"
	is "${f##*/} is right" "$rc $(echo "$err" | grep -F "${f##*/}")" "0 "
done
run systemd-analyze verify --user --man=no --recursive-errors=no user/tpucost.service
case $err in
*"Failed to initialize manager"* | *"XDG_RUNTIME_DIR"*) pass "skipped: no place for units of a user" ;;
*) is "so is the one of a user" "$(echo "$err" | grep -F tpucost.service)" "" ;;
esac
for f in tpucost tpucost-once; do
	run systemd-analyze security --offline=true "$ROOT/packaging/$f.service"
	exposure=$(echo "$out" | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p')
	is "$f.service is exposed by $exposure at most 2.0" \
		"$(awk -v x="$exposure" 'BEGIN { print (x != "" && x <= 2.0) }')" 1
done
is "both services are hardened alike" \
	"$(sed -n '/^NoNew/,/^TasksMax/p' "$ROOT/packaging/tpucost.service")" \
	"$(sed -n '/^NoNew/,/^TasksMax/p' "$ROOT/packaging/tpucost-once.service")"
