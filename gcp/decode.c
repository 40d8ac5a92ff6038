#include "gcp/decode.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "gcp/gcp.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ID 20      /* digits of an unsigned 64-bit number */
#define MAX_SECONDS 12 /* digits: Google's limit is 315576000000 */

struct dec dec_begin(const struct cJSON *obj, struct arena *a, struct err *e)
{
	struct dec d = {.obj = obj, .a = a, .e = e};

	if (!json_is_object(obj))
		d.code = err_set(e, E_DATA, "an item is not an object");
	return d;
}

#define MAX_ERROR 300 /* bytes of a message that are kept */

const char *dec_error(struct dec *d, const struct cJSON *error)
{
	const struct cJSON *first = json_first(json_get(error, "errors"));
	const struct cJSON *of = first ? first : error;
	const char *message = json_text(json_get(of, "message"), "");
	const char *code = json_text(json_get(of, "code"), ""), *serial;
	int64_t number;
	size_t n;

	if (!*code && !json_opt_i64(of, "code", 0, &number, NULL) && number)
		code = number == 8 ? "RESOURCE_EXHAUSTED"
				   : arena_printf(d->a, "code %lld", (long long)number);
	/* "There is no more capacity [EID: 0x1bc8]": the number differs each time */
	serial = strstr(message, " [EID: ");
	n = utf8_fit(message, MAX_ERROR);
	if (serial && (size_t)(serial - message) < n)
		n = (size_t)(serial - message);
	if (!*code && !n)
		return NULL;
	return arena_printf(d->a, "%.*s%s%.*s", (int)utf8_fit(code, MAX_ERROR), code,
		*code && n ? ": " : "", (int)n, message);
}

void dec_fail(struct dec *d, const char *key, const char *why)
{
	const char *name;

	if (d->code != E_OK)
		return;
	name = json_text(json_get(d->obj, "name"), NULL);
	if (name)
		d->code = err_set(d->e, E_DATA, "'%.100s': field '%s': %s", name, key, why);
	else
		d->code = err_set(d->e, E_DATA, "field '%s': %s", key, why);
}

static const char *raw_text(struct dec *d, const char *key)
{
	const struct cJSON *j;

	if (d->code != E_OK)
		return "";
	j = json_get(d->obj, key);
	if (!j)
		return "";
	if (!json_is_string(j))
		dec_fail(d, key, "not a string");
	return json_text(j, "");
}

const char *dec_text(struct dec *d, const char *key)
{
	return arena_strdup(d->a, raw_text(d, key));
}

const char *dec_need(struct dec *d, const char *key)
{
	const char *s = raw_text(d, key);

	if (!*s)
		dec_fail(d, key, "missing or empty");
	return arena_strdup(d->a, s);
}

const char *dec_tail(struct dec *d, const char *key)
{
	return arena_strdup(d->a, str_after_last(raw_text(d, key), '/'));
}

/* Names become parts of ids, URLs and suggested commands: only the characters that Google allows
 * are accepted. */
const char *dec_name(struct dec *d, const char *key)
{
	const char *s = dec_need(d, key);

	if (d->code == E_OK && !gcp_name_valid(s))
		dec_fail(d, key, "not a valid resource name");
	return s;
}

const char *dec_id(struct dec *d, const char *key, bool required)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;
	const char *s;
	int64_t v;

	if (!j) {
		if (required)
			dec_fail(d, key, "missing");
		return "";
	}
	if (!json_is_string(j)) {
		if (json_get_i64(d->obj, key, &v, NULL) != E_OK || v < 0) {
			dec_fail(d, key, "not an exact number");
			return "";
		}
		return arena_printf(d->a, "%lld", (long long)v);
	}
	s = json_text(j, "");
	if (!*s || strlen(s) > MAX_ID || s[strspn(s, "0123456789")])
		dec_fail(d, key, "not a number");
	return arena_strdup(d->a, s);
}

bool dec_bool(struct dec *d, const char *key)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;

	if (json_is_string(j) || json_is_object(j) || json_is_array(j))
		dec_fail(d, key, "neither true nor false");
	return json_true(j);
}

int64_t dec_i64(struct dec *d, const char *key)
{
	int64_t v = 0;

	if (d->code != E_OK)
		return 0;
	if (json_opt_i64(d->obj, key, 0, &v, NULL) != E_OK)
		dec_fail(d, key, "not an integer");
	return v;
}

int64_t dec_count(struct dec *d, const char *key)
{
	int64_t v = dec_i64(d, key);

	if (v < 0)
		dec_fail(d, key, "negative");
	return v;
}

ts_t dec_ts(struct dec *d, const char *key)
{
	const char *s = raw_text(d, key);
	ts_t t = TS_NONE;

	if (!*s)
		return TS_NONE;
	if (rfc3339_parse(s, &t, NULL, NULL) != E_OK)
		dec_fail(d, key, "not an RFC 3339 time");
	return t;
}

