/* Create commands that stand where they are not read: behind other programs, in texts for another
 * shell, in functions that loops call. To pass them over would call free what is not. */
#include "cli/paste/internal.h"

#include "base/str.h"

#include <string.h>

bool paste_creates(const char *text)
{
	return (strstr(text, "gcloud") && strstr(text, " create")) ||
		strstr(text, "ctpu up") || strstr(text, "terraform apply");
}

static enum err_code refuse_hidden(struct pasting *p, const char *behind)
{
	err_set(p->e, E_USAGE,
		"the pasted text: something is created by way of %.60s, which is not read",
		behind);
	return err_fix(p->e, "paste the create command alone, with what it stands for");
}

/* Those that only show what stands behind them. */
static bool only_shows(const char *word)
{
	static const char *const shows[] = {
		"echo", "printf", "print", "alias", "which", "man", "grep", "history"};

	return str_in(word, shows, ARRAY_LEN(shows));
}

/* "create" behind "compute": the words of gcloud, whatever the program is called. */
static bool creates_from(const struct paste_word *v, size_t n)
{
	bool compute = false;

	for (size_t i = 0; i < n; i++) {
		compute = compute || !strcmp(v[i].s, "compute");
		if (compute && !strcmp(v[i].s, "create"))
			return true;
		if (i && !strcmp(v[i].s, "up") && str_starts(v[i - 1].s, "ctpu"))
			return true;
	}
	return false;
}

enum err_code paste_hidden(struct pasting *p, const struct paste_command *c)
{
	if (only_shows(c->v[0].s))
		return E_OK;
	if (creates_from(c->v, c->n))
		return refuse_hidden(p, c->v[0].s);
	for (size_t i = 1; i < c->n; i++)
		if (strchr(c->v[i].s, ' ') && paste_creates(c->v[i].s))
			return refuse_hidden(p, c->v[0].s);
	return paste_other(p, c->v, c->n);
}

enum err_code paste_called_in_loop(struct pasting *p, const struct paste_commands *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (size_t k = 0; list->v[i].loop && k < list->n_functions; k++)
			if (!strcmp(list->v[i].v[0].s, list->functions[k])) {
				err_set(p->e, E_USAGE,
					"the pasted text: the function %.60s is called in "
					"a loop (%s): how often it runs is not known",
					list->functions[k], list->v[i].loop);
				return err_fix(p->e,
					"paste the create command alone, with what it "
					"stands for once");
			}
	return E_OK;
}
