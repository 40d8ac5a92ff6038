#include "rules/bill/names.h"

#include "db_sql.h"
#include "rules/bill/category.h"

#include <stdlib.h>

static enum err_code load_projects(
	struct bill_names *b, struct db *db, struct arena *a, struct err *e)
{
	struct q_bill_projects q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_projects_open(db, &rows, e))
		return e->code;
	while (q_bill_projects_next(&rows, &q)) {
		b->projects = arena_grow(
			a, b->projects, b->n_projects, &cap, sizeof(*b->projects));
		b->projects[b->n_projects++] = (struct bill_project){.ref = q.ref,
			.project = arena_strdup(a, q.project),
			.account = arena_strdup(a, q.account)};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_skus(
	struct bill_names *b, struct db *db, struct arena *a, struct err *e)
{
	struct q_sku_list q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_sku_list_open(db, &rows, e))
		return e->code;
	while (q_sku_list_next(&rows, &q)) {
		b->skus = arena_grow(a, b->skus, b->n_skus, &cap, sizeof(*b->skus));
		b->skus[b->n_skus++] = (struct bill_sku){.ref = q.ref,
			.sku = arena_strdup(a, q.sku),
			.category = category_of_sku(q.service_id, q.service, q.sku)};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_charges(
	struct bill_names *b, struct db *db, struct arena *a, struct err *e)
{
	struct q_bill_charges q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_charges_open(db, &rows, e))
		return e->code;
	while (q_bill_charges_next(&rows, &q)) {
		b->charges = arena_grow(
			a, b->charges, b->n_charges, &cap, sizeof(*b->charges));
		b->charges[b->n_charges++] = (struct bill_charge){.ref = q.ref,
			.currency = arena_strdup(a, q.currency),
			.usage_unit = arena_strdup(a, q.usage_unit),
			.rate = q.rate};
	}
	return db_rows_close(&rows, e);
}

enum err_code bill_names_load(
	struct db *db, struct arena *a, struct bill_names *out, struct err *e)
{
	*out = (struct bill_names){0};
	if (load_projects(out, db, a, e) || load_skus(out, db, a, e))
		return e->code;
	return load_charges(out, db, a, e);
}

enum err_code bill_places_load(
	struct db *db, struct arena *a, struct bill_names *names, struct err *e)
{
	struct q_bill_places q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_places_open(db, &rows, e))
		return e->code;
	while (q_bill_places_next(&rows, &q)) {
		names->places = arena_grow(
			a, names->places, names->n_places, &cap, sizeof(*names->places));
		names->places[names->n_places++] = (struct bill_place){.ref = q.ref,
			.location = arena_strdup(a, q.location),
			.region = arena_strdup(a, q.region),
			.zone = arena_strdup(a, q.zone)};
	}
	return db_rows_close(&rows, e);
}

/* They all begin with their number, and come in its order. */
static int by_ref(const void *key, const void *member)
{
	int64_t a = *(const int64_t *)key, b = *(const int64_t *)member;

	return (a > b) - (a < b);
}

static const void *named(const void *list, size_t n, size_t size, int64_t ref)
{
	return n ? bsearch(&ref, list, n, size, by_ref) : NULL;
}

const struct bill_project *bill_project_of(
	const struct bill_names *n, int64_t ref, const struct bill_project *last)
{
	if (last && last->ref == ref)
		return last;
	return named(n->projects, n->n_projects, sizeof(*n->projects), ref);
}

const struct bill_sku *bill_sku_of(
	const struct bill_names *n, int64_t ref, const struct bill_sku *last)
{
	if (last && last->ref == ref)
		return last;
	return named(n->skus, n->n_skus, sizeof(*n->skus), ref);
}

const struct bill_charge *bill_charge_of(
	const struct bill_names *n, int64_t ref, const struct bill_charge *last)
{
	if (last && last->ref == ref)
		return last;
	return named(n->charges, n->n_charges, sizeof(*n->charges), ref);
}

const struct bill_place *bill_place_of(
	const struct bill_names *n, int64_t ref, const struct bill_place *last)
{
	if (last && last->ref == ref)
		return last;
	return named(n->places, n->n_places, sizeof(*n->places), ref);
}

enum err_code bill_nameless(int64_t day, struct err *e)
{
	err_set(e, E_DB,
		"the bill of day %lld is of a project, SKU, place or charge that is not "
		"there",
		(long long)day);
	return err_fix(e, "see: tpucost db check");
}
