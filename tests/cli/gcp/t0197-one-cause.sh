# One cause that concerns many projects and sources is printed once, with their number.
. "$ROOT/tests/cli/lib.sh"
reader=tpucost@lab-01.iam.gserviceaccount.com
numbers="01 02 03 04 05 06 07 08 09 10 11 12"
all=$(for i in $numbers; do printf 'lab-%s ' "$i"; done | sed 's/ $//')
{
	printf 'name: many\nzones: [us-central1-a, us-central1-f]\nprojects:\n'
	for i in $numbers; do printf '  - {id: lab-%s, number: "5000000000%s", disabled: [tpu]}\n' "$i" "$i"; done
	printf 'iam: [{member: %s, permissions: ["*"]}]\n' "$reader"
} >world.yaml
start_sandbox world.yaml
write_config "notify: [{name: log, file: {path: messages.jsonl}}]"
sed -i "s/^projects:.*/projects: [$(printf '%s' "$all" | sed 's/ /, /g')]/; /^billing:/d" tpucost.yaml
found() {
	jq -r --arg c "$1" --arg p "$2" '.[] | select(.check == $c and .project == $p) | "\(.status) \(.detail)"' stdout
}
# short FILE NAME: twelve projects fit on a screen
short() {
	is "$2: at most 40 lines" "$(($(wc -l <"$1") <= 40))" 1
	is "$2: at most 60 of 80 columns" \
		"$(($(COLUMNS=80 NO_COLOR=1 script -qec "'$B/tpucost' doctor" /dev/null | tr -d '\r' | wc -l) <= 60))" 1
}

# ---- doctor, before the first poll
run tpucost doctor
short stdout "doctor"
has "projects with the same finding are one line" "$out" "ok    reading        all 12 projects: $reader can read what it needs"
has "a disabled API is found before the first poll" "$out" "warn  apis           all 12 projects: tpu.googleapis.com is not enabled: TPUs are unknown"
is "once" "$(grep -c 'not enabled' stdout)" 1
is "with a loop that enables it in all of them" "$(grep -A3 'is not enabled' stdout | tail -3 | tr -s ' \n' ' ')" \
	" for project in $all; do gcloud services enable tpu.googleapis.com --project \$project; done "
printf 'gcloud() { echo "$*"; }\n%s\n' "$(grep -A3 'is not enabled' stdout | tail -3)" >paste.sh
is "which a shell runs" "$(sh paste.sh | tail -1)" "services enable tpu.googleapis.com --project lab-12"
cp tpucost.yaml plain.yaml
printf '%s\n' "rules: [{use: tpu-not-covered, then: {action: stop, armed: true}}]" \
	"enforcement: {mode: dry-run, projects: [lab-01, lab-05]}" >>tpucost.yaml
run tpucost doctor
short stdout "doctor with two kinds of projects"
is "long commands are printed for one check" "$(grep -c '^        tpucost doctor reading # its [12][0-9] lines of commands$' stdout)" 2
run tpucost doctor reading
is "only its findings" "$rc $(sed -n 's/^\([a-z]* *[a-z]*\)  .*/\1/p' stdout | grep -v '^ ' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" "0  1 ok reading; 2 warn reading;"
has "the account is not a project" "$out" "add-iam-policy-binding \$project --member=serviceAccount:$reader --role=projects/\$project/roles/tpucostReader"
run tpucost doctor readin
is "an unknown check" "$rc $err" "2 tpucost: doctor: there is no check 'readin'; did you mean 'reading'?"
run tpucost --config missing.yaml doctor apis
is "what others need is not hidden" "$rc $(grep -c '^fail  configuration' stdout)" "1 1"
mv plain.yaml tpucost.yaml
run tpucost doctor --format json
is "programs get every project" "$(jq -r '[.[] | select(.check == "apis") | .project] | join(" ")' stdout)" "$all"
is "with its own command" "$(jq -r '.[] | select(.check == "apis" and .project == "lab-07") | .fix' stdout)" \
	"gcloud services enable tpu.googleapis.com --project lab-07"
