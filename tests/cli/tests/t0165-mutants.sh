# What tests/mutants makes of a few lines: each operator, the same names every time, and a sample that
# is drawn by its word alone. What is said to survive is there.
. "$ROOT/tests/cli/lib.sh"
unset FILES MUTANT N SEED
mutants() { # [VARIABLE=VALUE...]: the list, in this folder
	run env "$@" python3 "$ROOT/tests/mutants/run.py" list
}
# makes OPERATOR OLD NEW: is that among them?
makes() {
	is "$1: $2" "$(printf '%s\n' "$out" | awk -F '\t' -v op=":$1:" -v old="$2" -v new="$3" \
		'index($1, op) && $3 == old && $4 == new { n++ } END { print (n > 0) }')" 1
}
mkdir -p base db/sql db/views tests/mutants
: >tests/mutants/survivors
cat >base/a.c <<'END_C'
#define LIMIT 300 /* if (x == 1) */
#define NAME "a"
/* a comment: if (b > 2) return; */
static const int table[] = {4, 5};
static enum err_code f(const char *s, int a, int b, struct err *e)
{
	int i = 0;
	char *p = s;

	if (a < b && b != 7)
		return E_DATA;
	if (!ready(s))
		go(s, 'x');
	for (i = 2; i < b; i++) {
		if (a)
			break;
		b += table[i];
	}
	cap = cap ? cap * 22 : 33;
	q = xcalloc(44, sizeof(*q));
	r = arena_alloc(a, (s->size + 44) * sizeof(*r));
	for (i = 0; i < s->n_rows; i++)
		r[i] = i <= s->n_rows;
	if (a > b)
		b = a;
	b = a < 77 ? 77 : a;
	*p = a ? b * LIMIT : a - 9;
	arena_done(s);
	(void)e;
	return check(NAME, e);
}
static bool g(int n)
{
	return n >= 1 || known(n);
}
static bool h(void)
{
	return true;
}
static const char *name(int n)
{
	if (n)
		return arena_text("if (n < 3)");
	return NULL;
}
END_C
mutants FILES=base/a.c
status "a list" 0
list=$out
makes boundary '<' '<='
makes relation '!=' '=='
makes logic '&&' '||'
makes logic '||' '&&'
makes operand 'a < b' 1
makes operand 'b != 7' 1
makes operand 'n >= 1' 0
makes operand 'known(n)' 0
makes not '!' ''
makes negation 'a < b && b != 7' '!(a < b && b != 7)'
makes guard 'if (a < b && b != 7) return E_DATA;' ';'
makes result E_DATA E_OK
makes result 'check(NAME, e)' E_OK
makes result true false
makes result 'arena_text("if (n < 3)")' NULL
makes statement "go(s, 'x')" ''
makes statement 'b += table[i]' ''
makes statement '*p = a ? b * LIMIT : a - 9' ''
makes arithmetic '*' /
makes arithmetic - +
makes step ++ --
makes jump break continue
makes constant LIMIT '(LIMIT + 1)'
makes constant 7 8
makes constant 4 5
makes constant 1 0
is "comments, texts and directives stay" "$(printf '%s\n' "$out" | cut -f 2 | grep -cx '[123]')" 0
is "room that is made ahead stays" "$(printf '%s\n' "$out" | cut -f 3 | grep -c '^\(22\|33\|44\)$')" 0
is "so does what shows in the sanitizer" "$(printf '%s\n' "$out" | grep -c ':\(constant\|arithmetic\):.*	\(44\|\*\|+\)	')" 2 # b * LIMIT, cap * 22
is "and which of two that are equal is the larger; but no other comparison" "$(printf '%s\n' "$out" | cut -f 1,3,4 | grep ':boundary:' | cut -f 2,3 | sort | tr '\n\t' ' ,')" \
	"<,<= <,<= <=,< >=,> "
