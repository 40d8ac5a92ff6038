/* What goes with a TPU or machine, and what of it stays when that is stopped. List prices stand
 * beside each figure. */
#include "base/time/civil.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200)

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

/* `user` and `labels` may be NULL; size 0: none. */
static void put(const char *kind, const char *location, const char *name, const char *type,
	const char *state, int size, const char *user, const char *labels)
{
	bool zone = strchr(location, '-') != strrchr(location, '-');
	char region[64];

	snprintf(region, sizeof(region), "%s", location);
	if (zone)
		*strrchr(region, '-') = '\0';
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, size_gib, "
		"attached_to, labels, first_seen, last_seen, complete) VALUES "
		"('p/%s/%s/%s', '1', '%s', '%s', 'p', '%s', NULLIF('%s', ''), '%s', "
		"'%s', '%s', '%s', '%s', 'on-demand', NULLIF(%d, 0), NULLIF('%s', ''), "
		"'%s', 1, 1, 1)",
		kind, location, name, kind, kind, location, zone ? location : "", region,
		name, state, state, type, size, user ? user : "", labels ? labels : "{}");
}

static void clear(void)
{
	tempdb_exec(&t,
		"DELETE FROM resource; DELETE FROM tpu_disk; DELETE FROM source_status;"
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, "
		"items) VALUES ('disk', 'p', 'ok', 1, 1, 0), ('ip', 'p', 'ok', 1, 1, 0)");
}

static const char *currency = "USD";

