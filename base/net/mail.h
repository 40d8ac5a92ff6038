/* Texts of a mail: MIME parts decoded, HTML converted to lines. Also accepts text that was pasted
 * from a mail, with or without its head. */
#ifndef TPUCOST_BASE_NET_MAIL_H
#define TPUCOST_BASE_NET_MAIL_H

#include "base/err.h"
#include "base/mem.h"
#include "base/net/digest.h"

#define MAIL_MAX_BYTES (1024 * 1024)
#define MAIL_MAX_PARTS 64
#define MAIL_MAX_DEPTH 8
#define MAIL_MAX_MARKS 8 /* quote marks of HTML: deeper quotes look like this deep */

struct mail_text {
	const char *text; /* usually UTF-8; lines end in "\n" */
	bool html;        /* was HTML: line numbers are not those of the source */
	ts_t date;        /* Date: of the message that contains it, as by mail_date_parse */
	const char *subject; /* or NULL: none, or several */
	const char *from;    /* of that message, or NULL */
	const char *list;    /* its List-Id:, or NULL */
	/* names of the lines in the heads of that message and of the part, each with "\n" */
	const char *fields;
	bool later; /* after another text part, except of the same alternatives; or a file */
	int message; /* number of that message; a mail inside the mail is another */
	int head;    /* number of lines of its own head in the text, if it was pasted */
};

struct mail {
	bool mime; /* it has the head of a mail; otherwise all of it is one text */
	char sha256[DIGEST_HEX];
	struct mail_text *texts; /* in order; without attachments */
	size_t n;
};

/* Results are allocated from the arena. E_LIMIT: beyond a limit above. E_DATA: not text, damaged
 * base64, an unknown charset, cut off, or without any text. */
enum err_code mail_read(const char *bytes, size_t len, struct arena *a, struct mail *out,
	struct err *e) must_check;

/* Lines of a text, from 1; {0, 0}: none. */
struct mail_span {
	int first, last;
};

struct mail_sent {
	ts_t at;         /* TS_NONE: unknown */
	bool inner;      /* from the head of a forwarded mail in the text */
	const char *why; /* it is unknown */
};

/* Date at which Google sent these lines of text i. `spans` has an element per text. The Date: of the
 * message is used only if its head is that of an original mail of Google, and all up to the last of
 * these lines is known text and HTML of such a mail. If the lines are in a forwarded mail, the date in its head
 * is used, if it is complete. No date is later than `now`. `why` is allocated from the arena or static. */
struct mail_sent mail_sent(const struct mail *m, const struct mail_span *spans, size_t i,
	ts_t now, struct arena *a);

/* "Tue, 5 May 2026 10:00:00 +0800" (RFC 5322), with a time zone and, if there is one, the right day of
 * the week; TS_NONE otherwise. */
ts_t mail_date_parse(const char *s, struct arena *a);

/* Convert HTML to lines of text: blocks become lines, table cells are separated by " | ", and a line
 * with an element that an original mail of TRC does not use there has "> " before it. With
 * `keep_lines`, line ends of the source are line ends, too (text with a few tags in it). E_DATA:
 * nested too deeply to be read completely. */
enum err_code mail_html_text(const char *html, size_t len, bool keep_lines, struct arena *a,
	const char **out, struct err *e) must_check;

#endif
