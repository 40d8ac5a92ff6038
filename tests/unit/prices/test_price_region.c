/* TPUs of a zone have the price of its region, on a table of our own: these definitions stand in for the
 * generated ones. */
#include "rules/price/table.h"
#include "tests/support/unit.h"

#include <string.h>

enum { /* offsets in price_strings */
	NAME_V4 = 0,
	NAME_V5P = 3,
	DATE = 7,
	ONE = 18,
	TWO = 27,
	TEN = 36,
};

const char price_strings[] = "v4\0"
			     "v5p\0"
			     "2026-01-02\0"
			     "aa-bbbb1\0"
			     "aa-bbbb2\0"
			     "aa-bbbb10";
const char price_table_date[] = "2026-01-02";

const struct price_row price_rows[] = {
	{ONE, 1, {300, 100, -1}},
	{TWO, 4, {400, -1, -1}}, /* 400 for 4 chips is not 400 for 1 chip */
	{TEN, 1, {999, -1, -1}}, /* region 10 is not region 1 */
	{ONE, 1, {0, -1, -1}},   /* free is a price */
};
const struct price_group price_groups[] = {
	{PRICE_TPU, NAME_V4, DATE, 0, 3},
	{PRICE_TPU, NAME_V5P, DATE, 3, 1},
};
const size_t n_price_groups = ARRAY_LEN(price_groups);
const struct machine_row machine_rows[] = {{0, 0, false, 0, 0, 0, 0}};
const size_t n_machine_rows = 0;

static void a_zone_has_the_price_of_its_region(void **state)
{
	static const struct {
		const char *type, *zone;
		enum price_class class;
		int64_t want; /* -1: unknown */
	} rows[] = {
		{"v4-2", "aa-bbbb1-a", PRICE_ON_DEMAND, -1}, /* no such type */
		{"v4-8", "aa-bbbb1-a", PRICE_ON_DEMAND, 1200},
		{"v4-8", "aa-bbbb1-ai1b", PRICE_ON_DEMAND, 1200},
		{"v4-8", "aa-bbbb1-a", PRICE_SPOT, 400},
		{"v4-8", "aa-bbbb1-a", PRICE_FLEX, -1},
		{"v4-24", "aa-bbbb2-a", PRICE_ON_DEMAND, 1200},
		{"v4-8", "aa-bbbb10-b", PRICE_ON_DEMAND, 3996},
		{"v4-8", "aa-bbbb3-a", PRICE_ON_DEMAND, -1},
		{"v4-8", "aa-bbbb1", PRICE_ON_DEMAND, -1}, /* not a zone */
		{"v4-8", "", PRICE_ON_DEMAND, -1},
		{"v4-8", NULL, PRICE_ON_DEMAND, -1},
		{"v5p-8", "aa-bbbb1-c", PRICE_ON_DEMAND, 0},
		{"v5p-8", "aa-bbbb1-c", PRICE_SPOT, -1},
		{"v6e-8", "aa-bbbb1-a", PRICE_ON_DEMAND, -1},
	};
	struct price_book b;

	price_book_init(&b, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct price p = price_tpu(&b, rows[i].type, rows[i].zone, rows[i].class);

		if (p.known != (rows[i].want >= 0) || (p.known && p.nanos != rows[i].want))
			fail_msg("%s in %s: %lld", rows[i].type, rows[i].zone,
				(long long)p.nanos);
		if (p.known) {
			assert_string_equal(p.cur, "USD");
			assert_string_equal(p.as_of, "2026-01-02");
		}
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zone_has_the_price_of_its_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
