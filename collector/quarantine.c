#include "collector/quarantine.h"

#include "base/time/civil.h"
#include "db_sql.h"

#define ENOUGH 3 /* polls that saw the same */

enum err_code quarantine_hold(struct poll *p, int64_t table_id,
	const struct billing_unit *u, bool *held, struct err *e)
{
	struct q_quarantine_get_in get = {.table_id = table_id, .unit = u->day};
	struct q_quarantine_get row;
	struct q_quarantine_put_in put = {.table_id = table_id,
		.unit = u->day,
		.row_count = u->rows,
		.exported = u->exported,
		.now = p->now,
		.seen = 1};
	bool found;

	if (q_quarantine_get_one(p->db, &get, p->arena, &row, &found, e))
		return e->code;
	if (found && row.row_count == u->rows && row.exported == u->exported)
		put.seen = row.seen + (row.last != p->now); /* once in a poll */
	*held = put.seen < ENOUGH;
	return q_quarantine_put(p->db, &put, e);
}

enum err_code quarantine_release(
	struct poll *p, int64_t table_id, const struct billing_unit *u, struct err *e)
{
	struct q_quarantine_drop_in drop = {.table_id = table_id, .unit = u->day};

	return q_quarantine_drop(p->db, &drop, e);
}

static bool listed(const struct billing_units *units, int64_t day)
{
	for (size_t i = 0; i < units->n; i++)
		if (units->v[i].day == day)
			return true;
	return false;
}

static enum err_code set_gone(struct poll *p, int64_t table_id, int64_t unit, struct err *e)
{
	struct q_billing_unit_gone_in gone = {
		.table_id = table_id, .unit = unit, .gone = 1};
	struct q_quarantine_drop_in drop = {.table_id = table_id, .unit = unit};

	if (q_quarantine_drop(p->db, &drop, e))
		return e->code;
	return q_billing_unit_gone(p->db, &gone, e);
}

static enum err_code one_missing(struct poll *p, int64_t table_id, int64_t unit,
	const struct billing_units *units, struct err *e)
{
	struct billing_unit empty = {.day = (day_t)unit};
	bool held = false;

	if ((!units->n || unit > units->v[0].day) &&
		quarantine_hold(p, table_id, &empty, &held, e))
		return e->code;
	return held ? E_OK : set_gone(p, table_id, unit, e);
}

enum err_code quarantine_missing(struct poll *p, int64_t table_id, day_t since,
	const struct billing_units *units, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = table_id, .since = since};
	struct q_billing_units_from row;
	struct db_rows rows;
	int64_t *missing = NULL;
	size_t n = 0, cap = 0;

	if (q_billing_units_from_open(p->db, &in, &rows, e))
		return e->code;
	while (q_billing_units_from_next(&rows, &row))
		/* What a cut emptied has nothing to lose. */
		if (!row.gone && row.row_count && !listed(units, row.unit)) {
			missing = arena_grow(p->arena, missing, n, &cap, sizeof(*missing));
			missing[n++] = row.unit;
		}
	if (db_rows_close(&rows, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (one_missing(p, table_id, missing[i], units, e))
			return e->code;
	return E_OK;
}

enum err_code quarantine_any(
	struct poll *p, int64_t table_id, bool *any, day_t *oldest, struct err *e)
{
	struct q_quarantine_list_in in = {.table_id = table_id};
	struct q_quarantine_list row;

	if (q_quarantine_list_one(p->db, &in, p->arena, &row, any, e))
		return e->code;
	*oldest = *any ? (day_t)row.unit : 0;
	return E_OK;
}

enum err_code quarantine_note(struct poll *p, int64_t table_id, struct err *e)
{
	struct q_quarantine_list_in in = {.table_id = table_id};
	struct q_quarantine_list row;
	struct db_rows rows;
	char first[DATE_BUF], day[DATE_BUF];
	size_t n = 0;

	if (q_quarantine_list_open(p->db, &in, &rows, e))
		return e->code;
	while (q_quarantine_list_next(&rows, &row)) {
		date_format((day_t)row.unit, n ? day : first);
		n++;
	}
	if (n)
		p->note = arena_printf(p->arena,
			"export day %s%s%s lost more than half of its rows: the figures "
			"from before are kept until this was seen in %d polls",
			first, n > 1 ? " and others up to " : "", n > 1 ? day : "", ENOUGH);
	return db_rows_close(&rows, e);
}
