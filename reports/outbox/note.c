/* Turns the results of an evaluation into items for each channel. */
#include "base/strmap.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/fix.h"
#include "reports/outbox/outbox.h"

#include <string.h>

const struct channel *outbox_channel(const struct outbox *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->channels[i].name, name))
			return &o->channels[i];
	return NULL;
}

struct noting {
	struct db *db;
	const struct settings *s;
	struct arena *arena;
	ts_t now;
	struct strmap fires; /* note_cause() of the alerts that fire and are not silenced */
	/* That of the alerts which this channel reported, but not their end, with the worst severity. */
	struct strmap told;
	const struct channel *told_of; /* NULL: not read yet */
};

/* Key of the cause that an alert shares with others; NULL: it has none. A rule that was switched off has no alerts. */
static const char *note_cause(const struct noting *n, const char *rule, const char *summary)
{
	const char *cause = cause_of_alert(n->s, rule, summary, n->arena);

	return cause && fix_rule(n->s, rule)->enabled
		? arena_printf(n->arena, "%s\n%s", rule, cause)
		: NULL;
}

/* Alertmanager tracks each alert, and alerts of owners have no cause. */
static bool note_joins(const struct channel *c)
{
	return c->kind != CHANNEL_ALERTMANAGER && !c->base;
}

static enum err_code add(struct noting *n, const struct channel *c, const struct said *s,
	enum alert_event event, struct err *e)
{
	struct q_outbox_add_in in = {.channel = c->name,
		.rule = s->rule,
		.subject = s->subject,
		.kind = alert_event_name(event),
		.severity = severity_name(s->severity),
		.summary = s->summary,
		.at = n->now,
		.since = s->since};

	return q_outbox_add(n->db, &in, e);
}

/* *announced: the channel reported the alert and did not report its end. */
static enum err_code last_told(struct noting *n, const struct channel *c,
	const struct said *s, struct q_outbox_told *told, bool *announced, struct err *e)
{
	struct q_outbox_told_in in = {
		.channel = c->name, .rule = s->rule, .subject = s->subject};

	if (q_outbox_told_one(n->db, &in, n->arena, told, announced, e))
		return e->code;
	*announced = *announced &&
		strcmp(told->kind, alert_event_name(EVENT_RESOLVED)) != 0;
	return E_OK;
}

static enum err_code note_resolved(
	struct noting *n, const struct channel *c, const struct said *s, struct err *e)
{
	struct q_outbox_told told;
	bool announced;

	/* A cost jump and an ended grant do not become good, only old: their end is not reported.
	 * Alertmanager tracks open alerts and needs it. */
	if (fix_ends_unsaid(n->s, s) && c->kind != CHANNEL_ALERTMANAGER)
		return E_OK;
	if (last_told(n, c, s, &told, &announced, e))
		return e->code;
	return announced ? add(n, c, s, EVENT_RESOLVED, e) : E_OK;
}

static enum err_code note_what_is_told(
	struct noting *n, const struct channel *c, struct err *e)
{
	struct q_outbox_reported_in in = {.channel = c->name};
	struct q_outbox_reported row;
	struct db_rows rows;

	if (n->told_of == c)
		return E_OK;
	strmap_done(&n->told);
	n->told_of = c;
	if (q_outbox_reported_open(n->db, &in, &rows, e))
		return e->code;
	while (q_outbox_reported_next(&rows, &row)) {
		const char *cause = note_cause(n, row.rule, row.said);
		size_t s = (size_t)severity_parse(row.said_severity);

		if (cause && !strmap_put(&n->told, cause, s) &&
			s > *strmap_get(&n->told, cause))
			*strmap_get(&n->told, cause) = s;
	}
	return db_rows_close(&rows, e);
}

/* One cause is one message: a source that gets old later, with the cause of others of which the channel reported no end,
 * has been reported with them. */
static enum err_code add_new(
	struct noting *n, const struct channel *c, const struct said *s, struct err *e)
{
	const char *cause = note_joins(c) ? note_cause(n, s->rule, s->summary) : NULL;
	const size_t *told;

	if (cause && note_what_is_told(n, c, e))
		return e->code;
	told = cause ? strmap_get(&n->told, cause) : NULL;
	return told && *told >= (size_t)s->severity ? E_OK : add(n, c, s, EVENT_FIRING, e);
}

