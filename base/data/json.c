#include "base/data/json.h"

#include "base/data/json_pick.h"
#include "base/mem.h"
#include "base/money.h"
#include "base/str.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DOUBLE 9007199254740992.0 /* 2^53 */

/* ---- parsing --------------------------------------------------------------- */

/* Running out of memory ends the program, as everywhere else: a text that is not parsed for lack of
 * memory must not be treated as invalid and discarded. Runs before there are threads. */
__attribute__((constructor)) static void json_take_memory_as_all_do(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = xmalloc, .free_fn = free});
}

enum err_code json_parse(const char *text, size_t len, struct cJSON **out, struct err *e)
{
	cleanup(free_ptr) char *copy = xmalloc(len + 1);
	const char *stopped = NULL;
	size_t end;
	cJSON *j;

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	if (json_check(copy, len, &end, e))
		return E_DATA;
	j = cJSON_ParseWithLengthOpts(copy, end, &stopped, false);
	/* Only when cJSON and the guard disagree. */
	if (!j || stopped != copy + end) {
		cJSON_Delete(j);
		return err_set(e, E_DATA, "JSON: cannot be parsed beyond byte %zu",
			stopped ? (size_t)(stopped - copy) : 0);
	}
	*out = j;
	return E_OK;
}

void json_set_text(struct cJSON *obj, const char *key, const char *text)
{
	cJSON *value = cJSON_CreateString(text);

	if (!cJSON_ReplaceItemInObjectCaseSensitive(obj, key, value) &&
		!cJSON_AddItemToObject(obj, key, value))
		cJSON_Delete(value);
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

/* ---- reading --------------------------------------------------------------- */

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

	JSON_EACH (it, j)
		n++;
	return n;
}

const char *json_key(const struct cJSON *member)
{
	return member ? member->string : NULL;
}

struct cJSON *json_first(const struct cJSON *j)
{
	return cJSON_IsArray(j) || cJSON_IsObject(j) ? j->child : NULL;
}

struct cJSON *json_next(const struct cJSON *j)
{
	return j ? j->next : NULL;
}

const char *json_text(const struct cJSON *j, const char *def)
{
	return cJSON_IsString(j) ? j->valuestring : def;
}

bool json_true(const struct cJSON *j)
{
	return cJSON_IsTrue(j);
}

/* Name of the type in messages that expect another one. */
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
	return cJSON_IsArray(j) ? "array" : "object";
}

static bool i64_of(const struct cJSON *m, int64_t *out)
{
	double v;
	int64_t whole;

	if (cJSON_IsString(m))
		return str_to_i64(m->valuestring, INT64_MIN, INT64_MAX, out);
	if (!cJSON_IsNumber(m))
		return false;
	v = m->valuedouble;
	if (!(v > -EXACT_DOUBLE && v < EXACT_DOUBLE))
		return false;
	whole = (int64_t)v;
	if (v < (double)whole || v > (double)whole)
		return false;
	*out = whole;
	return true;
}

enum err_code json_get_i64(
	const struct cJSON *obj, const char *key, int64_t *out, struct err *e)
{
	const struct cJSON *m = cJSON_IsObject(obj)
		? cJSON_GetObjectItemCaseSensitive(obj, key)
		: NULL;

	if (i64_of(m, out))
		return E_OK;
	if (cJSON_IsString(m) || cJSON_IsNumber(m))
		return err_set(e, E_DATA, "field '%s': not an exact integer", key);
	return err_set(
		e, E_DATA, "field '%s': expected integer, got %s", key, type_name(m));
}

enum err_code json_opt_i64(
	const struct cJSON *obj, const char *key, int64_t def, int64_t *out, struct err *e)
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
		return err_set(e, E_DATA, "expected a decimal, got %s", type_name(j));
	shortest(j->valuedouble, buf);
	return nanos_parse(buf, out, e);
}

/* ---- rows ------------------------------------------------------------------ */

