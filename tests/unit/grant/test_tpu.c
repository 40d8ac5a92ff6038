#include "rules/grant/tpu.h"

#include "base/str.h"
#include "tests/support/unit.h"

#include <string.h>

struct sample {
	const char *type, *family, *name;
	int64_t chips, cores, hosts;
	bool device;
};

static const struct sample samples[] = {
	{"v2-8", "v2", "v2-8", 4, 8, 1, true},
	{"v2-32", "v2", "v2-32", 16, 32, 4, false},
	{"v3-8", "v3", "v3-8", 4, 8, 1, true},
	{"v3-32", "v3", "v3-32", 16, 32, 4, false},
	{"v3-2048", "v3", "v3-2048", 1024, 2048, 256, false},
	{"v4-8", "v4", "v4-8", 4, 8, 1, false},
	{"v4-24", "v4", "v4-24", 12, 24, 3, false},
	{"v4-32", "v4", "v4-32", 16, 32, 4, false},
	{"v4-64", "v4", "v4-64", 32, 64, 8, false},
	{"v5litepod-1", "v5litepod", "v5litepod-1", 1, 1, 1, false},
	{"v5litepod-4", "v5litepod", "v5litepod-4", 4, 4, 1, false},
	{"v5litepod-8", "v5litepod", "v5litepod-8", 8, 8, 1, false},
	{"v5litepod-16", "v5litepod", "v5litepod-16", 16, 16, 4, false},
	{"v5e-16", "v5litepod", "v5litepod-16", 16, 16, 4, false},
	{"v5p-8", "v5p", "v5p-8", 4, 8, 1, false},
	{"v5p-12288", "v5p", "v5p-12288", 6144, 12288, 1536, false},
	{"v6e-1", "v6e", "v6e-1", 1, 1, 1, false},
	{"v6e-8", "v6e", "v6e-8", 8, 8, 1, false},
	{"v6e-64", "v6e", "v6e-64", 64, 64, 16, false},
	{"V3-8", "v3", "v3-8", 4, 8, 1, true},
	{"ct3-hightpu-4t", "v3", "ct3-hightpu-4t", 4, 8, 1, true},
	{"ct3p-hightpu-4t", "v3", "ct3p-hightpu-4t", 4, 8, 1, false},
	{"ct5l-hightpu-1t", "v5litepod", "ct5l-hightpu-1t", 1, 1, 1, false},
	{"ct5lp-hightpu-4t", "v5litepod", "ct5lp-hightpu-4t", 4, 4, 1, false},
	{"ct5lp-hightpu-8t", "v5litepod", "ct5lp-hightpu-8t", 8, 8, 1, false},
	{"ct5p-hightpu-4t", "v5p", "ct5p-hightpu-4t", 4, 8, 1, false},
	{"ct6e-standard-8t", "v6e", "ct6e-standard-8t", 8, 8, 1, false},
	{"ct6e-standard-4t-tpu", "v6e", "ct6e-standard-4t-tpu", 4, 4, 1, false},
	{"16 x ct6e-standard-4t", "v6e", "16 x ct6e-standard-4t", 64, 64, 16, false},
	{"2 x tpu7x-standard-4t", "tpu7x", "2 x tpu7x-standard-4t", 8, 16, 2, false},
	{"3 x ct3-hightpu-4t", "v3", "3 x ct3-hightpu-4t", 12, 24, 3, false},
	{"tpu7x-8", "tpu7x", "tpu7x-8", 4, 8, 1, false},
	{"v7x-128", "tpu7x", "tpu7x-128", 64, 128, 16, false},
	{"TPU7x-2", "tpu7x", "tpu7x-2", 1, 2, 1, false},
	{"tpu7x-standard-1t", "tpu7x", "tpu7x-standard-1t", 1, 2, 1, false},
	{"tpu7x-standard-4t", "tpu7x", "tpu7x-standard-4t", 4, 8, 1, false},
	{"tpu7x-ultranet-4t-tpu", "tpu7x", "tpu7x-ultranet-4t-tpu", 4, 8, 1, false},
};

