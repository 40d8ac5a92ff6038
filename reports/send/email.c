/* Sends letters as mail, by SMTP. */
#include "reports/send/internal.h"

#include "base/fs.h"
#include "base/net/smtp.h"

#include <stdio.h>
#include <string.h>

#define MAX_PASSWORD 1024

static enum send_class class_of(enum smtp_end end)
{
	static const enum send_class classes[] = {
		[SMTP_ACCEPTED] = SEND_SENT,
		[SMTP_NOT_SENT] = SEND_NOT_SENT,
		[SMTP_LATER] = SEND_LATER,
		[SMTP_REFUSED] = SEND_REJECTED,
		[SMTP_NO_LOGIN] = SEND_SWITCHED_OFF,
		[SMTP_UNCLEAR] = SEND_UNCLEAR,
		[SMTP_TOO_LARGE] = SEND_REJECTED,
	};

	return classes[end];
}

enum err_code letter_mail(const struct channel *c, const struct letter *l,
	struct letter_mail *out, struct err *e)
{
	if (mail_address_parse(c->from, &out->from, e) ||
		mail_address_parse(l->recipient, &out->to, e))
		return e->code;
	out->draft = (struct mail_draft){
		.id = l->id,
		.refs = l->refs,
		.n_refs = l->n_refs,
		.from = c->from,
		.to = c->to,
		.n_to = c->n_to,
		.subject = l->subject,
		.text = l->body,
		.html = l->html,
		.date = l->created,
		.repeat = l->may_be_repeat,
	};
	return E_OK;
}

/* The password is the content of the file without the line end. */
static enum err_code read_password(const struct channel *c, struct sbuf *out, struct err *e)
{
	if (!c->username || !c->password_file)
		return E_OK;
	if (fs_read_secret(c->password_file, MAX_PASSWORD, out, e))
		return e->code;
	while (out->len && (out->s[out->len - 1] == '\n' || out->s[out->len - 1] == '\r'))
		sbuf_trunc(out, out->len - 1);
	if (out->len && !memchr(out->s, '\0', out->len))
		return E_OK;
	err_set(e, E_CONFIG, "password file %s is empty", c->password_file);
	return err_fix(e, "write the password of %s into it", c->username), E_CONFIG;
}

struct delivery {
	struct letter_mail mail;
	struct smtp_opts smtp;
};

/* One attempt to send a mail of at most `max` bytes. */
static enum err_code attempt(
	const struct delivery *d, size_t max, struct smtp_result *r, struct err *e)
{
	cleanup(sbuf_done) struct sbuf mail = SBUF_INIT;
	struct smtp_mail m = {.from = d->mail.from.addr, .to = d->mail.to.addr};

	if (mail_write(&d->mail.draft, max, &mail, e))
		return e->code;
	m.data = mail.s;
	m.len = mail.len;
	smtp_send(&d->smtp, &m, r);
	return E_OK;
}

static void say(
	const struct channel *c, const struct smtp_result *r, struct send_result *out)
{
	out->class = class_of(r->end);
	snprintf(out->reply, sizeof(out->reply), "%s", r->reply);
	out->err = r->err;
	if (out->class == SEND_SWITCHED_OFF)
		err_fix(&out->err,
			"check username and password_file of channel %s; tpucost tries "
			"again after the configuration changes",
			c->name);
}

static void deliver(
	const struct channel *c, const struct delivery *d, struct send_result *out)
{
	struct smtp_result r;

	if (attempt(d, MAIL_WRITE_MAX, &r, &out->err)) {
		out->class = SEND_REJECTED;
		return;
	}
	if (r.end == SMTP_TOO_LARGE && attempt(d, r.size_limit, &r, &out->err)) {
		out->class = SEND_REJECTED;
		return;
	}
	say(c, &r, out);
}

void send_email(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out)
{
	cleanup(send_wipe) struct sbuf password = SBUF_MAX(MAX_PASSWORD);
	struct delivery d = {.smtp = {
				     .url = c->smtp,
				     .plain = c->plain,
				     .allow_private = c->allow_private,
				     .ca_file = c->ca_file,
				     .username = c->username,
				     .clock = s->clock,
			     }};

	*out = (struct send_result){.class = SEND_NOT_SENT, .retry_after = -1};
	if (letter_mail(c, l, &d.mail, &out->err)) {
		out->class = SEND_REJECTED;
	} else if (!read_password(c, &password, &out->err)) {
		d.mail.draft.crlf = true;
		d.smtp.hello = mail_address_host(&d.mail.from);
		d.smtp.password = password.len ? password.s : NULL;
		deliver(c, &d, out);
	}
	if (out->class != SEND_SENT)
		err_wrap(&out->err, "cannot send mail to %s", l->recipient);
}
