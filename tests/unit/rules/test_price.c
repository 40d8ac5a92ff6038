#include "rules/price/price.h"

#include "base/mem.h"
#include "base/str.h"
#include "rules/price/table.h"
#include "tests/support/unit.h"

#include <string.h>

static struct price_book builtin_book(void)
{
	struct price_book b;

	price_book_init(&b, NULL, 0);
	return b;
}

/* `want` is a decimal, or "unknown". */
static void check(const char *what, const struct price *p, const char *want)
{
	char buf[NANOS_BUF];

	if (strcmp(p->known ? nanos_format(p->nanos, buf) : "unknown", want) != 0)
		fail_msg("%s: %s, want %s", what, p->known ? buf : "unknown", want);
	if (!p->known) {
		assert_int_equal(p->nanos, 0);
		assert_int_equal(p->source, PRICE_UNKNOWN);
		assert_string_equal(p->cur, "");
	} else if (p->source == PRICE_BUILTIN) {
		assert_non_null(p->as_of);
	}
}

/* ---- TPUs ----------------------------------------------------------------------------------- */

struct tpu_sample {
	const char *type, *zone, *on_demand, *spot;
};

static const struct tpu_sample tpu_samples[] = {
	{"v2-8", "us-central1-f", "4.5", "1.35"},
	{"v2-8", "europe-west4-a", "4.95", "1.26225"},
	{"v2-8", "asia-east1-c", "5.22", "1.566"},
	{"v3-8", "us-central1-a", "8", "2.04"},
	{"v3-8", "europe-west4-a", "8.8", "2.244"},
	{"v2-32", "us-central1-a", "24", "6.12"},
	{"v2-512", "us-central1-a", "384", "97.92"},
	{"v3-32", "europe-west4-a", "32", "10.56"},
	{"v3-2048", "europe-west4-a", "2048", "675.84"},
	{"v4-8", "us-central2-b", "12.88", "3.686"},
	{"v4-64", "us-central2-b", "103.04", "29.488"},
	{"v4-4096", "us-central2-b", "6594.56", "1887.232"},
	{"v5litepod-16", "us-central1-a", "19.2", "4.76336"},
	{"v5e-16", "us-central1-a", "19.2", "4.76336"},
	{"v5litepod-16", "europe-west4-b", "24.96", "8.161776"},
	{"v5p-8", "us-east5-a", "16.8", "5.199808"},
	{"v5p-12288", "europe-west1-b", "27398.89152", "9890.998272"},
	{"v6e-8", "us-east1-d", "21.6", "4.74132"},
	{"v6e-256", "us-east5-b", "691.2", "326.592"},
	{"v6e-16", "us-east4-b", "43.2", "5.518576"},
	{"v5p-12288", "us-south1-a", "29362.176", "4828.176384"},
	{"v5p-8", "europe-west1-d", "17.83782", "6.439452"},
	{"v5litepod-256", "us-west4-b", "307.2", "134.492928"},
	{"v5litepod-4", "us-east4-b", "4.8", "unknown"},
	{"v6e-64", "europe-west4-a", "190.08", "114.048"},
	{"v6e-8", "us-south1-ai1b", "21.6", "9.747"},
	{"ct5lp-hightpu-4t", "us-central1-a", "4.8", "1.19084"},
	{"ct3-hightpu-4t", "us-central1-a", "8", "2.04"},
	{"tpu7x-8", "us-central1-c", "48", "unknown"},
	{"tpu7x-standard-1t", "us-central1-ai1a", "12", "unknown"},
	/* a pod's host is priced as part of the pod */
	{"ct3p-hightpu-4t", "europe-west4-a", "8", "2.64"},
	/* a zone without a row, in a region that has one price */
	{"v2-8", "us-central1-a", "4.5", "1.35"},
	{"v2-32", "us-central1-f", "24", "6.12"},
	{"v3-8", "us-central1-z", "8", "2.04"},
	{"v6e-1", "us-central1-f", "2.7", "0.592665"},
	/* no spot price was published */
	{"v3-8", "us-east1-d", "8", "unknown"},
	{"v3-8", "us-east1-b", "8", "unknown"},
	{"v6e-4", "southamerica-west1-a", "10.8", "unknown"},
	/* the zone is listed without a price */
	{"v6e-8", "us-central2-b", "unknown", "unknown"},
	/* no such generation there */
	{"v4-8", "us-central1-a", "unknown", "unknown"},
	{"v2-32", "asia-east1-c", "unknown", "unknown"},
	/* no such type, no such zone */
	{"v3-7", "us-central1-a", "unknown", "unknown"},
	{"v9x-8", "us-central1-a", "unknown", "unknown"},
	{"v3-8", "us-central1", "unknown", "unknown"},
	{"v3-8", "nowhere", "unknown", "unknown"},
	{"v3-8", "", "unknown", "unknown"},
};

