/* Reservations and future reservations: what is read, and what is refused. */
#include "gcp/compute/reservation.h"

#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/unit.h"
#include "tests/support/world/gcp_world.h"

#include <stdio.h>
#include <string.h>

#define P "my-project"
#define LIST "GET /compute/v1/projects/my-project/aggregated/"
#define URL "https://www.googleapis.com/compute/v1/projects/my-project/"
#define BEGIN(key) "{\"kind\":\"k\",\"items\":{\"zones/us-east5-a\":{\"" key "\":["
#define END "]}}}"
#define HEAD "\"id\":\"1\",\"name\":\"r\""

static enum err_code ask_now(struct gcp_world *w, void *out)
{
	struct gce_reservations *list = out;

	return gce_reservations(w->g, P, &w->a, list, &w->e);
}

static enum err_code ask_future(struct gcp_world *w, void *out)
{
	struct gce_futures *list = out;

	return gce_futures(w->g, P, &w->a, list, &w->e);
}

static const struct asked_list now = {LIST
	"reservations?returnPartialSuccess=true&maxResults=500",
	"list reservations: ", ask_now};
static const struct asked_list future = {LIST
	"futureReservations?returnPartialSuccess=true&maxResults=500",
	"list future reservations: ", ask_future};

static struct gce_reservations nows;
static struct gce_futures futures;

/* The only reservation of a list. */
static const struct gce_reservation *one(struct gcp_world *w, const char *text)
{
	memset(&nows, 0, sizeof(nows));
	assert_ok(list_ask(&now, w, BEGIN("reservations"), text, END, &nows), w->e);
	assert_i64_eq(nows.n, 1);
	return &nows.v[0];
}

static const struct gce_future *one_future(struct gcp_world *w, const char *text)
{
	memset(&futures, 0, sizeof(futures));
	assert_ok(list_ask(&future, w, BEGIN("futureReservations"), text, END, &futures),
		w->e);
	assert_i64_eq(futures.n, 1);
	return &futures.v[0];
}

/* ---- what is read -------------------------------------------------------- */

static void machines_with_all_their_parts(void **state)
{
	struct gcp_world w;
	const struct gce_reservation *r = one(&w,
		"{\"kind\":\"compute#reservation\",\"id\":\"18446744073709551615\","
		"\"name\":"
		"\"train\",\"zone\":\"" URL "zones/us-east5-a\",\"status\":\"READY\","
		"\"creationTimestamp\":\"2026-02-20T03:11:09.123-08:00\",\"deleteAtTime\":"
		"\"2026-02-22T18:00:00.000-08:00\",\"deploymentType\":\"DENSE\","
		"\"specificReservationRequired\":true,\"linkedCommitments\":[\"" URL
		"regions/us-east5/commitments/year\"],\"specificReservation\":{\"count\":"
		"\"16\",\"inUseCount\":\"8\",\"assuredCount\":\"16\","
		"\"instanceProperties\":{"
		"\"machineType\":\"n1-standard-4\",\"guestAccelerators\":[{"
		"\"acceleratorType\":\"nvidia-tesla-t4\",\"acceleratorCount\":2}],"
		"\"localSsds\":[{\"diskSizeGb\":\"375\"},{\"diskSizeGb\":\"375\"}]}}}");

	assert_string_equal(r->id, "18446744073709551615");
	assert_string_equal(r->name, "train");
	assert_string_equal(r->zone, "us-east5-a");
	assert_string_equal(r->status, "READY");
	assert_ts_eq(r->created, 1771585869); /* 2026-02-20T11:11:09Z */
	assert_ts_eq(r->ends, 1771812000);    /* 2026-02-23T02:00:00Z */
	assert_true(r->committed);
	assert_string_equal(r->what.type, "n1-standard-4");
	assert_true(opt_i64_same(r->what.count, SOME(16)));
	assert_true(opt_i64_same(r->what.used, SOME(8)));
	assert_string_equal(r->what.gpu_type, "nvidia-tesla-t4");
	assert_i64_eq(r->what.gpus, 2);
	assert_i64_eq(r->what.local_ssd_gib, 750);
	world_close(&w);
}

