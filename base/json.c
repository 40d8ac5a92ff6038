#include "base/json.h"

#include "base/mem.h"
#include "base/money.h"
#include "base/str.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DOUBLE 9007199254740992.0 /* 2^53 */

/* ---- the guard: the grammar of RFC 8259, checked before cJSON sees a byte ------------------- */

struct scan {
	const char *s;
	size_t i, len;
	const char *why;
};

static char peek(const struct scan *p)
{
	return p->i < p->len ? p->s[p->i] : '\0';
}

static bool fail(struct scan *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

static void skip_blanks(struct scan *p)
{
	while (p->i < p->len && strchr(" \t\r\n", p->s[p->i]) && p->s[p->i])
		p->i++;
}

static bool scan_hex4(struct scan *p, unsigned *out)
{
	unsigned v = 0;

	for (int k = 0; k < 4; k++, p->i++) {
		char c = peek(p);

		if (c >= '0' && c <= '9')
			v = v * 16 + (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (unsigned)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			v = v * 16 + (unsigned)(c - 'A') + 10;
		else
			return fail(p, "bad \\u escape");
	}
	*out = v;
	return true;
}

static bool scan_escape(struct scan *p)
{
	unsigned hi, lo;

	p->i++;
	if (peek(p) && strchr("\"\\/bfnrt", peek(p))) {
		p->i++;
		return true;
	}
	if (peek(p) != 'u')
		return fail(p, "bad escape");
	p->i++;
	if (!scan_hex4(p, &hi))
		return false;
	if (!hi)
		return fail(p, "\\u0000 is not allowed");
	if (hi >= 0xdc00 && hi <= 0xdfff)
		return fail(p, "lone surrogate");
	if (hi < 0xd800 || hi > 0xdbff)
		return true;
	if (peek(p) != '\\' || p->i + 1 >= p->len || p->s[p->i + 1] != 'u')
		return fail(p, "lone surrogate");
	p->i += 2;
	return scan_hex4(p, &lo) && (lo >= 0xdc00 && lo <= 0xdfff ? true : fail(p, "lone surrogate"));
}

static bool scan_string(struct scan *p)
{
	if (peek(p) != '"')
		return fail(p, "want a string");
	p->i++;
	for (;;) {
		unsigned char c;

		if (p->i >= p->len)
			return fail(p, "string does not end");
		c = (unsigned char)p->s[p->i];
		if (c == '"') {
			p->i++;
			return true;
		}
		if (c < 0x20)
			return fail(p, "control character in a string");
		if (c != '\\')
			p->i++;
		else if (!scan_escape(p))
			return false;
	}
}

static bool scan_digits(struct scan *p)
{
	if (peek(p) < '0' || peek(p) > '9')
		return fail(p, "bad number");
	while (peek(p) >= '0' && peek(p) <= '9')
		p->i++;
	return true;
}

static bool scan_number(struct scan *p)
{
	size_t start = p->i;

	if (peek(p) == '-')
		p->i++;
	if (peek(p) == '0')
		p->i++;
	else if (!scan_digits(p))
		return false;
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
	/* cJSON copies numbers into a buffer of 64 and would cut a longer one. */
	return p->i - start < 63 ? true : fail(p, "number is too long");
}

static bool scan_word(struct scan *p, const char *word)
{
	size_t n = strlen(word);

	if (p->len - p->i < n || memcmp(p->s + p->i, word, n) != 0)
		return fail(p, "unknown word");
	p->i += n;
	return true;
}

static bool scan_scalar(struct scan *p)
{
	switch (peek(p)) {
	case '"':
		return scan_string(p);
	case 't':
		return scan_word(p, "true");
	case 'f':
		return scan_word(p, "false");
	case 'n':
		return scan_word(p, "null");
	default:
		return scan_number(p);
	}
}

static bool scan_key(struct scan *p)
{
	skip_blanks(p);
	if (!scan_string(p))
		return false;
	skip_blanks(p);
	if (peek(p) != ':')
		return fail(p, "want ':'");
	p->i++;
	return true;
}

/* After a value: close what ends here. Returns with *more when another value follows. */
static bool scan_after(struct scan *p, char *stack, size_t *depth, bool *more)
{
	*more = false;
	while (*depth) {
		char open = stack[*depth - 1];

		skip_blanks(p);
		if (peek(p) == ',') {
			p->i++;
			*more = true;
			return open == '{' ? scan_key(p) : true;
		}
		if (peek(p) != (open == '{' ? '}' : ']'))
			return fail(p, "want ',' or the end of the list");
		p->i++;
		--*depth;
	}
	return true;
}

static bool scan_document(struct scan *p)
{
	char stack[JSON_MAX_DEPTH];
	size_t depth = 0;
	bool more = true;

	while (more) {
		char c;

		skip_blanks(p);
		c = peek(p);
		if (c == '{' || c == '[') {
			if (depth == JSON_MAX_DEPTH)
				return fail(p, "nested too deeply");
			stack[depth++] = c;
			p->i++;
			skip_blanks(p);
			if (peek(p) != (c == '{' ? '}' : ']')) {
				if (c == '{' && !scan_key(p))
					return false;
				continue;
			}
			p->i++;
			depth--;
		} else if (!scan_scalar(p)) {
			return false;
		}
		if (!scan_after(p, stack, &depth, &more))
			return false;
	}
	skip_blanks(p);
	return p->i == p->len ? true : fail(p, "text after the document");
}

/* ---- duplicate keys ------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *duplicate_in(const cJSON *obj)
{
	size_t n = 0, i = 0;
	const char **names, *found = NULL;

	for (const cJSON *m = obj->child; m; m = m->next)
		n++;
	if (n < 2)
		return NULL;
	names = xcalloc(n, sizeof(*names));
	for (const cJSON *m = obj->child; m; m = m->next)
		names[i++] = m->string;
	qsort(names, n, sizeof(*names), by_name);
	for (i = 1; i < n && !found; i++)
		if (!strcmp(names[i - 1], names[i]))
			found = names[i];
	free(names);
	return found;
}

/* Depth is capped by the scan, so recursion is too. */
static const char *duplicate_anywhere(const cJSON *j)
{
	const char *found = cJSON_IsObject(j) ? duplicate_in(j) : NULL;

	for (const cJSON *m = j->child; m && !found; m = m->next)
		if (m->child)
			found = duplicate_anywhere(m);
	return found;
}

enum err_code json_parse(const char *text, size_t len, struct cJSON **out, struct err *e)
{
	struct scan p = {.s = text, .len = len};
	const char *duplicate;
	cJSON *j;

	if (!utf8_valid(text, len))
		return err_set(e, E_DATA, "JSON: invalid UTF-8");
	if (!scan_document(&p))
		return err_set(e, E_DATA, "JSON: %s at byte %zu", p.why, p.i);
	j = cJSON_ParseWithLength(text, len);
	if (!j)
		return err_set(e, E_DATA, "JSON: does not parse");
	duplicate = duplicate_anywhere(j);
	if (duplicate) {
		err_set(e, E_DATA, "JSON: key \"%.100s\" twice in one object", duplicate);
		cJSON_Delete(j);
		return E_DATA;
	}
	*out = j;
	return E_OK;
}

void json_free(struct cJSON *j)
{
	cJSON_Delete(j);
}

void json_free_ptr(struct cJSON **j)
{
	cJSON_Delete(*j);
	*j = NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct cJSON *json_get(const struct cJSON *obj, const char *key)
{
	cJSON *m = cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;

	return m && !cJSON_IsNull(m) ? m : NULL;
}

struct cJSON *json_path(const struct cJSON *obj, ...)
{
	struct cJSON *at = NULL;
	const char *key;
	va_list ap;

	va_start(ap, obj);
	while ((key = va_arg(ap, const char *))) {
		at = json_get(obj, key);
		obj = at;
	}
	va_end(ap);
	return at;
}

bool json_is_object(const struct cJSON *j)
{
	return cJSON_IsObject(j);
}

bool json_is_array(const struct cJSON *j)
{
	return cJSON_IsArray(j);
}

bool json_is_string(const struct cJSON *j)
{
	return cJSON_IsString(j);
}

size_t json_len(const struct cJSON *j)
{
	size_t n = 0;

	JSON_EACH(it, j)
		n++;
	return n;
}

const char *json_key(const struct cJSON *member)
{
	return member->string;
}

struct cJSON *json_first(const struct cJSON *j)
{
	return cJSON_IsArray(j) || cJSON_IsObject(j) ? j->child : NULL;
}

struct cJSON *json_next(const struct cJSON *j)
{
	return j->next;
}

const char *json_text(const struct cJSON *j, const char *def)
{
	return cJSON_IsString(j) ? j->valuestring : def;
}

bool json_true(const struct cJSON *j)
{
	return cJSON_IsTrue(j);
}

static const char *type_name(const struct cJSON *j)
{
	if (!j)
		return "nothing";
	if (cJSON_IsNull(j))
		return "null";
	if (cJSON_IsBool(j))
		return "boolean";
	if (cJSON_IsNumber(j))
		return "number";
	if (cJSON_IsString(j))
		return "string";
	return cJSON_IsArray(j) ? "array" : "object";
}

static const struct cJSON *raw_member(const struct cJSON *obj, const char *key)
{
	return cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
}

enum err_code json_get_str(const struct cJSON *obj, const char *key, const char **out,
	struct err *e)
{
	const struct cJSON *m = raw_member(obj, key);

	if (!cJSON_IsString(m))
		return err_set(e, E_DATA, "field \"%s\": want string, got %s", key, type_name(m));
	*out = m->valuestring;
	return E_OK;
}

static bool i64_of(const struct cJSON *m, int64_t *out)
{
	double v;

	if (cJSON_IsString(m))
		return str_to_i64(m->valuestring, INT64_MIN, INT64_MAX, out);
	if (!cJSON_IsNumber(m))
		return false;
	v = m->valuedouble;
	if (!(v > -EXACT_DOUBLE && v < EXACT_DOUBLE) || trunc(v) < v || trunc(v) > v)
		return false;
	*out = (int64_t)v;
	return true;
}

enum err_code json_get_i64(const struct cJSON *obj, const char *key, int64_t *out,
	struct err *e)
{
	const struct cJSON *m = raw_member(obj, key);

	if (i64_of(m, out))
		return E_OK;
	if (cJSON_IsString(m) || cJSON_IsNumber(m))
		return err_set(e, E_DATA, "field \"%s\": not an exact integer", key);
	return err_set(e, E_DATA, "field \"%s\": want integer, got %s", key, type_name(m));
}

enum err_code json_opt_i64(const struct cJSON *obj, const char *key, int64_t def,
	int64_t *out, struct err *e)
{
	if (!json_get(obj, key)) {
		*out = def;
		return E_OK;
	}
	return json_get_i64(obj, key, out, e);
}

/* The shortest decimal that reads back as the same double. */
static void shortest(double v, char buf[40])
{
	for (int digits = 15; digits <= 17; digits++) {
		double back;

		snprintf(buf, 40, "%.*g", digits, v);
		back = strtod(buf, NULL);
		if (back >= v && back <= v)
			return;
	}
}

enum err_code json_nanos(const struct cJSON *j, int64_t *out, struct err *e)
{
	char buf[40];

	if (cJSON_IsString(j))
		return nanos_parse(j->valuestring, out, e);
	if (!cJSON_IsNumber(j))
		return err_set(e, E_DATA, "want a decimal, got %s", type_name(j));
	if (!isfinite(j->valuedouble))
		return err_set(e, E_OVERFLOW, "number is out of range");
	shortest(j->valuedouble, buf);
	return nanos_parse(buf, out, e);
}

void json_print(struct sbuf *out, const struct cJSON *j)
{
	char *text = cJSON_PrintUnformatted(j);

	if (text)
		sbuf_adds(out, text);
	cJSON_free(text);
}

/* ---- writing ------------------------------------------------------------------------------- */

static void before_value(struct jw *w)
{
	if (w->comma)
		sbuf_addc(w->b, ',');
	w->comma = true;
}

void jw_begin(struct jw *w, char open)
{
	before_value(w);
	sbuf_addc(w->b, open);
	w->comma = false;
}

void jw_end(struct jw *w, char close)
{
	sbuf_addc(w->b, close);
	w->comma = true;
}

void jw_key(struct jw *w, const char *key)
{
	before_value(w);
	sbuf_add_json(w->b, key);
	sbuf_addc(w->b, ':');
	w->comma = false;
}

void jw_str(struct jw *w, const char *s)
{
	if (!s) {
		jw_null(w);
		return;
	}
	before_value(w);
	sbuf_add_json(w->b, s);
}

void jw_i64(struct jw *w, int64_t v)
{
	before_value(w);
	sbuf_addf(w->b, "%lld", (long long)v);
}

void jw_nanos(struct jw *w, int64_t nanos)
{
	char buf[NANOS_BUF];

	before_value(w);
	sbuf_adds(w->b, nanos_format(nanos, buf));
}

void jw_bool(struct jw *w, bool v)
{
	jw_raw(w, v ? "true" : "false");
}

void jw_null(struct jw *w)
{
	jw_raw(w, "null");
}

void jw_raw(struct jw *w, const char *json)
{
	before_value(w);
	sbuf_adds(w->b, json);
}

void jw_kstr(struct jw *w, const char *key, const char *s)
{
	jw_key(w, key);
	jw_str(w, s);
}

void jw_ki64(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	jw_i64(w, v);
}
