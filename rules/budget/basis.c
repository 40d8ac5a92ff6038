/* Sentence about the basis of a budget's figures. */
#include "rules/budget/internal.h"

#include <string.h>

/* ---- accuracy of last week's estimates -------------------------------------------------------- */

#define DAYS 7
#define WORST_MAX 1000 /* twice the bill, or none of it */

/* |a - b| / b in thousandths, up to the cap. */
static int64_t basis_off_by(int64_t a, int64_t b)
{
	__int128 off = ((__int128)a - b) * 1000;

	off = (off < 0 ? -off : off) / b;
	return off < WORST_MAX ? (int64_t)off : WORST_MAX;
}

void budget_set_accuracy(const struct deriving *d, struct billed *out)
{
	const struct row_estimate_error *last = NULL;
	int64_t estimate = 0, billed = 0, off;
	bool mixed = false;

	for (size_t i = 0; i < d->errors.n; i++) { /* the newest day comes first */
		const struct row_estimate_error *x = &d->errors.v[i];

		if (x->billed <= 0)
			continue;
		if (!last || strcmp(x->day, last->day) != 0) {
			if (out->days == DAYS)
				break;
			out->days++;
		}
		mixed = mixed || (last && strcmp(last->currency, x->currency) != 0) ||
			!nanos_add(estimate, x->estimate, &estimate) ||
			!nanos_add(billed, x->billed, &billed);
		last = x;
		off = basis_off_by(x->estimate, x->billed);
		if (off > out->worst)
			out->worst = off;
	}
	if (!out->days || mixed)
		return;
	off = basis_off_by(estimate, billed);
	out->mean = SOME(estimate < billed ? -off : off);
}

/* ---- sentences --------------------------------------------------------------------------------- */

/* "2026-11-20 16:00" in the configured zone */
static void basis_add_time(struct sbuf *b, const struct budget_work *w, ts_t t)
{
	char buf[TZ_TIME_BUF];

	sbuf_adds(b, tz_time(w->d->o->settings->tz, t, buf));
}

