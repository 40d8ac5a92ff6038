/* The fault script: answers that are wrong on purpose. */
#include "tests/sandbox/sandbox.h"

#include "base/str.h"

#include <regex.h>
#include <string.h>
#include <zlib.h>

/* ---- which ------------------------------------------------------------------------------------- */

static bool regex_fits(const char *pattern, const char *text)
{
	regex_t re;
	bool fits;

	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	fits = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return fits;
}

static bool fits_request(const struct fault *f, const struct request *q)
{
	const char *line = arena_printf(
		q->a, "%s %s%s%s", q->method, q->path, *q->query ? "?" : "", q->query);

	return (!f->match || str_starts(line, f->match)) &&
		(!f->regex || regex_fits(f->regex, line));
}

const struct fault *fault_find(struct world *w, const struct request *q)
{
	if (str_starts(q->path, "/_sandbox/"))
		return NULL;
	for (size_t i = 0; i < w->n_faults; i++) {
		struct fault *f = &w->faults[i];

		if (!fits_request(f, q))
			continue;
		f->seen++;
		if (f->seen > f->skip && (!f->times || f->seen <= f->skip + f->times))
			return f;
	}
	return NULL;
}

/* ---- how --------------------------------------------------------------------------------------- */

static void how_empty(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	(void)q;
	sbuf_reset(&r->body);
}

static void how_html(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	(void)q;
	r->type = "text/html; charset=UTF-8";
	sbuf_adds(&r->body,
		"<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title>"
		"<p>The server encountered a temporary error.</html>\n");
}

/* Half of the answer, as if it were all. */
static void how_truncate(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	route(q, r);
	sbuf_trunc(&r->body, r->body.len / 2);
}

/* Half of the answer, and then the connection is gone. */
static void how_cut(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	route(q, r);
	r->cut = true;
}

static void how_close(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	(void)q;
	r->close = true;
}

/* It is done, and nobody is told. */
static void how_lost(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	route(q, r);
	r->close = true;
}

static void how_json(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	route(q, r);
	sbuf_adds(&r->body, "}{\"trailing\": nonsense");
}

/* Says gzip and is not. */
static void how_gzip(const struct fault *f, const struct request *q, struct response *r)
{
	(void)f;
	route(q, r);
	r->encoding = "gzip";
}

/* A few KiB that unpack into `bytes` of blanks. */
static void how_bomb(const struct fault *f, const struct request *q, struct response *r)
{
	unsigned char blanks[65536] = {0};
	int64_t left = f->bytes ? f->bytes : 64 * MIB;
	unsigned char out[4096];
	z_stream z = {0};
	int rc = Z_OK;

	(void)q;
	if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	while (rc != Z_STREAM_END) {
		if (!z.avail_in && left > 0) {
			z.avail_in = left < (int64_t)sizeof(blanks) ? (unsigned)left
								    : sizeof(blanks);
			z.next_in = blanks;
			left -= z.avail_in;
		}
		z.next_out = out;
		z.avail_out = sizeof(out);
		rc = deflate(&z, left > 0 ? Z_NO_FLUSH : Z_FINISH);
		sbuf_add(&r->body, out, sizeof(out) - z.avail_out);
	}
	deflateEnd(&z);
	r->encoding = "gzip";
}

/* A body that goes on and on. */
static void how_endless(const struct fault *f, const struct request *q, struct response *r)
{
	(void)q;
	sbuf_adds(&r->body, "{\"items\": \"");
	r->more = f->bytes ? f->bytes : 64 * MIB;
}

/* The same page over and over: its token leads to itself. */
static void how_repeat(const struct fault *f, const struct request *q, struct response *r)
{
	const char *key = str_starts(q->path, "/bigquery/") ? "pageToken" : "nextPageToken";
	const char *start = arena_printf(q->a, "\"%s\":\"", key), *at, *end;
	const char *given = q->param(q, "pageToken"), *token;
	struct sbuf b = SBUF_INIT;

	(void)f;
	route(q, r);
	token = given && *given ? given : page_token(q, 0);
	if (r->status != 200 || !str_ends(r->body.s, "}"))
		return;
	at = strstr(r->body.s, start);
	if (at) {
		at += strlen(start);
		end = strchr(at, '"');
		sbuf_addf(&b, "%.*s%s%s", (int)(at - r->body.s), r->body.s, token, end);
	} else {
		sbuf_addf(&b, "%.*s%s%s%s\"}", (int)(r->body.len - 1), r->body.s,
			str_ends(r->body.s, "{}") ? "" : ",", start, token);
	}
	sbuf_reset(&r->body);
	sbuf_adds(&r->body, b.s);
	sbuf_done(&b);
}

static const struct {
	const char *name;
	void (*apply)(const struct fault *f, const struct request *q, struct response *r);
} hows[] = {
	{"empty", how_empty},
	{"html", how_html},
	{"truncate", how_truncate},
	{"cut", how_cut},
	{"close", how_close},
	{"lost", how_lost},
	{"json", how_json},
	{"gzip", how_gzip},
	{"bomb", how_bomb},
	{"endless", how_endless},
	{"repeat", how_repeat},
};

/* Reasons in capitals are those of ErrorInfo, which the newer APIs and some old ones give. */
static void respond_reason(
	const struct fault *f, const struct request *q, struct response *r)
{
	const char *reason = f->reason ? f->reason
		: f->status == 429     ? "rateLimitExceeded"
		: f->status == 404     ? "notFound"
		: f->status == 401     ? "authError"
		: f->status >= 500     ? "backendError"
				       : "forbidden";
	const struct project *p = &q->w->projects[0];

	if (!strcmp(reason, "SERVICE_DISABLED"))
		respond_disabled(r, p, "compute.googleapis.com");
	else if (strspn(reason, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(reason))
		respond_info(r, (int)f->status, reason, p, "compute.googleapis.com",
			"scripted fault");
	else
		respond_error(r, (int)f->status, reason, "scripted fault");
}

void fault_apply(const struct fault *f, const struct request *q, struct response *r)
{
	bool applied = false;

	for (size_t i = 0; f->how && i < ARRAY_LEN(hows); i++) {
		if (strcmp(f->how, hows[i].name) != 0)
			continue;
		hows[i].apply(f, q, r);
		applied = true;
	}
	if (applied && f->status)
		r->status = (int)f->status;
	if (!applied && f->body) {
		r->status = f->status ? (int)f->status : 200;
		sbuf_adds(&r->body, f->body);
	} else if (!applied && f->status) {
		respond_reason(f, q, r);
	} else if (!applied) {
		route(q, r); /* late, but right */
	}
	r->retry_after = f->retry_after;
}

const char *fault_problem(const struct fault *f)
{
	regex_t re;
	bool known = !f->how || !strcmp(f->how, "status");

	for (size_t i = 0; !known && i < ARRAY_LEN(hows); i++)
		known = !strcmp(f->how, hows[i].name);
	if (!known)
		return "a fault's how is status, empty, html, truncate, cut, close, lost, "
		       "json, gzip, bomb, endless or repeat";
	if (!f->match && !f->regex)
		return "a fault needs match or regex";
	if (f->status && (f->status < 200 || f->status > 599))
		return "a fault's status is 200 to 599";
	if (!f->regex)
		return NULL;
	if (regcomp(&re, f->regex, REG_EXTENDED | REG_NOSUB) != 0)
		return "a fault's regex is not a regular expression";
	regfree(&re);
	return NULL;
}
