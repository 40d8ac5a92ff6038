/* Lists of machines and of TPUs that are deep, odd or huge. The oracle is the database and the
 * number of requests. */
#include "base/sbuf.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/world/list_world.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW WORLD_NOW /* 2026-11-21T05:00:00Z */
#define OTHER " FROM resource WHERE name = 'b'"

/* ---- B5: depth ------------------------------------------------------------------------------------- */

static void *poll_in_thread(void *arg)
{
	struct list_outcome *o = arg;

	*o = list_poll_of(o->of, NOW + 60, lw.t.db);
	return NULL;
}

/* On a stack that a careless recursion would fall off. */
static struct list_outcome poll_on_small_stack(const struct list *l)
{
	struct list_outcome o = {.of = l};
	pthread_attr_t attr;
	pthread_t thread;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)256 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attr, poll_in_thread, &o), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	assert_ok(o.code, lw.w.e);
	return o;
}

/* An item with a member of `open` n times, and `close` as often. */
static const char *deep(const struct list *l, const char *open, const char *close, int n)
{
	struct list_item it = {.id = "'7'", .leaf = "b"};
	struct sbuf b = SBUF_INIT;
	const char *body;

	sbuf_adds(&b, ",'x':");
	for (int i = 0; i < n; i++)
		sbuf_adds(&b, open);
	sbuf_adds(&b, "1");
	for (int i = 0; i < n; i++)
		sbuf_adds(&b, close);
	it.more = b.s;
	body = list_page(l, &it);
	sbuf_done(&b);
	return body;
}

static void depth_beyond_64_is_refused_on_a_small_stack(void **state)
{
	static const struct {
		const char *name, *open, *close;
		int n; /* 0: one too many for the list */
	} rows[] = {
		{"B5 65 lists", "[", "]", 0},
		{"B5 65 objects", "{'a':", "}", 0},
		{"B5 1001 lists", "[", "]", 1001},
		{"B5 a million lists", "[", "]", 1000000},
		{"B5 a million that do not end", "[", "", 1000000},
		{"B5 a quarter of a million objects", "{'':", "}", 250000},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int k = 0; k < LISTS; k++) {
			const struct list *l = &lists[k];
			int n = rows[i].n ? rows[i].n : 65 - l->depth;
			const char *body = deep(l, rows[i].open, rows[i].close, n);

			lw.row = rows[i].name;
			list_begin(l, (const char *const[]){l->good, body, l->good}, 3);
			list_good(l);
			list_refused_and_healed(
				l, poll_on_small_stack(l), "nested more than 64 deep");
			list_finish();
		}
}

static void depth_of_64_is_read_on_a_small_stack(void **state)
{
	for (int k = 0; k < LISTS; k++) {
		const struct list *l = &lists[k];
		const char *body = deep(l, "[", "]", 64 - l->depth);

		lw.row = l->source;
		list_begin(l, (const char *const[]){l->good, body}, 2);
		list_good(l);
		assert_int_equal(poll_on_small_stack(l).r.ok, 1);
		list_expect("SELECT COUNT(*) FROM resource", "2");
		list_finish();
	}
}

/* ---- B12: words that nobody knows ------------------------------------------------------------------ */