/* An alert that fires, got worse or repeats is new to a channel that has not announced it. `was`: the item
 * that is still waiting, or NULL. */
static enum err_code note_news(struct noting *n, const struct channel *c,
	const struct said *s, const char *was, struct err *e)
{
	bool worse = was && !strcmp(was, alert_event_name(EVENT_WORSE));
	struct q_outbox_told told;
	bool announced;

	if (last_told(n, c, s, &told, &announced, e))
		return e->code;
	if (!announced)
		return add_new(n, c, s, e);
	return add(n, c, s, worse ? EVENT_WORSE : s->event, e);
}

/* Alerts that fire and were not announced to every recipient of the channel, or whose announcement was not
 * delivered. A silenced one is due when the silence ends. */
static enum err_code note_unheard(
	struct noting *n, const struct channel *c, const struct said *s, struct err *e)
{
	struct q_outbox_waiting_in in = {
		.channel = c->name, .rule = s->rule, .subject = s->subject};
	struct q_alert_again_in again = {.rule = s->rule, .subject = s->subject};
	struct q_outbox_waiting waits;
	struct q_outbox_told told;
	struct heard *heard;
	bool waiting, announced, all = true;

	if (s->severity < c->min_severity || !channel_is_about(c, s->rule, s->subject))
		return E_OK;
	if (q_outbox_waiting_one(n->db, &in, n->arena, &waits, &waiting, e) ||
		last_told(n, c, s, &told, &announced, e) ||
		outbox_heard(
			n->db, c, s->rule, s->subject, SOME(s->since), n->arena, &heard, e))
		return e->code;
	for (size_t i = 0; i < outbox_recipients(c); i++)
		all &= heard[i].any;
	if (waiting || (announced && all))
		return E_OK;
	if (s->muted)
		return q_alert_again(n->db, &again, e);
	return announced ? add(n, c, s, EVENT_FIRING, e) : add_new(n, c, s, e);
}

/* The alert ended briefly, and the end was not sent: the channel still shows it as firing. */
static enum err_code note_back(
	struct noting *n, const struct channel *c, const struct said *s, struct err *e)
{
	struct q_outbox_goes_on_in in = {.channel = c->name,
		.rule = s->rule,
		.subject = s->subject,
		.since = s->since};
	struct q_outbox_told told;
	bool announced;

	if (last_told(n, c, s, &told, &announced, e))
		return e->code;
	if (announced && !strcmp(told.severity, severity_name(s->severity)))
		return q_outbox_goes_on(n->db, &in, e) ? e->code : note_unheard(n, c, s, e);
	return add(n, c, s, announced ? EVENT_WORSE : EVENT_FIRING, e);
}

/* A silence delays repeats but not ends: a channel that announced the alert waits for its end, and
 * items that still wait to be sent are dropped. */
static enum err_code note(
	struct noting *n, const struct channel *c, const struct said *s, struct err *e)
{
	struct q_outbox_waiting_in in = {
		.channel = c->name, .rule = s->rule, .subject = s->subject};
	struct q_outbox_waiting was;
	bool found;

	if (s->event != EVENT_RESOLVED &&
		(s->muted || s->severity < c->min_severity ||
			!channel_is_about(c, s->rule, s->subject)))
		return E_OK;
	if (q_outbox_waiting_one(n->db, &in, n->arena, &was, &found, e))
		return e->code;
	if (found && q_outbox_tell(n->db, &(struct q_outbox_tell_in){.item = was.item}, e))
		return e->code;
	if (s->event == EVENT_RESOLVED)
		return note_joins(c) && note_cause(n, s->rule, s->summary)
			? E_OK /* note_causes() ends it */
			: note_resolved(n, c, s, e);
	if (found && !strcmp(was.kind, alert_event_name(EVENT_RESOLVED)))
		return note_back(n, c, s, e);
	return note_news(n, c, s, found ? was.kind : NULL, e);
}