static void every_type_has_its_chips_cores_and_hosts(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct tpu_type t;

		if (!tpu_type_parse(s->type, &t))
			fail_msg("%s is not read", s->type);
		assert_string_equal(t.family, s->family);
		assert_string_equal(t.name, s->name);
		assert_int_equal(t.chips, s->chips);
		assert_int_equal(t.cores, s->cores);
		assert_int_equal(t.hosts, s->hosts);
		assert_int_equal(t.device, s->device);
	}
}

static void a_type_that_does_not_exist_has_no_size(void **state)
{
	static const char *const bad[] = {"", "v3", "v3-", "v3-0", "v3-08", "v3-7", "v3-4",
		"v3-8 ", " v3-8", "v3-8-8", "v1-8", "v10-8", "v8x-8", "tpu8x-8", "v5-8",
		"v5lite-8", "v5litepod-3", "v5litepod-0", "v6e-2", "v4-9", "v4--8", "v4-+8",
		"v4-99999999999999999999", "n1-standard-8", "ct5lp-hightpu-2t",
		"ct5lp-hightpu-4", "ct5lp-hightpu-4tt", "ct5lp-hightpu-", "ct5p-hightpu-1t",
		"ct6e-standard-16t", "ct9-hightpu-4t", "tpu7x-standard-8t", "tpu7x-8t",
		"tpu7x-standard-4t-tpus", "tpu7x-4", "0 x ct6e-standard-4t", "2 x v6e-8",
		"2x ct6e-standard-4t", "x ct6e-standard-4t", "2 x ct6e-standard-16t",
		"tpu7x-9", "a type name that is longer than any that exists-8"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct tpu_type t = {.chips = 77};

		if (tpu_type_parse(bad[i], &t))
			fail_msg("\"%s\" is read as %s", bad[i], t.name);
		assert_int_equal(t.chips, 77);
	}
	assert_false(tpu_type_parse(NULL, &(struct tpu_type){0}));
}

static void families_have_one_name(void **state)
{
	assert_string_equal(tpu_family_canonical("v5e"), "v5litepod");
	assert_string_equal(tpu_family_canonical("V5E"), "v5litepod");
	assert_string_equal(tpu_family_canonical("v5litepod"), "v5litepod");
	assert_string_equal(tpu_family_canonical("v6e"), "v6e");
	assert_string_equal(tpu_family_canonical("Ironwood"), "tpu7x");
	assert_string_equal(tpu_family_canonical("v7"), "tpu7x");
	assert_null(tpu_family_canonical("v8"));
	assert_null(tpu_family_canonical("v7x v7"));
	assert_null(tpu_family_canonical("v3-8"));
	assert_null(tpu_family_canonical(""));
	assert_null(tpu_family_canonical(NULL));
}

static void the_family_is_known_even_when_the_size_is_not(void **state)
{
	assert_string_equal(tpu_family_of_type("v3-7"), "v3");
	assert_string_equal(tpu_family_of_type("v5e-16"), "v5litepod");
	assert_string_equal(tpu_family_of_type("v4"), "v4");
	assert_string_equal(tpu_family_of_type("ct5lp-hightpu-9t"), "v5litepod");
	assert_string_equal(tpu_family_of_type("tpu7x-standard-4t"), "tpu7x");
	assert_string_equal(tpu_family_of_type("tpu7x-standard-64t"), "tpu7x");
	assert_null(tpu_family_of_type("tpu9z-standard-4t"));
	/* a class of machines that is not known may count or cost otherwise */
	assert_null(tpu_family_of_type("tpu7x-highmem-4t"));
	assert_null(tpu_family_of_type("n1-standard-8"));
	assert_null(tpu_family_of_type(""));
	assert_null(tpu_family_of_type(NULL));
	assert_null(tpu_family_of_type("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-8"));
}

