/* Is it idle? From what metrics say of machines and TPUs to the verdict, and what is never said. */
#include "rules/activity.h"
#include "rules/derive/derive.h"

#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795237200) /* 2026-11-21T05:00:00Z */
#define FRESH (NOW - 300)
#define LONG_AGO (NOW - 86400)

/* ---- one signal -------------------------------------------------------------------------- */

static const struct active machine = {.hosts = 1, .started = LONG_AGO};
static const struct active slice = {.tpu = true, .hosts = 4, .started = LONG_AGO};

static struct signal read(ts_t at, ts_t idle_since, int64_t workers, const struct active *x)
{
	struct signal_points p = {.at = at, .idle_since = idle_since, .workers = workers};

	return signal_read(&p, x, NOW);
}

static void old_points_say_nothing(void **state)
{
	assert_int_equal(read(NOW - 1800, NOW - 7200, 1, &machine).says, SAYS_IDLE);
	assert_int_equal(read(NOW - 1801, NOW - 7200, 1, &machine).says, SAYS_NOTHING);
	assert_int_equal(read(NOW - 1801, TS_NONE, 1, &machine).says, SAYS_NOTHING);
}

static void points_from_before_a_start_say_nothing(void **state)
{
	struct active x = {.hosts = 1, .started = NOW - 600};

	assert_int_equal(read(NOW - 601, NOW - 7200, 1, &x).says, SAYS_NOTHING);
	assert_int_equal(read(NOW - 601, TS_NONE, 1, &x).says, SAYS_NOTHING);
	/* and idleness begins with it */
	assert_int_equal(read(NOW - 300, NOW - 7200, 1, &x).says, SAYS_IDLE);
	assert_int_equal(read(NOW - 300, NOW - 7200, 1, &x).since, NOW - 600);
	x.started = TS_NONE;
	assert_int_equal(read(NOW - 300, NOW - 7200, 1, &x).since, NOW - 7200);
}

static void some_workers_tell_of_work_only(void **state)
{
	struct active unknown = {.tpu = true, .started = LONG_AGO};

	assert_int_equal(read(FRESH, NOW - 900, 4, &slice).says, SAYS_IDLE);
	assert_int_equal(read(FRESH, NOW - 900, 3, &slice).says, SAYS_NOTHING);
	assert_int_equal(read(FRESH, TS_NONE, 1, &slice).says, SAYS_WORK);
	/* of how many hosts it is made is not known */
	assert_int_equal(read(FRESH, NOW - 900, 4, &unknown).says, SAYS_NOTHING);
	assert_int_equal(read(FRESH, TS_NONE, 4, &unknown).says, SAYS_WORK);
}

/* ---- all signals, exhaustively ------------------------------------------------------------ */

#define COMBINATIONS 81 /* three words of four signals */

static void combination(int number, struct signal v[N_SIGNALS])
{
	for (size_t i = 0; i < N_SIGNALS; i++, number /= 3) {
		v[i].says = (enum signal_says)(number % 3);
		v[i].since = NOW - 600 * (ts_t)(i + 1);
	}
}

static const struct active kinds[] = {
	{.hosts = 1}, {.tpu = true, .hosts = 1}, {.gpus = true, .hosts = 1}};

/* Counted here in another way: idle means that nothing works and that the signal which shows
 * what the machine is for is among those that say so. */
static void nothing_that_works_is_called_idle(void **state)
{
	struct signal v[N_SIGNALS] = {0};
	int idle = 0;

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (int i = 0; i < COMBINATIONS; i++) {
			struct activity a;
			int works = 0;

			combination(i, v);
			a = activity_judge(v, &kinds[k]);
			for (size_t s = 0; s < N_SIGNALS; s++)
				works += v[s].says == SAYS_WORK;
			assert_int_equal(a.is == ACTIVITY_WORKS, works > 0);
			if (a.is != ACTIVITY_IDLE) {
				assert_true(a.idle_since == TS_NONE);
				continue;
			}
			idle++;
			assert_int_equal(works, 0);
			assert_false(kinds[k].gpus);
			assert_int_equal(v[kinds[k].tpu ? SIGNAL_CHIPS : SIGNAL_CPU].says,
				SAYS_IDLE);
		}
	}
	/* of the other three signals each is idle or unknown: 2 x 2 x 2, for machines and TPUs */
	assert_int_equal(idle, 16);
}

