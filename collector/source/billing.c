/* The Cloud Billing export in BigQuery.
 *
 * 1. tables.get (free): nothing more when the table has not changed since the last read.
 * 2. One small query: row count and check sums of every partition of the window.
 * 3. One query for the partitions that differ from what is stored; each is replaced whole,
 *    in one transaction, and only when what arrived adds up to the check sums. */
#include "base/time/civil.h"
#include "collector/bill/read.h"
#include "collector/quarantine.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* Partitions older than this are looked at when the number of rows says that one of them has
 * changed, and once a week. */
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

/* ---- the table --------------------------------------------------------------------------- */

static bool has(const struct bq_table *t, const char *path)
{
	return bq_field_find(t->fields, t->n_fields, path) != NULL;
}

static enum err_code check_schema(struct export *x, struct err *e)
{
	static const char *const required[] = {"usage_start_time", "export_time",
		"service.id", "service.description", "sku.id", "sku.description",
		"project.id", "invoice.month", "cost", "currency", "credits",
		"usage.amount", "location.location"};
	const struct bq_table *t = &x->table;
	const struct billing_export *cut = x->p->table;

	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (has(t, required[i]))
			continue;
		err_set(e, E_DATA, "table %s: column %s is missing: not a billing export",
			cut->name, required[i]);
		return err_fix(e, "check billing.table in the configuration");
	}
	x->r.shape = (struct billing_shape){
		.has_partition_time = *t->partition_type && !*t->partition_field,
		.has_account = has(t, "billing_account_id"),
		.has_number = has(t, "project.number"),
		.has_resource = has(t, "resource.name") && has(t, "resource.global_name"),
		.has_rate = has(t, "currency_conversion_rate"),
		.has_cost_type = has(t, "cost_type"),
		.has_pricing_usage = has(t, "usage.amount_in_pricing_units") &&
			has(t, "usage.pricing_unit"),
		.has_price = has(t, "price.effective_price") &&
			has(t, "price.pricing_unit_quantity"),
		.has_cut = cut->from != DAY_NONE || cut->until != DAY_NONE,
	};
	return E_OK;
}

/* The row of billing_table under a name. */
static enum err_code find_table(
	struct export *x, const char *name, bool *found, struct err *e)
{
	struct q_billing_table_get_in get = {.name = name};

	return q_billing_table_get_one(x->p->db, &get, x->p->arena, &x->known, found, e);
}

/* The same, made when there is none, with the place where it lies now. */
static enum err_code add_table(struct export *x, const char *name, struct err *e)
{
	struct q_billing_table_add_in add = {
		.name = name, .location = x->table.location, .kind = "export"};
	bool found;

	if (q_billing_table_add(x->p->db, &add, e) || find_table(x, name, &found, e))
		return e->code;
	return found ? E_OK : err_set(e, E_BUG, "billing table was not stored");
}

/* A table that was deleted and made anew is another one: Google fills it with days that the
 * old one had as well. It goes by its time of creation; the figures of the old one stay, and
 * what overlaps is refused. */
static enum err_code pick_name(struct export *x, const char **name, struct err *e)
{
	const char *plain = x->p->table->name;
	const char *anew = arena_printf(
		x->p->arena, "%s@%lld", plain, (long long)x->table.created_ms);
	bool found;

	*name = anew;
	if (find_table(x, anew, &found, e))
		return e->code;
	if (found)
		return E_OK;
	if (find_table(x, plain, &found, e))
		return e->code;
	if (!found || !x->known.created_ms || !x->table.created_ms ||
		x->known.created_ms == x->table.created_ms)
		*name = plain;
	return E_OK;
}

static enum err_code know_table(struct export *x, struct err *e)
{
	struct q_billing_table_made_in made = {.created_ms = x->table.created_ms};
	const char *name;

	if (pick_name(x, &name, e) || add_table(x, name, e))
		return e->code;
	made.table_id = x->known.table_id;
	if (!x->known.created_ms && q_billing_table_made(x->p->db, &made, e))
		return e->code;
	x->r.table_id = x->known.table_id;
	x->r.restates = x->known.last_full != 0;
	return E_OK;
}

/* Version of the query, and which days it asks for: FNV-1a of the cut above it. */
static int64_t recipe_of(const struct billing_export *t)
{
	const int32_t cut[] = {t->from, t->until};
	uint32_t h = 0x811c9dc5u;

	if (t->from == DAY_NONE && t->until == DAY_NONE)
		return BILLING_RECIPE;
	for (size_t i = 0; i < sizeof(cut); i++)
		h = (h ^ ((const unsigned char *)cut)[i]) * 0x01000193u;
	return BILLING_RECIPE | (int64_t)h << 8;
}

