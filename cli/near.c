/* Suggestions ("did you mean") for misspelled words. */
#include "cli/cmd.h"

#include "base/str.h"
#include "db/vocab.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NEAR 64

size_t cmd_words(struct arena *a, const struct cmd *c, const char **out, size_t max)
{
	const char *p = c->args;
	size_t n = 0;

	while (*p && n < max) {
		size_t len = 0;

		while (islower((unsigned char)p[len]) || (len && p[len] == '-'))
			len++;
		/* Not a part of another word, and not the "a" of one. */
		if (len > 1 && !isalnum((unsigned char)p[len]))
			out[n++] = arena_printf(a, "%.*s", (int)len, p);
		p += len;
		while (*p && !strchr(" [|", *p))
			p++;
		while (*p && strchr(" [|", *p))
			p++;
	}
	return n;
}

const char *near_below(struct arena *a, const struct cmd *c, const char *word)
{
	const char *names[MAX_NEAR], *near;
	size_t n = cmd_words(a, c, names, MAX_NEAR / 2);

	for (size_t i = 0; i < n_cmds && n < MAX_NEAR; i++)
		if (cmd_is_under(c, &cmds[i]) && cmds[i].group != GROUP_HIDDEN)
			names[n++] = cmds[i].name + strlen(c->name) + 1;
	near = str_nearest(word, names, n);
	return near && strcmp(near, word) != 0 ? arena_printf(a, "%s %s", c->name, near)
					       : NULL;
}

const char *near_command(struct arena *a, const char *word)
{
	const char **names = arena_alloc(a, (n_cmds + 1) * sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < n_cmds; i++) {
		const char *second = strchr(cmds[i].name, ' ');

		if (cmds[i].group == GROUP_HIDDEN)
			continue;
		if (second && str_eq(second + 1, word)) /* "halt": enforce halt */
			return cmds[i].name;
		names[n++] = cmds[i].name;
	}
	return str_nearest(word, names, n);
}

const char *near_of(const char *word, const void *first, size_t n, size_t size)
{
	const char **names = xcalloc(n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = *(const char *const *)((const char *)first + i * size);
	word = str_nearest(word, names, n);
	free(names);
	return word;
}

enum err_code near_fix(struct err *e, const char *near, const char *other)
{
	return near ? err_fix(e, "did you mean '%.200s'?", near) : err_fix(e, "%s", other);
}

/* ---- names in SQL of the user ------------------------------------------------------------------- */

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

const char *near_view(const char *word)
{
	const char **names = xcalloc(n_views, sizeof(*names));

	for (size_t i = 0; i < n_views; i++)
		names[i] = views[i]->name;
	word = str_nearest(word, names, n_views);
	free(names);
	return word;
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
		near = near_view(word);
		if (!near)
			return e->code;
		err_set(e, E_USAGE, "SQL: there is no view '%s'", word);
		return near_fix(e, near, "");
	}
	return e->code;
}
