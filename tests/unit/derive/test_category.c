#include "rules/bill/days.h"

#include "tests/support/unit.h"

struct sample {
	const char *service_id, *service, *sku, *want;
};

static const struct sample samples[] = {
	{"E000-3F24-B8AA", "Cloud TPU", "TPU-v2 Accelerator USA", "tpu"},
	{"6F81-5844-456A", "Compute Engine", "TpuV5e Preemptible Chip Hour Netherlands",
		"tpu"},
	{"6F81-5844-456A", "Compute Engine",
		"N1 Predefined Instance Core running in Americas", "cpu"},
	{"6F81-5844-456A", "Compute Engine",
		"N1 Predefined Instance Ram running in Americas", "cpu"},
	{"6F81-5844-456A", "Compute Engine", "Spot Preemptible N2 Instance Core in Iowa",
		"cpu"},
	{"6F81-5844-456A", "Compute Engine", "Compute optimized Core running in Americas",
		"cpu"},
	{"6F81-5844-456A", "Compute Engine", "Storage PD Capacity", "disk"},
	{"6F81-5844-456A", "Compute Engine", "SSD backed PD Capacity in Netherlands",
		"disk"},
	{"6F81-5844-456A", "Compute Engine", "Regional Storage PD Capacity", "disk"},
	{"6F81-5844-456A", "Compute Engine", "Hyperdisk Extreme Capacity", "disk"},
	{"6F81-5844-456A", "Compute Engine", "Storage PD Snapshot", "snapshot"},
	{"6F81-5844-456A", "Compute Engine", "Static Ip Charge", "ip"},
	{"6F81-5844-456A", "Compute Engine", "External IP Charge on a Standard VM", "ip"},
	{"6F81-5844-456A", "Compute Engine",
		"Network Internet Data Transfer Out from Americas to EMEA", "network"},
	{"6F81-5844-456A", "Compute Engine",
		"Network Internet Egress from Americas to APAC", "network"},
	{"6F81-5844-456A", "Compute Engine", "Nvidia Tesla A100 GPU running in Americas",
		"gpu"},
	{"95FF-2EF5-5EA1", "Cloud Storage", "Standard Storage US Regional", "storage"},
	{"95FF-2EF5-5EA1", "Cloud Storage",
		"Network Data Transfer GCP Inter Region within Europe", "network"},
	{"E505-1604-58F8", "Networking", "Networking Cloud Nat Gateway Uptime", "network"},
	{"5490-F7B7-8DF6", "Cloud Logging", "Log Volume", "other"},
	{"", "Invoice", "Tax", "other"},
};

static void every_known_sku_has_its_category(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		assert_string_equal(category_of_sku(samples[i].service_id,
					    samples[i].service, samples[i].sku),
			samples[i].want);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_known_sku_has_its_category),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
