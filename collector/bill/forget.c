#include "collector/bill/forget.h"

#include "collector/bill/store.h"
#include "db_sql.h"

#include <string.h>

static enum err_code list_units(struct db *db, int64_t table_id, struct arena *a,
	struct billing_unit **out, size_t *n, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = table_id, .since = INT64_MIN};
	struct q_billing_units_from row;
	struct db_rows rows;
	size_t cap = 0;

	*out = NULL;
	*n = 0;
	if (q_billing_units_from_open(db, &in, &rows, e))
		return e->code;
	while (q_billing_units_from_next(&rows, &row)) {
		*out = arena_grow(a, *out, *n, &cap, sizeof(**out));
		(*out)[(*n)++] = (struct billing_unit){.day = (day_t)row.unit};
	}
	return db_rows_close(&rows, e);
}

/* Its units are empty now: removes them and the name. */
static enum err_code forget_drop_table(struct db *db, int64_t table_id,
	const struct billing_unit *units, size_t n, struct err *e)
{
	struct q_bytes_forget_in bytes = {.table_id = table_id};
	struct q_import_forget_in file = {.table_id = table_id};
	struct q_refused_drop_in refused = {.table_id = table_id};
	struct q_billing_table_forget_in table = {.table_id = table_id};

	for (size_t i = 0; i < n; i++) {
		struct q_billing_unit_drop_in unit = {
			.table_id = table_id, .unit = units[i].day};

		if (q_billing_unit_drop(db, &unit, e))
			return e->code;
	}
	if (q_refused_drop(db, &refused, e) || q_bytes_forget(db, &bytes, e) ||
		q_import_forget(db, &file, e))
		return e->code;
	return q_billing_table_forget(db, &table, e);
}

static enum err_code forget_forget(
	struct billing_store *s, struct arena *a, size_t *n, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct billing_unit *units;

	/* Lines that an interrupted poll or import left in the stage must not be stored. */
	if (db_begin(s->db, &tx, e) || q_stage_clear(s->db, e) ||
		list_units(s->db, s->table_id, a, &units, n, e) ||
		billing_store(s, units, *n, e) ||
		forget_drop_table(s->db, s->table_id, units, *n, e))
		return e->code;
	return db_commit(&tx, e);
}

/* The name as listed, or the path of a file if it is unique. */
static enum err_code find_table(
	struct db *db, const char *name, int64_t *table_id, struct err *e)
{
	struct q_billing_table_named_in in = {.name = name};
	struct q_billing_table_named row;
	struct db_rows rows;
	bool exact = false;
	size_t n = 0;

	if (q_billing_table_named_open(db, &in, &rows, e))
		return e->code;
	while (!exact && q_billing_table_named_next(&rows, &row)) {
		*table_id = row.table_id;
		exact = !strcmp(row.name, name);
		n++;
	}
	if (db_rows_close(&rows, e))
		return e->code;
	if (n == 1)
		return E_OK;
	err_set(e, n ? E_CONFLICT : E_NOTFOUND,
		n ? "more than one file '%s'" : "no table or file '%s'", name);
	return err_fix(e, "use a name from: tpucost db list");
}

enum err_code billing_forget(struct db *db, const struct tz *tz, ts_t now, const char *name,
	size_t *units, struct err *e)
{
	struct billing_store s = {
		.db = db, .tz = tz, .now = now, .restates = true, .may_overlap = true};
	struct arena a = {0};
	enum err_code rc = find_table(db, name, &s.table_id, e);

	if (!rc)
		rc = forget_forget(&s, &a, units, e);
	arena_done(&a);
	return rc;
}