/* Names of machine types of Compute Engine, and others that are similar. */
static void a_machine_of_an_unknown_family_has_the_chips_of_its_name(void **state)
{
	static const struct {
		const char *type;
		int64_t chips;
		bool unknown;
	} rows[] = {
		{"tpu9z-standard-4t", 4, true},
		{"tpu9z-standard-16t-tpu", 16, true},
		{"ct7-hightpu-8t", 8, true},
		{"tpu7-standard-1t", 1, true},
		{"ct6e-standard-4t", 4, false},
		{"tpu7x-standard-4t", 4, false},
		{"tpu7x-8", 0, false},
		{"tpu9z-8", 0, false}, /* of a machine: its number may count cores */
		{"tpu9z-standard-t", 0, false},
		{"tpu9z-standard-4", 0, false},
		{"tpu9z-standard-4t-lssd", 0, false},
		{"tpu-standard-4t", 0, false},
		{"tpuz-standard-4t", 0, false},
		{"ct-standard-4t", 0, false},
		{"t2d-standard-4", 0, false},
		{"n1-standard-4", 0, false},
		{"c4-standard-4-lssd", 0, false},
		{"custom-4-4096", 0, false},
		{"", 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (tpu_host_chips(rows[i].type) != rows[i].chips ||
			tpu_family_unknown(rows[i].type, "vm") != rows[i].unknown)
			fail_msg("%s has %d chips", rows[i].type,
				(int)tpu_host_chips(rows[i].type));
	assert_true(tpu_family_unknown("tpu9z-8", "tpu"));
	assert_true(tpu_family_unknown("tpu9z-8", "queued"));
	assert_false(tpu_family_unknown("tpu9z-8", "vm"));
	assert_false(tpu_family_unknown("tpu7x-8", "tpu"));
}

static void chips_become_the_slice_of_that_many(void **state)
{
	char buf[TPU_NAME_BUF];

	assert_string_equal(tpu_slice_name("v4", 32, buf), "v4-64");
	assert_string_equal(tpu_slice_name("v3", 4, buf), "v3-8");
	assert_string_equal(tpu_slice_name("v5litepod", 64, buf), "v5litepod-64");
	assert_string_equal(tpu_slice_name("v6e", 64, buf), "v6e-64");
	assert_string_equal(tpu_slice_name("v5p", 6144, buf), "v5p-12288");
	assert_string_equal(tpu_slice_name("tpu7x", 64, buf), "tpu7x-128");
	assert_int_equal(tpu_cores_per_chip("tpu7x"), 2);
	assert_int_equal(tpu_cores_per_chip("v5p"), 2);
	assert_int_equal(tpu_cores_per_chip("v6e"), 1);
	assert_int_equal(tpu_cores_per_chip("v9"), 1);
	assert_int_equal(tpu_cores_per_chip(NULL), 1);
}

#define IMAGE                                                     \
	" --maintenance-policy=TERMINATE"                         \
	" --image-family=ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e" \
	" --image-project=ubuntu-os-accelerator-images"           \
	" --scopes=cloud-platform --boot-disk-size=100GB --boot-disk-type="
#define ONE "gcloud compute instances create t --machine-type="
#define POLICY                                                      \
	"gcloud compute resource-policies create workload-policy t" \
	" --type=HIGH_THROUGHPUT --accelerator-topology="
#define TEMPLATE                                                                         \
	" --region=us-east5 --project=lab && gcloud compute instance-templates create t" \
	" --machine-type="
#define GROUP                                                                             \
	" --project=lab && gcloud compute instance-groups managed create t --template=t " \
	"--size="
#define BIND " --workload-policy=projects/lab/regions/us-east5/resourcePolicies/t" AT
#define AT " --zone=us-east5-a --project=lab"
#define KEEP " --default-action-on-vm-failure=do-nothing"
#define FLEX(hours)                                                  \
	" --provisioning-model=FLEX_START --max-run-duration=" hours \
	" --instance-termination-action=DELETE"

static void a_tpu_has_a_create_command_on_compute_engine(void **state)
{
	static const struct {
		const char *type, *topology, *class;
		int64_t run_limit;
		const char *command;
	} rows[] = {
		{"v6e-1", "1x1", "on-demand", 0,
			ONE "ct6e-standard-1t --provisioning-model=STANDARD" IMAGE
			    "hyperdisk-balanced" AT},
		{"V6E-8", NULL, "spot", 0,
			ONE "ct6e-standard-8t --provisioning-model=SPOT" IMAGE
			    "hyperdisk-balanced" AT},
		{"v5p-8", "2x2x1", "flex-start", 4 * 3600 - 1,
			ONE "ct5p-hightpu-4t" FLEX(
				"4h") " --request-valid-for-duration=2h" IMAGE
				      "pd-balanced" AT},
		{"v6e-4", "2x2", "reserved", 0,
			ONE
			"ct6e-standard-4t --provisioning-model=RESERVATION_BOUND"
			" --instance-termination-action=DELETE"
			" --reservation-affinity=specific --reservation=RESERVATION" IMAGE
			"hyperdisk-balanced" AT
			" # RESERVATION: the name of the reservation"},
		{"v6e-16", "4x4", "spot", 0,
			POLICY "4x4" TEMPLATE
			       "ct6e-standard-4t --provisioning-model=SPOT" IMAGE
			       "hyperdisk-balanced" GROUP "4" KEEP BIND},
		{"v5p-32", NULL, "flex-start", 0,
			POLICY "2x2x4" TEMPLATE "ct5p-hightpu-4t" FLEX("168h") IMAGE
			"pd-balanced" GROUP "4" KEEP
			" --target-size-policy-mode=bulk" BIND},
		{"v6e-32", NULL, "on-demand", 0,
			POLICY "4x8" TEMPLATE
			       "ct6e-standard-4t --provisioning-model=STANDARD" IMAGE
			       "hyperdisk-balanced" GROUP "8" KEEP BIND},
		{"v5p-1536", "8x8x12", "on-demand", 0,
			POLICY "8x8x12" TEMPLATE
			       "ct5p-hightpu-4t --provisioning-model=STANDARD" IMAGE
			       "pd-balanced" GROUP "192" KEEP BIND},
		{"v5p-1536", NULL, "on-demand", 0, NULL}, /* several shapes */
		{"v6e-16", "2x4", "spot", 0, NULL},       /* of another size */
		{"v6e-16", "4x4;id", "spot", 0, NULL},
		{"v6e-1", NULL, "unknown", 0, NULL},
		{"v6e-1", NULL, NULL, 0, NULL},
		{"v6e-3", NULL, "spot", 0, NULL},
		{"v5litepod-4", "2x2", "spot", 0, NULL},
		{"v4-8", "2x2x1", "spot", 0, NULL},
		{"v9-8", NULL, "spot", 0, NULL},
		{NULL, NULL, "spot", 0, NULL},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tpu_order o = {.project = "lab",
			.zone = "us-east5-a",
			.name = "t",
			.type = rows[i].type,
			.topology = rows[i].topology,
			.provisioning = rows[i].class,
			.run_limit = rows[i].run_limit};
		const char *got = tpu_create_command(&o, &a);

		if (!got != !rows[i].command || (got && strcmp(got, rows[i].command) != 0))
			fail_msg("%s: %s", rows[i].type, got ? got : "no command");
	}
	assert_string_equal(tpu_direct_machine("v5p-3"), "ct5p-hightpu");
	assert_null(tpu_direct_machine("v5e-8"));
	assert_null(tpu_direct_machine(NULL));
	arena_done(&a);
}

static void a_quota_is_known_by_its_name(void **state)
{
	static const struct {
		const char *id, *metric, *dimensions, *want; /* NULL: it is none of TPUs */
	} rows[] = {
		{"", "CPUS", "{}", NULL},
		{"CPUS-per-project-region", "compute.googleapis.com/cpus", "{}", NULL},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "{\"tpu_family\":\"CT6E\"}",
			"v6e ct6e TPUS-PER-TPU-FAMILY"},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "{\"tpu_family\":\"TPU7X\"}",
			"tpu7x tpu7x TPUS-PER-TPU-FAMILY"},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "{\"tpu_family\":\"CT3P\"}",
			"v3 ct3p TPUS-PER-TPU-FAMILY"},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "{\"tpu_family\":\"CT9\"}",
			"- ct9 TPUS-PER-TPU-FAMILY"},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "{}",
			"- - TPUS-PER-TPU-FAMILY"},
		{"TPUS-PER-TPU-FAMILY-per-project-region", "", "no JSON",
			"- - TPUS-PER-TPU-FAMILY"},
		{"PREEMPTIBLE-TPU-LITE-PODSLICE-V5-per-project-zone", "", "{}",
			"v5litepod ct5lp PREEMPTIBLE-TPU-LITE-PODSLICE-V5 spot"},
		{"TPU-LITE-DEVICE-V5-per-project-region", "", "{}",
			"v5litepod ct5l TPU-LITE-DEVICE-V5"},
		{"TPU-V5P-per-project-zone", "", "{}", "v5p ct5p TPU-V5P"},
		{"", "PREEMPTIBLE_TPU_V6E", "{}", "v6e ct6e PREEMPTIBLE-TPU-V6E spot"},
		{"%2Fproject%2Fregion", "compute.googleapis.com/preemptible_tpu_v6e", "{}",
			"v6e ct6e PREEMPTIBLE-TPU-V6E spot"},
		{"PREEMPTIBLE-TPU7X-per-project-region", "", "{}",
			"tpu7x tpu7x PREEMPTIBLE-TPU7X spot"},
		{"TPU-V9-per-project-region", "", "{}", NULL},
		{"COMMITTED-TPU-V6E-per-project-region", "", "{}", NULL},
		{"TPU-V6", "", "{}", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tpu_quota_names names = {.service = "compute.googleapis.com",
			.quota_id = rows[i].id,
			.metric = rows[i].metric,
			.dimensions = rows[i].dimensions};
		cleanup(arena_done) struct arena a = {0};
		struct tpu_quota q = {0};
		const char *got = NULL;

		if (tpu_quota_read(&names, &a, &q))
			got = arena_printf(&a, "%s %s %s%s", q.family ? q.family : "-",
				q.series ? q.series : "-", q.name, q.spot ? " spot" : "");
		if (!str_eq(got, rows[i].want))
			fail_msg("%s %s: %s", rows[i].id, rows[i].metric, got);
		names.service = "tpu.googleapis.com";
		assert_true(!tpu_quota_read(&names, &a, &q) || !q.compute);
	}
}