static void derive_now(void)
{
	struct settings settings = {.tz = lw.t.tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = NOW + 60, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	tempdb_forget_changes(&lw.t);
	assert_ok(derive(lw.t.db, &o, &e), e);
}

static void a_state_that_nobody_knows_counts_as_running(void **state)
{
	static const char *const bodies[LISTS] = {
		VMS("{'id':'7','name':'b','status':'FLYING','machineType':'t/n1-standard-"
		    "1'}"),
		NODES("{'id':'7','name':'" PATH "b','state':'FLYING','acceleratorType':'v3-"
		      "8'}")};

	for (int k = 0; k < LISTS; k++) {
		lw.row = lists[k].source;
		list_begin(&lists[k], &bodies[k], 1);
		assert_int_equal(list_poll(&lists[k], NOW).r.ok, 1);
		derive_now();
		list_expect("SELECT state || ' ' || raw_state || ' ' || (gross_per_hour > "
			    "0) || ' ' || (price_source <> 'unknown') FROM resources",
			"unknown FLYING 1 1");
		list_finish();
	}
}

/* Its price is not known then, which is not nothing. */
static void a_type_that_nobody_knows_has_no_price(void **state)
{
	static const char *const bodies[LISTS] = {
		VMS("{'id':'7','name':'b','status':'RUNNING','machineType':'t/"
		    "zz9-quantum-3'}"),
		NODES("{'id':'7','name':'" PATH "b','state':'READY','acceleratorType':'v99-"
		      "8'}")};
	static const char *const types[LISTS] = {"zz9-quantum-3", "v99-8"};

	for (int k = 0; k < LISTS; k++) {
		char want[64];

		lw.row = lists[k].source;
		list_begin(&lists[k], &bodies[k], 1);
		assert_int_equal(list_poll(&lists[k], NOW).r.ok, 1);
		derive_now();
		snprintf(want, sizeof(want), "running %s unknown 1", types[k]);
		list_expect("SELECT state || ' ' || type || ' ' || price_source || ' ' || "
			    "(gross_per_hour IS NULL AND net_per_hour IS NULL AND chips IS "
			    "NULL AND vcpus IS NULL) FROM resources",
			want);
		list_expect(
			"SELECT resources || ' ' || (gross_per_hour IS NULL) || (currency "
			"IS NULL) FROM burn",
			"1 11");
		list_finish();
	}
}

/* ---- B13, B14: times ---------------------------------------------------------------------------------- */

static const char *created(const struct list *l, const char *when)
{
	struct list_item it = {.id = "'7'", .leaf = "b"};

	it.more = arena_printf(&lw.texts, ",'%s':'%s'",
		l == &lists[TPUS] ? "createTime" : "creationTimestamp", when);
	return list_page(l, &it);
}

static void times_are_rfc_3339_and_never_local(void **state)
{
	static const struct {
		const char *when, *want, *starts; /* NULL: as `want` */
	} rows[] = {
		{"2026-11-20T01:02:03Z", "2026-11-20T01:02:03Z", NULL},
		{"2026-11-20t01:02:03z", "2026-11-20T01:02:03Z", NULL},
		{"2026-11-20T01:02:03.999999999Z", "2026-11-20T01:02:03Z", NULL},
		{"2026-11-20T01:02:03+14:00", "2026-11-19T11:02:03Z", NULL},
		{"2026-11-20T01:02:03.5-08:00", "2026-11-20T09:02:03Z", NULL},
		{"2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", NULL},
		/* no machine has run for two thousand years */
		{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2026-11-21T05:01:00Z"},
		{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", "2026-11-21T05:01:00Z"},
		/* B14: it is known, and nothing began before it was seen */
		{"2026-11-21T05:01:01Z", "2026-11-21T05:01:01Z", "2026-11-21T05:01:00Z"},
		{"", "NULL", "2026-11-21T05:01:00Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int k = 0; k < LISTS; k++) {
			const struct list *l = &lists[k];

			lw.row = rows[i].when;
			list_begin(
				l, (const char *const[]){l->good, created(l, lw.row)}, 2);
			list_good(l);
			assert_int_equal(list_poll(l, NOW + 60).r.ok, 1);
			list_expect("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', created, "
				    "'unixepoch')" OTHER,
				rows[i].want);
			list_expect(
				"SELECT strftime('%Y-%m-%dT%H:%M:%SZ', starts, "
				"'unixepoch') FROM resource_interval WHERE name = 'b' AND "
				"ends IS NULL",
				rows[i].starts ? rows[i].starts : rows[i].want);
			derive_now();
			list_expect("SELECT COUNT(*) FROM resources WHERE running_hours "
				    "NOT BETWEEN 0 AND 1e6",
				"0");
			list_finish();
		}
}

static void what_is_no_time_spoils_its_list(void **state)
{
	static const char *const rows[] = {"2026-11-20T01:02:03", "2026-11-20",
		"2026-11-20 01:02:03Z", "2026-11-20T01:02:03 UTC", "2026-02-29T00:00:00Z",
		"2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z",
		"2026-11-20T24:00:00Z", "2026-11-20T01:02:61Z", "2026-11-20T01:02:03.Z",
		"2026-11-20T01:02:03.0123456789Z", "2026-11-20T01:02:03+24:00",
		"2026-11-20T01:02:03+14", "1795237200", " 2026-11-20T01:02:03Z", "null"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int k = 0; k < LISTS; k++) {
			lw.row = rows[i];
			list_expect_refused(
				k, created(&lists[k], lw.row), "not an RFC 3339 time");
		}
}

/* ---- B16: very many ------------------------------------------------------------------------------------ */

#define PAGES 200
#define ON_PAGE 500
#define POLLS 2 /* the second one compares with what the first has stored */
#define MOST_KIB (300 * 1024)

/* Page `n` of the list of machines, with the token of the next one. */
static const char *nth_page(int n)
{
	struct sbuf b = SBUF_INIT;
	const char *text;

	sbuf_addf(&b, "{'items':{'zones/" ZONE "':{'instances':[");
	for (int i = n * ON_PAGE; i < (n + 1) * ON_PAGE; i++)
		sbuf_addf(&b, "%s" VM("'%d'", "vm-%d", ",'labels':{'owner':'ada'}"),
			i % ON_PAGE ? "," : "", i + 1, i);
	sbuf_addf(&b, "]}}");
	if (n + 1 < PAGES)
		sbuf_addf(&b, ",'nextPageToken':'page-%d'", n + 1);
	sbuf_addc(&b, '}');
	text = list_json(b.s);
	sbuf_done(&b);
	return text;
}

static int64_t peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* In a process of its own, whose peak is nobody else's. What counts is the growth: it begins
 * with the answers of the server in it. Measured: 160 MiB. */
static void poll_many_in_child(void)
{
	int64_t before = peak_kib();
	struct err e = {0};
	struct db *db;

	if (db_open(lw.t.path, DB_WRITE, &lw.w.clock, &db, &e))
		_exit(2);
	for (int i = 0; i < POLLS; i++) {
		struct list_outcome o = list_poll_of(&lists[MACHINES], NOW + i * 60, db);

		if (o.code || o.r.ok != 1 || o.r.changed != !i)
			_exit(3);
	}
	db_close(db);
	_exit(peak_kib() - before < MOST_KIB ? 0 : 4);
}

static void a_hundred_thousand_machines_fit_into_memory(void **state)
{
	static struct fault_step steps[POLLS * PAGES];
	int status;
	pid_t child;

#ifdef __SANITIZE_ADDRESS__
	skip(); /* its own memory would be measured */
#endif
	lw.row = "B16";
	for (int i = 0; i < POLLS * PAGES; i++)
		steps[i] = (struct fault_step){.match = lists[MACHINES].match,
			.times = 1,
			.body = i < PAGES ? nth_page(i) : steps[i - PAGES].body};
	world_open(&lw.w, steps, POLLS * PAGES);
	tempdb_open(&lw.t, NOW);
	db_close(lw.t.db);
	child = fork();
	if (!child)
		poll_many_in_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_ok(db_open(lw.t.path, DB_WRITE, &lw.t.clock, &lw.t.db, &lw.w.e), lw.w.e);
	assert_int_equal(status, 0);
	assert_int_equal(fault_count_of(lw.w.s, lists[MACHINES].match), POLLS * PAGES);
	list_expect(
		"SELECT COUNT(*) || ' ' || COUNT(DISTINCT uid) || ' ' || MIN(last_seen) "
		"FROM resource WHERE complete",
		"100000 100000 1795237260");
	list_expect("SELECT COUNT(*) FROM resource_interval WHERE ends IS NULL", "100000");
	list_expect("SELECT items || state FROM source_status", "100000ok");
	for (size_t i = 1; i < PAGES; i++) {
		char token[32];

		snprintf(token, sizeof(token), "pageToken=page-%zu", i);
		/* the first request is for a token to call with */
		assert_contains(fault_request(lw.w.s, i + 1), token);
	}
	list_finish();
}

/* ---- B17: one name, many machines ------------------------------------------------------------------------ */

static void one_name_in_two_zones_is_two_machines(void **state)
{
	static const char *const bodies[LISTS] = {
		"{'items':{'zones/" ZONE "':{'instances':[" VM(
			"'7'", "twin", "") "]},"
					   "'zones/us-east1-b':{'instances':[" VM(
						   "'8'", "twin", "") "]}}}",
		"{'nodes':[" NODE("'7'", "twin", "") ",{'id':'8','name':'projects/"
						     "my-project/locations/us-east1-b/"
						     "nodes/twin','state':'READY'}]}"};
	static const char *const gone[LISTS] = {
		"{'items':{'zones/us-east1-b':{'instances':[" VM("'8'", "twin", "") "]}}}",
		"{'nodes':[{'id':'8','name':'projects/my-project/locations/us-east1-b/"
		"nodes/twin','state':'READY'}]}"};

	for (int k = 0; k < LISTS; k++) {
		lw.row = lists[k].source;
		list_begin(&lists[k], (const char *const[]){bodies[k], gone[k]}, 2);
		assert_int_equal(list_poll(&lists[k], NOW).r.ok, 1);
		list_expect("SELECT group_concat(uid || '@' || zone) FROM (SELECT * FROM "
			    "resource WHERE name = 'twin' ORDER BY uid)",
			"7@us-central1-a,8@us-east1-b");
		/* and the end of one is not the end of the other */
		assert_int_equal(list_poll(&lists[k], NOW + 60).r.ok, 1);
		list_expect("SELECT group_concat(uid) FROM resource", "8");
		list_expect(
			"SELECT group_concat(uid || ':' || (ends IS NULL)) FROM (SELECT * "
			"FROM resource_interval ORDER BY uid)",
			"7:0,8:1");
		list_finish();
	}
}

/* The same name, in the same zone: of another project, or in the other list. */
static void one_name_in_two_projects_is_two_machines(void **state)
{
	for (int k = 0; k < LISTS; k++) {
		struct list any = lists[k];

		lw.row = any.source;
		any.match = "GET /";
		list_begin(&any, &any.good, 1);
		assert_int_equal(list_poll(&any, NOW).r.ok, 1);
		lw.other = "other-project";
		assert_int_equal(list_poll(&any, NOW + 60).r.ok, 2);
		assert_int_equal(list_poll(&any, NOW + 120).r.ok, 2);
		lw.other = NULL;
		list_expect(
			"SELECT group_concat(project || ' ' || uid || ' ' || last_seen) "
			"FROM (SELECT * FROM resource ORDER BY project)",
			"my-project 11 1795237320,other-project 11 1795237320");
		list_expect(
			"SELECT COUNT(*) FROM resource_interval WHERE ends IS NULL", "2");
		list_expect("SELECT COUNT(*) FROM resource_interval", "2");
		list_finish();
	}
}

static void a_machine_with_tpus_and_a_tpu_node_may_have_one_name(void **state)
{
	static const char machine[] = VMS(
		"{'id':'7','name':'kept','status':'RUNNING','machineType':"
		"'t/ct5lp-hightpu-4t'}");
	struct fault_step steps[2] = {
		{.match = lists[MACHINES].match}, {.match = lists[TPUS].match}};

	lw.row = "B17 in both lists";
	steps[MACHINES].body = list_json(machine);
	steps[TPUS].body = list_json(lists[TPUS].good);
	world_open(&lw.w, steps, LISTS);
	tempdb_open(&lw.t, NOW);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < LISTS; k++)
			assert_int_equal(list_poll(&lists[k], NOW + i * 60).r.ok, 1);
	list_expect(
		"SELECT group_concat(source || ' ' || kind || ' ' || uid) FROM (SELECT * "
		"FROM resource ORDER BY uid)",
		"tpu tpu 11,vm tpu 7");
	list_expect("SELECT COUNT(*) || ' ' || COUNT(ends) FROM resource_interval", "2 0");
	list_finish();
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_beyond_64_is_refused_on_a_small_stack),
		cmocka_unit_test(depth_of_64_is_read_on_a_small_stack),
		cmocka_unit_test(a_state_that_nobody_knows_counts_as_running),
		cmocka_unit_test(a_type_that_nobody_knows_has_no_price),
		cmocka_unit_test(times_are_rfc_3339_and_never_local),
		cmocka_unit_test(what_is_no_time_spoils_its_list),
		cmocka_unit_test(a_hundred_thousand_machines_fit_into_memory),
		cmocka_unit_test(one_name_in_two_zones_is_two_machines),
		cmocka_unit_test(one_name_in_two_projects_is_two_machines),
		cmocka_unit_test(a_machine_with_tpus_and_a_tpu_node_may_have_one_name),
	};

	return cmocka_run_group_tests(tests, list_setup, NULL);
}
