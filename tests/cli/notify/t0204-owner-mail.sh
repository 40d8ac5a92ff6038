# A rule mails the owner of a resource: only alerts and actions about resources of that owner, at an
# address in the domain that the rule names, whatever the label says.
. "$ROOT/tests/cli/lib.sh"
MACHINES=$(cat <<'W'
  - {project: lab-one, zone: us-central1-b, name: nobodys, type: n1-standard-2, created: -10h}
  - {project: lab-one, zone: us-central1-b, name: evil-1, type: n1-standard-1, created: -10h, labels: {owner: "eve@evil.example"}}
  - {project: lab-one, zone: us-central1-b, name: evil-2, type: n1-standard-1, created: -10h, labels: {owner: "x, eve"}}
  - {project: lab-one, zone: us-central1-b, name: evil-3, type: n1-standard-1, created: -10h, labels: {owner: "-oQ/tmp"}}
  - {project: lab-one, zone: us-central1-b, name: evil-4, type: n1-standard-1, created: -10h, labels: {owner: "x\r\nBcc: eve"}}
  - {project: lab-one, zone: us-central1-b, name: evil-5, type: n1-standard-1, created: -10h, labels: {owner: "eve%evil"}}
W
)
. "$ROOT/tests/cli/lib-owners.sh"
rule='  - {name: big, on: resources, where: "kind = '"'vm' AND state = 'running'"'", for: 0m, severity: warning, summary: "{name} of {owner} runs",'
# config NOTIFY [MORE]: the rule with that `notify:`
config() {
	write_config "rules:
$rule notify: $1${2:-}}
notify:
  - {name: ops, sendmail: {to: [me@example.org], from: tpucost@example.org, program: sendmail}, min_severity: critical}
  - {name: log, file: {path: told.jsonl}}
${3:-}"
	sed -i 's/^projects: .*/projects: [lab-one]/; /^billing:/d' tpucost.yaml
}
# about FILE: the machines that the mail names
about() { grep -o '\(ada-\|bob-\|evil-\|nobodys\)[0-9]*' "sent/$1" | sort -u | tr '\n' ' '; }
states() { sqlite3 t.db "SELECT channel, state, COUNT(*) FROM notification WHERE channel LIKE 'ops%' GROUP BY 1, 2"; }
SECOND='  - {name: too, sendmail: {to: [me@example.org], from: tpucost@example.org, program: sendmail}}'

while IFS='|' read -r what notify more error fix; do
	config "$notify" "$([ "$more" = then ] && echo ', then: {action: notify}')" "$([ "$more" = two ] && echo "$SECOND")"
	[ "$more" != none ] || sed -i '/name: ops/d' tpucost.yaml
	[ "$more" != budgets ] || sed -i "s/on: resources, where: \"[^\"]*\"/on: budgets, where: percent > 1/; s/{name} of {owner} runs/x/" tpucost.yaml
	run tpucost check
	is "$what: refused" "$rc" 2
	has "$what: why" "$err" "$error"
	has "$what: what to do" "$err" "$fix"
done <<'END'
no owner in it|{to_owner: "ann@example.org"}||rule big: 'ann@example.org' is not an address with an owner|write it as {owner}@example.org
owner as the domain|{to_owner: "ann@{owner}"}||'ann@{owner}' is not an address|write it as {owner}@example.org
two owners|{to_owner: "{owner}.{owner}@example.org"}||is not an address with an owner|write it as
no domain|{to_owner: "{owner}"}||is not an address with an owner|write it as
two addresses|{to_owner: "{owner}@example.org, me@example.org"}||is not an address with an owner|write it as
a wrong channel|{to_owner: "{owner}@example.org", channel: opps}||there is no channel 'opps' that sends mail|did you mean 'ops'?
one that sends no mail|{to_owner: "{owner}@example.org", channel: log}||there is no channel 'log' that sends mail|channels that send mail: ops
a choice of two|{to_owner: "{owner}@example.org"}|two|2 channels can send mail to owners|choose one, as in channel: ops
no channel|{to_owner: "{owner}@example.org"}|none|no channel sends mail to owners|add a channel with email or sendmail
no owners|{to_owner: "{owner}@example.org"}|budgets|rows of budgets have no owner|move the condition to a rule on resources
END

config '{to_owner: "{owner}@example.org"}'
run tpucost check
status "the configuration is good" 0
run tpucost run --once
status "alerts are sent" 0
is "each owner gets one mail, and nobody else" "$(sent)" "ada@example.org.0
bob@example.org.0"
is "about that owner's machines" "$(about ada@example.org.0)/ $(about bob@example.org.0)" "ada-1 ada-2 / bob-1 "
is "addressed to the owner alone" "$(sed '/^$/q' sent/ada@example.org.0 | grep -ic '^\(to\|cc\|bcc\):') $(grep '^To:' sent/ada@example.org.0)" \
	"1 To: ada@example.org"
