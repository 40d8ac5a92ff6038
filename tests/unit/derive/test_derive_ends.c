/* The end of grants, totals of coverage and quota notes, from a small inventory. List prices:
 * v3-8 in europe-west4 8.80 an hour, in us-central1 8.00. */
#include "rules/derive/derive.h"

#include "base/time/civil.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z */
#define NOW INT64_C(1795219200)
#define HOUR INT64_C(3600)
#define ZONE "europe-west4-a"

static struct tempdb t;
static struct grant grants[8];
static struct settings settings;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	memset(grants, 0, sizeof(grants));
	settings = (struct settings){.tz = t.tz, .currency = "USD", .grants = grants};
	return 0;
}

static struct grant *give(const char *name, const char *line, ts_t starts, ts_t until)
{
	struct grant *g = &grants[settings.n_grants++];
	struct err e = {0};

	*g = (struct grant){
		.name = name, .starts = starts, .until = until, .new_only = true};
	if (grant_parse_line(line, &t.a, g, &e))
		fail_msg("%s", e.msg);
	return g;
}

/* One resource in project p; what is not given is NULL. */
static void put(const char *kind, const char *name, const char *type, const char *state,
	ts_t created, const char *queued)
{
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, "
		"name, state, raw_state, type, provisioning, queued, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/%s/" ZONE
		"/%s', '1', '%s', '%s', "
		"'p', '" ZONE "', '" ZONE "', 'europe-west4', '%s', '%s', '%s', '%s', "
		"'on-demand', %s%s%s, '{}', %lld, %lld, %lld, 1);INSERT INTO "
		"resource_interval (id, uid, starts, kind, project, location, name, "
		"state, type, provisioning, created) VALUES ('p/%s/" ZONE
		"/%s', '1', %lld, "
		"'%s', 'p', '" ZONE "', '%s', '%s', '%s', 'on-demand', %lld)",
		kind, name, kind, kind, name, state, state, type, queued ? "'" : "",
		queued ? queued : "NULL", queued ? "'" : "", (long long)created,
		(long long)created, (long long)NOW, kind, name, (long long)created, kind,
		name, state, type, (long long)created);
}

static void run_since(ts_t since)
{
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = since, .until = TS_NONE};
	struct err e = {0};

	if (derive(t.db, &o, &e))
		fail_msg("%s", e.msg);
}

