/* Headline of the daily report, and the subject of its mail. */
#include "base/time/civil.h"
#include "base/str.h"
#include "reports/daily/internal.h"

#include <string.h>

#define NAMED 2 /* of the resources to stop */

/* ---- running resources --------------------------------------------------------------------------------- */

/* Sentences say "about" instead of "~". */
static void say_rate(struct daily *d, const struct sums *sums, struct sbuf *b)
{
	sbuf_adds(b, "about ");
	sums_say(sums, d->ask->settings->currency, "/h", b);
}

/* "Stop tpu-wrong and tpu-vm to save about 106.01 HKD/h", with the verb of their commands: the actions that save most, first. Without an
 * action that saves, nothing. */
static void say_savings(struct daily *d, struct sbuf *b)
{
	const char *named[NAMED] = {NULL};
	struct sums sums = {0};
	bool deletes = false, stops = false;
	size_t n = 0;

	for (size_t i = 0; i < d->n_todo; i++) {
		const struct todo *t = &d->todo[i];

		if (!t->acts || (t->stops && !t->fails) || !todo_saves(t) ||
			!sums_add(&sums, d->a, t->currency, t->saves.v))
			continue; /* a saving that does not fit is in its own row */
		if (n < NAMED)
			named[n] = t->name;
		deletes |= t->deletes;
		stops |= !t->deletes;
		n += 1 + t->also;
	}
	if (!n)
		return;
	sbuf_addf(b, "%s %s",
		!deletes        ? "Stop"
			: stops ? "Stop or delete"
				: "Delete",
		named[0]);
	if (n == 2 && named[1])
		sbuf_addf(b, " and %s", named[1]);
	else if (n > 1)
		sbuf_addf(b, "%s%s and %zu more", named[1] ? ", " : "",
			named[1] ? named[1] : "", n - (named[1] ? 2 : 1));
	sbuf_adds(b, " to save ");
	say_rate(d, &sums, b);
}

/* Without a saving: whether TPUs are covered, and what runs costs. */
static void say_running(struct daily *d, struct sbuf *b)
{
	const struct uncovered *u = d->uncovered.n ? &d->uncovered : &d->spared;
	bool burns = false;

	for (size_t i = 0; i < d->burn_net.n; i++)
		burns |= d->burn_net.v[i].nanos != 0;
	if (u->n) {
		sbuf_addf(b, "%zu %s %s: ", u->n,
			u == &d->spared ? daily_plural(u->n, "uncovered TPU is",
						  "uncovered TPUs are")
					: daily_plural(u->n, "TPU is", "TPUs are"),
			u == &d->spared ? "silenced, on hold or exempt"
					: "not covered by a grant");
		if (u->rate.n)
			say_rate(d, &u->rate, b);
		else
			sbuf_adds(b, "unknown price");
		return;
	}
	if (d->unsure)
		sbuf_adds(b, "No uncovered TPU is known");
	else
		sbuf_adds(b,
			d->n_covered ? "Every running TPU is covered"
				     : "No TPU is running");
	if (burns) {
		sbuf_adds(b, "; the net burn is ");
		say_rate(d, &d->burn_net, b);
		if (d->unknown_prices)
			sbuf_adds(b, " and unknown prices");
	} else if (d->unknown_prices) {
		sbuf_addf(b, "; %zu %s an unknown price", d->unknown_prices,
			daily_plural(d->unknown_prices, "resource has", "resources have"));
	} else if (!d->unsure) {
		sbuf_adds(b, "; no resource costs money now");
	}
}

/* ---- end of grants --------------------------------------------------------------------------------- */

static const struct q_grant_ends *first_end(const struct daily *d)
{
	for (size_t i = 0; i < d->ends.n; i++)
		if (d->ends.v[i].until > d->now && !d->ends.v[i].renewed_by)
			return &d->ends.v[i]; /* in the order of their ends */
	return NULL;
}

/* ---- headline ---------------------------------------------------------------------------------- */

