/* Observed TPUs and billed TPUs, mapped to the same keys.
 *
 * The bill names a zone or only a region, and a SKU its class or not: the inventory is summed at
 * the precision of the bill, by day and project; one day after the other. */
#include "base/time/civil.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/bill/days.h"
#include "rules/bill/end.h"
#include "rules/derive/internal.h"
#include "rules/bill/reconcile.h"
#include "rules/price/tpu_sku.h"

#include <stdlib.h>
#include <string.h>

#define DAYS 35       /* days that are compared when no period is given */
#define MAX_DAYS 4000 /* in any period */

/* Credits of one type, or savings of one consumption model. */
struct discount {
	const char *name;
	int64_t amount; /* nanos, usually negative */
};

/* One summand, and after merging one row. Strings are "" where there is no value. */
struct cell {
	const struct cov_node *node; /* of the inventory */
	day_t day;
	const char *project, *family, *region, *zone, *provisioning;
	struct rec_case of;     /* sums, until rec_put() fills the other members */
	int64_t why[WHY_CODES]; /* node seconds */
	const char *sku;
	int64_t sku_cost, skus;
	struct discount *discounts;
	size_t n_discounts, cap_discounts;
};

struct rec {
	struct deriving *d;
	struct arena arena; /* of one day: a cell for each of its TPUs and lines */
	struct arena all;   /* of all days */
	day_t first, last;
	ts_t *starts;   /* of the days first..last + 1 */
	struct cell *v; /* of that day, on the heap: each day uses the same */
	size_t n, cap;
	struct bill_known known;
	struct bill_end end;
	/* the bill of all days, and its discounts, in the same order: up to which they were used */
	struct billed_tpu *lines;
	size_t line, n_lines;
	struct q_billed_tpu_discounts *discounts;
	size_t discount, n_discounts;
};

static struct cell *rec_add_cell(struct rec *r)
{
	struct cell *c;

	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->v = xrealloc(r->v, r->cap * sizeof(*r->v));
	}
	c = &r->v[r->n++];
	*c = (struct cell){.project = "",
		.family = "",
		.region = "",
		.zone = "",
		.provisioning = "",
		.sku = "",
		.of = {.currency = "", .chips_known = true, .billed_known = true}};
	return c;
}

/* Sums that leave the range stay at its limit: such figures are visibly wrong. */
static void rec_add(int64_t *sum, int64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = v < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
}

static const char *rec_region_of(struct rec *r, const char *zone)
{
	char buf[REGION_BUF];

	return zone && zone_to_region(zone, buf) ? arena_strdup(&r->arena, buf) : "";
}

/* ---- the inventory ------------------------------------------------------------------------ */

/* The bill of a reservation is compared with what is on demand: only its calendar mode has a SKU. */
static const char *rec_class(enum price_class c)
{
	if (c == PRICE_UNSTATED)
		return "";
	return price_class_name(c == PRICE_RESERVED ? PRICE_ON_DEMAND : c);
}

static const char *rec_class_of(const char *provisioning)
{
	return provisioning ? rec_class(price_class_of(provisioning)) : "";
}

/* TPUs of one project follow one another, and like ones are one cell in the end. */
static bool rec_is_like(const struct cell *c, const struct cov_node *node)
{
	size_t n = strcspn(node->id, "/");

	return c->node == node ||
		(c->node && !strncmp(c->project, node->id, n) && !c->project[n] &&
			str_eq(c->node->family, node->family) &&
			str_eq(c->node->zone, node->zone) &&
			str_eq(c->provisioning, rec_class_of(node->provisioning)));
}

/* Intervals of one TPU follow each other: those of a day are added up. */
static struct cell *rec_cell_of(struct rec *r, const struct cov_node *node, day_t day)
{
	struct cell *c = r->n ? &r->v[r->n - 1] : NULL;

	if (c && c->day == day && rec_is_like(c, node)) {
		c->node = node;
		return c;
	}
	c = rec_add_cell(r);
	c->node = node;
	c->day = day;
	c->project = arena_strndup(&r->arena, node->id, strcspn(node->id, "/"));
	c->family = node->family ? node->family : "";
	c->region = rec_region_of(r, node->zone);
	c->zone = node->zone ? node->zone : "";
	c->provisioning = rec_class_of(node->provisioning);
	return c;
}

