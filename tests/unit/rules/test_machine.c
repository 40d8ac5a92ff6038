#include "rules/price/machine.h"

#include "rules/price/table.h"
#include "tests/support/unit.h"

#include <string.h>

struct sample {
	const char *type, *family;
	int64_t vcpus, memory_mib;
	int64_t billed_vcpus, billed_mib; /* thousandths */
	int64_t extended_mib;
	bool custom, tpu_host;
};

static const struct sample samples[] = {
	{"n1-highmem-96", "n1", 96, 638976, 96000, 638976000, 0, false, false},
	{"n1-standard-1", "n1", 1, 3840, 1000, 3840000, 0, false, false},
	{"n1-highcpu-2", "n1", 2, 1843, 2000, 1843200, 0, false, false},
	{"n2-standard-8", "n2", 8, 32768, 8000, 32768000, 0, false, false},
	{"e2-micro", "e2", 2, 1024, 250, 1024000, 0, false, false},
	{"e2-small", "e2", 2, 2048, 500, 2048000, 0, false, false},
	{"e2-medium", "e2", 2, 4096, 1000, 4096000, 0, false, false},
	{"f1-micro", "f1", 1, 614, 1000, 614400, 0, false, false},
	{"a2-highgpu-1g", "a2", 12, 87040, 12000, 87040000, 0, false, false},
	{"z3-highmem-88", "z3", 88, 720896, 88000, 720896000, 0, false, false},
	{"ct5lp-hightpu-4t", "ct5lp", 112, 196608, 112000, 196608000, 0, false, true},
	{"custom-4-5120", "n1", 4, 5120, 4000, 5120000, 0, true, false},
	{"n1-custom-6-20480", "n1", 6, 20480, 6000, 20480000, 0, true, false},
	{"custom-2-15360-ext", "n1", 2, 15360, 2000, 15360000, 2048, true, false},
	{"custom-4-5120-ext", "n1", 4, 5120, 4000, 5120000, 0, true, false},
	{"n2-custom-8-16384", "n2", 8, 16384, 8000, 16384000, 0, true, false},
	{"n2-custom-2-20480-ext", "n2", 2, 20480, 2000, 20480000, 4096, true, false},
	{"n2d-custom-8-16384", "n2d", 8, 16384, 8000, 16384000, 0, true, false},
	{"e2-custom-4-8192", "e2", 4, 8192, 4000, 8192000, 0, true, false},
	{"e2-custom-micro-2048", "e2", 2, 2048, 250, 2048000, 0, true, false},
	{"e2-custom-small-2048", "e2", 2, 2048, 500, 2048000, 0, true, false},
	{"e2-custom-medium-2048", "e2", 2, 2048, 1000, 2048000, 0, true, false},
};

static void every_machine_type_has_its_vcpus_and_memory(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct machine m;

		memset(&m, 0xff, sizeof(m));
		if (!machine_parse(s->type, &m))
			fail_msg("%s is not read", s->type);
		assert_string_equal(m.family, s->family);
		assert_int_equal(m.vcpus, s->vcpus);
		assert_int_equal(m.memory_mib, s->memory_mib);
		assert_int_equal(m.billed_vcpus, s->billed_vcpus * 1000000);
		assert_int_equal(m.billed_mib, s->billed_mib * 1000000);
		assert_int_equal(m.extended_mib, s->extended_mib);
		assert_int_equal(m.custom, s->custom);
		assert_int_equal(m.tpu_host, s->tpu_host);
	}
}

static void a_name_without_meaning_is_no_machine(void **state)
{
	static const char *const bad[] = {"", "n1", "n1-", "n1-standard-3", "n9-standard-4",
		"N1-STANDARD-1", "custom", "custom-", "custom-4", "custom-4-", "custom--4",
		"custom-0-1024", "custom-4-0", "custom-x-1024", "custom-4-1024-x",
		"custom-4-1024-ext-ext", "custom-4-1024ext", "custom-micro-2048",
		"n2-custom-micro-2048", "e2-custom-4-8192-ext", "c2-custom-4-8192",
		"n2-customs-4-8192", "custom-99999-1024", "custom-4-99999999999",
		"n2-custom-4-1024-a-name-that-is-longer-than-any-that-exists-64",
		"n2-custom-4-00000000000000000000000000000000000000000000000000001024"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct machine m = {.vcpus = 77};

		if (machine_parse(bad[i], &m))
			fail_msg("\"%s\" is read", bad[i]);
		assert_int_equal(m.vcpus, 77);
	}
	assert_false(machine_parse(NULL, &(struct machine){0}));
}

static void the_family_is_what_stands_before_the_dash(void **state)
{
	char buf[MACHINE_FAMILY_BUF];

	assert_true(machine_family("n2-standard-80", buf));
	assert_string_equal(buf, "n2");
	assert_true(machine_family("custom-4-5120", buf));
	assert_string_equal(buf, "n1");
	assert_true(machine_family("x99-mega-1", buf));
	assert_string_equal(buf, "x99");
	assert_false(machine_family("n2", buf));
	assert_false(machine_family("-n2", buf));
	assert_false(machine_family("", buf));
	assert_false(machine_family(NULL, buf));
	assert_false(machine_family("averyveryverylongfamily-1", buf));
}

