#include "rules/history.h"

#include "db_sql.h"

enum err_code history_now(struct db *db, ts_t now, ts_t *out, struct err *e)
{
	struct q_polled_until row;
	bool found;

	if (q_polled_until_one(db, NULL, &row, &found, e))
		return e->code;
	*out = row.polled && row.until < now ? row.until : now;
	return E_OK;
}
