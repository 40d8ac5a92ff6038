#include "rules/grant/grant.h"
#include "tests/support/unit.h"

#include <string.h>

#define NO_NOTE false
#define NOTE true

struct sample {
	const char *text;
	int64_t count;
	enum grant_unit unit;
	const char *type, *family; /* of the grant; NULL: none */
	int64_t chips;
	const char *provisioning, *zone;
	bool note;
};

#define V3_DEVICES 5, GRANT_DEVICES, "v3-8", "v3", 20, "on-demand", "europe-west4-a"
#define V2_SPOT 100, GRANT_DEVICES, "v2-8", "v2", 400, "spot", "us-central1-f"
#define V4_CHIPS 32, GRANT_CHIPS, NULL, "v4", 32, "on-demand", "us-central2-b"
#define V5E_SPOT 64, GRANT_CHIPS, NULL, "v5litepod", 64, "spot", "europe-west4-b"

static const struct sample samples[] = {
	/* as in the mails */
	{"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"100 preemptible Cloud TPU v2-8 device(s) in zone us-central1-f", V2_SPOT,
		NO_NOTE},
	{"32 on-demand Cloud TPU v4 chips in zone us-central2-b", V4_CHIPS, NO_NOTE},
	{"64 spot Cloud TPU v5e chips in zone europe-west4-b", V5E_SPOT, NO_NOTE},
	{"64 spot Cloud TPU v6e chips in zone us-east1-d", 64, GRANT_CHIPS, NULL, "v6e", 64,
		"spot", "us-east1-d", NO_NOTE},
	{"64 spot Cloud TPU tpu7x chips in zone us-central1-c", 64, GRANT_CHIPS, NULL,
		"tpu7x", 64, "spot", "us-central1-c", NO_NOTE},
	{"64 flex-start Cloud TPU v6e chips in zone us-east1-d", 64, GRANT_CHIPS, NULL,
		"v6e", 64, "flex-start", "us-east1-d", NO_NOTE},
	{"2 on-demand Cloud TPU tpu7x-8 device(s) in zone us-central1-c", 2, GRANT_DEVICES,
		"tpu7x-8", "tpu7x", 8, "on-demand", "us-central1-c", NO_NOTE},
	/* list marks, quotes, emphasis, blanks */
	{"* 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"- 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"- - 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"1. 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"  2) 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", V3_DEVICES,
		NO_NOTE},
	{"> **5 on-demand Cloud TPU v3-8 device(s)** in zone **europe-west4-a**",
		V3_DEVICES, NO_NOTE},
	{"\xe2\x80\xa2 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a.",
		V3_DEVICES, NO_NOTE},
	{"# 64 spot Cloud TPU v5e chips in zone europe-west4-b", V5E_SPOT, NO_NOTE},
	{"    5\ton-demand  Cloud TPU v3-8 device(s) in zone europe-west4-a \r\n",
		V3_DEVICES, NO_NOTE},
	{"<li>5 on-demand Cloud&nbsp;TPU <b>v3-8</b> device(s) in zone "
	 "europe-west4-a</li>",
		V3_DEVICES, NO_NOTE},
	{"5\xc2\xa0on\xe2\x80\x91"
	 "demand Cloud TPU v3\xe2\x80\x93"
	 "8 device(s) in zone "
	 "europe\xe2\x80\x91west4\xe2\x80\x91"
	 "a",
		V3_DEVICES, NO_NOTE},
	{"\xef\xbb\xbf"
	 "5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		V3_DEVICES, NO_NOTE},
	{"5 on-demand Cloud TPU v3-8 device(s) in zone "
	 "[europe-west4-a](https://notifications.google.com/g/p/AB-cd_1)",
		V3_DEVICES, NO_NOTE},
	/* case, order, other words for the same */
	{"5 ON-DEMAND CLOUD TPU V3-8 DEVICES IN ZONE EUROPE-WEST4-A", V3_DEVICES, NO_NOTE},
	{"5 On Demand TPU v3-8 device in europe-west4-a", V3_DEVICES, NO_NOTE},
	{"5 x ondemand v3-8 devices in the zone europe-west4-a", V3_DEVICES, NO_NOTE},
	{"5x on-demand Google Cloud TPU v3-8 devices, zone: `europe-west4-a`", V3_DEVICES,
		NO_NOTE},
	{"5 \xc3\x97 on-demand v3-8 devices in europe-west4-a", V3_DEVICES, NO_NOTE},
	{"5 on-demand TPUs of type v3-8 in zone europe-west4-a", V3_DEVICES, NOTE},
	{"100 pre-emptible Cloud TPUs v2-8 device(s) in zone us-central1-f", V2_SPOT,
		NO_NOTE},
	{"100 spot tpu-v2-8 devices us-central1-f", V2_SPOT, NO_NOTE},
	{"| 32 chips | Cloud TPU v4 | us-central2-b | on-demand |", V4_CHIPS, NO_NOTE},
	{"32 on-demand TPUv4 chips in \"us-central2-b\"", V4_CHIPS, NO_NOTE},
	{"64 TPU v5e chips in zone europe-west4-b (preemptible)", V5E_SPOT, NO_NOTE},
	{"64 spot Cloud TPU v5litepod chips in zone europe-west4-b", V5E_SPOT, NO_NOTE},
	/* units */
	{"64 on-demand Cloud TPU v4 cores in zone us-central2-b", 64, GRANT_CORES, NULL,
		"v4", 32, "on-demand", "us-central2-b", NO_NOTE},
	{"64 TPU v5e cores in zone europe-west4-b (preemptible)", 64, GRANT_CORES, NULL,
		"v5litepod", 64, "spot", "europe-west4-b", NOTE},
	{"1 spot v4 chip in us-central2-b", 1, GRANT_CHIPS, NULL, "v4", 1, "spot",
		"us-central2-b", NO_NOTE},
	{"2 on-demand Cloud TPU v3-32 pod slice(s) in zone europe-west4-a", 2,
		GRANT_DEVICES, "v3-32", "v3", 32, "on-demand", "europe-west4-a", NO_NOTE},
	{"3 spot v5e-16 slices in us-south1-ai1b", 3, GRANT_DEVICES, "v5litepod-16",
		"v5litepod", 48, "spot", "us-south1-ai1b", NO_NOTE},
	{"4 spot Cloud TPU v5p-8 in zone us-east5-a", 4, GRANT_DEVICES, "v5p-8", "v5p", 16,
		"spot", "us-east5-a", NOTE},
	{"2 spot ct5lp-hightpu-4t devices in us-central1-a", 2, GRANT_DEVICES,
		"ct5lp-hightpu-4t", "v5litepod", 8, "spot", "us-central1-a", NO_NOTE},
	{"1,024 spot v6e chips in us-east1-d", 1024, GRANT_CHIPS, NULL, "v6e", 1024, "spot",
		"us-east1-d", NO_NOTE},
	{"1,000,000 spot v6e chips in us-east1-d", 1000000, GRANT_CHIPS, NULL, "v6e",
		1000000, "spot", "us-east1-d", NO_NOTE},
};

static void check_text(
	const char *line, const char *what, const char *got, const char *want)
{
	if ((got == NULL) != (want == NULL) || (got && strcmp(got, want) != 0))
		fail_msg("%s: %s is %s, want %s", line, what, got ? got : "(none)",
			want ? want : "(none)");
}

static void check_sample(const struct sample *s)
{
	cleanup(arena_done) struct arena a = {0};
	struct grant g = {
		.name = "trc", .starts = 7, .until = 9, .type = "old", .note = "old"};
	struct err e = {0};

	if (grant_parse_line(s->text, &a, &g, &e))
		fail_msg("%s: %s", s->text, e.msg);
	assert_int_equal(g.count, s->count);
	assert_int_equal(g.unit, s->unit);
	assert_int_equal(g.chips, s->chips);
	check_text(s->text, "type", g.type, s->type);
	check_text(s->text, "family", g.family, s->family);
	check_text(s->text, "provisioning", g.provisioning, s->provisioning);
	check_text(s->text, "zone", g.zone, s->zone);
	if ((g.note != NULL) != s->note)
		fail_msg("%s: note is %s", s->text, g.note ? g.note : "(none)");
	assert_string_equal(g.name, "trc");
	assert_int_equal(g.starts, 7);
	assert_int_equal(g.until, 9);
}

static void every_wording_of_the_mail_is_read(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++)
		check_sample(&samples[i]);
}