static void rec_add_seen(struct cell *cell, const struct cov_row *row, int64_t seconds)
{
	const struct cov_node *node = cell->node;
	struct rec_case *c = &cell->of;
	int64_t chips = 0;

	if (!node->chips.set || __builtin_mul_overflow(node->chips.v, seconds, &chips))
		c->chips_known = false;
	rec_add(row->covered ? &c->covered_seconds : &c->uncovered_seconds, seconds);
	rec_add(row->covered ? &c->covered_chips : &c->uncovered_chips, chips);
	if (!row->covered)
		rec_add(&cell->why[row->why], seconds);
}

static void rec_add_inventory(struct rec *r, day_t day)
{
	const struct deriving *d = r->d;
	ts_t starts = r->starts[day - r->first], ends = r->starts[day - r->first + 1];

	for (size_t i = 0; i < d->n_past_rows; i++) {
		const struct cov_row *row = &d->past_rows[i];
		ts_t from = row->starts > starts ? row->starts : starts;
		ts_t to = row->ends < ends ? row->ends : ends;

		if (from < to)
			rec_add_seen(rec_cell_of(r, &d->past.nodes[row->node], day), row,
				to - from);
	}
}

/* ---- the bill ----------------------------------------------------------------------------- */

/* Zone and region if the line has them; "us" and "global" are neither. */
static void rec_place_cell(struct rec *r, struct cell *c, const struct billed_tpu *q)
{
	const char *zone = *q->zone ? q->zone : q->location;
	char buf[REGION_BUF];

	if (zone_to_region(zone, buf)) {
		c->zone = zone;
		c->region = arena_strdup(&r->arena, buf);
		return;
	}
	if (*q->region)
		c->region = q->region;
	else if (strchr(q->location, '-'))
		c->region = q->location;
}

static void rec_add_discount(struct rec *r, struct cell *c, const struct discount *d)
{
	for (size_t i = 0; i < c->n_discounts; i++)
		if (!strcmp(c->discounts[i].name, d->name)) {
			rec_add(&c->discounts[i].amount, d->amount);
			return;
		}
	*arena_append(&r->arena, c->discounts, c->n_discounts, c->cap_discounts) = *d;
}

/* "PROMOTION -2, SUSTAINED_USAGE_DISCOUNT -0.5"; NULL: none. */
static const char *rec_discounts(struct rec *r, const struct cell *c)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char amount[NANOS_BUF];

	for (size_t i = 0; i < c->n_discounts; i++)
		if (c->discounts[i].amount)
			sbuf_addf(&b, "%s%s %s", b.len ? ", " : "", c->discounts[i].name,
				nanos_format(c->discounts[i].amount, amount));
	return b.len ? arena_strdup(&r->arena, b.s) : NULL;
}

/* NULL: a commitment, which is not usage of TPUs. */
static struct cell *rec_add_line(struct rec *r, const struct billed_tpu *q)
{
	struct tpu_sku sku;
	struct cell *c;

	tpu_sku_read(q->sku, &sku);
	if (sku.commitment)
		return NULL;
	c = rec_add_cell(r);
	c->day = q->day;
	c->project = q->project;
	c->family = sku.family ? sku.family : "";
	rec_place_cell(r, c, q);
	c->provisioning = rec_class(sku.class);
	c->sku = q->sku;
	c->sku_cost = q->cost;
	c->skus = 1;
	c->of.currency = q->currency;
	c->of.billed = true;
	c->of.usage = q->usage.set ? q->usage.v : 1;
	c->of.billed_known = q->usage.set &&
		(!q->usage.v ||
			tpu_sku_chip_hours(&sku, q->unit, q->usage.v, &c->of.billed_chips));
	c->of.cost = q->cost;
	c->of.credits = q->credits;
	c->of.promo = q->promo;
	c->of.discount = q->discount;
	return c;
}

