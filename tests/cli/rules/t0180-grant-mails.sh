# The date from which a grant counts: it is said where it comes from, or asked for. Unit test
# test_grant_mails reads all shapes of tests/mail/grant_mails.txt; here are the two commands that take a mail.
. "$ROOT/tests/cli/lib.sh"
mails=$work/mails
mkdir "$mails"
# every mail as a file of its name; the last newline is not the mail's
LC_ALL=C awk -v dir="$mails" '/^=== / { close(file); file = dir "/" $2 ".eml"; between = ""; next }
	file { printf "%s%s", between, $0 >file; between = "\n" }' "$ROOT/tests/mail/grant_mails.txt"
is "there are mails" "$(find "$mails" -name '*.eml' | wc -l)" 250

run tpucost grant import "$mails/direct-alternative.eml"
has "a mail of Google" "$err" "note: start 2026-05-05T02:00:00Z from the mail's Date, end 2026-08-03T02:00:00Z"
run tpucost grant import "$mails/thunderbird-html.eml"
has "a forwarded mail with its own date" "$err" "note: start 2026-05-05T02:00:00Z from the forwarded message's Date line, end 2026-08-03T02:00:00Z"
has "so in the configuration" "$out" "starts: 2026-05-05T02:00:00Z # from the forwarded message's Date line"
run tpucost grant import "$mails/attached-rfc822.eml" --format json -q
is "an attached mail" "$(jq -r '.[0] | .starts, .starts_from, .until' stdout | paste -sd' ')" \
	"2026-05-05T02:00:00Z the mail's Date 2026-08-03T02:00:00Z"

asks() { # NAME FILE REASON
	run tpucost grant import "$mails/$2.eml"
	status "$1" 3
	is "$1: nothing is written" "$out" ""
	has "$1: why, and what to do" "$err" "$2.eml: the start is unknown: $3; give --starts DATE"
	run tpucost init --output new.yaml --grant-mail "$mails/$2.eml" --endpoint http://127.0.0.1:9
	is "$1: init, too" "$rc $(test -e new.yaml && echo written)" "3 "
}
asks "a forwarded mail" gmail-alternative "line 1 is not text of an original mail of TRC"
asks "a quoted line" quoted-last-line "line 6 is not text of an original mail of TRC"
asks "an earlier part" head-earlier-part "another part is not text of an original mail of TRC"
asks "a second part" google-part-second "it is not in the first text part, or is in a file"
asks "a subject" subject-list 'its "Subject:" is not that of an original mail of TRC'
asks "an element" google-cite "line 1 of its HTML does not have the text and format of an original mail of TRC"
asks "a field" google-field 'its head has "X-Example:", unlike that of an original mail of TRC'
asks "a reply" google-in-reply-to 'its head has "In-Reply-To:", unlike that of an original mail of TRC'
asks "a sender" sender-other 'it was not sent by Google, according to its "From:"'
asks "a date without zone" date-no-zone 'it has no valid "Date:" with a time zone'
asks "a date that is to come" google-future 'its "Date:" is in the future'

run tpucost grant import "$mails/gmail-alternative.eml" --starts 2026-05-05
has "--starts is used" "$err" "note: start 2026-05-05 from --starts, end 2026-08-03"
run tpucost grant import "$mails/direct-plain.eml" --starts 2026-05-06T08:00:00+08:00 --days 30
has "also where the mail has a date" "$err" "note: start 2026-05-06T08:00:00+08:00 from --starts, end 2026-06-05T00:00:00Z"
sed '1,/^$/d; s/^/> /' "$mails/direct-plain.eml" >quoted.txt
run tpucost grant import quoted.txt
has "pasted without head" "$err" "line 1 is not text of an original mail of TRC"
sed '/^MIME\|^Content\|^$/d' "$mails/direct-plain.eml" >pasted.txt
run tpucost grant import pasted.txt
has "pasted with the head" "$err" "start 2026-05-05T02:00:00Z from the mail's Date"
sed '/^MIME\|^Content\|^$/d; s/^/> /' "$mails/direct-plain.eml" >pasted.txt
run tpucost grant import pasted.txt
has "and quoted as a whole" "$err" "start 2026-05-05T02:00:00Z from the forwarded message's Date line"
