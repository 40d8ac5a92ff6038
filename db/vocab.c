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

const char *view_nearest_column(const struct view *v, const char *word)
{
	const char *names[64];
	size_t n = v->n < ARRAY_LEN(names) ? v->n : ARRAY_LEN(names);

	for (size_t i = 0; i < n; i++)
		names[i] = v->columns[i].name;
	return str_nearest(word, names, n);
}
