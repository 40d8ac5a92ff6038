# Every case of enforcement has its tests: those that the table of tests/README.md names are there.
. "$ROOT/tests/cli/lib.sh"
sed -n 's/^| \([AI][0-9]*\) | [^|]* | \(.*\) |$/\1 \2/p' "$ROOT/tests/README.md" >cases
for n in $(seq 1 30); do
	grep -q "^I$n " cases || echo "I$n"
done >missing
is "no case is missing" "$(cat missing)" ""
# "FILE" TEST, with commas between: a line of FILE and TEST each
sed 's/^[AI][0-9]* //; s/, `/\n`/g' cases | tr -d '`' >named
while read -r file test; do
	if [ ! -f "$ROOT/tests/$file" ]; then
		flunk "$file is there"
	elif [ -n "$test" ] && ! grep -q "^static void $test(void \*\*state)" "$ROOT/tests/$file"; then
		flunk "$file has $test"
	elif [ -n "$test" ] && [ "$(grep -c "\b$test\b" "$ROOT/tests/$file")" -lt 2 ]; then
		flunk "$file runs $test"
	else
		pass "$file $test"
	fi
done <named
is "all were looked at" "$(awk 'END { print (NR > 50) }' named)" 1
