/* Points of a metric: from a server that misbehaves, and from the sandbox. */
#include "base/str.h"
#include "tests/sandbox/sandbox.h"

#include "gcp/monitoring.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#define P "my-project"
#define CPU "compute.googleapis.com/instance/cpu/utilization"
#define FROM INT64_C(1795248000) /* 2026-11-21T08:00:00Z */
#define NOW INT64_C(1795251600)  /* 2026-11-21T09:00:00Z */
#define TIME_SERIES "GET /v3/projects/my-project/timeSeries?"
#define RAW                                                                                \
	TIME_SERIES "filter=metric.type%3D%22" T "%22&interval.startTime=2026-11-21T08%3A" \
		    "00%3A00Z&interval.endTime=2026-11-21T09%3A00%3A00Z&view=FULL"
#define T "m"

static const struct series_query query = {
	.filter = "metric.type=\"m\"", .from = FROM, .until = NOW};

static enum err_code ask(struct gcp_world *w, void *out)
{
	return monitoring_series(w->g, P, &query, &w->a, out, &w->e);
}

static const struct asked_list points = {TIME_SERIES, "read metrics: ", ask};

#define assert_value(got, want)                                    \
	do {                                                       \
		if ((got) != (want))                               \
			fail_msg("%.17g is not %s", (got), #want); \
	} while (0)

/* A list of one series with these points; the world is open afterwards. */
static enum err_code read_points_of(
	struct gcp_world *w, const char *text, struct series_list *out)
{
	return list_ask(&points, w, "{\"timeSeries\":[{\"points\":", text, "}]}", out);
}

/* A point of a minute of the hour. */
#define POINT(minute, value) \
	"{\"interval\":{\"endTime\":\"2026-11-21T08:" minute ":00Z\"},\"value\":" value "}"

/* ---- the request --------------------------------------------------------- */

static void raw_points_are_asked_for_with_their_interval(void **state)
{
	struct fault_step step = {
		.match = RAW "&pageSize=100000&prettyPrint=false ", .body = "{}"};
	struct series_list list = {.n = 9, .partial = true};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 0);
	assert_i64_eq(list.n_points, 0);
	assert_false(list.partial);
	assert_i64_eq(fault_count_of(w.s, step.match), 1);
	world_close(&w);
}

static void points_can_be_aligned_and_reduced(void **state)
{
	static const char *const fields[] = {
		"resource.label.instance_id", "metric.label.a&b"};
	struct fault_step step = {.match = RAW
		"&aggregation.alignmentPeriod=300s&"
		"aggregation.perSeriesAligner=ALIGN_MEAN&"
		"aggregation.crossSeriesReducer=REDUCE_MAX&"
		"aggregation.groupByFields=resource.label.instance_id&"
		"aggregation.groupByFields=metric.label.a%26b&"
		"pageSize=100000&prettyPrint=false ",
		.body = "{}"};
	struct series_query q = query;
	struct series_list list = {0};
	struct gcp_world w;

	q.aligner = "ALIGN_MEAN";
	q.period = 300;
	q.reducer = "REDUCE_MAX";
	q.group_by = fields;
	q.n_group_by = ARRAY_LEN(fields);
	world_open(&w, &step, 1);
	assert_ok(monitoring_series(w.g, P, &q, &w.a, &list, &w.e), w.e);
	assert_i64_eq(fault_count_of(w.s, step.match), 1);
	world_close(&w);
}

/* ---- what is said -------------------------------------------------------- */

