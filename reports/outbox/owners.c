/* Mail to the owners of resources: a channel for each, made from the rules and the alerts. */
#include "base/str.h"
#include "base/url/address.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/fix.h"
#include "reports/outbox/outbox.h"

#include <string.h>

#define OWNER "{owner}"

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

/* The channels in the making; those for owners begin at `first`. */
struct owners {
	struct outbox *o;
	struct arena *a;
	struct channel *v;
	size_t n, cap, first;
};

/* The channel of the owner with that address, through channel `base`; NULL: there are too many, or
 * `base` sends no mail. */
static struct channel *owners_channel(
	struct owners *x, const char *base, const char *address)
{
	const struct channel *sender = outbox_channel(x->o, base);
	const char *name = arena_printf(x->a, "%s/%s", base, address), **to;
	struct channel *c;

	for (size_t i = x->first; i < x->n; i++)
		if (!strcmp(x->v[i].name, name))
			return &x->v[i];
	if (!sender || !channel_traits[sender->kind].per_recipient ||
		x->n - x->first >= OUTBOX_OWNERS)
		return NULL;
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

/* Messages that wait, also for an owner whose resource is gone, of rules that still mail owners. */
static enum err_code owners_with_letters(struct owners *x, struct db *db, struct err *e)
{
	const struct settings *s = x->o->settings;
	struct q_outbox_channels *v;
	size_t n;

	if (q_outbox_channels_all(db, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const char *address = strchr(v[i].channel, '/');

		for (size_t k = 0; address && k < s->n_rules; k++) {
			const struct rule *r = &s->rules[k];

			if (r->notify.to_owner && r->enabled &&
				str_ends(address, strchr(r->notify.to_owner, '@')) &&
				str_starts(v[i].channel, r->notify.channel) &&
				v[i].channel + strlen(r->notify.channel) == address &&
				owners_channel(x, r->notify.channel, address + 1))
				break;
		}
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
	for (size_t i = x->first; i < x->n; i++) {
		x->v[i].owned = owned;
		x->v[i].n_owned = n_owned;
	}
	return E_OK;
}

enum err_code outbox_add_owners(
	struct db *db, struct outbox *o, bool letters, struct arena *a, struct err *e)
{
	struct owners x = {.o = o, .a = a, .first = o->n};
	bool asked = false;

	for (size_t i = 0; i < o->settings->n_rules; i++)
		asked |= o->settings->rules[i].notify.to_owner != NULL;
	if (!asked)
		return E_OK;
	for (size_t i = 0; i < o->n; i++) {
		x.v = arena_grow(a, x.v, x.n, &x.cap, sizeof(*x.v));
		x.v[x.n++] = o->channels[i];
	}
	if (owners_with_letters(&x, db, e) || (!letters && owners_with_alerts(&x, db, e)))
		return err_wrap(e, "mail to owners");
	o->channels = x.v;
	o->n = x.n;
	return E_OK;
}
