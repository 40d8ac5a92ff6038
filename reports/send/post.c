/* POST of JSON to a secret URL. */
#include "base/net/http.h"
#include "base/url/netguard.h"
#include "base/str.h"
#include "base/url/url.h"
#include "reports/send/internal.h"

#include <ctype.h>
#include <string.h>

#define SECRET_MAX 4096
#define TIMEOUT_MS 30000
#define ANSWER_MAX (1u << 20)
#define PART_MIN 4 /* shorter parts of a URL are not secret */
#define LONG_PART 12

void post_done(struct post *p)
{
	send_wipe(&p->url);
	send_wipe(&p->password);
	http_req_done(&p->r);
}

/* Files with secrets can be fixed without a change of the configuration, so the channel is not
 * switched off: the letter waits. */
static bool not_now(struct post *p, struct send_result *out)
{
	out->class = SEND_NOT_SENT;
	err_wrap(&out->err, "%s", channel_traits[p->c->kind].name);
	return false;
}

bool post_open(struct post *p, struct send_result *out)
{
	const struct channel *c = p->c;

	p->url = p->password = SBUF_INIT;
	if (c->url)
		sbuf_adds(&p->url, c->url);
	else if (send_read_secret(c->url_file, SECRET_MAX, &p->url, &out->err))
		return not_now(p, out);
	if (c->password_file &&
		send_read_secret(c->password_file, SECRET_MAX, &p->password, &out->err))
		return not_now(p, out);
	if (net_url_check(p->url.s, c->allow_private, &out->err) != E_OK)
		return not_now(p, out);
	while (p->path && p->url.len && p->url.s[p->url.len - 1] == '/')
		sbuf_trunc(&p->url, p->url.len - 1);
	if (p->path && !str_ends(p->url.s, p->path))
		sbuf_adds(&p->url, p->path);
	return true;
}

/* ---- replies ----------------------------------------------------------------------------- */

static void hide(struct sbuf *text, const char *secret, size_t len)
{
	struct sbuf clean = SBUF_INIT;
	const char *from = text->s, *found;

	while ((found = memmem(from, text->len - (size_t)(from - text->s), secret, len))) {
		sbuf_add(&clean, from, (size_t)(found - from));
		sbuf_adds(&clean, "...");
		from = found + len;
	}
	sbuf_add(&clean, from, text->len - (size_t)(from - text->s));
	send_wipe(text);
	*text = clean;
}

/* Words such as "services" or "v2" may be shown; numbers, mixtures, long parts and values of
 * parameters may not. */
static bool is_secret_part(const char *part, size_t n, char before)
{
	bool word = true;

	for (size_t i = 0; i < n; i++)
		word = word && (islower((unsigned char)part[i]) || part[i] == '-');
	return n >= PART_MIN && (!word || n >= LONG_PART || before == '=');
}

/* Servers often repeat an unknown path. */
static void hide_secrets(const struct post *p, struct sbuf *text)
{
	struct url u = {0};
	const char *part;

	if (p->password.len)
		hide(text, p->password.s, p->password.len);
	if (url_parse_why(p->url.s, &u))
		return;
	if (strlen(u.path) >= PART_MIN && !str_eq(u.path, p->path))
		hide(text, u.path, strlen(u.path));
	for (part = u.path; *part;) {
		size_t n = strcspn(++part, "/?&=");

		if (is_secret_part(part, n, part[-1]))
			hide(text, part, n);
		part += n;
	}
}

static void take_reply(struct post *p, struct send_result *out)
{
	struct sbuf text = SBUF_INIT;

	sbuf_adds(&text, p->r.resp.s); /* ends at a NUL */
	hide_secrets(p, &text);
	send_set_reply(out, text.s);
	send_wipe(&text);
}

/* ---- sending ----------------------------------------------------------------------------- */

static bool fail(struct post *p, enum err_code code, struct send_result *out)
{
	if (code == E_UNCERTAIN)
		out->class = SEND_UNCLEAR;
	else
		out->class = code == E_BUG ? SEND_REJECTED : SEND_NOT_SENT;
	err_wrap(&out->err, "%s", channel_traits[p->c->kind].name);
	return false;
}

bool post_json(struct post *p, const char *body, size_t len, struct send_result *out)
{
	const char *headers[8] = {"Content-Type: application/json"};
	const struct channel *c = p->c;
	enum err_code code;

	for (size_t i = 0; p->header && p->header[i] && i + 2 < ARRAY_LEN(headers); i++)
		headers[i + 1] = p->header[i];
	http_req_done(&p->r);
	p->r = (struct http_req){.method = "POST",
		.url = p->url.s,
		.headers = headers,
		.body = body,
		.body_len = len,
		.max_body = ANSWER_MAX,
		.total_timeout_ms = TIMEOUT_MS,
		.idempotent = p->repeatable,
		.max_attempts = 1, /* the outbox tries again */
		.ca_file = c->ca_file,
		.username = c->username,
		.password = c->username ? p->password.s : NULL,
		.allow_private = c->allow_private,
		.secret_url = true};
	code = http_do(p->s->http, &p->r, &out->err);
	if (code != E_OK)
		return fail(p, code, out);
	out->retry_after = p->r.retry_after;
	take_reply(p, out);
	return true;
}

enum send_class post_class(long status)
{
	if (status >= 200 && status < 300)
		return SEND_SENT;
	if (status == 408 || status == 425 || status == 429 || status >= 500)
		return SEND_LATER;
	/* A redirect is not followed: the letter would go to an unapproved host. The URL of such a
	 * response was never right, or is no longer valid. */
	if (status < 400 || status == 401 || status == 403 || status == 404 ||
		status == 407 || status == 410)
		return SEND_SWITCHED_OFF;
	return SEND_REJECTED;
}

static void say_fix(struct post *p, struct send_result *out)
{
	const char *name = p->c->name, *where = p->c->url_file ? p->c->url_file : "url";
	long status = p->r.status;

	if (out->class != SEND_SWITCHED_OFF)
		return;
	if (status >= 300 && status < 400)
		err_fix(&out->err,
			"the URL redirects elsewhere, which tpucost does not follow: put "
			"the right URL into %s of channel %s",
			where, name);
	else if (p->c->username && (status == 401 || status == 403))
		err_fix(&out->err,
			"check username and password_file of channel %s; tpucost tries "
			"again after the configuration changes",
			name);
	else
		err_fix(&out->err,
			"create a new webhook and put its URL into %s of channel %s; "
			"tpucost tries again after the configuration changes",
			where, name);
}

void post_result(struct post *p, enum send_class class, struct send_result *out)
{
	char host[URL_SHOWN_HOST];
	enum err_code code = E_HTTP;

	out->class = class;
	if (class == SEND_SENT) {
		err_clear(&out->err);
		return;
	}
	if (class == SEND_UNCLEAR)
		code = E_UNCERTAIN;
	else if (p->r.status == 429)
		code = E_RATE;
	err_set(&out->err, code, "%s: POST %s: HTTP %ld%s%s",
		channel_traits[p->c->kind].name, url_show_host(p->url.s, host), p->r.status,
		out->reply[0] ? ": " : "", out->reply);
	say_fix(p, out);
}
