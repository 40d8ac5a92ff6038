/* Functions shared by commands with --by. */
#include "cli/query.h"

#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LABEL_MAX 63 /* characters of a key (Resource Manager: labels) */

/* Letters of any script, digits, '_' and '-': nothing that could end the SQL text around it. */
static bool label_key_valid(const char *key)
{
	size_t n = 0;

	for (const char *p = key; *p; p++, n++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-' &&
			!((unsigned char)*p & 0x80))
			return false;
	return n && n <= (size_t)LABEL_MAX * 4 && utf8_valid(key, n);
}

enum err_code query_label(struct app *app, const char *name, const char *labels,
	const char **sql, struct err *e)
{
	const char *key = name + strlen(QUERY_LABEL);

	if (!label_key_valid(key)) {
		err_set(e, E_USAGE, "--by: '%.80s' does not name a label", name);
		return err_fix(e, "use label:KEY, such as label:team");
	}
	*sql = arena_printf(&app->arena,
		"CASE WHEN json_valid(%s) THEN json_extract(%s, '$.\"%s\"') END", labels,
		labels, key);
	return E_OK;
}

static int shown(const struct doc_section *t, const char *name)
{
	for (int i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].key, name))
			return i;
	return -1;
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
	struct app *app, const struct doc_section *t, struct sbuf *sql, struct err *e)
{
	char name[96] = "", dir[8] = "", rest;
	char *order = arena_strdup(&app->arena, app->o.sort_by);
	bool minus = query_order_minus(&order);
	int words = sscanf(order, " %95[^ ] %7[a-zA-Z] %c", name, dir, &rest);

	if (words < 1 || words > 2 || shown(t, name) < 0 || (dir[0] && minus) ||
		(dir[0] && !str_ieq(dir, "asc") && !str_ieq(dir, "desc"))) {
		err_set(e, E_USAGE, "--sort-by: cannot sort by '%.80s'", app->o.sort_by);
		return err_fix(e, "use a column that is shown, with asc or desc");
	}
	sbuf_addf(sql, "\"%s\" %s", name, minus ? "desc" : dir);
	return E_OK;
}

enum err_code query_keep_columns(struct app *app, struct doc_section *t, struct err *e)
{
	struct doc_column *cols = arena_alloc(
		&app->arena, ((size_t)t->n_columns + 1) * sizeof(*cols));
	int *from = arena_alloc(&app->arena, ((size_t)t->n_columns + 1) * sizeof(*from));
	char *copy = arena_strdup(&app->arena, app->o.columns), *name;
	struct doc_section *out = doc_table(&app->arena, cols, 0);

	while ((name = strsep(&copy, ","))) {
		int i = shown(t, name);

		if (i < 0 || out->n_columns == t->n_columns) {
			err_set(e, E_USAGE,
				"--columns: '%s' is not a column of this grouping", name);
			return err_fix(e, "add it to --by");
		}
		cols[out->n_columns] = t->columns[i];
		from[out->n_columns++] = i;
	}
	for (size_t r = 0; r < t->n; r++) {
		struct doc_cell *row = doc_row(out)->cells;

		for (int i = 0; i < out->n_columns; i++)
			row[i] = t->rows[r].cells[from[i]];
	}
	*t = *out;
	return E_OK;
}
