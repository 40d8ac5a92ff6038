/* Dispatch to the sender of each kind of channel, and functions shared by the senders. */
#include "base/time/civil.h"
#include "base/fs.h"
#include "base/data/json.h"
#include "base/str.h"
#include "reports/send/internal.h"

#include <string.h>

typedef void (*send_fn)(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);

static const send_fn senders[CHANNEL_KINDS] = {
	[CHANNEL_EMAIL] = send_email,
	[CHANNEL_SENDMAIL] = send_sendmail,
	[CHANNEL_SLACK] = send_slack,
	[CHANNEL_WEBHOOK] = send_webhook,
	[CHANNEL_ALERTMANAGER] = send_alertmanager,
	[CHANNEL_FILE] = send_file,
};

void channel_send(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	*out = (struct send_result){.retry_after = -1};
	senders[c->kind](s, c, l, out);
}

void send_set_reply(struct send_result *out, const char *text)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT, seen = SBUF_INIT;
	size_t n;

	for (; *text; text++)
		if (!strchr("\r\n\t", *text))
			sbuf_addc(&line, *text);
		else if (line.len && line.s[line.len - 1] != ' ')
			sbuf_addc(&line, ' ');
	while (line.len && line.s[line.len - 1] == ' ')
		sbuf_trunc(&line, line.len - 1);
	sbuf_add_term(&seen, line.s);
	n = utf8_fit(seen.s, SEND_REPLY_MAX);
	memcpy(out->reply, seen.s, n);
	out->reply[n] = '\0';
}

void send_shorten(struct sbuf *b, size_t max, size_t keep)
{
	size_t n = 0, end = b->len, len;

	for (size_t at = 0; at < b->len; at += len, n++) {
		utf8_next(b->s + at, &len);
		if (n == keep)
			end = at;
	}
	if (n > max) {
		sbuf_trunc(b, end);
		sbuf_adds(b, "...");
	}
}

void send_wipe(struct sbuf *b)
{
	if (b->cap)
		explicit_bzero(b->s, b->cap);
	sbuf_done(b);
}

enum err_code send_read_secret(
	const char *path, size_t max, struct sbuf *out, struct err *e)
{
	size_t before = out->len, n;

	if (fs_read_secret(path, max, out, e))
		return e->code;
	n = strcspn(out->s + before, "\r\n");
	if (out->s[before + n + strspn(out->s + before + n, "\r\n")] || !n ||
		strlen(out->s + before) != out->len - before) {
		explicit_bzero(out->s + before, out->len - before);
		sbuf_trunc(out, before);
		return err_set(
			e, E_IO, "secret file %s must contain exactly one line", path);
	}
	sbuf_trunc(out, before + n);
	return E_OK;
}

bool send_parse_body(const struct letter *l, struct cJSON **out, struct send_result *result)
{
	if (json_parse(l->body, strlen(l->body), out, &result->err) == E_OK &&
		json_is_object(*out))
		return true;
	if (!result->err.code) {
		json_free(*out);
		*out = NULL;
		err_set(&result->err, E_BUG, "JSON: expected an object");
	}
	result->class = SEND_REJECTED;
	err_wrap(&result->err, "message %s", l->id);
	return false;
}

void send_envelope(
	const struct letter *l, const struct cJSON *body, const char *text, struct sbuf *b)
{
	struct jw w = {.b = b};
	char time[RFC3339_BUF];

	jw_begin(&w, '{');
	if (text)
		jw_kstr(&w, "text", text);
	jw_kstr(&w, "id", l->id);
	jw_kstr(&w, "created", rfc3339_format(l->created, time));
	jw_kstr(&w, "kind", json_text(json_get(body, "report"), NULL));
	jw_kstr(&w, "subject", l->subject);
	jw_key(&w, "may_be_repeat");
	jw_bool(&w, l->may_be_repeat);
	jw_key(&w, "report");
	jw_raw(&w, "");
	/* a line break in JSON is between values: within texts it is written as \n */
	for (const char *p = l->body; *p; p++)
		if (*p != '\n' && *p != '\r')
			sbuf_addc(b, *p);
	jw_end(&w, '}');
}
