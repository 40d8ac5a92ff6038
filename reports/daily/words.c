/* Words, commands and figures that several parts of the daily report share. */
#include "base/str.h"
#include "reports/daily/internal.h"
#include "reports/fix.h"
#include "rules/grant/grant.h"

size_t daily_lines(const struct doc_section *s, int currency_column)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !s->rows[i].total && !s->rows[i].folded &&
			s->rows[i].cells[currency_column].text;
	return n;
}

const char *daily_plural(size_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

void daily_overflow(struct daily *d, const char *what)
{
	err_first(d->e, E_OVERFLOW, "%s: the sum does not fit", what);
}

void daily_set_command(struct todo *t, const char *command, const struct q_thing *q)
{
	t->command = command;
	t->deletes = command && fix_deletes(q);
	t->warning = command ? fix_warning(q) : NULL;
	t->acts = command != NULL;
}

/* ---- projects ---------------------------------------------------------------------------------- */

bool daily_concerns(const struct daily *d, const char *project)
{
	const char *asked = d->ask->projects;

	return !asked || !project || str_in_list(project, asked);
}

const char *daily_grant_project(const struct daily *d, const char *name)
{
	const struct settings *s = d->ask->settings;
	int64_t i = grant_find(s->grants, s->n_grants, name);

	return i >= 0 ? s->grants[i].project : NULL;
}

const char *daily_source_project(const struct daily *d, const char *project)
{
	return project && strmap_get(&d->inventory, project) ? project : NULL;
}

const char *daily_yesterday(const struct daily *d)
{
	return d->today < d->present ? date_text(d->a, d->today - 1) : "yesterday";
}
