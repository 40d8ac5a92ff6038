# Names that want to be more than names, from the bill and from what runs, in every report, format
# and mail; and what is not known is never a zero.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
check() {
	python3 -B "$ROOT/tests/oracle/hostile_check.py" "$@"
}
start_sandbox "$ROOT/tests/sandbox/worlds/small.yaml"
write_config
tpucost collect -q
check names t.db >/dev/null

esc=$(printf '\\u001b[31m')
cat >mailer <<END
#!/bin/sh
cat >"$work/mail.\$\$"
END
chmod 755 mailer
cat >tpucost.yaml <<END
timezone: Asia/Hong_Kong
projects: [lab-one, lab-two]
database: t.db
grants:
  - {name: "g<!channel>${esc}", starts: $(day -20), days: 30, tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]}
credits: [{name: "=1+1", amount: 300 USD, starts: $(day -60)}]
budgets: [{name: "</td>|\`b\`", amount: 50 USD, per: month}]
notify:
  - {name: mail, sendmail: {to: [a@lab.example.org], from: t@lab.example.org, program: $work/mailer}}
  - {name: log, file: {path: log.jsonl}}
END
check rows bill.ndjson >/dev/null
run tpucost import bill.ndjson
status "a bill of hostile names" 0
run check reports "$B/tpucost"
is "every format shows them and runs none" "$out" fine
run tpucost budget --format json
has "amounts in currencies without a rate are not added" "$out" "the bill has no rate to"
run tpucost report daily
has "and the report says why a budget is unknown" "$(tr -s ' \n' ' ' <stdout)" "and the bill has no rate to"

run tpucost report daily --send
status "sent" 0
run check mail mail.*
is "the mail is one mail" "$out" fine
is "a line of JSON" "$(jq -r .report.report log.jsonl)" daily

# ---- what is not known ---------------------------------------------------------------------------

kill "$sandbox_pid"
wait "$sandbox_pid" 2>/dev/null
sandbox_pid=
sed -i 's/t\.db/u.db/' tpucost.yaml
run tpucost import bill.ndjson
tpucost report daily --format json >r.json
is "chips in use where nobody looked" \
	"$(jq -c '.grants[0] | [.used_chips, .free_chips, .covered_chip_hours, .saved]' r.json)" \
	"[null,null,null,null]"
is "and what becomes paid" "$(jq -c '.grant_ends[0].becomes_paid' r.json)" null
is "the command says the same" \
	"$(tpucost grant list --format json | jq -c '.[0] | [.used_chips, .saved]')" "[null,null]"
is "the week, too" "$(tpucost report weekly --format json | jq -c '.grants[0].used_chips')" null
run tpucost report daily
has "what to do" "$out" "to read resources: tpucost collect."
rm -f bill.ndjson u.db*
tpucost import -q /dev/null >/dev/null 2>&1
for kind in daily weekly month; do
	run tpucost report $kind
	status "$kind of nothing" 0
	has "$kind without a bill: where it would come from" "$(tr -s ' \n' ' ' <stdout)" "tpucost import"
done
