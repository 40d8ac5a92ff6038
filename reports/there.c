#include "reports/there.h"

#include "db_sql.h"

static enum err_code there_is(
	const char *table, struct db *db, struct arena *a, bool *out, struct err *e)
{
	struct q_any_row_in in = {.table = table};
	struct q_any_row q;

	return q_any_row_one(db, &in, a, &q, out, e);
}

enum err_code there_are_actions(struct db *db, struct arena *a, bool *out, struct err *e)
{
	return there_is("action", db, a, out, e);
}

enum err_code there_are_silences(struct db *db, struct arena *a, bool *out, struct err *e)
{
	return there_is("silence", db, a, out, e);
}
