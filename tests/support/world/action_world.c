#include "tests/support/world/action_world.h"

#include "rules/enforce/action.h"
#include "tests/support/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char *some(const char *s, const char *other)
{
	return s ? s : other;
}

/* In SQL. */
static const char *text(const char *s)
{
	struct sbuf b = SBUF_INIT;
	const char *out;

	if (!s)
		return "NULL";
	sbuf_addc(&b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			sbuf_addc(&b, '\'');
		sbuf_addc(&b, *s);
	}
	sbuf_addc(&b, '\'');
	out = arena_strdup(&ow.arena, b.s);
	sbuf_done(&b);
	return out;
}

static const char *at(int64_t offset)
{
	return !offset ? "NULL"
		       : arena_printf(&ow.arena, "%lld",
				 (long long)(clock_now(&ow.t.clock) + offset));
}

static const char *over_at(const struct aw_action *x)
{
	if (x->over && !x->ended)
		return arena_printf(&ow.arena, "%lld", (long long)clock_now(&ow.t.clock));
	return at(x->ended);
}

int64_t aw_put(const struct aw_action *x)
{
	static const char fields[] =
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, started, verb, mode, severity, policy, state, held, reason, since, "
		"began, due, attempts, intent, sent, operation, restart, saves, residual, "
		"currency, ended) VALUES ('tpu', %s, '7', %s, %s, %s, 'us-central1-b', %s, "
		"%s, %s, %s, %s, 'p', %s, %s, %s, %lld, %lld, %s, 0, %s, %s, %s, %s, %s, "
		"%s, "
		"%s, %s)";
	const char *name = some(x->name, "a"), *project = some(x->project, "p");
	long long now = clock_now(&ow.t.clock);
	struct arena *a = &ow.arena;
	struct tempdb *t = &ow.t;

	tempdb_exec(t,
		arena_printf(a, fields,
			text(arena_printf(a, "%s/tpu/us-central1-b/%s", project, name)),
			text(some(x->source, "tpu")), text(some(x->kind, "tpu")),
			text(project), text(name), at(-7200), text(some(x->verb, "stop")),
			text(some(x->mode, "armed")), text(some(x->severity, "critical")),
			text(some(x->state, "warning")), text(some(x->held, "")),
			text(some(x->reason, "")), now, now, at(x->due), at(x->sent),
			at(x->sent), text(x->operation), text(x->restart),
			x->unpriced ? "NULL" : "8000000000",
			x->unpriced ? "NULL" : "100000000",
			x->unpriced ? "NULL" : text(some(x->currency, "USD")), over_at(x)));
	return tempdb_int(t, "SELECT MAX(action) FROM action");
}

void aw_state(int64_t action, const char *state, const char *held, const char *reason)
{
	bool over = action_over(action_state_of(state));

	tempdb_exec(&ow.t,
		arena_printf(&ow.arena,
			"UPDATE action SET state = %s, held = %s, reason = %s, ended = %s "
			"WHERE action = %lld",
			text(state), text(held), text(reason),
			over ? arena_printf(
				       &ow.arena, "%lld", (long long)clock_now(&ow.t.clock))
			     : "NULL",
			(long long)action));
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
