# Mails as Python's email package reads them, which shares no line with ours: heads, both texts,
# and nothing of a hostile text anywhere else.
. "$ROOT/tests/cli/lib.sh"

print_mail() {
	"$B/mail/print_mail" "$@"
}
rocket=$(printf '\360\237\232\200')
zhang=$(printf '\345\274\240\344\274\237')
evil=$(printf 'x\r\nBcc: evil@x\r\nRCPT TO:<evil@x>\r\n\r\nbody')
long=$(printf '%0300d' 0 | sed "s/0/$zhang/g")

for doc in sample hostile; do
	print_mail text $doc x >text
	print_mail html $doc x >html
	i=0
	for subject in "$rocket HKD 12.30 $zhang" "$evil" "$long" "plain, and long enough to be folded at one of its blanks, somewhere"; do
		i=$((i + 1))
		print_mail mail $doc "$subject" "$zhang <tpucost@lab.example.org>" \
			ann@example.org "\"Lab, TPU\" <lab@example.org>" "$zhang $rocket <z@example.org>" >mail
		printf '%s' "$subject" >subject
		python3 - <<'END' >got 2>&1
import email, email.policy, re
raw = open("mail", "rb").read()
m = email.message_from_bytes(raw, policy=email.policy.default)
want = open("subject", newline="").read().replace("\r", "\\x0d").replace("\n", "\\x0a")
cut = want.encode()[:200].decode(errors="ignore")
want = cut + "..." if cut != want else want
assert m["Subject"] == want, (m["Subject"], want)
assert sorted(m.keys()) == ["Auto-Submitted", "Content-Type", "Date", "From", "In-Reply-To",
    "List-Id", "MIME-Version", "Message-Id", "References", "Subject", "To"], m.keys()
assert m["Message-ID"] == "<c0ffee@lab.example.org>"
assert m["In-Reply-To"] == "<bbbb@lab.example.org>"
assert m["References"] == "<aaaa@lab.example.org> <bbbb@lab.example.org>"
assert m["Auto-Submitted"] == "auto-generated"
assert m["Date"].datetime.isoformat() == "2026-11-21T00:00:00+00:00", m["Date"]
name = "\u5f20\u4f1f"
assert [(a.display_name, a.addr_spec) for a in m["From"].addresses] == [(name, "tpucost@lab.example.org")]
assert [(a.display_name, a.addr_spec) for a in m["To"].addresses] == [("", "ann@example.org"),
    ("Lab, TPU", "lab@example.org"), (name + " \U0001f680", "z@example.org")], m["To"].addresses
assert not m.defects and not any(h.defects for h in m.values()), m.defects
assert m.get_content_type() == "multipart/alternative"
parts = list(m.iter_parts())
assert [p.get_content_type() for p in parts] == ["text/plain", "text/html"]
for p, name in zip(parts, ("text", "html")):
    assert p.get_content_charset() == "utf-8" and p["Content-Transfer-Encoding"] == "quoted-printable"
    assert not p.defects, p.defects
    text = p.get_payload(decode=True).decode().replace("\r\n", "\n")
    was = open(name, newline="").read()
    was += "" if was.endswith("\n") else "\n"
    assert text == was, name
lines = raw.split(b"\r\n")
assert b"\n" not in b"".join(lines) and b"\r" not in b"".join(lines)
assert max(map(len, lines)) <= 76, max(lines, key=len)
assert all(32 <= c < 127 or c == 9 for c in b"".join(lines))
END
		is "$doc, subject $i: another library reads what was written" "$(cat got)" ""
	done
done

print_mail mail hostile x >a
print_mail mail hostile x >b
is "the same bytes every time" "$(cmp a b 2>&1)" ""
run print_mail mail sample x "$evil <me@example.org>"
status "a hostile sender is refused" 1
has "and why" "$err" "line ends and control characters are not allowed in it"