static void tpus_cost_what_the_list_says(void **state)
{
	struct price_book b = builtin_book();

	for (size_t i = 0; i < ARRAY_LEN(tpu_samples); i++) {
		const struct tpu_sample *s = &tpu_samples[i];
		struct price od = price_tpu(&b, s->type, s->zone, PRICE_ON_DEMAND);
		struct price spot = price_tpu(&b, s->type, s->zone, PRICE_SPOT);

		check(s->type, &od, s->on_demand);
		check(s->type, &spot, s->spot);
	}
	check("no type", &(struct price){.source = PRICE_UNKNOWN}, "unknown");
	assert_false(price_tpu(&b, NULL, "us-central1-a", PRICE_ON_DEMAND).known);
	assert_false(price_tpu(&b, "v3-8", NULL, PRICE_ON_DEMAND).known);
}

static void flex_start_has_its_own_price(void **state)
{
	static const char *const rows[][3] = {
		{"v6e-8", "us-east5-a", "10.8"},
		{"ct6e-standard-4t", "us-east5-a", "5.4"},
		{"v5litepod-4", "us-west4-a", "2.4"},
		{"v5p-8", "us-east5-a", "8.4"},
		{"tpu7x-8", "us-central1-c", "24"},
		{"v4-8", "us-central2-b", "unknown"},
		{"v3-8", "europe-west4-a", "unknown"},
	};
	struct price_book b = builtin_book();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct price p = price_tpu(&b, rows[i][0], rows[i][1], PRICE_FLEX);

		check(rows[i][0], &p, rows[i][2]);
	}
	assert_int_equal(price_class_of("flex-start"), PRICE_FLEX);
	assert_int_equal(price_class_of("spot"), PRICE_SPOT);
	assert_int_equal(price_class_of(NULL), PRICE_ON_DEMAND);
}

/* Of several lists the oldest; above a month its age is said. */
static void a_built_in_price_has_a_date(void **state)
{
	static const struct {
		ts_t now;
		const char *words;
	} cases[] = {
		{1785628799, "2026-07-02"},               /* 2026-08-01 */
		{1785715199, "2026-07-02"},               /* 2026-08-02 */
		{1785715200, "2026-07-02 (32 days old)"}, /* 2026-08-03 */
		{1794996000, "2026-07-02 (139 days old)"},
		{0, "2026-07-02"}, /* a clock that is wrong */
	};
	struct price_book b = builtin_book();
	struct vm_spec vm = {.machine_type = "n1-standard-4",
		.region = "us-central1",
		.gpu_type = "nvidia-tesla-v100",
		.gpus = 1};
	struct price total = price_vm(&b, &vm).total;
	struct arena a = {0};

	assert_string_equal(price_list_date(&total), "2026-07-02");
	vm.gpu_type = NULL;
	vm.gpus = 0;
	total = price_vm(&b, &vm).total;
	assert_string_equal(price_list_date(&total), "2026-07-30");
	total.source = PRICE_BILLED;
	assert_null(price_list_date(&total));
	assert_null(price_list_date(&price_unknown));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(
			price_date_words("2026-07-02", cases[i].now, &a), cases[i].words);
	arena_done(&a);
}

static void a_pod_is_not_a_multiple_of_devices(void **state)
{
	struct price_book b = builtin_book();
	struct price device = price_tpu(&b, "v2-8", "europe-west4-a", PRICE_ON_DEMAND);
	struct price pod = price_tpu(&b, "v2-32", "europe-west4-a", PRICE_ON_DEMAND);

	assert_true(pod.nanos != 4 * device.nanos);
	check("v2-32", &pod, "24");
}

static void a_price_from_the_configuration_wins_in_its_zone_and_class(void **state)
{
	static const struct price_override o[] = {
		{"v4", "us-central2-b", NULL, {INT64_C(3000000000), "EUR"}},
		{"v4", "us-central2-b", "spot", {INT64_C(333333333), "EUR"}},
		{"v3", "europe-west4-a", "on-demand", {INT64_C(1), "HKD"}},
		{"v3", "europe-west4-a", "on-demand", {INT64_C(2), "HKD"}},
	};
	struct price_book b;
	struct price p;

	price_book_init(&b, o, ARRAY_LEN(o));
	p = price_tpu(&b, "v4-32", "us-central2-b", PRICE_ON_DEMAND);
	check("both classes", &p, "48");
	assert_string_equal(p.cur, "EUR");
	assert_int_equal(p.source, PRICE_CONFIG);
	p = price_tpu(&b, "v4-32", "us-central2-b", PRICE_SPOT);
	check("the class itself", &p, "5.333333328");
	p = price_tpu(&b, "v3-8", "europe-west4-a", PRICE_ON_DEMAND);
	check("the first of two", &p, "0.000000004");
	p = price_tpu(&b, "v3-8", "europe-west4-a", PRICE_SPOT);
	check("the other class", &p, "2.244");
	assert_int_equal(p.source, PRICE_BUILTIN);
	p = price_tpu(&b, "v3-8", "us-central1-a", PRICE_ON_DEMAND);
	check("another zone", &p, "8");
	p = price_tpu(&b, "v4-32", "us-central2-a", PRICE_ON_DEMAND);
	assert_int_not_equal(
		p.source, PRICE_CONFIG); /* the zone beside it is another, too */
	p = price_tpu(&b, "v4-32", "us-central2-bb", PRICE_ON_DEMAND);
	assert_int_not_equal(p.source, PRICE_CONFIG);
	p = price_tpu(&b, "v2-8", "us-central1-f", PRICE_ON_DEMAND);
	check("another family", &p, "4.5");
}

