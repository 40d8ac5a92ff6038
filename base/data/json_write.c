/* JSON output: member by member, and existing trees. */
#include "base/data/json.h"

#include "base/mem.h"
#include "base/money.h"

#include <cjson/cJSON.h>

void json_print(struct sbuf *out, const struct cJSON *j)
{
	char *text;

	if (!j) {
		sbuf_adds(out, "null");
		return;
	}
	text = cJSON_PrintUnformatted(j);
	if (!text)
		out_of_memory(0); /* instead of writing "null" for a value */
	sbuf_adds(out, text);
	cJSON_free(text);
}

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