static enum err_code open_table(struct export *x, struct err *e)
{
	const struct billing_export *t = x->p->table;
	struct bq_name name;

	if (!billing_table_valid(t->name)) {
		err_set(e, E_CONFIG, "billing table \"%s\": not a table name", t->name);
		return err_fix(e, "want project.dataset.table");
	}
	if (bq_name_parse(t->name, x->p->arena, &name, e) ||
		bq_table_get(x->p->gcp, &name, x->p->arena, &x->table, e))
		return err_wrap(e, "table %s", t->name);
	if (check_schema(x, e))
		return e->code;
	/* Where the dataset is, is for Google to say; the configuration may be wrong. */
	x->r.table = t->name;
	x->r.recipe = recipe_of(t);
	x->r.project = name.project;
	x->r.location = *x->table.location ? x->table.location : t->location;
	return know_table(x, e);
}

/* ---- what is there ------------------------------------------------------------------------- */

struct unit_refs {
	const struct billing_unit **v;
	size_t n, cap;
};

/* The units that differ from what is stored, without those that are held back. */
static enum err_code changed_units(struct export *x, const struct billing_units *units,
	struct unit_refs *out, struct err *e)
{
	for (size_t i = 0; i < units->n; i++) {
		const struct billing_unit *u = &units->v[i];
		enum billing_change change;
		bool held = false;

		if (billing_unit_compare(
			    x->p->db, x->r.table_id, x->r.recipe, u, &change, e))
			return e->code;
		if (change == BILLING_SAME && quarantine_release(x->p, x->r.table_id, u, e))
			return e->code;
		if (change == BILLING_SHRUNK &&
			quarantine_hold(x->p, x->r.table_id, u, &held, e))
			return e->code;
		if (change == BILLING_SAME || held)
			continue;
		out->v = arena_grow(
			x->p->arena, out->v, out->n, &out->cap, sizeof(*out->v));
		out->v[out->n++] = u;
	}
	return E_OK;
}

static int by_day(const void *pa, const void *pb)
{
	const struct billing_unit *a = pa, *b = pb;

	return (a->day > b->day) - (a->day < b->day);
}

/* Units that were read with another cut, and have nothing in the present one. */
static enum err_code add_emptied(
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
			(listed && bsearch(&u, units->v, listed, sizeof(u), by_day)))
			continue;
		units->v = arena_grow(
			x->p->arena, units->v, units->n, &units->cap, sizeof(*units->v));
		units->v[units->n++] = u;
	}
	if (units->n)
		qsort(units->v, units->n, sizeof(*units->v), by_day);
	return db_rows_close(&rows, e);
}

/* The first partition that is looked at every time. */
static day_t window_of(const struct export *x)
{
	return (day_t)(x->p->now / DAY_SECONDS) - WINDOW_DAYS;
}

static enum err_code read_window(struct export *x, bool everything, struct err *e)
{
	day_t since = everything ? 0 : window_of(x);
	struct billing_units units;
	struct unit_refs changed = {0};

	if (billing_read_units(&x->r, since, &units, e) ||
		(x->known.recipe != x->r.recipe && add_emptied(x, since, &units, e)) ||
		quarantine_missing(x->p, x->r.table_id, since, &units, e) ||
		changed_units(x, &units, &changed, e))
		return e->code;
	return changed.n ? billing_read_rows(&x->r, changed.v, changed.n, e) : E_OK;
}

/* Of a view, Google says when it was defined, not when the tables below it changed. */
static bool is_watched(const struct export *x)
{
	return !strcmp(x->table.type, "TABLE") && x->table.modified_ms;
}

static bool is_week_old(const struct export *x)
{
	return x->p->now - x->known.last_full >= FULL_SECONDS ||
		x->known.last_full > x->p->now;
}

static bool has_changed(const struct export *x)
{
	return x->held || !is_watched(x) || is_week_old(x) ||
		x->known.recipe != x->r.recipe ||
		x->known.last_modified_ms != x->table.modified_ms ||
		x->known.row_count != x->table.n_rows;
}

/* Where the number of rows cannot tell that an old partition has changed, all of them are
 * looked at: views have no number, and of a part of a table it is not known. */
static bool wants_everything(const struct export *x)
{
	return !is_watched(x) || (x->held && x->held_from < window_of(x)) ||
		x->r.shape.has_cut || x->known.recipe != x->r.recipe || is_week_old(x);
}

