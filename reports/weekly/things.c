/* What ran in the week: whose it was, and what grants paid of the TPUs. */
#include "base/money.h"
#include "base/str.h"
#include "reports/weekly/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct doc_column owner_columns[] = {
	{"owner", "owner", DOC_TEXT, 0, 0},
	{"net", "net", DOC_MONEY, -1, 0},
	{"gross", "list price", DOC_MONEY, -1, 1},
	{"resources", "resources", DOC_INT, 0, 1},
	{"unpriced_hours", "hours without a price", DOC_DECIMAL, 1, 2},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

void weekly_owners(struct weekly *w)
{
	struct doc_section *s = doc_section(
		w->doc, "owners", "By owner", owner_columns, ARRAY_LEN(owner_columns));

	s->note = watched_until(&w->watched, w->ends)
		? "What was seen, at today's list prices; the bill does not say whose it "
		  "is."
		: "What was seen, until it was last seen, at today's list prices; the bill "
		  "does not say whose it is.";
	for (size_t i = 0; i < w->period.n_owners; i++) {
		const struct period_owner *o = &w->period.owners[i];
		struct doc_row *row = doc_row(w->doc, s);
		struct doc_cell *c = row->cells;

		c[0] = cell_text(o->owner);
		c[1] = cell_estimate(cell_money(o->net, o->currency));
		c[2] = cell_estimate(cell_money(o->gross, o->currency));
		c[3] = cell_int(o->resources);
		if (o->unpriced)
			c[4] = cell_decimal(nano_hours(SOME(o->unpriced)));
		c[5] = cell_text(o->currency);
		if (!o->owner)
			row->detail = "Things that carry nobody's name.";
	}
}

/* ---- TPUs --------------------------------------------------------------------------------- */

static const struct doc_column tpu_columns[] = {
	{"grant_name", "grant", DOC_TEXT, 0, 0},
	{"covered", "free", DOC_FLAG, 0, 0},
	{"why", "why", DOC_TEXT, 0, 0},
	{"tpus", "TPUs", DOC_INT, 0, 2},
	{"chip_hours", "chip-hours", DOC_DECIMAL, 1, 1},
	{"gross", "list price", DOC_MONEY, -1, 3},
	{"saved", "saved", DOC_MONEY, -1, 1},
	{"net", "to pay", DOC_MONEY, -1, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
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

static struct group *group_of(
	struct weekly *w, struct groups *g, const struct period_tpu *t)
{
	const char *grant = t->covered ? w->ask->settings->grants[t->grant].name : NULL;

	for (size_t i = 0; i < g->n; i++)
		if (str_eq(g->v[i].grant, grant) && g->v[i].why == t->why &&
			str_eq(g->v[i].currency, t->currency))
			return &g->v[i];
	g->v = arena_grow(w->a, g->v, g->n, &g->cap, sizeof(*g->v));
	g->v[g->n] = (struct group){.grant = grant,
		.currency = t->currency,
		.last = "",
		.why = t->why,
		.covered = t->covered,
		.chip_seconds = SOME(0),
		.gross = SOME(0)};
	return &g->v[g->n++];
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
		struct group *x = group_of(w, g, t);

		if (strcmp(x->last, t->id) != 0)
			x->tpus++;
		x->last = t->id;
		x->chip_seconds = opt_add(x->chip_seconds, t->chip_seconds);
		x->gross = opt_add(x->gross, t->gross);
	}
	if (g->n)
		qsort(g->v, g->n, sizeof(*g->v), compare_groups);
}

/* "384.0 TPU chip-hours were free, which saved 1536.00 USD~." */
static void say_saved(struct weekly *w, const struct groups *g, struct sbuf *headline)
{
	struct opt_i64 seconds = SOME(0), hours;
	char num[NANOS_BUF];
	size_t said = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].covered)
			seconds = opt_add(seconds, g->v[i].chip_seconds);
	hours = nano_hours(seconds);
	if (hours.set && !hours.v)
		return;
	if (hours.set)
		sbuf_addf(headline, "%s TPU chip-hours were free",
			nanos_format_fixed(hours.v, 1, num));
	else
		sbuf_adds(headline, "TPUs were free");
	for (size_t i = 0; i < g->n; i++) {
		const char *currency = g->v[i].currency;
		struct opt_i64 saved = SOME(0);
		bool first = true;

		if (!g->v[i].covered || !currency)
			continue;
		for (size_t k = 0; k < g->n; k++) {
			if (!g->v[k].covered || !str_eq(g->v[k].currency, currency))
				continue;
			first &= k >= i;
			saved = opt_add(saved, g->v[k].gross);
		}
		if (!first || !saved.set)
			continue;
		sbuf_addf(headline, "%s %s", said++ ? " and" : ", worth about",
			money_words(w->a, saved.v, currency));
	}
	sbuf_adds(headline, said ? " at list prices. " : ". ");
}

