#include "db/names.h"

#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_';
}

static bool one_of(const char *word, size_t len, const char *const *names)
{
	for (; *names; names++)
		if (names_same(word, len, *names))
			return true;
	return false;
}

static const char *after_comment(const char *p)
{
	const char *end = *p == '-' ? strchr(p, '\n') : strstr(p + 2, "*/");

	return end ? end + (*p == '-' ? 1 : 2) : p + strlen(p);
}

static void names_mark(struct names *it, bool columns)
{
	if (it->depth < NAMES_DEPTH)
		it->columns[it->depth] = columns;
}

/* Words that follow another word are arguments of a function, or columns. */
static bool opens_tables(const struct names *it)
{
	static const char *const words[] = {"from", "join", NULL};

	return one_of(it->before, it->before_len, words);
}

/* Any character that is not a letter. */
static void pass(struct names *it)
{
	const char *p = it->p;

	if ((p[0] == '-' && p[1] == '-') || (p[0] == '/' && p[1] == '*')) {
		it->p = after_comment(p);
		return;
	}
	it->p++;
	if (strchr(" \t\r\n\f", *p))
		return;
	if (*p == '(') {
		it->depth++;
		names_mark(it, it->before && !opens_tables(it));
	} else if (*p == ')' && it->depth) {
		it->depth--;
	}
	if (strchr("'\"`[", *p))
		it->quote = *p == '[' ? ']' : *p;
	it->before = NULL;
	it->point = *p == '.';
}

/* Beginning of a list of columns or a condition, and of a list of tables. */
static bool is_keyword(struct names *it, const char *word, size_t len)
{
	static const char *const columns[] = {
		"select", "where", "group", "order", "having", NULL};
	static const char *const tables[] = {"from", "join", "with", NULL};

	if (one_of(word, len, columns))
		names_mark(it, true);
	else if (one_of(word, len, tables))
		names_mark(it, false);
	else
		return false;
	return true;
}

/* "temp.resources"; or something before the point that is not a word, such as a name in quotes or a
 * blank, which needs a closer check. */
static bool of_schema(const struct names *it, const char *word)
{
	const char *end = word - 1;

	return (end > it->sql && !is_letter(end[-1])) ||
		(end - it->sql >= 4 &&
			(names_same(end - 4, 4, "temp") || names_same(end - 4, 4, "main")));
}

static bool names_counts(const struct names *it, const char *word, size_t len)
{
	if (word[len] == '.') /* the table is named where it is read */
		return false;
	if (word > it->sql && word[-1] == '.')
		return of_schema(it, word);
	if (it->point) /* with something between them */
		return true;
	if (it->before && names_same(it->before, it->before_len, "as"))
		return false;
	if (it->before && names_same(it->before, it->before_len, "in"))
		return true;
	return it->depth >= NAMES_DEPTH || !it->columns[it->depth];
}

static bool is_quoted(const struct names *it, const char *word, size_t len)
{
	return strchr("'\"`[", word[-1]) && word[len] == it->quote;
}

void names_begin(struct names *it, const char *sql)
{
	*it = (struct names){.sql = sql, .p = sql};
}

bool names_next(struct names *it, const char **word, size_t *len)
{
	while (*it->p) {
		const char *p = it->p;
		size_t n = 0;
		bool found;

		while (is_letter(p[n]))
			n++;
		if (!n && it->quote) {
			it->quote = *p == it->quote ? '\0' : it->quote;
			it->p++;
			continue;
		}
		if (!n) {
			pass(it);
			continue;
		}
		it->p += n;
		/* a name may be in quotes of any kind, with nothing else in them */
		found = it->quote ? is_quoted(it, p, n)
				  : !is_keyword(it, p, n) && names_counts(it, p, n);
		if (!it->quote) {
			it->before = p;
			it->before_len = n;
			it->point = false;
		}
		*word = p;
		*len = n;
		if (found)
			return true;
	}
	return false;
}