struct refusal {
	const char *text, *because;
};

static const struct refusal refusals[] = {
	{"", "the count is missing"},
	{"   ", "the count is missing"},
	/* something is missing */
	{"on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		"the count is missing"},
	{"5. on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a",
		"the count is missing"},
	{"5 Cloud TPU v3-8 device(s) in zone europe-west4-a",
		"on-demand, spot or preemptible"},
	{"5 on-demand device(s) in zone europe-west4-a", "the TPU type is missing"},
	{"5 on-demand Cloud TPU v3-8 device(s)", "the zone is missing"},
	{"5 on-demand Cloud TPU v3-8 device(s) in europe-west4", "is a region"},
	/* two meanings */
	{"32 spot + 32 on-demand Cloud TPU v4 chips in `us-central2-b`", "'+'"},
	{"32 spot 32 on-demand Cloud TPU v4 chips in us-central2-b", "two counts"},
	{"32 spot on-demand Cloud TPU v4 chips in us-central2-b", "two classes"},
	{"32 spot v4 v5e chips in us-central2-b", "two types"},
	{"32 spot v4 chips in us-central2-b us-central1-a", "two zones"},
	{"32 spot v4 chips cores in us-central2-b", "two units"},
	{"32 on-demand Cloud TPU v4 in zone us-central2-b", "of what"},
	{"v4 Spot us-central2-b 32", "of what"},
	{"5 on-demand Cloud TPU v3 device(s) in zone europe-west4-a", "of which size"},
	{"5 on-demand Cloud TPU v4 pod slices in zone us-central2-b", "of which size"},
	{"64 on-demand Cloud TPU v3-8 chips in zone europe-west4-a", "is ambiguous"},
	{"64 on-demand Cloud TPU v4-64 cores in zone us-central2-b", "is ambiguous"},
	/* unknown words are never skipped */
	{"5 on-demand Cloud TPU v10 chips in zone europe-west4-a", "no TPU type v10"},
	{"5 on-demand Cloud TPU v9x-8 devices in zone europe-west4-a", "no TPU type v9x-8"},
	{"5 on-demand Cloud TPU v3-7 device(s) in zone europe-west4-a", "no TPU type v3-7"},
	{"up to 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "'up'"},
	{"5 reserved Cloud TPU v3-8 device(s) in zone europe-west4-a", "'reserved'"},
	{"5 on Cloud TPU v3-8 device(s) in zone europe-west4-a", "'on'"},
	{"5 Cloud TPU v3-8 device(s) in zone europe-west4-a on", "'on'"},
	{"not 5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "'not'"},
	{"5\xea\xb0\x9c on-demand Cloud TPU v3-8 device in zone europe-west4-a", "count"},
	{"5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a and us-east1-d",
		"'and'"},
	/* counts */
	{"0 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "a count of 0"},
	{"-5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "'-5'"},
	{"05 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "not a count"},
	{"1,02 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "not a count"},
	{"1024,000 spot v6e chips in us-east1-d", "not a count"},
	{"1,0240 spot v6e chips in us-east1-d", "not a count"},
	{"1,024,24 spot v6e chips in us-east1-d", "not a count"},
	{"1,000,000,000,000,000,000 spot v6e chips in us-east1-d", "not a count"},
	{"2.5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a", "not a count"},
	{"1000001 spot v6e chips in us-east1-d", "expected 1 to 1000000"},
	{"99999999999999999999 spot v6e chips in us-east1-d", "not a count"},
	{"33 spot v4 cores in us-central2-b", "not a whole number of v4 chips"},
};

static void a_line_that_may_mean_two_things_is_refused_with_the_reason(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct refusal *r = &refusals[i];
		cleanup(arena_done) struct arena a = {0};
		struct grant g = {.count = 77, .type = "kept", .note = "kept"};
		struct err e = {0};

		if (!grant_parse_line(r->text, &a, &g, &e))
			fail_msg("\"%s\" is read", r->text);
		assert_int_equal(e.code, E_DATA);
		if (!strstr(e.msg, r->because))
			fail_msg("\"%s\": %s, want %s", r->text, e.msg, r->because);
		if (!strstr(e.fix, "5 on-demand Cloud TPU v3-8") &&
			!strstr(e.fix, "did you mean 'v"))
			fail_msg("\"%s\": %s", r->text, e.fix);
		assert_int_equal(g.count, 77);
		assert_string_equal(g.type, "kept");
		assert_string_equal(g.note, "kept");
	}
}

static void a_caller_may_want_the_code_alone(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	struct grant g = {0};

	assert_int_equal(grant_parse_line("nonsense", &a, &g, NULL), E_DATA);
	assert_int_equal(grant_parse_line("5 on-demand", &a, &g, NULL), E_DATA);
	assert_int_equal(
		grant_parse_line("1 spot v4 chip in us-central2-b", &a, &g, NULL), E_OK);
}

static void a_line_without_end_is_refused(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	struct grant g = {0};
	char text[2001];
	struct err e;

	memset(text, '5', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(grant_parse_line(text, &a, &g, &e), E_DATA);
	assert_non_null(strstr(e.msg, "more than"));
}

/* Any bytes at all: refused or read, never a crash (the sanitizers watch). */
static void random_bytes_do_no_harm(void **state)
{
	static const char *const bits[] = {"5", " ", "spot", "v3-8", "us-east1-d", "(s)",
		"<", ">", "\xff", "\xe2\x80", ",", "(", ")", ".", "chips", "on", "demand",
		"1,000", "http://x", "-", "'", "\xf0\x9f\x98\x80", "&nbsp;", "device", "v4",
		"_"};
	uint32_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		cleanup(arena_done) struct arena a = {0};
		struct grant g = {0};
		char text[200] = "";
		size_t len = 0;

		for (int i = 0; i < 14; i++) {
			seed = seed * 1664525 + 1013904223;
			const char *bit = bits[(seed >> 16) % ARRAY_LEN(bits)];

			memcpy(text + len, bit, strlen(bit) + 1);
			len += strlen(bit);
		}
		if (!grant_parse_line(text, &a, &g, NULL)) {
			assert_in_range(g.count, 1, 1000000);
			assert_true(g.chips > 0);
			assert_non_null(g.zone);
			assert_non_null(g.family);
			assert_non_null(grant_describe(&g, &a));
		}
	}
}

static void a_grant_is_described_with_chips_and_slice(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	static const char *const both[][2] = {
		{"5 on-demand v3-8 devices in europe-west4-a",
			"5 on-demand v3-8 devices in europe-west4-a"},
		{"1 spot v2-8 device in us-central1-f",
			"1 spot v2-8 device in us-central1-f"},
		{"32 on-demand v4 chips in us-central2-b",
			"32 on-demand v4 chips (v4-64) in us-central2-b"},
		{"64 on-demand v4 cores in us-central2-b",
			"32 on-demand v4 chips (v4-64) in us-central2-b"},
		{"1 spot v6e chip in us-east1-d", "1 spot v6e chip (v6e-1) in us-east1-d"},
	};

	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		struct grant g = {0};

		assert_int_equal(grant_parse_line(both[i][0], &a, &g, NULL), E_OK);
		assert_string_equal(grant_describe(&g, &a), both[i][1]);
	}
}

static void a_grant_is_found_by_name(void **state)
{
	static const struct grant list[] = {{.name = "a"}, {.name = "b"}, {.name = "b"}};

	assert_int_equal(grant_find(list, 3, "b"), 1);
	assert_int_equal(grant_find(list, 3, "c"), -1);
	assert_int_equal(grant_find(list, 0, "a"), -1);
	assert_int_equal(grant_find(list, 3, NULL), -1);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wording_of_the_mail_is_read),
		cmocka_unit_test(
			a_line_that_may_mean_two_things_is_refused_with_the_reason),
		cmocka_unit_test(a_caller_may_want_the_code_alone),
		cmocka_unit_test(a_line_without_end_is_refused),
		cmocka_unit_test(random_bytes_do_no_harm),
		cmocka_unit_test(a_grant_is_described_with_chips_and_slice),
		cmocka_unit_test(a_grant_is_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
