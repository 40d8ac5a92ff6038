# What is wrong with channels, reports and the heartbeat is found before the first alarm: with file,
# line and column, and what to write instead. Secrets are read when something is sent (case K1).
. "$ROOT/tests/cli/lib.sh"
name() { # one line, whatever it is
	printf '%s' "$1" | tr '\n\\' ' /'
}
bad() { # LINES MESSAGE: what stands behind "bad.yaml:", all of it
	printf 'projects: [p-one-1]\n%s\n' "$1" >bad.yaml
	run tpucost check --config bad.yaml
	is "$(name "$1")" "$rc $err" "2 bad.yaml:$2"
}
fine() {
	printf 'projects: [p-one-1]\n%s\n' "$1" >bad.yaml
	run tpucost check --config bad.yaml
	is "fine: $(name "$1")" "$rc $err" "0 ${2:-}"
}
channel() { # SETTINGS MESSAGE
	bad "notify: [{name: a, $1}]" "$2"
}

# ---- channels
bad 'notify: {name: a}' '2:9: notify: expected a list of channels'
bad 'notify: [{file: {path: x}}]' '2:10: notify: name is missing'
bad 'notify: [{name: a}]' "2:10: notify: 'a' needs one of email, sendmail, slack, webhook, alertmanager, file"
bad 'notify: [{name: a, file: {path: x}}, {name: a, file: {path: y}}]' "2:45: notify: two channels have the name 'a'"
bad 'notify: [{name: "a b", file: {path: x}}]' "2:17: notify: invalid name (expected letters, digits, '.', '_' and '-', at most 64 characters)"
channel 'file: {path: x}, webhook: {url: "https://example.org/x"}' \
	"2:10: notify: 'a' has 2 kinds; make a channel for each, with its own name"
channel 'fiel: {path: x}' "2:20: notify: unknown key 'fiel'; did you mean 'file'?"
channel 'file: {paht: x}' "2:27: file: unknown key 'paht'; did you mean 'path'?"
channel 'file: {}' '2:26: file: path is missing'
channel 'file: {path: x}, min_severity: high' "2:51: 'high' is not valid (expected one of: info, warning, critical)"
channel 'file: {path: x}, min_severity: warnin' "2:51: 'warnin' is not valid (expected one of: info, warning, critical); did you mean 'warning'?"
channel 'file: {path: x}, group_wait: 3' "2:49: '3' is not a duration such as 30s, 10m, 6h or 30d"
for hours in 22-7 22:00-22:00 25:00-07:00 22:60-07:00 "22:00 - 07:00"; do
	channel "file: {path: x}, quiet_hours: \"$hours\"" "2:50: '$hours' is not valid (expected quiet hours such as \"22:00-07:30\")"
done
fine 'notify: [{name: a, file: {path: x}, quiet_hours: "22:00-07:00", group_wait: 30s, group_interval: 5m}]'

# ---- where it may go (A40)
where() { # URL MESSAGE [SETTING]
	channel "webhook: {url: \"$1\"${3:+, $3}}" "2:35: URL $2"
}
https='plain http is allowed on this machine only (127.0.0.1, ::1, localhost); use https://'
private='this is a private address; set allow_private: true if it is meant'
where http://example.org/x "http://example.org/...: $https"
where http://10.1.2.3/ "http://10.1.2.3/: $https" 'allow_private: true'
where ftp://example.org/ '(not shown): it must begin with https://'
where https:// '(not shown): there is no host name'
where https://me:secret@example.org/ '(not shown): user names are not allowed in it'
where https://example.org:99999/ '(not shown): the port is not a number from 1 to 65535'
for host in 10.1.2.3 192.168.0.1 172.16.0.1 100.64.0.1 '[fd00::1]' '[::ffff:10.0.0.1]'; do
	where "https://$host/x" "https://$host/...: $private"
done
for host in 169.254.169.254 0.0.0.0 '[fe80::1]' '[::ffff:169.254.169.254]'; do
	where "https://$host/" "https://$host/: nothing may be sent to this address" 'allow_private: true'
done
where https://metadata.google.internal/ 'https://metadata.google.internal/: nothing may be sent to a metadata server' 'allow_private: true'
for host in 2130706433 0x7f000001 127.1 010.0.0.1; do
	where "https://$host/" "https://$host/: its address is not written in the usual form; write it as 192.0.2.1 or [2001:db8::1]"
done
fine 'notify: [{name: a, webhook: {url: "https://10.1.2.3/", allow_private: true}}]'
fine 'notify: [{name: a, webhook: {url: "http://127.0.0.1:9/"}}]'
channel 'webhook: {}' '2:29: expected url, or url_file if the URL is a secret'
channel 'webhook: {url: "https://example.org/", url_file: f}' '2:29: expected url, or url_file if the URL is a secret'
channel 'slack: {webhook: "https://example.org/x"}' "2:28: slack: unknown key 'webhook'; keys here: webhook_file, ca_file, allow_private"
channel 'slack: {webhook_file: "credential:../x"}' "2:42: '../x' is not a name of a credential (expected credential:NAME)"
channel 'alertmanager: {url: "http://am.example.org"}' "2:40: URL http://am.example.org: $https"

