/* TPU quotas: family and pool, the chips that count, and those that are held by what is of no use. */
#include "rules/derive/derive.h"
#include "rules/grant/grant.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200)
#define ZONE "us-east5-a"
#define FAMILY "TPUS-PER-TPU-FAMILY-per-project-region"
#define SPOT "PREEMPTIBLE-TPU-V6E-per-project-region"

static struct tempdb t;
static struct grant grants[1];
static size_t n_grants;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	n_grants = 0;
	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items) VALUES ('tpu', 'p', 'ok', 1, 1, 0), ('queued', 'p', "
		"'ok', 1, 1, 0), ('vm', 'p', 'ok', 1, 1, 0), ('slice', 'p', 'ok', 1, 1, "
		"0), "
		"('tpu-quota', 'p', 'disabled', 1, NULL, 0)");
	return 0;
}

/* More columns as "queued = 'q', nodes = 2", or "". */
static void put(const char *source, const char *name, const char *type, const char *class,
	const char *state, const char *more)
{
	const char *kind = strcmp(source, "queued") != 0 ? "tpu" : source;

	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, first_seen, "
		"last_seen, complete, nodes) VALUES ('p/%s/" ZONE "/%s', '1', '%s', '%s', "
		"'p', '" ZONE "', '" ZONE "', 'us-east5', '%s', '%s', upper('%s'), '%s', "
		"'%s', '{}', 1, 1, 1, 1)",
		kind, name, source, kind, name, state, state, type, class);
	if (*more)
		tempdb_execf(&t, "UPDATE resource SET %s WHERE name = '%s'", more, name);
}

static void host(const char *slice, const char *name, const char *state)
{
	tempdb_execf(&t,
		"INSERT INTO host (id, uid, project, zone, name, state, raw_state, type, "
		"provisioning, labels, group_path, slice, last_seen, complete) VALUES "
		"('%s', '1', 'p', '" ZONE "', '%s', '%s', upper('%s'), 'ct6e-standard-4t', "
		"'spot', '{}', 'g', 'p/tpu/" ZONE "/%s', 1, 1)",
		name, name, state, state, slice);
}

static void quota(const char *service, const char *id, const char *location,
	const char *dimensions, int64_t limit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.googleapis.com", service);
	tempdb_put_quota(&t,
		(struct q_quota_put_in){.service = name,
			.metric = "m",
			.location = location,
			.dimensions = dimensions,
			.quota_id = id,
			.limit_value = SOME(limit)});
}

