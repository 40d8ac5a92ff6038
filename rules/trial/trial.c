#include "rules/trial/trial.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "db/db.h"

#include <string.h>

struct fired {
	const char *rule, *subject;
	ts_t at;
};

struct running {
	const struct trial *t;
	struct world world;
	struct arena *arena; /* of the result */
	struct arena tick;   /* of one evaluation */
	struct trial_result *out;
	size_t step;
	struct {
		struct fired *v;
		size_t n, cap;
	} fired;                     /* since the previous step */
	struct strmap broken;        /* rules that could not be evaluated */
	struct q_alert_list *alerts; /* of the step */
	bool *expected;              /* alerts that a check names */
	size_t n_alerts;
};

const char *trial_offset(const struct trial *t, ts_t at, struct arena *a)
{
	static const struct {
		int64_t seconds;
		char letter;
	} units[] = {{DAY_SECONDS, 'd'}, {HOUR_SECONDS, 'h'}, {60, 'm'}, {1, 's'}};
	int64_t left = at - t->start;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addc(&b, left < 0 ? '-' : '+');
	left = left < 0 ? -left : left;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (left >= units[i].seconds)
			sbuf_addf(&b, "%lld%c", (long long)(left / units[i].seconds),
				units[i].letter);
		left %= units[i].seconds;
	}
	return arena_strdup(a, b.len > 1 ? b.s : "+0m");
}

static const char *state_words(const char *state)
{
	if (!strcmp(state, "firing"))
		return "fires";
	return !strcmp(state, "pending") ? "is pending" : "is resolved";
}

static const char *expected_words(struct running *r, const struct trial_expect *x)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, state_words(alert_state_name(x->state)));
	if (x->severity)
		sbuf_addf(&b, ", %s", x->severity);
	if (x->fired != TS_NONE)
		sbuf_addf(&b, ", since %s", trial_offset(r->t, x->fired, r->arena));
	if (x->value)
		sbuf_addf(&b, ", value %s", x->value);
	if (x->summary)
		sbuf_addf(&b, ", summary '%s'", x->summary);
	return arena_strdup(r->arena, b.s);
}

static const char *actual_words(
	struct running *r, const struct q_alert_list *row, const struct trial_expect *x)
{
	ts_t since = row->fired.set ? row->fired.v : row->since;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!strcmp(row->state, "resolved"))
		since = ts_of_opt(row->resolved);
	sbuf_addf(&b, "%s, %s, since %s", state_words(row->state), row->severity,
		trial_offset(r->t, since, r->arena));
	if (x && x->value)
		sbuf_addf(&b, ", value %s", row->value ? row->value : "unknown");
	if (x && x->summary)
		sbuf_addf(&b, ", summary '%s'", row->summary);
	return arena_strdup(r->arena, b.s);
}

static void add_check(struct running *r, const char *rule, const char *subject,
	const char *expected, const char *actual, bool ok)
{
	struct trial_result *out = r->out;

	*arena_push(r->arena, out) = (struct trial_check){.step = r->step + 1,
		.at = r->t->steps[r->step].at,
		.rule = rule,
		.subject = subject,
		.expected = expected,
		.actual = actual,
		.ok = ok};
	out->failed += !ok;
}

/* ---- expectations ------------------------------------------------------------------------------ */

/* Is `name` one of the parts of the subject between slashes, or the whole subject? */
static bool has_part(const char *subject, const char *name)
{
	size_t n = strlen(name);

	if (!strcmp(subject, name))
		return true;
	for (const char *p = subject; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!strncmp(p, name, n) && (!p[n] || p[n] == '/'))
			return true;
	}
	return false;
}

