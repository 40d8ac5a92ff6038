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
has "the account is not a project" "$out" "add-iam-policy-binding \$project --member=serviceAccount:$reader --role=projects/\$project/roles/tpucostReader"
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

# ---- a key that Google refuses concerns all sources: 11 of each project, and the price list was read lately
curl -fs --data-binary '- {match: "POST /token", status: 400, body: "{\"error\": \"invalid_grant\", \"error_description\": \"Invalid JWT Signature.\"}"}' \
	"$url/_sandbox/faults" >/dev/null
set_clock $((NOW + 7200))
cause="credentials file $work/service-account.json: token: HTTP 400: invalid_grant: Invalid JWT Signature"
run tpucost run --once
n=$(printf '%s' "$err" | sed -n 's/^tpucost: \([0-9]*\) sources: .*/\1/p')
is "all of them" "$n" "$(sqlite3 t.db "SELECT count(*) FROM source_status WHERE state = 'failed'")"
is "run says the cause once" "$(printf '%s\n' "$err" | grep -c invalid_grant)" 1
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
is "and nothing more is told" "$(($(told) - before))" 1
curl -fs --data-binary '' "$url/_sandbox/faults" >/dev/null
run tpucost collect -q instances
is "where it ended and they are still old, they are told" "$(sqlite3 t.db "SELECT count(*) > 0, sum(NOT EXISTS (SELECT 1
	FROM outbox o WHERE o.rule = a.rule AND o.subject = a.subject AND o.kind = 'firing' AND o.at >= a.fired))
	FROM alert a WHERE rule = 'source-stale' AND state = 'firing'")" "1|0"
run tpucost collect -q
run tpucost run --once -q
is "and none is left" "$(old) $(sqlite3 t.db "SELECT count(*) FROM outbox WHERE state = 'waiting' AND kind = 'firing'")" "0 0"

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
is "so does the list" "$(grep -c '^warning  source-stale' stdout)" 1
is "so does status" "$(tpucost status | tr -s ' \n' ' ' | grep -o 'is not JSON' | wc -l)" 1
is "so does doctor" "$(tpucost doctor | grep -c 'is not JSON')" 1
