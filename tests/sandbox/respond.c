#include "tests/sandbox/sandbox.h"

#include "base/time/civil.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *status_word(int status)
{
	switch (status) {
	case 400:
		return "INVALID_ARGUMENT";
	case 401:
		return "UNAUTHENTICATED";
	case 403:
		return "PERMISSION_DENIED";
	case 404:
		return "NOT_FOUND";
	case 409:
		return "ABORTED";
	case 412:
		return "FAILED_PRECONDITION";
	case 429:
		return "RESOURCE_EXHAUSTED";
	case 501:
		return "UNIMPLEMENTED";
	case 503:
		return "UNAVAILABLE";
	case 504:
		return "DEADLINE_EXCEEDED";
	default:
		return "INTERNAL";
	}
}

void respond_error(struct response *r, int status, const char *reason, const char *message)
{
	struct jw w = {.b = &r->body};

	r->status = status;
	sbuf_reset(&r->body);
	jw_begin(&w, '{');
	jw_key(&w, "error");
	jw_begin(&w, '{');
	jw_ki64(&w, "code", status);
	jw_kstr(&w, "message", message);
	jw_key(&w, "errors");
	jw_begin(&w, '[');
	jw_begin(&w, '{');
	jw_kstr(&w, "message", message);
	jw_kstr(&w, "domain", "global");
	jw_kstr(&w, "reason", reason);
	jw_end(&w, '}');
	jw_end(&w, ']');
	jw_kstr(&w, "status", status_word(status));
	jw_end(&w, '}');
	jw_end(&w, '}');
}

void respond_rpc(struct response *r, int status, const char *word, const char *message)
{
	struct jw w = {.b = &r->body};

	r->status = status;
	sbuf_reset(&r->body);
	jw_begin(&w, '{');
	jw_key(&w, "error");
	jw_begin(&w, '{');
	jw_ki64(&w, "code", status);
	jw_kstr(&w, "message", message);
	jw_kstr(&w, "status", word);
	jw_end(&w, '}');
	jw_end(&w, '}');
}

#define TOKEN_START "Cj8+/"

const char *page_token(const struct request *q, size_t from)
{
	return arena_printf(q->a, TOKEN_START "%zu==", from);
}

bool page_token_read(const char *token, size_t *from)
{
	char *end;
	unsigned long long n;

	if (!str_starts(token, TOKEN_START))
		return false;
	n = strtoull(token + strlen(TOKEN_START), &end, 10);
	if (strcmp(end, "==") != 0)
		return false;
	*from = (size_t)n;
	return true;
}

/* pageSize is a wish: 0 and none mean 500, more than 5000 means 5000. */
bool page_read(const struct request *q, struct response *r, size_t *from, size_t *to)
{
	const char *token = q->param(q, "pageToken"), *size = q->param(q, "pageSize");
	size_t start = 0;
	int64_t n = 0;

	if ((size && *size && !str_to_i64(size, 0, INT32_MAX, &n)) ||
		(token && *token && !page_token_read(token, &start))) {
		respond_rpc(r, 400, "INVALID_ARGUMENT",
			"Request contains an invalid argument.");
		return false;
	}
	*from = start;
	*to = start + (size_t)(n <= 0 ? 500 : n > 5000 ? 5000 : n);
	return true;
}

void respond_info(struct response *r, int status, const char *reason,
	const struct project *p, const char *service, const char *message)
{
	struct jw w = {.b = &r->body};
	char consumer[128];

	snprintf(consumer, sizeof(consumer), "projects/%s", p->number);
	r->status = status;
	sbuf_reset(&r->body);
	jw_begin(&w, '{');
	jw_key(&w, "error");
	jw_begin(&w, '{');
	jw_ki64(&w, "code", status);
	jw_kstr(&w, "message", message);
	jw_kstr(&w, "status", status_word(status));
	jw_key(&w, "details");
	jw_begin(&w, '[');
	jw_begin(&w, '{');
	jw_kstr(&w, "@type", "type.googleapis.com/google.rpc.ErrorInfo");
	jw_kstr(&w, "reason", reason);
	jw_kstr(&w, "domain", "googleapis.com");
	jw_key(&w, "metadata");
	jw_begin(&w, '{');
	jw_kstr(&w, "service", service);
	jw_kstr(&w, "consumer", consumer);
	jw_end(&w, '}');
	jw_end(&w, '}');
	jw_end(&w, ']');
	jw_end(&w, '}');
	jw_end(&w, '}');
}

void respond_disabled(struct response *r, const struct project *p, const char *service)
{
	char text[512];

	snprintf(text, sizeof(text),
		"%s has not been used in project %s before or it is disabled. Enable it "
		"by visiting "
		"https://console.developers.google.com/apis/api/%s/overview?project=%s "
		"then retry.",
		service, p->number, service, p->number);
	respond_info(r, 403, "SERVICE_DISABLED", p, service, text);
}

void add_pacific(struct jw *w, const char *key, ts_t ts)
{
	char utc[RFC3339_BUF], text[48];

	rfc3339_format(ts - 8 * 3600, utc);
	snprintf(text, sizeof(text), "%.19s.000-08:00", utc);
	jw_kstr(w, key, text);
}

void add_utc(struct jw *w, const char *key, ts_t ts)
{
	char utc[RFC3339_BUF], text[48];

	rfc3339_format(ts, utc);
	snprintf(text, sizeof(text), "%.19s.482913Z", utc);
	jw_kstr(w, key, text);
}
