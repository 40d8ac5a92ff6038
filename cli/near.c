/* Suggestions for misspelled words: the nearest command, and the text of the suggestion. */
#include "cli/near.h"

#include "base/str.h"

#include <ctype.h>
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

	for (size_t i = 0; i < n_cmds; i++)
		if (cmds[i].group != GROUP_HIDDEN)
			names[n++] = cmds[i].name;
	return str_nearest(word, names, n);
}

enum err_code near_fix(struct err *e, const char *near, const char *other)
{
	return near ? err_fix(e, "did you mean '%.200s'?", near) : err_fix(e, "%s", other);
}
