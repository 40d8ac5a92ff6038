# --watch and top: drawn in place until one leaves, with the terminal as it was afterwards.
. "$ROOT/tests/cli/lib.sh"
unset LC_ALL LC_CTYPE LINES
TERM=xterm LANG=C.UTF-8
export TERM LANG
start_sandbox "$ROOT/tests/sandbox/worlds/lab.yaml"
write_config
sed -i "s/projects: .*/projects: [tpu-develop]/; /^billing/d" tpucost.yaml
run tpucost collect
status "the world is read" 0
enter=$(printf '\033[?1049h\033[?25l') leave=$(printf '\033[?25h\033[?1049l')
# tty SIZE COMMAND... with steps on standard input
tty() {
	run python3 "$ROOT/tests/support/run/terminal.py" "$@"
}

tty 100x30 "$B/tpucost" ps --watch 60 <<'STEPS'
modes before
expect Every 60s: tpucost ps --watch 60
expect tpu-wrong
modes within
send q
STEPS
status "q leaves" 0
is "the other screen is entered and left" "$(tail -c 14 stdout)" "$leave"
has "once" "$out" "$enter"
has "keys are not shown while it runs" "$err" "within: False False"
tty 100x30 "$B/tpucost" ps --watch 60 <<'STEPS'
expect tpu-wrong
send \x03
STEPS
status "so does Ctrl-C, and that is no failure" 0
has "the screen is left" "$out" "$leave"
tty 100x30 sh -c "'$B/tpucost' ps --watch 60; stty -a" <<'STEPS'
expect tpu-wrong
send q
STEPS
has "afterwards lines are edited and shown again" "$(tr '\n' ' ' <stdout)" " icanon "
is "and echoed" "$(grep -c ' -echo ' stdout)" 0
tty 100x30 "$B/tpucost" ps --watch 60 <<'STEPS'
expect tpu-wrong
signal TERM
STEPS
status "a signal ends it as signals do" 143
is "after the screen is left" "$(tail -c 14 stdout)" "$leave"
tty 100x30 "$B/tpucost" ps --watch 60 <<'STEPS'
expect tpu-wrong
signal TSTP
expect \x1b[?1049l
stopped
signal CONT
expect \x1b[?1049h
expect tpu-wrong
send q
STEPS
status "stopped and continued it draws again" 0
tty 120x30 "$B/tpucost" sql "SELECT 'a-machine' AS name, 'europe-west4-a' AS location, 8.8 AS gross_per_hour" --watch 60 <<'STEPS'
expect a-machine  europe-west4-a
resize 24x30
expect gross_per_hour:
send q
STEPS
status "another size is another form" 0

export B TPUCOST_CONFIG
tty 100x30 "$B/tpucost" sql "SELECT count(*) AS silent FROM silences" --watch 1 <<'STEPS'
expect silent
expect 0
run "$B/tpucost" -q silence ip-unused --for 2h
expect 1\x1b[K
run mv t.db away
expect t.db
expect 1\x1b[K
run mv away t.db
run "$B/tpucost" -q silence tpu-idle --for 2h
expect 2\x1b[K
send q
STEPS
status "new data shows; what fails is said above the last answer, and it goes on" 0
tty 60x8 "$B/tpucost" ps --watch 60 <<'STEPS'
expect more lines
send q
STEPS
status "what there is no room for is counted" 0

run tpucost ps --where nonsense --watch 5
status "a wrong question is refused at once" 2
tty 100x30 "$B/tpucost" ps --where nonsense --watch 5 </dev/null
status "in a terminal too" 2
is "without touching the screen" "$(grep -c '1049' stdout)" 0
for wrong in "ps --watch 0" "ps --watch x" "ps --watch 5 --format csv" "enforce --apply --watch 5" "doctor --watch 5" \
	"hold list --watch 5"; do
	run tpucost $wrong
	status "refused: $wrong" 2
done

# until_two COMMAND...: Ctrl-C after the second answer, which begins as the first one does
until_two() {
	: >stdout
	"$@" >stdout 2>stderr &
	watching=$!
	wait_until two_answers
	kill -INT $watching
	wait $watching
	rc=$?
	out=$(cat stdout)
	err=$(cat stderr)
}
two_answers() { [ "$(grep -c "^$again" stdout)" -ge 2 ]; }
again=--- until_two "$B/tpucost" ps --watch 1
status "no terminal: Ctrl-C is no failure" 0
is "what is drawn is appended, with the time between" \
	"$(grep -c '^--- 20..-..-..T..:..:..Z$' stdout | sed 's/[1-9]/some/')" some
is "without control sequences" "$(grep -c "$(printf '\033')" stdout)" 0
again='\[' until_two "$B/tpucost" ps --watch 1 --format json
is "JSON is one document after the other" "$(jq -s 'length > 1 and (map(type) | unique == ["array"])' stdout)" true
"$B/tpucost" ps --watch 1 2>stderr | head -1 >first
is "whoever stops reading ends it" "$(cut -c1-4 first)" kind

run tpucost top
status "top needs a terminal" 2
has "and says what does not" "$err" "tpucost ps --watch 5"
tty 80x24 "$B/tpucost" top <<'STEPS'
expect Every 5s: tpucost top (q quits)
expect Burn now about
expect trc:
expect tpu-wrong
send q
STEPS
status "top: head lines, then what runs" 0
is "in 24 lines" "$(sed '/1049l/,$d' stdout | wc -l | awk '{print $1 <= 24}')" 1
tty 80x24 "$B/tpucost" top --where "kind = 'tpu'" --limit 1 <<'STEPS'
expect tpu-wrong
send q
STEPS
is "with a filter" "$(grep -c 'tpu-vm\|imagenet' stdout)" 0

# in 46 columns: words stay whole, and rows stay rows
plain() {
	tr -d '\r' <stdout | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/ *$//'
}
tty 46x40 "$B/tpucost" ps --watch 60 <<'STEPS'
expect tpu-wrong
send q
STEPS
is "what it rests on is broken between words" "$(plain | sed -n '/Based on/,/^type, kind/p' | tr '\n' '/')" \
	"Based on: inventory, metrics. No billing/export: cost and credit are unknown; run:/tpucost doctor./not shown in 46 columns: covered,/gross_per_hour, running_hours, location, why,/type, kind/"
tty 46x40 "$B/tpucost" top <<'STEPS'
expect tpu-wrong
send q
STEPS
is "top shows a row for each" "$(plain | grep -c '^tpu-wrong  *8.00  wrong-zone') $(plain | grep -c '^name:')" "1 0"