static size_t skip_blanks(const char *s, size_t len, size_t i)
{
	while (i < len && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n'))
		i++;
	return i;
}

/* Position after the closing quote of the string that begins at s[i]. */
static size_t string_end(const char *s, size_t len, size_t i)
{
	for (i++; i < len; i++) {
		if (s[i] == '"')
			return i + 1;
		if (s[i] == '\\')
			i++;
	}
	return len;
}

static size_t scalar_end(const char *s, size_t len, size_t i)
{
	while (i < len && !strchr(",]} \t\r\n", s[i]))
		i++;
	return i;
}

size_t json_value_end(const char *s, size_t len, size_t i)
{
	size_t depth = 0;

	if (i >= len)
		return len;
	if (s[i] == '"')
		return string_end(s, len, i);
	if (s[i] != '{' && s[i] != '[')
		return scalar_end(s, len, i);
	while (i < len) {
		switch (s[i]) {
		case '"':
			i = string_end(s, len, i);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (!--depth)
				return i + 1;
			break;
		default:
			break;
		}
		i++;
	}
	return len;
}

/* Start of the value of the member `key` of the top object; 0: there is none. */
static size_t find_member(const char *s, size_t len, const char *key)
{
	size_t i = skip_blanks(s, len, 0), n = strlen(key);

	if (i >= len || s[i] != '{')
		return 0;
	for (i = skip_blanks(s, len, i + 1); i < len && s[i] == '"';) {
		size_t from = i + 1, end = string_end(s, len, i);
		bool found = end - from == n + 1 && !memcmp(s + from, key, n);

		i = skip_blanks(s, len, end);
		if (i >= len || s[i] != ':')
			return 0;
		i = skip_blanks(s, len, i + 1);
		if (found)
			return i;
		i = skip_blanks(s, len, json_value_end(s, len, i));
		if (i >= len || s[i] != ',')
			return 0;
		i = skip_blanks(s, len, i + 1);
	}
	return 0;
}

enum err_code json_rows_open(const char *text, size_t len, const char *key,
	struct json_rows *rows, struct cJSON **rest, struct err *e)
{
	size_t from = find_member(text, len, key), end;
	struct sbuf b = SBUF_INIT;
	enum err_code rc;

	*rows = (struct json_rows){.text = text};
	if (!from || from >= len || text[from] != '[')
		return json_parse(text, len, rest, e);
	end = json_value_end(text, len, from);
	if (text[end - 1] != ']')
		return err_set(e, E_DATA, "JSON: array '%s' does not end", key);
	sbuf_add(&b, text, from);
	sbuf_adds(&b, "[]");
	sbuf_add(&b, text + end, len - end);
	rc = json_parse(b.s, b.len, rest, e);
	sbuf_done(&b);
	if (rc)
		return rc;
	rows->at = skip_blanks(text, end, from + 1);
	rows->end = end - 1; /* the bracket */
	return E_OK;
}

static bool rows_bad(struct json_rows *r, struct err *e, const char *why)
{
	err_set(e, E_DATA, "JSON: row %zu: %s at byte %zu", r->n + 1, why, r->at);
	return false;
}

bool json_rows_next(struct json_rows *r, const char **row, size_t *len, struct err *e)
{
	size_t from = r->at, end;

	err_clear(e);
	if (from >= r->end)
		return false;
	if (r->text[from] != '{')
		return rows_bad(r, e, "expected an object");
	end = json_value_end(r->text, r->end, from);
	r->at = skip_blanks(r->text, r->end, end);
	if (r->at < r->end) {
		if (r->text[r->at] != ',')
			return rows_bad(r, e, "expected ',' or ']'");
		r->at = skip_blanks(r->text, r->end, r->at + 1);
		if (r->at >= r->end)
			return rows_bad(r, e, "expected a value");
	}
	r->n++;
	*row = r->text + from;
	*len = end - from;
	return true;
}