static void an_override_that_does_not_fit_is_no_price(void **state)
{
	static const struct price_override o[] = {
		{"v4", "us-central2-b", NULL, {INT64_MAX / 2, "USD"}},
	};
	struct price_book b;
	struct price p;

	price_book_init(&b, o, ARRAY_LEN(o));
	p = price_tpu(&b, "v4-32", "us-central2-b", PRICE_ON_DEMAND);
	check("overflow", &p, "unknown");
}

/* ---- VMs ------------------------------------------------------------------------------------ */

struct vm_sample {
	const char *type, *region, *on_demand, *spot;
};

static const struct vm_sample vm_samples[] = {
	{"n1-highmem-96", "us-central1", "5.678544", "2.002656"},
	{"n1-standard-1", "us-central1", "0.04749975", "0.0167525"},
	{"n1-standard-16", "us-central1", "0.759996", "0.26804"},
	{"n1-standard-2", "us-central1", "0.0949995", "0.033505"},
	{"n1-highcpu-2", "us-central1", "0.0708486", "0.0249892"},
	{"n2-standard-8", "us-central1", "0.388472", "0.18424"},
	{"e2-medium", "us-central1", "0.03350571", "0.020106"},
	/* 0.0083764275 and 0.0050265: halves go to the even neighbour */
	{"e2-micro", "us-central1", "0.008376428", "0.0050265"},
	{"e2-small", "us-central1", "0.016752855", "0.010053"},
	{"e2-custom-micro-1024", "us-central1", "0.008376428", "0.0050265"},
	{"f1-micro", "us-central1", "0.0076", "0.000684"},
	/* the hidden region of v4: n1 on demand is known, nothing else */
	{"n1-highmem-8", "us-central2", "0.473212", "unknown"},
	{"e2-medium", "us-central2", "unknown", "unknown"},
	/* custom types */
	{"custom-4-5120", "us-central1", "0.1549962", "0.054645"},
	{"n1-custom-6-20480", "us-central1", "0.2880693", "0.10158"},
	{"custom-2-15360-ext", "us-central1", "0.1432811", "unknown"},
	{"custom-2-15360-ext", "europe-west4", "unknown", "unknown"},
	{"custom-4-5120-ext", "us-central1", "0.1549962", "0.054645"},
	{"n2-custom-8-16384", "us-central1", "0.336714", "0.159684"},
	{"n2-custom-2-20480-ext", "us-central1", "unknown", "unknown"},
	{"e2-custom-4-8192", "us-central1", "0.1106346", "0.066392"},
	{"n4-custom-4-8192", "us-central1", "unknown", "unknown"},
	/* the old names of memory-optimized machines */
	{"m1-megamem-96", "us-central1", "10.65216", "1.8648448"},
	{"n1-megamem-96", "us-central1", "10.65216", "1.8648448"},
	/* a TPU host is no VM; what is not listed has no price */
	{"ct5lp-hightpu-4t", "us-central1", "unknown", "unknown"},
	{"m1-ultramem-80", "us-central1", "12.5862", "2.203546"},
	{"n1-ultramem-80", "us-central1", "12.5862", "2.203546"},
	{"c2-standard-4", "us-central1", "0.208808", "0.09968"},
	{"m3-ultramem-32", "us-central1", "6.0912", "3.65472"},
	{"m3-megamem-64", "europe-west4", "7.57260504", "0.687792"},
	{"c4n-standard-16", "europe-west2", "1.44218", "0.576894"},
	{"c4n-highmem-2", "us-east5", "0.205395", "0.082158"},
	{"g4-standard-96", "us-central1", "8.99986", "3.2988"},
	{"g4-standard-24", "asia-east1", "2.9249545", "1.28781"},
	{"a3-highgpu-2g", "us-east4", "22.138939038", "10.988853151"},
	{"a3-megagpu-8g", "europe-west4", "118.236831175", "46.243579397"},
	{"a3-megagpu-8g", "us-central1", "unknown", "unknown"},
	{"m4-megamem-56", "us-central1", "4.4236704", "2.433216"},
	{"m4-hypermem-64", "europe-west4", "6.5017152", "2.933792"},
	{"m4-ultramem-224", "us-central1", "41.46412736", "16.5451728"},
	{"z3-highmem-88-highlssd", "us-central1", "13.000009479", "5.639660932"},
	{"z3-highmem-14-standardlssd", "europe-west4", "1.874207616", "0.411277699"},
	{"z3-highmem-88", "us-central1", "unknown",
		"unknown"}, /* of unknown size: deprecated */
	{"n1-standard-1", "mars-north1", "unknown", "unknown"},
	{"n9-standard-1", "us-central1", "unknown", "unknown"},
	{"", "us-central1", "unknown", "unknown"},
};

static struct vm_price vm_at(const char *type, const char *region, enum price_class class)
{
	struct price_book b = builtin_book();
	struct vm_spec vm = {.machine_type = type, .region = region, .class = class};

	return price_vm(&b, &vm);
}

