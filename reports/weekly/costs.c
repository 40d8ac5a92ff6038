/* Costs of the week by category, project, SKU and resource, compared with the week before. */
#include "base/money.h"
#include "base/str.h"
#include "db/answer.h"
#include "db_sql.h"
#include "reports/weekly/internal.h"
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

#define TOO_LARGE "the costs of the two weeks are too large"

#define SUMS                                                                     \
	{"net", "net"}, {"net_before", "week before", DOC_MONEY, -1, .rank = 1}, \
		{"change", "change"}, {"cost", "before credits", .rank = 3},     \
		{"credits", "credits", .rank = 4},                               \
	{                                                                        \
		"currency"                                                       \
	}

static const struct doc_column category_columns[] = {{"category", "category"}, SUMS};
static const struct doc_column project_columns[] = {{"project", "project"}, SUMS};
static const struct doc_column sku_columns[] = {{"sku", "SKU"},
	{"service", "service", .rank = 5}, {"sku_id", NULL, DOC_CODE}, SUMS};
static const struct doc_column resource_columns[] = {{"resource"},
	{"display_name", "resource", DOC_TEXT}, {"project", "project", .rank = 5}, SUMS};

struct week_sum *weekly_sum(struct weekly *w, const char *currency)
{
	for (size_t i = 0; i < w->n_sums; i++)
		if (!strcmp(w->sums[i].currency, currency))
			return &w->sums[i];
	*arena_append(w->a, w->sums, w->n_sums, w->cap_sums) = (struct week_sum){
		.currency = arena_strdup(w->a, currency),
		.cost = SOME(0),
		.credits = SOME(0),
		.before = SOME(0)};
	return &w->sums[w->n_sums - 1];
}

void weekly_amounts(struct weekly *w, struct doc_section *s, struct doc_row *row)
{
	struct week_sum *sum = weekly_sum(w, doc_at(s, row, "currency")->text);
	struct opt_i64 net = section_net(s, row, sum->partial);
	struct doc_cell *before = doc_at(s, row, "net_before"),
			*change = doc_at(s, row, "change");

	before->status = STATUS_NONE;
	if (!w->before_known)
		*before = (struct doc_cell){0};
	*change = cell_money(
		w->ends_early ? NONE : opt_sub(net, cell_value(before)), sum->currency);
	if (sum->partial)
		*change = cell_partial(*change);
}

/* Rows of SKUs before the columns of the previous week are removed. */
static void note_mover(
	struct weekly *w, const struct doc_section *s, const struct doc_row *row)
{
	struct week_sum *sum = weekly_sum(w, doc_at(s, row, "currency")->text);
	struct opt_i64 net = opt_add(
		SOME(doc_at(s, row, "cost")->v), SOME(doc_at(s, row, "credits")->v));
	struct opt_i64 change = opt_sub(net, SOME(doc_at(s, row, "net_before")->v));

	if (!change.set || llabs(change.v) <= llabs(sum->moved))
		return;
	sum->mover = doc_at(s, row, "sku")->text;
	sum->moved = change.v;
}

/* The largest of each currency. Rows are sorted by currency. */
struct top {
	const char *currency;
	size_t n, more;
};

static bool in_top(struct top *t, const char *currency)
{
	t->n = str_eq(t->currency, currency) ? t->n + 1 : 1;
	t->currency = currency;
	t->more += t->n > WEEK_TOP;
	return t->n <= WEEK_TOP;
}

static const char *week_left_out(struct weekly *w, const struct top *t, const char *command)
{
	return t->more ? arena_printf(w->a, "%zu more: %s", t->more, command) : NULL;
}

static void add_by(struct weekly *w, const char *by, struct doc_section *s)
{
	bool sku = !strcmp(by, "sku");
	struct top top = {0};
	struct doc_row *row;
	struct db_rows rows = q_bill_by_read(w, .by = by);

	while ((row = doc_read(s, &rows))) {
		if (sku)
			note_mover(w, s, row);
		weekly_amounts(w, s, row);
		if (sku && !in_top(&top, doc_at(s, row, "currency")->text))
			s->n--;
		if (!strcmp(by, "project") && !doc_at(s, row, "project")->type)
			row->detail = OF_THE_ACCOUNT;
	}
	s->note = week_left_out(w, &top, "tpucost cost --by sku");
}

