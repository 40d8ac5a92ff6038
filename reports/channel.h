/* Where messages go: what the configuration says of a channel, and how one letter is sent.
 *
 * Sending is the one thing here that needs the network; reports/send_*.c are therefore part of
 * tpucost-net only. Nothing of a secret (password, webhook URL) may get into an error, a reply,
 * the database or a log. */
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

struct channel {
	const char *name;
	enum channel_kind kind;
	enum severity min_severity;
	/* Minutes after midnight in the configured zone; both -1: none. Holds back what is not
	 * critical. May go over midnight. */
	int quiet_from, quiet_until;
	/* Seconds: what is not critical waits so long for more of it, and so long after the last
	 * message. */
	int64_t group_wait, group_interval;
	/* e-mail and sendmail */
	const char *const *to;
	size_t n_to;
	const char *from;
	const char *smtp;    /* "smtps://host[:port]", "smtp://host[:port]" (STARTTLS) */
	bool plain;          /* tls: off, loopback only */
	const char *program; /* sendmail: absolute path */
	const char *username, *password_file, *ca_file; /* ca_file also for the others */
	/* slack, webhook, alertmanager: one of the two */
	const char *url, *url_file;
	bool allow_private;
	const char *path; /* file */
	/* What it was configured as, without secrets: another text is another channel, and what
	 * was switched off because it failed is tried again. */
	const char *version;
};

/* One message on its way. Strings are the caller's. */
struct letter {
	const char *id;        /* the same for every attempt: "c0ffee…" (hex) */
	const char *kind;      /* alerts digest daily weekly month grant lost test */
	const char *recipient; /* of mail; "" elsewhere */
	const char *subject;   /* one line, UTF-8 */
	const char *body;      /* in the format of the channel's kind */
	const char *html;      /* of mail: the other form of the body; or NULL */
	/* Ids of letters it goes on from, oldest first: a mail thread. */
	const char *const *refs;
	size_t n_refs;
	ts_t created;
	bool may_be_repeat; /* an earlier attempt may have arrived */
};

enum send_class {
	SEND_SENT,
	SEND_NOT_SENT,     /* nothing can have arrived: no name, no connection, no TLS */
	SEND_LATER,        /* refused for now: 4yz, 429, 5xx of HTTP */
	SEND_REJECTED,     /* this letter is refused for good */
	SEND_SWITCHED_OFF, /* the channel is: wrong password, webhook withdrawn */
	SEND_UNCLEAR, /* it may have arrived: the answer to the whole of it is missing */
};

#define SEND_REPLY_MAX 200

struct send_result {
	enum send_class class;
	int64_t retry_after;            /* seconds, -1: not said; for the whole channel */
	char reply[SEND_REPLY_MAX + 1]; /* what the other side said, made visible; "" */
	struct err err;                 /* unless sent: what failed and what to do */
};

/* What senders work with. */
struct sender {
	struct http
		*http; /* for webhooks: refuses addresses that a webhook must not reach */
	struct clock *clock;
};

struct channel_traits {
	const char *name;   /* "email" ... as in the configuration */
	const char *format; /* of letter.body: a name of doc_formats */
	bool html;          /* letter.html as well */
	bool per_recipient; /* a letter for each of `to` */
	size_t max_bytes;   /* of body and of html; 0: no limit */
	size_t max_rows;    /* of a section, for people */
	size_t max_acts;    /* actions that are said in full; the others in a line each */
	int64_t gap;        /* seconds between two letters */
	bool reports;       /* reports can go there, not only alerts */
};
extern const struct channel_traits channel_traits[CHANNEL_KINDS];

/* Send one letter, once, whatever happens; *out is filled. In tpucost-net only: there is a
 * function and a line in reports/send/send.c for each kind. */
void channel_send(struct sender *s, const struct channel *c, const struct letter *l,
	struct send_result *out);

const char *send_class_name(enum send_class c); /* "sent" "not sent" ... */

/* Is the instant within the quiet hours? */
bool channel_quiet(const struct channel *c, const struct tz *tz, ts_t at);

#endif