/* The order of both lists: the columns that they share. */
static int rec_order(const struct billed_tpu *l, const struct q_billed_tpu_discounts *d)
{
	const char *const names[][2] = {{l->project, d->project}, {l->sku, d->sku},
		{l->location, d->location}, {l->region, d->region}, {l->zone, d->zone},
		{l->currency, d->currency}};
	int order = (l->day > d->day) - (l->day < d->day);

	for (size_t i = 0; !order && i < ARRAY_LEN(names); i++)
		order = strcmp(names[i][0], names[i][1] ? names[i][1] : "");
	return order;
}

static enum err_code rec_read_bill(struct rec *r, struct err *e)
{
	struct q_billed_tpu_discounts_in in = {.first = r->first, .last = r->last};

	return billed_tpus_read(
		       r->d->db, r->first, r->last, &r->all, &r->lines, &r->n_lines, e) ||
			q_billed_tpu_discounts_all(
				r->d->db, &in, &r->all, &r->discounts, &r->n_discounts, e)
		? e->code
		: E_OK;
}

static void rec_add_bill(struct rec *r, day_t day)
{
	for (; r->line < r->n_lines && r->lines[r->line].day == day; r->line++) {
		const struct billed_tpu *l = &r->lines[r->line];
		struct cell *c = rec_add_line(r, l);

		for (; r->discount < r->n_discounts; r->discount++) {
			const struct q_billed_tpu_discounts *d = &r->discounts[r->discount];
			struct discount one = {.name = d->name, .amount = d->nanos};
			int order = rec_order(l, d);
			int64_t nanos;

			if (order < 0)
				break;
			/* amounts that are too large are so in the line, too */
			if (!c || order || !nanos_muldiv(d->units, NANOS, 1, &nanos))
				continue;
			rec_add(&one.amount, nanos);
			rec_add_discount(r, c, &one);
		}
	}
}

/* ---- matching ----------------------------------------------------------------------------- */

static int rec_compare_bucket(const struct cell *a, const struct cell *b)
{
	int order = i64_order(a->day, b->day);

	if (!order)
		order = strcmp(a->project, b->project);
	return order ? order : strcmp(a->family, b->family);
}

static int rec_compare_place(const struct cell *a, const struct cell *b)
{
	int order = rec_compare_bucket(a, b);

	if (!order)
		order = strcmp(a->region, b->region);
	if (!order)
		order = strcmp(a->zone, b->zone);
	return order ? order : strcmp(a->provisioning, b->provisioning);
}

static int rec_compare_cells(const void *pa, const void *pb)
{
	const struct cell *a = pa, *b = pb;
	int order = rec_compare_place(a, b);

	return order ? order : strcmp(a->of.currency, b->of.currency);
}

/* Within a day, project and generation, cells are only distinguished by what all of them have: the
 * place, the zone of a region, the class. */
static void rec_level(struct cell *v, size_t n)
{
	bool no_region = false, no_class = false;

	for (size_t i = 0; i < n; i++) {
		no_region = no_region || !*v[i].region;
		no_class = no_class || !*v[i].provisioning;
	}
	for (size_t i = 0; i < n; i++) {
		if (no_region)
			v[i].region = v[i].zone = "";
		if (no_class)
			v[i].provisioning = "";
	}
	qsort(v, n, sizeof(*v), rec_compare_cells);
	/* sorted: in a region, cells without a zone come first */
	for (size_t i = 1; i < n; i++)
		if (!strcmp(v[i].region, v[i - 1].region) && !*v[i - 1].zone)
			v[i].zone = "";
	qsort(v, n, sizeof(*v), rec_compare_cells);
}

