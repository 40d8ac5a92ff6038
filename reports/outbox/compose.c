/* Composes messages from the items that wait. */
#include "base/url/address.h"
#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/message/message.h"
#include "reports/outbox/outbox.h"
#include "reports/shared.h"
#include "rules/history.h"

#include <string.h>

#define MAX_REFS 20
#define NOTES_MOST 200 /* actions in a message */
#define KEEP_TEXT (7 * INT64_C(86400))

struct composing {
	struct db *db;
	const struct outbox *o;
	struct arena *a;
	ts_t now;
};

/* ---- channels ---------------------------------------------------------------------------------- */

static enum err_code end_letters(struct composing *m, const char *channel,
	const char *state, const char *why, struct err *e)
{
	struct q_notification_end_channel_in in = {
		.channel = channel, .state = state, .now = m->now, .error = why};

	return q_notification_end_channel(m->db, &in, e);
}

/* Items for channels that are no longer configured are dropped. */
static enum err_code drop_channels(struct composing *m, struct err *e)
{
	struct q_outbox_channels *v;
	size_t n;

	if (q_outbox_channels_all(m->db, m->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct q_channel_drop_in drop = {.channel = v[i].channel};

		if (!outbox_channel(m->o, drop.channel) &&
			(q_channel_drop(m->db, &drop, e) ||
				end_letters(m, drop.channel, "dropped",
					"the channel is no longer configured", e)))
			return e->code;
	}
	return E_OK;
}

/* Reports whether the address is a recipient of the channel, under any name. */
static bool is_recipient(const struct channel *c, const char *recipient)
{
	if (!channel_traits[c->kind].per_recipient || mail_address_check(recipient, NULL))
		return true;
	for (size_t i = 0; i < c->n_to; i++)
		if (mail_address_same(c->to[i], recipient))
			return true;
	return false;
}

/* Letters written for the previous configuration of the channel: a letter in another format cannot
 * be sent, and its content is composed again; a removed recipient gets no mail. */
static enum err_code drop_letters(
	struct composing *m, const struct channel *c, bool *dropped, struct err *e)
{
	struct q_notification_open_in in = {.channel = c->name, .now = m->now};
	struct q_notification_open *v;
	size_t n;

	*dropped = false;
	if (q_notification_open_all(m->db, &in, m->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct q_notification_delete_in gone = {.id = v[i].id};
		struct q_notification_drop_in drop = {.id = v[i].id,
			.now = m->now,
			.error = "no longer a recipient of the channel"};

		if (strcmp(v[i].format, channel_traits[c->kind].format) != 0) {
			if (q_notification_delete(m->db, &gone, e))
				return e->code;
			*dropped = true;
		} else if (!is_recipient(c, v[i].recipient) &&
			q_notification_drop(m->db, &drop, e)) {
			return e->code;
		}
	}
	return E_OK;
}

/* A new or changed channel is tried again, regardless of earlier failures, and receives the alerts
 * that fire now. */
static enum err_code renew_channel(
	struct composing *m, const struct channel *c, bool *off, struct err *e)
{
	struct q_channel_get_in get = {
		.channel = c->name, .base = c->base ? c->base : c->name};
	struct q_channel_put_in put = {.channel = c->name,
		.kind = channel_traits[c->kind].name,
		.version = c->version};
	struct q_channel_get was;
	bool found, dropped, changed;