static void run(void)
{
	struct settings settings = {
		.tz = t.tz, .currency = "USD", .grants = grants, .n_grants = n_grants};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	if (derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

#define QUOTAS                                                                            \
	"SELECT group_concat(COALESCE(family, '-') || ' ' || COALESCE(pool, '-') || ' ' " \
	"|| COALESCE(used, '-') || ' ' || COALESCE(held, '-') || ' ' || "                 \
	"COALESCE(used_basis, '-'), '; ') FROM (SELECT * FROM quotas ORDER BY quota_id, " \
	"dimensions)"

/* What is held is the sum of what holds it. */
#define NOT_THE_SUM                                                                     \
	"SELECT COUNT(*) FROM quotas q WHERE held <> (SELECT COALESCE(SUM(chips), 0) "  \
	"FROM quota_holds h WHERE h.quota_id = q.quota_id AND h.location = q.location " \
	"AND h.project = q.project)"

static void expect(const char *want)
{
	run();
	tempdb_expect(&t, QUOTAS, want);
	tempdb_expect(&t, NOT_THE_SUM, "0");
}

#define HOLDS                                                                            \
	"SELECT group_concat(name || ' ' || pool || ' ' || COALESCE(chips, '-') || ' ' " \
	"|| "                                                                            \
	"exempt || ' ' || COALESCE(delete_command, '-'), '; ') FROM (SELECT * FROM "     \
	"quota_holds ORDER BY name, quota_id)"

static void a_quota_has_the_family_and_pool_of_its_name(void **state)
{
	quota("compute", "CPUS-per-project-region", "us-east5", "{}", 96);
	quota("compute", FAMILY, "us-east5", "{\"tpu_family\":\"CT6E\"}", 8);
	quota("compute", FAMILY, "us-east5", "{\"tpu_family\":\"CT9Z\"}", 8);
	quota("compute", FAMILY, "us-east5", "{\"tpu_family\":\"tpu7x\"}", 8);
	quota("compute", FAMILY, "us-east5", "{}", 8);
	quota("compute", "X-TPU-V9-per-project-region", "us-east5", "{}", 8);
	quota("tpu", "TPUV9PerProjectPerZoneForTPUAPI", ZONE, "{}", 8);
	/* in the order of their names */
	expect("- - - - -; "
	       "- on-demand - - -; "
	       "v6e on-demand 0 0 inventory; "
	       "- on-demand - - -; "
	       "tpu7x on-demand 0 0 inventory; "
	       "- - - - -; "
	       "- - - - -");
}

static void what_google_counted_stands_before_the_inventory(void **state)
{
	quota("compute", SPOT, "us-east5", "{}", 64);
	put("vm", "a", "ct6e-standard-8t", "spot", "running", "");
	expect("v6e preemptible 8 0 inventory");
	tempdb_exec(&t, "UPDATE quota_item SET used = 24");
	expect("v6e preemptible 24 0 google");
}

static void the_two_services_count_their_own(void **state)
{
	quota("compute", SPOT, "us-east5", "{}", 64);
	quota("compute", FAMILY, "us-east5", "{\"tpu_family\":\"CT6E\"}", 64);
	quota("tpu", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", ZONE, "{}", 64);
	put("vm", "a", "ct6e-standard-8t", "spot", "running", "");
	put("vm", "b", "ct6e-standard-4t", "on-demand", "stopping", "");
	put("vm", "other", "ct5p-hightpu-4t", "spot", "running", "");
	put("tpu", "c", "v6e-16", "spot", "running", "");
	/* these use none: stopped, waiting for capacity, of another place */
	put("vm", "d", "ct6e-standard-8t", "spot", "stopped", "");
	put("vm", "e", "ct6e-standard-8t", "flex-start", "starting",
		"raw_state = 'PENDING'");
	put("vm", "f", "ct6e-standard-8t", "spot", "running", "location = 'us-west1-a'");
	expect("v6e preemptible 8 0 inventory; v6e on-demand 4 0 inventory; v6e "
	       "preemptible 16 0 inventory");
}

static void a_limit_in_cores_is_used_in_cores_and_held_in_chips(void **state)
{
	quota("tpu", "TPUV3sPerProjectPerZoneForTPUAPI", ZONE, "{}", 40);
	quota("tpu", "TPUV3sPodPerProjectPerZoneForTPUAPI", ZONE, "{}", 64);
	put("tpu", "works", "v3-8", "on-demand", "running", "");
	put("tpu", "gone", "v3-8", "on-demand", "preempted", "");
	put("tpu", "pod", "v3-32", "on-demand", "failed", "");
	expect("v3 on-demand 16 4 inventory; v3 on-demand 32 16 inventory");
}

static void what_is_dead_holds_its_chips_once(void **state)
{
	quota("tpu", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", ZONE, "{}", 999);
	put("queued", "waits", "v6e-8", "spot", "starting", "");
	put("queued", "active", "v6e-8", "spot", "running", "");
	put("tpu", "works", "v6e-8", "spot", "running", "queued = 'active'");
	expect("v6e preemptible 8 0 inventory");
	put("queued", "hung", "v6e-8", "spot", "suspended", "");
	put("queued", "lost", "v6e-4", "spot", "failed", "nodes = 3");
	expect("v6e preemptible 28 20 inventory");
	/* its node is listed too, under a name or by its own word */
	put("tpu", "node", "v6e-8", "spot", "preempted", "queued = 'hung'");
	put("tpu", "mine", "v6e-4", "spot", "preempted", "");
	tempdb_exec(&t, "UPDATE resource SET attached_to = 'mine' WHERE name = 'lost'");
	expect("v6e preemptible 28 20 inventory");
	put("tpu", "idle", "v6e-4", "spot", "stopped", "");
	expect("v6e preemptible 32 24 inventory");
}

static void a_slice_without_all_hosts_is_held_unless_they_start(void **state)
{
	quota("compute", SPOT, "us-east5", "{}", 64);
	put("slice", "pod", "2 x ct6e-standard-4t", "spot", "running",
		"hosts = 2, target_hosts = 5");
	host("pod", "a", "running");
	host("pod", "b", "running");
	host("pod", "c", "stopping");
	host("pod", "d", "stopped");
	expect("v6e preemptible 12 12 inventory");
	tempdb_exec(&t, "UPDATE host SET state = 'starting' WHERE name = 'd'");
	expect("v6e preemptible 16 0 inventory");
	tempdb_exec(&t, "UPDATE host SET state = 'running'");
	tempdb_exec(&t,
		"UPDATE resource SET hosts = 4, target_hosts = 4, "
		"type = '4 x ct6e-standard-4t'");
	expect("v6e preemptible 16 0 inventory");
	/* to be resized to nothing */
	tempdb_exec(&t, "UPDATE resource SET target_hosts = 0");
	expect("v6e preemptible 16 16 inventory");
}

static void what_holds_a_quota_has_the_command_that_frees_it(void **state)
{
	quota("tpu", "TPUV3sPerProjectPerZoneForTPUAPI", ZONE, "{}", 40);
	quota("tpu", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", ZONE, "{}", 64);
	put("tpu", "works", "v3-8", "on-demand", "running", "");
	put("tpu", "gone", "v3-8", "on-demand", "preempted", "");
	put("tpu", "kept", "v3-8", "on-demand", "stopped",
		"labels = '{\"tpucost-keep\":\"true\"}'");
	put("queued", "hung", "v6e-8", "spot", "suspended", "");
	put("tpu", "node", "v6e-8", "spot", "preempted", "queued = 'hung'");
	put("queued", "odd", "v6e-8", "spot", "failed", "nodes = NULL");
	put("tpu", "bound", "v6e-8", "reserved", "preempted", "");
	run();
	/* of the queued resource only its node counts */
	tempdb_expect(&t, HOLDS,
		"gone on-demand 4 0 gcloud compute tpus tpu-vm delete gone --zone=" ZONE
		" --project=p; "
		"kept on-demand 4 1 -; "
		"node preemptible 8 0 gcloud compute tpus queued-resources delete hung "
		"--zone=" ZONE " --project=p --force; "
		"odd preemptible - 0 gcloud compute tpus queued-resources delete odd "
		"--zone=" ZONE " --project=p --force");
	tempdb_expect(&t,
		"SELECT group_concat(name || ' ' || COALESCE(held_chips, '-'), '; ') FROM "
		"(SELECT * FROM resources ORDER BY name)",
		"bound -; gone 4; hung 0; kept 4; node 8; odd -; works 0");
	tempdb_exec(&t,
		"INSERT INTO hold (id, until, created, comment) VALUES ('p/tpu/" ZONE
		"/gone', 9999999999, 1, '')");
	run();
	tempdb_expect(&t,
		"SELECT exempt || COALESCE(delete_command, '-') FROM quota_holds "
		"WHERE name = 'gone'",
		"1-");
}

static void what_is_not_known_is_not_counted(void **state)
{
	quota("tpu", "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI", ZONE, "{}", 64);
	quota("tpu", "TPUV6EPerProjectPerZoneForTPUAPI", ZONE, "{}", 64);
	put("tpu", "a", "v6e-8", "spot", "preempted", "");
	put("tpu", "z", "v6e-8", "spot", "running", "project = 'other'");
	expect("v6e on-demand 0 0 inventory; v6e preemptible 8 8 inventory");
	/* a reservation may count: only the chips on demand are unknown then */
	put("tpu", "b", "v6e-8", "reserved", "running", "");
	expect("v6e on-demand - 0 -; v6e preemptible 8 8 inventory");
	tempdb_exec(&t, "UPDATE resource SET provisioning = 'unknown' WHERE name = 'b'");
	expect("v6e on-demand - - -; v6e preemptible - - -");
	tempdb_exec(&t,
		"DELETE FROM resource WHERE name = 'b'; UPDATE resource SET complete = 0");
	expect("v6e on-demand - - -; v6e preemptible - - -");
	tempdb_exec(&t, "DELETE FROM resource");
	put("queued", "c", "v6e-8", "spot", "suspended", "nodes = NULL");
	expect("v6e on-demand - - -; v6e preemptible - - -");
	put("tpu", "d", "", "spot", "running", "type = NULL");
	tempdb_exec(&t, "DELETE FROM resource WHERE name = 'c'");
	expect("v6e on-demand - - -; v6e preemptible - - -");
	tempdb_exec(
		&t, "DELETE FROM resource; UPDATE source_status SET last_success = NULL");
	expect("v6e on-demand - - -; v6e preemptible - - -");
	tempdb_exec(&t, "UPDATE source_status SET state = 'disabled'");
	expect("v6e on-demand 0 0 inventory; v6e preemptible 0 0 inventory");
}

/* ---- which one binds --------------------------------------------------------------------------- */

static void note(const char *want)
{
	run();
	tempdb_expect(&t, "SELECT quota_note FROM grants", want);
}

static void give(const char *line)
{
	static struct arena a;
	struct err e = {0};

	arena_reset(&a);
	grants[0] = (struct grant){.name = "trc", .starts = 0, .until = NOW + 1};
	if (grant_parse_line(line, &a, &grants[0], &e))
		fail_msg("%s", e.msg);
	n_grants = 1;
}

static void the_note_names_the_quota_that_binds(void **state)
{
	give("64 spot Cloud TPU v6e chips in zone " ZONE);
	quota("compute", SPOT, "us-east5", "{}", 64);
	quota("compute", FAMILY, "us-east5", "{\"tpu_family\":\"CT6E\"}", 0);
	quota("compute", FAMILY, "us-west1", "{\"tpu_family\":\"CT6E\"}", 7);
	note("NULL");
	put("slice", "pod", "6 x ct6e-standard-4t", "spot", "running",
		"hosts = 6, target_hosts = 16");
	for (int i = 0; i < 6; i++)
		host("pod", (const char[]){(char)('a' + i), 0}, "running");
	note("granted 64 chips; quota PREEMPTIBLE-TPU-V6E of p limits use to 64, of which "
	     "24 are "
	     "held by dead resources; other quotas: TPUS-PER-TPU-FAMILY 0");
	give("8 on-demand Cloud TPU v6e chips in zone " ZONE);
	note("granted 8 chips; quota TPUS-PER-TPU-FAMILY of p limits use to 0; other "
	     "quotas: "
	     "PREEMPTIBLE-TPU-V6E 64");
	/* all limits of a name apply; a quota of the other service is enough alone */
	tempdb_exec(&t, "UPDATE quota_limit SET limit_value = -1");
	note("NULL");
	quota("compute", "TPUS-PER-TPU-FAMILY-per-project-zone", ZONE,
		"{\"tpu_family\":\"CT6E\"}", 4);
	note("granted 8 chips; quota TPUS-PER-TPU-FAMILY of p limits use to 4; other "
	     "quotas: "
	     "PREEMPTIBLE-TPU-V6E unlimited");
	quota("tpu", "TPUV6EPerProjectPerZoneForTPUAPI", ZONE, "{}", 8);
	note("NULL");
}

static void compute_engine_alone_says_nothing(void **state)
{
	give("64 spot Cloud TPU v6e chips in zone " ZONE);
	quota("compute", SPOT, "us-east5", "{}", 0);
	note("granted 64 chips; quota PREEMPTIBLE-TPU-V6E of p limits use to 0");
	/* the quotas of the Cloud TPU API, which may be enough, were never read */
	tempdb_exec(&t, "DELETE FROM source_status WHERE source = 'tpu-quota'");
	note("NULL");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_quota_has_the_family_and_pool_of_its_name),
		TEST(what_google_counted_stands_before_the_inventory),
		TEST(the_two_services_count_their_own),
		TEST(a_limit_in_cores_is_used_in_cores_and_held_in_chips),
		TEST(what_is_dead_holds_its_chips_once),
		TEST(a_slice_without_all_hosts_is_held_unless_they_start),
		TEST(what_holds_a_quota_has_the_command_that_frees_it),
		TEST(what_is_not_known_is_not_counted),
		TEST(the_note_names_the_quota_that_binds),
		TEST(compute_engine_alone_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