static const char full[] =
	"{\"timeSeries\":[{\"metric\":{\"type\":\"" CPU "\",\"labels\":{\"instance_name\":"
	"\"tpu-host\",\"location\":\"of the metric\"}},\"resource\":{\"type\":"
	"\"gce_instance\",\"labels\":{\"project_id\":\"p1\",\"instance_id\":"
	"\"5731082637182930411\",\"location\":\"of the resource\"}},\"metadata\":{"
	"\"systemLabels\":{\"x\":1}},\"metricKind\":\"GAUGE\",\"valueType\":\"DOUBLE\","
	"\"points\":[{\"interval\":{\"startTime\":\"2026-11-21T08:55:00Z\",\"endTime\":"
	"\"2026-11-21T08:55:00.000Z\"},\"value\":{\"doubleValue\":0.0123}},{\"interval\":{"
	"\"endTime\":\"2026-11-21T08:50:00Z\"},\"value\":{\"doubleValue\":1.5e-3}}]},"
	"{\"metric\":{\"type\":\"" CPU "\"},\"resource\":{\"type\":\"gce_instance\","
	"\"labels\":{\"instance_id\":\"7\"}},\"metricKind\":\"DELTA\",\"valueType\":"
	"\"INT64\",\"points\":[{\"interval\":{\"startTime\":\"2026-11-21T08:00:00Z\","
	"\"endTime\":\"2026-11-21T08:01:00Z\"},\"value\":{\"int64Value\":\"52428\"}}]}],"
	"\"unit\":\"10^2.%\",\"executionErrors\":[],\"nextPageToken\":\"\"}";

static void series_are_read_with_all_their_parts(void **state)
{
	struct fault_step step = {.match = TIME_SERIES, .body = full};
	struct series_list list = {0};
	const struct series *s;
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 2);
	assert_i64_eq(list.n_points, 3);
	assert_i64_eq(list.r.pages, 1);
	assert_false(list.partial);
	s = &list.v[0];
	assert_string_equal(s->resource, "gce_instance");
	assert_string_equal(s->kind, "GAUGE");
	assert_i64_eq(s->n_labels, 5);
	assert_string_equal(series_label(s, "instance_name"), "tpu-host");
	assert_string_equal(series_label(s, "instance_id"), "5731082637182930411");
	assert_string_equal(series_label(s, "location"), "of the metric");
	assert_string_equal(series_label(s, "nothing"), "");
	assert_i64_eq(s->n_points, 2);
	assert_ts_eq(s->points[0].start, NOW - 300);
	assert_ts_eq(s->points[0].at, NOW - 300);
	assert_value(s->points[0].value, 0.0123);
	assert_true(s->points[1].start == TS_NONE);
	assert_ts_eq(s->points[1].at, NOW - 600);
	assert_value(s->points[1].value, 0.0015);
	s = &list.v[1];
	assert_string_equal(s->kind, "DELTA");
	assert_i64_eq(s->n_labels, 1);
	assert_ts_eq(s->points[0].start, FROM);
	assert_ts_eq(s->points[0].at, FROM + 60);
	assert_value(s->points[0].value, 52428);
	world_close(&w);
}