static void basis_add_count(struct sbuf *b, size_t n, const char *what)
{
	sbuf_addf(b, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* First and last moment until which projects are billed; TS_NONE: not in the last 14 days. */
struct bill_ends {
	ts_t first, last;
};

static void basis_add_end(struct bill_ends *ends, ts_t t)
{
	if (t == TS_NONE)
		return;
	if (ends->first == TS_NONE || t < ends->first)
		ends->first = t;
	if (t > ends->last)
		ends->last = t;
}

static void basis_add_ends(
	struct sbuf *b, const struct budget_work *w, const struct bill_ends *ends)
{
	if (ends->first == TS_NONE)
		return;
	sbuf_adds(b, "bill until ");
	basis_add_time(b, w, ends->first);
	if (ends->first == ends->last)
		return;
	sbuf_adds(b, " to ");
	basis_add_time(b, w, ends->last);
	sbuf_adds(b, ", depending on project and service");
}

bool budget_billed_late(const struct budget_work *w)
{
	return w->billed->since.set && w->f.starts < w->billed->since.v;
}

/* No project of the budget has recent usage: other projects of the bill may have. */
static void basis_add_rest(struct sbuf *b, const struct budget_work *w)
{
	const struct billed_until *until = w->billed->until;
	struct bill_ends ends = {TS_NONE, TS_NONE};

	for (size_t i = 0; i < until->by_name.n; i++)
		for (size_t k = 0; k < BILLED_SERVICES; k++)
			basis_add_end(&ends, until->v[i][k]);
	basis_add_ends(b, w, &ends);
	if (ends.first == TS_NONE)
		sbuf_adds(b, "bill, which has no usage of the last 14 days");
	else if (!w->projects.n)
		sbuf_adds(b, "; no cost on it counts in this period");
	else
		sbuf_adds(b, "; no usage of the budget's projects in the last 14 days");
}

/* The end of the bill of the projects that the budget counts. */
static void basis_add_bill(struct sbuf *b, const struct budget_work *w)
{
	struct bill_ends ends = {TS_NONE, TS_NONE};
	size_t never = 0;

	for (size_t i = 0; i < w->projects.n; i++) {
		const struct budget_project *p = &w->projects.v[i];
		ts_t t = billed_until_of(w->billed->until, p->name);

		basis_add_end(&ends, t);
		if (p->counts)
			basis_add_end(&ends, p->billed);
		never += t == TS_NONE && p->counts;
	}
	basis_add_ends(b, w, &ends);
	if (never) {
		sbuf_adds(b, ends.first == TS_NONE ? "" : "; ");
		basis_add_count(b, never, "project");
		sbuf_addf(b,
			" without usage on the bill of the last 14 days: their estimate "
			"is limited to those days");
	}
	if (ends.first == TS_NONE && !never)
		basis_add_rest(b, w);
}

static void basis_add_running(struct sbuf *b, const struct budget_work *w)
{
	if (w->f.ends <= w->f.now) {
		sbuf_adds(b,
			w->f.n ? "; what ran until the period ended at "
			       : "; the period ended at ");
		basis_add_time(b, w, w->f.ends);
		return;
	}
	if (!w->resources && w->billed->inventory == INVENTORY_NEVER) {
		sbuf_adds(b,
			"; running resources have not been read yet: the figures are lower "
			"bounds");
		return;
	}
	if (!w->resources) {
		sbuf_adds(b, w->f.n ? "; what ran since; " : "; ");
		sbuf_adds(b, "no running resource counts now");
		return;
	}
	sbuf_adds(b, "; what ran since, and ");
	basis_add_count(b, w->resources, "running resource");
	if (w->lapsing) {
		sbuf_adds(b, ", of which ");
		basis_add_count(b, w->lapsing, "TPU");
		sbuf_addf(b, " %s paid when the grant ends",
			w->lapsing == 1 ? "becomes" : "become");
	}
}

static void basis_add_doubts(struct sbuf *b, const struct budget_work *w)
{
	const char *account = w->billed->first_account;

	if (budget_billed_late(w)) {
		sbuf_addf(b, "; the bill%s%s begins at ",
			account ? " of billing account " : "", account ? account : "");
		basis_add_time(b, w, w->billed->since.v);
		sbuf_adds(b, ", after the period did: the figures are lower bounds");
	}
	if (w->billed->inventory == INVENTORY_PARTLY)
		sbuf_adds(b,
			"; some running resources have not been read completely yet: the "
			"figures are lower bounds");
	if (w->billed->inventory == INVENTORY_OLD) {
		sbuf_adds(b, "; running resources were last read completely at ");
		basis_add_time(b, w, w->billed->read_until);
	}
	if (w->unpriced) {
		sbuf_adds(b, "; ");
		basis_add_count(b, w->unpriced, "resource");
		sbuf_addf(b, " %s no price: the figures are lower bounds",
			w->unpriced == 1 ? "has" : "have");
	}
	if (w->undecided) {
		sbuf_adds(b, "; for ");
		basis_add_count(b, w->undecided, "resource");
		sbuf_adds(
			b, " only a bill can decide whether the condition holds: omitted");
	}
}

static void basis_add_reserved(struct sbuf *b, const struct budget_work *w)
{
	if (w->reservations) {
		sbuf_adds(b, "; the unused part of ");
		basis_add_count(b, w->reservations, "reservation");
	}
	if (w->unused_unknown) {
		sbuf_adds(b, ", omitted for ");
		basis_add_count(b, w->unused_unknown, "reservation");
		sbuf_adds(b, " of unknown use: the figures are lower bounds");
	}
}

static void basis_add_rate(
	struct sbuf *b, const struct budget_work *w, const struct converted *c)
{
	bool one = c->lowest == c->highest;
	const char *to = w->b->amount.cur;
	char rate[NANOS_BUF];

	sbuf_addf(b, "; %s converted to %s at the %s on the bill", c->from, to,
		one ? "rate" : "rates");
	if (strcmp(c->from, "USD") != 0) {
		sbuf_addf(b, ", 1 USD = %s", nanos_format(c->lowest, rate));
		if (!one)
			sbuf_addf(b, " to %s", nanos_format(c->highest, rate));
		sbuf_addf(b, " %s", c->from);
	}
	if (strcmp(to, "USD") != 0)
		sbuf_addf(b, ", 1 USD = %s %s, the newest one", nanos_format(w->rate, rate),
			to);
}

static void basis_add_thousandths(struct sbuf *b, int64_t v)
{
	sbuf_addf(b, "%lld.%lld %%", (long long)(v / 10), (long long)(v % 10));
}

static void basis_add_accuracy(struct sbuf *b, const struct billed *a)
{
	if (!a->days) {
		sbuf_addf(b,
			"; no settled day to compare estimates with yet: the range assumes "
			"an error of %d %%",
			BUDGET_ERROR_ASSUMED / 10);
		return;
	}
	sbuf_adds(b, "; estimates for the last ");
	basis_add_count(b, a->days, "settled day");
	sbuf_adds(b, " were ");
	if (a->mean.set) {
		basis_add_thousandths(b, a->mean.v < 0 ? -a->mean.v : a->mean.v);
		sbuf_adds(b, a->mean.v < 0 ? " too low and " : " too high and ");
	}
	basis_add_thousandths(b, a->worst);
	sbuf_adds(b, " off on the worst of them, like the range");
}

const char *budget_basis(const struct budget_work *w)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (w->broken) {
		sbuf_addf(&b, "unknown: %s", w->broken);
	} else if (w->no_rate) {
		sbuf_addf(&b, "unknown: amounts are in %s and the bill has no rate to %s",
			w->no_rate, w->b->amount.cur);
	} else {
		if (w->f.starts > w->f.now) {
			sbuf_adds(&b, "the period begins at ");
			basis_add_time(&b, w, w->f.starts);
			sbuf_adds(&b, "; ");
		}
		if (w->billed->until->bill)
			basis_add_bill(&b, w);
		else
			sbuf_adds(&b,
				"no bill was read: only running resources, for at most the "
				"last 14 days; the figures are lower bounds");
		basis_add_running(&b, w);
		basis_add_reserved(&b, w);
		basis_add_doubts(&b, w);
		for (size_t i = 0; i < w->converted.n; i++)
			basis_add_rate(&b, w, &w->converted.v[i]);
		if (w->resources || w->reservations || w->f.n)
			basis_add_accuracy(&b, w->billed);
	}
	return arena_strdup(&w->d->arena, b.s);
}