static void run(void)
{
	run_since(TS_NONE);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

#define V3 "5 on-demand Cloud TPU v3-8 device(s) in zone " ZONE
#define ENDS                                                                               \
	"SELECT hours_left || ' ' || COALESCE(stage, '-') || ' ' || chips_used || ' ' || " \
	"becomes_paid || ' ' || COALESCE(per_hour, '-') || ' ' || COALESCE(per_day, '-') " \
	"|| ' ' || COALESCE(currency, '-') FROM grant_ends"

static void what_runs_becomes_paid_together(void **state)
{
	give("trc", V3, NOW - 27 * DAY_SECONDS, NOW + 3 * DAY_SECONDS);
	put("tpu", "a", "v3-8", "running", NOW - HOUR, NULL);
	put("tpu", "b", "v3-8", "running", NOW - HOUR, NULL);
	run();
	/* two of 4 chips; 2 x 8.80 = 17.60 an hour, x 24 = 422.40 a day */
	expect(ENDS, "72.0 2 8 2 17.6 422.4 USD");
	expect("SELECT resources FROM grant_ends", "p/tpu/" ZONE "/a, p/tpu/" ZONE "/b");
	expect("SELECT until FROM grant_ends", "2026-11-24T00:00:00Z");
	expect("SELECT COUNT(*) || ' ' || MIN(gross_per_hour) || ' ' || MIN(waits) || ' ' "
	       "|| COUNT(again) FROM grant_plan",
		"2 8.8 0 0");
	expect("SELECT delete_command FROM grant_plan WHERE name = 'a'",
		"gcloud compute tpus tpu-vm delete a --zone=" ZONE " --project=p");
	expect("SELECT why_text FROM grant_plan WHERE name = 'a'",
		"the grant of v3-8 in " ZONE " (trc) ends 2026-11-24, in 3 days");
	/* one ends by itself at that moment, the other later */
	tempdb_execf(&t, "UPDATE resource SET ends = %lld + (name = 'b')",
		(long long)NOW + 3 * DAY_SECONDS);
	run();
	expect(ENDS, "72.0 2 8 1 8.8 211.2 USD");
	expect("SELECT resources FROM grant_ends", "p/tpu/" ZONE "/b");
}

static void stages_go_up_as_the_end_comes_near(void **state)
{
	static const struct {
		ts_t left;
		const char *stage;
	} cases[] = {{7 * DAY_SECONDS + 1, "NULL"}, {7 * DAY_SECONDS, "1"},
		{3 * DAY_SECONDS + 1, "1"}, {3 * DAY_SECONDS, "2"}, {DAY_SECONDS + 1, "2"},
		{DAY_SECONDS, "3"}, {2 * HOUR + 1, "3"}, {2 * HOUR, "4"}, {1, "4"},
		{0, "5"}, {-2 * DAY_SECONDS + 1, "5"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		settings.n_grants = 0;
		give("trc", V3, NOW - 27 * DAY_SECONDS, NOW + cases[i].left);
		run();
		expect("SELECT stage FROM grant_ends", cases[i].stage);
	}
	settings.n_grants = 0;
	give("gone", V3, NOW - 27 * DAY_SECONDS, NOW - 2 * DAY_SECONDS);
	give("later", V3, NOW + 1, NOW + 2 * DAY_SECONDS);
	give("open", V3, NOW - 1, TS_NONE);
	run();
	expect("SELECT COUNT(*) FROM grant_ends", "0");
}

static void nothing_running_is_nothing_to_pay(void **state)
{
	give("trc", V3, NOW - 27 * DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "off", "v3-8", "stopped", NOW - HOUR, NULL);
	run();
	expect(ENDS, "24.0 3 0 0 0.0 0.0 -");
	expect("SELECT resources FROM grant_ends", "NULL");
}

static void a_renewal_takes_over_what_it_has_room_for(void **state)
{
	give("trc", V3, NOW - 27 * DAY_SECONDS, NOW + DAY_SECONDS);
	give("next", "1 on-demand v3-8 device in " ZONE, NOW, NOW + 30 * DAY_SECONDS)
		->extends = "trc";
	put("tpu", "old", "v3-8", "running", NOW - 2 * HOUR, NULL);
	put("tpu", "young", "v3-8", "running", NOW - HOUR, NULL);
	run();
	expect("SELECT renewed_by || ' ' || becomes_paid || ' ' || per_hour || ' ' || "
	       "resources FROM grant_ends WHERE name = 'trc'",
		"next 1 8.8 p/tpu/" ZONE "/young");
	/* of the renewal's end: one is left, and only one had room */
	expect("SELECT becomes_paid || ' ' || resources FROM grant_ends WHERE name = "
	       "'next'",
		"1 p/tpu/" ZONE "/old");
}

static void a_gap_before_the_renewal_is_paid_and_its_end_is_named(void **state)
{
	give("trc", V3, NOW - 27 * DAY_SECONDS, NOW + DAY_SECONDS);
	give("next", V3, NOW + 2 * DAY_SECONDS, NOW + 30 * DAY_SECONDS)->extends = "trc";
	put("tpu", "a", "v3-8", "running", NOW - HOUR, NULL);
	run();
	expect("SELECT COALESCE(renewed_by, '-') || ' ' || becomes_paid FROM grant_ends",
		"- 1");
	expect("SELECT again || ' ' || again_grant FROM grant_plan",
		"2026-11-23T00:00:00Z next");
	/* a new grant that is for new TPUs only does not take it over */
	grants[1].extends = NULL;
	run();
	expect("SELECT COUNT(*) || ' ' || COUNT(again) FROM grant_plan", "1 0");
}

static void what_is_pushed_out_of_another_grant_is_paid_too(void **state)
{
	give("short", "1 on-demand v3-8 device in " ZONE, NOW - 9 * DAY_SECONDS,
		NOW + DAY_SECONDS);
	give("long", "1 on-demand v3-8 device in " ZONE, NOW - 9 * DAY_SECONDS,
		NOW + 9 * DAY_SECONDS);
	put("tpu", "old", "v3-8", "running", NOW - 2 * HOUR, NULL);
	put("tpu", "young", "v3-8", "running", NOW - HOUR, NULL);
	run();
	/* old has short, young has long; when short ends, old takes long */
	expect("SELECT resources FROM grant_ends WHERE name = 'short'",
		"p/tpu/" ZONE "/young");
	expect("SELECT resources FROM grant_ends WHERE name = 'long'",
		"p/tpu/" ZONE "/old");
	expect("SELECT why_text FROM grant_plan WHERE grant_name = 'short'",
		"long grants 1 on-demand v3-8 device in " ZONE
		" and older TPUs use 1; this one needs 1");
}

static void after_the_end_only_what_it_had_covered_counts(void **state)
{
	give("trc", V3, NOW - 27 * DAY_SECONDS, NOW - DAY_SECONDS);
	put("tpu", "left", "v3-8", "running", NOW - 3 * DAY_SECONDS, NULL);
	put("tpu", "made-later", "v3-8", "running", NOW - HOUR, NULL);
	run();
	expect(ENDS, "-24.0 5 4 1 8.8 211.2 USD");
	expect("SELECT resources FROM grant_ends", "p/tpu/" ZONE "/left");
}

static void a_price_that_is_not_known_is_no_sum(void **state)
{
	give("trc", "64 on-demand v6e chips in " ZONE, NOW - DAY_SECONDS,
		NOW + DAY_SECONDS);
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "a", "v3-8", "running", NOW - HOUR, NULL);
	put("tpu", "b", "v6e-8", "running", NOW - HOUR, NULL);
	tempdb_exec(&t,
		"UPDATE resource SET location = 'nowhere-east1-a', zone = "
		"'nowhere-east1-a' WHERE name = 'b'");
	grants[0].zone = "nowhere-east1-a";
	run();
	expect("SELECT becomes_paid || ' ' || COALESCE(per_hour, '-') || ' ' || "
	       "COALESCE(currency, '-') FROM grant_ends",
		"2 - -");
	expect("SELECT gross_per_hour FROM grant_plan WHERE name = 'b'", "NULL");
}

static void requests_that_wait_are_in_the_plan_but_not_in_the_sum(void **state)
{
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "a", "v3-8", "running", NOW - HOUR, "my-request");
	put("queued", "waits", "v3-8", "starting", NOW - HOUR, NULL);
	put("queued", "my-request", "v3-8", "running", NOW - HOUR, NULL);
	put("queued", "other", "v2-8", "starting", NOW - HOUR, NULL);
	run();
	expect(ENDS, "24.0 3 4 1 8.8 211.2 USD");
	expect("SELECT COUNT(*) FROM grant_plan", "2");
	expect("SELECT kind || ' ' || delete_command FROM grant_plan WHERE waits = 1",
		"queued gcloud compute tpus queued-resources delete waits --zone=" ZONE
		" --project=p --force");
	/* a TPU of a queued resource goes with that */
	expect("SELECT delete_command FROM grant_plan WHERE waits = 0",
		"gcloud compute tpus queued-resources delete my-request --zone=" ZONE
		" --project=p --force");
}

