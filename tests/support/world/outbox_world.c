#include "tests/support/world/outbox_world.h"

#include "rules/enforce/action.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define OR(value, otherwise) ((value) ? (value) : (otherwise))

struct outbox_world ow;

int ow_setup(void **state)
{
	ow = (struct outbox_world){0};
	tempdb_open(&ow.t, OW_NOW);
	ow.settings = (struct settings){.tz = ow.t.tz, .currency = "USD"};
	ow.o = (struct outbox){.channels = ow.channels, .settings = &ow.settings};
	return 0;
}

struct channel *ow_channel(const char *name)
{
	struct channel *c = &ow.channels[ow.o.n++];

	*c = (struct channel){.name = name,
		.kind = CHANNEL_FILE,
		.quiet_from = -1,
		.quiet_until = -1,
		.version = "1"};
	return c;
}

static enum alert_event event_of(const char *word)
{
	for (int i = EVENT_FIRING; i <= EVENT_RESOLVED; i++)
		if (!strcmp(alert_event_name((enum alert_event)i), word))
			return (enum alert_event)i;
	fail_msg("no event \"%s\"", word);
	return EVENT_NONE;
}

void ow_note(const char *event, const char *rule, const char *subject, enum severity s)
{
	ts_t now = clock_now(&ow.t.clock);
	char summary[200];
	struct said said = {.rule = rule,
		.subject = subject,
		.summary = summary,
		.event = event_of(event),
		.severity = s,
		.since = now - 60};
	struct judgement j = {.said = &said, .n_said = 1};
	struct db_tx tx = {0};
	struct err e = {0};

	snprintf(summary, sizeof(summary), "%s of %s", rule, subject);
	assert_ok(db_begin(ow.t.db, &tx, &e), e);
	assert_ok(outbox_note(ow.t.db, &ow.o, &j, now, &e), e);
	assert_ok(db_commit(&tx, &e), e);
}

void ow_compose(void)
{
	struct err e = {0};

	assert_ok(outbox_compose(ow.t.db, &ow.o, clock_now(&ow.t.clock), &ow.t.a, &e), e);
}

static void take(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	struct ow_letter *to;
	const char *refs = "";

	(void)ctx;
	to = arena_append(&ow.t.a, ow.letters, ow.n, ow.cap);
	for (size_t i = 0; i < l->n_refs; i++)
		refs = arena_printf(&ow.t.a, "%s%s%s", refs, i ? " " : "", l->refs[i]);
	*to = (struct ow_letter){.channel = arena_strdup(&ow.t.a, c->name),
		.id = arena_strdup(&ow.t.a, l->id),
		.recipient = arena_strdup(&ow.t.a, l->recipient),
		.subject = arena_strdup(&ow.t.a, l->subject),
		.body = arena_strdup(&ow.t.a, l->body),
		.refs = arena_strdup(&ow.t.a, refs),
		.may_be_repeat = l->may_be_repeat,
		.at = clock_now(&ow.t.clock)};
	if (!ow.times || (ow.failing && strcmp(ow.failing, c->name) != 0))
		return;
	ow.times--;
	*out = ow.answer;
}

void ow_post(void)
{
	struct outbox_post p = {.send = take, .clock = &ow.t.clock, .max_seconds = 3600};
	struct err e = {0};

	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
}

void ow_cycle(void)
{
	ow_compose();
	ow_post();
}

void ow_advance(int64_t seconds)
{
	clock_fake_advance(&ow.t.clock, seconds);
}

void ow_fail(const char *channel, enum send_class class, int times)
{
	ow.answer = (struct send_result){.class = class, .retry_after = -1};
	snprintf(ow.answer.reply, sizeof(ow.answer.reply), "no");
	err_set(&ow.answer.err, E_NET, "it said no");
	ow.failing = channel;
	ow.times = times;
}

void ow_expect(const char *sql, const char *want)
{
	tempdb_expect(&ow.t, sql, want);
}

void ow_expect_states(const char *want)
{
	ow_expect("SELECT group_concat(id || ' ' || channel || ' ' || state || ' ' || "
		  "attempts, '; ') FROM (SELECT * FROM notification ORDER BY id)",
		want);
}

/* ---- actions ------------------------------------------------------------------------------------- */

static const char *at(int64_t offset)
{
	return !offset ? "NULL"
		       : arena_printf(&ow.t.a, "%lld",
				 (long long)(clock_now(&ow.t.clock) + offset));
}

static const char *over_at(const struct aw_action *x)
{
	if (x->over && !x->ended)
		return arena_printf(&ow.t.a, "%lld", (long long)clock_now(&ow.t.clock));
	return at(x->ended);
}

int64_t aw_put(const struct aw_action *x)
{
	const char *name = OR(x->name, "a"), *project = OR(x->project, "p");
	long long now = clock_now(&ow.t.clock);

	tempdb_execf(&ow.t,
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, started, verb, mode, severity, policy, state, held, reason, since, "
		"began, due, attempts, intent, sent, operation, restart, saves, residual, "
		"currency, ended) VALUES ('tpu', '%q/tpu/us-central1-b/%q', '7', %Q, %Q, "
		"%Q, 'us-central1-b', %Q, %s, %Q, %Q, %Q, 'p', %Q, %Q, %Q, %lld, %lld, "
		"%s, 0, %s, %s, %Q, %Q, %s, %s, %Q, %s)",
		project, name, OR(x->source, "tpu"), OR(x->kind, "tpu"), project, name,
		at(-7200), OR(x->verb, "stop"), OR(x->mode, "armed"),
		OR(x->severity, "critical"), OR(x->state, "warning"), OR(x->held, ""),
		OR(x->reason, ""), now, now, at(x->due), at(x->sent), at(x->sent),
		x->operation, x->restart, x->unpriced ? "NULL" : "8000000000",
		x->unpriced ? "NULL" : "100000000",
		x->unpriced ? NULL : OR(x->currency, "USD"), over_at(x));
	return tempdb_int(&ow.t, "SELECT MAX(action) FROM action");
}

void aw_state(int64_t action, const char *state, const char *held, const char *reason)
{
	bool over = action_over(action_state_of(state));

	tempdb_execf(&ow.t,
		"UPDATE action SET state = %Q, held = %Q, reason = %Q, ended = %s "
		"WHERE action = %lld",
		state, held, reason,
		over ? arena_printf(&ow.t.a, "%lld", (long long)clock_now(&ow.t.clock))
		     : "NULL",
		(long long)action);
}

void aw_arm(void)
{
	static const struct enforcement armed = {.mode = ENFORCE_ARMED};
	static const struct rule rules[] = {
		{.name = "tpu",
			.on = "resources",
			.then = {.action = "stop", .grace = 1800, .armed = true}},
	};

	ow.settings.enforcement = &armed;
	ow.settings.rules = rules;
	ow.settings.n_rules = ARRAY_LEN(rules);
}
