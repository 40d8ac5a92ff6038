# The lint of wording: the list of tests/lint/words.md is sound, and each kind of text is searched.
. "$ROOT/tests/cli/lib.sh"
words="$ROOT/tests/lint/words.py"
list=$(sed -n 's/^| `\(.*\)` | \(.*\) | \(.*\) |$/\1/p' "$ROOT/tests/lint/words.md" | wc -l)
if [ "$list" -ge 48 ]; then pass "the list has at least 48 entries"; else flunk "the list has $list entries"; fi
mkdir -p docs tests/lint
cp "$ROOT/tests/lint/words.md" tests/lint/
: >tests/lint/words.allow

# each wrong example is found by its own pattern, and its replacement by none
python3 - <<'END' >pairs
import re
for line in open("tests/lint/words.md"):
    row = re.match(r"\| `(.*)` \| (.*) \| (.*) \|$", line)
    if row:
        p = re.compile(row[1].replace("\\|", "|"), re.I)
        print("ok" if p.search(row[2]) and not p.search(row[3]) else row[0])
END
is "each example fits its pattern" "$(grep -vc '^ok$' pairs)" 0

cat >bad.c <<'END'
/* What a file is for. */
static const char *a = "2026-13 is no "
		       "month";
static const char *key = "anew"; /* the name of a column */
int anew;
END
cat >bad.sql <<'END'
-- Rows that are
-- read anew.
SELECT 'who reads';
END
cat >bad.md <<'END'
The command mends it. `mend` is code.
END
cat >good.c <<'END'
/* File of the tests. There is no month 13. */
static const char *a = "'2026-13' is not a valid month";
END
run python3 "$words" bad.c bad.sql bad.md
status "words of the list are refused" 1
is "with the place of each" "$(printf '%s\n' "$out" | cut -d' ' -f1 | tr '\n' ' ')" "bad.c:1: bad.c:2: bad.sql:2: bad.sql:3: bad.md:1: "
has "with the word" "$out" "bad.sql:2: 'anew' in "
has "and a better one" "$out" "write like \"the token is fetched again\""
printf 'bad.* anew\n*.sql who reads\n' >tests/lint/words.allow
run python3 "$words" bad.sql
status "what is allowed is not refused" 0
run python3 "$words" good.c
status "plain words are fine" 0