	if (q_channel_get_one(m->db, &get, m->a, &was, &found, e))
		return e->code;
	*off = was.off_since.set && !strcmp(was.version, c->version);
	if (drop_letters(m, c, &dropped, e))
		return e->code;
	changed = !found || strcmp(was.version, c->version) != 0;
	if (!changed && !dropped)
		return E_OK;
	if (changed && q_channel_put(m->db, &put, e))
		return e->code;
	if (action_notes_renew(m->db, c->name, !found, m->now, e))
		return e->code;
	return outbox_catch_up(m->db, m->o->settings, c, NULL, m->now, m->a, e);
}

/* ---- send times -------------------------------------------------------------------------------- */

struct waiting {
	struct q_outbox_list *news;
	size_t n;
	/* Some items are, or were, critical: an end is sent as soon as its beginning, so that neither passes the
	 * other. */
	bool critical;
	bool urgent; /* and some of these are not ends, which wait in quiet hours */
	ts_t oldest;
	const char *dedup; /* of a message that is composed again; NULL: a new one */
	struct action_notes notes; /* these are due at once, and the others join them */
};

static bool is_event(const struct q_outbox_list *q, enum alert_event event)
{
	return !strcmp(q->event, alert_event_name(event));
}

static bool is_critical(const struct q_outbox_list *q)
{
	return !strcmp(q->severity, severity_name(SEVERITY_CRITICAL));
}

static void add_news(struct waiting *w, const struct q_outbox_list *q)
{
	w->news[w->n++] = *q;
	w->critical |= is_critical(q);
	w->urgent |= is_critical(q) && !is_event(q, EVENT_RESOLVED);
}

/* In quiet hours only what is critical; an end can wait. */
static enum err_code read_waiting(
	struct composing *m, const struct channel *c, struct waiting *w, struct err *e)
{
	bool quiet = channel_quiet(c, m->o->settings->tz, m->now);
	struct q_outbox_list_in in = {.channel = c->name};
	size_t n;

	if (q_outbox_list_all(m->db, &in, m->a, &w->news, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const struct q_outbox_list *q = &w->news[i];

		if (quiet && (!is_critical(q) || is_event(q, EVENT_RESOLVED)))
			continue;
		if (w->oldest == TS_NONE || q->at < w->oldest)
			w->oldest = q->at;
		add_news(w, q);
	}
	return E_OK;
}

/* Reports whether a message may be sent now. Only a storm delays critical items. A clock that was
 * set back delays nothing. */
static enum err_code is_due(struct composing *m, const struct channel *c,
	const struct waiting *w, bool *due, bool *digest, struct err *e)
{
	struct q_notification_recent_in in = {
		.channel = c->name, .since = m->now - 3600, .now = m->now};
	struct q_notification_newest_in last_in = {.channel = c->name, .now = m->now};
	struct q_notification_recent lately;
	struct q_notification_newest last;
	bool found, sent;
	ts_t since_last;

	*due = *digest = false;
	if (!w->n && !w->notes.n)
		return E_OK;
	if (q_notification_recent_one(m->db, &in, m->a, &lately, &found, e) ||
		q_notification_newest_one(m->db, &last_in, m->a, &last, &sent, e))
		return e->code;
	since_last = sent ? m->now - last.created : INT64_MAX;
	/* A storm ends after a quarter of an hour without alerts. */
	*digest = lately.n >= OUTBOX_STORM ||
		(sent && !strcmp(last.kind, "digest") &&
			since_last <= OUTBOX_DIGEST_GAP + 60);
	if (*digest) {
		*due = w->notes.n || since_last >= OUTBOX_DIGEST_GAP;
		return E_OK;
	}
	*due = w->critical || w->notes.n ||
		(since_last >= c->group_interval &&
			(m->now < w->oldest || m->now - w->oldest >= c->group_wait));
	return E_OK;
}

/* ---- messages ---------------------------------------------------------------------------------- */

static void add_ref(struct composing *m, const char *message, const char **refs, size_t *n)
{
	if (strstr(*refs, message))
		return;
	*refs = arena_printf(m->a, "%s%s%s", *refs, *n ? " " : "", message);
	++*n;
}

static enum err_code find_action_refs(struct composing *m, const struct channel *c,
	const struct action_notes *notes, const char **refs, size_t *n, struct err *e)
{
	for (size_t i = 0; i < notes->n && *n < MAX_REFS; i++) {
		struct q_action_announced_in in = {
			.action = notes->v[i].a.number, .channel = c->name};
		struct q_action_announced q;
		bool found;

		if (q_action_announced_one(m->db, &in, m->a, &q, &found, e))
			return e->code;
		if (found)
			add_ref(m, q.message, refs, n);
	}
	return E_OK;
}

/* Earlier messages about the same alerts and actions: the thread. */
static enum err_code find_refs(struct composing *m, const struct channel *c,
	const struct waiting *w, const char **out, struct err *e)
{
	const char *refs = "";
	size_t n = 0;

	for (size_t i = 0; i < w->n && n < MAX_REFS; i++) {
		struct q_outbox_told_in in = {.channel = c->name,
			.rule = w->news[i].rule,
			.subject = w->news[i].subject};
		struct q_outbox_told told;
		bool found;

		if (q_outbox_told_one(m->db, &in, m->a, &told, &found, e))
			return e->code;
		if (found)
			add_ref(m, told.message, &refs, &n);
	}
	if (find_action_refs(m, c, &w->notes, &refs, &n, e))
		return e->code;
	*out = refs;
	return E_OK;
}

/* A key that no other message has: the oldest item is in one message only, and an action is
 * reported again only after a loss, which takes a while. */
static const char *dedup_of(struct composing *m, const struct waiting *w)
{
	size_t first = 0;

	if (w->dedup)
		return w->dedup;
	if (!w->n)
		return arena_printf(m->a, "actions|%lld|%s|%lld", (long long)m->now,
			note_kind_name(w->notes.v[0].kind),
			(long long)w->notes.v[0].a.number);
	for (size_t i = 1; i < w->n; i++)
		if (w->news[i].item < w->news[first].item)
			first = i;
	return arena_printf(m->a, "alerts|%lld|%lld", (long long)w->news[first].at,
		(long long)w->news[first].item);
}

#define ASK "ask whoever runs tpucost"

static bool owner_runs(const char *command)
{
	return !command || str_starts(command, "gcloud compute ");
}

/* Owners can start and stop their machines; all other commands are those of the operator. */
static void leave_to_owner(struct doc_row *row, struct arena *a)
{
	const char *command = row->command, *line = row->line, *detail = row->detail;

	if (!owner_runs(row->also_command))
		row->also = row->also_command = NULL;
	if (owner_runs(command))
		return;
	if (line && str_ends(line, command))
		row->line = arena_printf(
			a, "%.*s" ASK, (int)(strlen(line) - strlen(command)), line);
	if (detail && str_ends(detail, ":"))
		row->detail = arena_printf(a, "%s " ASK ".", detail);
	row->command = NULL;
}

static void doc_for_owner(struct doc *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		d->sections[i]->more = NULL;
		for (size_t k = 0; k < d->sections[i]->n; k++)
			leave_to_owner(&d->sections[i]->rows[k], d->arena);
	}
	for (size_t i = 0; i < d->n_notes; i++)
		if (!strstr(d->notes[i], ": tpucost "))
			d->notes[n++] = d->notes[i];
	d->n_notes = n;
	doc_note(d, "To keep a machine, or if this is wrong, " ASK ".");
}

static enum err_code audit_head_note(struct db *db, struct doc *doc, struct err *e)
{
	struct err first = {0};

