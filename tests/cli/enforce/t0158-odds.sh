# What may go wrong and has no better place: cases C11, D11, E12, E13, F9 and K4 of tests/faults.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-daemon.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
mkdir zones
cp -r /usr/share/zoneinfo/Asia zones/
TZDIR=$work/zones
export TZDIR
write_config "rules:
  - {name: one, on: resources, where: \"name = 'big'\"}
notify: [{name: log, file: {path: told.jsonl}}]"
sed -i 's,^timezone: .*,timezone: Asia/Tokyo,' tpucost.yaml

# ---- E12
bad() { # NAME LINES PART
	printf 'projects: [p-one-1]\n%s\n' "$2" >bad.yaml
	run tpucost check --config bad.yaml
	status "$1: status" 2
	has "$1: said" "$err" "$3"
}
bad "two rules of one name" 'rules: [{name: r, on: resources, where: 1}, {name: r, on: burn, where: 1}]' \
	'bad.yaml:2:45: rule r: listed twice'
printf 'projects: [p-one-1]\nenforcement: {mode: dry-run, projects: [p-two-2]}\n' >bad.yaml
run tpucost check --strict --config bad.yaml
status "a project that is not watched: status" 3
has "a project that is not watched: said" "$err" "enforcement.projects: 'p-two-2' is not watched"

# ---- F9: what is a pattern elsewhere
tpucost collect -q
run tpucost ps --project 'lab_one' --format json
is "an underscore is no other letter" "$(printf '%s' "$out" | jq -c length)" "$([ $rc = 2 ] || echo 0)"
run tpucost ps --project 'lab-%' --format json
is "a percent sign stands for nothing" "$(printf '%s' "$out" | jq -c length)" "$([ $rc = 2 ] || echo 0)"
for name in 'b_g' 'bi%' '%' '_ig' 'b*g' 'b[i]g'; do
	run tpucost why "$name"
	is "why $name: there is no such thing" "$rc$out" 2
	run tpucost hold "$name" --until "$(day 2)"
	is "hold $name: there is no such thing" "$rc" 1
done
is "nothing was held" "$(tpucost hold list --format json | jq length)" 0
run tpucost ps --where "kind = 'vm' AND (name LIKE 'b_g' OR name = 'b_g')" --columns name --format csv
is "in a condition they are SQL's own" "$(printf %s "$out" | tr -d '\r' | tr '\n' ' ')" "name big"

# ---- C11: as far as one can tell
case $B in
*asan*) pass "skipped: the sanitizer comes before what is preloaded" ;;
*)
	disk="tpucost doctor --format json"
	$disk >plain.json 2>/dev/null
	is "a disk of this machine" "$(jq -r '.[] | select(.check == "disk") | .status' plain.json)" ok
	for kind in 0x6969 0xFF534D42 0x01021997; do
		run env LD_PRELOAD="$LD_PRELOAD:$work/.test/preload.so" FAKE_FS=$kind "$B/tpucost" doctor --format json
		is "a disk of another one, $kind" \
			"$(jq -r '.[] | select(.check == "disk") | .status + " " + .detail' stdout | grep -c '^warn .* network file system: ')" 1
	done
	;;
esac

# ---- K4: a crash leaves no core file
ulimit -c unlimited 2>/dev/null
start_daemon
wait_for "a cycle" daemon.err "tpucost[run]: debug: cycle of"
is "no core file is allowed" "$(sed -n 's/^Max core file size *//p' "/proc/$daemon_pid/limits" | tr -s ' ')" "0 0 bytes "

# ---- D11: other rules for the zone, while it runs
tokyo=$(tpucost sql "SELECT MIN(day) AS d FROM costs" --format json | jq -r '.[0].d')
days() { tpucost cost --by day --format csv | tr -d '\r'; }
before=$(days)
sum() { tpucost sql "SELECT SUM(cost) AS c, SUM(credits) AS k FROM costs" --format json; }
total=$(sum)
cp zones/Asia/Tokyo zones/tokyo.old
cp zones/Asia/Tehran zones/tokyo.new
mv zones/tokyo.new zones/Asia/Tokyo
n=$(grep -cF "tpucost[run]: debug: cycle of" daemon.err)
kill -HUP "$daemon_pid"
wait_until more_than "$n" "tpucost[run]: debug: cycle of"
tpucost collect billing -q
after=$(days)
is "other rules of a zone make other days" "$([ "$before" = "$after" ] && echo same)" ""
is "which add up to the same" "$(sum)" "$total"
sed -i 's,^timezone: .*,timezone: Asia/Tehran,' tpucost.yaml
tpucost collect billing -q
is "they are the days of those rules" "$(days)" "$after"
sed -i 's,^timezone: .*,timezone: Asia/Tokyo,' tpucost.yaml
mv zones/tokyo.old zones/Asia/Tokyo
tpucost collect billing -q
is "and back" "$(days)" "$before"

# ---- E13: a configuration that is being written when it is read
: >notes
cp tpucost.yaml whole.yaml
reloads=0
for cut in 0 7 40 90 150; do
	head -c $cut whole.yaml >tpucost.yaml
	kill -HUP "$daemon_pid"
	wait_until more_than $reloads 'error: not reloaded'
	reloads=$((reloads + 1))
done
is "what is cut is refused, and what was loaded stays" "$(grep -c 'error: not reloaded' daemon.err) $(grep -c 'info: reloaded' daemon.err)" "5 1"
# the beginning of one is one, too, when it ends with a line: it is read when nobody writes it any more
lines=$(grep -n '^endpoints:' whole.yaml | cut -d: -f1)
head -n "$lines" whole.yaml >tpucost.yaml
kill -HUP "$daemon_pid"
sleep 0.2
cat whole.yaml >tpucost.yaml
wait_for "it was read" daemon.err "tpucost[run]: info: reloaded"
wait_until more_than 1 'info: reloaded'
is "what is half written is waited for" "$(grep 'info: reloaded' daemon.err | sed 's/.*projects, //; s/,.*//' | uniq -c | xargs)" "2 1 channel"
# so it is for cron, and for who acts by hand: the half has another database
got=
for cycle in "run --once" "enforce --apply"; do
	rm -rf half && mkdir half
	printf 'timezone: UTC\nprojects: []\n' >half/conf.yaml
	# shellcheck disable=SC2086 # two words
	tpucost --config half/conf.yaml $cycle >/dev/null 2>&1 &
	cycle_pid=$!
	sleep 0.1
	printf 'database: whole.db\n' >>half/conf.yaml
	wait $cycle_pid
	got="$got$cycle: $(cd half && ls tpucost.db whole.db 2>/dev/null); "
done
is "so it is by who looks once" "$got" "run --once: whole.db; enforce --apply: whole.db; "
wait_until childless
kill -SEGV "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
is "it crashed, and there is none" "$(ls core* 2>/dev/null)" ""
