. "$ROOT/tests/cli/lib.sh"
# The sample documents as HTML, read by a parser that is not ours.
# parsed NAME VERSION TEXTS: says what the parser found
parsed() {
	python3 -B "$ROOT/tests/html/parse.py" "$2" "$1.html" "$3" >stdout 2>stderr ||
		[ -s stdout ] || flunk "$1: the parser ran"
	sed "s/^\(ok\|not ok\) /&$1: /" stdout
}

for sample in sample hostile; do
	"$B/html/print_doc" $sample texts >$sample.texts
	for version in file mail; do
		"$B/html/print_doc" $sample html $version >$sample-$version.html
		parsed $sample-$version $version $sample.texts
	done
done

# what has to fit
"$B/html/print_doc" many html mail 100000 >short-mail.html
is "no more bytes than asked for" "$(($(wc -c <short-mail.html) <= 100000))" 1
rows=$(grep -c '>machine-[0-9]*</code>' short-mail.html)
has "and the rest is counted" "$(cat short-mail.html)" ">and $((10000 - rows)) more: tpucost ps</p>"
has "the total is there" "$(cat short-mail.html)" ">10000.00 HKD/h~</td>"
printf 'title\0tpucost daily report, 2026-11-20\0note\0The end.\0' >short.texts
parsed short-mail mail short.texts

# the parser finds what is wrong
sed 's/&lt;img/<img/' hostile-mail.html >broken-mail.html
run python3 -B "$ROOT/tests/html/parse.py" mail broken-mail.html hostile.texts
status "an element that was let through is found" 1
has "by its name" "$out" "not ok known elements only"
sed 's/color:#59636e/color:#a9b3be/' sample-mail.html >broken-mail.html
run python3 -B "$ROOT/tests/html/parse.py" mail broken-mail.html sample.texts
has "and pale text" "$out" "not ok contrast on light screens"
