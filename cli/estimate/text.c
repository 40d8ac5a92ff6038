/* Answer of `estimate` as text: the verdict first, then its basis. */
#include "base/time/civil.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/estimate/estimate.h"
#include "cli/out/out.h"
#include "reports/shared.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>
#include <string.h>

#define LABEL 8
#define HITS_MAX 5

struct writing {
	struct app *app;
	const struct proposal *proposal;
	const struct estimate *x;
	const struct estimate_basis *basis;
	struct sbuf *b;
	size_t width;
};

static printf_like(3, 4) void line(
	struct writing *w, const char *label, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	sbuf_addf(w->b, "%-*s", LABEL, label);
	sbuf_add_wrapped(w->b, text.s, LABEL, LABEL, w->width);
}

/* ---- sums -------------------------------------------------------------------------------------- */

enum which { OF_ALL, BESIDE_TPUS, OF_TPUS };

struct net {
	struct sums sums;
	bool unknown; /* a part has no price, or an amount does not fit */
};

static void net_add(const struct writing *w, struct net *s, const struct estimate_thing *t,
	struct opt_i64 cost)
{
	if (!cost.set ||
		(cost.v && !sums_add(&s->sums, &w->app->arena, t->each.cur, cost.v)))
		s->unknown = true;
}

static struct net answer_sum_up(const struct writing *w, enum which which)
{
	struct net s = {0};

	for (size_t i = 0; i < w->x->n_things; i++) {
		const struct estimate_thing *t = &w->x->things[i];

		if (str_eq(t->r.kind, "bucket") || (which == BESIDE_TPUS && t->applies) ||
			(which == OF_TPUS && !t->applies))
			continue;
		net_add(w, &s, t, t->net);
	}
	return s;
}

/* "8.00 USD/h", "at least 1.20 USD/h and 3.00 HKD/h", "an unknown price"; `per` is "/h" or "" */
static const char *sums_text_per(struct writing *w, const struct net *s, const char *per)
{
	const struct sum *v = s->sums.v;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char buf[NANOS_BUF];

	if (!s->sums.n)
		return s->unknown ? "an unknown price" : "nothing";
	if (s->unknown)
		sbuf_adds(&b, "at least ");
	for (size_t i = 0; i < s->sums.n; i++)
		sbuf_addf(&b, "%s%s %s%s", i ? " and " : "",
			nanos_format_short(v[i].nanos, buf), v[i].currency, per);
	return arena_strdup(&w->app->arena, b.s);
}

static const char *sums_text(struct writing *w, const struct net *s)
{
	return sums_text_per(w, s, "/h");
}

/* ---- the verdict ------------------------------------------------------------------------------- */

/* "3 of 5 v3-8 in europe-west4-a remain" */
static const char *room_text(struct writing *w, const struct estimate_thing *t)
{
	const struct grant *g = &w->app->cfg->settings.grants[t->grant];
	int64_t per = g->unit == GRANT_DEVICES && g->count ? g->chips / g->count : 1;

	if (!t->room.set || !per)
		return "";
	return arena_printf(&w->app->arena,
		" (%" PRId64 " of %" PRId64 " %s%s in %s remain)", t->room.v / per,
		g->chips / per, g->type ? g->type : g->family,
		g->unit == GRANT_DEVICES ? "" : " chips", g->zone);
}

/* Returns a TPU with unknown coverage only if no other one decides the verdict. */
static const struct estimate_thing *first_tpu(const struct estimate *x, bool uncovered)
{
	const struct estimate_thing *unknown = NULL;

	for (size_t i = 0; i < x->n_things; i++) {
		const struct estimate_thing *t = &x->things[i];

		if (!t->applies || (uncovered && t->covered == t->count))
			continue;
		if (!uncovered || !t->unknown)
			return t;
		unknown = unknown ? unknown : t;
	}
	return unknown;
}

static const char *of_rules(struct writing *w)
{
	const struct estimate *x = w->x;

	for (size_t i = 0; i < x->n_hits; i++)
		if (x->hits[i].refuses)
			return arena_printf(&w->app->arena, "NO: it violates your rule %s",
				x->hits[i].rule->name);
	for (size_t i = 0; i < x->n_budgets; i++)
		if (x->budgets[i].breaks)
			return arena_printf(&w->app->arena, "NO: it would exceed budget %s",
				x->budgets[i].q.name);
	return "NO";
}

