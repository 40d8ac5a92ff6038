/* Mail addresses: "name@host" or "Name <name@host>", in the strict form that every server takes
 * (RFC 5321 without quoted names, comments and address literals), and servers that take mail.
 * Nothing that passes can begin an option of a program or a line of its own in a mail or in
 * SMTP, or be another address to whoever decodes it (RFC 2047). */
#ifndef TPUCOST_BASE_URL_ADDRESS_H
#define TPUCOST_BASE_URL_ADDRESS_H

#include "base/err.h"

#define ADDRESS_MAX_NAME 128
#define ADDRESS_MAX_LOCAL 64 /* bytes before the "@": RFC 5321 4.5.3.1.1 */
#define ADDRESS_MAX 254      /* with the host: the longest that fits into a path of SMTP */

struct mail_address {
	char name[ADDRESS_MAX_NAME + 1]; /* for people, UTF-8; "" */
	char addr[ADDRESS_MAX + 1];      /* name@host */
};

/* E_CONFIG, saying what is wrong with it; *out is then left alone. */
enum err_code mail_address_parse(
	const char *text, struct mail_address *out, struct err *e) must_check;
/* The same without a result: for checking a configuration. */
enum err_code mail_address_check(const char *text, struct err *e) must_check;
/* What follows the "@". */
const char *mail_address_host(const struct mail_address *m);

struct mail_server {
	bool tls;       /* from the first byte: smtps; else STARTTLS */
	char host[254]; /* lower case; an IPv6 address without its brackets */
	int port;       /* 465 or 587 when none is named (RFC 8314, RFC 6409) */
	bool loopback;
};

/* "smtps://host[:port]" or "smtp://host[:port]", nothing after it. `plain` asks for no TLS at
 * all, which only this machine may have. E_CONFIG. */
enum err_code mail_server_parse(
	const char *url, bool plain, struct mail_server *out, struct err *e) must_check;

#endif
