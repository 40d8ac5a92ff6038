# A wrong clock makes no figure wrong: what is shown and judged is the state of the last time at which it was right.
. "$ROOT/tests/cli/lib.sh"
cat >world.yaml <<'W'
name: clock
zones: [us-central1-a, us-central1-f]
projects: [{id: lab-one, number: 101}, {id: lab-two, number: 102}]
nodes: [{project: lab-one, zone: us-central1-f, name: good, type: v3-8, created: -3h}]
W
start_sandbox world.yaml
config_one "grants:
  - {name: trc, project: lab-one, starts: 2026-11-10, days: 30,
     tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone us-central1-f]}
report: {daily: {at: '09:00'}}
notify: [{name: log, file: {path: told.jsonl}}]"
# without machines, whose metrics are not requested
sed -i 's/^projects: .*/projects: [lab-one, lab-two]/' tpucost.yaml
run tpucost run --once
is "the TPU is free" "$(tpucost coverage --format json 2>/dev/null | jq -r '.[] | "\(.why) \(.net)"')" "covered 0"
told=$(wc -l <told.jsonl)

# wrong SECONDS WORD: the clock is so far off, the grant has ended or not begun
wrong() {
	clock_ahead "$1" "$B/tpucost" run --once >stdout 2>stderr
	is "$2: the poll fails with one cause" "$(grep -c "the clock of this machine is $2 Google's" stderr)" 1
	has "$2: nothing is to be stopped" "$(cat stdout)" "DATA STALE since 2026-11-18 10:00 (inventory); last known: "
	is "$2: no word of stopping" "$(grep -ci 'stop good' stdout)" 0
	is "$2: no other alert" "$(sqlite3 t.db "SELECT DISTINCT rule FROM alert WHERE state = 'firing'")" source-stale
	is "$2: no other cause" "$(clock_ahead "$1" "$B/tpucost" alerts --format json 2>/dev/null | jq -r '.[].summary' |
		grep -vc "the clock of this machine is $2 Google's")" 0
	clock_ahead "$1" "$B/tpucost" status >stdout 2>stderr
	has "$2: status is as of then" "$(cat stdout)" "Do now (1), as of 2026-11-18 10:00 UTC"
	has "$2: with the fix" "$(cat stdout)" "sudo timedatectl set-ntp true"
	has "$2: the grant is as it was" "$(tr -s ' \n' ' ' <stdout)" "trc: 21.6 days left; v3-8 4/20"
	clock_ahead "$1" "$B/tpucost" coverage --format json >stdout 2>stderr
	is "$2: the TPU is free" "$(jq -r '.[] | "\(.why) \(.net)"' stdout)" "covered 0"
	has "$2: other answers say so" "$(cat stderr)" \
		"note: the clock of this machine is wrong; this is the state of 2026-11-18 10:00 UTC"
	clock_ahead "$1" "$B/tpucost" report daily --format json >stdout 2>stderr
	is "$2: the report is of that day" "$(jq -r '.date' stdout)" 2026-11-18
	has "$2: and says so" "$(cat stderr)" "the state of 2026-11-18 10:00 UTC"
	clock_ahead "$1" "$B/tpucost" status --format json >stdout 2>stderr
	is "$2: so is a status of programs" "$(jq -r '.title' stdout)" "$today"
	clock_ahead "$1" "$B/tpucost" report weekly --format json >stdout 2>stderr
	is "$2: a week ends then" "$(jq -r '.title' stdout)" "$week"
	clock_ahead "$1" "$B/tpucost" ps --since 2h --format json >stdout 2>stderr
	is "$2: so does a period" "$(jq -c ".[] | [.name, .running_hours, .gross]" stdout)" "$hours"
}
today=$(tpucost status --format json | jq -r .title)
week=$(tpucost report weekly --format json | jq -r .title)
hours=$(tpucost ps --since 2h --format json | jq -c ".[] | [.name, .running_hours, .gross]")
wrong 2160000 "ahead of"
wrong -2160000 behind
is "one message says it" "$(($(wc -l <told.jsonl) - told))" 1

# One source is read with the right time: the others only wait for their turn.
set_clock $((NOW + 60))
run tpucost collect -q disk
is "no source blames the clock" "$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE instr(error, 'clock of this machine is')")" 0
has "they say so" "$(sqlite3 t.db "SELECT DISTINCT error FROM source_status WHERE state = 'failed'")" \
	"it was not read since the clock was set"
run tpucost run --once
is "all are read again" "$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'")" 0
is "no alert is left" "$(sqlite3 t.db "SELECT count(*) FROM alert WHERE resolved IS NULL")" 0
run tpucost status
has "the present is the present" "$out" "Nothing to do, as of 2026-11-18 10:01 UTC"

# ---- it was never right: nothing is judged
rm -f t.db t.db-* told.jsonl
clock_ahead 1700000 "$B/tpucost" run --once >stdout 2>stderr
is "nothing is said of a grant" "$(grep -c ALERT stdout) $(sqlite3 t.db 'SELECT count(*) FROM alert')" "0 0"
has "but of the clock" "$(cat stderr)" "the clock of this machine is ahead of Google's"

# Both clocks are set back before what is stored: hours since then are unknown, not negative.
rm -f t.db*
set_clock $NOW
run tpucost run --once
set_clock $((NOW - 86400))
run tpucost run --once
is "hours that have not begun" \
	"$(tpucost ps --format json 2>/dev/null | jq -c '.[] | [.name, .running_hours, .age_hours]')" '["good",null,null]'
