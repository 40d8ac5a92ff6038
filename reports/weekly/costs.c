/* Where the money of the week went, beside the week before. */
#include "base/money.h"
#include "db/db.h"
#include "db/rollup/ref_sums.h"
#include "db_sql.h"
#include "reports/weekly/internal.h"

#include <stdlib.h>
#include <string.h>

#define SUMS                                                                               \
	{"net", "net", DOC_MONEY, -1, 0}, {"net_before", "week before", DOC_MONEY, -1, 1}, \
		{"change", "change", DOC_MONEY, -1, 0},                                    \
		{"cost", "before credits", DOC_MONEY, -1, 3},                              \
		{"credits", "credits", DOC_MONEY, -1, 4},                                  \
	{                                                                                  \
		"currency", NULL, DOC_TEXT, 0, 0                                           \
	}

static const struct doc_column category_columns[] = {
	{"category", "category", DOC_TEXT, 0, 0}, SUMS};
static const struct doc_column project_columns[] = {
	{"project", "project", DOC_TEXT, 0, 0}, SUMS};
static const struct doc_column sku_columns[] = {{"sku", "SKU", DOC_TEXT, 0, 0},
	{"service", "service", DOC_TEXT, 0, 5}, {"sku_id", NULL, DOC_CODE, 0, 0}, SUMS};
static const struct doc_column resource_columns[] = {
	{"resource", "resource", DOC_TEXT, 0, 0}, {"project", "project", DOC_TEXT, 0, 5},
	SUMS};

/* Amounts of a row. */
struct amounts {
	const char *currency;
	int64_t cost, credits, before;
};

/* The top of each currency. */
struct top {
	char currency[8];
	size_t n, more;
};

struct week_sum *weekly_sum(struct weekly *w, const char *currency)
{
	for (size_t i = 0; i < w->n_sums; i++)
		if (!strcmp(w->sums[i].currency, currency))
			return &w->sums[i];
	w->sums = arena_grow(w->a, w->sums, w->n_sums, &w->cap_sums, sizeof(*w->sums));
	w->sums[w->n_sums] = (struct week_sum){.currency = arena_strdup(w->a, currency),
		.cost = SOME(0),
		.credits = SOME(0),
		.before = SOME(0)};
	return &w->sums[w->n_sums++];
}

/* Does the row belong to the first ten of its currency? Rows come by currency. */
static bool in_top(struct top *t, const char *currency)
{
	if (strncmp(t->currency, currency, sizeof(t->currency) - 1) != 0) {
		memset(t->currency, 0, sizeof(t->currency));
		memcpy(t->currency, currency, strnlen(currency, sizeof(t->currency) - 1));
		t->n = 0;
	}
	if (++t->n <= WEEK_TOP)
		return true;
	t->more++;
	return false;
}

static enum err_code too_large(struct err *e)
{
	return err_set(e, E_OVERFLOW, "the costs of the two weeks are too large");
}

static const char *left_out(struct weekly *w, const struct top *t, const char *command)
{
	return t->more ? arena_printf(w->a, "%zu more: %s", t->more, command) : NULL;
}

static void put(struct weekly *w, struct doc_cell *c, const struct amounts *x)
{
	const struct week_sum *sum = weekly_sum(w, x->currency);
	struct opt_i64 net = opt_add(SOME(x->cost), SOME(x->credits));
	struct opt_i64 before = w->before_known ? SOME(x->before) : NONE;

	c[0] = cell_money(net, sum->currency);
	c[1] = cell_money(before, sum->currency);
	c[2] = cell_money(w->ends_early ? NONE : opt_sub(net, before), sum->currency);
	c[3] = cell_money(SOME(x->cost), sum->currency);
	c[4] = cell_money(SOME(x->credits), sum->currency);
	c[5] = cell_text(sum->currency);
	if (sum->partial)
		for (int i = 0; i < 5; i++)
			if (i != 1)
				c[i] = cell_partial(c[i]);
}

