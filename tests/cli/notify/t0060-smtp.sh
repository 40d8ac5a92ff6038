# Mails through a real mail server, Debian's aiosmtpd, with STARTTLS and a log-in.
. "$ROOT/tests/cli/lib.sh"
unset -f jq # the order of keys counts

python=/usr/bin/python3
if ! $python -c 'import aiosmtpd' 2>/dev/null; then
	pass "skipped: it needs python3-aiosmtpd"
	exit 0
fi

# serve [CERTIFICATE KEY]: sets $smtp
serve() {
	rm -f smtp-port hold mails
	mkfifo hold
	# Its input ends with this shell, and with exec 3>&-.
	$python "$ROOT/tests/mail/smtp_server.py" "$work" "$@" <hold >server.log 2>&1 &
	exec 3>hold
	wait_until test -s smtp-port || { cat server.log && exit 1; }
	smtp=smtp://localhost:$(cat smtp-port)
}

# certificate NAME HOST: NAME.pem, NAME.key, signed by ca.pem
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$2" 2>/dev/null
	printf 'subjectAltName=DNS:%s' "$2" >"$1.ext"
	openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -out "$1.pem" \
		-days 2 -extfile "$1.ext" 2>/dev/null
}
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj "/CN=test" -days 2 2>/dev/null
certificate right localhost
certificate other mail.example.org

# config [LINE]: a channel of two recipients
config() {
	cat >tpucost.yaml <<END
timezone: UTC
projects: [lab-one]
database: t.db
notify:
  - name: me
    email:
      to: [ann@example.org, "Bob <bob@example.org>"]
      from: tpucost <tpucost@lab.example.org>
      smtp: "$smtp"
      username: me
      password_file: word
      ca_file: ca.pem
${1:-}
END
	TPUCOST_CONFIG=$work/tpucost.yaml
	export TPUCOST_CONFIG
}
(umask 077 && echo "correct horse" >word && echo "wrong horse" >wrong)

# nothing_leaks NAME: the password is in no output and not in the database
nothing_leaks() {
	cat stdout stderr t.db* | grep -a -c -e 'correct horse' -e 'wrong horse' >leaks
	is "$1: no password anywhere" "$(cat leaks)" 0
}

serve right.pem right.key
config
run tpucost notify test me
status "a test goes out" 0
is "a mail for each recipient" "$(jq -c . mails)" \
	'{"from":"tpucost@lab.example.org","to":["ann@example.org"],"tls":true,"login":true,"hello":"lab.example.org"}
{"from":"tpucost@lab.example.org","to":["bob@example.org"],"tls":true,"login":true,"hello":"lab.example.org"}'
has "what the server said is shown" "$out" "250 kept as 1"
nothing_leaks "sent"
python3 - <<'END' >got 2>&1
import email, email.policy
for n in (1, 2):
    m = email.message_from_binary_file(open(f"mail.{n}", "rb"), policy=email.policy.default)
    assert not m.defects, m.defects
    assert [a.addr_spec for a in m["To"].addresses] == ["ann@example.org", "bob@example.org"], m["To"]
    assert str(m["From"]) == "tpucost <tpucost@lab.example.org>", m["From"]
    assert "test of channel me" in m["Subject"], m["Subject"]
    assert m["Message-ID"].endswith("@lab.example.org>")
    assert m["Auto-Submitted"] == "auto-generated"
    assert "alerts and reports are delivered here" in " ".join(m.get_body(("plain",)).get_content().split())
    assert "alerts and reports are delivered here" in " ".join(m.get_body(("html",)).get_content().split())
END
is "another library reads them" "$(cat got)" ""

sed -i 's/password_file: word/password_file: wrong/' tpucost.yaml
run tpucost notify test me
status "a wrong password fails" 1
has "and is said" "$out$err" "refuses the login: 535 "
has "and what to do" "$out$err" "check username and password_file of channel me"
is "nothing arrived" "$(grep -c . mails)" 2
nothing_leaks "refused"

config
sed -i 's/bob@example.org/nobody@example.org/' tpucost.yaml
run tpucost notify test me
status "one recipient of two is not known" 1
has "which one" "$out$err" "nobody@example.org"
has "and why" "$out$err" "refuses the recipient: 550 5.1.1 no such user"
is "the other one got it" "$(tail -n +3 mails | jq -c .to)" '["ann@example.org"]'

config
sed -i '/ca_file/d' tpucost.yaml
run tpucost notify test me
status "an authority that nobody knows is refused" 1
has "and said" "$out$err" "certificate"
is "and nothing arrived" "$(grep -c . mails)" 3
exec 3>&-
wait

serve other.pem other.key
config
run tpucost notify test me
status "the certificate of another host is refused" 1
has "and it is said so" "$out$err" "subject name matches"
is "and nothing came" "$(cat mails 2>/dev/null)" ""
exec 3>&-
wait

serve
config
run tpucost notify test me
status "without STARTTLS nothing is sent" 1
has "and that is said" "$out$err" "offers no TLS (STARTTLS), so nothing was sent"
is "and nothing was kept" "$(cat mails 2>/dev/null)" ""
sed -i 's/^ *username: me/      tls: off/; /password_file/d; /ca_file/d' tpucost.yaml
run tpucost notify test me
status "but this machine may do without TLS if told so" 0
is "in the clear" "$(jq -c '[.to[0], .tls]' mails)" '["ann@example.org",false]
["bob@example.org",false]'
exec 3>&-
wait