static void files_are_copied_from_every_worker(void **state)
{
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "a", "v3-8", "running", NOW - HOUR, NULL);
	put("disk", "data", "pd-ssd", "running", NOW - HOUR, NULL);
	tempdb_exec(&t, "UPDATE resource SET attached_to = 'a' WHERE kind = 'disk'");
	run();
	expect("SELECT copy_command FROM grant_plan",
		"gcloud compute tpus tpu-vm scp --recurse --worker=all 'a:~/OUTPUT' ./a/ "
		"--zone=" ZONE " --project=p");
	expect("SELECT storage_command FROM grant_plan",
		"gcloud compute tpus tpu-vm ssh a --zone=" ZONE
		" --project=p --worker=all --command='gcloud storage cp -r ~/OUTPUT "
		"gs://BUCKET/a/$(hostname)/'");
	expect("SELECT disks FROM grant_plan", "data");
	put("bucket", "far", "STANDARD", "running", NOW, NULL);
	put("bucket", "near", "STANDARD", "running", NOW, NULL);
	tempdb_exec(&t,
		"UPDATE resource SET location = 'us' WHERE name = 'far';"
		"UPDATE resource SET location = 'EUROPE-WEST4' WHERE name = 'near'");
	run();
	expect("SELECT instr(storage_command, 'gs://near/a/') > 0 FROM grant_plan", "1");
	/* a TPU that is a Compute instance */
	tempdb_exec(&t, "UPDATE resource SET source = 'vm' WHERE kind = 'tpu'");
	run();
	expect("SELECT delete_command FROM grant_plan",
		"gcloud compute instances delete a --zone=" ZONE " --project=p");
	expect("SELECT copy_command FROM grant_plan",
		"gcloud compute scp --recurse 'a:~/OUTPUT' ./a/ --zone=" ZONE
		" --project=p");
}

#define GCLOUD_LIST "for host in $(gcloud compute instance-groups managed list-instances "
#define GCLOUD_NAMES " --format='value(instance.basename())'); do "