static enum err_code by_category(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(w->doc, "categories", "By category",
		category_columns, ARRAY_LEN(category_columns));
	struct q_week_categories q;
	struct db_rows rows;

	if (q_week_categories_open(w->db, &rows, e))
		return e->code;
	while (q_week_categories_next(&rows, &q)) {
		struct doc_cell *c = doc_row(w->doc, s)->cells;

		c[0] = cell_text(arena_strdup(w->a, q.category));
		put(w, c + 1, &(struct amounts){q.currency, q.cost, q.credits, q.before});
	}
	return db_rows_close(&rows, e);
}

static enum err_code by_project(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(w->doc, "projects", "By project",
		project_columns, ARRAY_LEN(project_columns));
	struct q_week_projects q;
	struct db_rows rows;

	if (q_week_projects_open(w->db, &rows, e))
		return e->code;
	while (q_week_projects_next(&rows, &q)) {
		struct doc_row *row = doc_row(w->doc, s);

		row->cells[0] = cell_text(arena_strdup(w->a, q.project));
		if (!q.project)
			row->detail = "Of the billing account itself: tax, support, "
				      "adjustments.";
		put(w, row->cells + 1,
			&(struct amounts){q.currency, q.cost, q.credits, q.before});
	}
	return db_rows_close(&rows, e);
}

static void note_mover(struct weekly *w, const struct q_week_skus *q)
{
	struct opt_i64 net = opt_add(SOME(q->cost), SOME(q->credits));
	struct opt_i64 change = opt_sub(net, SOME(q->before));
	struct week_sum *sum = weekly_sum(w, q->currency);
	struct opt_i64 size = change.set && change.v < 0 ? opt_sub(SOME(0), change)
							 : change;
	int64_t most = sum->moved < 0 ? -sum->moved : sum->moved;

	if (!size.set || size.v <= most)
		return;
	sum->mover = arena_strdup(w->a, q->sku);
	sum->moved = change.v;
}

static enum err_code by_sku(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(
		w->doc, "skus", "Top SKUs", sku_columns, ARRAY_LEN(sku_columns));
	struct top top = {0};
	struct q_week_skus q;
	struct db_rows rows;

	if (q_week_skus_open(w->db, &rows, e))
		return e->code;
	while (q_week_skus_next(&rows, &q)) {
		struct doc_cell *c;

		note_mover(w, &q);
		if (!in_top(&top, q.currency))
			continue;
		c = doc_row(w->doc, s)->cells;
		c[0] = cell_text(arena_strdup(w->a, q.sku));
		c[1] = cell_text(arena_strdup(w->a, q.service));
		c[2] = cell_code(*q.sku_id ? arena_strdup(w->a, q.sku_id) : NULL);
		put(w, c + 3, &(struct amounts){q.currency, q.cost, q.credits, q.before});
	}
	s->note = left_out(w, &top, "tpucost cost --by sku");
	return db_rows_close(&rows, e);
}

/* One resource of a project in one currency. */
struct resource {
	const char *name, *project;
	struct amounts sums;
};

struct resources {
	struct resource *v;
	size_t n, cap;
};

static int by_name(const void *pa, const void *pb)
{
	const struct resource *a = pa, *b = pb;
	int order = strcmp(a->sums.currency, b->sums.currency);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->project, b->project);
}

/* The most expensive of a currency first. */
static int by_cost(const void *pa, const void *pb)
{
	const struct resource *a = pa, *b = pb;
	__int128 x = (__int128)a->sums.cost + a->sums.credits;
	__int128 y = (__int128)b->sums.cost + b->sums.credits;
	int order = strcmp(a->sums.currency, b->sums.currency);

	if (!order)
		order = (x < y) - (x > y);
	return order ? order : by_name(a, b);
}

/* Names may have several numbers. */
static enum err_code merge(struct resources *r, struct err *e)
{
	size_t n = 0;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_name);
	for (size_t i = 0; i < r->n; i++) {
		struct amounts *to = n ? &r->v[n - 1].sums : NULL, *x = &r->v[i].sums;

		if (!to || by_name(&r->v[n - 1], &r->v[i]))
			r->v[n++] = r->v[i];
		else if (!nanos_add(to->cost, x->cost, &to->cost) ||
			!nanos_add(to->credits, x->credits, &to->credits) ||
			!nanos_add(to->before, x->before, &to->before))
			return too_large(e);
	}
	r->n = n;
	if (n)
		qsort(r->v, n, sizeof(*r->v), by_cost);
	return E_OK;
}

