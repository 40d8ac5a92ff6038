/* Mail addresses: "name@host" or "Name <name@host>", in the strict form that every server accepts
 * (RFC 5321 without quoted names, comments and address literals), and mail servers. A valid address
 * cannot begin an option of a program or a line in a mail or in SMTP, or become another address
 * when it is decoded (RFC 2047). */
#ifndef TPUCOST_BASE_URL_ADDRESS_H
#define TPUCOST_BASE_URL_ADDRESS_H

#include "base/err.h"

#define ADDRESS_MAX_NAME 128
#define ADDRESS_MAX_LOCAL 64 /* bytes before the "@": RFC 5321 4.5.3.1.1 */
#define ADDRESS_MAX 254      /* with the host: the longest that fits into an SMTP path */

struct mail_address {
	char name[ADDRESS_MAX_NAME + 1]; /* display name, UTF-8; "" */
	char addr[ADDRESS_MAX + 1];      /* name@host */
};

/* E_CONFIG with the problem; *out is not changed then. */
enum err_code mail_address_parse(
	const char *text, struct mail_address *out, struct err *e) must_check;
/* The same without a result: for checking a configuration. */
enum err_code mail_address_check(const char *text, struct err *e) must_check;
/* Reports whether both are valid and of one mailbox, under any name and in upper or lower case. */
bool mail_address_same(const char *one, const char *other);
/* Part after the "@". */
const char *mail_address_host(const struct mail_address *m);

struct mail_server {
	bool tls;       /* from the first byte: smtps; else STARTTLS */
	char host[254]; /* lower case; an IPv6 address without its brackets */
	int port;       /* 465 or 587 by default (RFC 8314, RFC 6409) */
	bool loopback;
};

/* "smtps://host[:port]" or "smtp://host[:port]", nothing after it. `plain` means without TLS, which
 * is permitted only on this machine. E_CONFIG. */
enum err_code mail_server_parse(
	const char *url, bool plain, struct mail_server *out, struct err *e) must_check;

#endif
