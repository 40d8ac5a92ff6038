/* Look-up of views and columns; db/gen.awk generates the list from db/views. */
#include "db/vocab.h"

#include "base/str.h"

#include <string.h>

const char *column_type_name(enum column_type t)
{
	static const char *const names[] = {
		[COL_TEXT] = "text",
		[COL_INT] = "integer",
		[COL_FLAG] = "flag",
		[COL_MONEY] = "money",
		[COL_DECIMAL] = "decimal",
		[COL_TIME] = "time",
		[COL_JSON] = "JSON",
	};

	return names[t];
}

bool column_is_percent(const struct column *c)
{
	return c->type == COL_DECIMAL && str_ends(c->name, "percent");
}

const struct view *view_find(const char *name)
{
	for (size_t i = 0; i < n_views; i++)
		if (!strcmp(views[i]->name, name))
			return views[i];
	return NULL;
}

const struct column *view_column(const struct view *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->columns[i].name, name))
			return &v->columns[i];
	return NULL;
}

/* The column with the amount that most users mean: net, else the first. */
static const char *money_column(const struct view *v)
{
	const char *first = NULL;

	for (size_t i = 0; i < v->n; i++) {
		if (v->columns[i].type != COL_MONEY)
			continue;
		if (str_starts(v->columns[i].name, "net"))
			return v->columns[i].name;
		first = first ? first : v->columns[i].name;
	}
	return first;
}

const char *view_nearest_column(const struct view *v, const char *word)
{
	static const char *const money[] = {"cost", "costs", "price", "amount", "money",
		"spend", "spending", "spent", "burn", "net", "gross", "usd"};
	const char *names[64];
	size_t n = v->n < ARRAY_LEN(names) ? v->n : ARRAY_LEN(names);

	if (str_in(word, money, ARRAY_LEN(money)) && money_column(v))
		return money_column(v);
	for (size_t i = 0; i < n; i++)
		names[i] = v->columns[i].name;
	return str_nearest(word, names, n);
}
