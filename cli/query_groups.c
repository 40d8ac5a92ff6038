/* What commands with --by have in common. */
#include "cli/query.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const struct column *shown(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n_cols; i++)
		if (!strcmp(t->cols[i]->name, name))
			return t->cols[i];
	return NULL;
}

bool query_order_minus(char **order)
{
	char *p = *order + strspn(*order, " ");

	if (*p != '-')
		return false;
	*order = p + 1;
	return true;
}

enum err_code query_group_order(
	struct app *app, const struct table *t, struct sbuf *sql, struct err *e)
{
	char name[96] = "", dir[8] = "", rest;
	char *order = arena_strdup(&app->arena, app->o.sort_by);
	bool minus = query_order_minus(&order);
	int words = sscanf(order, " %95[^ ] %7[a-zA-Z] %c", name, dir, &rest);

	if (words < 1 || words > 2 || !shown(t, name) || (dir[0] && minus) ||
		(dir[0] && !str_ieq(dir, "asc") && !str_ieq(dir, "desc"))) {
		err_set(e, E_USAGE, "--sort-by: cannot sort by \"%.80s\"", app->o.sort_by);
		return err_fix(e, "use a column that is shown, with asc or desc");
	}
	sbuf_addf(sql, "\"%s\" %s", name, minus ? "desc" : dir);
	return E_OK;
}

enum err_code query_keep_columns(struct app *app, struct table *t, struct err *e)
{
	const struct column **cols = arena_alloc(
		&app->arena, (t->n_cols + 1) * sizeof(*cols));
	size_t *from = arena_alloc(&app->arena, (t->n_cols + 1) * sizeof(*from)), n = 0;
	char *copy = arena_strdup(&app->arena, app->o.columns), *name;
	struct table out = {.n_rows = 0};

	while ((name = strsep(&copy, ","))) {
		size_t i = 0;

		while (i < t->n_cols && strcmp(t->cols[i]->name, name) != 0)
			i++;
		if (i == t->n_cols || n == t->n_cols) {
			err_set(e, E_USAGE,
				"--columns: \"%s\" is not shown by this grouping", name);
			return err_fix(e, "add it to --by");
		}
		cols[n] = t->cols[i];
		from[n++] = i;
	}
	out.cols = cols;
	out.n_cols = n;
	for (size_t r = 0; r < t->n_rows; r++) {
		struct cell *row = table_add_row(&out, &app->arena);

		for (size_t i = 0; i < n; i++)
			row[i] = t->cells[r * t->n_cols + from[i]];
	}
	*t = out;
	return E_OK;
}
