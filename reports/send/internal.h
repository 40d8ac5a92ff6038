/* Declarations shared by the senders. Private to reports/send/, which is part of tpucost-net
 * only. */
#ifndef TPUCOST_REPORTS_SEND_INTERNAL_H
#define TPUCOST_REPORTS_SEND_INTERNAL_H

#include "base/net/http.h"
#include "base/net/mail_write.h"
#include "base/url/address.h"
#include "reports/channel.h"

struct cJSON;

/* One sender for each kind of channel: like channel_send; `out` is initially empty. */
void send_email(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);
void send_sendmail(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);
void send_slack(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);
void send_webhook(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);
void send_alertmanager(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);
void send_file(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);

/* Stores the reply of the server in out->reply: one line, visible, cut at a character. */
void send_set_reply(struct send_result *out, const char *text);
/* Text of more than `max` characters is cut after `keep` of them, and ends in "...". */
void send_shorten(struct sbuf *b, size_t max, size_t keep);
/* Frees the text, which is a secret. */
void send_wipe(struct sbuf *b);
/* Appends a secret of one line, without the line end. E_IO and others as fs_read_secret. */
enum err_code send_read_secret(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
struct letter_mail {
	struct mail_draft draft; /* native line ends */
	struct mail_address from, to;
};

/* Builds the mail for the recipient of the letter. E_CONFIG: an address is invalid. */
enum err_code letter_mail(const struct channel *c, const struct letter *l,
	struct letter_mail *out, struct err *e) must_check;

/* Parses the letter's body as JSON; an invalid body is refused permanently. */
bool send_parse_body(
	const struct letter *l, struct cJSON **out, struct send_result *result) must_check;
/* {"id": ..., "created": ..., "kind": ..., "subject": ..., "may_be_repeat": ..., [text,]
 * "report": the body}, on one line. */
void send_envelope(
	const struct letter *l, const struct cJSON *body, const char *text, struct sbuf *b);

/* ---- one POST of JSON -------------------------------------------------------------------- */

struct post {
	struct sender *s;
	const struct channel *c;
	const char *path;          /* appended to the URL; or NULL */
	const char *const *header; /* NULL-terminated; or NULL */
	bool repeatable;           /* a repeated delivery has no effect */
	/* of post_open and post_json */
	struct sbuf url, password;
	struct http_req r;
};

/* Reads and checks the URL and the password. False: `out` has the reason. */
bool post_open(struct post *p, struct send_result *out) must_check;
/* Posts once. True: a response was received, its status is p->r.status, and out->reply has its text
 * without tpucost's secrets. False: `out` has the reason. */
bool post_json(
	struct post *p, const char *body, size_t len, struct send_result *out) must_check;
void post_done(struct post *p);
/* Meaning of an HTTP status for a letter. */
enum send_class post_class(long status);
/* Turns the response into the result: class, error and fix. */
void post_result(struct post *p, enum send_class class, struct send_result *out);

#endif