static void chips_are_summed(void **state)
{
	static const struct {
		const char *family, *type;
	} cases[] = {
		{"VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E", "ct6e"},
		{"VM_FAMILY_CLOUD_TPU_POD_SLICE_TPU7X", "tpu7x"},
		{"VM_FAMILY_CLOUD_TPU_DEVICE_CT3", "ct3"},
		{"VM_FAMILY_CLOUD_TPU_POD_SLICE_CT9Z", "ct9z"},
		{"VM_FAMILY_GENERAL_PURPOSE_T2D", ""},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		const struct gce_reservation *r;
		struct gcp_world w;

		sbuf_addf(&b,
			"{" HEAD ",\"aggregateReservation\":{\"vmFamily\":\"%s\","
			"\"reservedResources\":[{\"accelerator\":{\"acceleratorCount\":"
			"200}},{\"accelerator\":{\"acceleratorCount\":56}},{}],"
			"\"inUseResources\":[{\"accelerator\":{\"acceleratorCount\":64}}]}"
			"}",
			cases[i].family);
		r = one(&w, b.s);
		assert_string_equal(r->what.type, cases[i].type);
		assert_true(opt_i64_same(r->what.count, SOME(256)));
		assert_true(opt_i64_same(r->what.used, SOME(64)));
		assert_false(r->committed);
		assert_true(r->ends == TS_NONE);
		sbuf_done(&b);
		world_close(&w);
	}
}

/* A count that is not stated is not 0. An empty list of chips is. */
static void what_is_absent_is_unknown(void **state)
{
	const struct gce_reservation *r;
	struct gcp_world w;

	r = one(&w, "{" HEAD "}");
	assert_string_equal(r->status, "");
	assert_string_equal(r->what.type, "");
	assert_string_equal(r->what.gpu_type, "");
	assert_false(r->what.count.set || r->what.used.set || r->committed);
	assert_true(r->created == TS_NONE);
	world_close(&w);
	r = one(&w,
		"{" HEAD ",\"specificReservation\":{\"count\":\"0\",\"inUseCount\":null,"
		"\"instanceProperties\":{\"localSsds\":[{\"interface\":\"NVME\"}]}}}");
	assert_true(opt_i64_same(r->what.count, SOME(0)));
	assert_false(r->what.used.set);
	assert_i64_eq(r->what.local_ssd_gib, -1);
	world_close(&w);
	r = one(&w, "{" HEAD ",\"aggregateReservation\":{}}");
	assert_true(opt_i64_same(r->what.used, SOME(0)));
	world_close(&w);
}

static void a_future_reservation(void **state)
{
	struct gcp_world w;
	const struct gce_future *f = one_future(&w,
		"{" HEAD
		",\"reservationMode\":\"CALENDAR\",\"planningStatus\":\"SUBMITTED\","
		"\"timeWindow\":{\"startTime\":\"2026-02-20T03:11:09-08:00\",\"endTime\":"
		"\"2026-02-22T18:00:00-08:00\"},\"status\":{\"procurementStatus\":"
		"\"FULFILLED\",\"fulfilledCount\":\"4\",\"autoCreatedReservations\":[\"" URL
		"zones/us-east5-a/reservations/made\"]},\"specificSkuProperties\":{"
		"\"totalCount\":\"4\",\"instanceProperties\":{\"machineType\":"
		"\"ct6e-standard-4t\"}}}");

	assert_string_equal(f->mode, "CALENDAR");
	assert_string_equal(f->status, "FULFILLED");
	assert_string_equal(f->zone, "us-east5-a");
	assert_ts_eq(f->starts, 1771585869);
	assert_ts_eq(f->ends, 1771812000);
	assert_i64_eq(f->n_made, 1);
	assert_string_equal(f->made[0], "made");
	assert_string_equal(f->what.type, "ct6e-standard-4t");
	assert_true(opt_i64_same(f->what.count, SOME(4)));
	assert_false(f->what.used.set);
	world_close(&w);
	/* a duration instead of an end; a mode of tomorrow */
	f = one_future(&w,
		"{" HEAD ",\"reservationMode\":\"SOON\",\"timeWindow\":{\"startTime\":"
		"\"2026-02-20T03:11:09-08:00\",\"duration\":{\"seconds\":\"3600\"}},"
		"\"aggregateReservation\":{\"vmFamily\":"
		"\"VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E\",\"reservedResources\":[{"
		"\"accelerator\":{\"acceleratorCount\":8}}]}}");
	assert_string_equal(f->mode, "SOON");
	assert_string_equal(f->status, "");
	assert_ts_eq(f->ends, 1771585869 + 3600);
	assert_i64_eq(f->n_made, 0);
	assert_string_equal(f->what.type, "ct6e");
	assert_true(opt_i64_same(f->what.count, SOME(8)));
	assert_false(f->what.used.set);
	world_close(&w);
}

