/* The Cloud Billing export in BigQuery.
 *
 * 1. tables.get (free): no further request if the table has not changed since the last read.
 * 2. One small query: row count and checksums of every partition of the window.
 * 3. One query for the partitions that differ from the stored ones; each is replaced as a whole,
 *    in one transaction, and only if the received rows match the checksums. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "collector/bill/read.h"
#include "db/recipe.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* Older partitions are checked if the number of rows shows that one of them has changed, and once a
 * week. */
#define WINDOW_DAYS 40
#define FULL_SECONDS (7 * DAY_SECONDS)

struct export
{
	struct poll *p;
	struct bq_table table;
	struct q_billing_table_get known;
	struct billing_reading r;
	bool held; /* partitions are in quarantine, from this one on */
	day_t held_from;
};

/* ---- table ------------------------------------------------------------------------------- */

/* Reads the row of billing_table with a name. */
static enum err_code billing_find_table(
	struct export *x, const char *name, bool *found, struct err *e)
{
	struct q_billing_table_get_in get = {.name = name};

	return q_billing_table_get_one(x->p->db, &get, x->p->arena, &x->known, found, e);
}

/* The same, but creates a missing row and updates its location. */
static enum err_code billing_add_table(struct export *x, const char *name, struct err *e)
{
	struct q_billing_table_add_in add = {
		.name = name, .location = x->table.location, .kind = "export"};
	bool found;

	if (q_billing_table_add(x->p->db, &add, e) ||
		billing_find_table(x, name, &found, e))
		return e->code;
	return found ? E_OK : err_set(e, E_BUG, "billing table was not stored");
}

/* A table that was deleted and created again is another table: Google fills it with days that the
 * old one had as well. Its creation time identifies it; the figures of the old one stay, and
 * overlaps are refused. */
static enum err_code billing_pick_name(struct export *x, const char **name, struct err *e)
{
	const char *plain = x->p->table->name;
	const char *anew = arena_printf(
		x->p->arena, "%s@%lld", plain, (long long)x->table.created_ms);
	bool found;

	*name = anew;
	if (billing_find_table(x, anew, &found, e))
		return e->code;
	if (found)
		return E_OK;
	if (billing_find_table(x, plain, &found, e))
		return e->code;
	if (!x->known.created_ms || !x->table.created_ms ||
		x->known.created_ms == x->table.created_ms)
		*name = plain;
	return E_OK;
}

static enum err_code billing_know_table(struct export *x, struct err *e)
{
	struct q_billing_table_set_in made = {.created_ms = SOME(x->table.created_ms)};
	const char *name;

	if (billing_pick_name(x, &name, e) || billing_add_table(x, name, e))
		return e->code;
	made.table_id = x->known.table_id;
	if (!x->known.created_ms && q_billing_table_set(x->p->db, &made, e))
		return e->code;
	x->r.table_id = x->known.table_id;
	x->r.restates = x->known.last_full != 0;
	x->r.other_days = !bill_recipe_fits(x->known.recipe, x->r.recipe);
	return E_OK;
}

static enum err_code billing_open_table(struct export *x, struct err *e)
{
	if (billing_table_open(&x->r, &x->table, e))
		return e->code;
	x->r.recipe = bill_recipe(BILLING_RECIPE, x->p->settings->by_day,
		x->p->settings->tz, x->p->table->from, x->p->table->until);
	return billing_know_table(x, e);
}

/* ---- quarantine --------------------------------------------------------------------------- */

/* Partitions that suddenly have far fewer rows, or fewer rows with far less cost. Google appends and reloads, but does not delete:
 * fewer rows are more likely a partial reload, or a mistake, than correct. The old figures stay
 * until three polls show the same. */

#define ENOUGH 3 /* polls with the same result */

/* Records a unit that has shrunk. *held: do not replace it yet. */
static enum err_code quarantine_hold(
	struct export *x, const struct billing_unit *u, bool *held, struct err *e)
{
	struct q_quarantine_get_in get = {.table_id = x->r.table_id, .unit = SOME(u->day)};
	struct q_quarantine_get row;
	struct q_quarantine_put_in put = {.table_id = x->r.table_id,
		.unit = u->day,
		.row_count = u->rows,
		.exported = u->exported,
		.now = x->p->now,
		.seen = 1};
	bool found;