/* Does the table hold as many rows as were read? If not, a partition older than the window
 * has changed: Google appends to partitions of any age. */
static enum err_code all_read(struct export *x, bool *all, struct err *e)
{
	struct q_billing_rows_stored_in in = {.table_id = x->r.table_id};
	struct q_billing_rows_stored row;
	bool found;

	if (q_billing_rows_stored_one(x->p->db, &in, x->p->arena, &row, &found, e))
		return e->code;
	*all = found && row.row_count.set && row.row_count.v == x->table.n_rows;
	return E_OK;
}

static enum err_code read_table(struct export *x, struct err *e)
{
	struct q_billing_table_full_in full = {
		.table_id = x->r.table_id, .last_full = x->p->now};
	bool everything = wants_everything(x), all = false;

	if (read_window(x, everything, e))
		return e->code;
	if (x->r.other) /* what was left out is not read: the number of rows tells nothing */
		return E_OK;
	if (!everything) {
		if (all_read(x, &all, e))
			return e->code;
		if (all)
			return E_OK;
		if (read_window(x, true, e))
			return e->code;
	}
	return q_billing_table_full(x->p->db, &full, e);
}

/* Was this very table refused before, and would be again? Then nobody pays for finding out. */
static enum err_code still_refused(struct export *x, struct err *e)
{
	struct q_refused_get_in in = {.table_id = x->r.table_id,
		.modified_ms = x->table.modified_ms,
		.recipe = x->r.recipe};
	struct q_refused_get row;
	bool found = false;

	if (is_watched(x) && q_refused_get_one(x->p->db, &in, x->p->arena, &row, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	err_set(e, E_CONFLICT, "%s", row.error);
	return err_fix(e, "%s", row.fix);
}

/* What to do depends on what the other one is. */
static void advise(struct export *x)
{
	const struct collect_settings *set = x->p->settings;
	struct err *e = &x->r.refused;

	if (!strcmp(x->r.other, x->p->table->name)) {
		err_fix(e,
			"the table was deleted and made anew; keep one of the two: "
			"tpucost db forget '%s', or billing: {from: DAY} of the new one",
			x->r.other);
		return;
	}
	for (size_t i = 0; i < set->n_tables; i++)
		if (!strcmp(x->r.other, set->tables[i].name))
			err_fix(e,
				"both are in the configuration: take one out, or give "
				"both days to begin and end with (billing: from, until)");
}

/* Some days are in another table as well, and were left out. */
static enum err_code refuse(struct export *x, struct err *e)
{
	struct q_refused_put_in put = {.table_id = x->r.table_id,
		.modified_ms = x->table.modified_ms,
		.recipe = x->r.recipe,
		.other = x->r.other,
		.at = x->p->now,
		.error = x->r.refused.msg};

	advise(x);
	put.fix = x->r.refused.fix;
	if (q_refused_put(x->p->db, &put, e))
		return e->code;
	*e = x->r.refused;
	return e->code;
}

/* All of it was read, or had not changed. */
static enum err_code note_read(struct export *x, bool changed, struct err *e)
{
	/* What tables.get said before the queries: a load that came in between is seen as a
	 * change next time. */
	struct q_billing_table_read_in seen = {.table_id = x->r.table_id,
		.last_modified_ms = x->table.modified_ms,
		.row_count = x->table.n_rows,
		.recipe = x->r.recipe};
	struct q_billing_table_looked_in looked = {
		.table_id = x->r.table_id, .looked = x->p->now};
	struct q_refused_drop_in refused = {.table_id = x->r.table_id};

	if (changed &&
		(q_billing_table_read(x->p->db, &seen, e) ||
			q_refused_drop(x->p->db, &refused, e)))
		return e->code;
	return q_billing_table_looked(x->p->db, &looked, e);
}

static enum err_code poll_billing(struct poll *p, struct err *e)
{
	struct export x = {.p = p, .r = {.p = p}};

	if (open_table(&x, e) || quarantine_any(p, x.r.table_id, &x.held, &x.held_from, e))
		return e->code;
	if (!has_changed(&x))
		return note_read(&x, false, e);
	if (still_refused(&x, e))
		return e->code;
	if (read_table(&x, e))
		return err_wrap(e, "billing export");
	if (x.r.other)
		return refuse(&x, e);
	if (note_read(&x, true, e))
		return e->code;
	return quarantine_note(p, x.r.table_id, e);
}

const struct source source_billing = {
	.name = "billing",
	.group = "billing",
	.doc = "the Cloud Billing export in BigQuery",
	.scope = PER_TABLE,
	.poll = poll_billing,
};
