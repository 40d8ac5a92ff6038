#include "base/data/json_pick.h"

#include "base/data/json.h"
#include "base/str.h"

#include <string.h>

#define MAX_NUMBER 63

struct pick {
	struct json_picker *p;
	const char *begin, *s, *end; /* *end is NUL, which no rule allows */
	const char *why;
	struct err *e; /* of a callback */
	size_t depth;
};

static bool fail(struct pick *k, const char *why)
{
	if (!k->why)
		k->why = k->s < k->end ? why : "the text ends too early";
	return false;
}

static void skip_blanks(struct pick *k)
{
	while (*k->s == ' ' || *k->s == '\t' || *k->s == '\r' || *k->s == '\n')
		k->s++;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Bytes that stand for themselves in a string: ASCII without quote, backslash and control
 * characters. */
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Eight bytes at a time (Hacker's Delight): the high bit of each byte that is not plain. Of bytes
 * behind the first one it may be set as well, by what that one borrowed. */
static uint64_t not_plain(const char *s)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t v, quote, back;

	memcpy(&v, s, sizeof(v));
	quote = v ^ (ones * '"');
	back = v ^ (ones * '\\');
	return (v | (v - ones * 0x20) | (quote - ones) | (back - ones)) & highs;
}

static const char *skip_plain(const char *s, const char *end)
{
	for (; end - s >= 8; s += 8) {
		uint64_t marks = not_plain(s);

		if (!marks)
			continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return s + (__builtin_ctzll(marks) >> 3);
#else
		break;
#endif
	}
	while (is_plain((unsigned char)*s))
		s++;
	return s;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool hex4(const struct pick *k, const char *s, unsigned *out)
{
	unsigned v = 0;

	if (k->end - s < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = hex_digit(s[i]);

		if (d < 0)
			return false;
		v = v * 16 + (unsigned)d;
	}
	*out = v;
	return true;
}

static size_t put_utf8(char *out, unsigned c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* \uXXXX and the second half of a pair; *out gets up to four bytes. */
static bool unicode(struct pick *k, char *out, size_t *n)
{
	unsigned c, low;

	if (!hex4(k, k->s + 2, &c))
		return fail(k, "bad \\u escape");
	if (!c)
		return fail(k, "\\u0000 is not allowed");
	k->s += 6;
	if (c >= 0xd800 && c <= 0xdfff) {
		if (c > 0xdbff || k->s[0] != '\\' || k->s[1] != 'u' ||
			!hex4(k, k->s + 2, &low) || low < 0xdc00 || low > 0xdfff)
			return fail(k, "half of a surrogate pair");
		k->s += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*n = put_utf8(out, c);
	return true;
}

static bool escape(struct pick *k, char *out, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (k->s[1] == 'u')
		return unicode(k, out, n);
	at = k->s[1] ? strchr(from, k->s[1]) : NULL;
	if (!at)
		return fail(k, "bad escape");
	out[0] = to[at - from];
	*n = 1;
	k->s += 2;
	return true;
}

/* One character beyond ASCII. The text ends with NUL, so the decoder stays inside. */
static bool beyond_ascii(struct pick *k, size_t *n)
{
	if (utf8_next(k->s, n) == 0xfffd && *n == 1)
		return fail(k, "invalid UTF-8");
	k->s += *n;
	return true;
}

/* The rest of a string that has an escape; `from` is where its text began. A copy with the
 * escapes resolved is never longer. */
static bool escaped_string(struct pick *k, const char *from, struct json_value *v)
{
	const char *close = k->s;
	char *out;
	size_t n = (size_t)(k->s - from), one;

	/* no further than the next bare quote, escaped ones left out */
	while (close < k->end && *close != '"')
		close += *close == '\\' && close + 1 < k->end ? 2 : 1;
	out = v ? arena_alloc(k->p->scratch, (size_t)(close - from) + 4) : NULL;
	if (out)
		memcpy(out, from, n);
	while (*k->s != '"') {
		const char *at = k->s;
		char buf[4];

		one = 0;
		if (*k->s == '\\') {
			if (!escape(k, buf, &one))
				return false;
			at = buf;
		} else if ((unsigned char)*k->s < 0x20) {
			return fail(k, "control character in a string");
		} else if (!beyond_ascii(k, &one)) {
			return false;
		}
		if (out)
			memcpy(out + n, at, one);
		n += one;
	}
	k->s++;
	if (v)
		*v = (struct json_value){JSON_STRING, out, n};
	return true;
}

static bool string(struct pick *k, struct json_value *v)
{
	const char *from = ++k->s;
	size_t n;

	for (;;) {
		k->s = skip_plain(k->s, k->end);
		if (*k->s == '"')
			break;
		if (*k->s == '\\')
			return escaped_string(k, from, v);
		if ((unsigned char)*k->s < 0x20)
			return fail(k, "control character in a string");
		if (!beyond_ascii(k, &n))
			return false;
	}
	if (v)
		*v = (struct json_value){JSON_STRING, from, (size_t)(k->s - from)};
	k->s++;
	return true;
}

/* ---- other scalars -------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool digits(struct pick *k)
{
	if (!is_digit(*k->s))
		return fail(k, "bad number");
	while (is_digit(*k->s))
		k->s++;
	return true;
}

static bool number(struct pick *k, struct json_value *v)
{
	const char *from = k->s;

	if (*k->s == '-')
		k->s++;
	if (*k->s == '0')
		k->s++;
	else if (!digits(k))
		return false;
	if (is_digit(*k->s))
		return fail(k, "number begins with 0");
	if (*k->s == '.') {
		k->s++;
		if (!digits(k))
			return false;
	}
	if (*k->s == 'e' || *k->s == 'E') {
		k->s++;
		if (*k->s == '+' || *k->s == '-')
			k->s++;
		if (!digits(k))
			return false;
	}
	if (k->s - from > MAX_NUMBER)
		return fail(k, "number of more than " STR(MAX_NUMBER) " characters");
	if (v)
		*v = (struct json_value){JSON_NUMBER, from, (size_t)(k->s - from)};
	return true;
}

static bool word(
	struct pick *k, const char *text, enum json_kind kind, struct json_value *v)
{
	size_t n = strlen(text);

	if ((size_t)(k->end - k->s) < n || memcmp(k->s, text, n) != 0)
		return fail(k, "want a value");
	if (v)
		*v = (struct json_value){kind, k->s, n};
	k->s += n;
	return true;
}

/* ---- structure ------------------------------------------------------------------------------ */

static bool object(struct pick *k, const struct json_wish *wishes, size_t n);
static bool list(struct pick *k, const struct json_wish *w);

static bool deeper(struct pick *k)
{
	if (k->depth == JSON_MAX_DEPTH)
		return fail(k, "nested more than " STR(JSON_MAX_DEPTH) " deep");
	k->depth++;
	k->s++;
	skip_blanks(k);
	return true;
}

static bool any_value(struct pick *k, struct json_value *v)
{
	if (v && (*k->s == '{' || *k->s == '['))
		*v = (struct json_value){JSON_COMPOUND, k->s, 0};
	switch (*k->s) {
	case '"':
		return string(k, v);
	case '{':
		return object(k, NULL, 0);
	case '[':
		return list(k, NULL);
	case 't':
		return word(k, "true", JSON_BOOL, v);
	case 'f':
		return word(k, "false", JSON_BOOL, v);
	case 'n':
		return word(k, "null", JSON_NULL, v);
	default:
		if (*k->s == '-' || is_digit(*k->s))
			return number(k, v);
		return fail(k, "want a value");
	}
}

static bool wished_value(struct pick *k, const struct json_wish *w)
{
	if (!w)
		return any_value(k, NULL);
	if (w->list && *k->s == '[')
		return list(k, w);
	if (w->sub && !w->list && *k->s == '{')
		return object(k, w->sub, w->n_sub);
	if (w->sub) /* null, or something that it should not be */
		return *k->s == 'n'
			? any_value(k, NULL)
			: fail(k, w->list ? "want an array of objects" : "want an object");
	return any_value(k, &k->p->slots[w->slot]);
}

/* Keys come in the order of the wishes more often than not: `hint` is where to look first. */
static const struct json_wish *find(const struct json_wish *wishes, size_t n, size_t *hint,
	const struct json_value *key)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = *hint + i < n ? *hint + i : *hint + i - n;
		const struct json_wish *w = &wishes[at];

		if (w->len == key->n && !memcmp(w->key, key->s, key->n)) {
			*hint = at + 1 < n ? at + 1 : 0;
			return &wishes[at];
		}
	}
	return NULL;
}

static bool member(struct pick *k, const struct json_wish *wishes, size_t n, size_t *hint,
	uint64_t *seen)
{
	const struct json_wish *w;
	struct json_value key;

	if (*k->s != '"')
		return fail(k, "want a key in double quotes");
	if (!string(k, n ? &key : NULL))
		return false;
	skip_blanks(k);
	if (*k->s != ':')
		return fail(k, "want ':' after a key");
	k->s++;
	skip_blanks(k);
	w = n ? find(wishes, n, hint, &key) : NULL;
	if (w) {
		uint64_t bit = UINT64_C(1) << (w - wishes);

		if (*seen & bit)
			return fail(k, "duplicate key");
		*seen |= bit;
	}
	return wished_value(k, w);
}

static bool object(struct pick *k, const struct json_wish *wishes, size_t n)
{
	uint64_t seen = 0;
	size_t hint = 0;

	if (!deeper(k))
		return false;
	if (*k->s != '}')
		for (;;) {
			if (!member(k, wishes, n, &hint, &seen))
				return false;
			skip_blanks(k);
			if (*k->s != ',')
				break;
			k->s++;
			skip_blanks(k);
		}
	if (*k->s != '}')
		return fail(k, "want ',' or '}'");
	k->s++;
	k->depth--;
	return true;
}

static void reset(struct json_picker *p, const struct json_wish *wishes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wishes[i].sub)
			reset(p, wishes[i].sub, wishes[i].n_sub);
		else
			p->slots[wishes[i].slot] = (struct json_value){0};
}

static bool item(struct pick *k, const struct json_wish *w)
{
	if (*k->s != '{')
		return fail(k, "want an object");
	reset(k->p, w->sub, w->n_sub);
	if (!object(k, w->sub, w->n_sub))
		return false;
	if (k->p->on_item(k->p->ctx, w, k->e))
		return fail(k, "");
	return true;
}

/* An array; w == NULL: nobody wants to know of its elements. */
static bool list(struct pick *k, const struct json_wish *w)
{
	if (!deeper(k))
		return false;
	if (*k->s != ']')
		for (;;) {
			if (!(w ? item(k, w) : any_value(k, NULL)))
				return false;
			skip_blanks(k);
			if (*k->s != ',')
				break;
			k->s++;
			skip_blanks(k);
		}
	if (*k->s != ']')
		return fail(k, "want ',' or ']'");
	k->s++;
	k->depth--;
	return true;
}

enum err_code json_pick(struct json_picker *p, const char *text, size_t len, struct err *e)
{
	struct pick k = {.p = p, .begin = text, .s = text, .end = text + len, .e = e};
	bool only_list = p->n == 1 && !p->wishes[0].key, ok;

	if (e)
		err_clear(e);
	reset(p, p->wishes, p->n);
	skip_blanks(&k);
	if (only_list)
		ok = *k.s == '[' ? list(&k, &p->wishes[0]) : fail(&k, "want an array");
	else
		ok = *k.s == '{' ? object(&k, p->wishes, p->n) : fail(&k, "want an object");
	if (ok) {
		skip_blanks(&k);
		if (k.s == k.end)
			return E_OK;
		fail(&k, "more text after the document");
	}
	if (e && e->code)
		return e->code;
	return err_set(e, E_DATA, "JSON: %s at byte %zu", k.why, (size_t)(k.s - k.begin));
}
