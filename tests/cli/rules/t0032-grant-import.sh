# The mail of a grant becomes `grants:` of the configuration, or says which line stands in the way.
. "$ROOT/tests/cli/lib.sh"

cat >body <<'MAIL'
Your Google Cloud project demo-proj-1234 now has access to the following quota free of charge for 90 days:
64 spot Cloud TPU v6e chips in zone europe-west4-a
32 on-demand Cloud TPU v4 chips in zone us-central2-b
5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a
This free 90-day trial is only available for new Cloud TPUs you create in the zones listed above.
MAIL
mail() { # HEADERS: a mail of it, with the body from standard input
	printf 'From: trc-support@google.com\nSubject: [TRC] You have access to free Cloud TPUs\n'
	printf 'Date: Tue, 05 May 2026 10:00:00 +0800\nMIME-Version: 1.0\n%s\n\n' "$1"
	cat
}
mail 'Content-Type: text/plain' <body >plain.eml

run tpucost grant import plain.eml
status "a mail is read" 0
has "the length" "$out" "    days: 90"
has "the start is the date of the mail" "$out" "    starts: 2026-05-05T02:00:00Z # from the mail's Date"
has "and the end" "$out" "    days: 90 # until 2026-08-03T02:00:00Z"
has "which are said, too" "$err" "note: start 2026-05-05T02:00:00Z from the mail's Date, end 2026-08-03T02:00:00Z"
has "chips and the name of the slice" "$out" \
	"- 32 on-demand Cloud TPU v4 chips in zone us-central2-b # 32 v4 chips = v4-64, 8 hosts"
has "devices and their chips" "$out" \
	"- 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a # 5 of v3-8 = 20 chips"
has "its checksum" "$out" "# sha256 $(sha256sum plain.eml | cut -d' ' -f1)"
has "the line it comes from" "$out" "# 32 v4 chips = v4-64, 8 hosts (line 3)"
run tpucost grant import - <<MAIL
$(sed 's/32 on-demand Cloud/32 on demand Google Cloud/' plain.eml)
MAIL
has "and its words, where they are others" "$out" "# line 3: 32 on demand google cloud tpu v4 chips in zone us-central2-b"
has "as the configuration wants them" "$out" "      - 32 on-demand Cloud TPU v4 chips in zone us-central2-b # 32 v4 chips = v4-64, 8 hosts
"
run tpucost grant import plain.eml
has "the project" "$out" "# for project demo-proj-1234"
has "and how it is said in the configuration" "$out" "    # project: demo-proj-1234 # without this line: all watched projects"
has "which is said, too" "$err" "note: according to the mail, the grant is only for project demo-proj-1234: add \`project:\` if other projects are watched"
cp stdout want.yaml
sed 's/demo-proj-1234 now has/(#1234) has/' plain.eml >nobody.eml
run tpucost grant import nobody.eml --starts 2026-05-05
has "a mail that names none" "$err" "note: the mail does not name a project: without \`project:\`, the grant covers all watched projects"
is "says so, and no other" "$rc $(grep -c project stdout)" "0 0"

# what is written is a configuration, and means the same
{
	printf 'timezone: UTC\nprojects: [demo-proj-1234]\ndatabase: t.db\n'
	cat want.yaml
} >tpucost.yaml
run tpucost check --config tpucost.yaml --strict
status "it is a configuration" 0
has "of three lines" "$out" "3 grant lines"
run tpucost grant import plain.eml --format json --quiet
is "JSON: a row per line" "$(jq -c '[.[] | [.name, .granted_chips, .slice, .provisioning, .family, .zone, .days, .line]]' stdout)" \
	'[["trc-2026-05-05",64,"v6e-64","spot","v6e","europe-west4-a",90,2],["trc-2026-05-05",32,"v4-64","on-demand","v4","us-central2-b",90,3],["trc-2026-05-05",20,null,"on-demand","v3","europe-west4-a",90,4]]'
is "and quiet" "$err" ""

# The same grant in every form a mail comes in. What differs is where its lines are.
same() { # NAME FILE [OPTION...]
	n=$1 f=$2
	shift 2
	run tpucost grant import "$f" -q "$@"
	is "$n" "$(grep -v '#' stdout | sed 's/ #.*//'; sed -n 's/ (line [0-9]*)//; /^      - /p' stdout)" \
		"$(grep -v '#' want.yaml | sed 's/ #.*//'; sed -n 's/ (line [0-9]*)//; /^      - /p' want.yaml)"
}
sed 's/on-demand/on=E2=80=91demand/g' body | mail 'Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable' >qp.eml
same "quoted-printable" qp.eml
base64 <body | mail 'Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64' >base64.eml
same "base64" base64.eml
sed 's|.*|<p>&</p>|' body | tr '\n' ' ' | mail 'Content-Type: text/html; charset=utf-8' >html.eml
same "HTML" html.eml
sed 's/.*/> **&**\r/' body | mail 'Content-Type: text/plain' >quoted.eml
same "quoted, bold, CRLF" quoted.eml --starts 2026-05-05T02:00:00Z
sed 's/Cloud TPU v/Cloud TPU\nv/' body | mail 'Content-Type: text/plain' >wrapped.eml
same "wrapped" wrapped.eml
{
	printf -- '--b\nContent-Type: text/plain\n\n'
	cat body
	printf -- '--b\nContent-Type: text/html\n\n'
	sed 's|.*|<p>&</p>|' body
	printf -- '--b--\n'
} | mail 'Content-Type: multipart/alternative; boundary=b' >both.eml
same "plain text and HTML" both.eml
run tpucost grant import body --starts 2026-05-05T02:00:00Z -q
has "pasted text wants a start" "$out" "    starts: 2026-05-05T02:00:00Z"
printf 'x' | cat body - >stdin
run sh -c '"$B/tpucost" grant import - --starts 2026-05-05 --name mine -q <stdin'
has "from standard input" "$out" "  - name: mine"
has "a date stays a date" "$out" "    starts: 2026-05-05 # from --starts
    days: 90 # until 2026-08-03
