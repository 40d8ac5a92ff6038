/* Recipe of stored lines of the bill: what was read of them. Sums of days (BILLING_BY_DAY) are those of one time zone, so
 * the recipe has it: with another one, they are figures of other days. */
#ifndef TPUCOST_DB_RECIPE_H
#define TPUCOST_DB_RECIPE_H

#include "base/err.h"
#include "base/time/civil.h"

struct db;
struct tz;

/* Only sums of days are stored. */
#define BILLING_BY_DAY 0x80

/* The version of the query (below BILLING_BY_DAY), and if they matter the zone and the first and last day (or INT32_MIN). */
int64_t bill_recipe(
	int64_t version, bool by_day, const struct tz *tz, day_t from, day_t until);
/* Do lines that were stored with one recipe serve the configuration that wants the other? Of lines by hour, every day of
 * every zone is known. */
bool bill_recipe_fits(int64_t stored, int64_t wanted);

/* For this connection, no bill was read: its lines, days and tables are empty. Nothing in the file changes. */
enum err_code bill_hide(struct db *db, const struct tz *tz, struct err *e) must_check;

#endif
