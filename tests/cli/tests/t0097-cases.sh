# Every case of what may go wrong has its tests: those that the table of tests/faults names are there.
. "$ROOT/tests/cli/lib.sh"
check() { (cd "$ROOT" && TABLE=$1 sh tests/faults/check.sh); }
table=$ROOT/tests/faults/cases.tsv
is "every test that the table names is there" "$(check "$table" | grep -v '^[0-9]* cases')" ""
has "all cases were looked at" "$(check "$table")" "$(grep -c "^[A-Z][0-9]" "$table") cases, "
# The table, changed: it is seen.
changed() { # NAME SED PART
	sed "$2" "$table" >cases.tsv
	run check "$work/cases.tsv"
	status "$1: status" 1
	has "$1: said" "$out" "$3"
}
changed "a test that is gone" '/^A14\t/s/a_list_without_end/a_list_with_an_end/' \
	'A14: unit/faults/test_faults_transport.c has no a_list_with_an_end_is_given_up'
changed "a program that is gone" '/^A14\t/s/test_faults_transport/test_faults_transports/' \
	'A14: unit/faults/test_faults_transports.c is not there'
changed "a check that is gone" '/^F8\t/s/quotes are data/quotes are dates/' \
	'F8: cli/commands/t0005-queries.sh has no check "quotes are dates"'
changed "a row of a test that is gone" '/^A5\t/s/@A5/@A555/' 'A5: unit/faults/test_faults_transport.c has no row A555'
changed "a case that is gone" '/^C7\t/d' ': C7 is missing'
changed "a case twice" 's/^C7\t/C6\t/' ': C6 is there twice'
changed "no test at all" '/^C7\t/s/\t[^\t]*$/\t/' ': want case'
changed "something else for a test" '/^I1\t/s/cli\/enforce\/t0095[^;]*/somebody says so/' 'is no test'
changed "no reason" 's/ n\/a: .*$/ n\/a: /' 'n/a needs a reason'