/* Google would refuse it, which does not change the cost. */
static const char *of_quotas(const struct estimate *x)
{
	for (size_t i = 0; i < x->n_quotas; i++)
		if (!x->quotas[i].fits)
			return ", but it would exceed the quota";
	return "";
}

static const char *verdict(struct writing *w)
{
	const struct estimate *x = w->x;
	const struct estimate_thing *bad = first_tpu(x, true), *t = first_tpu(x, false);
	struct net all = answer_sum_up(w, OF_ALL), tpus = answer_sum_up(w, OF_TPUS);
	struct net beside = answer_sum_up(w, BESIDE_TPUS);
	struct arena *a = &w->app->arena;
	bool paid = beside.sums.n || beside.unknown;

	if (bad && bad->covered && !bad->unknown)
		return arena_printf(a,
			"NOT FREE: %" PRId64 " of %" PRId64
			" are covered by grant %s, the rest costs %s; %s",
			bad->covered, bad->count, bad->grant_name, sums_text(w, &tpus),
			bad->why_text);
	if (bad && bad->unknown)
		return x->unknown_fix && bad->why != WHY_PROVISIONING_UNKNOWN
			? arena_printf(a, "UNKNOWN: %s; %s", bad->why_text, x->unknown_fix)
			: arena_printf(a, "UNKNOWN: %s", bad->why_text);
	if (bad)
		return arena_printf(
			a, "NOT FREE: %s; %s", sums_text(w, &tpus), bad->why_text);
	if (x->unknown_type && !x->tpus)
		return arena_printf(a, "UNKNOWN: %s", x->unknown_type);
	if (x->refused)
		return arena_printf(a, "%s; %s", of_rules(w), sums_text(w, &all));
	if (t)
		return arena_printf(a, "%s: covered by grant %s%s%s%s%s",
			paid ? "FREE TPU" : "FREE", t->grant_name, room_text(w, t),
			paid ? "; in addition, " : "",
			paid ? arena_printf(a, "%s is paid", sums_text(w, &beside)) : "",
			of_quotas(x));
	if (all.sums.n || all.unknown)
		return arena_printf(a, "PAID: %s; grants cover TPUs only%s",
			sums_text(w, &all), of_quotas(x));
	return x->n_things ? "NOTHING TO PAY while it is empty"
			   : "NOTHING TO PAY: it creates nothing that is charged";
}

/* ---- the resources ----------------------------------------------------------------------------- */

/* A day or a month are of no use for what ends by itself. */
static const struct doc_column run_columns[] = {
	{"kind", .type = DOC_TEXT},
	{"type", .type = DOC_TEXT},
	{"location", .type = DOC_TEXT},
	{"count", .type = DOC_INT},
	{"gross_per_hour", .type = DOC_MONEY, .rank = 1},
	{"net_per_hour", .type = DOC_MONEY},
	{"gross_per_run", .type = DOC_MONEY, .rank = 1},
	{"net_per_run", .type = DOC_MONEY},
	{"currency", .type = DOC_TEXT},
};

/* If grants have no capacity left, the column "grant" also shows what a free TPU would cost. */
static const struct doc_column things_columns[] = {
	{"kind", .type = DOC_TEXT},
	{"type", .type = DOC_TEXT},
	{"location", .type = DOC_TEXT},
	{"count", .type = DOC_INT},
	{"gross_per_hour", .type = DOC_MONEY, .rank = 1},
	{"net_per_hour", .type = DOC_MONEY},
	{"net_per_day", .type = DOC_MONEY},
	{"net_per_month", .type = DOC_MONEY, .rank = 1},
	{"currency", .type = DOC_TEXT},
};

static const char *type_text(struct writing *w, const struct estimate_thing *t)
{
	struct arena *a = &w->app->arena;

	if (t->wish->size_gib)
		return arena_printf(a, "%s %" PRId64 " GiB", t->r.type ? t->r.type : "-",
			t->wish->size_gib);
	if (t->wish->gpu_count)
		return arena_printf(a, "%s + %" PRId64 " %s", t->r.type ? t->r.type : "-",
			t->wish->gpu_count, t->wish->gpu_type ? t->wish->gpu_type : "GPU");
	if (price_class_of(t->r.provisioning) != PRICE_ON_DEMAND)
		return arena_printf(
			a, "%s %s", t->r.type ? t->r.type : "-", t->r.provisioning);
	return t->r.type;
}

/* The longest run below that; 0: none. */
static int64_t longest_run(const struct estimate *x, int64_t below)
{
	int64_t found = 0;

	for (size_t i = 0; i < x->n_things; i++)
		if (x->things[i].run > found && x->things[i].run < below)
			found = x->things[i].run;
	return found;
}

