# Owners who were told of an alert are told its end, once: also when the machine gets another owner, or the rule no
# longer mails owners. Nobody is mailed in a domain that no rule names.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-owners.sh"
rule() { # NAME CONDITION
	echo "  - {name: $1, on: resources, where: \"$2\", for: 0m, severity: warning, summary: \"{name} runs\", \
notify: {to_owner: \"{owner}@example.org\"}}"
}
write_config "rules:
$(rule big "kind = 'vm' AND state = 'running'")
$(rule other "kind = 'nothing'")
notify:
  - {name: ops, sendmail: {to: [me@example.org], from: tpucost@example.org, program: sendmail}, min_severity: critical}"
sed -i 's/^projects: .*/projects: [lab-one]/; /^billing:/d' tpucost.yaml
# about FILE: subject of the mail, and the machines that it names
about() { echo "$(sed -n 's/^Subject: .tpucost. \([a-z]*\).*/\1/p' "sent/$1") $(grep -o '\(ada\|bob\)-[0-9]' "sent/$1" | sort -u | tr '\n' ' ')"; }
# mute RULE: without its notify:
mute() { sed -i "/name: $1,/s/, notify: {[^}]*}[^}]*}/ /" tpucost.yaml; }
# cycles: two polls, some minutes apart; what they sent is in $new
cycles() {
	sent >before
	: >log
	for _ in 1 2; do
		NOW=$((NOW + 600))
		set_clock $NOW
		run tpucost run --once
		cat stderr >>log
	done
	new=$(for f in $(sent); do grep -q "$f" before || echo "$f"; done)
}
patch() { curl -sS -X POST --data-binary "$1" "$url/_sandbox/world/patch" >/dev/null; }

cycles
is "owners are told" "$(about ada@example.org.0)$(about bob@example.org.0)" "warning ada-1 ada-2 warning bob-1 "

patch 'instances: [{project: lab-one, zone: us-central1-b, name: ada-1, labels: {owner: bob}}]'
cycles
is "the earlier owner is told of the end" "$(echo "$new" | grep ada)" ada@example.org.1
is "of that machine" "$(about ada@example.org.1)" "resolved ada-1 "
has "and why" "$(tr '\n' ' ' <sent/ada@example.org.1)" "no longer reported to you"
cycles
is "once" "$(echo "$new" | grep ada)" ""
patch 'remove: {instances: [{name: ada-1}]}'
cycles
is "also when it ends" "$(echo "$new" | grep ada)" ""

mute big
cycles
is "a rule that no longer mails owners says so to those whom it told" "$(echo $new)" "ada@example.org.2 bob@example.org.1"
is "of what still fires" "$(about ada@example.org.2)$(about bob@example.org.1)" "resolved ada-2 resolved bob-1 "
is "and nobody is missed" "$(cat log)" ""

sed -i "/name: big,/s/ *}*\$/, notify: {to_owner: \"{owner}@example.org\"}}/" tpucost.yaml
cycles
is "with the key they are told again" "$(echo $new)" "ada@example.org.3 bob@example.org.2"

mute big
mute other
cycles
is "nobody is mailed in a domain that no rule names" "$new" ""
is "which is said once" "$(cat log)" "tpucost: 2 owners will get no end of alerts sent to them: no rule mails their domain"

# ---- a test message
sed -i "/name: big,/s/ *}*\$/, notify: {to_owner: \"{owner}@example.org\"}}/" tpucost.yaml
run tpucost notify test ops/eve@example.org
status "an owner can be sent a test" 0
has "is sent to that address" "$out" "ops/eve@example.org to eve@example.org: sent"
has "for what" "$(tr '\n' ' ' <sent/eve@example.org.0)" "alerts about machines of this owner are delivered here"
for wrong in ops/eve@evil.example opps/eve@example.org ops/eve ops/; do
	run tpucost notify test $wrong
	is "$wrong: there is none" "$rc $(echo "$err" | grep -c "no channel '$wrong'; use NAME/ADDRESS with a channel that sends mail, and the domain of a to_owner: in the rules")" "2 1"
done

# ---- more owners than can be mailed
run tpucost doctor --format json
is "not too many owners" "$(jq -c '[.[] | select(.check == "channels" and .status == "warn") | .detail]' stdout)" \
	'["ops has not delivered a message yet"]'
# owners FIRST LAST: a machine for each
owners() {
	echo "instances:"
	for i in $(seq "$1" "$2"); do
		echo "  - {project: lab-one, zone: us-central1-b, name: new-$i, type: n1-standard-1, created: -10h, labels: {owner: user-$i}}"
	done
}
mailed() { ls sent | grep -o '^user-1[0-9][0-9]@' | sort -u | wc -l; }
sed -i 's/^rules:/&\n  - {use: keep-ending, notify: {to_owner: "{owner}@example.org"}}/' tpucost.yaml
patch "$(owners 100 204)
  - {project: lab-one, zone: us-central1-b, name: kept, type: n1-standard-1, created: -10h, labels: {owner: kim, tpucost-keep: until-$(day 0 %Y%m%d)}}"
cycles
is "a hundred are mailed, two of them those of before" "$(mailed)" 97
has "and one whose machine is no longer exempt soon" "$(cat sent/kim@example.org.0)" "kept"
said="no mail to owners ops/user-197@example.org, ops/user-198@example.org, ops/user-199@example.org and 5 more: \
at most 100 owners are mailed at a time"
is "that others are not is said once" "$(grep . log)" "tpucost: $said; mail a list that has them all, as a channel of notify:"
run tpucost doctor --format json
has "also by doctor" "$(jq -r '.[] | select(.check == "channels") | .detail' stdout)" "$said"
has "with what to do" "$(jq -r '.[] | select(.check == "channels") | .fix' stdout)" "mail a list that has them all"

# ---- owners who got their last mail make room: those whose machines are gone first
patch "remove: {instances: [$(for i in $(seq 100 149); do printf '{name: new-%d}, ' "$i"; done){name: kept}]}"
cycles
is "each of them was told the end" "$(grep -l '^Subject: .*resolved' sent/user-1[0-4]* | wc -l)" 50
cycles
is "then the others are mailed" "$(mailed) $(ls sent | grep -c '^user-20[0-4]@')" "100 5"
is "and nobody is left out" "$(tail -n 1 log)" ""
run tpucost notify --format json
is "those who are gone have no channel" "$(jq -r '.[].name' stdout | sed 's/-.*//; s/@.*//' | sort | uniq -c | tr -s ' \n' ' ')" \
	" 1 ops 1 ops/ada 1 ops/bob 55 ops/user "
