# The daily report goes out once for each date: on time, after days without a run, with a clock
# that was set back, from two runs at once, on days with 23 and 25 hours, to a new recipient, and
# (case H15) also when the data is old.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
start_sandbox --now 2026-11-20T00:00:00Z "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
echo '{"type":"authorized_user","client_id":"a","client_secret":"b","refresh_token":"sandbox-refresh"}' >user.json
chmod 600 user.json
: >stdout
: >stderr
config() { # ZONE TIME CHANNEL...
	zone=$1 time=$2
	shift 2
	write_config "notify:
  - {name: log, file: {path: daily.jsonl}}
  - {name: hook, webhook: {url: \"$hook/hook\"}}
report: {daily: {at: '$time', to: [$(echo "$*" | tr ' ' ',')]}}
rules: []"
	sed -i "s|^timezone: .*|timezone: $zone|; s/starts: .*/starts: 2026-11-01/; s/^credentials: .*/credentials: user.json/" tpucost.yaml
}
# run_at TIME: a run at that moment of UTC, with a clock that stands
run_at() {
	clock_at "=$1Z" "$B/tpucost" run --once -q >>said 2>>said_err
}
# reports: how many daily reports came, in the file and at the webhook
reports() {
	touch daily.jsonl
	echo "$(jq -rs '[.[] | select(.kind == "daily")] | length' daily.jsonl) $(came hook '[.[].body | fromjson | select(.kind == "daily")] | length')"
}
# on TIME NAME WANT
on() {
	run_at "$1"
	is "$2 ($1)" "$(reports)" "$3"
}

# ---- 09:00 in Hong Kong is 01:00
config Asia/Hong_Kong 09:00 log
on '2026-11-20 00:59:00' "a minute before" "0 0"
on '2026-11-20 01:01:00' "a minute after" "1 0"
on '2026-11-20 01:02:00' "once" "1 0"
on '2026-11-20 15:59:00' "once a day" "1 0"
is "it is the day's" "$(jq -rs '[.[] | select(.kind == "daily")][0].report | .date + " " + .timezone' daily.jsonl)" "2026-11-20 Asia/Hong_Kong"
on '2026-11-19 23:00:00' "a clock set back" "1 0"
on '2026-11-21 00:59:59' "the next day, too early" "1 0"
config Asia/Hong_Kong 08:30 log
on '2026-11-21 00:59:59' "another hour" "2 0"
config Asia/Hong_Kong 09:00 log
on '2026-11-21 01:00:00' "and back: not again" "2 0"
config Asia/Hong_Kong 09:00 log hook
on '2026-11-21 03:00:00' "a new recipient gets it, alone" "2 1"
on '2026-11-21 03:01:00' "once" "2 1"

# ---- H15: three days without a run, and then Google knows us no more
echo '- {match: POST /token, status: 400, body: "{\"error\":\"invalid_grant\"}"}' |
	curl -sS -X POST --data-binary @- "$url/_sandbox/faults" >/dev/null
on '2026-11-24 05:00:00' "after three days: one" "3 2"
has "and it says that it is old" "$(jq -rs '[.[] | select(.kind == "daily")][-1].report.headline' daily.jsonl)" "DATA STALE since 2026-11-"
has "its subject too" "$(came hook '[.[].body | fromjson | select(.kind == "daily")][-1].subject')" "DATA STALE since"
on '2026-11-24 05:01:00' "once" "3 2"
mv user.json away.json
on '2026-11-25 01:00:00' "even without any credentials" "4 3"
mv away.json user.json

# ---- two runs at 09:00
run_at '2026-11-26 01:00:00' &
first=$!
run_at '2026-11-26 01:00:00' &
second=$!
wait $first
wait $second
run_at '2026-11-26 01:00:01'
is "two runs at the same moment: one" "$(reports)" "5 4"

# ---- summer time in New York: 02:30 does not exist on 8 March, and 01:30 comes twice on 1 November
mv t.db old.db
rm -f t.db*
config America/New_York 02:30 log
on '2026-03-07 08:00:00' "New York, the day before" "6 4"
on '2026-03-08 06:59:00' "01:59" "6 4"
on '2026-03-08 07:00:00' "03:00" "7 4"
on '2026-03-08 07:30:00' "03:30" "7 4"
on '2026-03-09 06:29:00' "02:29 of the next day" "7 4"
on '2026-03-09 06:30:00' "02:30" "8 4"
config America/New_York 01:30 log
on '2026-10-31 12:00:00' "autumn, the day before" "9 4"
on '2026-11-01 05:29:00' "01:29" "9 4"
on '2026-11-01 05:30:00' "01:30" "10 4"
on '2026-11-01 06:30:00' "01:30 again" "10 4"
on '2026-11-02 06:29:00' "01:29 of the next day" "10 4"
on '2026-11-02 06:30:00' "01:30" "11 4"
is "one for each date" "$(db "SELECT group_concat(substr(dedup, 7, 10), ' ') FROM (SELECT dedup FROM notification WHERE kind = 'daily' ORDER BY id)")" \
	"2026-03-07 2026-03-08 2026-03-09 2026-10-31 2026-11-01 2026-11-02"

# ---- weeks and months: Mondays, and the day that the configuration names
mv t.db old2.db
rm -f t.db*
config UTC 09:00 log
sed -i "s/^report: .*/report: {daily: {at: '09:00'}, weekly: {on: monday, at: '09:00', to: [log]}, month: {on: 3, at: '09:00', to: [log]}}/" tpucost.yaml
for day in 2026-11-26 2026-11-29 2026-11-30 2026-12-01 2026-12-02 2026-12-03 2026-12-05 2026-12-09; do
	run_at "$day 10:00:00"
done
is "weekly and monthly" "$(db "SELECT group_concat(dedup, ' ') FROM (SELECT dedup FROM notification WHERE kind IN ('weekly', 'month') ORDER BY id)")" \
	"weekly|2026-11-30|log| month|2026-12-03|log| weekly|2026-12-07|log|"
is "the month before" "$(jq -rs '[.[] | select(.kind == "month")][0].report.month' daily.jsonl)" 2026-11
run_at '2026-12-16 03:00:00'
newest() { jq -rs "[.[] | select(.kind == \"$1\")][-1].report | $2" daily.jsonl; }
is "late: the day on which it was due" "$(newest daily '.date + " " + .notes[0]')" \
	"2026-12-15 This report is late. It was due on 2026-12-15: \"yesterday\" and the other days are those before that date, everything else is the present."
is "late: the week before it was due" "$(newest weekly '.first_day + " " + .last_day')" "2026-12-07 2026-12-13"
run_at '2026-12-16 09:00:00'
is "the next one is not late" "$(newest daily '.date + " " + (.notes | map(select(test("late"))) | length | tostring)')" "2026-12-16 0"
is "and no second week" "$(db "SELECT COUNT(*) FROM notification WHERE kind = 'weekly'")" 3

# ---- the first one, with nothing running on the day on which it was due
mv t.db old3.db
rm -f t.db*
for time in '2026-12-22 10:00' '2026-12-29 00:01' '2026-12-29 00:02'; do
	run_at "$time:00"
done
is "the first week is not lost, and what came before is none" "$(db "SELECT group_concat(dedup, ' ') FROM notification WHERE kind IN ('weekly', 'month')")" \
	"weekly|2026-12-28|log|"
