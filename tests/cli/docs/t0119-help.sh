#!/bin/sh
# Help: complete, as narrow as the terminal, and every example of it works.
. "$ROOT/tests/cli/lib.sh"
. "$ROOT/tests/cli/lib-lab.sh"
. "$ROOT/tests/cli/lib-web.sh"

# ---- without anything to work on
for width in 40 80 200; do
	COLUMNS=$width "$B/tpucost" help >stdout 2>stderr
	is "help: $width columns: status" "$?" 0
done
widest() { # of stdout, without lines that hold one word or an example only
	awk '{ n = length($0) } /^Example:/ { skip = 2 } skip-- > 0 { next }
		$0 !~ /^ *[^ ]+$/ && n > m { m = n } END { print m + 0 }' stdout
}
cat >narrow.py <<'END'
import os, pty, sys, struct, fcntl, termios
def shown(width, words):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        os.execvp(words[0], words)
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.close(fd)
    os.waitpid(pid, 0)
    return out.replace(b"\r\n", b"\n")
for width in 40, 60, 80:
    for page in sys.argv[2:]:
        with open(f"{width}-{page}", "wb") as f:
            f.write(shown(width, [sys.argv[1], "help", *page.split()]))
END
set -- "" ps why "grant import" report enforce config conditions formats
python3 narrow.py "$B/tpucost" "$@"
for width in 40 60 80; do
	for page in "$@"; do
		cp "$width-$page" stdout
		w=$(widest)
		if [ "$w" -le $width ] && [ "$w" -gt 20 ]; then
			pass "help $page fits $width columns"
		else
			flunk "help $page fits $width columns" "it has $w"
		fi
	done
done
run tpucost help
for g in "First steps" "Resources and coverage" Money "Rules and alerts" Enforcement \
	"Reports and messages" "Maintenance and reference" Topics "Options of every command"; do
	has "a heading: $g" "$out" "
$g"
done
case $out in
*'
Other'*) flunk "every command is of a group" "there are others" ;;
*) pass "every command is of a group" ;;
esac
case $out in
*' complete '* | *' manual '*) flunk "what is for programs is in no list" ;;
*) pass "what is for programs is in no list" ;;
esac
run tpucost help grant
has "grant: what is below it" "$out" "  grant plan       Show what is charged when grants end"
has "grant: that too" "$out" "  grant import     Convert the mail"
run tpucost grant plan --help
has "a command of two words" "$out" "usage: tpucost grant plan [NAME] [OPTIONS]"
cp stdout want
run tpucost help grant plan
is "by the other way" "$out" "$(cat want)"
run tpucost help config budgets
has "a key" "$out" "  budgets[].amount         the limit, with the currency (amount;"
case $out in
*"credits[]"*) flunk "of that part only" ;;
*) pass "of that part only" ;;
esac
run tpucost help config --format markdown
is "docs/config.md is what tpucost prints" "$out" "$(cat "$ROOT/docs/config.md")"
sed -n '/^```yaml/,/^```/p' "$ROOT/docs/config.md" | sed '/^```/d' >doc.yaml
run tpucost check --config doc.yaml
is "its example is a configuration" "$rc $err" "0 "
is "each key has a meaning" "$(grep -c '| *|$' "$ROOT/docs/config.md")" 0

# every key that the example configurations of the tests use is one of them, and each is read
keys=$(sed -n 's/^| `\([^`]*\)`.*/\1/p' "$ROOT/docs/config.md" | wc -l)
[ "$keys" -gt 100 ] && pass "all keys are there" || flunk "all keys are there" "$keys"

# ---- every example, in the lab
start_lab 'rules:
  - {use: tpu-not-covered, then: {action: stop, grace: 30m}}'
printf 'From: a@google.com\nSubject: TRC\nDate: Tue, 05 May 2026 10:00:00 +0800\n\n%s\n%s\n' \
	'Your Google Cloud project demo-proj-1234 now has access free of charge for 30 days:' \
	'5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a' >mail.eml
mkdir tests && cp "$ROOT/tests/scenarios/tpu-zone-off.yaml" tests/
cat >rows.json <<'END'
{"billing_account_id":"0FFFFF-CD45EF-678901","service":{"id":"6F81","description":"Compute Engine"},"sku":{"id":"S1","description":"Sku"},"usage_start_time":"2026-01-05 01:00:00 UTC","project":{"id":"p-1"},"location":{"location":"us"},"export_time":"2026-01-06 00:00:00 UTC","cost":1.5,"currency":"USD","usage":{"amount":"1","unit":"seconds"},"credits":[],"invoice":{"month":"202601"},"cost_type":"regular"}
END
gzip -c rows.json >billing-2026-10.json.gz
tpucost hold add tpu-1 --until 1h -q # so that there is something in the audit
anchor=$(tpucost sql "SELECT hash FROM audit ORDER BY seq DESC LIMIT 1" -f json | jq -r '.[0].hash')
tpucost help --format json >help.json
is "commands with an example" "$(jq '[.[] | select(.example == "")] | length' help.json)" 0
# Two examples name what the one before makes: import comes before db forget.
jq -r 'sort_by(.command == "db") | .[] | .command + "\t" + .example' help.json >examples
for t in config conditions formats times; do
	tpucost help $t | awk -v t="help $t" '/^Example:/ { getline; sub(/^ */, ""); print t "\t" $0 }' >>examples
done
while IFS="$(printf '\t')" read -r name example; do
	line=$(printf '%s' "$example" | sed "s/5e1f\.\.\./$anchor/")
	case $name in
	top) want=2 ;;                       # this is no terminal
	run) want='0|4' ;;                   # nobody looks for the metrics
	doctor) want='0|1|4' ;;              # what the lab lacks is no matter here
	'enforce approve') want='0|1' ;;     # nothing is held by a limit
	init) want='0|2' ;;                  # there is one already
	backup) want='0|1' ;;                # that folder may be missing
	estimate) want='0|3' ;;
	'audit verify') want=0 ;;
	*) want='0|4' ;;
	esac
	if [ "$name" = web ]; then # at a port that nobody uses
		start_web
		stop_web
		is "example of web: $line" "$rc" 0
		continue
	fi
	case $line in
	tpucost' '*) ;;
	*) flunk "example of $name" "it begins with another word: $line" ;;
	esac
	(PATH=$B:$PATH sh -c "$line" </dev/null >stdout 2>stderr)
	rc=$?
	if printf '%s' "$rc" | grep -Eqx "$want"; then
		pass "example of $name"
	else
		flunk "example of $name" "status $rc of: $line"
	fi
done <examples
[ -s report.html ] && pass "the report is written" || flunk "the report is written"