	if (q_quarantine_get_one(x->p->db, &get, x->p->arena, &row, &found, e))
		return e->code;
	if (found && row.row_count == u->rows && row.exported == u->exported)
		put.seen = row.seen + (row.last != x->p->now); /* once per poll */
	*held = put.seen < ENOUGH;
	return q_quarantine_put(x->p->db, &put, e);
}

/* The unit is no longer held. */
static enum err_code quarantine_release(struct export *x, int64_t unit, struct err *e)
{
	struct q_quarantine_drop_in drop = {.table_id = x->r.table_id, .unit = unit};

	return q_quarantine_drop(x->p->db, &drop, e);
}

static bool quarantine_listed(const struct billing_units *units, int64_t day)
{
	for (size_t i = 0; i < units->n; i++)
		if (units->v[i].day == day)
			return true;
	return false;
}

static enum err_code quarantine_one_missing(
	struct export *x, int64_t unit, const struct billing_units *units, struct err *e)
{
	struct q_billing_unit_gone_in gone = {.table_id = x->r.table_id, .unit = unit};
	struct billing_unit empty = {.day = (day_t)unit};
	bool held = false;

	if ((!units->n || unit > units->v[0].day) && quarantine_hold(x, &empty, &held, e))
		return e->code;
	return held ? E_OK : q_billing_unit_gone(x->p->db, &gone, e);
}

/* Units stored from `since` on that are no longer in the export. Their figures are always kept:
 * partitions expire, but their costs were billed. Units before the oldest remaining one have
 * expired; one between others is held like one that shrank, and recorded. */
static enum err_code quarantine_missing(
	struct export *x, day_t since, const struct billing_units *units, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = x->r.table_id, .since = since};
	struct q_billing_units_from *rows;
	size_t n;

	if (q_billing_units_from_all(x->p->db, &in, x->p->arena, &rows, &n, e))
		return e->code;
	/* A unit that a cut emptied has nothing to lose. */
	for (size_t i = 0; i < n; i++)
		if (!rows[i].gone && rows[i].row_count &&
			!quarantine_listed(units, rows[i].unit) &&
			quarantine_one_missing(x, rows[i].unit, units, e))
			return e->code;
	return E_OK;
}

/* Reports whether a unit is held, and the first one. The table must then be checked from it on,
 * even if it has not changed. */
static enum err_code quarantine_look(struct export *x, struct err *e)
{
	struct q_quarantine_get_in in = {.table_id = x->r.table_id};
	struct q_quarantine_get row;

	if (q_quarantine_get_one(x->p->db, &in, x->p->arena, &row, &x->held, e))
		return e->code;
	x->held_from = x->held ? (day_t)row.unit : 0;
	return E_OK;
}

/* Reports the held units. */
static enum err_code quarantine_note(struct export *x, struct err *e)
{
	struct q_quarantine_get_in in = {.table_id = x->r.table_id};
	struct q_quarantine_get row;
	struct db_rows rows;
	char first[DATE_BUF], day[DATE_BUF];
	const char *until = "";
	size_t n = 0, left = 0;

	if (q_quarantine_get_open(x->p->db, &in, &rows, e))
		return e->code;
	while (q_quarantine_get_next(&rows, &row)) {
		date_format((day_t)row.unit, n ? day : first);
		n++;
		left += row.row_count > 0;
	}
	if (left) /* figures of days without rows are always kept: see quarantine_missing() */
		until = arena_printf(x->p->arena, "%s until %d polls have shown this",
			left < n ? ", of days with rows" : "", ENOUGH);
	if (n)
		x->p->note = arena_printf(x->p->arena,
			"export day %s%s%s lost more than half of its rows or costs: the "
			"previous figures are kept%s",
			first, n > 1 ? " and others up to " : "", n > 1 ? day : "", until);
	return db_rows_close(&rows, e);
}

/* Nothing is left of a table that had rows: its costs did not end. */
static enum err_code billing_note_empty(struct export *x, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = x->r.table_id, .since = INT64_MIN};
	struct q_billing_units_from *rows;
	size_t n;

	if (q_billing_units_from_all(x->p->db, &in, x->p->arena, &rows, &n, e))
		return e->code;
	if (n && !x->p->note)
		x->p->note =
			"the export is empty: the figures that were read from it are kept";
	return E_OK;
}

/* ---- differences --------------------------------------------------------------------------- */

struct unit_refs {
	const struct billing_unit **v;
	size_t n, cap;
};