static void numbers_come_in_several_shapes(void **state)
{
	static const struct {
		const char *value;
		double want;
	} cases[] = {
		{"{\"doubleValue\":0}", 0},
		{"{\"doubleValue\":-0.25}", -0.25},
		{"{\"doubleValue\":1}", 1},
		{"{\"doubleValue\":0.1}", 0.1},
		{"{\"doubleValue\":1e308}", 1e308},
		{"{\"doubleValue\":\"0.5\"}", 0.5},
		{"{\"doubleValue\":\"-1E+3\"}", -1000},
		{"{\"int64Value\":\"0\"}", 0},
		{"{\"int64Value\":\"-7\"}", -7},
		{"{\"int64Value\":7}", 7},
		{"{\"int64Value\":\"9007199254740992\"}", 9007199254740992.0},
		{"{\"int64Value\":\"9223372036854775807\"}", 9223372036854775808.0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct series_list list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_addf(&b, "[" POINT("59", "%s") "]", cases[i].value);
		assert_ok(read_points_of(&w, b.s, &list), w.e);
		assert_i64_eq(list.n_points, 1);
		if (list.v[0].points[0].value != cases[i].want)
			fail_msg("case %zu: %g", i, list.v[0].points[0].value);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void what_is_no_number_is_no_point(void **state)
{
	static const char *const values[] = {"{\"doubleValue\":\"NaN\"}",
		"{\"doubleValue\":\"Infinity\"}", "{\"doubleValue\":\"-Infinity\"}",
		"{\"boolValue\":true}", "{\"stringValue\":\"x\"}",
		"{\"distributionValue\":{\"count\":\"3\"}}", "{\"doubleValue\":null}", "{}",
		"null"};

	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct series_list list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_addf(&b,
			"[" POINT("59", "{\"doubleValue\":3}") "," POINT(
				"58", "%s") "," POINT("57", "{\"doubleValue\":4}") "]",
			values[i]);
		assert_ok(read_points_of(&w, b.s, &list), w.e);
		assert_i64_eq(list.n_points, 2);
		assert_i64_eq(list.v[0].n_points, 2);
		assert_value(list.v[0].points[0].value, 3);
		assert_value(list.v[0].points[1].value, 4);
		assert_ts_eq(list.v[0].points[1].at, FROM + 57 * 60);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void a_series_without_points_is_not_zero(void **state)
{
	static const char *const bodies[] = {"{\"timeSeries\":[{}]}",
		"{\"timeSeries\":[{\"points\":[]}]}",
		"{\"timeSeries\":[{\"points\":[" POINT(
			"01", "{\"doubleValue\":\"NaN\"}") "]}]}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = TIME_SERIES, .body = bodies[i]};
		struct series_list list = {0};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(ask(&w, &list), w.e);
		assert_i64_eq(list.n, 1);
		assert_i64_eq(list.v[0].n_points, 0);
		assert_i64_eq(list.n_points, 0);
		assert_string_equal(list.v[0].resource, "");
		assert_string_equal(list.v[0].kind, "");
		assert_string_equal(series_label(&list.v[0], "zone"), "");
		world_close(&w);
	}
}

static void an_error_of_execution_means_a_part_only(void **state)
{
	static const struct {
		const char *body;
		bool partial;
	} cases[] = {
		{"{\"executionErrors\":[]}", false},
		{"{\"executionErrors\":null}", false},
		{"{\"executionErrors\":[{\"code\":14,\"message\":\"try later\"}]}", true},
		{"{\"timeSeries\":[{\"points\":[" POINT(
			 "01", "{\"doubleValue\":1}") "]}],"
						      "\"executionErrors\":[{}]}",
			true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = TIME_SERIES, .body = cases[i].body};
		struct series_list list = {.partial = !cases[i].partial};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_ok(ask(&w, &list), w.e);
		assert_int_equal(list.partial, cases[i].partial);
		world_close(&w);
	}
}

/* ---- pages --------------------------------------------------------------- */

#define SERIES(id, points)                                                           \
	"{\"metric\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"}},\"resource\":{\"type\":" \
	"\"r\",\"labels\":{\"id\":\"" id "\"}},\"points\":[" points "]}"
#define ONE(minute) POINT(minute, "{\"doubleValue\":" minute ".5}")

static void a_series_goes_on_from_page_to_page(void **state)
{
	/* labels in another order, and a point that was there already */
	static const char second[] =
		"{\"timeSeries\":[{\"resource\":{\"labels\":{\"id\":\"x\"},\"type\":\"r\"},"
		"\"metric\":{\"labels\":{\"b\":\"2\",\"a\":\"1\"}},\"points\":[" ONE(
			"31") "," ONE("30") "," ONE("29") "]}," SERIES("z",
			ONE("10")) "],"
				   "\"executionErrors\":[{\"code\":4}],\"nextPageToken\":"
				   "\"c\"}";
	struct fault_step steps[] = {
		{.match = RAW "&pageSize=100000&pageToken=b%2B&prettyPrint=false ",
			.body = second},
		{.match = RAW "&pageSize=100000&pageToken=c&",
			.body = "{\"timeSeries\":[" SERIES("x", ONE("28")) "]}"},
		{.match = RAW "&pageSize=100000&prettyPrint=false ",
			.body = "{\"timeSeries\":[" SERIES(
				"x", ONE("32") "," ONE("31")) "," SERIES("y",
				ONE("32")) "],\"nextPageToken\":\"b+\"}"}};
	struct series_list list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.r.pages, 3);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.n_points, 7);
	assert_i64_eq(list.r.repeated, 1);
	assert_true(list.partial);
	assert_string_equal(series_label(&list.v[0], "id"), "x");
	assert_i64_eq(list.v[0].n_labels, 3);
	assert_i64_eq(list.v[0].n_points, 5);
	for (int i = 0; i < 5; i++) {
		assert_ts_eq(list.v[0].points[i].at, FROM + (32 - i) * 60);
		assert_value(list.v[0].points[i].value, 32.5 - i);
	}
	assert_string_equal(series_label(&list.v[1], "id"), "y");
	assert_string_equal(series_label(&list.v[2], "id"), "z");
	world_close(&w);
}