static void rec_merge(struct rec *r, struct cell *cell, const struct cell *with)
{
	struct rec_case *into = &cell->of;
	const struct rec_case *c = &with->of;

	rec_add(&into->covered_seconds, c->covered_seconds);
	rec_add(&into->uncovered_seconds, c->uncovered_seconds);
	rec_add(&into->covered_chips, c->covered_chips);
	rec_add(&into->uncovered_chips, c->uncovered_chips);
	into->chips_known = into->chips_known && c->chips_known;
	for (size_t i = 0; i < WHY_CODES; i++)
		rec_add(&cell->why[i], with->why[i]);
	if (!c->billed)
		return;
	if (!into->billed || llabs(with->sku_cost) > llabs(cell->sku_cost)) {
		cell->sku = with->sku;
		cell->sku_cost = with->sku_cost;
	}
	into->billed = true;
	into->currency = c->currency;
	into->billed_known = into->billed_known && c->billed_known;
	into->usage = into->usage || c->usage;
	rec_add(&into->billed_chips, c->billed_chips);
	rec_add(&into->cost, c->cost);
	rec_add(&into->credits, c->credits);
	rec_add(&into->promo, c->promo);
	rec_add(&into->discount, c->discount);
	cell->skus += with->skus;
	for (size_t i = 0; i < with->n_discounts; i++)
		rec_add_discount(r, cell, &with->discounts[i]);
}

/* ---- rows --------------------------------------------------------------------------------- */

static const char *rec_worst(const struct cell *c)
{
	size_t best = WHY_COVERED;

	for (size_t i = 0; i < WHY_CODES; i++)
		if (c->why[i] > c->why[best])
			best = i;
	return c->why[best] ? why_name((enum why)best) : NULL;
}

static bool rec_grant_is_for(struct rec *r, const struct cell *c, const struct grant *g)
{
	ts_t starts = r->starts[c->day - r->first], ends = r->starts[c->day - r->first + 1];

	return str_eq(g->family, c->family) && (g->starts == TS_NONE || g->starts < ends) &&
		(g->until == TS_NONE || g->until > starts) &&
		(!*c->provisioning ||
			str_eq(rec_class_of(g->provisioning), c->provisioning)) &&
		(*c->zone ? str_eq(g->zone, c->zone)
			  : !*c->region || str_eq(rec_region_of(r, g->zone), c->region));
}

static bool rec_granted(struct rec *r, const struct cell *c)
{
	const struct settings *s = r->d->o->settings;

	for (size_t i = 0; i < s->n_grants; i++)
		if (rec_grant_is_for(r, c, &s->grants[i]))
			return true;
	return false;
}

static const char *rec_or_null(const char *s)
{
	return *s ? s : NULL;
}

static enum err_code rec_put(
	struct rec *r, const struct cell *c, bool others_unknown, struct err *e)
{
	struct rec_case rc = c->of;
	struct rec_finding f;
	char date[DATE_BUF];
	struct row_reconcile_part in = {.day = date_format(c->day, date),
		.project = rec_or_null(c->project),
		.family = rec_or_null(c->family),
		.location = rec_or_null(*c->zone ? c->zone : c->region),
		.provisioning = rec_or_null(c->provisioning),
		.skus = c->skus};

	rc.status = rec_status_at(r->starts[c->day - r->first + 1],
		bill_known_until(&r->known, c->project, c->day), r->d->o->now);
	/* If nothing of that day or later is on the bill, Google may have stopped writing it. */
	if (!rc.billed && rc.uncovered_chips > 0 &&
		bill_end_before(&r->end, r->starts[c->day - r->first] + 1))
		rc.status = REC_PARTIAL;
	rc.why = in.why = rec_worst(c);
	rc.granted = rec_granted(r, c);
	rc.family_known = *c->family;
	rc.others_unknown = others_unknown;
	rc.billed_known = rc.billed && rc.billed_known;
	f = reconcile(&rc, &r->arena);
	/* If the bill ends in that day, the rest may follow, too. */
	if (f.verdict == REC_NOT_IN_BILL &&
		bill_end_before(&r->end, r->starts[c->day - r->first + 1])) {
		rc.status = REC_PARTIAL;
		f = reconcile(&rc, &r->arena);
	}
	in.status = rec_status_name(rc.status);
	in.verdict = rec_verdict_name(f.verdict);
	in.text = f.text;
	if (rc.chips_known) {
		in.covered = SOME(rc.covered_chips);
		in.uncovered = SOME(rc.uncovered_chips);
	}
	if (rc.billed) {
		in.billed = rc.billed_known ? SOME(rc.billed_chips) : NONE;
		in.sku = c->sku;
		in.cost = SOME(rc.cost);
		in.credits = SOME(rc.credits);
		in.promo = SOME(rc.promo);
		in.list_cost = SOME(rc.cost);
		rec_add(&in.list_cost.v, rc.discount);
		in.currency = rc.currency;
		in.discounts = rec_discounts(r, c);
	}
	return derived_put_reconcile_part(r->d->db, &in, e);
}

