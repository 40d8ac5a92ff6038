#include "base/data/json_rows.h"

#include "base/data/json.h"
#include "base/sbuf.h"

#include <string.h>

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