static void series_are_told_apart_by_all_their_labels(void **state)
{
	static const char body[] =
		"{\"timeSeries\":["
		"{\"metric\":{\"labels\":{\"a\":\"1\"}},\"points\":[" ONE(
			"10") "]},"
			      "{\"resource\":{\"labels\":{\"a\":\"1\"}},\"points\":[" ONE(
				      "10") "]},"
					    "{\"resource\":{\"type\":\"r\",\"labels\":{"
					    "\"a\":\"1\"}},\"points\":[" ONE(
						    "10") "]},"
							  "{\"metric\":{\"labels\":{\"a\":"
							  "\"1\\\",\\\"b\\\":\\\"2\"}},"
							  "\"points\":[" ONE(
								  "10") "]},"
									"{\"metric\":{"
									"\"labels\":{\"a\":"
									"\"1\",\"b\":\"2\"}"
									"},\"points\":"
									"[" ONE("10") "]}]"
										      "}";
	struct fault_step step = {.match = TIME_SERIES, .body = body};
	struct series_list list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 5);
	assert_i64_eq(list.n_points, 5);
	world_close(&w);
}

static void a_list_that_breaks_off_is_no_list(void **state)
{
	static const struct {
		struct fault_step second;
		enum err_code code;
		const char *part;
	} cases[] = {
		{{.body = "{\"nextPageToken\":\"b\"}"}, E_DATA, "page token was repeated"},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, "page 2"},
		{{.body = "{\"timeSeries\":[7]}"}, E_DATA, "page 2"},
		{{.body = "{\"timeSeries\":[{]}"}, E_DATA, "page 2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {cases[i].second,
			{.match = TIME_SERIES,
				.body = "{\"timeSeries\":[" SERIES(
					"x", ONE("32")) "],"
							"\"executionErrors\":[{}],"
							"\"nextPageToken\":\"b\"}"}};
		struct series_list list = {.n = 9};
		struct gcp_world w;

		steps[0].match = RAW "&pageSize=100000&pageToken=b";
		world_open(&w, steps, 2);
		assert_err(ask(&w, &list), w.e, cases[i].code, cases[i].part);
		assert_i64_eq(list.n, 9);
		assert_false(list.partial);
		world_close(&w);
	}
}

/* ---- what is refused ----------------------------------------------------- */

static void a_point_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"{}", "'points': not an array"},
		{"[7]", "points[0]: an item is not an object"},
		{"[{}]", "points[0]: field 'interval': missing"},
		{"[{\"interval\":{}}]", "'endTime': missing"},
		{"[{\"interval\":7}]", "'interval': not an object"},
		{"[{\"interval\":{\"endTime\":\"today\"}}]", "'endTime'"},
		{"[{\"interval\":{\"endTime\":7}}]", "'endTime'"},
		{"[{\"interval\":{\"startTime\":\"\\t\",\"endTime\":\"2026-11-21T08:00:"
		 "00Z\"}"
		 "}]",
			"'startTime'"},
		{"[" POINT("09", "7") "]", "'value': not an object"},
		{"[" POINT("09", "{\"doubleValue\":\"\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\" 1\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"1,5\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"0x10\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"1e999\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"nan\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"inf\"}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":\"1.\"}") "," POINT(
			 "08", "{\"doubleValue\":[]}") "]",
			"points[1]: field 'doubleValue'"},
		{"[" POINT("09", "{\"doubleValue\":true}") "]", "'doubleValue'"},
		{"[" POINT("09", "{\"int64Value\":\"1.5\"}") "]", "'int64Value'"},
		{"[" POINT("09", "{\"int64Value\":\"NaN\"}") "]", "'int64Value'"},
		{"[" POINT("09", "{\"int64Value\":\"9223372036854775808\"}") "]",
			"'int64Value'"},
		{"[" ONE("10") "," ONE("10") "]", "points[1]: field 'interval': not older"},
		{"[" ONE("10") "," ONE("11") "]", "not older than the previous one"},
		{"[" ONE("10") "," POINT("08", "{}") "," POINT(
			 "09", "{\"doubleValue\":1}") "]",
			"points[2]"},
	};

	list_spoiled(&points, "read metrics: page 1: timeSeries[0]: ",
		"{\"timeSeries\":[{\"points\":", "}]}", cases, ARRAY_LEN(cases));
}

