/* Mail to the owners of resources: a channel for each, made from the rules and the alerts. */
#include "base/sbuf.h"
#include "base/str.h"
#include "base/url/address.h"
#include "db_sql.h"
#include "reports/fix.h"
#include "reports/outbox/outbox.h"

#include <string.h>

#define OWNER "{owner}"
#define NAMED ((size_t)3)

/* "{owner}@example.org" and "ann" result in "ann@example.org". A label's value never adds a domain,
 * a second recipient or a header: only letters, digits, '-', '_', '.' and '+' are accepted. */
const char *outbox_owner_address(const char *template, const char *owner, struct arena *a)
{
	const char *at = strstr(template, OWNER), *address;

	if (!*owner ||
		owner[strspn(owner,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			"0123456789-_.+")])
		return NULL;
	address = arena_printf(
		a, "%.*s%s%s", (int)(at - template), template, owner, at + strlen(OWNER));
	return mail_address_check(address, NULL) ? NULL : address;
}

struct owners {
	struct outbox *o;
	struct arena *a;
	struct channel *v; /* their channels */
	size_t n, cap;
	const char **out; /* names of channels beyond OUTBOX_OWNERS */
	size_t n_out, cap_out;
};

static void owners_leave_out(struct owners *x, const char *name)
{
	if (str_in(name, x->out, x->n_out))
		return;
	x->out = arena_grow(x->a, x->out, x->n_out, &x->cap_out, sizeof(*x->out));
	x->out[x->n_out++] = name;
}

static void owners_say_left_out(const struct owners *x)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t more = x->n_out > NAMED ? x->n_out - NAMED : 0;

	for (size_t i = 0; i < x->n_out - more; i++)
		sbuf_addf(&b, "%s%s", i ? ", " : "", x->out[i]);
	if (more)
		sbuf_addf(&b, " and %zu more", more);
	if (x->n_out)
		err_set_fix(&x->o->left_out, E_LIMIT,
			"mail a list that has them all, as a channel of notify:",
			"no mail to owner%s %s: at most %d owners are mailed at a time",
			x->n_out > 1 ? "s" : "", b.s, OUTBOX_OWNERS);
}

/* The channel of the owner with that address, through channel `base`; NULL: there are too many, or
 * `base` sends no mail. */
static const struct channel *owners_channel(
	struct owners *x, const char *base, const char *address)
{
	const struct channel *sender = outbox_channel(x->o, base);
	const char *name = arena_printf(x->a, "%s/%s", base, address), **to;
	struct channel *c;

	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->v[i].name, name))
			return &x->v[i];
	if (!sender || !channel_traits[sender->kind].per_recipient)
		return NULL;
	if (x->n >= OUTBOX_OWNERS) {
		owners_leave_out(x, name);
		return NULL;
	}
	to = arena_alloc(x->a, sizeof(*to));
	*to = arena_strdup(x->a, address);
	x->v = arena_grow(x->a, x->v, x->n, &x->cap, sizeof(*x->v));
	c = &x->v[x->n++];
	*c = *sender;
	c->name = name;
	c->base = sender->name;
	c->to = to;
	c->n_to = 1;
	c->min_severity = SEVERITY_INFO; /* the rule asks for it */
	return c;
}

/* The channel with that name, "mail/ann@example.org". An end is also sent for a rule that no longer
 * mails owners, but never to a domain that no rule names: the user may have removed a wrong one. */
static const struct channel *owners_named(struct owners *x, const char *name)
{
	const struct settings *s = x->o->settings;
	const char *slash = strchr(name, '/');

	if (!slash || mail_address_check(slash + 1, NULL))
		return NULL;
	for (size_t i = 0; i < s->n_rules; i++)
		if (s->rules[i].notify.to_owner && s->rules[i].enabled &&
			str_ends(slash, strchr(s->rules[i].notify.to_owner, '@')))
			return owners_channel(x,
				arena_strndup(x->a, name, (size_t)(slash - name)),
				slash + 1);
	return NULL;
}

const struct channel *outbox_owner(struct outbox *o, const char *name, struct arena *a)
{
	return owners_named(&(struct owners){.o = o, .a = a}, name);
}

/* Owners to whom something is to be sent, also about a resource that is gone or has another owner. */
static enum err_code owners_told(
	struct owners *x, struct db *db, bool letters, struct err *e)
{
	struct q_outbox_channels *v;
	size_t n;

	if (q_outbox_channels_all(db, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct q_outbox_open_in in = {.channel = v[i].channel};
		struct q_outbox_open *open;
		size_t n_open = 0;
		bool ends = false;

		if (!strchr(in.channel, '/'))
			continue;
		if (!letters && q_outbox_open_all(db, &in, x->a, &open, &n_open, e))
			return e->code;
		for (size_t k = 0; k < n_open && !ends; k++) {
			const struct rule *r = fix_rule(x->o->settings, open[k].rule);

			ends = !r || !r->end_unsaid;
		}
		if ((v[i].waits || ends) && !owners_named(x, in.channel))
			x->o->owners_missed += ends;
	}
	return E_OK;
}

static enum err_code owners_with_alerts(struct owners *x, struct db *db, struct err *e)
{
	struct channel_owned *owned;
	struct q_alert_owners *v;
	size_t n, n_owned = 0;

	if (q_alert_owners_all(db, x->a, &v, &n, e))
		return e->code;
	owned = arena_alloc(x->a, n * sizeof(*owned));
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = fix_rule(x->o->settings, v[i].rule);
		const char *address = r && r->notify.to_owner
			? outbox_owner_address(r->notify.to_owner, v[i].owner, x->a)
			: NULL;
		const struct channel *c = address
			? owners_channel(x, r->notify.channel, address)
			: NULL;

		if (c)
			owned[n_owned++] = (struct channel_owned){.rule = v[i].rule,
				.subject = v[i].subject,
				.channel = c->name};
	}
	for (size_t i = 0; i < x->n; i++) {
		x->v[i].owned = owned;
		x->v[i].n_owned = n_owned;
	}
	return E_OK;
}

enum err_code outbox_add_owners(
	struct db *db, struct outbox *o, bool letters, struct arena *a, struct err *e)
{
	struct owners x = {.o = o, .a = a};
	struct channel *all;

	if (owners_told(&x, db, letters, e) || (!letters && owners_with_alerts(&x, db, e)))
		return err_wrap(e, "mail to owners");
	owners_say_left_out(&x);
	all = arena_alloc(a, (o->n + x.n) * sizeof(*all));
	for (size_t i = 0; i < o->n + x.n; i++)
		all[i] = i < o->n ? o->channels[i] : x.v[i - o->n];
	o->channels = all;
	o->n += x.n;
	return E_OK;
}