	audit_head_say(&(struct db_reader){db, doc->arena, &first}, false, doc);
	if (first.code)
		*e = first;
	return first.code;
}

static enum err_code make_doc(struct composing *m, const struct channel *c,
	const struct waiting *w, bool digest, struct doc **out, struct err *e)
{
	*out = NULL;
	if (w->n &&
		alert_doc(
			m->db, m->o->settings, w->news, w->n, digest, m->now, m->a, out, e))
		return e->code;
	if (w->notes.n)
		*out = action_doc(*out, w->n, m->o->settings, &w->notes,
			channel_traits[c->kind].max_acts, m->now, m->a);
	if (c->base)
		doc_for_owner(*out);
	else if (w->notes.n)
		return audit_head_note(m->db, *out, e);
	return E_OK;
}

/* No resource is acted on before a message names it: actions that do not fit in this message wait
 * for the next. The first always fits. */
static enum err_code fit_notes(struct composing *m, const struct channel *c,
	struct waiting *w, bool digest, struct err *e)
{
	size_t all = w->notes.n, n = all < NOTES_MOST ? all : NOTES_MOST;
	size_t fits = n > 0, above = n + 1;
	struct doc *d;

	while (n > fits) {
		w->notes.n = n;
		w->notes.later = all - n;
		if (make_doc(m, c, w, digest, &d, e))
			return e->code;
		if (outbox_fits(c, d))
			fits = n;
		else
			above = n;
		n = fits + (above - fits) / 2;
	}
	w->notes.n = fits;
	w->notes.later = all - fits;
	return E_OK;
}

static enum err_code put_letters(struct composing *m, const struct channel *c,
	const struct waiting *w, bool digest, struct outbox_what *what,
	const char **message, struct err *e)
{
	const char *put;
	struct doc *d;

	what->critical = w->urgent || w->notes.urgent ? 1 : w->critical ? 2 : 0;
	if (make_doc(m, c, w, digest, &d, e) ||
		outbox_put(m->db, c, what, d, m->now, m->a, &put, e))
		return e->code;
	if (!put && w->n && !**message) /* a mailbox that is listed twice has its letter */
		return err_set(e, E_BUG, "outbox: %s exists already", what->dedup);
	if (put)
		*message = put;
	return E_OK;
}

/* A beginning is sent to whom it was not sent yet, an end to whom the beginning was. A recipient who cannot be
 * reached for days gets one message, not one for each repeat. */
static enum err_code who_gets(struct composing *m, const struct channel *c,
	const struct q_outbox_list *q, struct heard **who, struct err *e)
{
	bool begins = is_event(q, EVENT_FIRING), ends = is_event(q, EVENT_RESOLVED);

	if (outbox_heard(m->db, c, q->rule, q->subject, begins ? SOME(q->since) : NONE,
		    m->a, who, e))
		return e->code;
	for (size_t i = 0; i < outbox_recipients(c); i++)
		(*who)[i].any = begins ? !(*who)[i].any
			: ends         ? (*who)[i].any
				       : !is_event(q, EVENT_REPEAT) || !(*who)[i].waits;
	return E_OK;
}

static struct waiting news_for(
	struct composing *m, const struct waiting *w, struct heard **who, size_t recipient)
{
	struct waiting out = *w;

