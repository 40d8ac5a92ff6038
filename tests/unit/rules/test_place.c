#include "rules/price/place.h"
#include "tests/support/unit.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void a_region_is_a_zone_without_its_end(void **state)
{
	char buf[REGION_BUF];

	assert_true(zone_to_region("us-central1-f", buf));
	assert_string_equal(buf, "us-central1");
	assert_true(zone_to_region("us-south1-ai1b", buf));
	assert_string_equal(buf, "us-south1");
	assert_false(zone_to_region("us-central1", buf));
	assert_false(zone_to_region("us", buf));
	assert_false(zone_to_region("", buf));
	assert_false(zone_to_region("us-central1-", buf));
	assert_false(zone_to_region(NULL, buf));
}

static void a_location_is_a_zone_a_region_or_everywhere(void **state)
{
	struct arena a = {0};

	assert_string_equal(place_zone("us-central1-f"), "us-central1-f");
	assert_string_equal(place_region("us-central1-f", &a), "us-central1");
	assert_null(place_zone("us-central1"));
	assert_string_equal(place_region("us-central1", &a), "us-central1");
	assert_string_equal(place_region("us", &a), "us");
	assert_null(place_zone("global"));
	assert_null(place_region("global", &a));
	arena_done(&a);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_is_a_zone_without_its_end),
		cmocka_unit_test(a_location_is_a_zone_a_region_or_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
