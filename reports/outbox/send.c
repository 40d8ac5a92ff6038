/* Sends due messages. No transaction is open while tpucost waits for the network. */
#include "db/db.h"
#include "db_sql.h"
#include "reports/outbox/outbox.h"

#include <string.h>

#define WAIT_FOR 3       /* maximum wait, in seconds, for the rate limit of a channel */
#define MAX_LETTERS 1000 /* per run and channel */

struct posting {
	struct db *db;
	const struct outbox *o;
	const struct outbox_post *p;
	struct outbox_sent *out;
	int64_t until_ms;
};

/* The claimed message. */
struct taken {
	struct q_notification_next q;
	int64_t fence;
	bool found;
	ts_t wait_until; /* TS_NONE: not limited */
};

/* State of the channels. */
struct round {
	bool *done; /* the channel has no due message */
	int *n;     /* letters */
	bool left;  /* more messages may be due */
	bool sent;  /* in this round */
};

/* ---- claims ------------------------------------------------------------------------------------ */

/* Reports whether the channel may send now. The rate limit is shared by all processes. */
static enum err_code ask_channel(struct posting *s, const struct channel *c, ts_t now,
	struct arena *a, bool *open, ts_t *wait_until, struct err *e)
{
	struct q_channel_get_in in = {
		.channel = c->name, .base = c->base ? c->base : c->name};
	struct q_channel_get q;
	bool found;

	*open = true;
	*wait_until = TS_NONE;
	if (q_channel_get_one(s->db, &in, a, &q, &found, e))
		return e->code;
	if (!found || s->p->only)
		return E_OK;
	*open = !q.off_since.set;
	/* No time is ever set two hours ahead: the clock was wrong then. */
	if (q.next_at.set && q.next_at.v > now && q.next_at.v <= now + 7200) {
		*open &= q.next_at.v - now <= WAIT_FOR;
		*wait_until = q.next_at.v;
	}
	return E_OK;
}

static enum err_code take_next(struct posting *s, const struct channel *c, struct arena *a,
	struct taken *t, struct err *e)
{
	ts_t now = clock_now(s->p->clock);
	struct q_notification_next_in in = {.channel = c->name,
		.now = now,
		.only = s->p->only ? s->p->only : "",
		.ordered = c->kind == CHANNEL_ALERTMANAGER,
		.quiet = c->kind != CHANNEL_ALERTMANAGER &&
			channel_quiet(c, s->o->settings->tz, now)};
	struct q_notification_claim_in claim = {.lease = now + OUTBOX_LEASE};
	cleanup(db_tx_end) struct db_tx tx = {0};
	bool open;

	t->found = false;
	if (db_begin(s->db, &tx, e) || ask_channel(s, c, now, a, &open, &t->wait_until, e))
		return e->code;
	if (!open)
		return E_OK;
	if (q_notification_next_one(s->db, &in, a, &t->q, &t->found, e))
		return e->code;
	if (!t->found || t->wait_until != TS_NONE)
		return E_OK;
	claim.id = t->q.id;
	claim.fence = t->q.fence;
	t->fence = t->q.fence + 1;
	if (q_notification_claim(s->db, &claim, e))
		return e->code;
	return db_commit(&tx, e);
}

/* ---- outcomes ---------------------------------------------------------------------------------- */

/* Of the messages that can be claimed: any attempt but the first may be a repeat. */
static enum letter_state state_of(const char *word)
{
	return strcmp(word, letter_state_name(LETTER_PENDING)) ? LETTER_UNCLEAR
							       : LETTER_PENDING;
}

static enum err_code put_channel(struct posting *s, const struct channel *c,
	const struct delivery *d, const struct send_result *r, ts_t now, struct err *e)
{
	/* a login that is refused to an owner's letter is that of the channel which sends it */
	const char *name = d->switch_off && c->base ? c->base : c->name;
	struct q_channel_result_in in = {.channel = name,
		.kind = channel_traits[c->kind].name,
		.next_at = opt_of_ts(d->channel_next_at)};
	struct q_notification_end_channel_in rest = {.channel = name,
		.state = "dead",
		.now = now,
		.error = "the channel is switched off"};

	if (d->channel_next_at == TS_NONE && channel_traits[c->kind].gap)
		in.next_at = SOME(now + channel_traits[c->kind].gap);
	if (r->class != SEND_SENT)
		in.error = r->err.msg;
	if (!d->switch_off)
		return q_channel_result(s->db, &in, e);
	in.off_since = SOME(now);
	if (q_channel_result(s->db, &in, e))
		return e->code;
	return q_notification_end_channel(s->db, &rest, e);
}