	out.news = arena_alloc(m->a, w->n * sizeof(*out.news));
	out.n = 0;
	out.critical = out.urgent = false;
	for (size_t i = 0; i < w->n; i++)
		if (who[i][recipient].any)
			add_news(&out, &w->news[i]);
	return out;
}

/* Recipients who get all of it have the same letter. *message: "" if there is no letter. */
static enum err_code put_all(struct composing *m, const struct channel *c,
	const struct waiting *w, bool digest, const char **message, struct err *e)
{
	struct outbox_what what = {
		.dedup = dedup_of(m, w), .kind = digest ? "digest" : "alerts"};
	struct heard **who = arena_alloc(m->a, w->n * sizeof(*who));
	size_t n = outbox_recipients(c);
	const char **all = arena_alloc(m->a, n * sizeof(*all));
	struct channel to = *c;

	*message = "";
	to.n_to = 0;
	if (find_refs(m, c, w, &what.refs, e))
		return e->code;
	for (size_t i = 0; i < w->n; i++)
		if (who_gets(m, c, &w->news[i], &who[i], e))
			return e->code;
	for (size_t k = 0; k < n; k++) {
		struct waiting part = news_for(m, w, who, k);
		const char *one = outbox_recipient(c, k);
		struct channel alone = *c;

		alone.to = &one;
		alone.n_to = 1;
		if (part.n == w->n)
			all[to.n_to++] = one;
		else if ((part.n || part.notes.n) &&
			put_letters(m, &alone, &part, digest, &what, message, e))
			return e->code;
	}
	to.to = all;
	return to.n_to ? put_letters(m, &to, w, digest, &what, message, e) : E_OK;
}

static enum err_code compose_news(struct composing *m, const struct channel *c,
	struct waiting *w, bool digest, struct err *e)
{
	const char *message;

