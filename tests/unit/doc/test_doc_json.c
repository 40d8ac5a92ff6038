/* Documents as data: every member of a small one, and what holds for any. */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/oracle.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define UNIT INT64_C(1000000000)

static struct sbuf out;
static struct cJSON *json;
static struct tz *tz;

static int setup(void **state)
{
	struct err e = {0};

	if (tz_open("UTC", &tz, &e))
		fail_msg("%s", e.msg);
	return sample_setup(state);
}

static int teardown(void **state)
{
	sbuf_done(&out);
	json_free(json);
	json = NULL;
	tz_free(tz);
	return sample_teardown(state);
}

/* Rendered anew; the parser refuses what is no JSON and members that come twice. */
static void say(const struct doc *d, size_t max_rows, size_t max_bytes)
{
	const struct format_opts o = {.max_rows = max_rows, .max_bytes = max_bytes};
	struct err e = {0};

	sbuf_reset(&out);
	json_free(json);
	json = NULL;
	doc_format_find("json")->render(d, &o, &out);
	assert_true(out.len > 2 && !strcmp(out.s + out.len - 2, "}\n"));
	assert_ok(json_parse(out.s, out.len - 1, &json, &e), e);
}

static struct doc *empty(void)
{
	struct doc *d = doc_new(&sample_arena, "daily", tz, SAMPLE_NOW);

	d->title = "tpucost";
	return d;
}

#define HEAD                                                                       \
	"{\"report\":\"daily\",\"title\":\"tpucost\",\"subject\":\"tpucost\","     \
	"\"headline\":null,\"timezone\":\"UTC\",\"made\":\"2026-11-21T00:00:00Z\"" \
	","
#define NO_NOTES "\"notes\":[],\"section_notes\":{},"
#define NO_LABELS "\"estimates\":[],\"partial\":[]"

static void an_empty_document(void **state)
{
	say(empty(), 0, 0);
	assert_string_equal(out.s, HEAD NO_NOTES NO_LABELS "}\n");
}

static const struct doc_column every[] = {
	{"name", "Name", DOC_CODE, 0, 0},
	{"text", NULL, DOC_TEXT, 0, 0},
	{"n", "N", DOC_INT, 0, 0},
	{"cost", "Cost", DOC_MONEY, 0, 0},
	{"rate", "Rate", DOC_RATE, 0, 0},
	{"hours", "Hours", DOC_DECIMAL, 0, 0},
	{"percent", "Percent", DOC_PERCENT, 0, 0},
	{"at", "At", DOC_TIME, 0, 0},
	{"age", "Age", DOC_DURATION, 0, 0},
	{"new", "New", DOC_FLAG, 0, 0},
};

static void cells_are_exact(void **state)
{
	struct doc *d = empty();
	struct doc_section *s = doc_section(d, "all", NULL, every, 10);
	struct doc_row *row = doc_row(s);
	struct doc_cell *c = row->cells;

	c[0] = cell_code("a\"b");
	c[1] = cell_text("");
	c[2] = cell_int(INT64_MIN);
	c[3] = cell_partial(cell_money(SOME(-1), "HKD"));
	c[4] = cell_estimate(cell_rate(SOME(INT64_MAX), "JPY"));
	c[5] = cell_decimal(SOME(7104250000001));
	c[6] = cell_percent(SOME(80 * UNIT + 500000000));
	c[7] = cell_time(0);
	c[8] = cell_duration(90061);
	c[9] = cell_flag(true);
	row->detail = "because";
	row->command = "mend it";
	row->total = row->folded = true;
	row = doc_row(s);
	row->cells[4] = cell_estimate(cell_rate(NONE, "HKD"));
	say(d, 1, 0);
	assert_string_equal(out.s,
		HEAD NO_NOTES
		"\"estimates\":[\"all.rate\"],\"partial\":[\"all.cost\"],"
		"\"all\":[{\"name\":\"a\\\"b\",\"text\":\"\",\"n\":-9223372036854775808,"
		"\"cost\":-0.000000001,\"cost_currency\":\"HKD\",\"cost_status\":"
		"\"partial\","
		"\"rate\":9223372036.854775807,\"rate_currency\":\"JPY\","
		"\"rate_status\":\"estimate\",\"hours\":7104.250000001,\"percent\":80.5,"
		"\"at\":\"1970-01-01T00:00:00Z\",\"age\":90061,\"new\":true,"
		"\"detail\":\"because\",\"command\":\"mend it\",\"total\":true},"
		"{\"name\":null,\"text\":null,\"n\":null,\"cost\":null,"
		"\"cost_currency\":null,\"rate\":null,\"rate_currency\":null,"
		"\"hours\":null,\"percent\":null,\"at\":null,\"age\":null,\"new\":null}]}"
		"\n");
}

