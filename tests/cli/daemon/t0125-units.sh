# As a service of the machine: its group reads the database and nobody else, without a right to write;
# and the units of systemd are right and hardened.
. "$ROOT/tests/cli/lib.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q
is "elsewhere the database is private" "$(stat -c %a t.db) $(ls | grep -c "t.db-")" "600 0"
chmod 755 .
chmod 644 tpucost.yaml
mkdir state
group=$(id -g)
[ "$(id -u)" -ne 0 ] || group=65534
chgrp "$group" state
chmod 2750 state
sed -i 's|t\.db|state/t.db|' tpucost.yaml
tpucost collect -q
is "the group may read what is in a directory of the group" \
	"$(stat -c '%a %g %n' state/t.db state/t.db-shm state/t.db-wal)" "640 $group state/t.db
640 $group state/t.db-shm
640 $group state/t.db-wal"
is "nothing waits in the files that stay" "$(stat -c %s state/t.db-wal)" 0
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65533 --regid="$group" --clear-groups "$B/tpucost" version >/dev/null 2>&1; then
	member() {
		setpriv --reuid=65533 --regid="$group" --clear-groups "$B/tpucost" "$@"
	}
	run member ps --format json
	status "a member of the group asks" 0
	is "and gets the answer" "$(echo "$out" | jq length)" 9
	is "nothing changes by it" "$(stat -c '%a %u %n' state/* | LC_ALL=C sort)" "600 0 state/t.db.lock
640 0 state/t.db
640 0 state/t.db-shm
640 0 state/t.db-wal"
	run member silence ip-unused --for 1h
	is "a member changes nothing" "$((rc != 0))" 1
	run setpriv --reuid=65533 --regid=65532 --clear-groups "$B/tpucost" ps
	status "nobody else gets an answer" 1
	# while somebody writes, a member sees one moment
	(
		i=0
		while [ $i -lt 8 ]; do
			i=$((i + 1))
			tpucost collect -q instances
		done
	) &
	writer=$!
	bad=0 reads=0
	while kill -0 $writer 2>/dev/null; do
		reads=$((reads + 1))
		[ "$(member ps --format json | jq length)" = 9 ] || bad=$((bad + 1))
	done
	wait $writer
	is "$reads answers while somebody writes are right" "$bad" 0
else
	pass "skipped: only root can ask as a member of a group"
fi

# who is not in the group yet is told of it, and not only how to begin
mkdir -p etc/tpucost
cp tpucost.yaml etc/tpucost/config.yaml
chmod 750 etc/tpucost
if [ "$(id -u)" -eq 0 ] && unshare -m sh -c 'mount --bind "$0/etc" /etc' "$work" 2>/dev/null; then
	run unshare -m sh -c 'mount --bind "$1/etc" /etc && exec setpriv --reuid=65533 --regid=65532 --clear-groups \
		env -u TPUCOST_CONFIG HOME=/nowhere "$0" ps' "$B/tpucost" "$work"
	is "a configuration of the machine for others: what to do" "$rc $err" "2 tpucost: no configuration: \
/nowhere/.config/tpucost/config.yaml does not exist, and this user cannot read /etc/tpucost/config.yaml; \
join the group of that directory and log in again (docs/operate.md), or write your own with: tpucost init"
	chmod 755 etc/tpucost
	rm etc/tpucost/config.yaml
	run unshare -m sh -c 'mount --bind "$1/etc" /etc && exec setpriv --reuid=65533 --regid=65532 --clear-groups \
		env -u TPUCOST_CONFIG HOME=/nowhere "$0" ps' "$B/tpucost" "$work"
	is "none at all: what to do" "$rc $err" "2 tpucost: no configuration: \
/nowhere/.config/tpucost/config.yaml does not exist; write one with: tpucost init; or name it with --config FILE"
else
	pass "skipped: only root with namespaces can play another /etc"
fi

if ! command -v systemd-analyze >/dev/null 2>&1; then
	pass "skipped: systemd-analyze is not installed"
	exit 0
fi
mkdir units user
ln -s "$B/tpucost" program # ExecStart= takes no blank
for f in "$ROOT"/packaging/*.service "$ROOT"/packaging/*.socket "$ROOT"/packaging/*.timer; do
	sed "s|/usr/bin/tpucost|$work/program|; /^Documentation=/d; /^User=/d; /^Group=/d" "$f" >"units/${f##*/}"
done
for f in "$ROOT"/packaging/user/*.service; do
	sed "s|/usr/bin/tpucost|$work/program|; /^Documentation=/d" "$f" >"user/${f##*/}"
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
for f in tpucost tpucost-once tpucost-web; do
	run systemd-analyze security --offline=true "$ROOT/packaging/$f.service"
	exposure=$(echo "$out" | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p')
	is "$f.service is exposed by $exposure at most 2.0" \
		"$(awk -v x="$exposure" 'BEGIN { print (x != "" && x <= 2.0) }')" 1
done
for f in packaging packaging/user; do
	is "$f: who reloads is told what is wrong before the daemon is" \
		"$(sed -n 's/^ExecReload=\([^ ]* *[^ ]*\).*/\1/p' "$ROOT/$f/tpucost.service" | tr '\n' ' ')" \
		"/usr/bin/tpucost check /bin/kill -HUP "
done
is "both services are hardened alike" \
	"$(sed -n '/^NoNew/,/^TasksMax/p' "$ROOT/packaging/tpucost.service")" \
	"$(sed -n '/^NoNew/,/^TasksMax/p' "$ROOT/packaging/tpucost-once.service")"