static void a_series_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"{\"timeSeries\":{}}", "'timeSeries': not an array"},
		{"{\"executionErrors\":{}}", "'executionErrors': not an array"},
		{"{\"timeSeries\":[{},7]}", "timeSeries[1]: an item is not an object"},
		{"{\"timeSeries\":[{\"metric\":7}]}", "'metric': not an object"},
		{"{\"timeSeries\":[{\"resource\":[]}]}", "'resource': not an object"},
		{"{\"timeSeries\":[{\"metricKind\":7}]}", "'metricKind'"},
		{"{\"timeSeries\":[{\"resource\":{\"type\":7}}]}", "'type'"},
		{"{\"timeSeries\":[{\"metric\":{\"labels\":7}}]}",
			"metric: field 'labels': not an object"},
		{"{\"timeSeries\":[{\"metric\":{\"labels\":{\"a\":7}}}]}",
			"metric: field 'labels': a value is not a string"},
		{"{\"timeSeries\":[{\"resource\":{\"labels\":{\"a\":null}}}]}",
			"resource: field 'labels': a value is not a string"},
	};

	list_spoiled(&points, "", "", "", cases, ARRAY_LEN(cases));
}

/* 20,000 series of no points are read, one more is not; the same for the 64 labels of one. */
static void series_and_labels_have_a_cap(void **state)
{
	static const struct {
		const char *begin, *item, *end, *part;
		size_t most, series;
		enum err_code code;
	} cases[] = {
		{"{\"timeSeries\":[", "{\"metric\":{\"labels\":{\"a\":\"*\"}}}", "]}",
			"more than 20000 series", 20000, 20000, E_LIMIT},
		{"{\"timeSeries\":[{\"metric\":{\"labels\":{\"x\":\"\"}},\"resource\":{"
		 "\"labels\":{",
			"\"l*\":\"\"", "}}}]}", "resource: field 'labels': too many", 63, 1,
			E_DATA},
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = TIME_SERIES};
		struct series_list list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;
		size_t at = i / 2, n = cases[at].most + i % 2;
		const char *star = strchr(cases[at].item, '*');

		sbuf_adds(&b, cases[at].begin);
		for (size_t k = 0; k < n; k++) {
			sbuf_adds(&b, k ? "," : "");
			sbuf_add(&b, cases[at].item, (size_t)(star - cases[at].item));
			sbuf_addf(&b, "%zu%s", k, star + 1);
		}
		sbuf_adds(&b, cases[at].end);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (i % 2) {
			assert_err(ask(&w, &list), w.e, cases[at].code, cases[at].part);
		} else {
			assert_ok(ask(&w, &list), w.e);
			assert_i64_eq(list.n, cases[at].series);
		}
		sbuf_done(&b);
		world_close(&w);
	}
}

