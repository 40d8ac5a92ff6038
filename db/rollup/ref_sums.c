#include "db/rollup/ref_sums.h"

#include "base/mem.h"
#include "base/money.h"
#include "db/internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024 /* a power of two */

static size_t ref_sums_hash(const struct ref_sums *s, const int64_t refs[REFS])
{
	uint64_t h = 0;

	for (int i = 0; i < REFS; i++)
		h = (h ^ (uint64_t)refs[i]) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32) & (s->n_slots - 1);
}

/* The slot of these numbers, or the free slot for them. */
static uint32_t *ref_sums_slot_of(const struct ref_sums *s, const int64_t refs[REFS])
{
	size_t at = ref_sums_hash(s, refs);

	while (s->slots[at] &&
		memcmp(s->v[s->slots[at] - 1].refs, refs, sizeof(s->v->refs)) != 0)
		at = (at + 1) & (s->n_slots - 1);
	return &s->slots[at];
}

/* At most half of the slots are used. */
static void ref_sums_grow(struct ref_sums *s)
{
	s->room = s->room ? s->room * 2 : FIRST_SLOTS / 2;
	s->v = xrealloc(s->v, s->room * sizeof(*s->v));
	free(s->slots);
	s->n_slots = s->room * 2;
	s->slots = xcalloc(s->n_slots, sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		*ref_sums_slot_of(s, s->v[i].refs) = (uint32_t)(i + 1);
}

struct ref_sum *ref_sums_of(struct ref_sums *s, const int64_t refs[REFS])
{
	uint32_t *slot;

	if (s->n == s->room)
		ref_sums_grow(s);
	slot = ref_sums_slot_of(s, refs);
	if (*slot)
		return &s->v[*slot - 1];
	*slot = (uint32_t)(s->n + 1);
	s->v[s->n] = (struct ref_sum){0};
	memcpy(s->v[s->n].refs, refs, sizeof(s->v->refs));
	return &s->v[s->n++];
}

bool ref_sum_add(struct ref_sum *sum, int64_t cost, int64_t credits, int64_t promo)
{
	return nanos_add(sum->cost, cost, &sum->cost) &&
		nanos_add(sum->credits, credits, &sum->credits) &&
		nanos_add(sum->promo, promo, &sum->promo);
}

bool ref_sum_add_discount(struct ref_sum *sum, int64_t discount, int64_t committed)
{
	return nanos_add(sum->discount, discount, &sum->discount) &&
		nanos_add(sum->committed, committed, &sum->committed);
}

bool ref_sum_add_before(struct ref_sum *sum, int64_t cost, int64_t credits)
{
	return nanos_add(sum->before, cost, &sum->before) &&
		nanos_add(sum->before, credits, &sum->before);
}

void ref_sum_add_usage(struct ref_sum *sum, struct opt_i64 usage)
{
	if (!usage.set || !nanos_add(sum->units, usage.v / NANOS, &sum->units) ||
		!nanos_add(sum->nanos, usage.v % NANOS, &sum->nanos))
		sum->no_usage = 1;
}

void ref_sums_clear(struct ref_sums *s)
{
	if (s->n)
		memset(s->slots, 0, s->n_slots * sizeof(*s->slots));
	s->n = 0;
}

void ref_sums_done(struct ref_sums *s)
{
	free(s->v);
	free(s->slots);
	*s = (struct ref_sums){0};
}

/* ---- as a table -------------------------------------------------------------------------------- */

#define FIELD(name, member)                                            \
	{                                                              \
		name, offsetof(struct ref_sum, member), SQL_I64, false \
	}

static const struct sql_field ref_sum_fields[] = {FIELD("sku_ref", refs[REF_SKU]),
	FIELD("project_ref", refs[REF_PROJECT]), FIELD("place_ref", refs[REF_PLACE]),
	FIELD("resource_ref", refs[REF_RESOURCE]), FIELD("charge_ref", refs[REF_CHARGE]),
	FIELD("part", refs[REF_PART]), FIELD("units", units), FIELD("nanos", nanos),
	FIELD("no_usage", no_usage), FIELD("cost", cost), FIELD("credits", credits),
	FIELD("promo", promo), FIELD("discount", discount), FIELD("committed", committed),
	FIELD("before", before)};

static const struct derived_table ref_sum_table = {.name = "ref_sum",
	.fields = ref_sum_fields,
	.n_fields = ARRAY_LEN(ref_sum_fields),
	.row_size = sizeof(struct ref_sum)};

enum err_code ref_sums_show(struct db *db, const struct ref_sums *s, struct err *e)
{
	if (!db->ref_sum && db_make_array(db, &ref_sum_table, &db->ref_sum, e))
		return e->code;
	db_show_array(db->ref_sum, s->v, s->n);
	return E_OK;
}

void ref_sums_hide(struct db *db)
{
	if (db->ref_sum)
		db_show_array(db->ref_sum, NULL, 0);
}