/* Cells of one place: what was observed there is compared with the bill in each currency. */
static enum err_code rec_put_place(
	struct rec *r, struct cell *v, size_t n, bool others_unknown, struct err *e)
{
	struct cell seen = v[0];
	size_t i = 0;

	while (++i < n && !v[i].of.billed && !v[0].of.billed)
		rec_merge(r, &seen, &v[i]);
	if (v[0].of.billed)
		i = 0;
	if (i == n)
		return rec_put(r, &seen, others_unknown, e);
	while (i < n) {
		struct cell row = v[i];
		const char *currency = v[i].of.currency;

		while (++i < n && !strcmp(v[i].of.currency, currency))
			rec_merge(r, &row, &v[i]);
		if (!v[0].of.billed)
			rec_merge(r, &row, &seen);
		if (rec_put(r, &row, others_unknown, e))
			return e->code;
	}
	return E_OK;
}

/* Cells of one day, project and generation. */
static enum err_code rec_put_bucket(
	struct rec *r, struct cell *v, size_t n, bool others_unknown, struct err *e)
{
	rec_level(v, n);
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (end < n && !rec_compare_place(&v[i], &v[end]))
			end++;
		if (rec_put_place(r, &v[i], end - i, others_unknown, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code rec_put_day(struct rec *r, struct err *e)
{
	const struct cell *unknown = NULL; /* a bucket without family, which comes first */

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), rec_compare_cells);
	for (size_t i = 0, end; i < r->n; i = end) {
		const struct cell *c = &r->v[i];

		for (end = i + 1; end < r->n && !rec_compare_bucket(c, &r->v[end]); end++)
			;
		if (unknown &&
			(unknown->day != c->day ||
				strcmp(unknown->project, c->project) != 0))
			unknown = NULL;
		for (size_t k = i; !*c->family && k < end; k++)
			if (r->v[k].of.billed)
				unknown = &r->v[k];
		if (rec_put_bucket(r, &r->v[i], end - i, unknown != NULL, e))
			return e->code;
	}
	return E_OK;
}

/* Choose the days to compare, and the beginning of each: none in a period that has not begun. */
static void rec_choose_days(struct rec *r)
{
	const struct derive_opts *o = r->d->o;
	const struct tz *tz = o->settings->tz;
	ts_t until = derive_until(o);

	r->last = tz_day(tz, until - 1);
	r->first = o->since == TS_NONE ? tz_day(tz, o->now) - DAYS + 1
				       : tz_day(tz, o->since);
	if (r->first > r->last && o->since != TS_NONE)
		return;
	if (r->first > r->last)
		r->first = r->last;
	if (r->first < r->last - MAX_DAYS)
		r->first = r->last - MAX_DAYS;
	r->starts = arena_alloc(
		&r->all, (size_t)(r->last - r->first + 2) * sizeof(*r->starts));
	for (day_t day = r->first; day <= r->last + 1; day++)
		r->starts[day - r->first] = tz_day_start(tz, day);
}

enum err_code derive_reconcile(struct deriving *d, struct err *e)
{
	struct rec r = {.d = d};
	enum err_code rc;

	rec_choose_days(&r);
	if (!r.starts)
		return E_OK;
	rc = bill_end_find(d->db, d->o->settings->tz, d->o->now, &r.all, &r.end, e);
	if (!rc)
		rc = rec_read_bill(&r, e);
	if (!rc)
		rc = bill_known_load(d->db, &r.all, r.first, r.last, &r.known, e);
	for (day_t day = r.first; !rc && day <= r.last; day++) {
		rec_add_bill(&r, day);
		rec_add_inventory(&r, day);
		rc = rec_put_day(&r, e);
		arena_reset(&r.arena);
		r.n = 0;
	}
	free(r.v);
	arena_done(&r.arena);
	arena_done(&r.all);
	return rc;
}
