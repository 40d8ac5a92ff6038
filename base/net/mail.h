/* Texts of a mail: MIME parts decoded, HTML converted to lines. Also accepts text that was pasted
 * from a mail, with or without its head. */
#ifndef TPUCOST_BASE_NET_MAIL_H
#define TPUCOST_BASE_NET_MAIL_H

#include "base/err.h"
#include "base/mem.h"

#define MAIL_MAX_BYTES (1024 * 1024)
#define MAIL_MAX_PARTS 64
#define MAIL_MAX_DEPTH 8
#define MAIL_SHA256 65

struct mail_text {
	const char *text; /* usually UTF-8; lines end in "\n" */
	bool html;        /* was HTML: line numbers are not those of the source */
	ts_t date; /* Date: of the message that contains it; TS_NONE when absent or without zone */
	const char *subject; /* or NULL */
};

struct mail {
	bool mime; /* it has the head of a mail; otherwise all of it is one text */
	char sha256[MAIL_SHA256];
	struct mail_text *texts; /* in order; without attachments */
	size_t n;
};

/* Results are allocated from the arena. E_LIMIT: beyond a limit above. E_DATA: not text, damaged
 * base64, an unknown charset, cut off, or without any text. */
enum err_code mail_read(const char *bytes, size_t len, struct arena *a, struct mail *out,
	struct err *e) must_check;

/* Convert HTML to lines of text: blocks become lines, table cells are separated by " | ". With
 * `keep_lines`, line ends of the source are line ends, too (text with a few tags in it). E_DATA:
 * nested too deeply to be read completely. */
enum err_code mail_html_text(const char *html, size_t len, bool keep_lines, struct arena *a,
	const char **out, struct err *e) must_check;

#endif