/* Where a signal falls silent, what is not known to be idle does not become idle, unless that
 * signal said that it works; and an idle one is never idle for longer than a known signal says. */
static void a_signal_that_is_not_known_is_no_evidence(void **state)
{
	struct signal v[N_SIGNALS] = {0}, less[N_SIGNALS] = {0};

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (int i = 0; i < COMBINATIONS * N_SIGNALS; i++) {
			size_t silent = (size_t)(i % N_SIGNALS);
			struct activity a, b;

			combination(i / N_SIGNALS, v);
			memcpy(less, v, sizeof(less));
			less[silent].says = SAYS_NOTHING;
			a = activity_judge(v, &kinds[k]);
			b = activity_judge(less, &kinds[k]);
			if (a.is != ACTIVITY_IDLE && v[silent].says != SAYS_WORK)
				assert_int_not_equal(b.is, ACTIVITY_IDLE);
			for (size_t s = 0; a.is == ACTIVITY_IDLE && s < N_SIGNALS; s++)
				assert_true(v[s].says != SAYS_IDLE ||
					a.idle_since >= v[s].since);
		}
	}
}

/* The beginning of what was read is not the beginning of the idle time, but a start is. */
static void the_latest_signal_decides_whether_it_may_be_longer(void **state)
{
	struct signal_points p = {
		.at = FRESH, .idle_since = NOW - 3600, .workers = 1, .at_least = true};
	struct active x = {.hosts = 1, .started = NOW - 3600};
	struct signal v[N_SIGNALS] = {{SAYS_IDLE, NOW - 3600, true},
		{SAYS_NOTHING, 0, false}, {SAYS_IDLE, NOW - 1800, false},
		{SAYS_NOTHING, 0, false}};

	assert_true(signal_read(&p, &machine, NOW).at_least);
	assert_false(signal_read(&p, &x, NOW).at_least);
	assert_false(activity_judge(v, &machine).at_least);
	v[SIGNAL_RECEIVED].since = NOW - 7200;
	assert_true(activity_judge(v, &machine).at_least);
	v[SIGNAL_RECEIVED].says = SAYS_WORK;
	assert_false(activity_judge(v, &machine).at_least);
}

static void the_signals_are_named(void **state)
{
	struct signal v[N_SIGNALS] = {{.says = SAYS_IDLE}};
	struct active tpu = {.tpu = true};

	assert_string_equal(activity_judge(v, &machine).basis, "cpu");
	v[SIGNAL_RECEIVED].says = SAYS_WORK;
	assert_string_equal(activity_judge(v, &machine).basis, "cpu,network");
	v[SIGNAL_CHIPS].says = SAYS_IDLE;
	assert_string_equal(activity_judge(v, &tpu).basis, "cpu,network,tpu");
	memset(v, 0, sizeof(v));
	assert_string_equal(activity_judge(v, &tpu).basis, "");
}

/* ---- joined to the inventory ---------------------------------------------------------------- */

#define VM_CPU "compute.googleapis.com/instance/cpu/utilization"
#define VM_SENT "compute.googleapis.com/instance/network/sent_bytes_count"
#define VM_RECEIVED "compute.googleapis.com/instance/network/received_bytes_count"
#define TPU_CPU "tpu.googleapis.com/cpu/utilization"
#define TPU_SENT "tpu.googleapis.com/network/sent_bytes_count"
#define TPU_CHIPS "tpu.googleapis.com/tpu/tensorcore/idle_duration"
#define TPU_DUTY "tpu.googleapis.com/accelerator/duty_cycle"

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static void put(const char *source, const char *kind, const char *name, const char *state,
	const char *hosts)
{
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, hosts, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/%s/z-a1-a/%s', 'uid-%s', "
		"'%s', '%s', 'p', 'z-a1-a', 'z-a1-a', 'z-a1', '%s', '%s', 'X', '%s', %s, "
		"'{}', %lld, 1, 1, 1); INSERT INTO resource_interval (id, uid, starts, "
		"kind, project, location, name, state) VALUES ('p/%s/z-a1-a/%s', "
		"'uid-%s', %lld, '%s', 'p', 'z-a1-a', '%s', '%s')",
		kind, name, name, source, kind, name, state,
		strcmp(kind, "tpu") == 0 ? "v4-16" : "n1-standard-1", hosts,
		(long long)LONG_AGO, kind, name, name, (long long)LONG_AGO, kind, name,
		state);
}