/* A reservation has its own price, and what is not known may be any of them. */
static void reserved_and_unknown_are_not_priced_as_on_demand(void **state)
{
	static const struct price_override own[] = {
		{.family = "v6e",
			.zone = "us-east5-a",
			.provisioning = "reserved",
			.per_chip_hour = {1220000000, "USD"}},
		{.family = "v5p",
			.zone = "us-east5-a",
			.per_chip_hour = {2000000000, "USD"}}};
	struct price_book b = builtin_book();
	struct price p;

	assert_int_equal(price_class_of("reserved"), PRICE_RESERVED);
	assert_int_equal(price_class_of("unknown"), PRICE_UNSTATED);
	assert_int_equal(price_class_of("of tomorrow"), PRICE_UNSTATED);
	for (int c = PRICE_RESERVED; c < PRICE_CLASSES; c++) {
		p = price_tpu(&b, "v6e-8", "us-east5-a", (enum price_class)c);
		check("v6e-8", &p, "unknown");
		p = vm_at("n1-standard-1", "us-central1", (enum price_class)c).total;
		check("n1-standard-1", &p, "unknown");
	}
	price_book_init(&b, own, ARRAY_LEN(own));
	p = price_tpu(&b, "v6e-8", "us-east5-a", PRICE_RESERVED);
	check("v6e-8", &p, "9.76");
	p = price_tpu(&b, "v6e-8", "us-east5-a", PRICE_UNSTATED);
	check("v6e-8", &p, "unknown");
	p = price_tpu(&b, "v6e-8", "us-east5-a", PRICE_ON_DEMAND);
	check("v6e-8", &p, "21.6");
	/* a price of every class */
	p = price_tpu(&b, "v5p-8", "us-east5-a", PRICE_UNSTATED);
	check("v5p-8", &p, "8");
	assert_true(
		price_class_preemptible("spot") && price_class_preemptible("flex-start"));
	assert_false(price_class_preemptible("reserved") ||
		price_class_preemptible("unknown") || price_class_preemptible(NULL));
}

static void vms_cost_their_vcpus_and_memory(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(vm_samples); i++) {
		const struct vm_sample *s = &vm_samples[i];
		struct vm_price od = vm_at(s->type, s->region, PRICE_ON_DEMAND);
		struct vm_price spot = vm_at(s->type, s->region, PRICE_SPOT);

		check(s->type, &od.total, s->on_demand);
		check(s->type, &od.cpu, s->on_demand);
		check(s->type, &spot.total, s->spot);
	}
	assert_false(vm_at(NULL, "us-central1", PRICE_ON_DEMAND).total.known);
	assert_false(vm_at("n1-standard-1", NULL, PRICE_ON_DEMAND).total.known);
}

static void a_vm_without_gpus_has_a_gpu_part_of_nothing(void **state)
{
	struct vm_price p = vm_at("n1-standard-1", "us-central1", PRICE_ON_DEMAND);

	check("gpu", &p.gpu, "0");
	p = vm_at("m4n-megamem-56", "us-central1", PRICE_ON_DEMAND);
	check("gpu of an unknown machine", &p.gpu, "unknown");
}

static void gpus_are_added_unless_the_machine_includes_them(void **state)
{
	struct price_book b = builtin_book();
	struct vm_spec vm = {.machine_type = "n1-standard-16",
		.region = "us-central1",
		.gpu_type = "nvidia-tesla-v100",
		.gpus = 4};
	struct vm_price p = price_vm(&b, &vm);

	check("4 V100", &p.gpu, "9.92");
	vm.gpus = 0;
	assert_false(price_vm(&b, &vm).total.known);
	vm.gpus = 4;
	check("with the machine", &p.total, "10.679996");
	assert_int_equal(p.unpriced, 0);
	vm.class = PRICE_SPOT;
	p = price_vm(&b, &vm);
	check("4 spot V100", &p.gpu, "4.9352");
	vm.gpu_type = "nvidia-tesla-k80";
	p = price_vm(&b, &vm);
	check("K80 has no spot price", &p.gpu, "unknown");
	check("then the sum has none", &p.total, "unknown");
	assert_int_equal(p.unpriced, VM_GPU);
	vm.class = PRICE_ON_DEMAND;
	vm.gpu_type = "nvidia-tesla-v100-vws";
	assert_false(price_vm(&b, &vm).gpu.known);
	vm.gpu_type = NULL;
	assert_false(price_vm(&b, &vm).gpu.known);
	vm = (struct vm_spec){.machine_type = "a2-highgpu-1g",
		.region = "us-central1",
		.gpu_type = "nvidia-tesla-a100",
		.gpus = 1};
	p = price_vm(&b, &vm);
	check("a2 with its GPU", &p.total, "3.673385");
	check("whose GPU is in it", &p.gpu, "0");
}

