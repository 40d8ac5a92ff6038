#include "base/strmap.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static void a_key_is_stored_once(void **state)
{
	struct strmap m = {0};
	char key[] = "a";

	assert_null(strmap_get(&m, "a"));
	assert_true(strmap_put(&m, key, 7));
	key[0] = 'x'; /* the map has its own copy */
	assert_false(strmap_put(&m, "a", 8));
	assert_int_equal(*strmap_get(&m, "a"), 7);
	assert_null(strmap_get(&m, "x"));
	assert_true(strmap_put(&m, "", 9));
	assert_int_equal(*strmap_get(&m, ""), 9);
	assert_int_equal(m.n, 2);
	strmap_done(&m);
	assert_null(strmap_get(&m, "a"));
}

static void a_hundred_thousand_keys_are_found_again(void **state)
{
	struct strmap m = {0};
	char key[32];

	for (size_t i = 0; i < 100000; i++) {
		snprintf(key, sizeof(key), "key-%zu", i);
		assert_true(strmap_put(&m, key, i));
	}
	for (size_t i = 0; i < 100000; i++) {
		snprintf(key, sizeof(key), "key-%zu", i);
		assert_int_equal(*strmap_get(&m, key), i);
		assert_false(strmap_put(&m, key, 0));
	}
	assert_null(strmap_get(&m, "key-100000"));
	strmap_done(&m);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_stored_once),
		cmocka_unit_test(a_hundred_thousand_keys_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