"

run tpucost grant import plain.eml --name renewal --extends trc-nov -q
has "a renewal" "$out" "  - name: renewal
    extends: trc-nov
"

# What is refused writes nothing.
no() { # NAME STATUS PART FILE [OPTION...]
	n=$1 s=$2 p=$3
	shift 3
	run tpucost grant import "$@"
	status "$n: status" "$s"
	is "$n: nothing is written" "$out" ""
	has "$n: said" "$err" "$p"
}
sed 's/64 spot/32 spot + 32 on-demand/' plain.eml >two.eml
no "two classes in a line" 3 "two.eml: line 2: '+' joins two grants: write a line for each: '32 spot + 32" two.eml
sed 's/^64 //' plain.eml >count.eml
no "a count that is cut" 3 'line 2: the count is missing' count.eml
sed 's/^64 /0 /' plain.eml >zero.eml
no "a count of 0" 3 'line 2: a count of 0' zero.eml
sed 's/for 90 days/for 30 days/' plain.eml >length.eml
no "two lengths" 3 'two lengths: 30 days on line 1, 90 here' length.eml
sed '/^Date/d' plain.eml >undated.eml
no "no date" 3 'give --starts DATE' undated.eml
sed '/90/d' plain.eml >nolength.eml
no "no length" 3 'give --days N' nolength.eml
run tpucost grant import nolength.eml --days 30 -q
has "which can be given" "$out" "    days: 30"
{
	echo '---------- Forwarded message ---------'
	cat body
} | mail 'Content-Type: text/plain' >fwd.eml
no "passed on" 3 'fwd.eml: the start is unknown: line 1 is not text of an original mail of TRC; give --starts DATE' fwd.eml
sed 's|<p>64|<p>65|' both.eml >differ.eml
no "parts that differ" 3 'inside it) differ' differ.eml
i=0
while [ $i -lt 300 ]; do
	echo "preemptible Cloud TPU v2-8 device(s) in zone us-central1-f"
	i=$((i + 1))
done >many.txt
no "hundreds of bad lines" 3 'line 1: the count is missing' many.txt --starts 2026-05-05 --days 9
is "are not all said" "$(grep -c 'count is missing' stderr)" 50
echo hello >none.txt
no "no grant in it" 3 'no line of a grant was found' none.txt
sed '$d' both.eml >cut.eml
no "cut off" 1 'damaged or cut off' cut.eml
sed '$s/./*/' base64.eml >bad.eml
no "damaged base64" 1 'base64' bad.eml
printf 'a\000b' >nul
no "NUL" 1 'NUL' nul
printf '%%PDF-1.7' >doc.pdf
no "a PDF" 1 'pdftotext' doc.pdf
head -c 1100000 /dev/zero | tr '\0' x >big
no "too big" 1 'big' big
no "no such file" 1 'nowhere.eml' nowhere.eml
no "no file" 2 'no file is given'
no "a wrong date" 2 'is not a date' plain.eml --starts soon
no "a wrong name" 2 '--name' plain.eml --name 'a: b'
no "a wrong name to extend" 2 '--extends' plain.eml --extends "x
y"
no "no days" 2 '--days: 0' plain.eml --days 0
no "a form that it has not" 2 '--format must be json' plain.eml --format csv

# A mail cannot write keys of its own: YAML knows more line ends than most.
printf '5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a\n' |
	mail 'Content-Type: text/plain' | sed 's/\[TRC\].*/=?utf-8?Q?x=E2=80=A8enforcement:_{mode:_armed}=C2=85y=0Az?=/' >evil.eml
run tpucost grant import evil.eml --days 30 --starts 2026-05-05 -q
is "a subject stays a comment" "$(grep -c '^[^# ]' stdout)$(grep '^[^# ]' stdout)" "1grants:"
is "and plain" "$(tr -d '\n\t -~' <stdout | wc -c)" 0

# equal lines add up, and that is said
{
	cat body
	echo '3 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a'
} | mail 'Content-Type: text/plain' >again.eml
run tpucost grant import again.eml
has "equal lines are marked" "$err" "note: line 6 has the same grant as an earlier line; they are added"
is "and both are there" "$(grep -c -e '- [35] on-demand Cloud TPU v3-8' stdout)" 2
run tpucost grant list --config tpucost.yaml
has "grant list still asks the database" "$err" "run: tpucost collect"
run tpucost help grant import
has "help" "$out" "usage: tpucost grant import FILE|-"
run tpucost grant imports x
status "another word" 2