static void a_type_that_the_table_lacks_is_priced_by_what_the_api_says(void **state)
{
	struct price_book b = builtin_book();
	struct vm_spec vm = {.machine_type = "n2-standard-10", .region = "us-central1"};
	static const struct {
		int64_t vcpus, mib;
		bool known;
	} sizes[] = {{1, 1, true}, {0, 1, false}, {1, 0, false}, {100000, 1, true},
		{100001, 1, false}, {1, 1000000000, true}, {1, 1000000001, false}};

	assert_false(price_vm(&b, &vm).total.known);
	vm.vcpus = SOME(10);
	vm.memory_mib = SOME(40960);
	check("described", &(struct price[]){price_vm(&b, &vm).total}[0], "0.48559");
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		vm.vcpus = SOME(sizes[i].vcpus);
		vm.memory_mib = SOME(sizes[i].mib);
		assert_int_equal(price_vm(&b, &vm).total.known, sizes[i].known);
	}
	vm.vcpus = SOME(10);
	vm.machine_type = "c2-custom-10-40960";
	vm.memory_mib = SOME(40960);
	assert_false(price_vm(&b, &vm).total.known);
}

/* ---- disks, snapshots, addresses ------------------------------------------------------------ */

struct disk_sample {
	const char *type, *region;
	int64_t gib;
	bool regional;
	enum price_class class;
	const char *want;
};

static const struct disk_sample disk_samples[] = {
	{"pd-standard", "us-central1", 500, false, PRICE_ON_DEMAND, "0.02739726"},
	{"pd-ssd", "us-central1", 100, false, PRICE_ON_DEMAND, "0.023287671"},
	{"pd-ssd", "us-central1", 800, false, PRICE_ON_DEMAND, "0.18630137"},
	{"pd-ssd", "us-central1", 800, false, PRICE_SPOT, "0.18630137"},
	{"pd-extreme", "us-central1", 1000, false, PRICE_ON_DEMAND, "0.171232877"},
	{"pd-standard", "us-central1", 500, true, PRICE_ON_DEMAND, "0.054794521"},
	{"regional-pd-standard", "us-central1", 500, true, PRICE_ON_DEMAND, "0.054794521"},
	{"local-ssd", "us-central1", 375, false, PRICE_ON_DEMAND, "0.04109589"},
	{"local-ssd", "us-central1", 375, false, PRICE_SPOT, "0.021986301"},
	{"pd-ssd", "us-central1", 0, false, PRICE_ON_DEMAND, "0"},
	{"hyperdisk-balanced", "us-central1", 100, false, PRICE_ON_DEMAND, "unknown"},
	{"pd-ssd", "us-central2", 100, false, PRICE_ON_DEMAND, "unknown"},
	{"pd-ssd", "us-central1", -1, false, PRICE_ON_DEMAND, "unknown"},
	{"pd-ssd", "us-central1", INT64_MAX, false, PRICE_ON_DEMAND, "unknown"},
	{NULL, "us-central1", 1, false, PRICE_ON_DEMAND, "unknown"},
	{"pd-ssd", NULL, 1, false, PRICE_ON_DEMAND, "unknown"},
	{"a-disk-type-with-a-name-that-is-far-too-long", "us-central1", 1, true,
		PRICE_ON_DEMAND, "unknown"},
};

static void disks_cost_a_730th_of_their_month_every_hour(void **state)
{
	struct price_book b = builtin_book();

	for (size_t i = 0; i < ARRAY_LEN(disk_samples); i++) {
		const struct disk_sample *s = &disk_samples[i];
		struct price p = price_disk(
			&b, s->type, s->region, s->gib, s->regional, s->class);

		check(s->type ? s->type : "no type", &p, s->want);
	}
}

static void snapshots_are_priced_by_the_byte(void **state)
{
	struct price_book b = builtin_book();
	const int64_t gib = INT64_C(1) << 30;
	struct price p;

	p = price_snapshot(&b, "us-central1", 730 * gib);
	check("a region", &p, "0.05");
	p = price_snapshot(&b, "us", 730 * gib);
	check("a multi-region", &p, "0.065");
	p = price_snapshot(&b, "us-central1", gib / 2);
	check("half a GiB", &p, "0.000034247");
	p = price_snapshot(&b, "us-central1", 0);
	check("nothing stored", &p, "0");
	p = price_snapshot(&b, "moon", gib);
	check("nowhere", &p, "unknown");
	assert_false(price_snapshot(&b, NULL, gib).known);
	assert_false(price_snapshot(&b, "us", -1).known);
}

static void addresses_cost_more_when_nobody_uses_them(void **state)
{
	struct price_book b = builtin_book();
	struct price p;

	p = price_ip(&b, "us-central1", IP_UNUSED, PRICE_ON_DEMAND);
	check("unused", &p, "0.01");
	p = price_ip(&b, "asia-south1", IP_UNUSED, PRICE_ON_DEMAND);
	check("unused elsewhere", &p, "0.012");
	p = price_ip(&b, "us-central1", IP_UNUSED, PRICE_SPOT);
	check("there is no spot address", &p, "0.01");
	p = price_ip(&b, "us-central1", IP_ON_VM, PRICE_ON_DEMAND);
	check("in use", &p, "0.005");
	p = price_ip(&b, "us-central1", IP_ON_VM, PRICE_SPOT);
	check("on a spot VM", &p, "0.0025");
	p = price_ip(&b, "global", IP_UNUSED, PRICE_ON_DEMAND);
	check("global", &p, "unknown");
	assert_false(price_ip(&b, NULL, IP_UNUSED, PRICE_ON_DEMAND).known);
}