/* The units that differ from the stored ones, except the held ones. */
static enum err_code billing_changed_units(struct export *x,
	const struct billing_units *units, struct unit_refs *out, struct err *e)
{
	for (size_t i = 0; i < units->n; i++) {
		const struct billing_unit *u = &units->v[i];
		enum billing_change change;
		bool held = false;

		if (billing_unit_compare(
			    x->p->db, x->r.table_id, x->r.recipe, u, &change, e))
			return e->code;
		if (change == BILLING_SAME && quarantine_release(x, u->day, e))
			return e->code;
		if (change == BILLING_SHRUNK && quarantine_hold(x, u, &held, e))
			return e->code;
		if (change == BILLING_SAME || held)
			continue;
		*arena_push(x->p->arena, out) = u;
	}
	return E_OK;
}

static int billing_by_day(const void *pa, const void *pb)
{
	const struct billing_unit *a = pa, *b = pb;

	return i64_order(a->day, b->day);
}

/* Units that were read with another cut, and are empty in the current one. */
static enum err_code billing_add_emptied(
	struct export *x, day_t since, struct billing_units *units, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = x->r.table_id, .since = since};
	struct q_billing_units_from row;
	struct db_rows rows;
	size_t listed = units->n;

	if (q_billing_units_from_open(x->p->db, &in, &rows, e))
		return e->code;
	while (q_billing_units_from_next(&rows, &row)) {
		struct billing_unit u = {.day = (day_t)row.unit};

		if (row.recipe == x->r.recipe || row.gone ||
			(listed &&
				bsearch(&u, units->v, listed, sizeof(u), billing_by_day)))
			continue;
		*arena_push(x->p->arena, units) = u;
	}
	if (units->n)
		qsort(units->v, units->n, sizeof(*units->v), billing_by_day);
	return db_rows_close(&rows, e);
}

/* The first partition that is always checked. */
static day_t billing_window_of(const struct export *x)
{
	return (day_t)(x->p->now / DAY_SECONDS) - WINDOW_DAYS;
}

static enum err_code billing_read_window(struct export *x, bool everything, struct err *e)
{
	day_t since = everything ? 0 : billing_window_of(x);
	struct billing_units units;
	struct unit_refs changed = {0};

	if (billing_read_units(&x->r, since, &units, e) ||
		(x->known.recipe != x->r.recipe &&
			billing_add_emptied(x, since, &units, e)) ||
		quarantine_missing(x, since, &units, e) ||
		billing_changed_units(x, &units, &changed, e))
		return e->code;
	return changed.n ? billing_read_rows(&x->r, changed.v, changed.n, e) : E_OK;
}

/* For a view, Google has the time of its definition, not that of changes in its tables. */
static bool billing_is_watched(const struct export *x)
{
	return !strcmp(x->table.type, "TABLE") && x->table.modified_ms;
}

static bool billing_is_week_old(const struct export *x)
{
	return x->p->now - x->known.last_full >= FULL_SECONDS ||
		x->known.last_full > x->p->now;
}

static bool billing_has_changed(const struct export *x)
{
	return x->held || !billing_is_watched(x) || billing_is_week_old(x) ||
		x->known.recipe != x->r.recipe ||
		x->known.last_modified_ms != x->table.modified_ms ||
		x->known.row_count != x->table.n_rows;
}

/* If the number of rows cannot show that an old partition has changed, all partitions are checked:
 * views have no number, and that of a part of a table is unknown. */
static bool billing_wants_everything(const struct export *x)
{
	return !billing_is_watched(x) || (x->held && x->held_from < billing_window_of(x)) ||
		x->r.shape.has_cut || x->known.recipe != x->r.recipe ||
		billing_is_week_old(x);
}

/* Reports whether the table has as many rows as were read. If not, a partition older than the
 * window has changed: Google appends to partitions of any age. */
static enum err_code billing_all_read(struct export *x, bool *all, struct err *e)
{
	struct q_billing_rows_stored_in in = {.table_id = x->r.table_id};
	struct q_billing_rows_stored row;
	bool found;

	if (q_billing_rows_stored_one(x->p->db, &in, x->p->arena, &row, &found, e))
		return e->code;
	*all = found && row.row_count.set && row.row_count.v == x->table.n_rows;
	return E_OK;
}

