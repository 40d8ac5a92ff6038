/* Sending of one mail to one recipient by SMTP, with libcurl: TLS from the first byte or STARTTLS,
 * with the server's certificate verified; unencrypted on loopback only. The result is determined
 * from the commands and replies, not from libcurl's codes: a caller that retries must know whether
 * the mail can have arrived.
 *
 * Neither a proxy, a .netrc nor a key log of the environment is used. Replies: RFC 5321 4.2; login:
 * RFC 4954; SIZE: RFC 1870. */
#ifndef TPUCOST_BASE_NET_SMTP_H
#define TPUCOST_BASE_NET_SMTP_H

#include "base/time/clock.h"
#include "base/err.h"

#define SMTP_REPLY_MAX 200

struct smtp_opts {
	const char *url; /* as read by mail_server_parse */
	bool plain;      /* no TLS; loopback only */
	bool allow_private;
	const char *ca_file;             /* NULL: the system's authorities */
	const char *username, *password; /* NULL: no login */
	const char *hello;               /* name sent in the greeting; a host name */
	long connect_ms;                 /* 0 = 10 s, name lookup and TCP */
	long wait_ms;                    /* 0 = 30 s, without any progress */
	long total_ms;                   /* 0 = 120 s */
	struct clock *clock;             /* required; waits use the system's clock */
};

struct smtp_mail {
	const char *from, *to; /* name@host, checked by mail_address_parse */
	const char *data;      /* with CR LF line ends */
	size_t len;
};

enum smtp_end {
	SMTP_ACCEPTED,
	SMTP_NOT_SENT,  /* nothing can have arrived */
	SMTP_LATER,     /* the server requests a retry: 4yz */
	SMTP_REFUSED,   /* this mail is refused permanently: 5yz */
	SMTP_NO_LOGIN,  /* login or connection rejected */
	SMTP_UNCLEAR,   /* all of it was sent, but the answer is missing */
	SMTP_TOO_LARGE, /* the mail exceeds the announced size; nothing was sent */
};

struct smtp_result {
	enum smtp_end end;
	int code;                       /* of the reply below, 0: none */
	char reply[SMTP_REPLY_MAX + 1]; /* last line of the server, made visible; "" */
	size_t size_limit;              /* SMTP_TOO_LARGE: bytes that it accepts */
	struct err err;                 /* unless accepted; without secrets */
};

/* One attempt; fills *out. */
void smtp_send(
	const struct smtp_opts *o, const struct smtp_mail *m, struct smtp_result *out);

#endif