/* A quota under that name counts the type, and is of that class. */
static void the_quota_of_a_machine_has_a_name(void **state)
{
	static const struct {
		const char *type, *on_demand, *spot;
	} rows[] = {
		{"ct3-hightpu-4t", "tpus_per_tpu_family", NULL},
		{"ct3p-hightpu-4t", "tpus_per_tpu_family", NULL},
		{"ct4p-hightpu-4t", "tpu_podslice_v4", "preemptible_tpu_podslice_v4"},
		{"ct5l-hightpu-8t", "tpu_lite_device_v5", "preemptible_tpu_lite_device_v5"},
		{"ct5lp-hightpu-1t", "tpu_lite_podslice_v5",
			"preemptible_tpu_lite_podslice_v5"},
		{"ct5p-hightpu-4t", "tpu_v5p", "preemptible_tpu_v5p"},
		{"ct6e-standard-8t", "tpus_per_tpu_family", "preemptible_tpu_v6e"},
		{"4 x ct6e-standard-4t", "tpus_per_tpu_family", "preemptible_tpu_v6e"},
		{"tpu7x-ultranet-4t-tpu", "tpus_per_tpu_family", "preemptible_tpu7x"},
		{"tpu9z-standard-4t", NULL, NULL},
		{"v6e-8", NULL, NULL},
		{"n1-standard-8", NULL, NULL},
		{"", NULL, NULL},
	};
	cleanup(arena_done) struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int spot = 0; spot < 2; spot++) {
			const char *got = tpu_quota_metric(rows[i].type, spot, &a);
			struct tpu_quota_names names = {.service = "compute.googleapis.com",
				.quota_id = "",
				.metric = got,
				.dimensions = "{}"};
			struct tpu_quota q;

			if (!str_eq(got, spot ? rows[i].spot : rows[i].on_demand))
				fail_msg("%s %d: %s", rows[i].type, spot, got);
			if (!got)
				continue;
			assert_true(tpu_quota_read(&names, &a, &q));
			assert_int_equal(q.spot, spot);
			if (strcmp(got, "tpus_per_tpu_family") != 0)
				assert_true(tpu_quota_counts(&q, rows[i].type));
		}
}

