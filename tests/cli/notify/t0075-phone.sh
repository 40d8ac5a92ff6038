# Reports of every kind where there is little room: no table of a mail is wider than a phone, and in
# Slack no part of a figure is set as code.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
printf '#!/bin/sh\nexec cat >"%s/mail"\n' "$work" >sendmail
chmod +x sendmail
lab_config "budgets:
  - {name: month, amount: 5000 HKD, per: month, forecast_at: [100]}
notify:
  - name: mail
    sendmail: {to: [ann@example.org], from: tpucost@example.org, program: sendmail}" \
	"100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f"
run tpucost run --once
for kind in daily weekly month grant; do
	rm -f mail
	run tpucost report $kind --send --to mail
	status "$kind is sent" 0
	run python3 -B "$ROOT/tests/html/phone.py" mail
	is "$kind fits" "$rc $(grep -v ' tables$' stdout)" "0 "
	run tpucost report $kind --format slack
	is "$kind: headlines without code in Slack" "$(jq -r '.text, .blocks[1].text.text' stdout | grep -v '^  ' |
		grep -c '`[^`]*[*~:]`')" 0
done
# the check itself: without what a phone hides, not all fits
rm -f mail
run tpucost report weekly --send --to mail
python3 -c 'import email, email.policy
m = email.message_from_binary_file(open("mail", "rb"), policy=email.policy.default)
open("all.html", "w").write(m.get_body(("html",)).get_content().replace(" wide\"", "\""))'
run python3 -B "$ROOT/tests/html/phone.py" all.html html
is "a table that does not fit is found" "$rc $(grep -c '^TPUs and grants: ' stdout)" "1 1"