	if (fit_notes(m, c, w, digest, e) || put_all(m, c, w, digest, &message, e))
		return e->code;
	if (*message && action_notes_mark(m->db, &w->notes, c->name, message, e))
		return e->code;
	for (size_t i = 0; i < w->n; i++) {
		struct q_outbox_tell_in in = {.item = w->news[i].item, .message = message};

		/* An end is sent once, even if no recipient gets it. */
		if (!*message && !is_event(&w->news[i], EVENT_RESOLVED))
			in.message = NULL;
		if (q_outbox_tell(m->db, &in, e))
			return e->code;
	}
	return E_OK;
}

/* Separates items that follow a message which is yet to be sent, perhaps again, and wait for it. */
static void part_waiting(struct composing *m, const struct waiting *w,
	struct waiting *behind, struct waiting *free)
{
	*behind = *free = (struct waiting){.oldest = w->oldest};
	behind->news = arena_alloc(m->a, w->n * sizeof(*w->news));
	free->news = arena_alloc(m->a, w->n * sizeof(*w->news));
	for (size_t i = 0; i < w->n; i++)
		add_news(w->news[i].behind ? behind : free, &w->news[i]);
	for (size_t i = 0; i < w->notes.n; i++)
		action_notes_add(w->notes.v[i].behind ? &behind->notes : &free->notes,
			&w->notes.v[i], m->a);
}

/* One message; two if something that must be sent at once would have to wait with the others. */
static enum err_code compose_all(struct composing *m, const struct channel *c,
	struct waiting *w, bool digest, struct err *e)
{
	struct waiting behind, free;

	part_waiting(m, w, &behind, &free);
	if (!(behind.n || behind.notes.n) || !(free.critical || free.notes.n))
		return compose_news(m, c, w, digest, e);
	return compose_news(m, c, &free, digest, e)
		? e->code
		: compose_news(m, c, &behind, digest, e);
}

static bool noticed(
	const struct q_action_noticed *v, size_t n, const struct action_note *note)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].action == note->a.number &&
			!strcmp(v[i].kind, note_kind_name(note->kind)))
			return true;
	return false;
}

/* With the same alerts, and those of its notes that are still due. */
static enum err_code compose_anew(struct composing *m, const struct channel *c,
	const struct q_notification_stale *q, struct err *e)
{
	struct q_action_noticed_in in = {.channel = c->name, .message = q->message};
	struct q_notification_take_in take = {.channel = c->name, .message = q->message};
	struct q_outbox_list_in list = {.channel = c->name, .message = q->message};
	struct waiting w = {.oldest = TS_NONE, .dedup = q->dedup};
	struct q_action_noticed *had;
	struct action_notes notes;
	struct q_outbox_list *v;
	size_t n_had, n;

	if (q_action_noticed_all(m->db, &in, m->a, &had, &n_had, e) ||
		q_notification_take(m->db, &take, e) ||
		q_outbox_list_all(m->db, &list, m->a, &v, &n, e) ||
		action_notes_read(m->db, c, m->o->settings, m->now, m->a, &notes, e))
		return e->code;
	w.news = arena_alloc(m->a, n * sizeof(*w.news));
	for (size_t i = 0; i < n; i++)
		add_news(&w, &v[i]);
	for (size_t i = 0; i < notes.n; i++)
		if (noticed(had, n_had, &notes.v[i]))
			action_notes_add(&w.notes, &notes.v[i], m->a);
	return w.n || w.notes.n ? compose_news(m, c, &w, !strcmp(q->kind, "digest"), e)
				: E_OK;
}

/* A stop follows so long after its warning was accepted: one that was not accepted would state a time that has passed by
 * then, or announce what has happened. */
static enum err_code renew_warnings(
	struct composing *m, const struct channel *c, struct err *e)
{
	struct q_notification_stale_in in = {.channel = c->name, .now = m->now};
	struct q_notification_taken_in taken = {.channel = c->name,
		.now = m->now,
		.error = "what it was about has changed"};
	struct q_notification_stale *v;
	size_t n;