static void files_of_a_slice_are_copied_from_every_host(void **state)
{
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "pod", "v3-8", "running", NOW - HOUR, NULL);
	tempdb_exec(&t,
		"UPDATE resource SET source = 'slice', "
		"attached_to = 'zones/" ZONE "/instanceGroupManagers/pod'");
	run();
	expect("SELECT copy_command FROM grant_plan",
		GCLOUD_LIST "pod --zone=" ZONE " --project=p" GCLOUD_NAMES
			    "mkdir -p ./pod/\"$host\"; gcloud compute scp --recurse "
			    "\"$host:~/OUTPUT\" ./pod/\"$host\"/ --zone=" ZONE
			    " --project=p; done");
	expect("SELECT storage_command FROM grant_plan",
		GCLOUD_LIST "pod --zone=" ZONE " --project=p" GCLOUD_NAMES
			    "gcloud compute ssh \"$host\" --zone=" ZONE
			    " --project=p --command='gcloud storage cp -r ~/OUTPUT "
			    "gs://BUCKET/pod/$(hostname)/'; done");
	/* a group in several zones: the hosts in that of the slice */
	tempdb_exec(&t,
		"UPDATE resource SET "
		"attached_to = 'regions/europe-west4/instanceGroupManagers/wide'");
	run();
	expect("SELECT substr(copy_command, 1, instr(copy_command, ' --format') - 1) "
	       "FROM grant_plan",
		GCLOUD_LIST "wide --region=europe-west4 --project=p "
			    "--filter='instance~/zones/" ZONE "/'");
	/* a node pool: no instance has its name, and its pods have the files */
	tempdb_exec(&t,
		"UPDATE resource SET "
		"attached_to = 'locations/europe-west4/clusters/train/nodePools/pod'");
	run();
	expect("SELECT copy_command FROM grant_plan",
		"gcloud container clusters get-credentials train --location=europe-west4 "
		"--project=p && kubectl cp NAMESPACE/POD:OUTPUT ./pod/POD "
		"# for each pod: set NAMESPACE, POD and OUTPUT");
	expect("SELECT storage_command IS NULL FROM grant_plan", "1");
}

static void names_cannot_become_commands(void **state)
{
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	put("tpu", "a; rm -rf $HOME", "v3-8", "running", NOW - HOUR, NULL);
	run();
	expect("SELECT delete_command FROM grant_plan",
		"gcloud compute tpus tpu-vm delete 'a; rm -rf $HOME' --zone=" ZONE
		" --project=p");
}

/* ---- totals -------------------------------------------------------------------------------- */

static void totals_say_what_was_saved_and_what_leaked(void **state)
{
	/* it began 3 hours ago: the first 7 of 10 hours were paid */
	give("trc", V3, NOW - 3 * HOUR, NOW + DAY_SECONDS)->new_only = false;
	put("tpu", "a", "v3-8", "running", NOW - 10 * HOUR, NULL);
	put("tpu", "b", "v3-8", "running", NOW - 1 * HOUR, NULL);
	put("tpu", "pod", "v3-32", "running", NOW - 2 * HOUR, NULL);
	run_since(NOW - DAY_SECONDS);
	/* 4 chips x (3 + 1) h; 4 h x 8.80 = 35.20 */
	expect("SELECT grant_name || ' ' || tpus || ' ' || chip_hours || ' ' || gross || ' "
	       "' || net || ' ' || saved || ' ' || currency FROM coverage_totals WHERE "
	       "covered = 1",
		"trc 2 16.0 35.2 0.0 35.2 USD");
	/* 4 chips x 7 h; 7 x 8.80 = 61.60 leaked */
	expect("SELECT tpus || ' ' || chip_hours || ' ' || gross || ' ' || net || ' ' || "
	       "saved FROM coverage_totals WHERE why = 'not-started'",
		"1 28.0 61.6 61.6 0.0");
	/* 16 chips x 2 h */
	expect("SELECT tpus || ' ' || chip_hours FROM coverage_totals WHERE why = "
	       "'wrong-type'",
		"1 32.0");
	/* together they are what the rows add up to */
	expect("SELECT SUM(chip_hours) = (SELECT SUM(chip_hours) FROM coverage) FROM "
	       "coverage_totals",
		"1");
}