/* idle_minutes -1: it works. */
static void measure_at(
	ts_t at, const char *metric, const char *subject, int workers, int minutes)
{
	char since[32] = "NULL";

	if (minutes >= 0)
		snprintf(since, sizeof(since), "%lld", (long long)(NOW - minutes * 60));
	tempdb_execf(&t,
		"INSERT OR REPLACE INTO metric (project, metric, subject, at, value, "
		"idle_since, series) VALUES ('p', '%s', '%s', %lld, 1, %s, %d)",
		metric, subject, (long long)at, since, workers);
}

static void measure(const char *metric, const char *subject, int workers, int minutes)
{
	measure_at(FRESH, metric, subject, workers, minutes);
}

static void idle_is(const char *name, const char *want)
{
	struct settings settings = {.tz = t.tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};
	char sql[256], got[128];

	assert_ok(derive(t.db, &o, &e), e);
	snprintf(sql, sizeof(sql),
		"SELECT COALESCE(idle_minutes, 'unknown') || ' ' || COALESCE(idle_basis, "
		"'-') FROM resources WHERE name = '%s'",
		name);
	tempdb_text(&t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s: got %s, want %s", name, got, want);
}

static void a_machine_is_idle_by_cpu_and_network(void **state)
{
	put("vm", "vm", "m", "running", "NULL");
	idle_is("m", "unknown -");
	measure(VM_SENT, "uid-m", 1, 50);
	idle_is("m", "unknown network"); /* the network alone shows nothing */
	measure(VM_CPU, "uid-m", 1, 90);
	idle_is("m", "50 cpu,network"); /* since the last of them worked */
	measure(VM_RECEIVED, "uid-m", 1, -1);
	idle_is("m", "0 cpu,network"); /* it downloads */
	measure_at(NOW - 1801, VM_RECEIVED, "uid-m", 1, -1);
	idle_is("m", "50 cpu,network");
	measure_at(NOW - 1801, VM_CPU, "uid-m", 1, 90);
	idle_is("m", "unknown network"); /* what stopped coming is not known */
	tempdb_exec(&t, "UPDATE resource SET state = 'stopped'");
	idle_is("m", "unknown -");
}

static void a_machine_of_another_name_or_id_is_another_one(void **state)
{
	put("vm", "vm", "m", "running", "NULL");
	measure(VM_CPU, "uid-of-before", 1, 90);
	idle_is("m", "unknown -");
	tempdb_exec(&t, "UPDATE metric SET project = 'q', subject = 'uid-m'");
	idle_is("m", "unknown -");
}

static void gpus_may_work_while_the_cpu_sleeps(void **state)
{
	put("vm", "vm", "m", "running", "NULL");
	tempdb_exec(&t, "UPDATE resource SET gpu_type = 'nvidia-l4', gpu_count = 1");
	measure(VM_CPU, "uid-m", 1, 90);
	idle_is("m", "unknown cpu");
	measure(VM_CPU, "uid-m", 1, -1);
	idle_is("m", "0 cpu");
}

static void a_tpu_is_not_idle_by_its_host_alone(void **state)
{
	put("tpu", "tpu", "t", "running", "2");
	measure(TPU_CPU, "z-a1-a/t", 2, 600);
	measure(TPU_SENT, "z-a1-a/t", 2, 600);
	idle_is("t", "unknown cpu,network"); /* it may train */
	measure(TPU_CHIPS, "z-a1-a/t", 2, -1);
	idle_is("t", "0 cpu,network,tpu"); /* it does */
	measure(TPU_CHIPS, "z-a1-a/t", 2, 45);
	idle_is("t", "45 cpu,network,tpu");
	measure(TPU_CHIPS, "z-a1-a/t", 1, 45); /* one worker says nothing */
	idle_is("t", "unknown cpu,network");
	measure(TPU_CHIPS, "z-a1-a/t", 2, 45);
	measure(TPU_SENT, "z-a1-a/t", 1, -1); /* one of them saves what it learnt */
	idle_is("t", "0 cpu,network,tpu");
}

static void a_tpu_made_anew_is_not_idle_for_its_predecessor(void **state)
{
	put("tpu", "tpu", "t", "running", "2");
	measure(TPU_CHIPS, "z-a1-a/t", 2, 600);
	tempdb_exec(&t, "UPDATE resource_interval SET starts = 1795237200 - 240");
	idle_is("t", "unknown -"); /* the points end a minute before it was made */
	tempdb_exec(&t, "UPDATE resource_interval SET starts = 1795237200 - 420");
	idle_is("t", "7 tpu");
}

/* Duty cycles do not name the node. */
static void the_duty_cycle_of_a_zone_counts_when_all_have_told(void **state)
{
	put("tpu", "tpu", "a", "running", "2");
	measure(TPU_DUTY, "z-a1-a/*", 2, 30);
	idle_is("a", "30 tpu");
	measure(TPU_DUTY, "z-a1-a/*", 1, 30);
	idle_is("a", "unknown -");
	measure(TPU_DUTY, "z-a1-a/*", 3, 30); /* one of another TPU that nobody knows */
	idle_is("a", "unknown -");
	measure(TPU_DUTY, "z-a1-a/*", 2, -1); /* the only one in the zone */
	idle_is("a", "0 tpu");
	/* of two it is not known which one works */
	put("tpu", "tpu", "b", "running", "1");
	measure(TPU_DUTY, "z-a1-a/*", 3, -1);
	idle_is("a", "unknown -");
	idle_is("b", "unknown -");
	measure(TPU_DUTY, "z-a1-a/*", 3, 30); /* but when none does, it is neither */
	idle_is("a", "30 tpu");
	idle_is("b", "30 tpu");
	/* one that is coming or going may have told in another's place */
	put("tpu", "tpu", "c", "starting", "1");
	idle_is("a", "unknown -");
	tempdb_exec(&t, "UPDATE resource SET state = 'preempted' WHERE name = 'c'");
	idle_is("a", "30 tpu");
	/* another zone is another matter */
	tempdb_exec(&t, "UPDATE metric SET subject = 'z-a1-b/*'");
	idle_is("a", "unknown -");
}

static void two_witnesses_of_the_chips_must_agree(void **state)
{
	put("tpu", "tpu", "a", "running", "1");
	measure(TPU_CHIPS, "z-a1-a/a", 1, 60);
	measure(TPU_DUTY, "z-a1-a/*", 1, 20);
	idle_is("a", "20 tpu");
	measure(TPU_DUTY, "z-a1-a/*", 1, -1);
	idle_is("a", "0 tpu");
	measure(TPU_DUTY, "z-a1-a/*", 1, 20);
	measure(TPU_CHIPS, "z-a1-a/a", 1, -1);
	idle_is("a", "0 tpu");
}

/* TPUs that are Compute Engine instances are known by their number. */
static void a_tpu_that_is_a_machine_needs_its_chips_too(void **state)
{
	put("vm", "tpu", "m", "running", "NULL");
	measure(VM_CPU, "uid-m", 1, 90);
	idle_is("m", "unknown cpu");
	measure(TPU_DUTY, "z-a1-a/*", 1, 30);
	idle_is("m", "30 cpu,tpu");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_points_say_nothing),
		cmocka_unit_test(points_from_before_a_start_say_nothing),
		cmocka_unit_test(some_workers_tell_of_work_only),
		cmocka_unit_test(nothing_that_works_is_called_idle),
		cmocka_unit_test(a_signal_that_is_not_known_is_no_evidence),
		cmocka_unit_test(the_latest_signal_decides_whether_it_may_be_longer),
		cmocka_unit_test(the_signals_are_named),
		TEST(a_machine_is_idle_by_cpu_and_network),
		TEST(a_machine_of_another_name_or_id_is_another_one),
		TEST(gpus_may_work_while_the_cpu_sleeps),
		TEST(a_tpu_is_not_idle_by_its_host_alone),
		TEST(a_tpu_made_anew_is_not_idle_for_its_predecessor),
		TEST(the_duty_cycle_of_a_zone_counts_when_all_have_told),
		TEST(two_witnesses_of_the_chips_must_agree),
		TEST(a_tpu_that_is_a_machine_needs_its_chips_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
