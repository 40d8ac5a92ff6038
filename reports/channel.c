#include "reports/channel.h"

#include "base/time/civil.h"

#include <stdlib.h>
#include <string.h>

/* Sizes: mail servers become unreliable above about 256 KB; Slack refuses messages of more than
 * about 13,000 characters although its documentation differs (slackapi/bolt-js issue 2509). */
const struct channel_traits channel_traits[CHANNEL_KINDS] = {
	[CHANNEL_EMAIL] = {"email", "text", true, true, 100 * 1024, 40, 20, 0, true},
	[CHANNEL_SENDMAIL] = {"sendmail", "text", true, true, 100 * 1024, 40, 20, 0, true},
	[CHANNEL_SLACK] = {"slack", "slack", false, false, 10000, 20, 4, 1, true},
	[CHANNEL_WEBHOOK] = {"webhook", "json", false, false, 1024 * 1024, 20, 20, 0, true},
	[CHANNEL_ALERTMANAGER] = {"alertmanager", "json", false, false, 0, 0, 20, 0, false},
	[CHANNEL_FILE] = {"file", "json", false, false, 0, 0, 20, 0, true},
};

const char *send_class_name(enum send_class c)
{
	static const char *const names[] = {
		[SEND_SENT] = "sent",
		[SEND_NOT_SENT] = "not sent",
		[SEND_LATER] = "refused for now",
		[SEND_REJECTED] = "refused",
		[SEND_SWITCHED_OFF] = "switched off",
		[SEND_UNCLEAR] = "delivery unknown",
	};

	return names[c];
}

bool channel_quiet(const struct channel *c, const struct tz *tz, ts_t at)
{
	ts_t local = at + tz_offset(tz, at);
	int minute = (int)(((local % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS / 60);

	if (c->quiet_from < 0 || c->quiet_from == c->quiet_until)
		return false;
	if (c->quiet_from < c->quiet_until)
		return minute >= c->quiet_from && minute < c->quiet_until;
	return minute >= c->quiet_from || minute < c->quiet_until;
}

static int channel_owned_compare(const void *key, const void *element)
{
	const struct channel_owned *a = key, *b = element;
	int by_rule = strcmp(a->rule, b->rule);

	return by_rule ? by_rule : strcmp(a->subject, b->subject);
}

bool channel_is_about(const struct channel *c, const char *rule, const char *subject)
{
	const struct channel_owned key = {.rule = rule, .subject = subject}, *found;

	if (!c->base)
		return true;
	if (!c->n_owned)
		return false;
	found = bsearch(&key, c->owned, c->n_owned, sizeof(key), channel_owned_compare);
	return found && !strcmp(found->channel, c->name);
}
