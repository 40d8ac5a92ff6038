/* What users type for a resource, and which one is meant. */
#include "rules/vocab/named.h"

#include "base/base.h"
#include "tests/support/unit.h"

#include <string.h>

static const char *const ids[] = {
	"p1/bucket/eu/lab-1",
	"p1/disk/europe-west4-a/lab-1",
	"p1/disk/us-central1-b/lab-1",
	"p1/tpu/europe-west4-a/lab-1",
	"p1/tpu/europe-west4-a/lab-10",
	"p1/vm/us-central1-b/lab-1",
	"p1/vm/us-central1-b/tpu",
	"p2/vm/us-central1-b/both",
	"p2/disk/us-central1-b/both",
	"p2/vm/us-central1-a/twin",
	"p2/vm/us-central1-b/twin",
};

static struct arena a;

static struct named found(const char *word)
{
	struct named x = NAMED_INIT;

	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		named_add(&x, &a, ids[i], word);
	return x;
}

static void means(const char *word, const char *id)
{
	struct named x = found(word);
	const char *got = named_preferred(&x);

	if (!got || strcmp(got, id) != 0)
		fail_msg("%s: %s instead of %s", word, got ? got : "none", id);
}

static void keys_fit_by_their_parts(void **state)
{
	static const char id[] = "p1/tpu/europe-west4-a/lab-1";

	assert_int_equal(named_fit(id, id), NAMED_KEY);
	assert_int_equal(named_fit(id, "lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "tpu/lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "p1/lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "p1/tpu/lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "europe-west4-a/lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "p1/tpu/lab"), NAMED_PREFIX);
	assert_int_equal(named_fit(id, "la"), NAMED_PREFIX);
	assert_int_equal(named_fit(id, "p1/tpu/eur"), NAMED_PREFIX);
	assert_int_equal(named_fit(id, "ab-1"), NAMED_PART);
	assert_int_equal(named_fit(id, "1/lab-1"), NAMED_NONE);
	assert_int_equal(named_fit(id, "1/tpu"), NAMED_PART);
	assert_int_equal(named_fit(id, "TPU/p1/lab-1"), NAMED_NAME);
	assert_int_equal(named_fit(id, "tpu/p1/lab"), NAMED_PREFIX);
	assert_int_equal(named_fit(id, "vm/p1/lab-1"), NAMED_NONE);
	assert_int_equal(named_fit(id, "tpu/p2/lab-1"), NAMED_NONE);
	assert_int_equal(named_fit(id, "vm/lab-1"), NAMED_NONE);
	assert_int_equal(named_fit(id, "p/lab-1"), NAMED_NONE);
	assert_int_equal(named_fit(id, "lab-1/"), NAMED_NONE);
	assert_int_equal(named_fit(id, "/lab-1"), NAMED_PART);
	assert_int_equal(named_fit(id, "x"), NAMED_NONE);
	assert_int_equal(named_fit(id, ""), NAMED_NONE);
	assert_int_equal(named_fit("trc", "trc"), NAMED_KEY);
	assert_int_equal(named_fit("trc", "tr"), NAMED_PREFIX);
}

static void a_tpu_is_meant_before_a_machine(void **state)
{
	struct named x;

	means("lab-1", "p1/tpu/europe-west4-a/lab-1");
	means("vm/lab-1", "p1/vm/us-central1-b/lab-1");
	means("P1/VM/lab-1",
		"p1/vm/us-central1-b/lab-1"); /* all but the name in any case */
	means("us-central1-b/lab-1", "p1/vm/us-central1-b/lab-1");
	means("bo", "p2/vm/us-central1-b/both"); /* the beginning of one name */
	means("lab-10", "p1/tpu/europe-west4-a/lab-10");
	means("tpu", "p1/vm/us-central1-b/tpu"); /* a kind may be a name */
	x = found("twin");
	assert_null(named_preferred(&x));
	x = found("lab");
	assert_null(named_preferred(&x));
	x = found("disk/lab-1");
	assert_null(named_preferred(&x));
	assert_int_equal(x.n, 2);
	x = found("nowhere");
	assert_null(named_preferred(&x));
}

static void the_others_are_listed(void **state)
{
	struct named x = found("lab-1");

	assert_non_null(named_preferred(&x));
	assert_string_equal(named_others(&x, &a),
		"5 resources are named lab-1; this is the TPU; others: vm/lab-1, "
		"p1/disk/europe-west4-a/lab-1, p1/disk/us-central1-b/lab-1, bucket/lab-1");
	x = found("lab-10");
	assert_non_null(named_preferred(&x));
	assert_null(named_others(&x, &a));
}

static void only_one_is_changed(void **state)
{
	struct err e = {0};
	struct named x = found("both");
	const char *id = NULL;

	assert_int_equal(
		named_only(&x, ids, ARRAY_LEN(ids), "both", "machine", &id, &e), E_USAGE);
	assert_string_equal(e.msg,
		"'both' is ambiguous (2 matches): p2/vm/us-central1-b/both, "
		"p2/disk/us-central1-b/both");
	assert_null(id);
	x = found("lab-10");
	assert_int_equal(
		named_only(&x, ids, ARRAY_LEN(ids), "lab-10", "machine", &id, &e), E_OK);
	assert_string_equal(id, "p1/tpu/europe-west4-a/lab-10");
	x = found("ab-10"); /* a part is too little */
	assert_int_equal(named_only(&x, ids, ARRAY_LEN(ids), "ab-10", "machine", &id, &e),
		E_NOTFOUND);
	assert_string_equal(e.msg, "there is no machine 'ab-10'");
	assert_string_equal(e.fix, "did you mean 'lab-10'?");
}

static int teardown(void **state)
{
	arena_done(&a);
	return 0;
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_fit_by_their_parts),
		cmocka_unit_test(a_tpu_is_meant_before_a_machine),
		cmocka_unit_test(the_others_are_listed),
		cmocka_unit_test(only_one_is_changed),
	};

	return cmocka_run_group_tests_name("named", tests, NULL, teardown);
}