/* Duration in the JSON form of protocol buffers. */
int64_t dec_seconds(struct dec *d, const char *key)
{
	const char *s = raw_text(d, key);
	size_t digits = strspn(s, "0123456789"), n = digits;

	if (!*s)
		return 0;
	if (s[n] == '.')
		n += 1 + strspn(s + n + 1, "0123456789");
	if (!digits || digits > MAX_SECONDS || strcmp(s + n, "s") != 0)
		dec_fail(d, key, "not a duration");
	return d->code == E_OK ? strtoll(s, NULL, 10) : 0;
}

int64_t dec_money(struct dec *d, const char *currency)
{
	const char *is = dec_text(d, "currencyCode");
	int64_t units = dec_i64(d, "units"), nanos = dec_i64(d, "nanos"), out = 0;

	if (d->code != E_OK)
		return 0;
	if (nanos <= -NANOS || nanos >= NANOS)
		dec_fail(d, "nanos", "a whole unit or more");
	else if ((units > 0 && nanos < 0) || (units < 0 && nanos > 0))
		dec_fail(d, "nanos", "its sign differs from that of the units");
	else if (!str_eq(is, currency) && (*is || units || nanos))
		dec_fail(d, "currencyCode", "another currency");
	else if (__builtin_mul_overflow(units, NANOS, &out) ||
		__builtin_add_overflow(out, nanos, &out))
		d->code = err_set(d->e, E_OVERFLOW, "field 'units': out of range");
	return d->code == E_OK ? out : 0;
}

bool dec_double(const struct cJSON *j, double *out)
{
	const char *text = json_text(j, NULL);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool decimal;
	char *end;

	if (!text) {
		json_print(&b, j);
		text = b.s;
	}
	*out = strtod(text, &end);
	/* strtod accepts more than decimals: leading blanks, hexadecimals, words */
	decimal = *text && !*end && !text[strspn(text, "+-.0123456789eE")];
	if (str_eq(text, "Infinity"))
		decimal = true;
	return decimal;
}

const struct cJSON *dec_array(struct dec *d, const char *key)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;

	if (j && !json_is_array(j)) {
		dec_fail(d, key, "not an array");
		return NULL;
	}
	return j;
}

const struct cJSON *dec_object(struct dec *d, const char *key)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;

	if (j && !json_is_object(j)) {
		dec_fail(d, key, "not an object");
		return NULL;
	}
	return j;
}

struct dec dec_enter(struct dec *d, const char *key)
{
	struct dec in = *d;

	in.obj = dec_object(d, key);
	in.code = d->code;
	return in;
}

bool dec_leave(struct dec *d, const struct dec *in)
{
	bool had = d->code != E_OK;

	if (!had)
		d->code = in->code;
	return had || in->code == E_OK;
}

void *dec_each(struct dec *d, const char *key, size_t size,
	void (*read)(struct dec *one, void *item), size_t *n)
{
	const struct cJSON *list = dec_array(d, key);
	char *items = arena_alloc(d->a, (json_len(list) + 1) * size);

	*n = 0;
	JSON_EACH (j, list) {
		struct dec one = dec_begin(j, d->a, d->e);

		read(&one, items + *n * size);
		if (one.code != E_OK) {
			d->code = err_wrap(d->e, "%s[%zu]", key, *n);
			break;
		}
		++*n;
	}
	return items;
}

static int dec_by_key(const void *a, const void *b)
{
	return strcmp(((const struct dec_pair *)a)->key, ((const struct dec_pair *)b)->key);
}

const char *dec_pairs_text(struct arena *a, struct dec_pair *v, size_t n)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	struct jw w = {.b = &text};

	if (n)
		qsort(v, n, sizeof(*v), dec_by_key);
	jw_begin(&w, '{');
	for (size_t i = 0; i < n; i++)
		jw_kstr(&w, v[i].key, v[i].value);
	jw_end(&w, '}');
	return arena_strdup(a, text.s);
}

const char *dec_labels(struct dec *d, const char *key)
{
	const struct cJSON *map = dec_object(d, key);
	struct dec_pair *list = arena_alloc(d->a, (json_len(map) + 1) * sizeof(*list));
	size_t n = 0;

	JSON_EACH (m, map) {
		if (!json_is_string(m))
			dec_fail(d, key, "a value is not a string");
		list[n++] = (struct dec_pair){json_key(m), json_text(m, "")};
	}
	return dec_pairs_text(d->a, list, n);
}

const char **dec_tails(struct dec *d, const char *key, size_t *n)
{
	const struct cJSON *array = dec_array(d, key);
	const char **out = arena_alloc(d->a, (json_len(array) + 1) * sizeof(*out));
	size_t count = 0;

	JSON_EACH (it, array) {
		if (!json_is_string(it))
			dec_fail(d, key, "an entry is not a string");
		out[count++] = arena_strdup(d->a, str_after_last(json_text(it, ""), '/'));
	}
	*n = count;
	return out;
}