static void run(void)
{
	struct settings settings = {.tz = t.tz, .currency = currency};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	if (derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

#define HIDDEN                                                                             \
	"SELECT group_concat(name || ' ' || kind || ' ' || relation || ' ' || certain || " \
	"' ' || "                                                                          \
	"COALESCE(CAST(ROUND(gross_per_hour * 1e9) AS INTEGER), '-') || ' ' || "           \
	"COALESCE(via, "                                                                   \
	"'-'), char(10)) FROM (SELECT * FROM hidden_costs ORDER BY id, part)"

/* ctpu's pair: a TPU and a machine of one name, with a disk and an address on the machine. */
static void a_machine_of_the_same_name_goes_with_it_and_what_hangs_on_it(void **state)
{
	clear();
	put("tpu", "us-central1-b", "lab", "v2-8", "running", 0, NULL, NULL);
	put("vm", "us-central1-b", "lab", "n1-standard-1", "running", 0, NULL, NULL);
	put("vm", "us-central1-f", "lab2", "n1-standard-1", "running", 0, NULL, NULL);
	put("disk", "us-central1-b", "boot", "pd-ssd", "running", 800, "lab2", NULL);
	put("ip", "us-central1", "addr", "external", "running", 0, "lab2", NULL);
	run();
	/* 0.031611 + 3.75 x 0.004237 = 0.04749975; the disk is in another zone than lab2 */
	expect(HIDDEN, "lab vm same-name 0 47499750 -");
	/* 800 x 0.17 / 730; the address is free while it is in use. Disks name instances: it is
	 * the machine's, and by that the TPU's */
	tempdb_exec(
		&t, "UPDATE resource SET attached_to = 'lab' WHERE kind IN ('disk', 'ip')");
	run();
	expect(HIDDEN,
		"lab disk attached 0 186301370 p/vm/us-central1-b/lab\n"
		"lab vm same-name 0 47499750 -");
	expect("SELECT group_concat(kind || ' ' || residual_per_hour) FROM (SELECT * FROM "
	       "resources WHERE name = 'lab' ORDER BY kind)",
		"tpu 0.0,vm 0.19630137");
	expect("SELECT group_concat(gross || ' ' || rest) FROM (SELECT * FROM belonging "
	       "WHERE "
	       "id LIKE '%/vm/%' ORDER BY part)",
		"186301370 186301370,0 10000000");
	/* in a zone of its own the machine is not the TPU's */
	tempdb_exec(&t, "UPDATE resource SET zone = 'us-central1-c' WHERE kind = 'vm'");
	run();
	expect(HIDDEN, "lab disk attached 1 186301370 -");
}

static void a_label_says_which_tpu_a_machine_drives(void **state)
{
	clear();
	put("tpu", "us-central1-b", "node", "v2-8", "stopped", 0, NULL, NULL);
	put("vm", "us-central1-b", "host", "n1-standard-1", "stopped", 0, NULL,
		"{\"tpu-name\":\"node\"}");
	put("vm", "us-central1-b", "other", "n1-standard-1", "running", 0, NULL,
		"{\"name\":\"node\"}");
	put("vm", "us-central1-b", "third", "n1-standard-1", "running", 0, NULL,
		"{tpu=node");
	put("disk", "us-central1-b", "boot", "pd-ssd", "running", 800, "host", NULL);
	run();
	/* stopped: the machine costs nothing, its disk does */
	expect(HIDDEN, "node disk attached 0 186301370 p/vm/us-central1-b/host");
	expect("SELECT gross_per_day || ' ' || currency || ' ' || state FROM hidden_costs",
		"4.47123288 USD stopped");
	tempdb_exec(&t, "UPDATE resource SET state = 'running' WHERE name = 'host'");
	run();
	expect(HIDDEN,
		"node disk attached 0 186301370 p/vm/us-central1-b/host\n"
		"node vm label 0 47499750 -");
}

static void data_disks_are_what_the_node_lists(void **state)
{
	clear();
	put("tpu", "us-central1-b", "node", "v2-8", "running", 0, NULL, NULL);
	put("disk", "us-central1-b", "data", "pd-ssd", "stopped", 800, NULL, NULL);
	put("disk", "us-central1-b", "own", "pd-ssd", "running", 80, "node", NULL);
	put("disk", "us-central1", "wide", "pd-standard", "stopped", 73, NULL, NULL);
	tempdb_exec(&t,
		"INSERT INTO tpu_disk VALUES ('p/tpu/us-central1-b/node', 'data own wide'),"
		"('p/tpu/us-central1-b/gone', 'data')");
	run();
	/* regional pd-standard: 73 x 0.08 / 730 = 0.008 */
	expect(HIDDEN,
		"node disk data-disk 1 186301370 -\n"
		"node disk attached 1 18630137 -\n"
		"node disk data-disk 1 8000000 -");
	/* 0.008 + 0.18630137 + 0.018630137 */
	expect("SELECT residual_per_hour || ' ' || residual_currency FROM resources "
	       "WHERE kind = 'tpu'",
		"0.212931507 USD");
	/* one that was not seen has a price, and nobody knows which */
	tempdb_exec(&t, "UPDATE tpu_disk SET disks = 'data lost' WHERE id LIKE '%node'");
	run();
	expect("SELECT residual_per_hour IS NULL FROM resources WHERE kind = 'tpu'", "1");
}

static void a_bucket_is_known_by_its_name_and_costs_what_nobody_knows(void **state)
{
	clear();
	put("tpu", "us-central1-b", "bert", "v2-8", "running", 0, NULL, NULL);
	put("tpu", "us-central1-b", "bert-large", "v2-8", "running", 0, NULL, NULL);
	put("bucket", "us-central1", "bert-large-data", "standard", "running", 0, NULL,
		NULL);
	put("bucket", "us-central1", "berta", "standard", "running", 0, NULL, NULL);
	put("bucket", "us-central1", "bert", "standard", "running", 0, NULL, NULL);
	run();
	expect(HIDDEN,
		"bert bucket same-name 0 - -\n"
		"bert bucket same-name 0 - -\n"
		"bert-large bucket same-name 0 - -");
}

static void what_stays_when_a_machine_is_stopped(void **state)
{
	clear();
	put("vm", "us-central1-b", "m", "n1-standard-1", "running", 0, NULL, NULL);
	put("disk", "us-central1-b", "boot", "pd-ssd", "running", 800, "m", NULL);
	put("ip", "us-central1", "out", "external", "running", 0, "m", NULL);
	put("ip", "us-central1", "in", "internal", "running", 0, "m", NULL);
	put("ip", "us-east1", "far", "external", "running", 0, "m", NULL);
	run();
	/* 800 x 0.17 / 730, and an address that nothing uses: 0.01 */
	expect("SELECT residual_per_hour || ' ' || residual_currency FROM resources "
	       "WHERE kind = 'vm'",
		"0.19630137 USD");
	expect("SELECT residual_text FROM resources WHERE kind = 'vm'", "0.20 USD/h");
	expect("SELECT COUNT(*) FROM resources WHERE residual_per_hour IS NOT NULL", "1");
	expect("SELECT COUNT(*) FROM hidden_costs", "0");
	/* two currencies are not added, and both are named */
	tempdb_exec(&t,
		"INSERT INTO list_price VALUES ('6F81-5844-456A', 'C', 'us-central1', "
		"'Static Ip Charge', '', '', 'OnDemand', 'h', 'HKD', 500000000, NULL, 0)");
	currency = "HKD";
	run();
	expect("SELECT residual_text FROM resources WHERE kind = 'vm'",
		"0.19 USD/h + 0.50 HKD/h");
	expect("SELECT residual_per_hour IS NULL FROM resources WHERE kind = 'vm'", "1");
	tempdb_exec(&t, "DELETE FROM list_price");
	currency = "USD";
	/* a disk whose price is not known makes the whole not known */
	put("disk", "us-central1-b", "odd", "pd-new", "running", 10, "m", NULL);
	run();
	expect("SELECT residual_per_hour IS NULL FROM resources WHERE kind = 'vm'", "1");
}

static void what_was_not_read_is_not_nothing(void **state)
{
	clear();
	put("vm", "us-central1-b", "bare", "n1-standard-1", "running", 0, NULL, NULL);
	put("tpu", "us-central1-b", "node", "v2-8", "running", 0, NULL, NULL);
	run();
	/* a machine has a disk; a TPU need not have one of its own */
	expect("SELECT group_concat(kind || ' ' || COALESCE(residual_per_hour, '-')) FROM "
	       "(SELECT * FROM resources ORDER BY kind)",
		"tpu 0.0,vm -");
	tempdb_exec(&t, "DELETE FROM source_status WHERE source = 'ip'");
	run();
	expect("SELECT COUNT(residual_per_hour) FROM resources", "0");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_machine_of_the_same_name_goes_with_it_and_what_hangs_on_it),
		cmocka_unit_test(a_label_says_which_tpu_a_machine_drives),
		cmocka_unit_test(data_disks_are_what_the_node_lists),
		cmocka_unit_test(a_bucket_is_known_by_its_name_and_costs_what_nobody_knows),
		cmocka_unit_test(what_stays_when_a_machine_is_stopped),
		cmocka_unit_test(what_was_not_read_is_not_nothing),
	};

	return cmocka_run_group_tests(tests, setup, tempdb_teardown);
}