static enum err_code billing_read_table(struct export *x, struct err *e)
{
	struct q_billing_table_set_in full = {
		.table_id = x->r.table_id, .last_full = SOME(x->p->now)};
	/* Until all of it was read, the table has neither the former recipe nor this one. */
	struct q_billing_table_set_in mixed = {.table_id = x->r.table_id,
		.recipe = SOME((x->known.recipe | x->r.recipe) & BILLING_BY_DAY)};
	bool everything = billing_wants_everything(x), all = false;

	if (x->r.restates && x->known.recipe != x->r.recipe &&
		q_billing_table_set(x->p->db, &mixed, e))
		return e->code;
	if (billing_read_window(x, everything, e))
		return e->code;
	if (x->r.other) /* excluded rows are not read: the number of rows shows nothing */
		return E_OK;
	if (!everything) {
		if (billing_all_read(x, &all, e))
			return e->code;
		if (all)
			return E_OK;
		if (billing_read_window(x, true, e))
			return e->code;
	}
	return q_billing_table_set(x->p->db, &full, e);
}

/* Reports whether this table was refused before, and would be again: this avoids a query that costs
 * money. */
static enum err_code billing_still_refused(struct export *x, struct err *e)
{
	struct q_refused_get_in in = {.table_id = x->r.table_id,
		.modified_ms = x->table.modified_ms,
		.recipe = x->r.recipe};
	struct q_refused_get row;
	bool found = false;

	if (billing_is_watched(x) &&
		q_refused_get_one(x->p->db, &in, x->p->arena, &row, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	err_set(e, E_CONFLICT, "%s", row.error);
	return err_fix(e, "%s", row.fix);
}

/* The fix depends on the other table. */
static void billing_advise(struct export *x)
{
	const struct collect_settings *set = x->p->settings;
	struct err *e = &x->r.refused;

	if (!strcmp(x->r.other, x->p->table->name)) {
		err_fix(e,
			"the table was deleted and created again; keep one of the two: "
			"tpucost db forget '%s', or billing: {from: DAY} for the new one",
			x->r.other);
		return;
	}
	for (size_t i = 0; i < set->n_tables; i++)
		if (!strcmp(x->r.other, set->tables[i].name))
			err_fix(e,
				"both are in the configuration: remove one, or set a first "
				"and last day for both (billing: from, until)");
}

/* Some days are also in another table, and were skipped. */
static enum err_code billing_refuse(struct export *x, struct err *e)
{
	struct q_refused_put_in put = {.table_id = x->r.table_id,
		.modified_ms = x->table.modified_ms,
		.recipe = x->r.recipe,
		.other = x->r.other,
		.at = x->p->now,
		.error = x->r.refused.msg};

	billing_advise(x);
	put.fix = x->r.refused.fix;
	if (q_refused_put(x->p->db, &put, e))
		return e->code;
	*e = x->r.refused;
	return e->code;
}

/* The table was read completely, or had not changed. */
static enum err_code billing_note_read(struct export *x, bool changed, struct err *e)
{
	/* The result of tables.get before the queries: a load in between is detected as a change
	 * next time. */
	struct q_billing_table_set_in seen = {
		.table_id = x->r.table_id, .looked = SOME(x->p->now)};
	struct q_refused_drop_in refused = {.table_id = x->r.table_id};

	if (changed) {
		seen.last_modified_ms = SOME(x->table.modified_ms);
		seen.row_count = SOME(x->table.n_rows);
		seen.recipe = SOME(x->r.recipe);
		if (q_refused_drop(x->p->db, &refused, e))
			return e->code;
	}
	return q_billing_table_set(x->p->db, &seen, e);
}

static enum err_code billing_poll(struct poll *p, struct err *e)
{
	struct export x = {.p = p, .r = {.p = p}};

	if (billing_open_table(&x, e) || quarantine_look(&x, e))
		return e->code;
	if (billing_is_watched(&x) && !x.table.n_rows && billing_note_empty(&x, e))
		return e->code;
	if (!billing_has_changed(&x))
		return billing_note_read(&x, false, e);
	if (billing_still_refused(&x, e))
		return e->code;
	if (billing_read_table(&x, e))
		return err_wrap(e, "billing export");
	if (x.r.other)
		return billing_refuse(&x, e);
	if (billing_note_read(&x, true, e))
		return e->code;
	return quarantine_note(&x, e);
}

const struct source source_billing = {
	.name = "billing",
	.group = "billing",
	.doc = "the Cloud Billing export in BigQuery",
	.scope = PER_TABLE,
	.poll = billing_poll,
};
