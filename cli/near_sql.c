/* Part of cli/near.h: names in SQL of the user. */
#include "base/str.h"
#include "cli/near.h"
#include "db/vocab.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 1000

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Copies the next word from *p to buf; false at the end. Longer words are cut: they are not
 * names. */
static bool next_word(const char **p, char *buf, size_t size)
{
	size_t n = 0;

	while (**p && !is_word(**p))
		(*p)++;
	for (; is_word(**p); (*p)++)
		if (n + 1 < size)
			buf[n++] = **p;
	buf[n] = '\0';
	return n > 0;
}

static const char *nearest_view(const char *word)
{
	const char *names[128];
	size_t n = n_views < ARRAY_LEN(names) ? n_views : ARRAY_LEN(names);

	for (size_t i = 0; i < n; i++)
		names[i] = views[i]->name;
	return str_nearest(word, names, n);
}

/* The nearest of all columns of the views that the query names. */
static const char *nearest_column(struct arena *a, const char *sql, const char *word)
{
	const char **names = arena_alloc(a, MAX_NAMES * sizeof(*names));
	char name[64];
	size_t n = 0;

	while (next_word(&sql, name, sizeof(name))) {
		const struct view *v = view_find(name);

		for (size_t i = 0; v && i < v->n && n < MAX_NAMES; i++)
			names[n++] = v->columns[i].name;
	}
	return str_nearest(word, names, n);
}

enum err_code near_sql(struct arena *a, const char *sql, struct err *e)
{
	static const char lead[] = "no such column: ";
	const char *at = strstr(e->msg, lead), *p = sql, *near;
	char word[64], before[64] = "";

	if (e->code != E_USAGE)
		return e->code;
	if (at) {
		snprintf(word, sizeof(word), "%s", str_after_last(at + strlen(lead), '.'));
		near = nearest_column(a, sql, word);
		return near ? near_fix(e, near, "") : e->code;
	}
	for (; next_word(&p, word, sizeof(word));
		snprintf(before, sizeof(before), "%s", word)) {
		if ((!str_ieq(before, "from") && !str_ieq(before, "join")) ||
			str_ieq(word, "select") || view_find(word))
			continue;
		near = nearest_view(word);
		if (!near)
			return e->code;
		err_set(e, E_USAGE, "SQL: there is no view '%s'", word);
		return near_fix(e, near, "");
	}
	return e->code;
}