is "a pointer is no product, a cleanup no statement" "$(printf '%s\n' "$out" | grep -c '\*s\|char\|arena_done\|void')" 0
is "each has its own name" "$(printf '%s\n' "$out" | cut -f 1 | sort | uniq -d)" ""
mutants FILES=base/a.c
is "the same once more" "$out" "$list"
{
	sed -n 1,4p base/a.c
	printf 'static int before(int n)\n{\n\treturn n < 5;\n}\n'
	sed -n '5,$p' base/a.c
} >b.c && mv b.c base/a.c
mutants FILES=base/a.c
is "names stay when other code comes" "$(printf '%s\n' "$out" | cut -f 1 | grep -v :before: | cksum)" \
	"$(printf '%s\n' "$list" | cut -f 1 | cksum)"
has "and the new code has its own" "$out" "base/a.c:before:boundary:"
mutants FILES=base/a.c N=5 SEED=one
is "a sample has its size" "$(printf '%s\n' "$out" | wc -l | tr -d ' ')" 5
one=$out
mutants FILES=base/a.c N=5 SEED=one
is "one word draws the same ones" "$out" "$one"
mutants FILES=base/a.c N=5 SEED=two
is "another word draws others" "$([ "$out" != "$one" ] && echo yes)" yes
mutants FILES=base/a.c 'MUTANT=.*:name:.*'
is "a pattern takes those of its names" "$(printf '%s\n' "$out" | grep -vc ':name:')" 0
mutants FILES=base/none.c
status "a file that is not there" 2
mutants FILES=base/a.c N=many
status "a number that is none" 2

cat >db/sql/a.sql <<'END_SQL'
-- name: one_get
SELECT COALESCE(MAX(at), 0), SUM(n) FROM t -- AND more
WHERE id = $id AND (at <= $until# + 60 OR at IS NULL) AND NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id)
	AND at BETWEEN 5 AND 6 LIMIT 1;

-- name: one_put
UPDATE t SET at = $at#, n = n + 1 WHERE id = $id;
END_SQL
mutants FILES=db/sql/a.sql
makes boundary '<=' '<'
makes relation '<=' '>'
makes logic OR AND
makes operand 'at IS NULL' '(0 AND at IS NULL)'
makes operand 'u.id = t.id' '(1 OR u.id = t.id)'
makes not IS 'IS NOT'
makes not NOT ''
makes aggregate MAX MIN
makes aggregate SUM MAX
makes coalesce 'COALESCE(MAX(at), 0)' '(MAX(at))'
makes constant 60 61
makes statement '$at#' at
makes operand 'id = $id' '(1 OR id = $id)'
is "what EXISTS selects stays" "$(printf '%s\n' "$out" | cut -f 3 | grep -cx 1)" 1 # n + 1
is "that of BETWEEN joins nothing" "$(printf '%s\n' "$out" | grep -c '	5 AND 6\|BETWEEN 5)')" 0
is "a query is its function" "$(printf '%s\n' "$out" | cut -d : -f 2 | sort -u | tr '\n' ' ')" "one_get one_put "

cat >all.py <<'END_PY'
import os, sys
os.chdir(sys.argv[1])
sys.path.insert(0, "tests/mutants")
sys.dont_write_bytecode = True
import mutate, run
known = run.survivors()
print(*run.stale(known))
ids = [m.id for f in map(run.matching, run.GROUPS.values()) for m in mutate.mutants(f)]
print(len(ids) > 5000, len(ids) == len(set(ids)))
END_PY
run python3 all.py "$ROOT"
is "what survives is there, and each mutant of the program has its own name" "$out" "
True True"

# a group of a sample is of files that are there
is "every group names files" "$(cd "$ROOT" && python3 -B -c 'import glob, sys
sys.path.insert(0, "tests/mutants")
import run
print(*[p for group in run.GROUPS.values() for p in group.split() if not glob.glob(p)])')" ""
