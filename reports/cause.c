#include "reports/cause.h"

#include "base/str.h"
#include "base/strmap.h"
#include "base/time/clock.h"
#include "reports/fix.h"
#include "rules/judge/judge.h"

#include <string.h>

/* "list disks: credentials file k.json: token: HTTP 400: ..." without "list disks: ". */
static const char *cause_of_token(const char *error)
{
	const char *end = strstr(error, ": token: "), *from = NULL;

	for (const char *p = error; end && (p = strstr(p, ": ")) && p < end; p += 2)
		from = p + 2;
	return from ? from : end ? error : strstr(error, "no Google credentials: ");
}

/* "list disks: HTTP 403 SERVICE_DISABLED: Cloud TPU API has not been used in project 5 before or it is disabled. ...":
 * "Cloud TPU API is not enabled". */
static const char *cause_of_disabled(const char *error, struct arena *a)
{
	const char *end = strstr(error, " has not been used in project "), *from = error;

	for (const char *p = error; end && (p = strstr(p, ": ")) && p < end; p += 2)
		from = p + 2;
	return end ? arena_printf(a, "%.*s is not enabled", (int)(end - from), from) : NULL;
}

/* "list disks: after 5 attempts: GET https://host/path: connection refused": "no usable answer from Google: connection
 * refused". */
static const char *cause_of_network(const char *error, struct arena *a)
{
	const char *url = strstr(error, "://");
	const char *why = url ? strstr(url, ": ") : NULL;

	return why && !memchr(url, ' ', (size_t)(why - url))
		? arena_printf(a, "no usable answer from Google%s", why)
		: NULL;
}

/* "list disks: HTTP 503": "HTTP 503". */
static const char *cause_of_any_call(const char *error)
{
	const char *end = strstr(error, ": ");
	bool call = str_starts(error, "list ") || str_starts(error, "get ") ||
		str_starts(error, "read ");

	return call && end ? end + 2 : NULL;
}

const char *cause_of(const char *error, struct arena *a)
{
	const char *cause;

	if (!error)
		return "";
	cause = strstr(error, CLOCK_IS);
	if (!cause) /* not of the token, which is only the first to need the network */
		cause = cause_of_network(error, a);
	if (!cause)
		cause = cause_of_token(error);
	if (!cause)
		cause = cause_of_disabled(error, a);
	if (!cause) /* Google refuses the token, whatever the list */
		cause = strstr(error, "HTTP 401");
	if (!cause)
		cause = cause_of_any_call(error);
	return cause ? cause : error;
}

/* The part of the summary that judge_was() added at its end; NULL: the alert has not ended. */
static const char *cause_end(const char *summary)
{
	const char *end = NULL;

	if (str_starts(summary, ENDED_WAS))
		for (const char *p = summary; (p = strstr(p, ENDED_WHY)); p++)
			end = p;
	return end;
}

const char *cause_of_alert(
	const struct settings *s, const char *rule, const char *summary, struct arena *a)
{
	const struct rule *r = fix_rule(s, rule);
	const char *at = strstr(summary, " Error: "), *end = cause_end(summary);
	size_t n;

	if (!r || !str_eq(r->on, "sources") || !at)
		return NULL;
	at += strlen(" Error: ");
	n = end > at ? (size_t)(end - at) : strlen(at);
	n -= n && at[n - 1] == '.'; /* judge_was() may have added it */
	return cause_of(arena_strndup(a, at, n), a);
}

const char *cause_summary(const struct settings *s, const char *rule, size_t n,
	const char *cause, const char *summary, struct arena *a)
{
	bool stale = str_eq(fix_kind(fix_rule(s, rule), rule), "source-stale");
	const char *end = cause_end(summary), *all;

	if (n < 2)
		return summary;
	/* "unknown": none has an error, because none was polled in that time */
	all = str_eq(cause, "unknown")
		? arena_printf(a, "%zu %ssources", n, stale ? "stale " : "")
		: arena_printf(a, "%zu %ssources: %s", n, stale ? "stale " : "", cause);
	if (!end)
		return all;
	end += strlen(ENDED_WHY);
	return judge_was(a, all, arena_strndup(a, end, strlen(end) - 1));
}

const size_t *cause_groups(const char *const *keys, size_t n, struct arena *a)
{
	size_t *sizes = arena_alloc(a, (n + 1) * sizeof(*sizes));
	struct strmap first = {0};

	for (size_t i = 0; i < n; i++) {
		sizes[i] = !keys[i] || strmap_put(&first, keys[i], i);
		if (!sizes[i])
			sizes[*strmap_get(&first, keys[i])]++;
	}
	strmap_done(&first);
	return sizes;
}