/* They are counted before they are read: 200,000 may be wrong, one more are too many. */
static void points_have_a_cap(void **state)
{
	for (size_t more = 0; more < 2; more++) {
		struct series_list list = {.n = 9};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_adds(&b, "[" ONE("10"));
		for (size_t i = 1; i < 200000 + more; i++)
			sbuf_adds(&b, ",0");
		sbuf_addc(&b, ']');
		if (more)
			assert_err(read_points_of(&w, b.s, &list), w.e, E_LIMIT,
				"more than 200000 points");
		else
			assert_err(
				read_points_of(&w, b.s, &list), w.e, E_DATA, "points[1]");
		assert_i64_eq(list.n, 9);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void points_of_all_series_count(void **state)
{
	struct fault_step step = {.match = TIME_SERIES};
	struct series_list list = {.n = 9};
	struct sbuf b = SBUF_INIT;
	struct gcp_world w;

	sbuf_adds(&b, "{\"timeSeries\":[" SERIES("x", ONE("10")) "," SERIES("y", "0"));
	sbuf_trunc(&b, b.len - 2);
	for (size_t i = 1; i < 200000; i++)
		sbuf_adds(&b, ",0");
	sbuf_adds(&b, "]}]}");
	step.body = b.s;
	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_LIMIT, "timeSeries[1]: more than 200000 points");
	sbuf_done(&b);
	world_close(&w);
}

static void refusals_are_told_apart(void **state)
{
	static const struct list_refusal cases[] = {
		{{.status = 403,
			 .body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_"
				 "DENIED\","
				 "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc."
				 "ErrorInfo\",\"reason\":\"SERVICE_DISABLED\"}]}}"},
			E_DISABLED,
			"run: gcloud services enable monitoring.googleapis.com --project "
			"my-project"},
		{{.status = 403, .body = "{}"}, E_DENIED, "roles/monitoring.viewer"},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, ""},
		{{.status = 429, .body = "{}"}, E_RATE, ""},
		{{.status = 400,
			 .body = "{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\"}"
				 "}"},
			E_HTTP, ""},
	};

	list_refused(&points, cases, ARRAY_LEN(cases));
}

static void a_rate_limit_that_passes_is_waited_for(void **state)
{
	struct fault_step steps[] = {{.match = TIME_SERIES,
					     .times = 1,
					     .status = 429,
					     .body = "{}",
					     .headers = "Retry-After: 7\r\n"},
		{.match = TIME_SERIES, .body = full}};
	struct series_list list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 2);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	assert_true(world_waited(&w) >= 7);
	world_close(&w);
}

/* A result may be used again: what the last list said is gone. */
static void lists_run_beside_each_other(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v3/projects/project-a/", .times = 1, .body = full},
		{.match = "GET /v3/projects/project-a/", .body = "{}"},
		{.match = "GET /v3/projects/project-b/", .status = 403, .body = "{}"}};
	struct series_list a = {.partial = true, .n_points = 199999}, b = {0}, c = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(monitoring_series_start(w.g, "project-a", &query, &w.a, &a, &w.e), w.e);
	assert_ok(monitoring_series_start(w.g, "project-b", &query, &w.a, &b, &w.e), w.e);
	assert_int_equal(a.r.code, E_BUG);
	assert_int_equal(monitoring_series_start(w.g, "No Project", &query, &w.a, &c, &w.e),
		E_CONFIG);
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_ok(a.r.code, a.r.err);
	assert_i64_eq(a.n, 2);
	assert_i64_eq(a.n_points, 3);
	assert_false(a.partial);
	assert_int_equal(b.r.code, E_DENIED);
	assert_ok(monitoring_series_start(w.g, "project-a", &query, &w.a, &a, &w.e), w.e);
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_i64_eq(a.n, 0);
	assert_i64_eq(a.n_points, 0);
	assert_i64_eq(fault_count_of(w.s, "GET "), 3);
	world_close(&w);
}

/* ---- the sandbox --------------------------------------------------------- */

static const char lab[] =
	"name: t\n"
	"projects: [{id: my-project, number: \"101\"}]\n"
	"zones: [us-central1-a]\n"
	"instances: [{zone: us-central1-a, name: vm-1, type: e2-micro}]\n"
	"metrics:\n"
	"  - {type: a/cpu, zone: us-central1-a, instance: vm-1, value: \"0.0041\"}\n"
	"  - {type: a/cpu, zone: us-central1-a, node: tpu-1, value: \"0.8\", every: 10m}\n"
	"  - {type: a/cpu, zone: us-central1-a, node: gone, value: \"9\", from: -9h,\n"
	"     until: -2h}\n"
	"  - {type: a/bytes, zone: us-central1-a, instance: vm-1, value: \"52428\",\n"
	"     integer: true}\n";

static struct {
	const char *filter, *start, *end, *period;
} asked;

static const char *param(const struct request *q, const char *name)
{
	(void)q;
	if (str_eq(name, "filter"))
		return asked.filter;
	if (str_eq(name, "interval.startTime"))
		return asked.start;
	if (str_eq(name, "interval.endTime"))
		return asked.end;
	return str_eq(name, "aggregation.alignmentPeriod") ? asked.period : NULL;
}

