/* What traffic may cost: places, prices and the two bounds. Prices per GiB stand beside. */
#include "rules/egress.h"

#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */

static struct price_book book;
static struct arena arena;

static int begin(void **state)
{
	price_book_init(&book, NULL, 0);
	return 0;
}

static int end(void **state)
{
	arena_done(&arena);
	return 0;
}

static void price_is(const char *what, const struct price *p, const char *want)
{
	char got[NANOS_BUF] = "unknown", text[NANOS_BUF];

	if (p->known)
		snprintf(got, sizeof(got), "%s", nanos_format(p->nanos, text));
	if (strcmp(got, want) != 0)
		fail_msg("%s: %s, not %s", what, got, want);
}

/* ---- places --------------------------------------------------------------------------- */

static void places_that_are_one(void **state)
{
	assert_true(price_same_place("us-central1", "us-central1"));
	assert_true(price_same_place("nam4", "us-east1"));
	assert_true(price_same_place("europe-west4", "eur4"));
	assert_true(price_same_place("asia1", "asia-northeast2"));
	assert_false(price_same_place("nam4", "us-west1"));
	assert_false(price_same_place("us", "us-central1")); /* paid for since 2026 */
	assert_false(price_same_place("eu", "europe-west4"));
	assert_false(price_same_place("us-central1", "us-central2"));
}

