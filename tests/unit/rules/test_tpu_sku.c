/* What descriptions of TPU SKUs tell, and hours of the bill as chip-hours. */
#include "rules/price/tpu_sku.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static void a_description_tells_generation_class_and_chips(void **state)
{
	static const struct {
		const char *description, *family;
		enum price_class class;
		int64_t chips;
	} rows[] = {
		{"TPU-v2 Accelerator USA", "v2", PRICE_ON_DEMAND, 4},
		{"Tpu-v3 accelerator running in Americas", "v3", PRICE_ON_DEMAND, 4},
		{"Preemptible TPU-v2 Accelerator USA", "v2", PRICE_SPOT, 4},
		{"Tpu-v3 Pod running in Netherlands", "v3", PRICE_ON_DEMAND, 0},
		{"Tpu-v2 core running in Iowa", "v2", PRICE_ON_DEMAND, 0},
		{"Tpu-v4 Pod running in Oklahoma", "v4", PRICE_ON_DEMAND, 4},
		{"Tpu-v5e Pod running in Belgium", "v5litepod", PRICE_ON_DEMAND, 1},
		{"TpuV5e Preemptible Chip Hour Netherlands", "v5litepod", PRICE_SPOT, 1},
		{"Tpu V5E Preemptible Chip Hour Netherlands", "v5litepod", PRICE_SPOT, 1},
		{"TpuV5p running in Columbus", "v5p", PRICE_ON_DEMAND, 1},
		{"Tpu-v6e Preemptible, Spot, \"flex\" in Americas", "v6e", PRICE_SPOT, 1},
		{"Spot TPU v6e", "v6e", PRICE_SPOT, 1},
		{"Tpu v3 Chip Hour", "v3", PRICE_ON_DEMAND, 1},
		{"Tpu7x running in Iowa", "tpu7x", PRICE_ON_DEMAND, 1},
		{"TPU v7x attached to Spot Preemptible VMs running in Iowa", "tpu7x", true,
			1},
		{"DWS Defined Duration V6e running in Columbus", "v6e", PRICE_FLEX, 1},
		{"Reserved V6e TPU in Columbus in Calendar Mode", "v6e", PRICE_RESERVED, 1},
		/* a generation that is not known says nothing, and neither do other words */
		{"Tpu-v99 running in Iowa", NULL, PRICE_ON_DEMAND, 0},
		{"Tpu9z running in Iowa", NULL, PRICE_ON_DEMAND, 0},
		{"Tpu running in Iowa", NULL, PRICE_ON_DEMAND, 0},
		{"Tpu rev2 in Iowa", NULL, PRICE_ON_DEMAND, 0},
		{"v", NULL, PRICE_ON_DEMAND, 0},
		{"", NULL, PRICE_ON_DEMAND, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tpu_sku sku;

		tpu_sku_read(rows[i].description, &sku);
		if ((rows[i].family != NULL) != (sku.family != NULL) ||
			(sku.family && strcmp(sku.family, rows[i].family) != 0) ||
			sku.class != rows[i].class || sku.chips != rows[i].chips)
			fail_msg("\"%s\" gave %s %d %lld", rows[i].description,
				sku.family ? sku.family : "nothing", (int)sku.class,
				(long long)sku.chips);
		assert_false(sku.commitment);
	}
}

static void a_commitment_is_a_fee(void **state)
{
	struct tpu_sku sku;

	tpu_sku_read("Commitment v1: TpuV5e in Iowa for 1 Year", &sku);
	assert_true(sku.commitment);
}

static void hours_become_chip_hours_in_units_of_time_only(void **state)
{
	static const struct {
		const char *unit;
		int64_t chips, usage, want; /* nanos; want -1: not known */
	} rows[] = {
		{"hour", 4, INT64_C(24000000000), INT64_C(96000000000)},
		{"h", 1, INT64_C(1500000000), INT64_C(1500000000)},
		/* 5400 s x 4 chips = 6 chip-hours */
		{"seconds", 4, INT64_C(5400000000000), INT64_C(6000000000)},
		/* 1 s of 1 chip = 1/3600, half to even at the ninth digit */
		{"seconds", 1, INT64_C(1000000000), 277778},
		{"minute", 4, INT64_C(30000000000), INT64_C(2000000000)},
		{"Hours", 1, 7200, 7200},
		{"minutes", 1, 7200, 120},
		{"min", 1, 7200, 120},
		{"second", 1, 7200, 2},
		{"s", 1, 7200, 2},
		/* a correction */
		{"hour", 4, -INT64_C(1000000000), -INT64_C(4000000000)},
		{"hour", 0, INT64_C(1000000000), -1},
		{"gibibyte hour", 4, INT64_C(1000000000), -1},
		{"", 4, INT64_C(1000000000), -1},
		{"hour", 4, INT64_MAX, -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tpu_sku sku = {.family = "v3", .chips = rows[i].chips};
		int64_t got = -1;

		if (!tpu_sku_chip_hours(&sku, rows[i].unit, rows[i].usage, &got))
			got = -1;
		assert_int_equal(got, rows[i].want);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_description_tells_generation_class_and_chips),
		cmocka_unit_test(a_commitment_is_a_fee),
		cmocka_unit_test(hours_become_chip_hours_in_units_of_time_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