static void answer_things(struct writing *w)
{
	bool runs = longest_run(w->x, INT64_MAX) > 0;
	struct doc_section *t = doc_table(&w->app->arena,
		runs ? run_columns : things_columns, ARRAY_LEN(things_columns));
	struct out_style style = out_style_stdout();

	t->droppable = true;
	style.totals = w->x->n_things > 1;
	for (size_t i = 0; i < w->x->n_things; i++) {
		const struct estimate_thing *v = &w->x->things[i];
		struct doc_cell *row = doc_row(t)->cells;

		row[0] = cell_text(v->r.kind);
		row[1] = cell_text(type_text(w, v));
		row[2] = cell_text(v->r.location);
		row[3] = cell_int(v->count);
		row[4] = estimate_cell(v, false, HOUR_SECONDS);
		row[5] = estimate_cell(v, true, HOUR_SECONDS);
		row[6] = runs ? cell_amount(estimate_run_cost(v, false))
			      : estimate_cell(v, true, DAY_SECONDS);
		row[7] = runs ? cell_amount(estimate_run_cost(v, true))
			      : estimate_cell(v, true, ESTIMATE_MONTH);
		row[8] = cell_text(v->each.known ? v->each.cur : "unknown");
	}
	out_render(w->b, t, OUT_TABLE, &style);
}

/* ---- other limits ------------------------------------------------------------------------------ */

static const char *money(struct writing *w, int64_t nanos)
{
	char buf[NANOS_BUF];

	return arena_strdup(&w->app->arena, nanos_format_fixed(nanos, 2, buf));
}

static const char *answer_local(struct writing *w, ts_t t)
{
	char buf[TZ_TIME_BUF];

	return arena_strdup(&w->app->arena, tz_time(w->app->cfg->tz, t, buf));
}

/* "trc ends 2026-12-01 00:00, in 3d; from then on 1 v3-8 costs 8.80 USD/h". Before that, an older TPU may need its
 * place in a grant that continues. */
static void grant_end(struct writing *w, const struct estimate_thing *t)
{
	const struct grant *g =
		&w->app->cfg->settings.grants[t->lapsing ? t->lapses_in : t->grant];
	ts_t at = t->lapsing ? t->lapses : g->until;
	const char *then = "";
	char age[DURATION_BUF];
	int64_t nanos;

	if (at == TS_NONE)
		return;
	if (!t->lapsing && !(t->r.ends.set && t->r.ends.v <= at))
		then = "; then another grant covers it";
	else if (t->lapsing && t->each.known &&
		nanos_muldiv(t->each.nanos, t->lapsing, 1, &nanos))
		then = arena_printf(&w->app->arena, "; from then on %s%s cost%s %s %s/h",
			t->lapsing == 1 && strstr(t->r.type, " x ")
				? ""
				: arena_printf(&w->app->arena, "%" PRId64 " ", t->lapsing),
			t->r.type, t->lapsing == 1 ? "s" : "", money(w, nanos),
			t->each.cur);
	line(w, "grant", "%s %s %s, in %s%s", g->name,
		at == g->until ? "ends" : "covers it until", answer_local(w, at),
		duration_format(at - w->app->now, age), then);
}

/* "pool in us-east5-a is ", if there are several TPUs. */
static const char *advice_subject(struct writing *w, const struct estimate_thing *t)
{
	size_t tpus = 0;

	for (size_t i = 0; i < w->x->n_things; i++)
		tpus += w->x->things[i].applies;
	return tpus > 1
		? arena_printf(&w->app->arena, "%s in %s is ", t->r.name, t->r.location)
		: "";
}

/* "for 4 h: 21.60 USD, list price 43.20 USD; then it is stopped, and 0.01 USD/h remain" */
static void run_ends(struct writing *w, int64_t run)
{
	struct net net = {0}, gross = {0}, rest = {0};
	bool stops = false;
	char age[DURATION_BUF];
	const char *paid, *list,
		*length = run % HOUR_SECONDS
		? duration_format(run, age)
		: arena_printf(&w->app->arena, "%" PRId64 " h", run / HOUR_SECONDS);

	for (size_t i = 0; i < w->x->n_things; i++) {
		const struct estimate_thing *t = &w->x->things[i];

		if (t->run != run)
			continue;
		net_add(w, &net, t, estimate_run_cost(t, true));
		net_add(w, &gross, t, estimate_run_cost(t, false));
		stops = stops || t->wish->stops;
		if (t->remains)
			net_add(w, &rest, t, t->net);
	}
	paid = sums_text_per(w, &net, "");
	list = sums_text_per(w, &gross, "");
	line(w, "run", "for %s: %s%s; then it is %s%s", length, paid,
		str_eq(paid, list) ? ""
				   : arena_printf(&w->app->arena, ", list price %s", list),
		stops ? "stopped" : "deleted",
		!rest.sums.n && !rest.unknown
			? ""
			: arena_printf(&w->app->arena, ", and its disks still cost %s",
				  sums_text(w, &rest)));
}