# ---- mail, and line ends in its addresses (case G5)
mail() { # SETTINGS MESSAGE
	channel "email: {to: [me@example.org], from: t@example.org, $1}" "$2"
}
write='write it as name@host or Name <name@host>'
people() { # TO FROM MESSAGE
	channel "email: {to: [$1], from: $2, smtp: \"smtps://s.example.org\"}" "$3"
}
breaks='line ends and control characters are not allowed in it'
people '"me@example.org\r\nBcc: x@y.org"' t@example.org "2:32: mail address 'me@example.org\\x0d\\x0aBcc: x@y.org': $breaks; $write"
people me@example.org '"T\nX: <t@example.org>"' "2:56: mail address 'T\\x0aX: <t@example.org>': $breaks; $write"
people '"a b@c"' t@example.org "2:32: mail address 'a b@c': the part before the '@' is malformed; $write"
people '' t@example.org '2:32: to: expected 1 to 20 addresses'
people 'a@b.org, A@b.org' t@example.org "2:32: to: 'A@b.org' is listed twice"
people 'a@b.org, c@b.org, "Ann <A@b.org>"' t@example.org "2:32: to: 'Ann <A@b.org>' is listed twice"
people "$(seq -f 'u%g@example.org' -s ', ' 21)" t@example.org '2:32: to: expected 1 to 20 addresses'
fine "notify: [{name: a, email: {to: [$(seq -f 'u%g@example.org' -s ', ' 20)], from: t@example.org, smtp: \"smtps://s.example.org\"}}]"
mail 'smtp: s.example.org' "2:77: smtp: 's.example.org' is not a server (expected smtps://HOST for TLS or smtp://HOST for STARTTLS)"
mail 'smtp: "smtps://s.example.org/x"' '2:77: smtp: unexpected text after the host'
mail 'smtp: "smtps://me:secret@s.example.org"' '2:77: smtp: user names are not allowed in it'
mail 'smtp: "smtp://10.0.0.1"' "2:77: smtp: $private"
mail 'smtp: "smtp://s.example.org", tls: off' \
	'2:106: tls: off is only allowed for smtp:// to this machine: mail and password would be sent without encryption'
mail 'smtp: "smtp://127.0.0.1", tls: maybe' '2:102: tls: expected on or off'
mail 'smtp: "smtps://s.example.org", username: me' '2:27: username and password_file must be used together'
mail 'smtp: "smtps://s.example.org", password_file: p' '2:27: username and password_file must be used together'
mail 'smtp: "smtps://s.example.org", password: p' \
	"2:102: email: unknown key 'password'; keys here: to, from, smtp, username, password_file, tls, ca_file, allow_private"
fine 'notify: [{name: a, email: {to: [me@example.org], from: t@example.org, smtp: "smtp://127.0.0.1:2525", tls: off}}]'

# ---- reports
two='notify: [{name: mail, file: {path: x}}, {name: am, alertmanager: {url: "http://127.0.0.1:9093"}}]
'
bad "${two}report: {daily: {at: '09:00', to: [mial]}}" "3:35: report.daily: there is no channel 'mial'; did you mean 'mail'?"
bad "${two}report: {daily: {at: '09:00', to: [am]}}" "3:35: report.daily: channel 'am' is an alertmanager, which accepts alerts but not reports"
for time in 9am 24:00 09:60 540; do
	bad "${two}report: {daily: {at: '$time'}}" "3:22: '$time' is not a time of day (expected one such as \"09:00\")"
done
bad "${two}report: {weekly: {on: mon}}" \
	"3:23: 'mon' is not valid (expected one of: monday, tuesday, wednesday, thursday, friday, saturday, sunday)"
bad "${two}report: {month: {on: 31}}" '3:22: expected a day that every month has: 1 to 28'
bad "${two}report: {daily: {on: monday}}" "3:18: report.daily: unknown key 'on'; keys here: at, to"
bad "${two}report: {yearly: {}}" "3:10: report: unknown key 'yearly'; keys here: daily, weekly, month"
fine "report: {daily: {}}" 'warning: report.daily: there is no channel for it; add one under notify:'
fine "${two}report: {daily: {at: '09:00'}, weekly: {on: sunday}, month: {on: 28, to: [mail]}}"

# ---- heartbeat
bad 'heartbeat: {url: "http://example.org/x"}' "2:18: URL http://example.org/...: $https"
bad 'heartbeat: {url: "https://169.254.169.254/x"}' '2:18: URL https://169.254.169.254/...: nothing may be sent to this address'
bad 'heartbeat: {}' '2:12: expected url, or url_file if the URL is a secret'
bad 'heartbeat: "https://example.org/a"' "2:12: heartbeat: expected 'key: value' pairs"
fine 'heartbeat: {url_file: "credential:hb"}'

# ---- secrets, looked at before
fine "notify: [{name: a, slack: {webhook_file: none}}]" \
	"warning: channel a: open none: No such file or directory; check the name of the file"
