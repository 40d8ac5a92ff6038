#include "db/recipe.h"

#include "base/time/tz.h"
#include "db/db.h"
#include "db/rollup/rollup.h"

#include <string.h>

static uint32_t recipe_hash(uint32_t h, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const unsigned char *)data)[i]) * 0x01000193u;
	return h;
}

/* FNV-1a of the days and the zone, above the version. */
int64_t bill_recipe(
	int64_t version, bool by_day, const struct tz *tz, day_t from, day_t until)
{
	const int32_t cut[] = {from, until};
	uint32_t h = recipe_hash(0x811c9dc5u, cut, sizeof(cut));
	char stamp[TZ_STAMP_BUF];

	if (!by_day)
		return from == INT32_MIN && until == INT32_MIN ? version
							       : version | (int64_t)h << 8;
	tz_stamp(tz, stamp); /* first the stamp, then its length */
	h = recipe_hash(h, stamp, strlen(stamp));
	return version | BILLING_BY_DAY | (int64_t)h << 8;
}

bool bill_recipe_fits(int64_t stored, int64_t wanted)
{
	return !(stored & BILLING_BY_DAY) ||
		stored / BILLING_BY_DAY == wanted / BILLING_BY_DAY;
}

enum err_code bill_hide(struct db *db, const struct tz *tz, struct err *e)
{
	static const char *const facts[] = {
		"usage", "billing_day", "billing_unit", "billing_table"};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(db, &tx, e) || db_shadow(db, facts, ARRAY_LEN(facts), true, e) ||
		db_make_rollups(db, e) || rollup_all(db, tz, e))
		return e->code;
	return db_commit(&tx, e);
}
