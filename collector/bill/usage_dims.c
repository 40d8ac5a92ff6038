#include "collector/bill/usage_dims.h"

#include "base/mem.h"
#include "collector/inventory.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

enum { DIM_SKU, DIM_PROJECT, DIM_PLACE, DIM_RESOURCE, DIM_CHARGE, DIM_CREDIT };

/* A cache of this size is cleared, so that memory stays bounded. */
#define MAX_CACHED 50000

#define TEXT(column, member)                                \
	{                                                   \
		column, offsetof(struct usage_line, member) \
	}

const struct usage_column usage_texts[USAGE_TEXTS] = {TEXT("service_id", service_id),
	TEXT("service_name", service), TEXT("sku_id", sku_id), TEXT("sku_name", sku),
	TEXT("project_id", project), TEXT("project_number", number),
	TEXT("account", account), TEXT("place", location), TEXT("region", region),
	TEXT("zone", zone), TEXT("resource_name", resource),
	TEXT("global_name", global_name), TEXT("label_set", labels),
	TEXT("invoice_month", invoice_month), TEXT("cost_type", cost_type),
	TEXT("currency", currency), TEXT("usage_unit", usage_unit), TEXT("model", model),
	TEXT("model_name", model_name), TEXT("credit_type", credit_type)};

const char **usage_text(struct usage_line *l, size_t i)
{
	return (const char **)((char *)l + usage_texts[i].offset);
}

static const char *dims_text_at(const struct usage_line *l, size_t i)
{
	const char *text;

	memcpy(&text, (const char *)l + usage_texts[i].offset, sizeof(text));
	return text;
}

/* Texts of each dimension: [first, last) of the list above. */
static const struct {
	size_t first, last;
} spans[] = {[DIM_SKU] = {0, 4},
	[DIM_PROJECT] = {4, 7},
	[DIM_PLACE] = {7, 10},
	[DIM_RESOURCE] = {10, 13},
	[DIM_CHARGE] = {13, 19},
	[DIM_CREDIT] = {19, 20}};

void usage_dims_forget(struct usage_dims *d)
{
	for (size_t i = 0; i < ARRAY_LEN(d->map); i++)
		strmap_done(&d->map[i]);
}

void usage_dims_done(struct usage_dims *d)
{
	usage_dims_forget(d);
	free(d->key);
}

static bool dims_same(const struct usage_line *a, const struct usage_line *b, int dim)
{
	for (size_t i = spans[dim].first; i < spans[dim].last; i++)
		if (dims_text_at(a, i) != dims_text_at(b, i))
			return false;
	return dim != DIM_CHARGE || a->rate == b->rate;
}

#define NUMBER_ROOM 12 /* 64 bits as digits of six bits, and a blank */

static char *dims_put_number(char *p, uint64_t v)
{
	for (; v; v /= 64)
		*p++ = (char)('0' + v % 64);
	*p++ = ' ';
	return p;
}

/* Each text is preceded by its length, so that different lists of texts have different keys. */
static const char *dims_key_of(struct usage_dims *d, const struct usage_line *l, int dim)
{
	size_t len[USAGE_TEXTS], need = NUMBER_ROOM + 1;
	char *p;

	for (size_t i = spans[dim].first; i < spans[dim].last; i++) {
		len[i] = strlen(dims_text_at(l, i));
		need += NUMBER_ROOM + len[i];
	}
	if (need > d->room) {
		d->room = need * 2;
		d->key = xrealloc(d->key, d->room);
	}
	p = d->key;
	for (size_t i = spans[dim].first; i < spans[dim].last; i++) {
		p = dims_put_number(p, len[i]);
		memcpy(p, dims_text_at(l, i), len[i]);
		p += len[i];
	}
	if (dim == DIM_CHARGE)
		p = dims_put_number(p, (uint64_t)l->rate);
	*p = '\0';
	return d->key;
}

static enum err_code dims_look_up(
	struct db *db, const struct usage_line *l, int dim, int64_t *ref, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};

	switch (dim) {
	case DIM_SKU:
		STAGE_FIND(db, q_sku_put, ref, e, l->service_id, l->service, l->sku_id,
			l->sku);
		break;
	case DIM_PROJECT:
		STAGE_FIND(db, q_billed_project_put, ref, e, l->project, l->number,
			l->account);
		break;
	case DIM_PLACE:
		STAGE_FIND(db, q_place_put, ref, e, l->location, l->region, l->zone);
		break;
	case DIM_RESOURCE:
		STAGE_FIND(db, q_billed_resource_put, ref, e, l->resource, l->global_name,
			l->labels, labels_owner(&a, l->labels));
		break;
	case DIM_CHARGE:
		STAGE_FIND(db, q_charge_put, ref, e, l->invoice_month, l->cost_type,
			l->currency, l->usage_unit, l->rate, l->model, l->model_name);
		break;
	default:
		STAGE_FIND(db, q_credit_type_put, ref, e, l->credit_type);
	}
	return E_OK;
}

static enum err_code dims_find(struct usage_dims *d, struct db *db,
	const struct usage_line *l, int dim, int64_t *ref, struct err *e)
{
	struct strmap *m = &d->map[dim];
	const char *key = dims_key_of(d, l, dim);
	const size_t *known = strmap_get(m, key);

	if (known) {
		*ref = (int64_t)*known;
		return E_OK;
	}
	if (dims_look_up(db, l, dim, ref, e))
		return e->code;
	if (m->n >= MAX_CACHED)
		strmap_done(m);
	strmap_put(m, key, (size_t)*ref);
	return E_OK;
}

enum err_code usage_dims_find(struct usage_dims *d, struct db *db,
	const struct usage_line *line, const struct usage_line *before,
	struct stage_line *refs, struct err *e)
{
	int64_t *const out[] = {[DIM_SKU] = &refs->sku,
		[DIM_PROJECT] = &refs->project,
		[DIM_PLACE] = &refs->place,
		[DIM_RESOURCE] = &refs->resource,
		[DIM_CHARGE] = &refs->charge,
		[DIM_CREDIT] = &refs->credit};

	for (int dim = 0; dim < (int)ARRAY_LEN(out); dim++)
		if ((!before || !dims_same(line, before, dim)) &&
			dims_find(d, db, line, dim, out[dim], e))
			return e->code;
	return E_OK;
}