run tpucost doctor --project lab-07
has "one project is named" "$out" "warn  apis           lab-07: tpu.googleapis.com is not enabled"
has "its command has no loop" "$out" "        gcloud services enable tpu.googleapis.com --project lab-07"
is "metrics are tested with a valid request" \
	"$(jq -r 'select(.path | startswith("/v3/projects/lab-07/timeSeries")) | .status' requests | sort -u)" 200
printf '%s' '- {regex: "/v2/projects/lab-0[12]/", status: 503}' | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null
run tpucost doctor --format json
has "no reply is not called disabled" "$(found apis lab-01)" "skip could not be checked: "
status "and not fine" 4
printf '' | curl -fs --data-binary @- "$url/_sandbox/faults" >/dev/null

# ---- after a poll
tpucost collect >/dev/null 2>&1
run tpucost doctor
short stdout "doctor after a poll"
is "the API is still said once" "$(grep -c 'not enabled' stdout)" 1
has "it limits what is reached" "$out" "ok    access         reached by earlier polls: inventory (12 of 12 projects)"

# ---- a key that Google refuses concerns all sources: 11 of each project, and the price list was read lately
curl -fs --data-binary '- {match: "POST /token", status: 400, body: "{\"error\": \"invalid_grant\", \"error_description\": \"Invalid JWT Signature.\"}"}' \
	"$url/_sandbox/faults" >/dev/null
set_clock $((NOW + 7200))
cause="credentials file $work/service-account.json: token: HTTP 400: invalid_grant: Invalid JWT Signature"
run tpucost run --once
n=$(printf '%s' "$err" | sed -n 's/^tpucost: \([0-9]*\) sources: .*/\1/p')
is "all of them" "$n" "$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'")"
is "run says the cause once" "$(printf '%s\n' "$err" | grep -c invalid_grant)" 1
is "what is not enabled has no data that gets old" \
	"$(sqlite3 t.db "SELECT DISTINCT state, instr(error, 'token') FROM source_status WHERE source IN ('tpu', 'queued')") \
$(sqlite3 t.db "SELECT count(*) FROM alert WHERE subject LIKE 'tpu/%'")" "disabled|0 0"
has "with their number and the fix" "$err" "tpucost: $n sources: $cause; the key was deleted or disabled; create a new one: gcloud iam "
firing=$(sqlite3 t.db "SELECT count(*) FROM alert WHERE rule = 'source-stale' AND resolved IS NULL")
is "so does the line of the alerts" "$(printf '%s\n' "$out" | grep '^ALERT .*source-stale')" \
	"ALERT warning source-stale: $firing stale sources: $cause"
is "many" "$((firing > 100))" 1
COLUMNS=400 run tpucost alerts
is "the list has one of them" "$(grep -c '^warning  source-stale' stdout)" 1
has "with the number" "$(tr -s ' \n' ' ' <stdout)" "Firing ($firing) warning source-stale since 2026-11-18 12:00 $firing stale sources: $cause account/lab-01, account/lab-02, account/lab-03 and $((firing - 3)) more"
run tpucost alerts --format json
is "programs get each" "$(jq length stdout)" "$firing"
run tpucost status
is "status says it once" "$(tr -s ' \n' ' ' <stdout | grep -o 'Invalid JWT Signature' | wc -l)" 1
has "to do now, of as many as run says" "$(tr -s ' \n' ' ' <stdout)" "! account of lab-01 and $((n - 1)) more: $cause; the key was deleted"
run tpucost doctor
is "doctor says it once" "$(grep -c 'Invalid JWT Signature' stdout) $(grep -c '^fail' stdout)" "1 1"
is "the message says it once" "$(sqlite3 t.db "SELECT subject FROM notification")" "[tpucost] warning: $firing stale sources: $cause"
tpucost silence source-stale --subject account/lab-05 --for 1h >/dev/null
run tpucost alerts
has "a silenced one is apart" "$(tr -s ' \n' ' ' <stdout)" " $((firing - 1)) stale sources: $cause account/lab-01"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null
run tpucost collect
is "they end one by one in the state, and once in words" "$(printf '%s\n' "$out" | grep -c '^RESOLVED .*source-stale: ')" 1
is "with what it was" "$(printf '%s\n' "$out" | grep '^RESOLVED .*source-stale: ')" \
	"RESOLVED warning source-stale: was: $((firing - 1)) stale sources: $cause. Ended: the condition no longer holds."
