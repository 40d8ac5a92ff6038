/* What SKUs price. The descriptions are Google's, from public price lists and bills. */
#include "rules/price/account.h"

#include "base/str.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define GCE "6F81-5844-456A"
#define TPU "E000-3F24-B8AA"

/* "item name spot per times", or "no" */
static void check(const char *service, const char *description, const char *usage_type,
	const char *unit, const char *want)
{
	static const char *const items[] = {"tpu-device", "tpu", "core", "ram", "ram-ext",
		"machine", "gpu", "disk", "snapshot", "ip-unused", "ip-vm"};
	struct sku_text text = {service, description, usage_type, unit};
	struct sku_item it;
	char got[128] = "no";

	if (price_sku_read(&text, &it))
		snprintf(got, sizeof(got), "%s %s%s %lld x%lld", items[it.item], it.name,
			it.class == PRICE_SPOT               ? " spot"
				: it.class == PRICE_FLEX     ? " flex"
				: it.class == PRICE_RESERVED ? " reserved"
							     : "",
			(long long)it.per, (long long)it.times);
	if (strcmp(got, want) != 0)
		fail_msg("%s (%s)\n  gave %s\n  want %s", description, unit, got, want);
}

static void machines_are_told_by_all_of_their_words(void **state)
{
	static const struct {
		const char *text, *unit, *want;
	} rows[] = {
		{"N1 Predefined Instance Core running in Americas", "h", "core n1 1 x1"},
		{"N1 Predefined Instance Ram running in Americas", "GiBy.h", "ram n1 1 x1"},
		{"Spot Preemptible N1 Predefined Instance Core running in Zurich", "h",
			"core n1 spot 1 x1"},
		{"Preemptible N1 Predefined Instance Core running in Zurich", "h",
			"core n1 spot 1 x1"},
		{"Custom Instance Core running in Americas", "h", "core n1-custom 1 x1"},
		{"Custom Instance Ram running in Americas", "GiBy.h", "ram n1-custom 1 x1"},
		{"Custom Extended Instance Ram running in Americas", "GiBy.h",
			"ram-ext n1 1 x1"},
		{"E2 Instance Core running in Americas", "hour", "core e2 1 x1"},
		{"E2 Instance Ram running in Americas", "gibibyte hour", "ram e2 1 x1"},
		{"N2 Custom Instance Core running in Finland", "h", "core n2-custom 1 x1"},
		{"N2 Custom Extended Instance Ram running in Finland", "GiBy.h",
			"ram-ext n2 1 x1"},
		{"N2D AMD Custom Instance Ram running in Zurich", "GiBy.h",
			"ram n2d-custom 1 x1"},
		{"N2D AMD Instance Core running in Americas", "h", "core n2d 1 x1"},
		{"C4A Arm Instance Core running in Iowa", "h", "core c4a 1 x1"},
		{"C4N Instance Core running in Iowa", "h", "core c4n 1 x1"},
		{"M3 Memory-optimized Instance Core running in Tokyo", "h", "core m3 1 x1"},
		{"M4Ultramem224 Instance Core running in Iowa", "h",
			"core m4ultramem224 1 x1"},
		{"A3 Instance Core running in Iowa", "h", "no"},
		{"G4 Instance Core running in Iowa", "h", "no"},
		{"T2A Arm Instance Ram running in Iowa", "GiBy.h", "ram t2a 1 x1"},
		{"Compute optimized Core running in Americas", "h", "core c2 1 x1"},
		{"Memory-optimized Instance Ram running in Americas", "GiBy.h",
			"ram m1 1 x1"},
		{"Micro Instance with burstable CPU running in Americas", "h",
			"machine f1-micro 1 x1"},
		{"Small Instance with 1 VCPU running in Americas", "h",
			"machine g1-small 1 x1"},
		/* a machine with GPUs is not its vCPUs; others are not live machines at all */
		{"A2 Instance Core running in Americas", "h", "no"},
		{"G2 Instance Core running in Americas", "h", "no"},
		{"Commitment v1: Cpu in Americas for 1 Year", "h", "no"},
		{"Reserved N1 Predefined Instance Core running in Americas", "h", "no"},
		{"N1 Predefined Instance Core Sole Tenancy running in Americas", "h", "no"},
		{"Memory Optimized Upgrade Premium for Memory-optimized Instance Core "
		 "running "
		 "in Americas",
			"h", "no"},
		{"N2 Extended Instance Core running in Americas", "h", "no"},
		{"E2 Instance Core Premium running in Americas", "h", "no"},
		{"E22 Instance Core running in Americas", "h", "no"},
		{"Licensing Fee for Red Hat Enterprise Linux 9 on VM with 8 VCPU", "h",
			"no"},
		{"Network Internet Data Transfer Out from Americas to China", "GiBy", "no"},
		{"", "h", "no"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(GCE, rows[i].text, "OnDemand", rows[i].unit, rows[i].want);
	check(GCE, "N1 Predefined Instance Core running in Americas", "Preemptible", "h",
		"core n1 spot 1 x1");
	check(GCE, "N1 Predefined Instance Core running in Americas", "", "h",
		"core n1 1 x1");
	check("95FF-2EF5-5EA1", "N1 Predefined Instance Core running in Americas",
		"OnDemand", "h", "no");
}

static void a_unit_that_does_not_fit_is_no_price(void **state)
{
	static const char *const units[] = {"s", "second", "mo", "month", "GiBy", "GiBy.mo",
		"GiBy.h", "", "H", "hours"};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		check(GCE, "E2 Instance Core running in Americas", "OnDemand", units[i],
			"no");
	check(GCE, "E2 Instance Ram running in Americas", "OnDemand", "h", "no");
	check(GCE, "E2 Instance Ram running in Americas", "OnDemand", "GiBy.mo", "no");
	check(GCE, "Storage PD Capacity", "OnDemand", "h", "no");
	check(GCE, "Static Ip Charge", "OnDemand", "GiBy.mo", "no");
	check(TPU, "TPU-v2 Accelerator USA", "OnDemand", "GiBy.h", "no");
}

static void storage_and_addresses(void **state)
{
	static const struct {
		const char *text, *unit, *want;
	} rows[] = {
		{"Storage PD Capacity", "GiBy.mo", "disk pd-standard 1 x1"},
		{"Storage PD Capacity in Mexico", "gibibyte month",
			"disk pd-standard 1 x1"},
		/* by the hour: 730 of them in a month */
		{"Storage PD Capacity in Mexico", "GiBy.h", "disk pd-standard 1 x730"},
		{"SSD backed PD Capacity in Zurich", "GiBy.mo", "disk pd-ssd 1 x1"},
		{"Balanced PD Capacity", "GiBy.mo", "disk pd-balanced 1 x1"},
		{"Regional Storage PD Capacity", "GiBy.mo",
			"disk regional-pd-standard 1 x1"},
		{"Regional SSD backed PD Capacity", "GiBy.mo", "disk regional-pd-ssd 1 x1"},
		{"Regional Balanced PD Capacity in Iowa", "GiBy.mo",
			"disk regional-pd-balanced 1 x1"},
		{"SSD backed Local Storage", "GiBy.mo", "disk local-ssd 1 x1"},
		{"SSD backed Local Storage attached to Spot Preemptible VMs in Seoul",
			"GiBy.mo", "disk local-ssd spot 1 x1"},
		{"C4 Instance Local SSD running in Iowa", "GiBy.mo",
			"disk local-ssd-c4 1 x1"},
		{"Storage PD Snapshot in Zurich", "GiBy.mo", "snapshot  1 x1"},
		{"Storage PD Snapshot Early Deletion in Zurich", "GiBy.mo", "no"},
		/* their capacity alone is not their price */
		{"Extreme PD Capacity", "GiBy.mo", "no"},
		{"Hyperdisk Balanced Capacity", "GiBy.mo", "no"},
		{"Extreme PD IOPS", "GiBy.mo", "no"},
		{"Storage Image", "GiBy.mo", "no"},
		{"Static Ip Charge", "h", "ip-unused  1 x1"},
		{"Static Ip Charge in Iowa", "h", "ip-unused  1 x1"},
		{"External IP Charge on a Standard VM", "h", "ip-vm  1 x1"},
		{"External IP Charge on a Spot Preemptible VM", "h", "ip-vm  spot 1 x1"},
		{"Nvidia Tesla T4 GPU running in Americas", "h", "gpu t4 1 x1"},
		{"Nvidia Tesla T4 GPU attached to Spot Preemptible VMs running in Americas",
			"h", "gpu t4 spot 1 x1"},
		{"Nvidia Tesla T4 GPU attached to preemptible VMs running in Americas", "h",
			"gpu t4 spot 1 x1"},
		{"Nvidia Tesla T4 Virtual Workstation GPU running in Americas", "h", "no"},
		{"Nvidia Tesla A100 GPU running in Americas", "h", "no"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(GCE, rows[i].text, "OnDemand", rows[i].unit, rows[i].want);
	check(GCE, "Storage PD Snapshot", "Preemptible", "GiBy.mo", "no");
	check(GCE, "Static Ip Charge", "Preemptible", "h", "no");
	check(GCE, "Storage PD Capacity", "Preemptible", "GiBy.mo",
		"disk pd-standard spot 1 x1");
}

static void tpus_are_sold_by_the_device_the_slice_and_the_chip(void **state)
{
	static const struct {
		const char *service, *text, *want;
	} rows[] = {
		/* 4.50 an hour is a v2-8: 4 chips */
		{TPU, "TPU-v2 Accelerator USA", "tpu-device v2 4 x1"},
		{TPU, "Tpu-v3 accelerator running in Americas", "tpu-device v3 4 x1"},
		{TPU, "Tpu-v3 Pod running in Netherlands", "tpu v3 4 x1"},
		{TPU, "Preemptible Tpu-v2 Pod running in Americas", "tpu v2 spot 4 x1"},
		{TPU, "Tpu-v2 Preemptible running in Americas", "tpu-device v2 spot 4 x1"},
		{TPU, "Tpu-v4 Pod running in Oklahoma", "tpu v4 4 x1"},
		{TPU, "Tpu-v4 Pod Chip Hour running in Oklahoma", "tpu v4 1 x1"},
		{GCE, "TpuV5e running in Netherlands", "tpu v5litepod 1 x1"},
		{GCE, "Tpu V5E Preemptible Chip Hour Netherlands",
			"tpu v5litepod spot 1 x1"},
		{GCE, "TpuV5p running in Columbus", "tpu v5p 1 x1"},
		{GCE, "Tpu7x running in Iowa", "tpu tpu7x 1 x1"},
		{GCE, "Preemptible Tpu7x running in Iowa", "tpu tpu7x spot 1 x1"},
		{GCE, "DWS Defined Duration V6e running in Columbus", "tpu v6e flex 1 x1"},
		{GCE, "DWS Defined Duration TpuV5p running in Iowa", "tpu v5p flex 1 x1"},
		{GCE, "DWS Defined Duration V9z running in Iowa", "no"},
		{GCE, "Reserved V6e TPU in Columbus in Calendar Mode",
			"tpu v6e reserved 1 x1"},
		{GCE, "Reserved TpuV5p in Iowa in Calendar Mode", "tpu v5p reserved 1 x1"},
		{GCE, "Reserved V6e TPU in Columbus", "no"},
		{GCE, "V6e TPU in Columbus in Calendar Mode", "no"},
		{GCE, "Capacity Optimized TpuV6e running in Columbus", "no"},
		{GCE, "TPU7x running in Americas", "tpu tpu7x 1 x1"},
		{GCE, "TpuV6e Sole Tenancy running in Columbus", "no"},
		{GCE, "Burst TpuV6e running in Columbus", "no"},
		{GCE, "DWS Calendar Duration V6e running in Columbus", "no"},
		{GCE, "Commitment v1: TpuV6e running in Columbus for 1 Year", "no"},
		{GCE, "Tpu9z running in Iowa", "no"},
		{GCE, "TpuV6e running in Virginia", "tpu v6e 1 x1"},
		{GCE, "TpuV6e DWS Defined Duration running in Virginia",
			"tpu v6e flex 1 x1"},
		{GCE, "Commitment v1: TpuV5e running in Virginia for 1 Year", "no"},
		{GCE, "Reserved TpuV5p running in Columbus", "no"},
		{GCE, "TpuV77 running in Virginia", "no"},
		{GCE, "Tpu running in Virginia", "no"},
		{TPU, "N1 Predefined Instance Core running in Americas", "no"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check(rows[i].service, rows[i].text, "OnDemand", "h", rows[i].want);
}

static void hostile_texts_are_no_price(void **state)
{
	char longer[400];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	check(GCE, longer, "OnDemand", "h", "no");
	memcpy(longer, "tpu-v", 5);
	longer[150] = '\0';
	check(GCE, longer, "OnDemand", "h", "no");
	check(GCE, NULL, NULL, NULL, "no");
	check(NULL, "E2 Instance Core", NULL, "h", "no");
	check(GCE, "E2 Instance Core", NULL, NULL, "no");
	check(GCE, " in ", "", "h", "no");
	check(GCE, "Spot Preemptible ", "", "h", "no");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_are_told_by_all_of_their_words),
		cmocka_unit_test(a_unit_that_does_not_fit_is_no_price),
		cmocka_unit_test(storage_and_addresses),
		cmocka_unit_test(tpus_are_sold_by_the_device_the_slice_and_the_chip),
		cmocka_unit_test(hostile_texts_are_no_price),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