static const struct doc_column with_currency[] = {
	{"cost", "Cost", DOC_MONEY, 0, 0},
	{"currency", NULL, DOC_TEXT, 0, 0},
};

static void a_currency_is_said_once(void **state)
{
	struct doc *d = empty();
	struct doc_section *s = doc_section(d, "money", NULL, with_currency, 2);
	struct doc_cell *c = doc_row(s)->cells;

	c[0] = cell_money(SOME(UNIT), "USD");
	c[1] = cell_text("USD");
	doc_row(s)->cells[1] = cell_text("HKD"); /* the amount is not known */
	c = doc_row(s)->cells;                   /* the column does not say it */
	c[0] = cell_money(SOME(UNIT), "USD");
	c = doc_row(s)->cells; /* the column says something else */
	c[0] = cell_money(SOME(UNIT), "USD");
	c[1] = cell_text("HKD");
	say(d, 0, 0);
	assert_string_equal(out.s,
		HEAD NO_NOTES NO_LABELS
		",\"money\":["
		"{\"cost\":1,\"currency\":\"USD\"},{\"cost\":null,\"currency\":\"HKD\"},"
		"{\"cost\":1,\"cost_currency\":\"USD\",\"currency\":null},"
		"{\"cost\":1,\"cost_currency\":\"USD\",\"currency\":\"HKD\"}]}\n");
}

static void facts_and_notes(void **state)
{
	struct doc *d = empty();

	doc_fact(d, "made", "Made", cell_time(0)); /* said by the document itself */
	doc_fact(d, "net", "Net", cell_estimate(cell_rate(SOME(UNIT / 2), "USD")));
	doc_fact(d, "age", NULL, cell_duration(240));
	doc_fact(d, "none", NULL, cell_text(NULL));
	doc_section(d, "days", "Days", every, 10)->note = "Pacific days.";
	doc_note(d, "The end.");
	d->subject = "news";
	d->headline = "All is well.";
	say(d, 0, 0);
	assert_string_equal(out.s,
		"{\"report\":\"daily\",\"title\":\"tpucost\",\"subject\":\"news\","
		"\"headline\":\"All is well.\",\"timezone\":\"UTC\","
		"\"made\":\"2026-11-21T00:00:00Z\",\"net\":0.5,\"net_currency\":\"USD\","
		"\"net_status\":\"estimate\",\"age\":240,\"none\":null,"
		"\"notes\":[\"The end.\"],\"section_notes\":{\"days\":\"Pacific days.\"},"
		"\"estimates\":[\"net\"],\"partial\":[],\"days\":[]}\n");
}

static const struct doc_column clashing[] = {
	{"cost", "Cost", DOC_MONEY, 0, 0},
	{"cost", "Cost again", DOC_TEXT, 0, 0},
	{"cost_currency", NULL, DOC_TEXT, 0, 0},
	{"cost_status", NULL, DOC_TEXT, 0, 0},
	{"detail", NULL, DOC_TEXT, 0, 0},
	{"command", NULL, DOC_TEXT, 0, 0},
	{"total", NULL, DOC_TEXT, 0, 0},
};

/* Keys that clash are the maker's mistake; nothing is lost, and no member comes twice. */
static void no_member_comes_twice(void **state)
{
	struct doc *d = empty();
	struct doc_section *s = doc_section(d, "title", NULL, clashing, 7);
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_estimate(cell_money(SOME(UNIT), "USD"));
	for (int i = 1; i < 7; i++)
		row->cells[i] = cell_text("x");
	row->detail = row->command = "y";
	row->total = true;
	doc_section(d, "left_out", NULL, every, 1);
	doc_section(d, "title", NULL, every, 1);
	doc_fact(d, "report", NULL, cell_int(1));
	doc_fact(d, "n", NULL, cell_int(2));
	doc_fact(d, "n", NULL, cell_int(3));
	say(d, 0, 0);
	assert_string_equal(out.s,
		HEAD
		"\"n\":2," NO_NOTES "\"estimates\":[\"title_2.cost\"],\"partial\":[],"
		"\"title_2\":[{\"cost\":1,\"cost_currency_2\":\"USD\","
		"\"cost_status_2\":\"estimate\",\"cost_2\":\"x\",\"cost_currency\":\"x\","
		"\"cost_status\":\"x\",\"detail\":\"x\",\"command\":\"x\",\"total\":\"x\","
		"\"detail_2\":\"y\",\"command_2\":\"y\",\"total_2\":true}],"
		"\"left_out_2\":[],\"title_3\":[]}\n");
}