static void week_add_parts(void *ctx)
{
	static const struct {
		const char *key, *title, *by;
		const struct doc_column *columns;
		int n;
	} parts[] = {
		{"categories", "By category", "category", category_columns,
			ARRAY_LEN(category_columns)},
		{"projects", "By project", "project", project_columns,
			ARRAY_LEN(project_columns)},
		{"skus", "Top SKUs", "sku", sku_columns, ARRAY_LEN(sku_columns)},
	};
	struct weekly *w = ctx;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		add_by(w, parts[i].by,
			doc_section_like(w->doc, parts[i].key, parts[i].title, "costs",
				parts[i].columns, parts[i].n));
}

/* ---- resources --------------------------------------------------------------------------------- */

static int week_by_name(const void *pa, const void *pb)
{
	const struct q_week_resources *a = pa, *b = pb;
	int order = strcmp(a->currency, b->currency);

	if (!order)
		order = strcmp(a->resource, b->resource);
	return order ? order : strcmp(a->project, b->project);
}

/* Sorted by currency, then by cost, most expensive first. */
static int week_by_cost(const void *pa, const void *pb)
{
	const struct q_week_resources *a = pa, *b = pb;
	__int128 x = (__int128)a->cost + a->credits, y = (__int128)b->cost + b->credits;
	int order = strcmp(a->currency, b->currency);

	if (!order)
		order = (x < y) - (x > y);
	return order ? order : week_by_name(a, b);
}

/* A name may have several numbers. */
static void merge_resources(struct weekly *w, struct q_week_resources_rows *rows)
{
	size_t kept = 0;

	if (!rows->n)
		return;
	qsort(rows->v, rows->n, sizeof(*rows->v), week_by_name);
	for (size_t i = 0; i < rows->n; i++) {
		struct q_week_resources *to = kept ? &rows->v[kept - 1] : NULL,
					*x = &rows->v[i];

		if (!to || week_by_name(to, x))
			rows->v[kept++] = *x;
		else if (!nanos_add(to->cost, x->cost, &to->cost) ||
			!nanos_add(to->credits, x->credits, &to->credits) ||
			!nanos_add(to->before, x->before, &to->before))
			err_first(w->e, E_OVERFLOW, TOO_LARGE);
	}
	rows->n = kept;
	qsort(rows->v, rows->n, sizeof(*rows->v), week_by_cost);
}

/* PROJECT/NAME if another project has one of that name, as @NAMED@ of db/gen.awk. */
static const char *week_named(struct weekly *w, const struct q_week_resources_rows *all,
	const struct q_week_resources *q)
{
	for (size_t k = 0; k < all->n; k++)
		if (!strcmp(all->v[k].resource, q->resource) &&
			strcmp(all->v[k].project, q->project) != 0 && *q->project)
			return arena_printf(w->a, "%s/%s", q->project, q->resource);
	return q->resource;
}

static void week_add_resources(void *ctx)
{
	struct weekly *w = ctx;
	struct doc_section *s = w->resources;
	struct q_week_resources_rows rows = q_week_resources_rows(w);
	struct top top = {0};

	merge_resources(w, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const struct q_week_resources *q = &rows.v[i];
		struct doc_row *row;

		if (!in_top(&top, q->currency))
			continue;
		row = doc_row(s);
		*doc_at(s, row, "resource") = cell_text(q->resource);
		*doc_at(s, row, "display_name") = cell_text(week_named(w, &rows, q));
		*doc_at(s, row, "project") = cell_text(*q->project ? q->project : NULL);
		*doc_at(s, row, "cost") = cell_money(SOME(q->cost), q->currency);
		*doc_at(s, row, "credits") = cell_money(SOME(q->credits), q->currency);
		*doc_at(s, row, "net_before") = cell_money(SOME(q->before), q->currency);
		*doc_at(s, row, "currency") = cell_text(q->currency);
		weekly_amounts(w, s, row);
	}
	s->note = week_left_out(w, &top, "tpucost cost --by resource");
}

/* ---- sums by number ---------------------------------------------------------------------------- */

static void week_add_sums(struct weekly *w, bool resources, bill_sums_tell_fn *tell)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};

	bill_sums_add(&sums,
		q_week_rows_read(w, .from = w->from, .first = w->first, .last = w->last,
			.resources = resources),
		TOO_LARGE, w->e);
	bill_sums_show(DB_READER(w), &sums, tell, w);
}

void weekly_costs(struct weekly *w, const struct billing_question *q)
{
	if (w->unknown)
		return;
	week_add_sums(w, false, week_add_parts);
	w->resources = doc_section_like(w->doc, "resources", "Top resources", "costs",
		resource_columns, ARRAY_LEN(resource_columns));
	if (!lines_show(DB_READER(w), w->ask, q, w->resources))
		return;
	week_add_sums(w, true, week_add_resources);
	db_answer_hide(w->db);
}
