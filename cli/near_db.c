/* Part of cli/near.h: things that the database knows. */
#include "base/str.h"
#include "cli/near.h"
#include "db_sql.h"

#include <string.h>

#define MOST 10000

static bool can_be_stopped(const char *kind)
{
	return !strcmp(kind, "vm") || !strcmp(kind, "tpu") || !strcmp(kind, "queued");
}

const char *near_resource(struct app *app, const char *name, bool acts)
{
	const char **names = NULL;
	size_t n = 0, cap = 0;
	struct q_complete_resources_in in = {.most = MOST};
	struct q_complete_resources row;
	struct db_rows rows;
	struct err e = {0};

	if (q_complete_resources_open(app->db, &in, &rows, &e))
		return NULL;
	while (q_complete_resources_next(&rows, &row)) {
		if (acts && !can_be_stopped(row.kind))
			continue;
		names = arena_grow(&app->arena, names, n, &cap, sizeof(*names));
		names[n++] = arena_strdup(
			&app->arena, strchr(name, '/') ? row.id : row.name);
	}
	return db_rows_close(&rows, &e) ? NULL : str_nearest(name, names, n);
}