static void samples_are_whole(void **state)
{
	struct cJSON *row;
	struct doc *d = sample_doc();
	struct err e = {0};
	int64_t nanos;

	say(d, 1, 0);
	for (size_t i = 0; i < d->n; i++)
		assert_i64_eq(
			json_len(json_get(json, d->sections[i]->key)), d->sections[i]->n);
	assert_i64_eq(json_len(json_get(json, "days")), 30); /* the folded ones too */
	row = json_first(json_get(json, "restatements"));
	assert_ok(json_nanos(json_get(row, "is"), &nanos, &e), e);
	assert_nanos_eq(nanos, 13050000001);
	assert_string_equal(json_text(json_get(row, "is_currency"), ""), "HKD");
	assert_contains(out.s,
		"\"estimates\":[\"actions.net_per_hour\","
		"\"burn.net_per_hour\",\"burn.gross_per_hour\"],"
		"\"partial\":[\"days.net\",\"days.cost\","
		"\"costs.yesterday\",\"costs.week\"]");
}

static void texts_are_as_they_came(void **state)
{
	struct doc *d = sample_hostile();
	size_t i = 0;

	say(d, 0, 0);
	assert_true(utf8_valid(out.s, out.len));
	JSON_EACH (row, json_get(json, "names")) {
		const char *name = json_text(json_get(row, "name"), NULL);

		assert_non_null(name);
		if (utf8_valid(sample_texts[i], strlen(sample_texts[i])))
			assert_string_equal(name, sample_texts[i]);
		else
			assert_contains(name, "\xef\xbf\xbd");
		i++;
	}
	assert_i64_eq(i, sample_n_texts);
}

static void a_limit_leaves_out_rows_and_says_so(void **state)
{
	struct doc *d = sample_many(200);
	size_t whole, rows;
	int64_t left;
	struct err e = {0};

	doc_section(d, "more", "More", every, 10);
	doc_row(d->sections[1]);
	say(d, 0, 0);
	assert_null(json_get(json, "left_out"));
	whole = out.len;
	for (size_t max = 1000; max < whole + 100; max += 97) {
		say(d, 0, max);
		assert_true(out.len <= max);
		rows = json_len(json_get(json, "resources"));
		if (max >= whole + 96) {
			assert_i64_eq(out.len, whole);
			continue;
		}
		if (rows == 201)
			continue;
		assert_ok(json_get_i64(json_get(json, "left_out"), "resources", &left, &e),
			e);
		assert_i64_eq(left, 201 - (int64_t)rows);
		assert_true(out.len + 600 > max); /* as many as fit */
	}
}

/* As another language reads them, and by the schema. */
static void others_read_the_same(void **state)
{
	struct doc *docs[] = {empty(), sample_doc(), sample_hostile(), sample_many(0),
		sample_many(300), sample_many(300)};
	struct sbuf cases = SBUF_INIT;
	struct jw w = {.b = &cases};
	int rc;

	doc_fact(docs[1], "net", "Net", cell_estimate(cell_rate(SOME(UNIT), "HKD")));
	jw_begin(&w, '{');
	jw_key(&w, "cases");
	jw_begin(&w, '[');
	for (size_t i = 0; i < ARRAY_LEN(docs); i++) {
		say(docs[i], 0, i + 1 < ARRAY_LEN(docs) ? 0 : 4000);
		jw_begin(&w, '{');
		jw_ki64(&w, "what", (int64_t)i);
		jw_kstr(&w, "json", out.s);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
	rc = oracle_run("report_check.py", &cases);
	sbuf_done(&cases);
	if (rc == 127)
		skip();
	assert_i64_eq(rc, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		T(an_empty_document),
		T(cells_are_exact),
		T(a_currency_is_said_once),
		T(facts_and_notes),
		T(no_member_comes_twice),
		T(samples_are_whole),
		T(texts_are_as_they_came),
		T(a_limit_leaves_out_rows_and_says_so),
		T(others_read_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
