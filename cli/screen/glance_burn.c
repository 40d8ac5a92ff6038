#include "cli/screen/glance_burn.h"

#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"

#include <string.h>

bool glance_is_asked(const struct app *app, const char *project)
{
	const char *p = app->o.project;
	size_t len = strlen(project);

	for (; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (strcspn(p, ",") == len && !memcmp(p, project, len))
			return true;
	return !app->o.project;
}

static void add_group(struct app *app, struct glance_burn *s, const struct q_glance_burn *x)
{
	size_t i = 0;
	int64_t a_day;

	if (!x->net.set) {
		s->unknown += x->parts;
		return;
	}
	while (i < s->n && strcmp(s->currency[i], x->currency) != 0)
		i++;
	if (i == GLANCE_CURRENCIES)
		return;
	if (i == s->n)
		s->currency[s->n++] = arena_strdup(&app->arena, x->currency);
	if (__builtin_mul_overflow(x->net.v, 24, &a_day) ||
		!nanos_add(s->hour[i], x->net.v, &s->hour[i]) ||
		!nanos_add(s->day[i], a_day, &s->day[i]))
		s->hour[i] = s->day[i] = INT64_MAX;
}

enum err_code glance_burn_read(struct app *app, struct glance_burn *out, struct err *e)
{
	struct q_glance_burn q;
	struct db_rows rows;

	*out = (struct glance_burn){.n = 0};
	if (q_glance_burn_open(app->db, &rows, e))
		return e->code;
	while (q_glance_burn_next(&rows, &q))
		if (glance_is_asked(app, q.project))
			add_group(app, out, &q);
	return db_rows_close(&rows, e);
}