static void a_quota_counts_the_types_it_is_for(void **state)
{
	const struct tpu_quota lite = {.compute = true, .series = "ct5l"};
	const struct tpu_quota all = {.compute = true}; /* of an unstated family */
	const struct tpu_quota pods = {.family = "v3", .part = TPU_QUOTA_PODS};
	const struct tpu_quota devices = {.family = "v3", .part = TPU_QUOTA_DEVICES};
	const struct tpu_quota api = {.family = "v5litepod"};

	assert_true(tpu_quota_counts(&lite, "ct5l-hightpu-4t"));
	assert_true(tpu_quota_counts(&lite, "2 x ct5l-hightpu-4t"));
	assert_false(tpu_quota_counts(&lite, "ct5lp-hightpu-4t"));
	assert_false(tpu_quota_counts(&lite, "v5litepod-4"));
	assert_false(tpu_quota_counts(&all, "ct5l-hightpu-4t"));
	assert_true(tpu_quota_counts(&pods, "v3-32"));
	assert_false(tpu_quota_counts(&pods, "v3-8"));
	assert_true(tpu_quota_counts(&devices, "v3-8"));
	assert_false(tpu_quota_counts(&devices, "v3-32"));
	assert_false(tpu_quota_counts(&devices, "v2-8"));
	assert_true(tpu_quota_counts(&api, "v5litepod-16"));
	assert_false(tpu_quota_counts(&api, "ct5lp-hightpu-4t"));
}