/* The sandbox's answer of the last hour; heap. */
static char *served(const char *filter, const char *period, int want)
{
	struct world w;
	struct err e = {0};
	struct request q = {.w = &w,
		.method = "GET",
		.now = NOW,
		.param = param,
		.seg = {"v3", "projects", P, "timeSeries"},
		.n_seg = 4};
	struct response r = {.status = 200};

	asked.filter = filter;
	asked.start = "2026-11-21T08:00:00Z";
	asked.end = "2026-11-21T08:56:00Z";
	asked.period = period;
	assert_ok(world_read(lab, strlen(lab), "w.yaml", NOW, &w, &e), e);
	q.a = &w.arena;
	serve_series(&q, &r);
	assert_i64_eq(r.status, want);
	world_free(&w);
	return sbuf_detach(&r.body);
}

static void the_sandbox_has_series(void **state)
{
	struct fault_step step = {.match = TIME_SERIES};
	struct series_list list = {0};
	struct gcp_world w;
	char *body;

	step.body = body = served("metric.type = \"a/cpu\" AND project=x", NULL, 200);
	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 2);
	assert_string_equal(list.v[0].resource, "gce_instance");
	assert_string_equal(series_label(&list.v[0], "instance_name"), "vm-1");
	assert_i64_eq(strlen(series_label(&list.v[0], "instance_id")), 19);
	assert_i64_eq(list.v[0].n_points, 57);
	assert_ts_eq(list.v[0].points[0].at, NOW - 240);
	assert_ts_eq(list.v[0].points[56].at, FROM);
	assert_value(list.v[0].points[0].value, 0.0041);
	assert_string_equal(list.v[1].resource, "tpu_worker");
	assert_string_equal(series_label(&list.v[1], "node_id"), "tpu-1");
	assert_i64_eq(list.v[1].n_points, 6);
	world_close(&w);
	free(body);
}

static void the_sandbox_aligns_and_has_whole_numbers(void **state)
{
	struct fault_step step = {.match = TIME_SERIES};
	struct series_list list = {0};
	struct gcp_world w;
	char *body;

	step.body = body = served("metric.type=\"a/bytes\"", "300s", 200);
	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_string_equal(list.v[0].kind, "DELTA");
	assert_ts_eq(list.v[0].points[0].at, NOW - 300);
	assert_ts_eq(list.v[0].points[0].start, NOW - 600);
	assert_value(list.v[0].points[0].value, 52428);
	world_close(&w);
	free(body);
}

static void the_sandbox_leaves_out_what_has_no_points(void **state)
{
	char *body = served("metric.type=\"a/other\"", NULL, 200);

	assert_string_equal(body, "{}");
	free(body);
	free(served("resource.type=\"x\"", NULL, 400));
	free(served("metric.type=\"a\" OR metric.type=\"b\"", NULL, 400));
	free(served("metric.type=\"a/cpu\"", "5s", 400));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_points_are_asked_for_with_their_interval),
		cmocka_unit_test(points_can_be_aligned_and_reduced),
		cmocka_unit_test(series_are_read_with_all_their_parts),
		cmocka_unit_test(numbers_come_in_several_shapes),
		cmocka_unit_test(what_is_no_number_is_no_point),
		cmocka_unit_test(a_series_without_points_is_not_zero),
		cmocka_unit_test(an_error_of_execution_means_a_part_only),
		cmocka_unit_test(a_series_goes_on_from_page_to_page),
		cmocka_unit_test(series_are_told_apart_by_all_their_labels),
		cmocka_unit_test(a_list_that_breaks_off_is_no_list),
		cmocka_unit_test(a_point_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(a_series_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(series_and_labels_have_a_cap),
		cmocka_unit_test(points_have_a_cap),
		cmocka_unit_test(points_of_all_series_count),
		cmocka_unit_test(refusals_are_told_apart),
		cmocka_unit_test(a_rate_limit_that_passes_is_waited_for),
		cmocka_unit_test(lists_run_beside_each_other),
		cmocka_unit_test(the_sandbox_has_series),
		cmocka_unit_test(the_sandbox_aligns_and_has_whole_numbers),
		cmocka_unit_test(the_sandbox_leaves_out_what_has_no_points),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
