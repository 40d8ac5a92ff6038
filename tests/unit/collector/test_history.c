/* What stretches of time keep of a machine: what prices it, and whose it was. And since when a
 * source has been watched. The oracle is the database. */
#include "collector/collect.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define VMS "GET /compute/v1/projects/my-project/aggregated/instances"
#define VM(more)                                                                          \
	"{\"items\":{\"zones/"                                                            \
	"us-central1-a\":{\"instances\":[{\"id\":\"11\",\"name\":\"a\","                  \
	"\"zone\":\"https://x/zones/us-central1-a\",\"machineType\":"                     \
	"\"https://x/machineTypes/n1-standard-1\",\"status\":\"RUNNING\","                \
	"\"creationTimestamp\":\"2026-11-20T00:00:00.000-08:00\",\"lastStartTimestamp\":" \
	"\"2026-11-20T00:00:00.000-08:00\"" more "}]}}}"
#define GPUS(n)                                                                      \
	",\"guestAccelerators\":[{\"acceleratorType\":\"https://x/acceleratorTypes/" \
	"nvidia-tesla-t4\",\"acceleratorCount\":" n "}]"
#define BOOT \
	"{\"type\":\"PERSISTENT\",\"source\":\"https://x/disks/a\",\"diskSizeGb\":\"10\"}"
#define SCRATCH "{\"type\":\"SCRATCH\",\"diskSizeGb\":\"375\"}"
#define NOTHING                \
	"{\"items\":{\"zones/" \
	"us-central1-a\":{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}}}"

static struct tempdb t;
static struct tz *tz;

static int open_db(void **state)
{
	struct err e = {0};

	tempdb_open(&t, WORLD_NOW);
	if (tz_open("UTC", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int close_db(void **state)
{
	tempdb_close(&t);
	tz_free(tz);
	return 0;
}

static void poll_status(const char *body, int status, ts_t now)
{
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"vm"};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = tz};
	struct fault_step step = {.match = VMS,
		.status = status,
		.headers = "Content-Type: application/json\r\n",
		.body = body};
	struct gcp_world w;
	struct collect_result r;
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};

	world_open(&w, &step, 1);
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &r, &w.e))
		fail_msg("%s", w.e.msg);
	world_close(&w);
}

static void poll(const char *body, ts_t now)
{
	poll_status(body, 200, now);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void a_machine_with_other_gpus_begins_another_stretch(void **state)
{
	poll(VM(""), WORLD_NOW);
	poll(VM(GPUS("2")), WORLD_NOW + 60);
	poll(VM(GPUS("2")), WORLD_NOW + 120);
	poll(VM(GPUS("4")), WORLD_NOW + 180);
	expect("SELECT group_concat(COALESCE(gpu_type, '-') || ' ' || COALESCE(gpu_count, "
	       "'-') "
	       "|| ' ' || COALESCE(ends - starts, 'lasts')) FROM (SELECT * FROM "
	       "resource_interval ORDER BY starts LIMIT -1 OFFSET 1)",
		"nvidia-tesla-t4 2 120,nvidia-tesla-t4 4 lasts");
	expect("SELECT gpu_count IS NULL FROM resource_interval ORDER BY starts LIMIT 1",
		"1");
}

static void local_ssds_are_of_the_machine(void **state)
{
	poll(VM(",\"disks\":[" BOOT "]"), WORLD_NOW);
	expect("SELECT local_ssd_gib FROM resource", "NULL");
	poll(VM(",\"disks\":[" BOOT "," SCRATCH "," SCRATCH "]"), WORLD_NOW + 60);
	expect("SELECT local_ssd_gib FROM resource", "750");
	expect("SELECT group_concat(COALESCE(local_ssd_gib, 'none')) FROM (SELECT * FROM "
	       "resource_interval ORDER BY starts)",
		"none,750");
	/* nobody tells how large it is: it is there all the same */
	poll(VM(",\"disks\":[" SCRATCH ",{\"type\":\"SCRATCH\"}]"), WORLD_NOW + 120);
	expect("SELECT local_ssd_gib FROM resource", "-1");
	poll(VM(",\"disks\":[{\"type\":\"SCRATCH\",\"diskSizeGb\":\"9223372036854775807\"}"
		"," SCRATCH "]"),
		WORLD_NOW + 180);
	expect("SELECT local_ssd_gib FROM resource", "-1");
}

static void what_is_over_keeps_whose_it_was(void **state)
{
	poll(VM(",\"labels\":{\"owner\":\"ada\"}"), WORLD_NOW);
	expect("SELECT labels IS NULL AND owner IS NULL FROM resource_interval", "1");
	/* labels change and nothing else: the stretch goes on, and ends with the newest */
	poll(VM(",\"labels\":{\"owner\":\"ben\",\"team\":\"red\"}"), WORLD_NOW + 60);
	expect("SELECT COUNT(*) FROM resource_interval", "1");
	poll(NOTHING, WORLD_NOW + 120);
	expect("SELECT COUNT(*) FROM resource", "0");
	expect("SELECT owner || ' ' || labels || ' ' || (ends IS NOT NULL) FROM "
	       "resource_interval",
		"ben {\"owner\":\"ben\",\"team\":\"red\"} 1");
}

static void a_stretch_that_goes_on_has_the_same_gpus(void **state)
{
	poll(VM(GPUS("2")), WORLD_NOW);
	poll(NOTHING, WORLD_NOW + 60);
	/* there again as it was: one stretch; with other GPUs: another */
	poll(VM(GPUS("2")), WORLD_NOW + 120);
	expect("SELECT COUNT(*) FROM resource_interval", "1");
	poll(NOTHING, WORLD_NOW + 180);
	poll(VM(GPUS("1")), WORLD_NOW + 240);
	expect("SELECT group_concat(gpu_count) FROM (SELECT * FROM resource_interval ORDER "
	       "BY starts)",
		"2,1");
}

static void a_source_is_watched_since_its_last_long_pause(void **state)
{
	static const char sql[] = "SELECT watched_since - 1795237200 FROM source_status";

	poll(VM(""), WORLD_NOW);
	expect(sql, "0");
	poll(VM(""), WORLD_NOW + 3600);
	poll(VM(""), WORLD_NOW + 3600 + 7200);
	expect(sql, "0");
	/* two hours and a second */
	poll(VM(""), WORLD_NOW + 3600 + 14401);
	expect(sql, "18001");
	/* what fails is no look */
	poll_status("{}", 403, WORLD_NOW + 25000);
	expect(sql, "18001");
	poll(VM(""), WORLD_NOW + 25202);
	expect(sql, "25202");
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_db, close_db)
	const struct CMUnitTest tests[] = {
		TEST(a_machine_with_other_gpus_begins_another_stretch),
		TEST(local_ssds_are_of_the_machine),
		TEST(what_is_over_keeps_whose_it_was),
		TEST(a_stretch_that_goes_on_has_the_same_gpus),
		TEST(a_source_is_watched_since_its_last_long_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
