/* Writes a mail: text, with HTML beside it, as MIME (RFC 5322, 2045 to 2047, 2392's ids). The same
 * input gives the same bytes at any time, so that a mail which is sent again is the same mail. */
#ifndef TPUCOST_BASE_NET_MAIL_WRITE_H
#define TPUCOST_BASE_NET_MAIL_WRITE_H

#include "base/err.h"
#include "base/sbuf.h"

#define MAIL_WRITE_MAX (256 * 1024)
#define MAIL_MAX_SUBJECT 200 /* bytes; what is longer ends in "..." */
#define MAIL_MAX_REFS 20     /* of a thread: the first and the latest */

struct mail_draft {
	const char *id; /* letters, digits, "." "-" "_": Message-ID is <id@host of from> */
	const char *const *refs; /* such ids that it goes on from, oldest first */
	size_t n_refs;
	const char *from;      /* addresses as mail_address_parse reads them */
	const char *const *to; /* those that are shown */
	size_t n_to;
	const char *subject; /* what is no plain text in it becomes visible */
	const char *text;    /* UTF-8, lines end in "\n"; what is invalid becomes U+FFFD */
	const char *html;    /* or NULL */
	ts_t date;
	bool repeat; /* it says so in its subject */
	bool crlf;   /* line ends of the network; else those of this machine */
};

/* Appends the mail to *out, of at most `max` bytes: where that is too little the HTML is left
 * out, then lines at the end of the text, and the mail says so. E_CONFIG: a wrong address,
 * E_BUG: a wrong id, E_LIMIT: not even the head fits. */
enum err_code mail_write(
	const struct mail_draft *d, size_t max, struct sbuf *out, struct err *e) must_check;

#endif
