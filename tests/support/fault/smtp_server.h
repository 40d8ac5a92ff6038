/* A mail server on loopback that does as it is told, in threads of this process. It records what
 * it heard and every mail that came to its end, whatever it answered to it. */
#ifndef TPUCOST_TESTS_SUPPORT_SMTP_SERVER_H
#define TPUCOST_TESTS_SUPPORT_SMTP_SERVER_H

#include "base/base.h"
#include "tests/support/fault/certs.h"

enum smtp_tls { SMTP_CLEAR, SMTP_STARTTLS, SMTP_IMPLICIT };
enum smtp_how {
	SMTP_SAY,   /* `say` instead of the usual answer */
	SMTP_CLOSE, /* `say` if it is set, then close */
	SMTP_MUTE,  /* say nothing until the client goes */
};

struct smtp_step {
	/* "GREETING", the first word of a command, "END" (the dot after the mail), or "LINE"
	 * for each line of the mail */
	const char *verb;
	const char *match; /* part of the line; NULL: any */
	int times;         /* 0: for ever */
	enum smtp_how how;
	const char *say; /* whole lines, "\r\n" and all */
};

struct smtp_server_opts {
	enum smtp_tls tls;
	const struct cert *cert;
	int max_version;        /* TLS1_1_VERSION; 0: all */
	const char *mechanisms; /* "PLAIN LOGIN"; NULL: nobody has to log in */
	const char *username, *password;
	long size;          /* announced; 0: not */
	const char *extras; /* more lines of the answer to EHLO, "250-...\r\n"; or NULL */
	const struct smtp_step *steps;
	size_t n_steps;
};

struct smtp_got {
	bool secure; /* came by TLS */
	bool login;  /* after a log-in */
	char hello[256], from[512],
		to[512]; /* what followed the verb; of `to` all, with "," */
	int n_to;
	char *data; /* without the dots that were added to it */
	size_t len;
	int stuffed; /* lines with such a dot */
	int bare;    /* lines that did not end in CR LF */
};

struct smtp_server; /* opaque */

/* Strings, steps and certificate stay the caller's until the end. */
struct smtp_server *smtp_server_start(const struct smtp_server_opts *o);
void smtp_server_stop(struct smtp_server *s);
int smtp_server_port(const struct smtp_server *s);

/* Mails, in the order of their ends; NULL when there is no such. Good until the stop. */
const struct smtp_got *smtp_server_mail(struct smtp_server *s, size_t i);
size_t smtp_server_mails(struct smtp_server *s);
size_t smtp_server_connections(struct smtp_server *s);
/* Commands, a line each, of all connections: "EHLO x\n...". Those heard within TLS begin with
 * "* ". Good until the next call. */
const char *smtp_server_heard(struct smtp_server *s);

#endif