static void states_of_tomorrow_are_unknown(void **state)
{
	assert_string_equal(gce_reservation_state("READY"), "running");
	assert_string_equal(gce_reservation_state("PENDING_APPROVAL"), "pending");
	assert_string_equal(gce_reservation_state("COMMITTED"), "committed");
	assert_string_equal(gce_reservation_state("DECLINED"), "failed");
	assert_string_equal(gce_reservation_state("HIBERNATING"), "unknown");
	assert_string_equal(gce_reservation_state(""), "unknown");
}

/* ---- the reservation of a machine ---------------------------------------- */

static void the_reservation_of_a_machine(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"projects/my-project/zones/us-east5-a/reservations/r", "us-east5-a/r"},
		{URL "zones/us-east5-a/reservations/r", "us-east5-a/r"},
		{"projects/1234/zones/us-east5-a/reservations/r", "us-east5-a/r"},
		{"projects/my-project/zones/us-east5-a/reservations/r/reservationBlocks/b",
			"us-east5-a/r"},
		{"projects/other/zones/us-east5-a/reservations/r", NULL},
		{"projects/my-project/regions/us-east5/reservations/r", NULL},
		{"projects/my-project/zones/us-east5-a/reservations/", NULL},
		{"projects/my-project/zones/us east5/reservations/r", NULL},
		{"r", NULL},
		{"", NULL},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = gce_reservation_used(cases[i].text, P, &a);

		if (!str_eq(got, cases[i].want))
			fail_msg("%s: %s", cases[i].text, got ? got : "NULL");
	}
	arena_done(&a);
}

/* ---- what is refused ----------------------------------------------------- */

static void malformed_reservations(void **state)
{
	static const struct list_fault cases[] = {
		{"{\"name\":\"r\"}", "'id'"},
		{"{\"id\":\"1\"}", "name"},
		{"{\"id\":\"1\",\"name\":\"a/b\"}", "name"},
		{"{" HEAD ",\"deleteAtTime\":\"soon\"}", "deleteAtTime"},
		{"{" HEAD ",\"linkedCommitments\":{}}", "linkedCommitments"},
		{"{" HEAD ",\"specificReservation\":[]}", "specificReservation"},
		{"{" HEAD ",\"specificReservation\":{\"count\":\"-1\"}}", "count"},
		{"{" HEAD ",\"specificReservation\":{\"count\":1.5}}", "count"},
		{"{" HEAD ",\"specificReservation\":{\"inUseCount\":\"many\"}}",
			"inUseCount"},
		{"{" HEAD ",\"specificReservation\":{\"instanceProperties\":{"
		 "\"localSsds\":{}}}}",
			"localSsds"},
		{"{" HEAD ",\"aggregateReservation\":7}", "aggregateReservation"},
		{"{" HEAD ",\"aggregateReservation\":{\"inUseResources\":[{\"accelerator\":"
		 "{\"acceleratorCount\":-1}}]}}",
			"acceleratorCount"},
		{"{" HEAD ",\"aggregateReservation\":{\"reservedResources\":[{"
		 "\"accelerator\":{\"acceleratorCount\":\"9223372036854775807\"}},{"
		 "\"accelerator\":{\"acceleratorCount\":1}}]}}",
			"too many chips"},
	};

	list_spoiled(&now,
		"list reservations: page 1: zones/us-east5-a: ", BEGIN("reservations"), END,
		cases, ARRAY_LEN(cases));
}

static void malformed_future_reservations(void **state)
{
	static const struct list_fault cases[] = {
		{"{\"name\":\"r\"}", "'id'"},
		{"{" HEAD ",\"reservationMode\":5}", "reservationMode"},
		{"{" HEAD ",\"timeWindow\":\"now\"}", "timeWindow"},
		{"{" HEAD ",\"timeWindow\":{\"startTime\":\"x\"}}", "startTime"},
		{"{" HEAD ",\"timeWindow\":{\"duration\":{\"seconds\":\"-5\"}}}",
			"seconds"},
		{"{" HEAD ",\"status\":{\"autoCreatedReservations\":\"r\"}}",
			"autoCreatedReservations"},
		{"{" HEAD ",\"specificSkuProperties\":{\"totalCount\":true}}",
			"totalCount"},
	};

	list_spoiled(&future, "list future reservations: page 1: zones/us-east5-a: ",
		BEGIN("futureReservations"), END, cases, ARRAY_LEN(cases));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_with_all_their_parts),
		cmocka_unit_test(chips_are_summed),
		cmocka_unit_test(what_is_absent_is_unknown),
		cmocka_unit_test(a_future_reservation),
		cmocka_unit_test(states_of_tomorrow_are_unknown),
		cmocka_unit_test(the_reservation_of_a_machine),
		cmocka_unit_test(malformed_reservations),
		cmocka_unit_test(malformed_future_reservations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
