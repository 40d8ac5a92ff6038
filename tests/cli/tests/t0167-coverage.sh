# The script behind `make coverage`, on what gcov could say of a made-up program: what it counts, what it
# lists as missing, and that it fails below a floor. And that the floors name files that are there.
. "$ROOT/tests/cli/lib.sh"
if ! command -v python3 >/dev/null 2>&1; then
	pass "skipped: python3 is not installed"
	exit 0
fi
mkdir base rules
cat >base/sum.c <<'EOF'
int sum(int a, int b)
{
	if (a > 5 || b > 5)
		return 5;
	return a + b;
}
int unused(void) { return 1; }
EOF
cat >rules/judge.c <<'EOF'
int judge(int *p)
{
	if (!p) /* LCOV_EXCL_BR_LINE: the caller dies without it */
		return 0;
	return *p;
}
EOF
# line N FUNCTION COUNT [BRANCH...]
line() {
	n=$1 f=$2 c=$3
	shift 3
	b=$(for x in "$@"; do printf '{"count": %s, "fallthrough": false, "throw": false},' "$x"; done)
	printf '{"line_number": %s, "function_name": "%s", "count": %s, "unexecuted_block": false, "branches": [%s]}' \
		"$n" "$f" "$c" "${b%,}"
}
# function NAME LINE COUNT
function_() {
	printf '{"name": "%s", "start_line": %s, "execution_count": %s}' "$1" "$2" "$3"
}
# object FILE FUNCTIONS LINES
object() {
	printf '{"files": [{"file": "%s", "functions": [%s], "lines": [%s]}]}\n' "$1" "$2" "$3"
}
# sum.c UNUSED BRANCHES...: what one object says of base/sum.c
sum_c() {
	unused=$1
	shift
	object base/sum.c "$(function_ sum 1 4),$(function_ unused 7 "$unused")" \
		"$(line 1 sum 4),$(line 3 sum 4 "$@"),$(line 4 sum 0),$(line 5 sum 4),$(line 7 unused "$unused")"
}
judge_c() {
	object rules/judge.c "$(function_ judge 1 2)" \
		"$(line 1 judge 2),$(line 3 judge 2 0 2),$(line 4 judge 0),$(line 5 judge 2)"
}
# table FLOORS...: on standard input what gcov said; the table with these floors
table() {
	printf '%s\n' "$@" >floors
	run python3 -B "$ROOT/tests/coverage/table.py" floors
}
squeezed() {
	printf '%s\n' "$out" | tr -s ' '
}
# a line of the table
of() {
	squeezed | grep "^ *$1 " | sed 's/^ *//'
}

# ---- what is counted, and what is missing
{
	sum_c 0 0 4 0 4
	judge_c
} >said
table "all lines 60" "adding base/sum.c 100" "judging rules/*.c 100" <said
status "below a floor" 1
is "lines, branches, functions of a folder" "$(of base/)" "base/ 60.0 % 3/5 50.0 % 2/4 50.0 % 1/2"
is "a marked line is out, and counted" "$(of rules/)" "rules/ 75.0 % 3/4 - 100.0 % 1/1 1"
is "all of it" "$(of all)" "all 66.6 % 6/9 50.0 % 2/4 66.6 % 2/3 1"
is "an area" "$(of judging | sed -n 2p)" "judging 75.0 % 3/4 - 100.0 % 1/1 1"
is "what is missing, by line" "$(printf '%s\n' "$out" | grep '^base/')" \
	"base/sum.c:3: branch 1 of 4 never taken: if (a > 5 || b > 5)
base/sum.c:3: branch 3 of 4 never taken: if (a > 5 || b > 5)
base/sum.c:7: unused() is never called: int unused(void) { return 1; }"
is "which file is below" "$(printf '%s\n' "$out" | grep BELOW)" \
	"BELOW adding: base/sum.c: branches 50.0 % 2/4, functions 50.0 % 1/2; the floor is 100 %"
has "a count at the end" "$out" "coverage: 2 files, 1 below their floor"

# ---- objects are added up
{
	sum_c 1 0 4 0 4
	sum_c 0 1 0 2 0
	judge_c
} >said
table "all lines 60" "adding base/sum.c 100" "judging rules/*.c 100" <said
status "what one object did not run, another did" 0
has "none is below" "$out" "coverage: 2 files, 0 below their floor"

# ---- every branch, and still a function that nobody calls
{
	sum_c 0 1 1 1 1
	judge_c
} >said
table "all lines 60" "adding base/sum.c 100" <said
status "a function that nobody calls" 1

# ---- the floor of all, and what makes no sense
sum_c 1 1 1 1 1 >said
table "all lines 80" <said
status "four of five lines are 80 %" 0
table "all lines 80.1" <said
status "and not more" 1
has "which says so" "$out" "BELOW lines of all: 80.0 % 4/5, the floor is 80.1 %"
table "all lines 80" "gone base/gone*.c 100" <said
status "a floor of no file" 1
has "which is named" "$out" "BELOW gone: there is no base/gone*.c"
table "adding base/sum.c 100" <said
status "no floor of all" 2
table "all lines 80" "base/sum.c 100" <said
status "a line of two words" 2
table "all lines 0" </dev/null
status "gcov that said nothing" 2
echo '{"files": [' >said
table "all lines 0" <said
status "gcov that broke off" 2

# ---- a marker needs its reason
sed -i 's/LCOV_EXCL_BR_LINE.*/LCOV_EXCL_BR_LINE *\//' rules/judge.c
judge_c >said
table "all lines 60" <said
status "a marker without a reason" 1
has "where it is" "$out" "BELOW rules/judge.c:3: LCOV_EXCL_BR_LINE without its reason"

# ---- the floors of the program
cd "$ROOT" || exit 1
sed 's/#.*//' tests/coverage/floors | awk 'NF == 3 && $1 != "all" { print $2 }' >"$work/patterns"
while read -r pattern; do
	# shellcheck disable=SC2086
	if [ "$(ls $pattern 2>/dev/null | wc -l)" -gt 0 ]; then pass "$pattern"; else flunk "$pattern is there"; fi
done <"$work/patterns"
is "six areas" "$(sed 's/#.*//' tests/coverage/floors | awk 'NF && $1 != "all" { print $1 }' | sort -u | tr '\n' ' ')" \
	"audit coverage guards money outbox time "
is "their floor is every branch" \
	"$(sed 's/#.*//' tests/coverage/floors | awk 'NF && $1 != "all" && $3 != 100' | wc -l)" 0
for t in $(sed 's/#.*//' tests/coverage/skipped | awk 'NF { print $1 }'); do
	is "$t, left out, is there" "$(ls tests/cli/*/"$t.sh" | wc -l)" 1
done
