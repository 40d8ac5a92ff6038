/* Resources of the week: their owners, and the part of the TPUs that grants paid. */
#include "base/money.h"
#include "base/str.h"
#include "reports/weekly/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct doc_column owner_columns[] = {
	{"owner", "owner"},
	{"net", "net"},
	{"gross", "list price", .rank = 1},
	{"resources", "resources", DOC_INT, .rank = 1},
	{"unpriced_hours", "hours without a price", DOC_DECIMAL, 1, 2},
	{"currency"},
};

void weekly_owners(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "owners", "By owner",
		"coverage_totals", owner_columns, ARRAY_LEN(owner_columns));

	s->note = watched_until(&w->watched, w->ends)
		? "Resources at today's list prices; billed: tpucost cost --by owner."
		: "Resources until they were last read, at today's list prices; billed: "
		  "tpucost cost --by owner.";
	for (size_t i = 0; i < w->period.n_owners; i++) {
		const struct period_owner *o = &w->period.owners[i];
		struct doc_row *row = doc_row(s);

		*doc_at(s, row, "owner") = cell_text(o->owner);
		*doc_at(s, row, "net") = cell_estimate(cell_money(o->net, o->currency));
		*doc_at(s, row, "gross") = cell_estimate(cell_money(o->gross, o->currency));
		*doc_at(s, row, "resources") = cell_int(o->resources);
		if (o->unpriced)
			*doc_at(s, row, "unpriced_hours") = cell_decimal(
				nano_hours(SOME(o->unpriced)));
		*doc_at(s, row, "currency") = cell_text(o->currency);
		if (!o->owner)
			row->detail = "Resources without an owner.";
	}
}

/* ---- TPUs --------------------------------------------------------------------------------- */

static const struct doc_column tpu_columns[] = {
	{"grant_name", "grant"},
	{"covered", "free"},
	{"why", "why"},
	{"tpus", "TPUs", .rank = 2},
	{"chip_hours", "chip-hours", .digits = 1, .rank = 1},
	{"gross", "list price", .rank = 3},
	{"saved", "saved", .rank = 1},
	{"net", "payable"},
	{"currency"},
};

struct group {
	const char *grant, *currency, *last;
	enum why why;
	bool covered;
	int64_t tpus;
	struct opt_i64 chip_seconds, gross;
};

struct groups {
	struct group *v;
	size_t n, cap;
};

static struct group *week_group_of(
	struct weekly *w, struct groups *g, const struct period_tpu *t)
{
	const char *grant = t->covered ? w->ask->settings->grants[t->grant].name : NULL;

	for (size_t i = 0; i < g->n; i++)
		if (str_eq(g->v[i].grant, grant) && g->v[i].why == t->why &&
			str_eq(g->v[i].currency, t->currency))
			return &g->v[i];
	*arena_push(w->a, g) = (struct group){.grant = grant,
		.currency = t->currency,
		.last = "",
		.why = t->why,
		.covered = t->covered,
		.chip_seconds = SOME(0),
		.gross = SOME(0)};
	return &g->v[g->n - 1];
}

/* Covered first, by grant; then by reason. */
static int compare_groups(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int order = strcmp(a->grant ? a->grant : "", b->grant ? b->grant : "");

	if (a->covered != b->covered)
		return a->covered ? -1 : 1;
	if (!order)
		order = (a->why > b->why) - (a->why < b->why);
	return order
		? order
		: strcmp(a->currency ? a->currency : "~", b->currency ? b->currency : "~");
}

static void collect(struct weekly *w, struct groups *g)
{
	for (size_t i = 0; i < w->period.n_tpus; i++) {
		const struct period_tpu *t = &w->period.tpus[i];
		struct group *x = week_group_of(w, g, t);

		if (strcmp(x->last, t->id) != 0)
			x->tpus++;
		x->last = t->id;
		x->chip_seconds = opt_add(x->chip_seconds, t->chip_seconds);
		x->gross = opt_add(x->gross, t->gross);
	}
	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), compare_groups);
}

/* " and 8.00 USD": the list price of TPUs that grants pay, or do not pay, in each currency; `first`
 * precedes the first amount. An unpaid amount of zero is omitted. */