static void a_family_has_its_words_and_units_in_prices(void **state)
{
	static const struct {
		const char *text, *family;
	} rows[] = {{"V5ePod", "v5litepod"}, {"v5litepod", "v5litepod"},
		{"TpuV6e r", "v6e"}, {"tpu7x running", "tpu7x"}, {"v7x", "tpu7x"},
		{"V2 pod", "v2"}, {"v20", NULL}, {"tpuv99", NULL}, {"tpu9z", NULL},
		{"v5", NULL}, {"tpu", NULL}, {"tputpu", NULL}, {"", NULL}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!str_eq(tpu_sku_family(rows[i].text), rows[i].family))
			fail_msg("%s: %s", rows[i].text, tpu_sku_family(rows[i].text));
	assert_int_equal(tpu_sku_unit("v4"), 4);
	assert_int_equal(tpu_sku_unit("v5p"), 1);
	assert_true(tpu_has_devices("v3"));
	assert_false(tpu_has_devices("v4"));
}

static void a_zone_has_devices_or_slices_of_families(void **state)
{
	const struct tpu_place *p;
	int devices = 0, slices = 0, v6e = 0;

	for (size_t i = 0; (p = tpu_zone_at(i)); i++) {
		assert_string_equal(tpu_family_canonical(p->family), p->family);
		assert_true(p->devices || p->slices);
		assert_true(!p->devices || tpu_has_devices(p->family));
		if (!strcmp(p->family, "v2") && !strcmp(p->zone, "us-central1-f"))
			devices = p->devices && !p->slices;
		if (!strcmp(p->family, "v2") && !strcmp(p->zone, "us-central1-a"))
			slices = p->slices && !p->devices;
		v6e += !strcmp(p->family, "v6e") && !strcmp(p->zone, "us-south1-ai1b");
	}
	assert_true(devices && slices && v6e == 1);
}

static void a_series_has_a_smallest_machine(void **state)
{
	static const struct {
		const char *series, *type;
	} rows[] = {{"ct6e", "ct6e-standard-1t"}, {"ct5lp", "ct5lp-hightpu-1t"},
		{"ct3p", "ct3p-hightpu-4t"}, {"tpu7x", "tpu7x-standard-1t"}, {"ct9z", NULL},
		{"ct5", NULL}, {"", NULL}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tpu_type t;
		bool found = tpu_series_host(rows[i].series, &t);

		assert_int_equal(found, rows[i].type != NULL);
		if (found)
			assert_string_equal(t.name, rows[i].type);
	}
}