static enum err_code put_outcome(struct posting *s, const struct channel *c,
	const struct taken *t, const struct send_result *r, struct arena *a, struct err *e)
{
	ts_t now = clock_now(s->p->clock);
	struct delivery d = {.state = state_of(t->q.state),
		.attempts = t->q.attempts + 1,
		.once = !strcmp(t->q.kind, "test"),
		.to_one = c->n_to > 1 || c->base};
	struct q_notification_finish_in in = {.id = t->q.id,
		.fence = t->fence,
		.reply = *r->reply ? r->reply : NULL,
		.error = r->class == SEND_SENT ? NULL
			: *r->err.fix ? arena_printf(a, "%s; %s", r->err.msg, r->err.fix)
				      : r->err.msg};
	struct q_notification_fence_in get = {.id = t->q.id};
	struct q_notification_fence is;
	cleanup(db_tx_end) struct db_tx tx = {0};
	bool found;

	delivery_step(&d, r, now, (uint32_t)clock_mono_ms(s->p->clock) * 2654435761u);
	in.state = letter_state_name(d.state);
	in.next_at = opt_of_ts(d.next_at);
	in.finished = d.next_at == TS_NONE ? SOME(now) : NONE;
	if (db_begin(s->db, &tx, e) ||
		q_notification_fence_one(s->db, &get, a, &is, &found, e))
		return e->code;
	if (!found || is.fence != t->fence) /* another process has claimed it */
		return E_OK;
	if (q_notification_finish(s->db, &in, e) || put_channel(s, c, &d, r, now, e))
		return e->code;
	return db_commit(&tx, e);
}

/* ---- one letter -------------------------------------------------------------------------------- */

static size_t split_refs(const char *text, struct arena *a, const char ***out)
{
	char *s = arena_strdup(a, text), *rest = NULL;
	const char **v = NULL;
	size_t n = 0, cap = 0;

	for (char *w = strtok_r(s, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
		*arena_append(a, v, n, cap) = w;
	}
	*out = v;
	return n;
}

static enum err_code send_one(struct posting *s, const struct channel *c,
	const struct taken *t, struct arena *a, struct err *e)
{
	struct send_result r = {.retry_after = -1};
	const char **refs;
	struct letter l = {.id = t->q.message,
		.kind = t->q.kind,
		.recipient = t->q.recipient,
		.subject = t->q.subject,
		.body = t->q.body,
		.html = t->q.html,
		.created = t->q.created,
		.may_be_repeat = strcmp(t->q.state, "pending") != 0};

	l.n_refs = split_refs(t->q.refs, a, &refs);
	l.refs = refs;
	s->p->send(s->p->ctx, c, &l, &r);
	if (r.class == SEND_SENT)
		s->out->sent++;
	else if (!c->base) /* the address of an owner may not exist */
		s->out->failed++;
	if (s->p->step)
		s->p->step(s->p->step_ctx, c, &l, &r);
	return put_outcome(s, c, t, &r, a, e);
}

/* The next letter of a channel, if any. */
static enum err_code send_next(struct posting *s, size_t i, struct round *r, struct err *e)
{
	const struct channel *c = &s->o->channels[i];
	cleanup(arena_done) struct arena a = {0};
	struct taken t;

	if (take_next(s, c, &a, &t, e))
		return err_wrap(e, "outbox: channel %s", c->name);
	r->done[i] = !t.found || ++r->n[i] >= MAX_LETTERS;
	r->left |= !r->done[i];
	if (!t.found || t.wait_until != TS_NONE)
		return E_OK;
	r->sent = true;
	if (send_one(s, c, &t, &a, e))
		return err_wrap(e, "outbox: channel %s", c->name);
	return E_OK;
}

/* One letter of each channel in turn, so that a slow channel does not delay the others. The first
 * letter of each channel has more time; otherwise many letters of the first channels would delay
 * the last ones. */
static enum err_code send_all(struct posting *s, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	struct round r = {.done = arena_alloc(&a, s->o->n * sizeof(*r.done)),
		.n = arena_alloc(&a, s->o->n * sizeof(*r.n)),
		.left = true};

	for (int64_t more = s->p->max_seconds * 2000; r.left; more = 0) {
		r.left = r.sent = false;
		for (size_t i = 0; i < s->o->n; i++) {
			if (clock_mono_ms(s->p->clock) >= s->until_ms + more)
				return E_OK;
			if (!r.done[i] && send_next(s, i, &r, e))
				return e->code;
		}
		if (r.left && !r.sent)
			clock_sleep_ms(s->p->clock, 200);
	}
	return E_OK;
}

/* ---- all channels ------------------------------------------------------------------------------ */

enum err_code outbox_count(
	struct db *db, const struct outbox *o, struct outbox_sent *out, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	struct q_notification_counts q;
	struct db_rows rows;

	out->waiting = out->dead = out->off = 0;
	if (q_notification_counts_open(db, &rows, e))
		return e->code;
	while (q_notification_counts_next(&rows, &q)) {
		const struct channel *c = outbox_channel(o, q.channel);

		if (!c || c->base)
			continue;
		out->waiting += (size_t)q.waiting;
		out->dead += (size_t)q.dead;
	}
	if (db_rows_close(&rows, e))
		return e->code;
	for (size_t i = 0; i < o->n && !o->channels[i].base; i++) {
		const char *name = o->channels[i].name;
		struct q_channel_get_in in = {.channel = name, .base = name};
		struct q_channel_get c;
		bool found;

		if (q_channel_get_one(db, &in, &a, &c, &found, e))
			return e->code;
		out->off += found && c.off_since.set;
	}
	return E_OK;
}

enum err_code outbox_send(struct db *db, const struct outbox *o,
	const struct outbox_post *p, struct outbox_sent *out, struct err *e)
{
	struct posting s = {.db = db,
		.o = o,
		.p = p,
		.out = out,
		.until_ms = clock_mono_ms(p->clock) + p->max_seconds * 1000};

	*out = (struct outbox_sent){0};
	return send_all(&s, e) ? e->code : outbox_count(db, o, out, e);
}
