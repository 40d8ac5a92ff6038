/* Channels: the configuration of each, and the function that sends one letter.
 *
 * Only sending needs the network; the sources in reports/send/ are therefore part of tpucost-net only. No part
 * of a secret (password, webhook URL) may appear in an error, a reply, the database or a log. */
#ifndef TPUCOST_REPORTS_CHANNEL_H
#define TPUCOST_REPORTS_CHANNEL_H

#include "base/time/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "rules/settings.h"

struct http;

enum channel_kind {
	CHANNEL_EMAIL,        /* SMTP */
	CHANNEL_SENDMAIL,     /* the local program */
	CHANNEL_SLACK,        /* incoming webhook */
	CHANNEL_WEBHOOK,      /* JSON by POST */
	CHANNEL_ALERTMANAGER, /* v2 API */
	CHANNEL_FILE,         /* JSON lines appended */
};
#define CHANNEL_KINDS 6

#define CHANNEL_MAX_RECIPIENTS 20

/* An alert, or an action of the rule, that concerns the owner whose channel it names. */
struct channel_owned {
	const char *rule, *subject, *channel;
};

struct channel {
	const char *name;
	enum channel_kind kind;
	enum severity min_severity;
	/* Minutes after midnight in the configured zone; both -1: none. Non-critical messages wait.
	 * The interval may span midnight. */
	int quiet_from, quiet_until;
	/* Seconds: a non-critical message waits this long for others to join it, and this long
	 * after the previous message. */
	int64_t group_wait, group_interval;
	/* e-mail and sendmail */
	const char *const *to;
	size_t n_to;
	const char *from;
	const char *smtp;    /* "smtps://host[:port]", "smtp://host[:port]" (STARTTLS) */
	bool plain;          /* tls: off, loopback only */
	const char *program; /* sendmail: absolute path */
	const char *username, *password_file,
		*ca_file; /* ca_file applies to the other kinds as
							 * well */
	/* slack, webhook, alertmanager: exactly one of the two */
	const char *url, *url_file;
	bool allow_private;
	const char *path; /* file */
	/* Of a channel for one owner (outbox_add_owners): the name of the configured channel that
	 * it copies, and what concerns owners; NULL: it gets every alert and action. */
	const char *base;
	const struct channel_owned *owned; /* by rule and subject */
	size_t n_owned;
	/* Configuration of the channel without secrets. If it changes, the channel counts as new,
	 * and a channel that was switched off after a failure is tried again. */
	const char *version;
};

/* One message to send. The caller owns the strings. */
struct letter {
	const char *id;        /* the same for every attempt: "c0ffee…" (hex) */
	const char *kind;      /* alerts digest daily weekly month grant lost test */
	const char *recipient; /* of mail; "" elsewhere */
	const char *subject;   /* one line, UTF-8 */
	const char *body;      /* in the format of the channel's kind */
	const char *html;      /* mail only: the other form of the body; or NULL */
	/* Ids of earlier letters in the mail thread, oldest first. */
	const char *const *refs;
	size_t n_refs;
	ts_t created;
	bool may_be_repeat; /* an earlier attempt may have been delivered */
};

enum send_class {
	SEND_SENT,
	SEND_NOT_SENT,     /* certainly not delivered: no name, no connection, no TLS */
	SEND_LATER,        /* refused temporarily: 4yz, or HTTP 429 and 5xx */
	SEND_REJECTED,     /* this letter is refused permanently */
	SEND_SWITCHED_OFF, /* the channel is refused: wrong password, webhook revoked */
	SEND_UNCLEAR,      /* may have been delivered: the final reply is missing */
};

#define SEND_REPLY_MAX 200

struct send_result {
	enum send_class class;
	int64_t retry_after; /* seconds, -1: unknown; applies to the whole channel */
	char reply[SEND_REPLY_MAX + 1]; /* reply of the server, made visible; "" */
	struct err err;                 /* unless sent: the error and its fix */
};

struct sender {
	struct http *
		http; /* for webhooks: refuses addresses that a webhook must not connect to */
	struct clock *clock;
};

/* Properties of a kind of channel. */
struct channel_traits {
	const char *name;   /* "email" ... as in the configuration */
	const char *format; /* format of letter.body, from doc_formats */
	bool html;          /* fills letter.html as well */
	bool per_recipient; /* one letter for each of `to` */
	size_t max_bytes;   /* of body and of html; 0: no limit */
	size_t max_rows;    /* of a section, in formats for reading */
	size_t max_acts;    /* actions shown in full; the others get one line each */
	int64_t gap;        /* seconds between two letters */
	bool reports;       /* accepts reports, not only alerts */
};
extern const struct channel_traits channel_traits[CHANNEL_KINDS];

/* Tests whether the channel gets alerts and actions of the rule about the subject. */
bool channel_is_about(const struct channel *c, const char *rule, const char *subject);

/* Sends one letter, once. Always fills *out. In tpucost-net only: reports/send/send.c has one
 * function and one table row for each kind. */
void channel_send(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);

const char *send_class_name(enum send_class c); /* "sent" "not sent" ... */

/* Reports whether the time is within the quiet hours. */
bool channel_quiet(const struct channel *c, const struct tz *tz, ts_t at);

/* Heartbeat: sends GET to the URL of a service that raises an alarm when the requests stop ("dead
 * man's switch"). Once, for at most 10 s; any 2xx status is a success. The URL is a secret: errors
 * show only its host. E_CONFIG, E_NET, E_HTTP. In tpucost-net only. */
enum err_code heartbeat_send(struct http *h, const char *url, struct err *e) must_check;

#endif
