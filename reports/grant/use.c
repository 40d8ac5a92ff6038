#include "reports/grant/use.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "reports/shared.h"

#include <stdlib.h>
#include <string.h>

static const struct use no_use = {.chip_seconds = SOME(0), .last = ""};

static void use_count(struct use *u, const struct period_tpu *t, int64_t seconds)
{
	int64_t chip_seconds;
	bool fits = t->chips.set &&
		!__builtin_mul_overflow(seconds, t->chips.v, &chip_seconds);

	u->chip_seconds = opt_add(u->chip_seconds, fits ? SOME(chip_seconds) : NONE);
	u->tpu_seconds += seconds;
	u->tpus += strcmp(u->last, t->id) != 0;
	u->last = t->id;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Coverage pools the capacity of such lines, and names the first as the one that pays. */
static bool same_thing(const struct grant *a, const struct grant *b)
{
	return !strcmp(a->name, b->name) && a->unit == b->unit &&
		!strcmp(a->family, b->family) && !strcmp(a->zone, b->zone) &&
		!strcmp(a->provisioning, b->provisioning) && str_eq(a->type, b->type) &&
		str_eq(a->project, b->project);
}

static void use_add_line(struct grant_use *u, const struct grant *g, ts_t since, ts_t until)
{
	struct line_use *l;

	for (size_t i = 0; i < u->n_lines; i++)
		if (same_thing(u->lines[i].g, g)) {
			u->lines[i].chips += g->chips;
			return;
		}
	l = &u->lines[u->n_lines++];

	*l = (struct line_use){.g = g,
		.chips = g->chips,
		.from = g->starts == TS_NONE || (since != TS_NONE && since > g->starts)
			? since
			: g->starts,
		.to = g->until != TS_NONE && g->until < until ? g->until : until,
		.use = no_use,
		.first = TS_NONE,
		.last = TS_NONE};
	if (l->from >= l->to)
		return;
	if (l->from < u->from)
		u->from = l->from;
	if (l->to > u->to)
		u->to = l->to;
}

void grant_use_lines(const struct settings *s, const char *name, ts_t since, ts_t until,
	ts_t now, struct arena *a, struct grant_use *out)
{
	*out = (struct grant_use){
		.lines = arena_alloc(a, (s->n_grants + 1) * sizeof(*out->lines)),
		.from = INT64_MAX,
		.to = INT64_MIN};
	if (until == TS_NONE || until > now)
		until = now;
	for (size_t i = 0; i < s->n_grants; i++)
		if (!name || !strcmp(s->grants[i].name, name))
			use_add_line(out, &s->grants[i], since, until);
}

/* ---- use of one line ----------------------------------------------------------------------- */

static bool use_is_of(
	const struct settings *s, const struct line_use *l, const struct period_tpu *t)
{
	return t->covered && same_thing(&s->grants[t->grant], l->g);
}

struct event {
	ts_t at;
	int64_t chips;
};

static int by_time(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->chips > b->chips) - (a->chips < b->chips); /* at the same time, ends come
							       * first */
}

/* The maximum number of chips at one time. TPUs of unknown size count as zero. */
static int64_t peak_of(const struct settings *s, const struct period *p,
	const struct line_use *l, struct arena *a)
{
	struct event *v = arena_alloc(a, (2 * p->n_tpus + 1) * sizeof(*v));
	int64_t chips = 0, peak = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n_tpus; i++) {
		const struct period_tpu *t = &p->tpus[i];

		if (!use_is_of(s, l, t) || !t->chips.set)
			continue;
		v[n++] = (struct event){t->starts, t->chips.v};
		v[n++] = (struct event){t->ends, -t->chips.v};
	}
	if (n)
		qsort(v, n, sizeof(*v), by_time);
	for (size_t i = 0; i < n; i++) {
		chips += v[i].chips;
		if (chips > peak)
			peak = chips;
	}
	return peak;
}

/* Days of the zone on which a TPU of the line ran. */
static int64_t days_of(const struct settings *s, const struct period *p,
	const struct line_use *l, struct arena *a)
{
	day_t first, last;
	char *active;
	int64_t n = 0;

	if (l->first == TS_NONE)
		return 0;
	first = tz_day(s->tz, l->first);
	last = tz_day(s->tz, l->last - 1);
	active = arena_alloc(a, (size_t)(last - first + 1));
	for (size_t i = 0; i < p->n_tpus; i++) {
		const struct period_tpu *t = &p->tpus[i];

		if (!use_is_of(s, l, t))
			continue;
		for (day_t d = tz_day(s->tz, t->starts); d <= tz_day(s->tz, t->ends - 1);
			d++) {
			n += !active[d - first];
			active[d - first] = 1;
		}
	}
	return n;
}

