/* What the senders share. Private to reports/send/, which are part of tpucost-net only. */
#ifndef TPUCOST_REPORTS_SEND_INTERNAL_H
#define TPUCOST_REPORTS_SEND_INTERNAL_H

#include "base/net/http.h"
#include "base/sbuf.h"
#include "reports/channel.h"

struct cJSON;

/* One sender a kind of channel: as channel_send; `out` is empty before. */
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

/* Put what the other side said into out->reply: one line, visible, cut at a character. */
void send_set_reply(struct send_result *out, const char *text);
/* A secret of one line, without its end (appended). E_IO and the like as fs_read_secret. */
enum err_code send_read_secret(
	const char *path, size_t max, struct sbuf *out, struct err *e) must_check;
/* The letter's body as JSON; what is none is refused for good. */
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
	const char *path;          /* put behind the URL; or NULL */
	const char *const *header; /* NULL-terminated; or NULL */
	bool repeatable;           /* it may arrive twice without harm */
	/* of post_open and post_json */
	struct sbuf url, password;
	struct http_req r;
};

/* Read and judge URL and password. False: `out` says why. */
bool post_open(struct post *p, struct send_result *out) must_check;
/* Post once. True: an answer came, its status is p->r.status, and what it said without our
 * secrets is in out->reply. False: `out` says what happened. */
bool post_json(
	struct post *p, const char *body, size_t len, struct send_result *out) must_check;
void post_done(struct post *p);
/* What an HTTP status means for a letter. */
enum send_class post_class(long status);
/* Make the answer the result: class, error, and what to do about it. */
void post_result(struct post *p, enum send_class class, struct send_result *out);

#endif
