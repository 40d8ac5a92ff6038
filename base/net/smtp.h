/* One mail to one recipient by SMTP, over libcurl: TLS from the first byte or STARTTLS, with the
 * server's certificate verified; in the clear on loopback only. How an attempt ended is read
 * from what was said up to where, not from libcurl's codes: whoever sends again must know
 * whether the mail can have arrived.
 *
 * Neither a proxy, a .netrc nor a key log of the environment is used. Replies: RFC 5321 4.2;
 * the log-in: RFC 4954; SIZE: RFC 1870. */
#ifndef TPUCOST_BASE_NET_SMTP_H
#define TPUCOST_BASE_NET_SMTP_H

#include "base/time/clock.h"
#include "base/err.h"

#define SMTP_REPLY_MAX 200

struct smtp_opts {
	const char *url; /* as mail_server_parse reads it */
	bool plain;      /* no TLS; loopback only */
	bool allow_private;
	const char *ca_file;             /* NULL: the system's authorities */
	const char *username, *password; /* NULL: no log-in */
	const char *hello;               /* the name we greet with; a host name */
	long connect_ms;                 /* 0 = 10 s, name look-up and TCP */
	long wait_ms;                    /* 0 = 30 s, for anything to happen */
	long total_ms;                   /* 0 = 120 s */
	struct clock *clock;             /* required; the waits are the machine's own */
};

struct smtp_mail {
	const char *from, *to; /* name@host, checked by mail_address_parse */
	const char *data;      /* with CR LF line ends */
	size_t len;
};

enum smtp_end {
	SMTP_ACCEPTED,
	SMTP_NOT_SENT,  /* nothing can have arrived */
	SMTP_LATER,     /* the server wants to be asked again: 4yz */
	SMTP_REFUSED,   /* this mail is refused for good: 5yz */
	SMTP_NO_LOGIN,  /* it does not let us in */
	SMTP_UNCLEAR,   /* all of it was sent, and the answer is missing */
	SMTP_TOO_LARGE, /* it announced a size that this mail is above; nothing was sent */
};

struct smtp_result {
	enum smtp_end end;
	int code;                       /* of the reply below, 0: none */
	char reply[SMTP_REPLY_MAX + 1]; /* the server's last line, made visible; "" */
	size_t size_limit;              /* SMTP_TOO_LARGE: bytes it takes */
	struct err err;                 /* unless accepted; without secrets */
};

/* One attempt; fills *out. */
void smtp_send(
	const struct smtp_opts *o, const struct smtp_mail *m, struct smtp_result *out);

#endif
