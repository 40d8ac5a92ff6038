/* The only parser of JSON's grammar. It picks values, or runs before cJSON as a check: then it also
 * refuses everything that cJSON would accept. */
#include "base/data/json_pick.h"

#include "base/data/json.h"
#include "base/sbuf.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cJSON copies a number into a buffer of this many characters and would cut a longer
 * one (parse_number in cJSON 1.7.15). */
#define MAX_NUMBER 63

struct key {
	const char *s; /* decoded */
	size_t n, at;  /* offset of its quote */
};

/* Keys of the objects that the check is inside of. */
struct keys {
	struct key *v;
	size_t n, room;
	struct key twice; /* first duplicate key of its object; s NULL: none */
};

struct pick {
	struct json_picker *p; /* NULL: for the check */
	struct keys *keys;     /* for the check */
	struct arena *scratch;
	const char *begin, *s, *end; /* *end is NUL, which no rule accepts */
	const char *why;
	struct err *e; /* of a callback */
	size_t depth;
};

static bool pick_fail(struct pick *k, const char *why)
{
	if (!k->why)
		k->why = k->s < k->end ? why : "the text ends too early";
	return false;
}

/* The check reports where the whole value begins. */
static bool pick_fail_from(struct pick *k, const char *from, const char *why)
{
	if (k->keys)
		k->s = from;
	return pick_fail(k, why);
}

static void pick_skip_blanks(struct pick *k)
{
	while (*k->s == ' ' || *k->s == '\t' || *k->s == '\r' || *k->s == '\n')
		k->s++;
}

/* ---- strings -------------------------------------------------------------------------------- */

/* Characters that need no escape in a string: ASCII without quote, backslash and control
 * characters. */