/* ---- several sources ------------------------------------------------------------------------ */

struct fake_list {
	enum price_item item;
	const char *name;
	int64_t nanos, per;
	const char *cur;
};

static bool fake_find(const void *ctx, const struct price_key *key, struct unit_price *out)
{
	const struct fake_list *f = ctx;

	for (; f->name; f++)
		if (f->item == key->item && str_eq(f->name, key->name)) {
			*out = (struct unit_price){.nanos = f->nanos, .per = f->per};
			strcpy(out->cur, f->cur);
			return true;
		}
	return false;
}

static void the_better_source_prices_what_it_knows_wholly(void **state)
{
	static const struct fake_list billed[] = {{PRICE_CORE, "n1", 1000000, 1, "HKD"},
		{PRICE_TPU, "v4", 700, 1, "HKD"}, {0}};
	static const struct fake_list catalog[] = {{PRICE_CORE, "n1", 2000000, 1, "HKD"},
		{PRICE_RAM, "n1", 0, 1, "HKD"}, {PRICE_TPU, "v4", 900, 1, "HKD"},
		{PRICE_DISK, "pd-ssd", 7300, 1, "HKD"},
		{PRICE_CORE, "n2", 2000000, 2, "HKD"},
		{PRICE_GPU, "v100", 1000000, 1, "HKD"},
		{PRICE_GPU, "t4", 1000000, 1, "HKD"}, {PRICE_GPU, "k80", 1000000, 0, "HKD"},
		{0}};
	struct price_book b = builtin_book();
	struct vm_spec vm = {.machine_type = "n1-standard-2", .region = "us-central1"};
	struct price p;

	price_book_add(&b,
		&(struct price_list){
			.source = PRICE_CATALOG, .find = fake_find, .ctx = catalog});
	price_book_add(&b,
		&(struct price_list){
			.source = PRICE_BILLED, .find = fake_find, .ctx = billed});
	assert_int_equal(b.n_lists, 3);
	p = price_tpu(&b, "v4-8", "us-central2-b", PRICE_ON_DEMAND);
	check("billed before catalogue", &p, "0.0000028");
	assert_int_equal(p.source, PRICE_BILLED);
	assert_string_equal(p.cur, "HKD");
	p = price_vm(&b, &vm).total;
	check("billed lacks memory, so the catalogue prices all", &p, "0.004");
	assert_int_equal(p.source, PRICE_CATALOG);
	p = price_disk(&b, "pd-ssd", "us-central1", 10, false, PRICE_ON_DEMAND);
	check("catalogue", &p, "0.0000001");
	p = price_disk(&b, "pd-standard", "us-central1", 500, false, PRICE_ON_DEMAND);
	assert_int_equal(p.source, PRICE_BUILTIN);
	vm.gpu_type = "nvidia-tesla-v100";
	vm.gpus = 2;
	p = price_vm(&b, &vm).total;
	check("both of the catalogue", &p, "0.006");
	vm.machine_type = "n2-standard-2";
	p = price_vm(&b, &vm).total;
	/* 2 x 0.031611 + 8 x 0.004237 + 2 x 2.48 */
	check("the catalogue lacks the machine, so the table prices all", &p, "5.057118");
	assert_int_equal(p.source, PRICE_BUILTIN);
	vm.gpu_type = "nvidia-tesla-t4";
	p = price_vm(&b, &vm).total;
	check("two currencies have no sum", &p, "unknown");
	p = price_vm(&b, &vm).gpu;
	check("its parts have prices", &p, "0.002");
	vm.gpu_type = "k80";
	p = price_vm(&b, &vm).gpu;
	check("a list that sells by the zero is skipped", &p, "0.9");
}

