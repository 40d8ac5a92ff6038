#include "gcp/quota/internal.h"

#include "base/str.h"

#include <string.h>

#define MAX_ENTRIES 200000
#define MAX_DIMENSIONS 16

/* Dimensions that are a location; of several in one value the first of these. */
static const char *const place_keys[] = {"zone", "region", "location"};

static const struct cJSON *find_place(const struct cJSON *dims)
{
	const struct cJSON *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(place_keys) && !found; i++)
		found = json_get(dims, place_keys[i]);
	return found;
}

/* All dimensions but `place` as a JSON object with sorted keys. */
static const char *read_others(
	struct dec *d, const struct cJSON *dims, const struct cJSON *place)
{
	const struct cJSON *sorted[MAX_DIMENSIONS];
	struct sbuf text = SBUF_INIT;
	struct jw w = {.b = &text};
	const char *out;
	size_t n = 0, at;

	if (json_len(dims) > MAX_DIMENSIONS) {
		dec_fail(d, "dimensions", "they are too many");
		return "{}";
	}
	JSON_EACH (m, dims) {
		if (!json_is_string(m))
			dec_fail(d, "dimensions", "a value is no text");
		if (m == place)
			continue;
		for (at = n++; at && strcmp(json_key(sorted[at - 1]), json_key(m)) > 0;
			at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = m;
	}
	jw_begin(&w, '{');
	for (size_t i = 0; i < n; i++)
		jw_kstr(&w, json_key(sorted[i]), json_text(sorted[i], ""));
	jw_end(&w, '}');
	out = arena_strdup(d->a, text.s);
	sbuf_done(&text);
	return out;
}

static void read_dimensions(struct dec *d, struct quota_entry *q)
{
	const struct cJSON *dims = dec_object(d, "dimensions");
	const struct cJSON *place = find_place(dims);

	q->dimensions = read_others(d, dims, place);
	q->location = place ? arena_strdup(d->a, json_text(place, "")) : "";
	if (place && !gcp_name_valid(q->location))
		dec_fail(d, "dimensions", "it names no location");
}

static void put_entry(struct gcp_typed *t, const struct quota_entry *q, struct dec *d)
{
	const char *key = arena_printf(t->arena, "%s %s %s %s", q->quota_id, q->metric,
		q->location, q->dimensions);

	if (d->code != E_OK || strmap_get(&t->seen, key))
		return;
	if (t->n >= MAX_ENTRIES)
		d->code = err_set(d->e, E_LIMIT, "more than %d limits", MAX_ENTRIES);
	else
		memcpy(gcp_typed_slot(t, key), q, sizeof(*q));
}

/* A value without a location holds for each that is listed, or everywhere. */
static void put_everywhere(struct gcp_typed *t, struct quota_entry *q,
	const struct cJSON *places, struct dec *d)
{
	if (!json_first(places)) {
		q->location = "global";
		put_entry(t, q, d);
	}
	JSON_EACH (j, places) {
		const char *place = json_text(j, "");

		if (!gcp_name_valid(place))
			dec_fail(d, "applicableLocations", "it names no location");
		if (d->code != E_OK)
			return;
		q->location = arena_strdup(t->arena, place);
		put_entry(t, q, d);
	}
}

static enum err_code put_value(struct gcp_typed *t, const struct quota_limit *l,
	const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *places = dec_array(&d, "applicableLocations");
	struct quota_entry q = l->head;

	read_dimensions(&d, &q);
	l->read(&d, &q);
	if (d.code == E_OK && q.value < -1)
		d.code = err_set(e, E_DATA, "a limit of %lld", (long long)q.value);
	if (d.code != E_OK)
		return d.code;
	if (*q.location)
		put_entry(t, &q, &d);
	else
		put_everywhere(t, &q, places ? places : l->places, &d);
	return d.code;
}

enum err_code quota_put(struct gcp_typed *t, const struct quota_limit *l, struct err *e)
{
	for (int pass = 0; pass < 2; pass++)
		JSON_EACH (j, l->values) {
			bool has_place = find_place(json_get(j, "dimensions")) != NULL;
			enum err_code rc = E_OK;

			if (has_place == !pass)
				rc = put_value(t, l, j, e);
			if (rc != E_OK)
				return rc;
		}
	return E_OK;
}
