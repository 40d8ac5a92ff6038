/* The log of requests: what was asked, in order, without secrets. */
#include "tests/sandbox/server.h"

#include "base/time/civil.h"
#include "base/str.h"

#include <string.h>

#define LOG_BODY 65536

/* POST is no sign of a change: tokens, queries and waiting are asked for by POST too. */
static bool is_mutating(const struct request *q)
{
	return strcmp(q->method, "GET") != 0 && strcmp(q->path, "/token") != 0 &&
		!str_starts(q->path, "/upload/storage/") && !strstr(q->path, "/queries") &&
		!str_ends(q->path, "/wait") && !str_ends(q->path, "/cancel") &&
		/* of a query */ !str_ends(q->path, ":generateAccessToken") &&
		!str_ends(q->path, ":testIamPermissions") &&
		!str_starts(q->path, "/_sandbox");
}

static const char *body_to_log(const struct request *q)
{
	if (!strcmp(q->path, "/token"))
		return "***";
	if (q->body_len && memchr(q->body, 0, q->body_len))
		return arena_printf(q->a, "(%zu bytes)", q->body_len);
	return arena_strndup(
		q->a, q->body, q->body_len < LOG_BODY ? q->body_len : LOG_BODY);
}

static const char *query_to_log(const struct request *q)
{
	return q->param(q, "access_token") || q->param(q, "key") ? "***" : q->query;
}

void log_request(struct server *s, const struct request *q, int status)
{
	struct sbuf b = SBUF_INIT;
	struct jw w = {.b = &b};

	jw_begin(&w, '{');
	jw_ki64(&w, "n", ++s->n_requests);
	jw_kstr(&w, "time", rfc3339_format(q->now, (char[RFC3339_BUF]){0}));
	jw_kstr(&w, "method", q->method);
	jw_kstr(&w, "path", q->path);
	jw_kstr(&w, "query", query_to_log(q));
	jw_ki64(&w, "status", status);
	jw_key(&w, "mutating");
	jw_bool(&w, is_mutating(q));
	jw_kstr(&w, "body", body_to_log(q));
	jw_kstr(&w, "as", oauth_token_of(q->authorization));
	jw_end(&w, '}');
	sbuf_addc(&b, '\n');
	if (!str_starts(q->path, "/_sandbox/"))
		sbuf_adds(&s->log_text, b.s);
	if (s->log) {
		fputs(b.s, s->log);
		fflush(s->log);
	}
	sbuf_done(&b);
}