static void local_ssds_are_added_unless_the_price_has_them(void **state)
{
	struct price_book b = builtin_book();
	static const struct {
		const char *type;
		int64_t gib;
		enum price_class class;
		const char *want, *ssd;
	} rows[] = {
		/* 375 x 0.08 / 730 = 0.0410958904...; spot 375 x 0.0428 / 730 */
		{"n1-standard-2", 375, PRICE_ON_DEMAND, "0.13609539", "0.04109589"},
		{"n1-standard-2", 375, PRICE_SPOT, "0.055491301", "0.021986301"},
		{"n1-standard-2", 0, PRICE_ON_DEMAND, "0.0949995", "0"},
		{"n1-standard-2", -1, PRICE_ON_DEMAND, "unknown", "unknown"},
		{"n1-standard-2", INT64_MAX, PRICE_ON_DEMAND, "unknown", "unknown"},
		/* 12 x 0.031611 + 170 x 0.004237 + 3.92808 for the GPU, and 375 GiB */
		{"a2-ultragpu-1g", 375, PRICE_ON_DEMAND, "5.06879789", "0"},
		{"a2-highgpu-1g", 375, PRICE_ON_DEMAND, "3.71448089", "0.04109589"},
		{"z3-highmem-22-highlssd", 9000, PRICE_ON_DEMAND, "3.25000237", "0"},
		/* C4 has its own: 375 x 0.16 / 730 = 0.0821917808 */
		{"c4-standard-4-lssd", 375, PRICE_ON_DEMAND, NULL, "0.082191781"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct vm_spec vm = {.machine_type = rows[i].type,
			.region = "us-central1",
			.class = rows[i].class,
			.local_ssd_gib = rows[i].gib};
		struct vm_price p = price_vm(&b, &vm);

		check(rows[i].type, &p.local_ssd, rows[i].ssd);
		if (rows[i].want)
			check(rows[i].type, &p.total, rows[i].want);
	}
}

/* Vcpus and memory of a price list are not the price of the whole machine. */
static void local_ssds_are_not_in_the_price_of_parts(void **state)
{
	static const struct fake_list parts[] = {{PRICE_CORE, "z3", 1000000000, 1, "USD"},
		{PRICE_RAM, "z3", 1000000000, 1, "USD"}, {0}};
	static const struct fake_list with_ssd[] = {
		{PRICE_CORE, "z3", 1000000000, 1, "USD"},
		{PRICE_RAM, "z3", 1000000000, 1, "USD"},
		{PRICE_DISK, "local-ssd-z3", 730000000, 1, "USD"}, {0}};
	const struct vm_spec vm = {.machine_type = "z3-highmem-22-highlssd",
		.region = "us-central1",
		.local_ssd_gib = 9000};
	struct price_book b = builtin_book();
	struct price p;

	price_book_add(&b, &(struct price_list){PRICE_CATALOG, fake_find, parts});
	p = price_vm(&b, &vm).total;
	check("the built-in price of the whole", &p, "3.25000237");
	price_book_add(&b, &(struct price_list){PRICE_CATALOG, fake_find, with_ssd});
	p = price_vm(&b, &vm).total;
	check("the parts of the list", &p, "207"); /* 22 + 176 + 9000 x 0.73 / 730 */
}

static void a_source_is_replaced_not_doubled(void **state)
{
	static const struct fake_list one[] = {{PRICE_TPU, "v4", 1, 1, "USD"}, {0}};
	static const struct fake_list two[] = {{PRICE_TPU, "v4", 2, 1, "USD"}, {0}};
	struct price_book b = builtin_book();
	struct price p;

	price_book_add(&b, &(struct price_list){PRICE_CATALOG, fake_find, one});
	price_book_add(&b, &(struct price_list){PRICE_CATALOG, fake_find, two});
	assert_int_equal(b.n_lists, 2);
	p = price_tpu(&b, "v4-8", "us-central2-b", PRICE_ON_DEMAND);
	check("the newer", &p, "0.000000008");
}

static void sums_need_one_currency_and_room(void **state)
{
	struct price a = {5, NULL, "USD", true, PRICE_CONFIG};
	struct price b = {7, "2026-07-30", "USD", true, PRICE_BUILTIN};
	struct price no = {.source = PRICE_UNKNOWN};
	struct price p = price_add(&a, &b);

	check("sum", &p, "0.000000012");
	assert_int_equal(p.source, PRICE_BUILTIN);
	assert_string_equal(p.as_of, "2026-07-30");
	p = price_add(&b, &a);
	assert_int_equal(p.source, PRICE_BUILTIN);
	assert_false(price_add(&a, &no).known);
	assert_false(price_add(&no, &a).known);
	no = a;
	no.known = false;
	assert_false(price_add(&a, &no).known);
	assert_false(price_add(&no, &a).known);
	strcpy(b.cur, "HKD");
	assert_false(price_add(&a, &b).known);
	a.nanos = 0; /* nothing is nothing in any currency */
	p = price_add(&a, &b);
	check("nothing and something", &p, "0.000000007");
	assert_string_equal(p.cur, "HKD");
	assert_string_equal(price_add(&b, &a).cur, "HKD");
	a.nanos = 5;
	strcpy(b.cur, "USD");
	b.nanos = INT64_MAX;
	assert_false(price_add(&a, &b).known);
}

/* 3.22 USD a chip-hour are 25.116 HKD at 7.8 HKD per USD, and 0.5 EUR are 4.3333... HKD at 0.9 EUR per USD: sums are
 * rounded once, after the conversion. */
static void prices_are_converted_to_one_currency(void **state)
{
	static const struct price_override o[] = {
		{"v4", "us-central2-b", "spot", {NANOS / 2, "EUR"}},
		{"v4", "us-central2-b", "flex-start", {NANOS, "GBP"}},
		{"v4", "us-central2-b", "reserved", {NANOS, "HKD"}}};
	static const struct fake_list catalog[] = {
		{PRICE_GPU, "new", NANOS, 1, "HKD"}, {0}};
	struct price_rate v[] = {{"USD", NANOS, NULL},
		{"EUR", NANOS / 10 * 9, "2026-11-19"},
		{"HKD", NANOS / 10 * 78, "2026-11-20"}};
	struct price_rates rates = {v, ARRAY_LEN(v), 0};
	struct vm_spec vm = {.machine_type = "n1-standard-1",
		.region = "us-central1",
		.gpu_type = "nvidia-new",
		.gpus = 1};
	static const struct {
		enum price_class class;
		const char *amount, *cur;
	} want[] = {{PRICE_ON_DEMAND, "100.464", "HKD"},
		{PRICE_SPOT, "17.333333333", "HKD"}, {PRICE_FLEX, "4", "GBP"},
		{PRICE_RESERVED, "4", "HKD"}};
	struct price_book b;
	struct price p;

	price_book_init(&b, o, ARRAY_LEN(o));
	price_book_add(&b, &(struct price_list){PRICE_CATALOG, fake_find, catalog});
	b.currency = "HKD";
	b.rates = &rates;
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		p = price_tpu(&b, "v4-8", "us-central2-b", want[i].class);
		check(want[i].cur, &p, want[i].amount);
		assert_string_equal(p.cur, want[i].cur);
	}
	/* parts of lists in two currencies are one sum: 7.8 x 0.04749975 + 1 */
	p = price_vm(&b, &vm).total;
	check("parts", &p, "1.37049805");
	assert_string_equal(p.cur, "HKD");
	/* (96 x 0.031611 + 624 x 0.004237) USD = 5.678544 USD */
	v[2].per_usd = 7773050001;
	p = price_vm(&b,
		&(struct vm_spec){.machine_type = "n1-highmem-96", .region = "us-central1"})
		    .total;
	check("exact", &p, "44.139606445");
	/* 0.04 USD x 800 GiB / 730 h */
	p = price_disk(&b, "pd-standard", "us-central1", 800, false, PRICE_ON_DEMAND);
	check("disk", &p, "0.340736438");
	rates.n = 2; /* without a rate, nothing is converted */
	p = price_tpu(&b, "v4-8", "us-central2-b", PRICE_ON_DEMAND);
	check("no rate", &p, "12.88");
	assert_string_equal(p.cur, "USD");
	assert_false(price_vm(&b, &vm).total.known);
	v[1].per_usd = INT64_MAX; /* what does not fit is unknown */
	b.currency = "EUR";
	p = price_tpu(&b, "v4-8", "us-central2-b", PRICE_ON_DEMAND);
	check("too large", &p, "unknown");
}