static bool pick_is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Eight bytes at a time (Hacker's Delight): the high bit of each byte that is not plain. Later bytes may also have it set because of a borrow. */
static uint64_t pick_not_plain(const char *s)
{
	const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
	uint64_t v, quote, back;

	memcpy(&v, s, sizeof(v));
	quote = v ^ (ones * '"');
	back = v ^ (ones * '\\');
	return (v | (v - ones * 0x20) | (quote - ones) | (back - ones)) & highs;
}

static const char *pick_skip_plain(const char *s, const char *end)
{
	for (; end - s >= 8; s += 8) {
		uint64_t marks = pick_not_plain(s);

		if (!marks)
			continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return s + (__builtin_ctzll(marks) >> 3);
#else
		break;
#endif
	}
	while (pick_is_plain((unsigned char)*s))
		s++;
	return s;
}

static int pick_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool pick_hex4(const struct pick *k, const char *s, unsigned *out)
{
	unsigned v = 0;

	if (k->end - s < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = pick_hex_digit(s[i]);

		if (d < 0)
			return false;
		v = v * 16 + (unsigned)d;
	}
	*out = v;
	return true;
}

static size_t pick_put_utf8(char *out, unsigned c)
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
static bool pick_unicode(struct pick *k, char *out, size_t *n)
{
	unsigned c, low;

	if (!pick_hex4(k, k->s + 2, &c))
		return pick_fail(k, "bad \\u escape");
	if (!c)
		return pick_fail(k, "\\u0000 is not allowed");
	k->s += 6;
	if (c >= 0xd800 && c <= 0xdfff) {
		if (c > 0xdbff || k->s[0] != '\\' || k->s[1] != 'u' ||
			!pick_hex4(k, k->s + 2, &low) || low < 0xdc00 || low > 0xdfff)
			return pick_fail_from(k, k->s - 6, "half of a surrogate pair");
		k->s += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*n = pick_put_utf8(out, c);
	return true;
}

static bool pick_escape(struct pick *k, char *out, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (k->s[1] == 'u')
		return pick_unicode(k, out, n);
	at = k->s[1] ? strchr(from, k->s[1]) : NULL;
	if (!at)
		return pick_fail(k, "bad escape");
	out[0] = to[at - from];
	*n = 1;
	k->s += 2;
	return true;
}

/* One character beyond ASCII. The text ends with NUL, so the decoder does not read past its end. */
static bool pick_beyond_ascii(struct pick *k, size_t *n)
{
	if (utf8_next(k->s, n) == 0xfffd && *n == 1)
		return pick_fail(k, "invalid UTF-8");
	k->s += *n;
	return true;
}

/* In a string whose text begins at `from`. */
static bool pick_fail_control(struct pick *k, const char *from)
{
	if (k->s >= k->end)
		return pick_fail_from(k, from - 1,
			k->keys ? "string does not end" : "control character in a string");
	return pick_fail(k, "control character in a string");
}

/* Remainder of a string with an escape; `from` is the beginning of its text. A copy with the
 * escapes resolved is never longer. */
static bool pick_escaped_string(struct pick *k, const char *from, struct json_value *v)
{
	const char *close = k->s;
	char *out;
	size_t n = (size_t)(k->s - from), one;

	/* up to the next unescaped quote */
	while (close < k->end && *close != '"')
		close += *close == '\\' && close + 1 < k->end ? 2 : 1;
	out = v ? arena_alloc(k->scratch, (size_t)(close - from) + 4) : NULL;
	if (out)
		memcpy(out, from, n);
	while (*k->s != '"') {
		const char *at = k->s;
		char buf[4];

		one = 0;
		if (*k->s == '\\') {
			if (!pick_escape(k, buf, &one))
				return false;
			at = buf;
		} else if ((unsigned char)*k->s < 0x20) {
			return pick_fail_control(k, from);
		} else if (!pick_beyond_ascii(k, &one)) {
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

static bool pick_string(struct pick *k, struct json_value *v)
{
	const char *from = ++k->s;
	size_t n;

	for (;;) {
		k->s = pick_skip_plain(k->s, k->end);
		if (*k->s == '"')
			break;
		if (*k->s == '\\')
			return pick_escaped_string(k, from, v);
		if ((unsigned char)*k->s < 0x20)
			return pick_fail_control(k, from);
		if (!pick_beyond_ascii(k, &n))
			return false;
	}
	if (v)
		*v = (struct json_value){JSON_STRING, from, (size_t)(k->s - from)};
	k->s++;
	return true;
}

/* ---- other scalars -------------------------------------------------------------------------- */

static bool pick_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool pick_digits(struct pick *k)
{
	if (!pick_is_digit(*k->s))
		return pick_fail(k, "bad number");
	while (pick_is_digit(*k->s))
		k->s++;
	return true;
}

/* cJSON stores a double: a value beyond its range would become infinite, and be printed as null. */
static bool pick_is_finite(const char *text, size_t n)
{
	char buf[MAX_NUMBER + 1];

	memcpy(buf, text, n);
	buf[n] = '\0';
	return isfinite(strtod(buf, NULL)) != 0;
}

static bool pick_number(struct pick *k, struct json_value *v)
{
	const char *from = k->s;

	if (*k->s == '-')
		k->s++;
	if (*k->s == '0')
		k->s++;
	else if (!pick_digits(k))
		return false;
	if (pick_is_digit(*k->s))
		return pick_fail_from(k, from, "number begins with 0");
	if (*k->s == '.') {
		k->s++;
		if (!pick_digits(k))
			return false;
	}
	if (*k->s == 'e' || *k->s == 'E') {
		k->s++;
		if (*k->s == '+' || *k->s == '-')
			k->s++;
		if (!pick_digits(k))
			return false;
	}
	if (k->s - from > MAX_NUMBER)
		return pick_fail_from(
			k, from, "number of more than " STR(MAX_NUMBER) " characters");
	if (k->keys && !pick_is_finite(from, (size_t)(k->s - from)))
		return pick_fail_from(k, from, "number is out of range");
	if (v)
		*v = (struct json_value){JSON_NUMBER, from, (size_t)(k->s - from)};
	return true;
}

static bool pick_word(
	struct pick *k, const char *text, enum json_kind kind, struct json_value *v)
{
	size_t n = strlen(text);

	if ((size_t)(k->end - k->s) < n || memcmp(k->s, text, n) != 0)
		return pick_fail(k, "expected a value");
	if (v)
		*v = (struct json_value){kind, k->s, n};
	k->s += n;
	return true;
}

/* ---- structure ------------------------------------------------------------------------------ */

static bool pick_object(struct pick *k, const struct json_wish *wishes, size_t n);
static bool pick_list(struct pick *k, const struct json_wish *w);

static bool pick_deeper(struct pick *k)
{
	if (k->depth == JSON_MAX_DEPTH)
		return pick_fail(k, "nested more than " STR(JSON_MAX_DEPTH) " deep");
	k->depth++;
	k->s++;
	pick_skip_blanks(k);
	return true;
}

static bool pick_any_value(struct pick *k, struct json_value *v)
{
	if (v && (*k->s == '{' || *k->s == '['))
		*v = (struct json_value){JSON_COMPOUND, k->s, 0};
	switch (*k->s) {
	case '"':
		return pick_string(k, v);
	case '{':
		return pick_object(k, NULL, 0);
	case '[':
		return pick_list(k, NULL);
	case 't':
		return pick_word(k, "true", JSON_BOOL, v);
	case 'f':
		return pick_word(k, "false", JSON_BOOL, v);
	case 'n':
		return pick_word(k, "null", JSON_NULL, v);
	default:
		if (*k->s == '-' || pick_is_digit(*k->s))
			return pick_number(k, v);
		return pick_fail(k, "expected a value");
	}
}

/* A list or an object in another form. */
static bool pick_as_text(struct pick *k, const struct json_wish *w)
{
	struct json_value *v = &k->p->slots[w->slot];
	const char *from = k->s;

	if (!pick_any_value(k, v))
		return false;
	if (v->kind == JSON_COMPOUND)
		v->n = (size_t)(k->s - from);
	return true;
}

static bool pick_wished_value(struct pick *k, const struct json_wish *w)
{
	if (!w)
		return pick_any_value(k, NULL);
	if (w->or_text && (*k->s == '"' || (w->list && *k->s == '{')))
		return pick_as_text(k, w);
	if (w->list && *k->s == '[')
		return pick_list(k, w);
	if (w->sub && !w->list && *k->s == '{')
		return pick_object(k, w->sub, w->n_sub);
	if (w->sub) /* null, or a value of another type */
		return *k->s == 'n' ? pick_any_value(k, NULL)
				    : pick_fail(k,
					      w->list ? "expected an array of objects"
						      : "expected an object");
	return pick_any_value(k, &k->p->slots[w->slot]);
}

/* Keys usually come in the order of the wishes: `hint` is the first one to try. */
static const struct json_wish *pick_find(const struct json_wish *wishes, size_t n,
	size_t *hint, const struct json_value *key)
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

static int pick_by_key(const void *pa, const void *pb)
{
	const struct key *a = pa, *b = pb;
	int order = a->n == b->n ? memcmp(a->s, b->s, a->n) : (a->n > b->n) - (a->n < b->n);

	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static void pick_add_key(struct pick *k, const struct json_value *key, const char *quote)
{
	struct keys *l = k->keys;

	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 32;
		l->v = xrealloc(l->v, l->room * sizeof(*l->v));
	}
	l->v[l->n++] = (struct key){key->s, key->n, (size_t)(quote - k->begin)};
}

/* Called at the end of the object whose keys begin at `first`. Sorting keeps this almost linear;
 * comparing all pairs, or a hash that an attacker can predict, would not. */
static void pick_check_keys(struct keys *l, size_t first)
{
	struct key *v = l->v + first;
	size_t n = l->n - first;

	l->n = first;
	if (n < 2)
		return;
	qsort(v, n, sizeof(*v), pick_by_key);
	for (size_t i = 1; i < n; i++)
		if (v[i - 1].n == v[i].n && !memcmp(v[i - 1].s, v[i].s, v[i].n) &&
			(!l->twice.s || v[i].at < l->twice.at))
			l->twice = v[i];
}

static bool pick_member(struct pick *k, const struct json_wish *wishes, size_t n,
	size_t *hint, uint64_t *seen)
{
	const struct json_wish *w;
	const char *quote = k->s;
	struct json_value key;

	if (*k->s != '"')
		return pick_fail(k, "expected a key in double quotes");
	if (!pick_string(k, n || k->keys ? &key : NULL))
		return false;
	if (k->keys)
		pick_add_key(k, &key, quote);
	pick_skip_blanks(k);
	if (*k->s != ':')
		return pick_fail(k, "expected ':' after a key");
	k->s++;
	pick_skip_blanks(k);
	w = n ? pick_find(wishes, n, hint, &key) : NULL;
	if (w) {
		uint64_t bit = UINT64_C(1) << (w - wishes);

		if (*seen & bit)
			return pick_fail(k, "duplicate key");
		*seen |= bit;
	}
	return pick_wished_value(k, w);
}

static bool pick_object(struct pick *k, const struct json_wish *wishes, size_t n)
{
	uint64_t seen = 0;
	size_t hint = 0, first = k->keys ? k->keys->n : 0;

	if (!pick_deeper(k))
		return false;
	if (*k->s != '}')
		for (;;) {
			if (!pick_member(k, wishes, n, &hint, &seen))
				return false;
			pick_skip_blanks(k);
			if (*k->s != ',')
				break;
			k->s++;
			pick_skip_blanks(k);
		}
	if (*k->s != '}')
		return pick_fail(k, "expected ',' or '}'");
	if (k->keys)
		pick_check_keys(k->keys, first);
	k->s++;
	k->depth--;
	return true;
}

static void pick_reset(struct json_picker *p, const struct json_wish *wishes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wishes[i].sub)
			pick_reset(p, wishes[i].sub, wishes[i].n_sub);
		else
			p->slots[wishes[i].slot] = (struct json_value){0};
}

static bool pick_item(struct pick *k, const struct json_wish *w)
{
	if (*k->s != '{')
		return pick_fail(k, "expected an object");
	pick_reset(k->p, w->sub, w->n_sub);
	if (!pick_object(k, w->sub, w->n_sub))
		return false;
	if (k->p->on_item(k->p->ctx, w, k->e))
		return pick_fail(k, "");
	return true;
}

/* An array; w == NULL: its elements are skipped. */
static bool pick_list(struct pick *k, const struct json_wish *w)
{
	if (!pick_deeper(k))
		return false;
	if (*k->s != ']')
		for (;;) {
			if (!(w ? pick_item(k, w) : pick_any_value(k, NULL)))
				return false;
			pick_skip_blanks(k);
			if (*k->s != ',')
				break;
			k->s++;
			pick_skip_blanks(k);
		}
	if (*k->s != ']')
		return pick_fail(k, "expected ',' or ']'");
	k->s++;
	k->depth--;
	return true;
}

/* No text may follow. */
static bool pick_ends(struct pick *k)
{
	pick_skip_blanks(k);
	return k->s == k->end || pick_fail(k, "more text after the document");
}

static enum err_code pick_say(const struct pick *k, struct err *e)
{
	return err_set(
		e, E_DATA, "JSON: %s at byte %zu", k->why, (size_t)(k->s - k->begin));
}

enum err_code json_pick(struct json_picker *p, const char *text, size_t len, struct err *e)
{
	struct pick k = {.p = p,
		.scratch = p->scratch,
		.begin = text,
		.s = text,
		.end = text + len,
		.e = e};
	bool only_list = p->n == 1 && !p->wishes[0].key, ok;

	if (e)
		err_clear(e);
	pick_reset(p, p->wishes, p->n);
	pick_skip_blanks(&k);
	if (only_list)
		ok = *k.s == '[' ? pick_list(&k, &p->wishes[0])
				 : pick_fail(&k, "expected an array");
	else
		ok = *k.s == '{' ? pick_object(&k, p->wishes, p->n)
				 : pick_fail(&k, "expected an object");
	if (ok && pick_ends(&k))
		return E_OK;
	if (e && e->code)
		return e->code;
	return pick_say(&k, e);
}

/* ---- check ---------------------------------------------------------------------------------- */

static bool pick_check(struct pick *k, size_t *end)
{
	if (str_starts(k->s, "\xef\xbb\xbf"))
		return pick_fail(k, "a byte order mark is not allowed");
	pick_skip_blanks(k);
	if (k->s == k->end) {
		k->why = "the text is empty";
		return false;
	}
	if (!pick_any_value(k, NULL))
		return false;
	*end = (size_t)(k->s - k->begin);
	return pick_ends(k);
}

enum err_code json_check(const char *text, size_t len, size_t *end, struct err *e)
{
	cleanup(sbuf_done) struct sbuf quoted = SBUF_INIT;
	cleanup(arena_done) struct arena scratch = {0};
	struct keys keys = {0};
	struct pick k = {.keys = &keys,
		.scratch = &scratch,
		.begin = text,
		.s = text,
		.end = text + len};
	enum err_code rc = E_OK;

	if (!pick_check(&k, end)) {
		rc = pick_say(&k, e);
	} else if (keys.twice.s) {
		sbuf_add_quoted(
			&quoted, arena_strndup(&scratch, keys.twice.s, keys.twice.n), 60);
		rc = err_set(e, E_DATA, "JSON: key %s twice in one object at byte %zu",
			quoted.s, keys.twice.at);
	}
	free(keys.v);
	return rc;
}
