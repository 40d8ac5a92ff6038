# Every mutant of tests/mutants applies to the sources as they are, once, and names tests that are
# there; and a list with something wrong is found out. `make mutants` builds and runs them.
. "$ROOT/tests/cli/lib.sh"
# run COMMAND...: as lib.sh has it, but in the root of the tree
run() {
	(cd "$ROOT" && "$@") >stdout 2>stderr
	rc=$?
	out=$(cat stdout)
	err=$(cat stderr)
}
check() {
	run awk -v want=check -f tests/mutants/mutants.awk "$@"
}

lists=$(cd "$ROOT" && ls tests/mutants/*.list)
check $lists
status "all apply" 0
is "all is said in a line" "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 1
has "of them" "$out" " mutants, each applies"
is "there are at least sixty" "$([ "${out%% *}" -ge 60 ] && echo yes)" yes
run sh -c "cat tests/mutants/*.list | grep -c '^id '"
is "none is left out" "${out}" "$(cd "$ROOT" && awk -v want=names -f tests/mutants/mutants.awk $lists | wc -l | tr -d ' ')"

# with KEY VALUE...: a good mutant, with other values or, for "-", without the key
with() {
	printf 'id good\nfile base/money.c\nfrom return i128_div_round((__int128)a * num, den, out);\nto return false;\nuser nothing costs anything\ntests test_money\n' >one
	while [ $# -gt 0 ]; do
		grep -v "^$1 " one >two
		[ "$2" = - ] || printf '%s %s\n' "$1" "$2" >>two
		mv two one
		shift 2
	done
	cp one bad.list
	check "$work/bad.list"
}
with
status "a good one" 0
is "is counted" "$out" "1 mutants, each applies"
with from 'no such text'
status "a text that is not there" 1
is "is told" "$out" 'good: does not apply: "no such text" is 0 times in base/money.c'
with from 'int64_t v;'
status "a text that is there twice" 1
has "is told, too" "$out" 'good: does not apply: "int64_t v;" is '
with from 'int64_t v;' after 'bool nanos_sub('
status "unless it comes after another" 0
with from 'bool nanos_add(' after 'bool nanos_sub('
status "one that comes before it" 1
has "does not apply" "$out" 'does not come after "bool nanos_sub("'
with from 'currency_digits' after 'bool nanos_sub('
status "one that comes far behind it" 1
has "does not apply either" "$out" 'lines after "bool nanos_sub("'
with file base/no.c
status "a file that is gone" 1
has "is told as well" "$out" "base/no.c is not there"
with tests 'test_money test_gone'
status "a test that is gone" 1
has "and which" "$out" "good: tests/unit/*/test_gone.c is not there"
with tests t9999-gone
status "a script that is gone" 1
has "and which script" "$out" "good: tests/cli/*/t9999-gone.sh is not there"
with to 'return i128_div_round((__int128)a * num, den, out);'
status "one that changes nothing" 1
has "is found out" "$out" "good: changes nothing"
with user -
status "one without its harm" 1
has "is not complete" "$out" 'good: no "user"'
with why 'because'
status "a key that means nothing" 1
has "is named" "$out" 'what is "why"?'
with
cp one two
printf '\n' >>bad.list
cat two >>bad.list
check "$work/bad.list"
status "two of one name" 1
has "are told" "$out" "good: there are two of this name"
: >bad.list
check "$work/bad.list"
status "a list of nothing" 1

# What it does to the source is what it says.
with
run awk -v want=apply -v id=good -f tests/mutants/mutants.awk "$work/bad.list"
status "it is applied" 0
run sh -c "awk -v want=apply -v id=good -f tests/mutants/mutants.awk '$work/bad.list' | diff base/money.c -"
is "one line is another" "$(printf '%s\n' "$out" | grep -c '^[<>]')" 2
has "the one that it names" "$out" '> 	return false;'
run awk -v want=apply -v id=other -f tests/mutants/mutants.awk "$work/bad.list"
status "one that is not there cannot be applied" 1