static void sources_have_names(void **state)
{
	assert_string_equal(price_source_name(PRICE_CONFIG), "config");
	assert_string_equal(price_source_name(PRICE_BILLED), "billed");
	assert_string_equal(price_source_name(PRICE_CATALOG), "catalog");
	assert_string_equal(price_source_name(PRICE_BUILTIN), "builtin");
	assert_string_equal(price_source_name(PRICE_UNKNOWN), "unknown");
	assert_string_equal(price_source_name((enum price_source)99), "unknown");
}

/* The table itself: every price is positive, and no place comes twice. */
static void the_table_makes_sense(void **state)
{
	size_t rows = 0;

	assert_int_equal(strlen(price_table_date), 10);
	for (size_t i = 0; i < n_price_groups; i++) {
		const struct price_group *g = &price_groups[i];

		assert_int_equal(g->first, rows);
		assert_int_equal(strlen(price_strings + g->date), 10);
		assert_true(strcmp(price_table_date, price_strings + g->date) <= 0);
		rows += g->n;
		for (size_t k = g->first; k < rows; k++) {
			const int64_t *usd = price_rows[k].usd;

			assert_true(price_rows[k].per > 0);
			assert_true(usd[PRICE_ON_DEMAND] < 2000 * NANOS);
			for (int c = 0; c < PRICE_BUILTIN_CLASSES; c++) {
				assert_true(usd[c] > 0 || usd[c] == -1);
				assert_true(!c || usd[c] < usd[PRICE_ON_DEMAND] ||
					usd[PRICE_ON_DEMAND] == -1);
			}
		}
	}
	assert_true(rows > 3000);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tpus_cost_what_the_list_says),
		cmocka_unit_test(flex_start_has_its_own_price),
		cmocka_unit_test(reserved_and_unknown_are_not_priced_as_on_demand),
		cmocka_unit_test(a_built_in_price_has_a_date),
		cmocka_unit_test(a_pod_is_not_a_multiple_of_devices),
		cmocka_unit_test(a_price_from_the_configuration_wins_in_its_zone_and_class),
		cmocka_unit_test(an_override_that_does_not_fit_is_no_price),
		cmocka_unit_test(vms_cost_their_vcpus_and_memory),
		cmocka_unit_test(a_vm_without_gpus_has_a_gpu_part_of_nothing),
		cmocka_unit_test(gpus_are_added_unless_the_machine_includes_them),
		cmocka_unit_test(
			a_type_that_the_table_lacks_is_priced_by_what_the_api_says),
		cmocka_unit_test(disks_cost_a_730th_of_their_month_every_hour),
		cmocka_unit_test(snapshots_are_priced_by_the_byte),
		cmocka_unit_test(addresses_cost_more_when_nobody_uses_them),
		cmocka_unit_test(the_better_source_prices_what_it_knows_wholly),
		cmocka_unit_test(local_ssds_are_added_unless_the_price_has_them),
		cmocka_unit_test(local_ssds_are_not_in_the_price_of_parts),
		cmocka_unit_test(a_source_is_replaced_not_doubled),
		cmocka_unit_test(sums_need_one_currency_and_room),
		cmocka_unit_test(prices_are_converted_to_one_currency),
		cmocka_unit_test(sources_have_names),
		cmocka_unit_test(the_table_makes_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
