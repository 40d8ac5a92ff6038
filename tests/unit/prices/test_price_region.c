/* How a zone without a row takes the price of its region, on a table of our own: these
 * definitions stand in for the generated ones. */
#include "rules/price/table.h"
#include "tests/support/unit.h"

#include <string.h>

enum { /* offsets in price_strings */
	NAME_V4 = 0,
	NAME_V5P = 3,
	DATE = 7,
	ONE_A = 18,
	ONE_B = 29,
	TWO_A = 40,
	TWO_B = 51,
	TEN_A = 62,
};

const char price_strings[] = "v4\0"
			     "v5p\0"
			     "2026-01-02\0"
			     "aa-bbbb1-a\0"
			     "aa-bbbb1-b\0"
			     "aa-bbbb2-a\0"
			     "aa-bbbb2-b\0"
			     "aa-bbbb10-a";
const char price_table_date[] = "2026-01-02";

const struct price_row price_rows[] = {
	{ONE_A, 1, {300, 100, -1}}, /* one price on demand, two as spot */
	{ONE_B, 1, {300, 110, -1}},
	{TWO_A, 4, {400, -1, -1}}, /* 400 for 4 chips is not 400 for 1 chip */
	{TWO_B, 1, {400, -1, -1}},
	{TEN_A, 1, {999, -1, -1}}, /* region 10 is not region 1 */
	{ONE_A, 1, {0, 5, -1}},    /* free is a price */
	{ONE_B, 1, {0, -1, -1}},   /* known here, not published there */
};
const struct price_group price_groups[] = {
	{PRICE_TPU, NAME_V4, DATE, 0, 5},
	{PRICE_TPU, NAME_V5P, DATE, 5, 2},
	{PRICE_CORE, NAME_V4, DATE, 0, 5},
};
const size_t n_price_groups = ARRAY_LEN(price_groups);
const struct machine_row machine_rows[] = {{0, 0, false, 0, 0, 0, 0}};
const size_t n_machine_rows = 0;

struct lookup {
	enum price_item item;
	const char *name, *place;
	enum price_class class;
	int64_t want; /* -1: not found */
};

static const struct lookup lookups[] = {
	{PRICE_TPU, "v4", "aa-bbbb1-a", PRICE_ON_DEMAND, 300},
	{PRICE_TPU, "v4", "aa-bbbb1-a", PRICE_SPOT, 100},
	{PRICE_TPU, "v4", "aa-bbbb1-b", PRICE_SPOT, 110},
	/* all zones of the region agree, or there is no price */
	{PRICE_TPU, "v4", "aa-bbbb1-c", PRICE_ON_DEMAND, 300},
	{PRICE_TPU, "v4", "aa-bbbb1-c", PRICE_SPOT, -1},
	{PRICE_TPU, "v4", "aa-bbbb2-c", PRICE_ON_DEMAND, -1},
	{PRICE_TPU, "v4", "aa-bbbb2-b", PRICE_ON_DEMAND, 400},
	{PRICE_TPU, "v4", "aa-bbbb2-b", PRICE_SPOT, -1},
	{PRICE_TPU, "v4", "aa-bbbb10-b", PRICE_ON_DEMAND, 999},
	{PRICE_TPU, "v4", "aa-bbbb3-a", PRICE_ON_DEMAND, -1},
	{PRICE_TPU, "v4", "aa-bbbb1", PRICE_ON_DEMAND, -1},
	{PRICE_TPU, "v4", "", PRICE_ON_DEMAND, -1},
	{PRICE_TPU, "v5p", "aa-bbbb1-c", PRICE_ON_DEMAND, 0},
	{PRICE_TPU, "v5p", "aa-bbbb1-c", PRICE_SPOT, -1},
	{PRICE_TPU, "v6e", "aa-bbbb1-a", PRICE_ON_DEMAND, -1},
	{PRICE_TPU_DEVICE, "v4", "aa-bbbb1-a", PRICE_ON_DEMAND, -1},
	/* only TPU zones stand for each other */
	{PRICE_CORE, "v4", "aa-bbbb1-a", PRICE_ON_DEMAND, 300},
	{PRICE_CORE, "v4", "aa-bbbb1-c", PRICE_ON_DEMAND, -1},
};

static void a_zone_takes_the_price_of_its_region_when_its_zones_agree(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(lookups); i++) {
		const struct lookup *l = &lookups[i];
		struct price_key key = {l->item, l->name, l->place, l->class};
		struct unit_price u = {.nanos = -1};
		bool found = price_builtin_find(NULL, &key, &u);

		if (found != (l->want >= 0) || u.nanos != l->want)
			fail_msg("%s in \"%s\": %ld, want %ld", l->name, l->place,
				(long)u.nanos, (long)l->want);
		if (found) {
			assert_string_equal(u.cur, "USD");
			assert_string_equal(u.as_of, "2026-01-02");
		}
	}
}

static void the_price_of_four_chips_is_shared_by_them(void **state)
{
	struct price_book b;
	struct price p;

	price_book_init(&b, NULL, 0);
	p = price_tpu(&b, "v4-24", "aa-bbbb2-a", false);
	assert_true(p.known);
	assert_int_equal(p.nanos, 1200);
	p = price_tpu(&b, "v5p-8", "aa-bbbb1-a", false);
	assert_true(p.known);
	assert_int_equal(p.nanos, 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zone_takes_the_price_of_its_region_when_its_zones_agree),
		cmocka_unit_test(the_price_of_four_chips_is_shared_by_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
