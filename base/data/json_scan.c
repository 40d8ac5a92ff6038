/* The guard in front of cJSON: what is no strict JSON, too deep or too long is refused here. */
#include "base/data/json_internal.h"

#include "base/data/json.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON copies a number into a buffer of this many characters and would cut a longer
 * one (parse_number in cJSON 1.7.15). */
#define MAX_NUMBER 63

/* The byte at hand; the end of the text reads as NUL, which no rule allows. */
static char peek(const struct json_scan *p)
{
	return p->i < p->len ? p->s[p->i] : '\0';
}

static bool fail(struct json_scan *p, const char *why)
{
	p->why = why;
	return false;
}

static bool fail_at(struct json_scan *p, size_t at, const char *why)
{
	p->i = at;
	return fail(p, why);
}

static bool fail_want(struct json_scan *p, const char *why)
{
	return fail(p, p->i < p->len ? why : "the text ends too early");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct json_scan *p)
{
	for (; p->i < p->len; p->i++) {
		char c = p->s[p->i];

		if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
			return;
	}
}

/* ---- strings
 * --------------------------------------------------------------------------- */

/* Four hex digits at offset `at`, which is no further than the end. */
static bool hex4(const struct json_scan *p, size_t at, unsigned *out)
{
	unsigned v = 0;

	if (p->len - at < 4)
		return false;
	for (size_t k = 0; k < 4; k++) {
		char c = p->s[at + k];

		if (is_digit(c))
			v = v * 16 + (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (unsigned)(c - 'A') + 10;
		else
			return false;
	}
	*out = v;
	return true;
}

/* \uXXXX, and its second half where the first is a high surrogate. */
static bool scan_unicode(struct json_scan *p)
{
	unsigned high, low;

	if (!hex4(p, p->i + 2, &high))
		return fail(p, "bad \\u escape");
	if (!high)
		return fail(p, "\\u0000 is not allowed");
	if (high < 0xd800 || high > 0xdfff) {
		p->i += 6;
		return true;
	}
	if (high > 0xdbff || p->len - p->i < 12 || memcmp(p->s + p->i + 6, "\\u", 2) != 0 ||
		!hex4(p, p->i + 8, &low) || low < 0xdc00 || low > 0xdfff)
		return fail(p, "half of a surrogate pair");
	p->i += 12;
	return true;
}

static bool scan_escape(struct json_scan *p)
{
	char c = p->i + 1 < p->len ? p->s[p->i + 1] : '\0';

	if (c == 'u')
		return scan_unicode(p);
	if (!c || !strchr("\"\\/bfnrt", c))
		return fail(p, "bad escape");
	p->i += 2;
	return true;
}

/* One character beyond ASCII. The copy keeps the decoder inside the text. */
static bool scan_utf8(struct json_scan *p)
{
	char tail[5] = {0};
	size_t n, left = p->len - p->i;

	memcpy(tail, p->s + p->i, left < 4 ? left : 4);
	if (utf8_next(tail, &n) == 0xfffd && n == 1)
		return fail(p, "invalid UTF-8");
	p->i += n;
	return true;
}

static bool scan_string(struct json_scan *p)
{
	size_t start = p->i++;

	while (p->i < p->len) {
		unsigned char c = (unsigned char)p->s[p->i];

		if (c == '"') {
			p->i++;
			return true;
		}
		if (c < 0x20)
			return fail(p, "control character in a string");
		if (c == '\\') {
			if (!scan_escape(p))
				return false;
		} else if (c < 0x80) {
			p->i++;
		} else if (!scan_utf8(p)) {
			return false;
		}
	}
	return fail_at(p, start, "string does not end");
}

/* ---- other scalars
 * --------------------------------------------------------------------- */

static bool scan_digits(struct json_scan *p)
{
	if (!is_digit(peek(p)))
		return fail_want(p, "bad number");
	while (is_digit(peek(p)))
		p->i++;
	return true;
}

/* cJSON keeps a double: what is beyond its range would become infinite, and print as
 * null. */
static bool is_finite(const char *digits, size_t n)
{
	char buf[MAX_NUMBER + 1];

	memcpy(buf, digits, n);
	buf[n] = '\0';
	return isfinite(strtod(buf, NULL)) != 0;
}

static bool scan_number(struct json_scan *p)
{
	size_t start = p->i;

	if (peek(p) == '-')
		p->i++;
	if (peek(p) == '0')
		p->i++;
	else if (!scan_digits(p))
		return false;
	if (is_digit(peek(p)))
		return fail_at(p, start, "number begins with 0");
	if (peek(p) == '.') {
		p->i++;
		if (!scan_digits(p))
			return false;
	}
	if (peek(p) == 'e' || peek(p) == 'E') {
		p->i++;
		if (peek(p) == '+' || peek(p) == '-')
			p->i++;
		if (!scan_digits(p))
			return false;
	}
	if (p->i - start > MAX_NUMBER)
		return fail_at(
			p, start, "number of more than " STR(MAX_NUMBER) " characters");
	if (!is_finite(p->s + start, p->i - start))
		return fail_at(p, start, "number is out of range");
	return true;
}

static bool scan_word(struct json_scan *p, const char *word)
{
	size_t n = strlen(word);

	if (p->len - p->i < n || memcmp(p->s + p->i, word, n) != 0)
		return fail(p, "want a value");
	p->i += n;
	return true;
}

static bool scan_scalar(struct json_scan *p)
{
	char c = peek(p);

	if (c == '"')
		return scan_string(p);
	if (c == 't')
		return scan_word(p, "true");
	if (c == 'f')
		return scan_word(p, "false");
	if (c == 'n')
		return scan_word(p, "null");
	if (c == '-' || is_digit(c))
		return scan_number(p);
	return fail_want(p, "want a value");
}

/* ---- structure
 * ------------------------------------------------------------------------- */

static bool scan_key(struct json_scan *p)
{
	skip_blanks(p);
	if (peek(p) != '"')
		return fail_want(p, "want a key in double quotes");
	if (p->n_keys == p->room) {
		p->room = p->room ? p->room * 2 : 32;
		p->keys = xrealloc(p->keys, p->room * sizeof(*p->keys));
	}
	p->keys[p->n_keys++] = p->i;
	if (!scan_string(p))
		return false;
	skip_blanks(p);
	if (peek(p) != ':')
		return fail_want(p, "want ':' after a key");
	p->i++;
	return true;
}

struct nest {
	char open[JSON_MAX_DEPTH];
	size_t depth;
};

/* After a value: close what ends here. *more tells that another value must follow. */
static bool scan_after(struct json_scan *p, struct nest *nest, bool *more)
{
	*more = false;
	while (nest->depth) {
		bool in_object = nest->open[nest->depth - 1] == '{';

		skip_blanks(p);
		if (peek(p) == ',') {
			p->i++;
			*more = true;
			return in_object ? scan_key(p) : true;
		}
		if (peek(p) != (in_object ? '}' : ']'))
			return fail_want(
				p, in_object ? "want ',' or '}'" : "want ',' or ']'");
		p->i++;
		nest->depth--;
	}
	return true;
}

/* A '{' or '['. *closed tells that it is empty, and thereby a whole value. */
static bool scan_open(struct json_scan *p, struct nest *nest, bool *closed)
{
	char open = peek(p);

	if (nest->depth == JSON_MAX_DEPTH)
		return fail(p, "nested more than " STR(JSON_MAX_DEPTH) " deep");
	p->i++;
	skip_blanks(p);
	*closed = peek(p) == (open == '{' ? '}' : ']');
	if (*closed) {
		p->i++;
		return true;
	}
	nest->open[nest->depth++] = open;
	return open == '{' ? scan_key(p) : true;
}

static bool scan_begin(struct json_scan *p)
{
	if (p->len >= 3 && !memcmp(p->s, "\xef\xbb\xbf", 3))
		return fail(p, "a byte order mark is not allowed");
	skip_blanks(p);
	return p->i < p->len ? true : fail(p, "the text is empty");
}

bool json_scan(struct json_scan *p)
{
	struct nest nest = {.depth = 0};
	bool more = true;

	if (!scan_begin(p))
		return false;
	while (more) {
		bool closed = true;

		skip_blanks(p);
		if (peek(p) == '{' || peek(p) == '[') {
			if (!scan_open(p, &nest, &closed))
				return false;
		} else if (!scan_scalar(p)) {
			return false;
		}
		if (closed && !scan_after(p, &nest, &more))
			return false;
	}
	p->end = p->i;
	skip_blanks(p);
	return p->i == p->len ? true : fail(p, "more text after the document");
}

void json_scan_done(struct json_scan *p)
{
	free(p->keys);
	p->keys = NULL;
	p->n_keys = p->room = 0;
}