static bool as_expected(const struct q_alert_list *row, const struct trial_expect *x)
{
	int64_t is, want;

	return !strcmp(row->state, alert_state_name(x->state)) &&
		(!x->severity || !strcmp(row->severity, x->severity)) &&
		(!x->summary || strstr(row->summary, x->summary)) &&
		/* the same number in any notation */
		(!x->value ||
			(row->value && !nanos_parse(row->value, &is, NULL) &&
				!nanos_parse(x->value, &want, NULL) && is == want)) &&
		(x->fired == TS_NONE || (row->fired.set && row->fired.v == x->fired));
}

static void check_expect(struct running *r, const struct trial_expect *x)
{
	const char *subject = x->subject ? x->subject : x->name;
	const char *expected = expected_words(r, x);
	const struct q_alert_list *near = NULL;

	for (size_t i = 0; i < r->n_alerts; i++) {
		const struct q_alert_list *row = &r->alerts[i];

		if (strcmp(row->rule, x->rule) != 0 ||
			(x->subject && strcmp(row->subject, x->subject) != 0) ||
			(x->name && !has_part(row->subject, x->name)))
			continue;
		if (as_expected(row, x)) {
			r->expected[i] = true;
			add_check(r, x->rule, subject ? subject : row->subject, expected,
				actual_words(r, row, x), true);
			return;
		}
		if (!near || !strcmp(row->state, "firing"))
			near = row;
	}
	if (near)
		r->expected[near - r->alerts] = true; /* one message is enough */
	add_check(r, x->rule, subject, expected,
		near ? actual_words(r, near, x) : "does not hold", false);
}

/* For the rules that a step names, its list is complete. */
static void check_unexpected(struct running *r, const struct trial_step *s)
{
	for (size_t i = 0; i < r->n_alerts; i++) {
		const struct q_alert_list *row = &r->alerts[i];
		bool named = false;

		for (size_t k = 0; k < s->n_expects; k++)
			named = named || !strcmp(s->expects[k].rule, row->rule);
		if (named && !r->expected[i] && !strcmp(row->state, "firing"))
			add_check(r, row->rule, row->subject, "does not fire",
				actual_words(r, row, NULL), false);
	}
}

/* Nothing of the rule (NULL: of any) fires, or fired since the previous step. */
static void check_quiet(struct running *r, const char *rule)
{
	const char *nothing = rule ? "does not fire" : "nothing fires";
	bool quiet = true;

	for (size_t i = 0; i < r->fired.n; i++) {
		const struct fired *f = &r->fired.v[i];

		if (rule && strcmp(f->rule, rule) != 0)
			continue;
		add_check(r, f->rule, f->subject, "does not fire",
			arena_printf(r->arena, "began to fire at %s",
				trial_offset(r->t, f->at, r->arena)),
			false);
		quiet = false;
	}
	for (size_t i = 0; quiet && i < r->n_alerts; i++) {
		const struct q_alert_list *row = &r->alerts[i];

		if ((rule && strcmp(row->rule, rule) != 0) ||
			strcmp(row->state, "firing") != 0)
			continue;
		add_check(r, row->rule, row->subject, "does not fire",
			actual_words(r, row, NULL), false);
		quiet = false;
	}
	if (quiet)
		add_check(r, rule, NULL, nothing, nothing, true);
}

static enum err_code check_step(
	struct running *r, const struct trial_step *s, struct err *e)
{
	if (q_alert_list_all(r->world.db, r->arena, &r->alerts, &r->n_alerts, e))
		return e->code;
	r->expected = arena_alloc(r->arena, r->n_alerts * sizeof(*r->expected));
	for (size_t i = 0; i < s->n_expects; i++)
		check_expect(r, &s->expects[i]);
	check_unexpected(r, s);
	for (size_t i = 0; i < s->n_quiet; i++)
		check_quiet(r, s->quiet[i]);
	if (s->expect_none)
		check_quiet(r, NULL);
	return E_OK;
}

static enum err_code trial_apply(
	struct running *r, const struct trial_step *s, struct err *e)
{
	struct world *w = &r->world;