/* "TPUs outside of the grants cost about 8.00 USD." */
static void say_paid(struct weekly *w, const struct groups *g, struct sbuf *headline)
{
	size_t said = 0;

	for (size_t i = 0; i < g->n; i++) {
		const char *currency = g->v[i].currency;
		struct opt_i64 paid = SOME(0);
		bool first = true;

		if (g->v[i].covered || !currency)
			continue;
		for (size_t k = 0; k < g->n; k++) {
			if (g->v[k].covered || !str_eq(g->v[k].currency, currency))
				continue;
			first &= k >= i;
			paid = opt_add(paid, g->v[k].gross);
		}
		if (!first || !paid.set || !paid.v)
			continue;
		sbuf_addf(headline, "%s %s",
			said++ ? " and" : "TPUs outside of the grants cost about",
			money_words(w->a, paid.v, currency));
	}
	if (!said)
		return;
	sbuf_adds(headline, " at list prices. ");
	w->doc->tone = TONE_WARN;
}

/* Was any of the week watched, and all of it? */
static bool watched_any(const struct weekly *w)
{
	const struct watched *x = &w->watched;

	return x->since != TS_NONE && x->since < w->ends &&
		(x->until == TS_NONE || x->until > w->starts);
}

static bool watched_all(const struct weekly *w)
{
	return watched_any(w) && w->watched.since <= w->starts &&
		watched_until(&w->watched, w->ends);
}

static const char *no_tpus(const struct weekly *w)
{
	if (watched_all(w))
		return "No TPU ran.";
	if (watched_any(w))
		return "No TPU was seen.";
	return "What ran was not being collected (run: tpucost collect).";
}

static const char *watched_note(const struct weekly *w)
{
	const struct watched *x = &w->watched;
	const char *since;

	if (!watched_any(w) || watched_all(w))
		return NULL;
	since = moment_text(w->doc, x->since);
	if (watched_until(x, w->ends))
		return arena_printf(w->a,
			"TPUs have been watched without a pause since %s; of the time "
			"before, some may be missing.",
			since);
	if (x->since <= w->starts)
		return arena_printf(w->a,
			"TPUs were watched until %s; what ran later is not known and not "
			"counted.",
			moment_text(w->doc, x->until));
	return arena_printf(w->a,
		"TPUs were watched without a pause from %s until %s; of the time before, "
		"some may be missing, and what ran later is not known and not counted.",
		since, moment_text(w->doc, x->until));
}

void weekly_tpus(struct weekly *w, struct sbuf *headline)
{
	struct doc_section *s = doc_section(
		w->doc, "tpus", "TPUs and grants", tpu_columns, ARRAY_LEN(tpu_columns));
	struct groups g = {0};

	s->empty = no_tpus(w);
	collect(w, &g);
	for (size_t i = 0; i < g.n; i++) {
		const struct group *x = &g.v[i];
		struct doc_cell *c = doc_row(w->doc, s)->cells;

		c[0] = cell_text(x->grant);
		c[1] = cell_flag(x->covered);
		c[2] = cell_text(why_name(x->why));
		c[3] = cell_int(x->tpus);
		c[4] = cell_decimal(nano_hours(x->chip_seconds));
		c[5] = cell_estimate(cell_money(x->gross, x->currency));
		c[6] = cell_estimate(
			cell_money(x->covered ? x->gross : SOME(0), x->currency));
		c[7] = cell_estimate(
			cell_money(x->covered ? SOME(0) : x->gross, x->currency));
		c[8] = cell_text(x->currency);
		if (!x->covered)
			c[7] = cell_toned(c[7], TONE_BAD);
	}
	say_paid(w, &g, headline);
	say_saved(w, &g, headline);
	s->note = watched_note(w);
	if (!watched_until(&w->watched, w->ends))
		w->doc->tone = TONE_WARN;
}