enum err_code outbox_catch_up(struct db *db, const struct settings *s,
	const struct channel *c, const char *rule, ts_t now, struct arena *a, struct err *e)
{
	struct noting n = {.db = db, .s = s, .arena = a, .now = now};
	struct q_outbox_firing_in in = {.now = now};
	struct q_outbox_firing *v;
	size_t count = 0;
	enum err_code rc = q_outbox_firing_all(db, &in, a, &v, &count, e);

	for (size_t i = 0; !rc && i < count; i++) {
		const struct said said = {.rule = v[i].rule,
			.subject = v[i].subject,
			.summary = v[i].summary,
			.severity = severity_parse(v[i].severity),
			.since = v[i].since,
			.muted = v[i].muted != 0};

		if (!rule || !strcmp(rule, said.rule))
			rc = note_unheard(&n, c, &said, e);
	}
	strmap_done(&n.told);
	return rc;
}

static enum err_code note_what_fires(struct noting *n, struct err *e)
{
	struct q_outbox_firing_in in = {.now = n->now};
	struct q_outbox_firing row;
	struct db_rows rows;

	if (q_outbox_firing_open(n->db, &in, &rows, e))
		return e->code;
	while (q_outbox_firing_next(&rows, &row)) {
		const char *cause = row.muted ? NULL : note_cause(n, row.rule, row.summary);

		if (cause)
			strmap_put(&n->fires, cause, 1);
	}
	return db_rows_close(&rows, e);
}

/* A cause ends on the channel when it has ended for all alerts, or a day later. One that was reported with them, and now
 * fires for another cause, is then new. */
static enum err_code note_causes(struct noting *n, const struct channel *c, struct err *e)
{
	struct q_outbox_reported_in in = {.channel = c->name};
	struct q_outbox_reported *v;
	const char *ended = "", *cause;
	size_t count;

	if (q_outbox_reported_all(n->db, &in, n->arena, &v, &count, e))
		return e->code;
	for (size_t i = 0; i < count; i++) {
		const struct said said = {.rule = v[i].rule,
			.subject = v[i].subject,
			.summary = v[i].summary,
			.severity = severity_parse(v[i].severity),
			.since = v[i].since};

		cause = v[i].resolved.set ? note_cause(n, said.rule, said.summary) : NULL;
		if (!cause ||
			(strmap_get(&n->fires, cause) &&
				v[i].resolved.v > n->now - DAY_SECONDS))
			continue;
		if (add(n, c, &said, EVENT_RESOLVED, e) ||
			(strcmp(ended, said.rule) != 0 &&
				outbox_catch_up(
					n->db, n->s, c, said.rule, n->now, n->arena, e)))
			return e->code;
		ended = said.rule;
	}
	return E_OK;
}

/* Ends what is no longer reported to an owner: the resource has another owner, the rule no longer
 * mails owners, or the alert ended while its rule was not allowed to. */
static enum err_code note_ends(struct noting *n, const struct channel *c, struct err *e)
{
	struct q_outbox_open_in in = {.channel = c->name};
	struct q_outbox_open *v;
	size_t count;

	if (q_outbox_open_all(n->db, &in, n->arena, &v, &count, e))
		return e->code;
	for (size_t i = 0; i < count; i++) {
		struct said said = {.rule = v[i].rule,
			.subject = v[i].subject,
			.summary = v[i].summary,
			.event = EVENT_RESOLVED,
			.severity = severity_parse(v[i].severity),
			.since = v[i].since};

		if (v[i].firing && channel_is_about(c, said.rule, said.subject))
			continue;
		if (v[i].firing)
			said.summary = judge_was(n->arena, said.summary,
				"it is no longer reported to you, because its owner or the "
				"rule has changed");
		if (note(n, c, &said, e))
			return e->code;
	}
	return E_OK;
}

enum err_code outbox_note(struct db *db, const struct outbox *o, const struct judgement *j,
	ts_t now, struct err *e)
{
	cleanup(arena_done) struct arena arena = {0};
	struct noting n = {.db = db, .s = o->settings, .arena = &arena, .now = now};
	enum err_code rc = note_what_fires(&n, e);

	for (size_t k = 0; !rc && k < o->n; k++) {
		const struct channel *c = &o->channels[k];

		for (size_t i = 0; !rc && i < j->n_said; i++) {
			rc = note(&n, c, &j->said[i], e);
			arena_reset(&arena);
		}
		if (!rc)
			rc = c->base            ? note_ends(&n, c, e)
				: note_joins(c) ? note_causes(&n, c, e)
						: E_OK;
	}
	strmap_done(&n.fires);
	strmap_done(&n.told);
	return rc ? err_wrap(e, "outbox") : E_OK;
}
