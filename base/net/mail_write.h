/* Mail writer: text and HTML as MIME (RFC 5322, 2045 to 2047, 2392's ids). The same input always
 * gives the same bytes, so that a mail that is sent again is the same mail. */
#ifndef TPUCOST_BASE_NET_MAIL_WRITE_H
#define TPUCOST_BASE_NET_MAIL_WRITE_H

#include "base/err.h"
#include "base/sbuf.h"

#define MAIL_WRITE_MAX (256 * 1024)
#define MAIL_MAX_SUBJECT 200 /* bytes; a longer one ends in "..." */
#define MAIL_MAX_REFS 20     /* of a thread: the first and the latest */

struct mail_draft {
	const char *id; /* letters, digits, "." "-" "_": Message-ID is <id@host of from> */
	const char *const *refs; /* ids of the thread that it continues, oldest first */
	size_t n_refs;
	const char *from;      /* addresses as mail_address_parse reads them */
	const char *const *to; /* visible recipients */
	size_t n_to;
	const char *subject; /* characters that are not plain text are made visible */
	const char *text;    /* UTF-8, lines end in "\n"; invalid bytes become U+FFFD */
	const char *html;    /* or NULL */
	ts_t date;
	bool repeat; /* its subject indicates a repetition */
	bool crlf;   /* line ends of the network; otherwise those of this machine */
};

/* Append the mail to *out, with at most `max` bytes: if that is too little the HTML is omitted,
 * then lines at the end of the text, and the mail notes that. E_CONFIG: a wrong address, E_BUG: a
 * wrong id, E_LIMIT: not even the head fits. */
enum err_code mail_write(
	const struct mail_draft *d, size_t max, struct sbuf *out, struct err *e) must_check;

#endif