static bool say_gross(struct weekly *w, const struct groups *g, bool covered,
	const char *first, struct sbuf *b)
{
	bool said = false;

	for (size_t i = 0; i < g->n; i++) {
		const char *currency = g->v[i].currency;
		struct opt_i64 sum = SOME(0);
		bool repeated = false;

		for (size_t k = 0; k < g->n; k++) {
			if (g->v[k].covered != covered ||
				!str_eq(g->v[k].currency, currency))
				continue;
			repeated |= k < i;
			sum = opt_add(sum, g->v[k].gross);
		}
		if (g->v[i].covered != covered || !currency || repeated || !sum.set ||
			(!covered && !sum.v))
			continue;
		sbuf_addf(b, "%s %s", said ? " and" : first,
			money_words(w->a, sum.v, currency));
		said = true;
	}
	return said;
}

/* "384.0 TPU chip-hours were free, worth about 1536.00 USD at list prices." */
static void week_say_saved(struct weekly *w, const struct groups *g, struct sbuf *b)
{
	struct opt_i64 seconds = SOME(0), hours;
	char num[NANOS_BUF];
	bool said;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].covered)
			seconds = opt_add(seconds, g->v[i].chip_seconds);
	hours = nano_hours(seconds);
	if (hours.set && !hours.v)
		return;
	if (hours.set)
		sbuf_addf(b, "%s TPU chip-hours were free",
			nanos_format_fixed(hours.v, 1, num));
	else
		sbuf_adds(b, "TPUs were free");
	said = say_gross(w, g, true, ", worth about", b);
	sbuf_adds(b, said ? " at list prices. " : ". ");
}

static const char *no_tpus(const struct weekly *w)
{
	if (watched_all(&w->watched, w->starts, w->ends))
		return "No TPU was running.";
	if (watched_any(&w->watched, w->starts, w->ends))
		return "No TPU was seen.";
	return "Resources were not collected in this week (run: tpucost collect).";
}

static const char *watched_note(const struct weekly *w)
{
	const struct watched *x = &w->watched;
	bool from = watched_from(x, w->starts), until = watched_until(x, w->ends);

	if (!watched_any(x, w->starts, w->ends) || (from && until))
		return NULL;
	return arena_printf(w->a, "TPUs %s collected %s%s; %s%s%s.",
		until ? "have been" : "were", from ? "" : "without gaps ",
		watched_words(w->doc, x, w->starts, w->ends),
		from ? "" : "some earlier use may be missing",
		from || until ? "" : ", and ",
		until ? "" : "later use is unknown and not counted");
}

void weekly_tpus(struct weekly *w)
{
	struct doc_section *s = doc_section_like(w->doc, "tpus", "TPUs and grants",
		"coverage_totals", tpu_columns, ARRAY_LEN(tpu_columns));
	const char *watched = watched_note(w);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct groups g = {0};

	s->empty = no_tpus(w);
	collect(w, &g);
	for (size_t i = 0; i < g.n; i++) {
		const struct group *x = &g.v[i];
		struct doc_row *row = doc_row(s);
		struct doc_cell gross = cell_estimate(cell_money(x->gross, x->currency)),
				none = cell_estimate(cell_money(SOME(0), x->currency));

		*doc_at(s, row, "grant_name") = cell_text(x->grant);
		*doc_at(s, row, "covered") = cell_flag(x->covered);
		*doc_at(s, row, "why") = cell_text(why_name(x->why));
		*doc_at(s, row, "tpus") = cell_int(x->tpus);
		*doc_at(s, row, "chip_hours") = cell_decimal(nano_hours(x->chip_seconds));
		*doc_at(s, row, "gross") = gross;
		*doc_at(s, row, "saved") = x->covered ? gross : none;
		*doc_at(s, row, "net") = x->covered ? none : cell_toned(gross, TONE_BAD);
		*doc_at(s, row, "currency") = cell_text(x->currency);
	}
	if (say_gross(w, &g, false, "Uncovered TPUs cost about", &b)) {
		sbuf_adds(&b, " at list prices. ");
		w->doc->tone = TONE_WARN;
	}
	week_say_saved(w, &g, &b);
	if (watched)
		sbuf_adds(&b, watched);
	else if (b.len)
		sbuf_trunc(&b, b.len - 1);
	s->note = b.len ? arena_strdup(w->a, b.s) : NULL;
}