static void advice(struct writing *w)
{
	for (size_t i = 0; i < w->x->n_advice; i++) {
		const struct estimate_advice *v = &w->x->advice[i];
		const char *flags = estimate_flags(w->x, v, &w->app->arena);
		const char *command = estimate_command(w->proposal, &w->app->o,
			&w->x->things[v->thing], v, &w->app->arena);

		line(w, i ? "or" : "instead", "%sfree %s%s (grant %s)%s",
			advice_subject(w, &w->x->things[v->thing]),
			str_starts(flags, "without") ? "" : "with ", flags, v->grant_name,
			command ? ":" : "");
		if (!command)
			continue;
		sbuf_adds(w->b, "  ");
		sbuf_add_term(w->b, command);
		sbuf_addc(w->b, '\n');
	}
}

/* Does the TPU use a quota of Compute Engine whose limit is not in the database? */
static bool pool_unstated(const struct estimate_thing *t)
{
	return !t->quota && estimate_uses_quota(t) && t->r.type &&
		tpu_host_chips(t->r.type);
}

static void pool(struct writing *w, size_t i)
{
	const struct estimate_thing *v = w->x->things, *t = &v[i];
	int64_t chips = 0;

	if (!pool_unstated(t))
		return;
	for (size_t k = 0; k < w->x->n_things; k++) {
		if (!pool_unstated(&v[k]) || !str_eq(v[k].pool_metric, t->pool_metric) ||
			!str_eq(v[k].r.region, t->r.region))
			continue;
		if (k < i)
			return; /* it was in the line of that one */
		chips += tpu_host_chips(v[k].r.type) * v[k].count;
	}
	if (t->pool_metric)
		line(w, "quota", "limit not known: %s in %s (%" PRId64 " more)",
			t->pool_metric, t->r.region, chips);
	else
		line(w, "quota", "quota pool not known for %s, %s", t->r.type,
			t->r.provisioning);
}

static void quotas(struct writing *w)
{
	cleanup(sbuf_done) struct sbuf fits = SBUF_INIT;
	struct arena *a = &w->app->arena;

	for (size_t i = 0; i < w->x->n_quotas; i++) {
		const struct estimate_quota *v = &w->x->quotas[i];
		const struct q_proposal_quotas *q = &v->q;
		const char *name = str_after_last(q->metric, '/');
		const char *used = q->used.set
			? arena_printf(a, "%" PRId64 " used", q->used.v)
			: "use unknown";

		if (!v->fits)
			line(w, "quota",
				"limit %" PRId64 " %s in %s, %s, %" PRId64
				" more exceed it",
				q->limit_value, name, q->location, used, v->needs);
		else
			sbuf_addf(&fits, "%s%s in %s (%" PRId64 ", %s, %" PRId64 " more)",
				fits.len ? ", " : "within the limits: ", name, q->location,
				q->limit_value, used, v->needs);
	}
	if (fits.len)
		line(w, "quota", "%s", fits.s);
	for (size_t i = 0; i < w->x->n_things; i++)
		pool(w, i);
}

static void capacity(struct writing *w)
{
	for (size_t i = 0; i < w->x->n_things; i++) {
		const char *text = w->x->things[i].capacity;
		size_t k = 0;

		while (k < i && !str_eq(w->x->things[k].capacity, text))
			k++;
		if (text && k == i)
			line(w, "history", "%s", text);
	}
}

static const char *ends_text(struct writing *w, struct opt_i64 t)
{
	return t.set ? answer_local(w, t.v) : "not in this period";
}

/* "runs out T -> T", or the part that does not change. */
static const char *course(struct writing *w, const struct estimate_budget *g)
{
	struct opt_i64 was = g->q.runs_out, is = g->runs_out_after;
	struct arena *a = &w->app->arena;

	if (was.set && was.v <= w->app->now)
		return arena_printf(a, "used up since %s", ends_text(w, was));
	if (was.set == is.set && (!was.set || was.v == is.v))
		return arena_printf(a, "runs out %s", ends_text(w, was));
	return arena_printf(a, "runs out %s -> %s", ends_text(w, was), ends_text(w, is));
}