	if (q_notification_stale_all(m->db, &in, m->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (compose_anew(m, c, &v[i], e))
			return e->code;
	return n ? q_notification_taken(m->db, &taken, e) : E_OK;
}

static enum err_code compose_channel(
	struct composing *m, const struct channel *c, bool *off, struct err *e)
{
	struct waiting w = {.oldest = TS_NONE};
	bool due, digest;

	if (renew_channel(m, c, off, e) || renew_warnings(m, c, e) ||
		read_waiting(m, c, &w, e) ||
		action_notes_read(m->db, c, m->o->settings, m->now, m->a, &w.notes, e) ||
		is_due(m, c, &w, &due, &digest, e))
		return e->code;
	if (due && compose_all(m, c, &w, digest, e))
		return e->code;
	return *off ? end_letters(m, c->name, "dead", "the channel is switched off", e)
		    : E_OK;
}

/* ---- undeliverable messages -------------------------------------------------------------------- */

static enum err_code mark_lost(
	struct composing *m, const struct q_notification_lost *v, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct q_notification_lost_told_in in = {.id = v[i].id};

		if (q_notification_lost_told(m->db, &in, e))
			return e->code;
	}
	return E_OK;
}

/* Reports the letters of one channel to all other working channels, at most once a day. */
static enum err_code tell_lost(struct composing *m, const struct q_notification_lost *v,
	size_t n, const bool *off, struct err *e)
{
	char date[DATE_BUF];
	struct outbox_what what = {.kind = "lost",
		.dedup = arena_printf(m->a, "lost|%s%s|%s", v->base, v->to_owner ? "/" : "",
			date_format(tz_day(m->o->settings->tz, m->now), date))};
	struct doc *d = lost_doc(m->o->settings, v, n, m->now, m->a);
	const char *message;
	bool told = false;

	for (size_t i = 0; i < m->o->n; i++) {
		const struct channel *c = &m->o->channels[i];

		if (off[i] || c->base || (!v->to_owner && !strcmp(c->name, v->base)))
			continue;
		if (outbox_put(m->db, c, &what, d, m->now, m->a, &message, e))
			return e->code;
		told |= message != NULL;
	}
	return told ? mark_lost(m, v, n, e) : E_OK;
}

static enum err_code tell_of_lost(struct composing *m, const bool *off, struct err *e)
{
	struct q_notification_lost *v;
	size_t n = 0, all;

	if (q_notification_lost_all(m->db, m->a, &v, &all, e))
		return e->code;
	for (size_t i = 0; i < all; i++) {
		/* the loss of a message about a loss or of a test is not reported */
		if (strcmp(v[i].kind, "lost") != 0 && strcmp(v[i].kind, "test") != 0)
			v[n++] = v[i];
		else if (mark_lost(m, &v[i], 1, e))
			return e->code;
	}
	for (size_t i = 0, k; i < n; i = k) {
		/* letters to owners through one channel are one group */
		for (k = i + 1; k < n && v[k].to_owner == v[i].to_owner &&
			!strcmp(v[k].base, v[i].base);)
			k++;
		if (tell_lost(m, &v[i], k - i, off, e))
			return e->code;
	}
	return E_OK;
}

/* ---- all channels ------------------------------------------------------------------------------ */

static enum err_code forget_old(struct composing *m, struct err *e)
{
	struct q_notification_expire_in expire = {
		.now = m->now, .error = "undeliverable after two days"};
	struct q_notification_forget_in old;
	ts_t known;

	if (history_now(m->db, m->now, &known, e))
		return e->code;
	expire.before = known - OUTBOX_MAX_AGE;
	old.texts = known - KEEP_TEXT;
	old.rows = history_from(m->o->settings, known);
	return q_notification_expire(m->db, &expire, e)
		? e->code
		: q_notification_forget(m->db, &old, e);
}

enum err_code outbox_compose(
	struct db *db, const struct outbox *o, ts_t now, struct arena *a, struct err *e)
{
	struct composing m = {.db = db, .o = o, .a = a, .now = now};
	bool *off = arena_alloc(a, o->n * sizeof(*off));
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(db, &tx, e) || drop_channels(&m, e))
		return e->code;
	for (size_t i = 0; i < o->n; i++)
		if (compose_channel(&m, &o->channels[i], &off[i], e))
			return e->code;
	if (forget_old(&m, e) || tell_of_lost(&m, off, e))
		return e->code;
	return db_commit(&tx, e);
}