static void transfers_have_the_price_of_their_scope(void **state)
{
	static const struct {
		const char *from, *to, *want;
	} cases[] = {
		{"us-central1", "us", "0.02"},
		{"us-central2", "us-central1", "0.02"},
		{"northamerica-northeast1", "nam4", "0.02"},
		{"europe-west4", "eu", "0.02"},
		{"europe-west4", "eur5", "0.02"},
		{"europe-west4", "eur4", "0"},
		{"europe-west4", "europe-west4", "0"},
		{"us-central1", "europe-west4", "0.05"},
		{"eu", "us-central1", "0.05"},
		{"asia-east1", "asia-northeast1", "0.08"},
		{"asia", "asia-east1", "0.08"},
		{"asia-east1", "us", "0.08"},
		{"europe-north1", "asia-southeast1", "0.08"},
		{"asia-southeast2", "asia-east1", "0.1"},
		{"australia-southeast1", "us", "0.1"},
		{"southamerica-east1", "southamerica-west1", "0.14"},
		/* what the list does not tell */
		{"southamerica-east1", "us", "unknown"},
		{"northamerica-south1", "us", "unknown"},
		{"me-west1", "europe-west4", "unknown"},
		{"africa-south1", "africa-south2", "unknown"},
		{"us-central1", "moon", "unknown"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct price p = price_transfer(&book, cases[i].from, cases[i].to, GIB);
		struct price back = price_transfer(&book, cases[i].to, cases[i].from, GIB);

		price_is(cases[i].to, &p, cases[i].want);
		price_is(cases[i].from, &back, cases[i].want);
	}
	assert_false(price_transfer(&book, "us-central1", "us", -1).known);
	assert_false(price_transfer(&book, NULL, "us", 1).known);
}

static void leaving_google_has_the_price_of_the_region(void **state)
{
	struct price p = price_internet(&book, "us-central1", GIB);

	price_is("us-central1", &p, "0.12");
	assert_string_equal(p.cur, "USD");
	p = price_internet(&book, "us-central2", 10 * GIB); /* as us-central1 */
	price_is("us-central2", &p, "1.2");
	p = price_internet(&book, "southamerica-east1", GIB);
	price_is("southamerica-east1", &p, "0.19");
	p = price_internet(&book, "us-central1", 1); /* 0.12 / 2^30 = 0.11 nano-dollars */
	price_is("a byte", &p, "0");
	p = price_internet(&book, "us-central1", 0); /* nothing costs nothing */
	price_is("no byte", &p, "0");
	p = price_internet(&book, "us-central1", 9); /* 1.006 */
	price_is("nine bytes", &p, "0.000000001");
	/* its tiers are in doubt */
	assert_false(price_internet(&book, "asia-northeast1", GIB).known);
	assert_false(price_internet(&book, "nowhere1", GIB).known);
	assert_false(price_internet(&book, "us-central1", -1).known);
	assert_false(price_internet(&book, NULL, GIB).known);
}

static void operations_have_a_price_where_a_list_has_one(void **state)
{
	struct price p = price_operations(&book, "standard", "us-central1", "A", 1000);

	price_is("writes, lists, copies", &p, "0.005");
	assert_string_equal(p.as_of, "2026-09-20");
	p = price_operations(&book, "standard", "us-central1", "B", 2500);
	price_is("reads", &p, "0.001");
	p = price_operations(&book, "nearline", "us-central1", "B", 0);
	price_is("none", &p, "0");
	p = price_operations(&book, "nearline", "us-central1", "B", 1);
	price_is("another class of storage", &p, "unknown");
	p = price_operations(&book, "standard", "us", "B", 1);
	price_is("a multi-region", &p, "unknown");
	p = price_operations(&book, "standard", "nam4", "A", 1);
	price_is("a dual-region", &p, "unknown");
	p = price_operations(&book, "standard", "us-central1", "C", 1);
	price_is("another class", &p, "unknown");
	p = price_operations(&book, NULL, "us-central1", "A", 1);
	price_is("unknown storage", &p, "unknown");
}

/* ---- bounds --------------------------------------------------------------------------- */

struct estimated {
	bool far_only;
	const char *far_buckets, *path;
	struct price low, high;
};

static struct estimated estimate(const char *region, const struct place_of_bucket *v,
	size_t n, int64_t out, int64_t in)
{
	struct traffic t = {.sent = out, .received = in};
	struct surroundings s = egress_look(&book, region, v, n, &arena);
	struct egress x = egress_estimate(&s, &t);

	return (struct estimated){
		s.far_only, s.far_buckets, egress_path(&s), x.low, x.high};
}

static void without_far_buckets_it_may_be_free(void **state)
{
	static const struct place_of_bucket near[] = {{"a", "us-central1"}, {"b", "nam4"}};
	struct estimated x = estimate("us-central1", near, 2, GIB / 4, GIB);

	assert_false(x.far_only);
	assert_null(x.far_buckets);
	assert_string_equal(x.path, "unknown");
	price_is("low", &x.low, "0");
	/* a quarter GiB/s: 900 GiB an hour x 0.12; what comes in is free */
	price_is("high", &x.high, "108");
	x = estimate("us-central1", NULL, 0, 0, GIB);
	price_is("low", &x.low, "0");
	price_is("high", &x.high, "0");
}

static void with_far_buckets_only_both_ways_are_charged(void **state)
{
	static const struct place_of_bucket far[] = {{"a", "us"}, {"b", "europe-west4"}};
	struct estimated x = estimate("us-central1", far, 2, GIB / 4, GIB / 2);

	assert_true(x.far_only);
	assert_string_equal(x.far_buckets, "a (us), b (europe-west4)");
	assert_string_equal(x.path, "inter-region");
	/* 900 and 1800 GiB an hour: all at 0.02 to and from the cheapest */
	price_is("low", &x.low, "54");
	/* 900 x 0.12 to the internet, 1800 x 0.05 from Europe */
	price_is("high", &x.high, "198");
	assert_string_equal(x.high.cur, "USD");
	x = estimate("us-central1", far, 2, 0, 0);
	price_is("nothing, low", &x.low, "0");
	price_is("nothing, high", &x.high, "0");
}

static void a_near_bucket_makes_it_doubtful(void **state)
{
	static const struct place_of_bucket both[] = {{"a", "us"}, {"b", "us-central1"}};
	struct estimated x = estimate("us-central1", both, 2, 0, GIB / 4);

	assert_false(x.far_only);
	assert_string_equal(x.far_buckets, "a (us)");
	price_is("low", &x.low, "0");
	price_is("high", &x.high, "18"); /* 900 x 0.02 */
}

/* Sent to a bucket in Australia it would cost less than on the internet; from there it is 0.1. */
static void the_dearer_way_is_the_bound(void **state)
{
	static const struct place_of_bucket far[] = {{"a", "australia-southeast1"}};
	struct estimated x = estimate("northamerica-northeast1", far, 1, GIB / 4, GIB / 4);

	price_is("low", &x.low, "180");   /* 1800 x 0.1 */
	price_is("high", &x.high, "198"); /* 900 x 0.12 + 900 x 0.1 */
}

static void what_has_no_price_is_not_known(void **state)
{
	static const struct place_of_bucket far[] = {{"a", "us"}, {"b", "me-west1"}};
	struct estimated x = estimate("us-central1", far, 2, GIB, 0);

	assert_true(x.far_only);
	price_is("low", &x.low, "unknown"); /* the other one may be nearer */
	price_is("high", &x.high, "unknown");
	x = estimate("asia-northeast1", NULL, 0, GIB, 0);
	price_is("low", &x.low, "0");
	price_is("high", &x.high, "unknown");
	/* what is not sent needs no price */
	x = estimate("asia-northeast1", far, 1, 0, GIB / 4);
	price_is("high", &x.high, "72"); /* 900 x 0.08 */
	x = estimate(NULL, NULL, 0, 1, 1);
	assert_false(x.low.known || x.high.known);
	x = estimate("us-central1", NULL, 0, INT64_MAX, 1);
	assert_false(x.low.known || x.high.known);
	x = estimate("us-central1", NULL, 0, -1, 1);
	assert_false(x.low.known || x.high.known);
}

/* Of 0.5 GiB/s: a quarter stays in the region, an eighth goes to Europe, the rest is not known to be priced. */
static void a_part_with_a_destination_has_its_price(void **state)
{
	struct flow_part v[] = {{.place = "us-central1",
					.rate = GIB / 8,
					.price = price_free,
					.within = true},
		{.place = "europe-west4",
			.rate = GIB / 16,
			.price = price_transfer(&book, "us-central1", "europe-west4", GIB)},
		{.place = "external", .rate = GIB / 4, .price = price_unknown}};
	struct traffic t = {.to = {.v = v, .n = ARRAY_LEN(v)}};
	struct surroundings s = egress_look(&book, "us-central1", NULL, 0, &arena);
	struct egress x;

	t.sent = egress_leaving(&t.to, GIB / 2, false);
	assert_i64_eq(t.sent, GIB / 2 - GIB / 8);
	x = egress_estimate(&s, &t);
	price_is("low", &x.low, "11.25");    /* 225 GiB an hour x 0.05 */
	price_is("high", &x.high, "146.25"); /* and (1800 - 450 - 225) x 0.12 */
	v[1].price = price_unknown;
	x = egress_estimate(&s, &t);
	price_is("low", &x.low, "0");
	price_is("high", &x.high, "162"); /* (1800 - 450) x 0.12 */
	/* the counters are of other minutes: what flows elsewhere is not less */
	v[0].rate = GIB;
	assert_i64_eq(egress_leaving(&t.to, GIB / 2, false), GIB / 16 + GIB / 4);
	v[1].hour = GIB;
	assert_i64_eq(egress_leaving(&t.to, 5, true), GIB);
	assert_i64_eq(egress_leaving(&(struct flow_parts){0}, 5, true), 5);
}

static void long_lists_are_counted(void **state)
{
	static const struct place_of_bucket far[] = {{"a", "us"}, {"b", "us"},
		{"n", "us-east1"}, {"c", "us"}, {"d", "us"}, {"e", "us"}, {"f", "us"},
		{"g", "us"}};
	struct estimated x = estimate("us-east1", far, ARRAY_LEN(far), 1, 1);

	assert_string_equal(
		x.far_buckets, "a (us), b (us), c (us), d (us), e (us) and 2 more");
}

static void low_is_never_above_high(void **state)
{
	static const char *const places[] = {"us-central1", "us", "europe-west4", "eu",
		"asia", "asia-east1", "australia-southeast1", "southamerica-east1", "nam4",
		"me-west1"};
	unsigned seed = 7;

	for (int i = 0; i < 5000; i++) {
		struct place_of_bucket v[3];
		size_t n;
		struct estimated x;

		seed = seed * 1103515245u + 12345u;
		n = seed >> 16 & 3;
		for (size_t k = 0; k < n; k++) {
			seed = seed * 1103515245u + 12345u;
			v[k] = (struct place_of_bucket){
				"b", places[(seed >> 16) % ARRAY_LEN(places)]};
		}
		x = estimate(places[(seed >> 8) % ARRAY_LEN(places)], v, n, seed >> 4,
			(seed >> 3) % 1000000);
		if (x.low.known && x.high.known)
			assert_true(x.low.nanos <= x.high.nanos);
		assert_int_equal(x.far_only && !x.far_buckets, 0);
	}
}

/* ---- the view ------------------------------------------------------------------------- */

static struct tempdb t;
static struct tz *tz;

static int open_db(void **state)
{
	struct err e = {0};

	assert_ok(tz_open("UTC", &tz, &e), e);
	tempdb_open(&t, NOW);
	tempdb_exec(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, "
		"name, state, raw_state, type, hosts, labels, created, first_seen, "
		"last_seen, "
		"complete) VALUES ('p/tpu/us-central2-b/t', '1', 'tpu', 'tpu', 'p', "
		"'us-central2-b', 'us-central2-b', 'us-central2', 't', 'running', 'READY', "
		"'v4-16', 2, '{}', 1795100000, 1, 1, 1); "
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, "
		"raw_state, labels, first_seen, last_seen, complete) VALUES "
		"('p/bucket/us/data', 'data', 'bucket', 'bucket', 'p', 'us', 'data', "
		"'running', 'multi-region', '{}', 1, 1, 1), "
		"('q/bucket/us-central2/near', 'near', 'bucket', 'bucket', 'q', "
		"'us-central2', 'near', 'running', 'region', '{}', 1, 1, 1); "
		"INSERT INTO metric (project, metric, subject, at, value, idle_since, "
		"series, "
		"peak, bytes, seconds) VALUES ('p', 'tpu.googleapis.com/network/"
		"received_bytes_count', 'us-central2-b/t', 1795237200 - 330, 1048576, "
		"NULL, 1, "
		"2097152, 1073741824, 1800)");
	return 0;
}

static int close_db(void **state)
{
	tempdb_close(&t);
	tz_free(tz);
	return 0;
}

static void row_is(const char *want)
{
	struct settings settings = {.tz = tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	char got[512];

	assert_ok(derive(t.db, &o, &e), e);
	tempdb_text(&t,
		"SELECT COALESCE((SELECT COALESCE(sent_bytes_per_second, '-') || ' ' || "
		"received_bytes_per_second || ' ' || received_peak_bytes_per_second || ' ' "
		"|| "
		"received_gib_last_hour || ' ' || gib_last_hour || ' ' || path || ' ' || "
		"estimated_low_per_hour || ' ' || estimated_high_per_hour || ' ' || "
		"currency "
		"|| ' ' || age_minutes || ' ' || certain FROM egress), 'none')",
		got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("got %s\nwant %s", got, want);
}

/* 1 MiB/s = 3.515625 GiB an hour; x 0.02 = 0.0703125 from the multi-region. */
static void what_a_tpu_reads_from_far_counts(void **state)
{
	char basis[512];

	row_is("- 1048576 2097152 1.0 1.0 inter-region 0.0703125 0.0703125 USD 5.5 0");
	tempdb_text(&t, "SELECT basis FROM egress", basis, sizeof(basis));
	assert_string_equal(basis,
		"receives 1.0 MiB/s (1 of 2 workers reported); every known bucket of p is "
		"elsewhere: "
		"data (us), whose traffic is not known; where the bytes go is not "
		"measured: an estimate at list "
		"prices");
	/* with a bucket in its region it may be free, and does not count */
	tempdb_exec(&t,
		"UPDATE resource SET project = 'p', id = 'p/bucket/us-central2/near' "
		"WHERE project = 'q'");
	row_is("- 1048576 2097152 1.0 0.0 unknown 0.0 0.0703125 USD 5.5 0");
	tempdb_exec(&t, "DELETE FROM resource WHERE kind = 'bucket'");
	row_is("- 1048576 2097152 1.0 0.0 unknown 0.0 0.0 USD 5.5 0");
}

static void old_counters_are_no_rate_of_now(void **state)
{
	tempdb_exec(&t, "UPDATE metric SET at = 1795237200 - 1801");
	row_is("none");
	tempdb_exec(&t, "UPDATE metric SET at = 1795237200 - 1800");
	row_is("- 1048576 2097152 1.0 1.0 inter-region 0.0703125 0.0703125 USD 30.0 0");
	/* nor are those of its predecessor, or of what does not run */
	tempdb_exec(&t, "UPDATE resource SET created = 1795237200 - 1799");
	row_is("none");
	tempdb_exec(&t, "UPDATE resource SET created = 1795100000, state = 'stopped'");
	row_is("none");
}

/* ---- what buckets send --------------------------------------------------------------------- */

static void what_is_received_in_the_place_is_not_charged(void **state)
{
	struct sender s[] = {{.project = "a", .location = "us-east1", .left = {60, 600}},
		{.project = "b", .location = "us-east1", .left = {30, 300}},
		{.project = "b", .location = "us-east1", .left = {20, 200}},
		{.project = "c", .location = "us", .left = {11, 110}}};
	struct receiver r[] = {
		{.project = "b", .region = "us-east1", .name = "near", .left = {31, 310}},
		{.project = "a", .region = "us-west1", .name = "far", .left = {58, 590}},
		{.project = "x", .region = "us-east1", .name = "x", .left = {9, 90}}};

	egress_match(s, ARRAY_LEN(s), r, ARRAY_LEN(r), &arena);
	/* the nearest amount in the own project; then another project in the place takes 9 of one */
	assert_i64_eq(s[1].left[FLOW_RATE], 0);
	assert_i64_eq(s[1].left[FLOW_HOUR], 0);
	assert_i64_eq(s[2].left[FLOW_RATE] + s[0].left[FLOW_RATE], 60 + 20 - 1 - 9);
	assert_i64_eq(s[0].n_far, 1);
	assert_string_equal(s[0].far[0].name, "far");
	assert_string_equal(s[0].far[0].location, "us-west1");
	/* nobody is left that could have received these */
	assert_i64_eq(s[2].n_far, 0);
	assert_i64_eq(s[3].n_far, 0);
	assert_i64_eq(s[3].left[FLOW_RATE], 11);
	assert_i64_eq(r[0].left[FLOW_RATE] + r[2].left[FLOW_RATE], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
#define IN_DB(name) cmocka_unit_test_setup_teardown(name, open_db, close_db)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_that_are_one),
		TEST(transfers_have_the_price_of_their_scope),
		TEST(leaving_google_has_the_price_of_the_region),
		TEST(operations_have_a_price_where_a_list_has_one),
		TEST(without_far_buckets_it_may_be_free),
		TEST(with_far_buckets_only_both_ways_are_charged),
		TEST(a_near_bucket_makes_it_doubtful),
		TEST(the_dearer_way_is_the_bound),
		TEST(what_has_no_price_is_not_known),
		TEST(a_part_with_a_destination_has_its_price),
		TEST(long_lists_are_counted),
		TEST(low_is_never_above_high),
		IN_DB(what_a_tpu_reads_from_far_counts),
		IN_DB(old_counters_are_no_rate_of_now),
		TEST(what_is_received_in_the_place_is_not_charged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
