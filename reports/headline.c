/* The daily report in a few sentences, and in the subject of a mail. */
#include "base/time/civil.h"
#include "base/money.h"
#include "reports/daily/internal.h"

#include <string.h>

#define SOON (7 * DAY_SECONDS)

/* ---- how old it is ----------------------------------------------------------------------------- */

/* What is old, and since when; NULL: nothing is. */
static const char *stale_words(struct daily *d)
{
	bool inventory = d->inventory_unread && d->inventory_from != TS_NONE;
	bool billing = d->billing_unread && d->billing_from != TS_NONE;
	ts_t since = inventory && (!billing || d->inventory_from < d->billing_from)
		? d->inventory_from
		: d->billing_from;

	if (!inventory && !billing)
		return NULL;
	return arena_printf(d->a, "DATA STALE since %s", moment_text(d->doc, since));
}

static void headline_say_stale(struct daily *d, struct sbuf *b)
{
	const char *words = stale_words(d);

	if (words)
		sbuf_addf(b, "%s; %s. ", words,
			d->inventory_unread && d->billing_unread
				? "neither what runs nor the bill was read since"
				: d->inventory_unread ? "what runs now is not known"
						      : "the bill was not read since");
	else if (d->unsure)
		sbuf_adds(b, "Not everything could be read lately: tpucost sources. ");
}

/* ---- what runs --------------------------------------------------------------------------------- */

/* In sentences, "about" stands for "~". */
static void say_rates(const struct sums *sums, struct sbuf *b)
{
	sbuf_adds(b, "about ");
	sums_words(sums, "/h", b);
}

static void say_count(struct sbuf *b, size_t n, const char *one, const char *many,
	const struct sums *sums)
{
	sbuf_addf(b, "%zu %s ", n, n == 1 ? one : many);
	if (sums->n)
		say_rates(sums, b);
	else
		sbuf_adds(b, "at a price that is not known");
	sbuf_adds(b, ". ");
}

static bool burns(const struct daily *d)
{
	for (size_t i = 0; i < d->burn_net.n; i++)
		if (d->burn_net.v[i].nanos)
			return true;
	return false;
}

/* Machines that a rule calls forgotten. */
static void say_idle(struct daily *d, struct sbuf *b)
{
	const char *rule = daily_rule_named(d, "vm-forgotten");
	struct sums sums = {0};
	size_t n = 0;

	for (size_t i = 0; i < d->n_todo; i++) {
		const struct todo *t = &d->todo[i];

		if (!daily_has_word(t->rules, rule))
			continue;
		n++;
		if (t->saves.set && t->currency &&
			!sums_add(&sums, d->a, t->currency, t->saves.v))
			return; /* what does not fit is in its own row */
	}
	if (n)
		say_count(b, n, "of them is idle:", "of them are idle:", &sums);
}

static void say_running(struct daily *d, struct sbuf *b)
{
	if (d->inventory_unread && d->inventory_from != TS_NONE &&
		(d->n_uncovered || d->n_machines))
		sbuf_adds(b, "When last seen: ");
	if (d->n_uncovered)
		say_count(b, d->n_uncovered, "TPU runs outside every grant:",
			"TPUs run outside every grant:", &d->uncovered);
	else if (d->unsure)
		sbuf_adds(b, "No TPU outside the grants is known. ");
	else if (d->n_covered)
		sbuf_adds(b, "Every running TPU is covered. ");
	else
		sbuf_adds(b, "No TPU runs. ");
	if (d->n_machines)
		say_count(b, d->n_machines, "machine runs:", "machines run:", &d->machines);
	say_idle(d, b);
	if (burns(d)) {
		sbuf_adds(b, "All together ");
		say_rates(&d->burn_net, b);
		sbuf_adds(b, " net. ");
	} else if (!d->unknown_prices && !d->unsure) {
		sbuf_adds(b, "Nothing burns money now. ");
	}
	if (d->unknown_prices)
		sbuf_addf(b, "Of %zu%s the price is not known. ", d->unknown_prices,
			burns(d) ? " more" : "");
}

/* ---- money ------------------------------------------------------------------------------------- */

/* Against the day before, where both are known. */
static struct opt_i64 change_of(const struct daily *d, const struct sum *y)
{
	struct opt_i64 before = sums_of(&d->bill.net[SPAN_DAY_BEFORE], y->currency);
	int64_t change;

	if (!d->bill.any[SPAN_DAY_BEFORE] ||
		!nanos_sub(y->nanos, before.set ? before.v : 0, &change))
		return NONE;
	return SOME(change);
}

static void say_change(struct daily *d, const struct sum *y, struct sbuf *b)
{
	struct opt_i64 change = change_of(d, y);

	if (change.set && !change.v)
		sbuf_adds(b, ", as the day before");
	else if (change.set)
		sbuf_addf(b, ", %s %s than the day before",
			money_words(d->a, change.v < 0 ? -change.v : change.v, y->currency),
			change.v < 0 ? "less" : "more");
}

static void say_yesterday(struct daily *d, struct sbuf *b)
{
	const struct sums *net = &d->bill.net[SPAN_YESTERDAY];

	if (!d->bill.ever)
		return;
	if (daily_bill_ends(d)) {
		bill_end_say(&d->bill.end, d->doc, b);
		if (!d->bill.any[SPAN_YESTERDAY])
			return;
	}
	if (!d->bill.any[SPAN_YESTERDAY]) {
		sbuf_adds(b, "There is no bill for yesterday yet. ");
		return;
	}
	sbuf_adds(b, "Yesterday cost ");
	for (size_t i = 0; i < net->n; i++) {
		sbuf_addf(b, "%s%s%s", i ? "; " : "",
			money_words(d->a, net->v[i].nanos, net->v[i].currency),
			d->bill.open[SPAN_YESTERDAY] ? " so far" : "");
		say_change(d, &net->v[i], b);
	}
	sbuf_adds(b, ". ");
}