static enum err_code read_resources(struct weekly *w, struct resources *r, struct err *e)
{
	struct q_week_resources q;
	struct db_rows rows;

	if (q_week_resources_open(w->db, &rows, e))
		return e->code;
	while (q_week_resources_next(&rows, &q)) {
		r->v = arena_grow(w->a, r->v, r->n, &r->cap, sizeof(*r->v));
		r->v[r->n++] = (struct resource){.name = arena_strdup(w->a, q.resource),
			.project = arena_strdup(w->a, q.project),
			.sums = {weekly_sum(w, q.currency)->currency, q.cost, q.credits,
				q.before}};
	}
	return db_rows_close(&rows, e) ? e->code : merge(r, e);
}

static enum err_code by_resource(struct weekly *w, struct err *e)
{
	struct doc_section *s = doc_section(w->doc, "resources", "Top resources",
		resource_columns, ARRAY_LEN(resource_columns));
	struct resources all = {0};
	struct top top = {0};

	if (read_resources(w, &all, e))
		return e->code;
	for (size_t i = 0; i < all.n; i++) {
		const struct resource *x = &all.v[i];
		struct doc_cell *c;

		if (!in_top(&top, x->sums.currency))
			continue;
		c = doc_row(w->doc, s)->cells;
		c[0] = cell_text(x->name);
		c[1] = cell_text(*x->project ? x->project : NULL);
		put(w, c + 2, &x->sums);
	}
	s->note = left_out(w, &top, "tpucost cost --by resource");
	return E_OK;
}

/* ---- adding up by number ------------------------------------------------------------------- */

static enum err_code add(const struct weekly *w, struct ref_sum *sum, int64_t day,
	int64_t cost, int64_t credits, struct err *e)
{
	if (day >= w->first ? ref_sum_add(sum, cost, credits, 0)
			    : ref_sum_add_before(sum, cost, credits))
		return E_OK;
	return too_large(e);
}

static enum err_code sum_skus(struct weekly *w, struct ref_sums *sums, struct err *e)
{
	struct q_bill_days_in in = {.first = w->from, .last = w->last};
	struct q_bill_days q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_bill_days_open(w->db, &in, &rows, e))
		return e->code;
	while (!rc && q_bill_days_next(&rows, &q)) {
		int64_t refs[REFS] = {[REF_SKU] = q.sku_ref,
			[REF_PROJECT] = q.project_ref,
			[REF_CHARGE] = q.charge_ref};

		rc = add(w, ref_sums_of(sums, refs), q.day, q.cost, q.credits, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code sum_resources(struct weekly *w, struct ref_sums *sums, struct err *e)
{
	struct q_week_resource_days_in in = {.first = w->from, .last = w->last};
	struct q_week_resource_days q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_week_resource_days_open(w->db, &in, &rows, e))
		return e->code;
	while (!rc && q_week_resource_days_next(&rows, &q)) {
		int64_t refs[REFS] = {[REF_RESOURCE] = q.resource_ref,
			[REF_PROJECT] = q.project_ref,
			[REF_CHARGE] = q.charge_ref};

		rc = add(w, ref_sums_of(sums, refs), q.day, q.cost, q.credits, e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code by_sums_of_skus(struct weekly *w, struct err *e)
{
	return by_category(w, e) || by_project(w, e) || by_sku(w, e) ? e->code : E_OK;
}

/* What the sums are of is shown by queries that look its names up. */
static enum err_code show(struct weekly *w,
	enum err_code (*sum)(struct weekly *w, struct ref_sums *sums, struct err *e),
	enum err_code (*tell)(struct weekly *w, struct err *e), struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	enum err_code rc;

	if (sum(w, &sums, e) || ref_sums_show(w->db, &sums, e))
		return e->code;
	rc = tell(w, e);
	ref_sums_hide(w->db);
	return rc;
}

enum err_code weekly_costs(struct weekly *w, struct err *e)
{
	if (w->unknown)
		return E_OK;
	if (show(w, sum_skus, by_sums_of_skus, e))
		return e->code;
	return show(w, sum_resources, by_resource, e);
}
