/* URLs, as needed by a careful client: the host that a request would reach, and whether it is
 * encrypted. Stricter than RFC 3986, so that no other parser can read them differently. */
#ifndef TPUCOST_BASE_URL_URL_H
#define TPUCOST_BASE_URL_URL_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"

struct url {
	bool https;
	char host[254];   /* lower case; an IPv6 address without its brackets */
	int port;         /* 443 or 80 by default */
	const char *path; /* inside the given text: "/..." with the query, or "" */
};

/* Parse "https://host[:port][/path]" (or http). Refuses user names, fragments, blanks,
 * control characters, backslashes, host names that are not plain ASCII (E_CONFIG). */
enum err_code url_parse(const char *text, struct url *out, struct err *e) must_check;

/* The same; NULL or the reason of failure, without any of the text. */
const char *url_parse_why(const char *text, struct url *out) must_check;
/* Reason when other programs would read the host as an address that it does not look like: "127.1",
 * "0x7f.1", "2130706433". */
extern const char url_usual_form[];
#define URL_USUAL_FORM_FIX "write it as 192.0.2.1 or [2001:db8::1]"

/* "https://host:port/..." for messages about URLs whose path is a secret; returns `out`. */
#define URL_SHOWN_HOST 280
char *url_show_host(const char *text, char out[URL_SHOWN_HOST]);

/* 127.0.0.0/8 in four parts, ::1 or localhost. */
bool url_is_loopback(const struct url *u);

/* "gs://bucket/name" of an object of Cloud Storage; false: it is not such a URL, or a name that gcloud would read as a pattern.
 * Allocated from `a`. */
bool url_of_object(
	const char *text, struct arena *a, const char **bucket, const char **name);

/* Append "?name=value" or "&name=value", whichever fits, percent-encoded. */
void url_param(struct sbuf *url, const char *name, const char *value);

#endif