static struct opt_i64 utilisation(const struct line_use *l)
{
	int64_t seconds, room;

	if (l->from == TS_NONE || l->from >= l->to || !l->use.chip_seconds.set ||
		__builtin_sub_overflow(l->to, l->from, &seconds) ||
		__builtin_mul_overflow(seconds, l->chips, &room))
		return NONE;
	return percent_of(l->use.chip_seconds.v, room);
}

static void count_line(const struct settings *s, const struct period *p, struct arena *a,
	struct line_use *l)
{
	for (size_t i = 0; i < p->n_tpus; i++) {
		const struct period_tpu *t = &p->tpus[i];

		if (!use_is_of(s, l, t))
			continue;
		use_count(&l->use, t, t->ends - t->starts);
		if (l->first == TS_NONE || t->starts < l->first)
			l->first = t->starts;
		if (l->last == TS_NONE || t->ends > l->last)
			l->last = t->ends;
	}
	l->peak_chips = peak_of(s, p, l, a);
	l->active_days = days_of(s, p, l, a);
	l->percent = utilisation(l);
}

/* ---- by type, by week ---------------------------------------------------------------------- */

static struct type_use *use_type_of(
	struct grant_use *u, const struct period_tpu *t, struct arena *a)
{
	for (size_t i = 0; i < u->n_types; i++) {
		struct type_use *x = &u->types[i];

		if (str_eq(x->type, t->type) && str_eq(x->zone, t->zone) &&
			str_eq(x->provisioning, t->provisioning))
			return x;
	}
	*arena_append(a, u->types, u->n_types, u->cap_types) = (struct type_use){
		.type = t->type,
		.family = t->family,
		.zone = t->zone,
		.provisioning = t->provisioning,
		.use = no_use};
	return &u->types[u->n_types - 1];
}

static day_t monday_of(day_t d)
{
	return d - civil_weekday(d);
}

static void make_weeks(
	const struct settings *s, ts_t known, struct arena *a, struct grant_use *u)
{
	ts_t first = INT64_MAX, end = known < u->to ? known : u->to;
	day_t monday, last;

	for (size_t i = 0; i < u->n_lines; i++) {
		if (u->lines[i].first != TS_NONE && u->lines[i].first < first)
			first = u->lines[i].first;
		if (u->lines[i].last > end) /* TS_NONE is less than any time */
			end = u->lines[i].last;
	}
	if (first == INT64_MAX)
		return;
	monday = monday_of(tz_day(s->tz, first));
	last = monday_of(tz_day(s->tz, end - 1));
	u->n_weeks = (size_t)((last - monday) / 7 + 1);
	u->weeks = arena_alloc(a, u->n_weeks * sizeof(*u->weeks));
	for (size_t i = 0; i < u->n_weeks; i++)
		u->weeks[i] = (struct week_use){
			.monday = monday + 7 * (day_t)i, .use = no_use};
}

static void count_weeks(
	const struct settings *s, struct grant_use *u, const struct period_tpu *t)
{
	day_t monday = monday_of(tz_day(s->tz, t->starts));
	size_t i = (size_t)((monday - u->weeks[0].monday) / 7);

	for (ts_t from = t->starts; from < t->ends && i < u->n_weeks; i++) {
		ts_t end = tz_day_start(s->tz, u->weeks[i].monday + 7),
		     to = end < t->ends ? end : t->ends;

		use_count(&u->weeks[i].use, t, to - from);
		from = to;
	}
}

void grant_use_count(const struct settings *s, const struct period *p, ts_t known,
	struct arena *a, struct grant_use *u)
{
	for (size_t i = 0; i < u->n_lines; i++)
		count_line(s, p, a, &u->lines[i]);
	make_weeks(s, known, a, u);
	for (size_t i = 0; i < p->n_tpus; i++) {
		const struct period_tpu *t = &p->tpus[i];
		bool chosen = false;

		for (size_t k = 0; k < u->n_lines; k++)
			chosen |= use_is_of(s, &u->lines[k], t);
		if (!chosen || t->starts >= t->ends)
			continue;
		use_count(&use_type_of(u, t, a)->use, t, t->ends - t->starts);
		count_weeks(s, u, t);
	}
}