(umask 022 && echo word >open-word)
fine "notify: [{name: a, email: {to: [me@example.org], from: t@example.org, smtp: 'smtps://s.example.org', username: me, password_file: open-word}}]" \
	"warning: channel a: secret file open-word: readable by group or others (mode 0644); run: chmod 600 open-word"
(umask 077 && : >no-word)
fine "notify: [{name: a, webhook: {url_file: no-word}}]" "warning: channel a: secret file no-word is empty"
fine "notify: [{name: a, sendmail: {to: [me@example.org], from: t@example.org, program: no-word}}]" \
	"warning: channel a: no-word is not an executable program"
fine "heartbeat: {url_file: no-word}" "warning: heartbeat: secret file no-word is empty"
run tpucost check --strict --config bad.yaml
status "which is an error to who wants it so" 3
run tpucost check --format json --config bad.yaml
is "counted" "$(printf '%s' "$out" | jq -r '.[0].warnings')" 1
(umask 077 && echo "https://hooks.example.org/CANARY" >good-word)
fine "notify: [{name: a, webhook: {url_file: good-word}}]"
fine 'notify: [{name: a, slack: {webhook_file: "credential:hook"}}]'
word() { # CONTENT WANT: a webhook whose secret file holds that
	(umask 077 && printf %b "$1" >the-word)
	fine "notify: [{name: a, slack: {webhook_file: the-word}}]" "${2:+warning: channel a: secret file the-word: $2}"
}
used='its URL cannot be used'
word 'http://CANARY.example.org/x\n' "$used: $https"
word 'T000/B000/CANARY\n' "$used: it must begin with https://"
word 'https://me:CANARY@example.org/\n' "$used: user names are not allowed in it"
word 'https://10.1.2.3/CANARY' "$used: this is a private address; set allow_private: true if it is meant"
fine "notify: [{name: a, slack: {webhook_file: the-word, allow_private: true}}]"
word 'https://example.org/a\nhttps://example.org/CANARY\n' "it must contain one line"
word '\n' "it must contain one line"
fine "heartbeat: {url_file: the-word}" "warning: heartbeat: secret file the-word: it must contain one line"
word 'https://example.org/CANARY\r\n'

# ---- files, looked at before
mkdir dir
fine "notify: [{name: a, file: {path: dir}}]" "warning: channel a: dir is not a regular file"
fine "notify: [{name: a, file: {path: none/log}}]" "warning: channel a: none/log: directory none does not exist"
fine "notify: [{name: a, file: {path: $work/none/log}}]" \
	"warning: channel a: $work/none/log: directory $work/none does not exist"
fine "notify: [{name: a, file: {path: bad.yaml/log}}]" \
	"warning: channel a: cannot write bad.yaml/log: Not a directory"
fine "notify: [{name: a, file: {path: dir/log}}]"
is "and nothing is made" "$(ls dir)" ""
: >dir/log
fine "notify: [{name: a, file: {path: dir/log}}]"
if [ "$(id -u)" != 0 ]; then # who may do everything
	chmod 400 dir/log
	fine "notify: [{name: a, file: {path: dir/log}}]" "warning: channel a: cannot write dir/log: Permission denied"
	rm -f dir/log
	chmod 500 dir
	fine "notify: [{name: a, file: {path: dir/log}}]" \
		"warning: channel a: cannot create dir/log: directory: Permission denied"
	chmod 700 dir
fi

# ---- secrets, when something is sent
. "$ROOT/tests/cli/lib-notify.sh"
start_hooks
url=http://127.0.0.1:1
write_config "notify:
  - {name: lab, slack: {webhook_file: slack_url}}
  - {name: unit, slack: {webhook_file: \"credential:slack\"}}"
secret() { # NAME WANT-RC WANT-OUTPUT [CHANNEL]
	run tpucost notify test "${4:-lab}"
	is "$1" "$rc" "$2"
	has "$1: said" "$out" "$3"
}
printf '%s/slack/s3cretCANARY\n' "$hook" >slack_url
chmod 600 slack_url
secret "a secret of one's own" 0 "lab: sent (ok)"
for mode in 644 640 604; do
	chmod $mode slack_url
	secret "mode $mode" 1 "lab: not sent: slack: "
	has "mode $mode: how to mend it" "$out" "chmod 600"
done
chmod 600 slack_url
mv slack_url elsewhere
secret "missing" 1 "slack_url"
: >slack_url
chmod 600 slack_url
secret "empty" 1 "lab: not sent: slack: "
mkfifo pipe
mv pipe slack_url
secret "a pipe" 1 "lab: not sent: slack: "
rm slack_url
secret "a credential without systemd" 1 "unit: not sent: slack: " unit
mkdir -m 700 credentials
mv elsewhere credentials/slack
chmod 400 credentials/slack
CREDENTIALS_DIRECTORY=$work/credentials
export CREDENTIALS_DIRECTORY
secret "a credential that systemd hands over" 0 "unit: sent (ok)" unit
is "what came is what was sent" "$(came slack)" 2
is "and nobody says the secret" "$(cat stdout stderr | grep -c CANARY) $(grep -l CANARY t.db*)" "0 "