	for (size_t i = 0; i < s->n_gone; i++)
		world_remove(w, s->gone[i]);
	for (size_t i = 0; i < s->n_things; i++)
		if (world_put(w, &s->things[i], e))
			return e->code;
	for (size_t i = 0; i < s->n_lines; i++)
		if (world_bill(w, &s->lines[i], e))
			return e->code;
	if (world_billed(w, s->at, e))
		return e->code;
	for (size_t i = 0; i < s->n_quotas; i++)
		if (world_quota(w, &s->quotas[i], s->at, e))
			return e->code;
	for (size_t i = 0; i < s->n_sources; i++)
		world_answers(w, s->sources[i].name, s->sources[i].how);
	if (s->zones_told)
		world_unreachable(w, s->unreachable, s->n_unreachable);
	return E_OK;
}

static void note_said(struct running *r, const struct judgement *j, ts_t now)
{
	for (size_t i = 0; i < j->n_said; i++) {
		if (j->said[i].event != EVENT_FIRING)
			continue;
		*arena_push(r->arena, &r->fired) = (struct fired){
			.rule = arena_strdup(r->arena, j->said[i].rule),
			.subject = arena_strdup(r->arena, j->said[i].subject),
			.at = now};
	}
	/* A rule that cannot be evaluated proves nothing by being quiet. */
	for (size_t i = 0; i < j->n_errors; i++) {
		size_t n = strcspn(j->errors[i], ":");

		if (strmap_put(&r->broken, j->errors[i], 0))
			add_check(r, arena_strndup(r->arena, j->errors[i], n), NULL,
				"can be evaluated", arena_strdup(r->arena, j->errors[i]),
				false);
	}
}

static enum err_code tick(struct running *r, ts_t now, struct err *e)
{
	struct judgement j;

	if (world_tick(&r->world, now, &r->tick, &j, e))
		return err_wrap(e, "%s: %s", r->t->file, trial_offset(r->t, now, r->arena));
	note_said(r, &j, now);
	arena_reset(&r->tick);
	r->out->ticks++;
	return E_OK;
}

static enum err_code run_steps(struct running *r, struct err *e)
{
	const struct trial *t = r->t;

	for (size_t i = 0; i < t->n_steps; i++) {
		const struct trial_step *s = &t->steps[i];

		r->step = i;
		for (ts_t now = i ? t->steps[i - 1].at + t->tick : s->at; now < s->at;
			now += t->tick)
			if (tick(r, now, e))
				return e->code;
		if (trial_apply(r, s, e) || tick(r, s->at, e) || check_step(r, s, e))
			return e->code;
		r->fired.n = 0;
	}
	return E_OK;
}

static enum err_code trial_check_size(const struct trial *t, struct err *e)
{
	int64_t ticks = 0, things = 0;

	for (size_t i = 0; i < t->n_steps; i++) {
		ticks += i ? (t->steps[i].at - t->steps[i - 1].at) / t->tick + 1 : 1;
		things += (int64_t)t->steps[i].n_things;
		if (ticks <= TRIAL_MAX_TICKS && ticks * things <= TRIAL_MAX_WORK)
			continue;
		err_set(e, E_LIMIT, "%s: %lld ticks with %lld resources are too many",
			t->file, (long long)ticks, (long long)things);
		return err_fix(e, "give a longer 'tick', such as 1h");
	}
	return E_OK;
}

enum err_code trial_run(const struct trial *t, struct clock *clock, struct arena *a,
	struct trial_result *out, struct err *e)
{
	struct running r = {.t = t, .arena = a, .out = out};
	enum err_code rc;

	*out = (struct trial_result){0};
	if (trial_check_size(t, e) || world_begin(&r.world, clock, t->settings, e))
		return e->code;
	rc = run_steps(&r, e);
	strmap_done(&r.broken);
	arena_done(&r.tick);
	world_end(&r.world);
	return rc;
}