is "others get all of them, as before" "$(grep -o '"rule":"big"' told.jsonl | wc -l)" 9
run tpucost run --once
is "once" "$(sent | wc -l)" 2
run tpucost notify
has "their channels are listed" "$out" "ops/ada@example.org"

curl -sS -X POST --data-binary 'remove: {instances: [{name: bob-1}]}' "$url/_sandbox/world/patch" >/dev/null
# cycles: two polls, some minutes apart
cycles() {
	for _ in 1 2; do
		NOW=$((NOW + 600))
		set_clock $NOW
		run tpucost run --once
	done
}
cycles
is "the end is sent to the owner of what is gone" "$(sent | tr '\n' ' ')" "ada@example.org.0 bob@example.org.0 bob@example.org.1 "
has "as an end" "$(grep '^Subject:' sent/bob@example.org.1)" "resolved"

# A warning that only the owner got does not allow an action: nobody has confirmed the address.
config '{to_owner: "{owner}@example.org"}' ", then: {action: stop, grace: 5m, armed: true}" "enforcement: {mode: armed, projects: [lab-one]}"
sed -i '/name: log/d' tpucost.yaml
: >refuse-me@example.org
cycles
is "the owner is warned" "$(sent | tr '\n' ' ')" "ada@example.org.0 ada@example.org.1 bob@example.org.0 bob@example.org.1 "
has "of the stop" "$(grep '^Subject:' sent/ada@example.org.1)" "will be stopped"
has "who prevents it" "$(tr '\n' ' ' <sent/ada@example.org.1 | tr -s ' ')" "To prevent it: ask whoever runs tpucost."
has "what the owner can do" "$(cat sent/ada@example.org.1)" "gcloud compute instances start ada-1 "
is "no command of the operator" "$(cat sent/*.org.* | grep -E 'tpucost (hold|enforce|alerts|silence|why)')" ""
is "of that owner's machines" "$(about ada@example.org.1)" "ada-1 ada-2 "
cycles
is "nothing was stopped" "$(jq -r 'select(.mutating) | .path' requests)" ""

# Without the key, messages that wait for the owner are dropped.
: >refuse-ada@example.org
curl -sS -X POST --data-binary 'instances: [{project: lab-one, zone: us-central1-b, name: ada-3, type: n1-standard-4, created: -10h, labels: {owner: ada}}]' "$url/_sandbox/world/patch" >/dev/null
cycles
has "a refused mail to an owner waits" "$(states)" "ops/ada@example.org|pending|1"
sed -i 's/ notify: {to_owner[^}]*}[^}]*},//' tpucost.yaml
cycles
is "they are dropped" "$(states | grep 'ops/.*|pending')$(states | grep -c 'ops/ada@example.org|dropped')" 1

# Addresses of owners that do not exist, or a server that refuses everything: one line and one message, whatever the
# number of owners, and the channel itself works.
rm -f refuse-*
cycles
cycles
cycles
rm -rf sent
config '{to_owner: "{owner}@example.org"}'
for n in 1 2 3 4 5 6 7 8; do
	echo "  - {project: lab-one, zone: us-central1-b, name: new-$n, type: n1-standard-1, created: -10h, labels: {owner: user-$n}}"
done >more
{
	echo "instances:"
	cat more
} >patch
curl -sS -X POST --data-binary @patch "$url/_sandbox/world/patch" >/dev/null
sed -i 's/exit 75/exit 67/; s/refuse-\$to/refuse-owners/; s/\[ ! -e/case $to in me@*) false ;; *) true ;; esac \&\& [ -e/; s/\] || exit/] \&\& exit/' sendmail
: >refuse-owners
NOW=$((NOW + 600))
set_clock $NOW
run tpucost run --once
is "addresses that do not exist are no failure of the channel" "$rc" 0
is "they are one line" "$(grep -c '^tpucost: channel ops' stderr)" 1
has "with their number" "$err" "channel ops/ada@example.org and 8 more: refused: "
cycles
cycles
is "and one message to the channel" "$(grep -hl '^Subject: .* not delivered on channel ops' sent/me@* | wc -l)" 1
run tpucost status
is "status has no failure" "$rc" 0
rm refuse-owners
run tpucost notify retry ops
has "all are retried with the channel" "$err" "9 messages will be retried"
run tpucost run --once
is "and arrive" "$(sent | grep -c '^user-')" 8