static void the_table_is_sorted_and_makes_sense(void **state)
{
	assert_true(n_machine_rows > 500);
	for (size_t i = 0; i < n_machine_rows; i++) {
		const struct machine_row *r = &machine_rows[i];
		struct machine m;

		if (i && strcmp(price_strings + r[-1].name, price_strings + r->name) >= 0)
			fail_msg("%s is out of order", price_strings + r->name);
		assert_true(machine_parse(price_strings + r->name, &m));
		assert_string_equal(m.family, price_strings + r->family);
		assert_in_range(r->vcpus, 1, 4096);
		assert_in_range(r->memory_mib, 1, 64 * 1024 * 1024);
		assert_in_range(r->billed_vcpus, 1, r->vcpus * NANOS);
		assert_in_range(
			r->billed_gib * 1024 / NANOS, r->memory_mib, r->memory_mib + 1);
	}
}

static void the_nearest_is_of_the_series_and_then_of_the_name(void **state)
{
	static const char *const rows[][2] = {{"n1-standard-3", "n1-standard-2"},
		{"n1-standard-5", "n1-standard-4"}, {"n1-standard-7", "n1-standard-8"},
		{"n1-standard-1000", "n1-standard-96"}, {"n1-standard-0", "n1-standard-1"},
		{"n1-standart-4", "n1-standard-4"}, {"n1-standard-x", "n1-standard-1"},
		{"e2-mikro", "e2-micro"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *near = machine_nearest(rows[i][0]);

		if (!near || strcmp(near, rows[i][1]) != 0)
			fail_msg("%s: %s", rows[i][0], near ? near : "none");
	}
	assert_null(machine_nearest("nothing of the kind"));
}

/* vCPUs times the disks that come with them, over all types of a family: another number in the table changes a sum. */
static void no_size_of_local_ssds_changes_unnoticed(void **state)
{
	static const struct {
		const char *family;
		int64_t sum;
	} of[] = {{"a3", 11076}, {"c3", 7500}, {"c3d", 30888}, {"c4", 78936}, {"c4a", 5608},
		{"c4d", 33584}, {"h4d", 1920}, {"z3", 71936}};

	for (size_t k = 0; k < ARRAY_LEN(of); k++) {
		int64_t sum = 0;

		for (size_t i = 0; i < n_machine_rows; i++) {
			int64_t gib = machine_bundled_ssd_gib(
				price_strings + machine_rows[i].name);

			if (gib > 0 &&
				!strcmp(price_strings + machine_rows[i].family,
					of[k].family))
				sum += machine_rows[i].vcpus * gib / 375;
		}
		if (sum != of[k].sum)
			fail_msg("%s: %lld", of[k].family, (long long)sum);
	}
}

static void local_ssds_of_a_type_are_known_or_unknown(void **state)
{
	assert_int_equal(machine_bundled_ssd_gib("c4-standard-8-lssd"), 375);
	assert_int_equal(machine_bundled_ssd_gib("c3-standard-176-lssd"), 32 * 375);
	assert_int_equal(machine_bundled_ssd_gib("c4-standard-8"), 0);
	assert_int_equal(machine_bundled_ssd_gib("nonsense-lssd"), 0);
	assert_int_equal(machine_bundled_ssd_gib("z3-highmem-22-standardlssd"), 6000);
	assert_int_equal(machine_bundled_ssd_gib("z3-highmem-22-highlssd"), 9000);
	assert_int_equal(machine_bundled_ssd_gib("z3-highmem-192-highlssd-metal"), 72000);
	assert_int_equal(machine_bundled_ssd_gib("z3-highmem-88"), -1);
	assert_int_equal(machine_bundled_ssd_gib("a4-highgpu-8g"), -1);
	assert_int_equal(machine_bundled_ssd_gib(NULL), 0);
	/* none is left out of the price of a type that has them */
	for (size_t i = 0; i < n_machine_rows; i++) {
		const char *type = price_strings + machine_rows[i].name;

		if (strstr(type, "-lssd") || strstr(type, "highlssd") ||
			strstr(type, "standardlssd"))
			assert_true(machine_bundled_ssd_gib(type) > 0);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_machine_type_has_its_vcpus_and_memory),
		cmocka_unit_test(a_name_without_meaning_is_no_machine),
		cmocka_unit_test(local_ssds_of_a_type_are_known_or_unknown),
		cmocka_unit_test(no_size_of_local_ssds_changes_unnoticed),
		cmocka_unit_test(the_family_is_what_stands_before_the_dash),
		cmocka_unit_test(the_table_is_sorted_and_makes_sense),
		cmocka_unit_test(the_nearest_is_of_the_series_and_then_of_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
