/* Puts documents into the outbox, in the format of the channel. */
#include "base/str.h"
#include "base/url/address.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/doc/formats.h"
#include "reports/outbox/outbox.h"

#include <stdio.h>

/* FNV-1a, twice with different initial values: for unique names, not for security. */
static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

/* The same id for the same content: a commit that reported an error may have succeeded. */
static const char *message_id(
	const struct channel *c, const struct outbox_what *w, ts_t now, struct arena *a)
{
	char at[32];
	uint64_t h[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};

	snprintf(at, sizeof(at), "%lld", (long long)now);
	for (int i = 0; i < 2; i++)
		h[i] = hash(hash(hash(h[i], w->dedup), c->name), at);
	return arena_printf(
		a, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
}

size_t outbox_recipients(const struct channel *c)
{
	return channel_traits[c->kind].per_recipient ? c->n_to : 1;
}

const char *outbox_recipient(const struct channel *c, size_t i)
{
	return channel_traits[c->kind].per_recipient ? c->to[i] : "";
}

static const char *render(const char *format, const struct channel_traits *t,
	const struct doc *d, bool *cut, struct arena *a)
{
	struct format_opts o = {.max_rows = t->max_rows,
		.max_bytes = t->max_bytes,
		.mail = true,
		.cut = cut};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	doc_format_find(format)->render(d, &o, &b);
	return arena_strdup(a, b.s);
}

bool outbox_fits(const struct channel *c, const struct doc *d)
{
	const struct channel_traits *t = &channel_traits[c->kind];
	bool cut = false;

	render(t->format, t, d, &cut, d->arena);
	if (t->html)
		render("html", t, d, &cut, d->arena);
	return !cut;
}

/* An address under another name, or in upper case, is the same recipient. */
static bool same_recipient(const char *a, const char *b)
{
	return str_eq(a, b) || mail_address_same(a, b);
}

enum err_code outbox_has(struct db *db, const struct channel *c, const char *dedup,
	const char *recipient, struct arena *a, bool *out, struct err *e)
{
	struct q_notification_has_in in = {
		.first = arena_printf(a, "%s|%s|", dedup, c->name),
		.end = arena_printf(a, "%s|%s}", dedup, c->name)}; /* the next after "|" */
	struct q_notification_has *v;
	size_t n;

	*out = false;
	if (q_notification_has_all(db, &in, a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		*out |= same_recipient(v[i].recipient, recipient);
	return E_OK;
}

enum err_code outbox_heard(struct db *db, const struct channel *c, const char *rule,
	const char *subject, struct opt_i64 since, struct arena *a, struct heard **out,
	struct err *e)
{
	struct q_outbox_heard_in in = {
		.channel = c->name, .rule = rule, .subject = subject, .since = since};
	size_t n, n_to = outbox_recipients(c);
	struct q_outbox_heard *v;

	if (q_outbox_heard_all(db, &in, a, &v, &n, e))
		return e->code;
	*out = arena_alloc(a, n_to * sizeof(**out));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_to; k++)
			if (same_recipient(v[i].recipient, outbox_recipient(c, k))) {
				(*out)[k].any = true;
				(*out)[k].waits |= v[i].waits != 0;
			}
	return E_OK;
}

static enum err_code put_one(struct db *db, const struct channel *c, const char *recipient,
	const struct outbox_what *w, struct q_notification_put_in *in, struct arena *a,
	bool *added, struct err *e)
{
	bool there;

	if (outbox_has(db, c, w->dedup, recipient, a, &there, e))
		return e->code;
	if (there)
		return E_OK;
	in->recipient = recipient;
	in->dedup = arena_printf(a, "%s|%s|%s", w->dedup, c->name, recipient);
	*added = true;
	return q_notification_put(db, in, e);
}

static enum err_code put_all(struct db *db, const struct channel *c,
	const struct outbox_what *w, struct q_notification_put_in *in, struct arena *a,
	bool *added, struct err *e)
{
	for (size_t i = 0; i < outbox_recipients(c); i++)
		if (put_one(db, c, outbox_recipient(c, i), w, in, a, added, e))
			return e->code;
	return E_OK;
}

enum err_code outbox_put(struct db *db, const struct channel *c,
	const struct outbox_what *w, const struct doc *d, ts_t now, struct arena *a,
	const char **message, struct err *e)
{
	const struct channel_traits *t = &channel_traits[c->kind];
	cleanup(db_tx_end) struct db_tx tx = {0};
	cleanup(sbuf_done) struct sbuf subject = SBUF_INIT;
	struct q_notification_put_in in = {.message = message_id(c, w, now, a),
		.channel = c->name,
		.kind = w->kind,
		/* Alertmanager needs alerts in order: a late "firing" would reopen a resolved
		 * alert. */
		.critical = c->kind != CHANNEL_ALERTMANAGER ? w->critical : 0,
		.refs = w->refs ? w->refs : "",
		.now = now,
		.format = t->format};
	bool added = false;

	doc_subject(d, &subject);
	in.subject = subject.s;
	in.body = render(t->format, t, d, NULL, a);
	in.html = t->html ? render("html", t, d, NULL, a) : NULL;
	if (db_begin(db, &tx, e) || put_all(db, c, w, &in, a, &added, e) ||
		db_commit(&tx, e))
		return err_wrap(e, "outbox: channel %s", c->name);
	*message = added ? in.message : NULL;
	return E_OK;
}