static void the_nearest_type_has_the_nearest_size(void **state)
{
	static const struct {
		const char *type, *near;
	} rows[] = {{"v6e-7", "v6e-8"}, {"v2-7", "v2-8"}, {"v5e-0", "v5litepod-1"},
		{"v4-100", "v4-128"}, {"v3-9", "v3-8"}, {"v6e-999999", "v6e-524288"},
		{"v38", "v3-8"}, {"v6e--8", "v6e-8"}};
	char buf[TPU_NAME_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!str_eq(tpu_type_nearest(rows[i].type, buf), rows[i].near))
			fail_msg("%s: %s", rows[i].type, buf);
	assert_null(tpu_type_nearest("n1-standard-96", buf));
}

static void shapes_are_named_for_messages(void **state)
{
	static const struct {
		const char *type, *shapes;
	} rows[] = {{"v5p",
			    "one of 1x1x1 2x2x1 2x2x2 2x2x4 2x4x4 or three multiples of 4, "
			    "such as 4x4x8"},
		{"3 x ct6e-standard-4t", "one of 2x2 2x4 4x4 4x8 8x8 8x16 16x16"},
		{"ct6e-standard-8t", "one of 2x4 4x4 4x8 8x8 8x16 16x16"},
		{"tpu9z-standard-4t", "a shape such as 4x4 or 2x2x2"},
		{"", "a shape such as 4x4 or 2x2x2"}};
	cleanup(arena_done) struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(tpu_topologies(rows[i].type, &a), rows[i].shapes);
	assert_true(tpu_is_in_api("v6e"));
	assert_false(tpu_is_in_api("tpu7x"));
}

static void a_topology_is_one_of_its_family(void **state)
{
	static const struct {
		const char *type, *topology;
		bool valid;
	} rows[] = {
		{"ct6e-standard-4t", "4x4", true},
		{"ct6e-standard-4t", "16x16", true},
		{"ct6e-standard-4t", "4x5", false},
		{"ct6e-standard-4t", "8x4", false},
		{"ct6e-standard-4t", "2x2x2", false},
		{"16 x ct6e-standard-4t", "8x8", true},
		{"v5e", "8X16", true},
		{"v5litepod", "32x32", false},
		{"v3", "32x32", true},
		{"tpu7x-standard-4t", "2x2x1", true},
		{"tpu7x-standard-4t", "2x4x4", true},
		{"tpu7x-standard-4t", "4x4x4", true},
		{"tpu7x-standard-4t", "8x16x16", true},
		{"tpu7x-standard-4t", "4x4x6", false},
		{"tpu7x-standard-4t", "4x4", false},
		{"v5p", "16x16x24", true},
		{"v4", "4x4x4x4", false},
		{"v4", "4x4xx4", false},
		{"v4", "4x4x", false},
		{"tpu9z-standard-4t", "3x3x3", true}, /* of an unknown family */
		{"tpu9z-standard-4t", "many", false},
		{NULL, "4x8", true},
		{NULL, "2x2x4", true},
		{NULL, "4x5", false},
		{NULL, "", false},
		{NULL, "0x4", false},
		{NULL, "11111111111111111111111111111111111x1", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (tpu_topology_valid(rows[i].type, rows[i].topology) != rows[i].valid)
			fail_msg("%s %s", rows[i].type, rows[i].topology);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_is_one_of_its_family),
		cmocka_unit_test(every_type_has_its_chips_cores_and_hosts),
		cmocka_unit_test(a_type_that_does_not_exist_has_no_size),
		cmocka_unit_test(families_have_one_name),
		cmocka_unit_test(a_quota_is_known_by_its_name),
		cmocka_unit_test(the_quota_of_a_machine_has_a_name),
		cmocka_unit_test(a_quota_counts_the_types_it_is_for),
		cmocka_unit_test(a_family_has_its_words_and_units_in_prices),
		cmocka_unit_test(a_zone_has_devices_or_slices_of_families),
		cmocka_unit_test(a_series_has_a_smallest_machine),
		cmocka_unit_test(the_nearest_type_has_the_nearest_size),
		cmocka_unit_test(shapes_are_named_for_messages),
		cmocka_unit_test(the_family_is_known_even_when_the_size_is_not),
		cmocka_unit_test(a_machine_of_an_unknown_family_has_the_chips_of_its_name),
		cmocka_unit_test(chips_become_the_slice_of_that_many),
		cmocka_unit_test(a_tpu_has_a_create_command_on_compute_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