static void say_budgets(struct daily *d, struct sbuf *b)
{
	const struct doc_section *s = doc_find(d->doc, "budgets");

	for (size_t i = 0; i < s->n; i++) {
		const struct doc_cell *amount = doc_at(s, &s->rows[i], "amount"),
				      *expected = doc_at(s, &s->rows[i], "expected"),
				      *runs_out = doc_at(s, &s->rows[i], "runs_out");
		const char *name = doc_at(s, &s->rows[i], "name")->text,
			   *money = money_words(d->a, amount->v, amount->text);

		if (expected->type && expected->v >= amount->v)
			sbuf_addf(b, "Budget %s (%s) is used up. ", name, money);
		else if (runs_out->type)
			sbuf_addf(b, "Budget %s (%s) runs out about %s. ", name, money,
				moment_text(d->doc, runs_out->v));
	}
}

/* ---- what ends --------------------------------------------------------------------------------- */

static const struct q_daily_grant_ends *first_end(const struct daily *d)
{
	for (size_t i = 0; i < d->n_ends; i++)
		if (d->ends[i].until > d->now && !d->ends[i].renewed_by)
			return &d->ends[i]; /* they come in the order in which they end */
	return NULL;
}

static void say_end(struct daily *d, struct sbuf *b)
{
	const struct q_daily_grant_ends *g = first_end(d);
	char left[DURATION_BUF];

	if (g && g->until - d->now <= SOON)
		sbuf_addf(b, "Grant %s ends in %s. ", g->name,
			duration_format(g->until - d->now, left));
}

/* ---- together ---------------------------------------------------------------------------------- */

/* "Thu 19 Nov" */
static const char *day_words(struct daily *d, day_t day)
{
	static const char *const weekdays[] = {
		"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"}; /* 1970 began on one */
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	int year, month, dom;

	civil_from_day(day, &year, &month, &dom);
	return arena_printf(
		d->a, "%s %d %s", weekdays[((day % 7) + 7) % 7], dom, months[month - 1]);
}

/* The project, where there is one. */
static const char *only_project(const struct daily *d)
{
	const char *only = NULL;

	for (size_t i = 0; i < d->n_sources; i++) {
		const struct q_daily_sources *s = &d->sources[i];

		if (!s->inventory)
			continue;
		if (only && strcmp(only, s->project) != 0)
			return NULL;
		only = s->project;
	}
	return only;
}

/* " (+3.20)" */
static void headline_add_change(struct daily *d, const struct sum *y, struct sbuf *b)
{
	struct opt_i64 change = change_of(d, y);
	char num[NANOS_BUF];

	if (!change.set)
		return;
	nanos_format_fixed(change.v, currency_digits(y->currency), num);
	sbuf_addf(b, " (%s%s)", *num == '-' ? "" : "+", num);
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
	sbuf_addf(b, " on %s", day_words(d, d->today - 1));
	if (net->n == 1)
		headline_add_change(d, &net->v[0], b);
}

static void headline_add_subject(struct daily *d, struct sbuf *b)
{
	const struct q_daily_grant_ends *g = first_end(d);
	const char *stale = stale_words(d), *project = only_project(d);
	char left[DURATION_BUF];

	sbuf_adds(b, "[tpucost] ");
	if (project)
		sbuf_addf(b, "%s: ", project);
	if (!d->polled && !d->bill.ever) {
		sbuf_adds(b, "no data yet");
		return;
	}
	if (stale)
		sbuf_addf(b, "%s, ", stale);
	if (d->n_uncovered)
		sbuf_addf(b, "%zu %s not free, ", d->n_uncovered,
			daily_plural(d->n_uncovered, "TPU", "TPUs"));
	add_cost(d, b);
	if (d->n_todo)
		sbuf_addf(b, ", %zu %s to do", d->n_todo,
			daily_plural(d->n_todo, "thing", "things"));
	if (g && g->until - d->now < DAY_SECONDS)
		sbuf_addf(
			b, ", grant ends in %s", duration_format(g->until - d->now, left));
	else if (g)
		sbuf_addf(b, ", grant %lld %s left",
			(long long)((g->until - d->now) / DAY_SECONDS),
			(g->until - d->now) / DAY_SECONDS == 1 ? "day" : "days");
}

static const char *taken(struct daily *d, struct sbuf *b)
{
	const char *text;

	if (b->len && b->s[b->len - 1] == ' ')
		sbuf_trunc(b, b->len - 1);
	text = arena_strdup(d->a, b->s);
	sbuf_done(b);
	return text;
}

void daily_headline(struct daily *d)
{
	struct sbuf b = SBUF_INIT;

	headline_add_subject(d, &b);
	d->doc->subject = taken(d, &b);
	if (!d->polled && !d->bill.ever) {
		sbuf_adds(&b, "No data yet: nothing was collected. Run: tpucost collect");
	} else {
		headline_say_stale(d, &b);
		if (d->polled)
			say_running(d, &b);
		else
			sbuf_adds(&b,
				"What runs was never collected (run: tpucost collect); "
				"the costs are those that were imported. ");
		say_yesterday(d, &b);
		say_budgets(d, &b);
		say_end(d, &b);
	}
	d->doc->headline = taken(d, &b);
	d->doc->tone = d->n_uncovered || stale_words(d)                      ? TONE_BAD
		: d->n_todo || !d->polled || d->unsure || daily_bill_ends(d) ? TONE_WARN
									     : TONE_GOOD;
}