/* "Thu 19 Nov" */
static const char *day_words(struct daily *d, day_t day)
{
	static const char *const weekdays[] = {
		"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	int year, month, dom;

	civil_from_day(day, &year, &month, &dom);
	return arena_printf(
		d->a, "%s %d %s", weekdays[civil_weekday(day)], dom, months[month - 1]);
}

static void add_cost(struct daily *d, struct sbuf *b)
{
	const struct sums *net = &d->bill.net[SPAN_YESTERDAY];

	if (daily_bill_ends(d)) {
		sbuf_addf(b, "bill ends %s",
			day_words(d, tz_day(d->tz, d->bill.end.newest - 1)));
		if (!d->bill.any[SPAN_YESTERDAY])
			return;
		sbuf_adds(b, ", ");
	}
	if (!d->bill.any[SPAN_YESTERDAY]) {
		sbuf_addf(b, "no bill for %s yet", day_words(d, d->today - 1));
		return;
	}
	for (size_t i = 0; i < net->n; i++)
		sbuf_addf(b, "%s%s", i ? " + " : "",
			money_words(d->a, net->v[i].nanos, net->v[i].currency));
	/* Not compared with the day before: at the time of the report the bill of the day is incomplete. */
	sbuf_addf(b, "%s on %s", d->bill.open[SPAN_YESTERDAY] ? " so far" : "",
		day_words(d, d->today - 1));
}

static void headline_add_subject(struct daily *d, struct sbuf *b)
{
	const struct q_grant_ends *g = first_end(d);
	const char *project = d->only_project;
	char left[DURATION_BUF];

	sbuf_adds(b, "[tpucost] ");
	if (project)
		sbuf_addf(b, "%s: ", project);
	if (!d->polled && !d->bill.ever) {
		sbuf_adds(b, "no data yet");
		return;
	}
	if (d->uncovered.n)
		sbuf_addf(b, "%zu %s not covered, ", d->uncovered.n,
			daily_plural(d->uncovered.n, "TPU", "TPUs"));
	add_cost(d, b);
	if (d->n_todo > d->n_follow)
		sbuf_addf(b, ", %zu %s", d->n_todo - d->n_follow,
			daily_plural(d->n_todo - d->n_follow, "action to take",
				"actions to take"));
	if (g && g->until - d->now < DAY_SECONDS)
		sbuf_addf(
			b, ", grant ends in %s", duration_format(g->until - d->now, left));
	else if (g)
		sbuf_addf(b, ", grant %lld %s left",
			(long long)((g->until - d->now) / DAY_SECONDS),
			(g->until - d->now) / DAY_SECONDS == 1 ? "day" : "days");
}

static void say_state(struct daily *d, struct sbuf *b)
{
	if (!d->polled && !d->bill.ever) {
		sbuf_addf(b, "No data has been collected yet; run: %s",
			daily_collects(d) ? "tpucost collect" : "tpucost import");
		return;
	}
	if (!d->polled) {
		sbuf_addf(b, "Only %scosts are known; to read resources: %s",
			d->bill.end.read == TS_NONE ? "imported " : "",
			daily_collects(d) ? "tpucost collect."
					  : "list projects in the configuration.");
		return;
	}
	say_savings(d, b);
	if (!b->len)
		say_running(d, b);
	if (d->unsure && (!d->inventory_unread || d->inventory_from == TS_NONE))
		sbuf_adds(b, "; some sources could not be read: tpucost sources");
	sbuf_addc(b, '.');
}

/* One sentence with one sum, or two in different currencies, of at most 30 words. */
void daily_headline(struct daily *d)
{
	const struct watched inventory = {
		.until = d->inventory_unread ? d->inventory_from : TS_NONE, .unread = true};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	headline_add_subject(d, &b);
	d->doc->subject = arena_strdup(d->a, b.s);
	sbuf_reset(&b);
	say_state(d, &b);
	d->doc->headline = arena_strdup(d->a, b.s);
	d->doc->tone = d->uncovered.n                                        ? TONE_BAD
		: d->n_todo || !d->polled || d->unsure || daily_bill_ends(d) ? TONE_WARN
									     : TONE_GOOD;
	/* + 1: what was read now is known, unless now is the last time at which the clock was right. */
	doc_begin_stale(d->doc, &inventory, d->now + 1, bill_end_stale(&d->bill.end));
}
