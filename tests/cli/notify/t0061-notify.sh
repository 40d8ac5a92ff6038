# What is told on channels, once; what is said of channels that do not work; and that the secret
# of a webhook is nowhere. Cases H8, H11 and H14.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-notify.sh"
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
start_hooks
slack_path=slack/T00CANARY4/B11CANARY5/s3cretCANARY6
printf '%s\n' "$hook/$slack_path" >slack_url
chmod 600 slack_url
rules="rules:
  - {name: big, on: resources, where: \"name = 'big' AND kind = 'vm' AND state = 'running'\", severity: warning, summary: \"{name} runs\"}"
write_config "$rules
notify:
  - {name: log, file: {path: alerts.jsonl}}
  - {name: hook, webhook: {url: \"$hook/hook/keyCANARY7?token=CANARY8x\"}}
  - {name: lab, slack: {webhook_file: slack_url}, min_severity: critical}"
everything=$work/everything
: >"$everything"
# cycle: a poll of everything and a run; what it says is kept
cycle() {
	tpucost collect -q >begun
	run tpucost run --once -v
	out=$(cat begun stdout)
	cat begun stdout stderr >>"$everything"
}
patch() {
	curl -sS -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null
}

# ---- once
cycle
status "what fires is told" 0
is "once on each channel" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "1 1 1"
is "two TPUs and a machine in one message" \
	"$(jq -r '[.report.firing[] | .severity + " " + .name] | sort | join(",")' alerts.jsonl)" \
	"critical slice,critical wrong,warning big"
is "the webhook gets the same" "$(came hook '.[0].body | fromjson | .report.firing | length')" 3
is "a channel hears what is grave enough" "$(came slack '.[0].body | test("big runs")')" false
has "with the gravest in its subject" "$(jq -r .subject alerts.jsonl)" "[tpucost] CRITICAL: wrong (v3-8"
cycle
status "and again" 0
is "nothing is told twice" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "1 1 1"

# ---- that it is over
patch 'nodes: [{name: wrong, state: STOPPED}]'
set_clock "$(($(date +%s) + 60))"
cycle
has "what is over is printed" "$out" "RESOLVED critical tpu-not-covered: was: wrong"
has "with what ended it" "$out" "Its price per hour is 8.00 USD. Ended: it was stopped at 20"
has "and listed so" "$(tpucost alerts | tr -s ' \n' ' ')" "USD. Ended: it was stopped at 20"
is "and told where it was announced" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "2 2 2"
has "as that" "$(jq -rs '.[1].subject' alerts.jsonl)" "[tpucost] resolved: was: wrong (v3-8"
patch 'instances: [{name: big, status: TERMINATED}]'
cycle
is "not where it was not" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "3 2 3"

# ---- silence
tpucost silence tpu-not-covered --subject lab-one/tpu/us-central1-a/wrong --for 2h --comment known >/dev/null 2>&1
patch 'nodes: [{name: wrong, state: READY}]'
cycle
is "a silence mutes" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "3 2 3"
is "though it fires" "$(tpucost alerts --where "subject LIKE '%/wrong'" -f json | jq -r '.[0].state')" firing
tpucost silence remove 1 >/dev/null 2>&1
cycle
is "what it kept back is told when it is removed" "$(came hook) $(came slack) $(wc -l <alerts.jsonl)" "4 3 4"
has "as new" "$(jq -rs '.[-1].subject' alerts.jsonl)" "[tpucost] CRITICAL: wrong (v3-8"

# ---- the commands
run tpucost notify -f json
is "channels" "$(jq -r 'map([.name, .kind, .state, .waiting, .dead] | join(" ")) | join("; ")' stdout)" \
	"hook webhook ok 0 0; lab slack ok 0 0; log file ok 0 0"
run tpucost notify list -f json
is "messages" "$(jq -r 'map(.channel + " " + .kind + " " + .state) | group_by(.) | map("\(.[0]) \(length)") | join("; ")' stdout)" \
	"hook alerts sent 4; lab alerts sent 3; log alerts sent 4"
run tpucost notify listen
is "no such word" "$rc $err" "2 tpucost: notify: unknown action 'listen'; did you mean 'notify list'?"
run tpucost notify test lob
is "no such channel" "$rc $err" "2 tpucost: notify test: there is no channel 'lob'; did you mean 'log'?"
run tpucost notify test
is "no channel at all" "$rc $err" "2 tpucost: notify test: no channel is given; use: tpucost notify test NAME"
run tpucost notify retry nothing
is "what there is not is not tried again" "$rc $err" "2 tpucost: notify retry: no channel and no undeliverable message is named 'nothing'; see: tpucost notify, and tpucost notify list"
run tpucost notify retry lab
is "nothing to try again" "$rc $err" "0 lab: no undeliverable alert or report; the next tpucost run retries the channel"

# try ANSWER EXIT TEXT [SEEN]: a test on Slack's channel
try() {
	before=$(came slack)
	answer slack "$1"
	run tpucost notify test lab -v
	cat stdout stderr >>"$everything"
	is "test, $1: status" "$rc" "$2"
	is "test, $1: said" "$out" "$3"
	is "test, $1: seen so often" "$(($(came slack) - before))" "${4:-1}"
}
mend="create a new webhook and put its URL into $work/slack_url of channel lab; tpucost tries again after the configuration changes"
try '' 0 "lab: sent (ok)"
is "a test says that it is one" "$(came slack '.[-1].body | fromjson | .text | split("\n")[0]')" "[tpucost] test of channel lab"
try '{"delay":0.3}' 0 "lab: sent (ok)"
try '{"status":500,"body":"rollup_error"}' 1 "lab: refused for now: slack: POST $hook/...: HTTP 500: rollup_error"
try '{"status":429,"body":"slow","headers":{"Retry-After":"7"}}' 1 "lab: refused for now: slack: POST $hook/...: HTTP 429: slow"
try '{"status":403,"body":"invalid_token"}' 1 "lab: switched off: slack: POST $hook/...: HTTP 403: invalid_token; $mend"
try '{"status":404,"body":"no_service"}' 1 "lab: switched off: slack: POST $hook/...: HTTP 404: no_service; $mend"
try '{"status":410,"body":"channel_is_archived"}' 1 "lab: switched off: slack: POST $hook/...: HTTP 410: channel_is_archived; $mend"
try '{"status":400,"body":"invalid_payload"}' 1 "lab: refused: slack: POST $hook/...: HTTP 400: invalid_payload" 2
try '{"status":400,"body":"invalid_payload","times":1}' 0 "lab: sent (ok)" 2
try '{"status":413,"body":"too big"}' 1 "lab: refused: slack: POST $hook/...: HTTP 413: too big" 2
try '{"status":302,"headers":{"Location":"/stolen"}}' 1 \
	"lab: switched off: slack: POST $hook/...: HTTP 302: ok; the URL redirects elsewhere, which tpucost does not follow: put the right URL into $work/slack_url of channel lab"
is "and nobody went there" "$(came stolen)" 0
try '{"body":"not ok"}' 1 "lab: delivery unknown: slack: POST $hook/...: HTTP 200: not ok"
try "{\"status\":404,\"body\":\"no such thing: /$slack_path\"}" 1 \
	"lab: switched off: slack: POST $hook/...: HTTP 404: no such thing: ...; $mend"
try '' 0 "lab: sent (ok)"
run tpucost notify test log
is "a file" "$rc $(jq -rs '.[-1].kind' alerts.jsonl)" "0 test"
printf 'http://127.0.0.1:1/%s\n' "$slack_path" >slack_url
run tpucost notify test lab
is "nobody there" "$rc ${out%%:*}:$(printf %s "$out" | cut -d: -f2)" "1 lab: not sent"
printf '%s\n' "$hook/$slack_path" >slack_url
chmod 644 slack_url
run tpucost notify test lab
status "a secret that others can read: not sent" 1
has "and how to mend it" "$out" "chmod 600"
chmod 600 slack_url
run tpucost notify test lab
status "mended" 0
is "tests are not tried again" "$(db "SELECT COUNT(*) FROM notification WHERE kind = 'test' AND next_at IS NOT NULL AND state <> 'sent'")" 0

# ---- channels that do not work
fires() { # NAME: one more critical alert
	patch "nodes: [{project: lab-one, zone: us-central1-a, name: $1, type: v3-8, created: -1h}]"
}
: >hooks
answer slack '{"status":429,"headers":{"Retry-After":"40"}}'
answer hook '{"status":503,"body":"busy"}'
fires more-1
cycle
status "two of three fail" 4
has "each is said: the chat" "$err" "tpucost: channel lab: refused for now: slack: POST $hook/...: HTTP 429"
has "and the webhook" "$err" "tpucost: channel hook: refused for now: webhook: POST $hook/...: HTTP 503: busy"
is "the third has it" "$(jq -rs '.[-1].report.firing | length' alerts.jsonl)" 1
cycle
status "the next cycle" 4
has "still says it, though it is too early to try" "$err" "tpucost: channel lab: 1 message not delivered yet: slack: POST $hook/...: HTTP 429"
is "and asks nobody" "$(came slack) $(came hook)" "1 1"
answer slack
answer hook
later 30
cycle
is "Retry-After is obeyed, others come back sooner" "$(came slack) $(came hook)" "1 2"
later 11
cycle
is "and then it goes out" "$rc $(came slack) $(came hook)" "0 2 2"
is "they are the same message, and no repeat" \
	"$(came hook 'map(.body | fromjson | .id) | unique | length') $(came hook '.[1].body | fromjson | .may_be_repeat')" "1 false"

answer slack '{"status":403,"body":"invalid_token"}'
fires more-2
cycle
status "a webhook that was withdrawn" 4
has "is said" "$err" "tpucost: channel lab: switched off: slack: POST $hook/...: HTTP 403: invalid_token; create a new webhook"
has "and counted" "$err" "tpucost: 1 of 3 channels are disabled; see: tpucost notify"
cycle
is "the others are told of it" "$(jq -rs '[.[] | select(.kind == "lost") | .subject] | join(";")' alerts.jsonl) $(came hook '[.[].body | fromjson | select(.kind == "lost")] | length')" \
	"[tpucost] 1 message not delivered on channel lab 1"
is "with the reason" "$(jq -rs '[.[] | select(.kind == "lost")][0].report.headline' alerts.jsonl)" \
	"1 message could not be delivered on channel lab: slack: POST $hook/...: HTTP 403: invalid_token; create a new webhook and put its URL into $work/slack_url of channel lab; tpucost tries again after the configuration changes"
cycle
has "every cycle says it" "$err" "1 of 3 channels are disabled"
is "but other channels hear it once" "$(came hook '[.[].body | fromjson | select(.kind == "lost")] | length') $(came slack)" "1 3"
run tpucost notify -f json
is "the list says it" "$(jq -r '.[] | select(.name == "lab") | "\(.state) \(.dead)"' stdout)" "off 1"
answer slack
run tpucost notify retry lab
is "mended, and tried again" "$rc $err" "0 1 message will be retried by the next tpucost run"
cycle
is "it arrives" "$rc $(came slack)" "0 4"

# H11: all of them
answer slack '{"status":410,"body":"channel_is_archived"}'
answer hook '{"status":404}'
rm -f alerts.jsonl && mkdir alerts.jsonl
fires more-3
for n in 1 2 3; do
	cycle
	is "all channels dead, cycle $n" "$rc $(grep -c '^tpucost: .*channel' stderr)" "4 $([ $n = 1 ] && echo 4 || echo 1)"
done
has "and cron mails the alert itself" "$(cat "$everything")" "ALERT critical tpu-not-covered: more-3"
rmdir alerts.jsonl
answer slack
answer hook
run tpucost notify test log
is "one that is mended works again" "$rc $(tpucost notify -f json | jq -r 'map(.state) | join(" ")')" "0 off off ok"
tpucost notify retry log 2>/dev/null
cycle
is "what it did not get arrives" "$(jq -rs '[.[] | select(.kind == "alerts")] | length' alerts.jsonl)" 1
touch slack_url
sed -i 's/CANARY8x/CANARY9x/' tpucost.yaml
fires more-4
cycle
is "another configuration is another channel" "$rc $(tpucost notify -f json | jq -r 'map(.state) | join(" ")')" "0 ok ok ok"

# ---- H4: a secret that systemd writes anew for every start is not a new one
mkdir credentials
credential() { # URL
	rm -f credentials/slack
	printf '%s\n' "$1" >credentials/slack
	chmod 600 credentials/slack
}
CREDENTIALS_DIRECTORY=$work/credentials
export CREDENTIALS_DIRECTORY
credential "$hook/$slack_path"
sed -i 's/webhook_file: slack_url/webhook_file: "credential:slack"/' tpucost.yaml
answer slack '{"status":403,"body":"invalid_token"}'
fires more-5
cycle
seen=$(came slack)
has "a channel with a credential goes off" "$err" "tpucost: channel lab: switched off"
mv credentials/slack credentials/old # so that its number is not used again
credential "$hook/$slack_path"
fires more-6
cycle
is "the same one in another file is not tried again" "$(came slack)" "$seen"
answer slack
credential "$hook/$slack_path/new"
fires more-7
cycle
is "another one is" "$rc $(($(came slack) - seen)) $(tpucost notify -f json | jq -r '.[] | select(.name == "lab") | .state')" "0 1 ok"
is "with all that fires and was not told there" \
	"$(came slack '.[-1].body | [test("more-5"), test("more-6"), test("more-7"), test("more-4")] | map(tostring) | join(" ")')" \
	"true true true false"
unset CREDENTIALS_DIRECTORY

# ---- alerts that cannot be judged keep back nothing that is known
answer hook '{"status":503}'
fires more-8
cycle
status "a message waits" 4
seen=$(came hook)
db "CREATE TRIGGER broken BEFORE UPDATE ON alert BEGIN SELECT RAISE(ABORT, 'broken'); END"
answer hook
later 60
cycle
status "judging fails" 1
has "and is said" "$err" "broken"
is "the message goes out" "$(($(came hook) - seen))" 1
db "DROP TRIGGER broken"

# ---- H14: the secret is nowhere
tpucost notify list -f json >>"$everything"
tpucost notify list --columns id,error,reply -f csv >>"$everything"
cat alerts.jsonl >>"$everything"
db 'PRAGMA wal_checkpoint' >/dev/null
is "in no output, message or file" "$(grep -c CANARY "$everything") $(grep -l CANARY t.db* 2>/dev/null)" "0 "
jq -r .path hooks >paths
is "nor in what others were sent" "$(jq -r .body hooks 2>/dev/null | grep -c CANARY)" 0
is "though it was used" "$(grep -c CANARY paths | awk '{ print ($1 > 5) }')" 1