static void what_has_no_price_has_a_total_of_its_own(void **state)
{
	put("tpu", "a", "v3-8", "running", NOW - 2 * HOUR, NULL);
	put("tpu", "b", "v3-9", "running", NOW - 2 * HOUR, NULL);
	run_since(NOW - DAY_SECONDS);
	expect("SELECT tpus || ' ' || chip_hours || ' ' || net FROM coverage_totals WHERE "
	       "currency = 'USD'",
		"1 8.0 17.6");
	expect("SELECT tpus || ' ' || COALESCE(chip_hours, '-') || ' ' || COALESCE(net, "
	       "'-') FROM coverage_totals WHERE currency IS NULL",
		"1 - -");
}

/* ---- quota --------------------------------------------------------------------------------- */

static void limit(
	const char *quota_id, const char *metric, const char *location, int64_t value)
{
	tempdb_put_quota(&t,
		(struct q_quota_put_in){.service = "tpu.googleapis.com",
			.metric = metric,
			.location = location,
			.quota_id = quota_id,
			.limit_value = SOME(value)});
}

#define NOTE "SELECT quota_note FROM grants ORDER BY name"

static void a_quota_below_the_grant_is_noted_in_the_right_unit(void **state)
{
	give("trc", V3, NOW - DAY_SECONDS, NOW + DAY_SECONDS);
	run();
	expect(NOTE, "NULL"); /* not known */
	limit("TPUV3sPerProjectPerZoneForTPUAPI", "x", ZONE, 8);
	run();
	/* 8 cores are 4 chips; the grant has 5 x 4 */
	expect(NOTE, "granted 20 chips; quota TPUV3s of p limits use to 4 (8 cores)");
	/* a bigger one of the same thing, a region's limit, unlimited */
	limit("TPUV3sPodPerProjectPerZoneForTPUAPI", "x", ZONE, 40);
	run();
	expect(NOTE, "NULL");
	tempdb_exec(&t, "UPDATE quota_limit SET limit_value = 0");
	run();
	expect(NOTE,
		"granted 20 chips; quota TPUV3s of p limits use to 0 (0 cores); other "
		"quotas: "
		"TPUV3sPod 0 (0 cores)");
	limit("", "tpu.googleapis.com/tpu-v3s", "europe-west4", -1);
	run();
	expect(NOTE, "NULL");
}

static void other_quotas_say_nothing_about_a_grant(void **state)
{
	give("trc", "64 spot v5e chips in europe-west4-b", NOW - DAY_SECONDS,
		NOW + DAY_SECONDS);
	limit("TPUV5sLitepodPerProjectPerZoneForTPUAPI", "a", "europe-west4-b", 8);
	limit("TPUV5sPreemptibleLitepodServingPerProjectPerZoneForTPUAPI", "b",
		"europe-west4-b", 8);
	limit("TPUV5sPreemptibleLitepodPerProjectPerZoneForTPUAPI", "c", "europe-west4-a",
		8);
	limit("TPUV5PPreemptiblePerProjectPerZoneForTPUAPI", "d", "europe-west4-b", 8);
	limit("Requests", "e", "europe-west4-b", 8);
	run();
	expect(NOTE, "NULL");
	limit("", "tpu.googleapis.com/tpu-v5s-litepod-preemptible", "europe-west4-b", 32);
	run();
	expect(NOTE,
		"granted 64 chips; quota tpu-v5s-litepod-preemptible of p limits use to "
		"32; "
		"other quotas: TPUV5sLitepod 8");
	/* it is no verdict, and says nothing of a grant that is over */
	grants[0].until = NOW;
	run();
	expect(NOTE, "NULL");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_runs_becomes_paid_together),
		TEST(stages_go_up_as_the_end_comes_near),
		TEST(nothing_running_is_nothing_to_pay),
		TEST(a_renewal_takes_over_what_it_has_room_for),
		TEST(a_gap_before_the_renewal_is_paid_and_its_end_is_named),
		TEST(what_is_pushed_out_of_another_grant_is_paid_too),
		TEST(after_the_end_only_what_it_had_covered_counts),
		TEST(a_price_that_is_not_known_is_no_sum),
		TEST(requests_that_wait_are_in_the_plan_but_not_in_the_sum),
		TEST(files_are_copied_from_every_worker),
		TEST(files_of_a_slice_are_copied_from_every_host),
		TEST(names_cannot_become_commands),
		TEST(totals_say_what_was_saved_and_what_leaked),
		TEST(what_has_no_price_has_a_total_of_its_own),
		TEST(a_quota_below_the_grant_is_noted_in_the_right_unit),
		TEST(other_quotas_say_nothing_about_a_grant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