static const char *answer_not_known(struct writing *w)
{
	return arena_printf(&w->app->arena, "unknown: %s", w->x->unknown);
}

static void budgets(struct writing *w)
{
	if (w->x->unknown && w->x->has_budgets)
		line(w, "budget", "%s", answer_not_known(w));
	for (size_t i = 0; i < w->x->n_budgets; i++) {
		const struct estimate_budget *g = &w->x->budgets[i];

		if (!g->q.forecast.set || !g->after.set) {
			line(w, "budget", "%s: forecast unknown", g->q.name);
			continue;
		}
		line(w, "budget",
			"%s: forecast %s -> %s%s of %s %s; expected so far %s; %s "
			"(estimate)",
			g->q.name, money(w, g->q.forecast.v),
			g->unpriced ? "at least " : "", money(w, g->after.v),
			money(w, g->q.amount), g->q.currency, money(w, g->q.expected.v),
			course(w, g));
	}
}

static void rules(struct writing *w)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < w->x->n_hits; i++) {
		const struct estimate_hit *h = &w->x->hits[i];

		/* The verdict already said that a TPU is not covered. */
		if (h->thing && str_eq(h->rule->name, "tpu-not-covered"))
			continue;
		if (shown == HITS_MAX) {
			more++;
			continue;
		}
		shown++;
		line(w, "rule", "%s%s%s: %s", h->rule->name,
			h->rule->at ? "" : " (built in)",
			h->more ? arena_printf(&w->app->arena, ", for %zu resources",
					  h->more + 1)
				: "",
			h->summary && *h->summary ? h->summary : h->subject);
	}
	if (more)
		line(w, "", "and %zu more", more);
	if (w->x->unknown)
		line(w, "rule", "%s%s", shown ? "others are " : "", answer_not_known(w));
}

static void prices(struct writing *w)
{
	struct arena *a = &w->app->arena;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < w->x->n_things; i++) {
		const struct price *p = &w->x->things[i].each;
		const char *one = !p->known ? NULL
			: price_list_date(p)
			? arena_printf(a, "%s list of %s", price_source_name(p->source),
				  price_date_words(p->as_of, w->app->now, a))
			: p->as_of ? arena_printf(a, "%s list of %s",
					     price_source_name(p->source), p->as_of)
				   : price_source_name(p->source);

		if (one && !strstr(b.s, one))
			sbuf_addf(&b, "%s%s", b.len ? ", " : "", one);
	}
	if (b.len)
		line(w, "prices", "%s; a month has 730 hours; before discounts", b.s);
}

static void basis(struct writing *w)
{
	const struct estimate_basis *s = w->basis;
	char age[DURATION_BUF];

	if (!s->polled)
		line(w, "basis",
			"no source was polled yet: %slist prices only; running resources, "
			"which use grants and quotas, are unknown",
			s->config ? "the configuration and " : "");
	else if (!s->oldest)
		line(w, "basis",
			"parts of the inventory have not been read completely yet: tpucost "
			"sources");
	else
		line(w, "basis", "resources as of %s ago%s",
			duration_format(w->app->now - s->oldest, age),
			s->stale ? ": out of date; run: tpucost collect" : "");
}

void estimate_text(struct app *app, const struct proposal *p, const struct estimate *x,
	const struct estimate_basis *s, struct sbuf *b)
{
	int width = out_style_stdout().width;
	struct writing w = {.app = app,
		.proposal = p,
		.x = x,
		.basis = s,
		.b = b,
		.width = width >= 40 && width < 80 ? (size_t)width : 80};

	sbuf_add_wrapped(b, verdict(&w), 0, 2, w.width);
	sbuf_addc(b, '\n');
	if (x->n_things) {
		answer_things(&w);
		sbuf_addc(b, '\n');
	}
	for (size_t i = 0; i < x->n_things; i++)
		if (x->things[i].grant >= 0)
			grant_end(&w, &x->things[i]);
	for (int64_t run = INT64_MAX; (run = longest_run(x, run));)
		run_ends(&w, run);
	advice(&w);
	quotas(&w);
	capacity(&w);
	budgets(&w);
	rules(&w);
	for (size_t i = 0; i < x->n_places; i++)
		line(&w, "place", "%s", x->places[i]);
	prices(&w);
	basis(&w);
}