is "none is left" "$(sqlite3 t.db "SELECT count(*) FROM alert WHERE rule = 'source-stale' AND resolved IS NULL")" 0

# ---- an outage makes slower sources old later: that is the same problem
told() { sqlite3 t.db "SELECT count(*) FROM notification"; }
old() { sqlite3 t.db "SELECT count(*) FROM alert WHERE rule = 'source-stale' AND state = 'firing'"; }
run tpucost run --once -q
before=$(told)
curl -fs --data-binary '- {match: "POST /token", status: 400, body: "{\"error\": \"invalid_grant\"}"}' "$url/_sandbox/faults" >/dev/null
start=$((NOW + 7200))
set_clock $((start + 600))
run tpucost run --once -q
few=$(old)
is "the fast sources are told" "$((few > 0)) $(($(told) - before))" "1 1"
set_clock $((start + 7200))
run tpucost run --once -q
many=$(old)
is "the others get old" "$((many > few))" 1
is "and nothing more is told, or printed" "$(($(told) - before)) $(grep -c source-stale stdout)" "1 0"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null
run tpucost collect -q instances
is "it ended for some only: that is not printed" "$(wc -l <stdout) $out" "0 "
run tpucost run --once -q
is "nor told, nor that the others are still old" "$(($(old) > 0)) $(($(told) - before))" "1 1"
run tpucost collect -q
has "when it has ended for all" "$out" "RESOLVED warning source-stale: was: "
run tpucost run --once -q
is "that is told once" "$(old) $(($(told) - before)) $(sqlite3 t.db "SELECT kind, count(*) FROM outbox WHERE message =
	(SELECT message FROM notification ORDER BY id DESC LIMIT 1) GROUP BY kind")" "0 2 resolved|$few"

# ---- what ended for one source is read at once for the others, whose turn would be later
curl -fs --data-binary '- {match: "POST /token", status: 400, body: "{\"error\": \"invalid_grant\"}"}' "$url/_sandbox/faults" >/dev/null
set_clock $((start + 10800))
run tpucost run --once -q
many=$(old)
is "many are old again" "$((many > few))" 1
run tpucost doctor --format json
is "doctor claims nothing that it could not check" "$(jq -r '.[] | select(.check == "access") | "\(.status) \(.detail)"' stdout)" "skip not checked: see the problems above"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null
run tpucost doctor --format json
is "it separates the last poll from what works now" "$(jq -r '.[] | select(.check == "sources") | "\(.status) \(.fix)"' stdout | sort -u)" \
	"warn tpucost collect"
has "and says so" "$(jq -r '.[] | select(.check == "sources") | .detail' stdout)" "the last poll failed, and the token works now: "
set_clock $((start + 10800 + 300))
run tpucost run --once -q
is "one run reads them all" "$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'") $(old)" "0 0"
is "and prints one end" "$out" "RESOLVED warning source-stale: was: $many stale sources: ${cause%: Invalid*}. Ended: the condition no longer holds."

# ---- every reply is a web page: the lists differ only in their name
curl -fs --data-binary '- {match: "GET /", how: html}' "$url/_sandbox/faults" >/dev/null
set_clock $((start + 14400))
run tpucost run --once
n=$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'")
page="the response is not JSON but text/html; charset=UTF-8"
is "run says it once" "$(printf '%s\n' "$err" | grep 'not JSON')" "tpucost: $n sources: $page"
firing=$(sqlite3 t.db "SELECT count(*) FROM alert WHERE rule = 'source-stale' AND resolved IS NULL")
is "so does the line of the alerts" "$(printf '%s\n' "$out" | grep '^ALERT .*source-stale')" \
	"ALERT warning source-stale: $firing stale sources: $page"
COLUMNS=400 run tpucost alerts
is "so does the list" "$(grep -c "stale sources: $page" stdout)" 1
is "so does status" "$(tpucost status | tr -s ' \n' ' ' | grep -o 'is not JSON' | wc -l)" 1
is "doctor says it once of now and once of the last poll" \
	"$(tpucost doctor | sed -n 's/^\([a-z]*  [a-z]*\) .* is not JSON .*/\1/p' | tr '\n' ';')" "fail  apis;fail  sources;"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null

# ---- another cause takes its place: what waits for its turn with the old one is read, too
start=$((start + 18000))
set_clock =$start
run tpucost collect -q
run tpucost run --once -q
curl -fs --data-binary '- {match: "GET /", status: 503, body: ""}' "$url/_sandbox/faults" >/dev/null
set_clock $((start + 7200))
run tpucost run --once -q
curl -fs --data-binary '- {match: "POST /token", status: 400, body: "{\"error\": \"invalid_grant\"}"}' "$url/_sandbox/faults" >/dev/null
set_clock $((start + 7500))
run tpucost run --once -q
is "all failed sources have the new cause" \
	"$(sqlite3 t.db "SELECT DISTINCT substr(error, instr(error, 'token: ')) FROM source_status WHERE state = 'failed'")" \
	"token: HTTP 400: invalid_grant"
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null

# ---- a clock that is ahead: Google refuses the token, for a reason of ours
start=$((start + 10800))
set_clock =$start
run tpucost collect -q
run tpucost run --once -q
run clock_at =$((start + 7200)) "$B/tpucost" run --once
clock="the clock of this machine is ahead of Google's"
n=$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'")
has "run names the clock, once" "$err" "tpucost: $n sources: $clock; run: sudo timedatectl set-ntp true # it is 7200 s ahead"
firing=$(old)
has "so does the line of the alerts" "$out" "ALERT warning source-stale: $firing stale sources: $clock"
is "and the message" "$(sqlite3 t.db "SELECT subject FROM notification ORDER BY id DESC LIMIT 1")" "[tpucost] warning: $firing stale sources: $clock"
run clock_at =$((start + 7200)) "$B/tpucost" status
is "status says it once" "$(tr -s ' \n' ' ' <stdout | grep -o "$clock" | wc -l) $(grep -c invalid stdout)" "1 0"
run clock_at =$((start + 7200)) "$B/tpucost" doctor --format json
is "so does doctor" "$(jq -r '.[] | select(.detail | contains("clock")) | "\(.status) \(.check) \(.fix)"' stdout)" \
	"fail credentials sudo timedatectl set-ntp true # it is 7200 s ahead"
set_clock $((start + 300))
run tpucost run --once -q
is "set right, they end at once" "$out" "RESOLVED warning source-stale: was: $firing stale sources: $clock. Ended: the condition no longer holds."
is "and none is left" "$(old)" 0

# ---- a key that cannot be read: no poll begins
mv service-account.json key.json
set_clock $((start + 7200))
run tpucost run --once
has "it is the cause for all" "$out" "stale sources: open $work/service-account.json: No such file or directory"
is "of one alert" "$(printf '%s\n' "$out" | grep -c '^ALERT .*source-stale')" 1
mv key.json service-account.json
run tpucost run --once -q
is "and ends for all" "$(printf '%s\n' "$out" | grep -c '^RESOLVED .*source-stale') $(old)" "1 0"

# ---- no network
kill "$sandbox_pid"
wait "$sandbox_pid"
sandbox_pid=
sqlite3 t.db "UPDATE source_status SET state = 'failed', error = 'list disks: after 5 attempts: GET $url/x: connection refused'"
run tpucost doctor
is "doctor says it once" "$(grep -c 'connection refused' stdout) $(grep -c '^fail' stdout)" "1 0"
has "without a claim" "$out" "skip  access         not checked: see the problems above"
