/* Documents as CSV: exact values, every text whole, and no formulas. */
#include "base/data/csv.h"
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sbuf b;
static size_t read_at;
static size_t bad_at; /* of the text that was taken out of the samples */
static const char *bad;

static int setup(void **state)
{
	b = SBUF_INIT;
	return sample_setup(state);
}

static int teardown(void **state)
{
	if (bad)
		sample_texts[bad_at] = bad;
	bad = NULL;
	sbuf_done(&b);
	return sample_teardown(state);
}

static void say(const struct doc *d, struct format_opts o)
{
	sbuf_reset(&b);
	doc_format_find("csv")->render(d, &o, &b);
}

static void values_are_exact_and_have_units(void **state)
{
	say(sample_doc(), (struct format_opts){0});
	assert_true(!strncmp(b.s, "section,row,field,value,unit,status\r\n", 37));
	assert_contains(b.s, "\r\nreport,1,kind,daily,,\r\n");
	assert_contains(
		b.s, "\r\nreport,1,title,\"tpucost daily report, 2026-11-20\",,\r\n");
	assert_contains(b.s, "\r\nreport,1,made,2026-11-21T00:00:00Z,,\r\n");
	assert_contains(b.s, "\r\nreport,1,inventory_age,240,s,\r\n");
	assert_contains(b.s,
		"\r\nburn,1,category,cpu,,\r\n"
		"burn,1,resources,2,,\r\n"
		"burn,1,net_per_hour,118.08,HKD/h,estimate\r\n"
		"burn,1,gross_per_hour,119.08,HKD/h,estimate\r\n");
	/* not known is not zero, and not an estimate */
	assert_contains(b.s, "\r\nburn,4,net_per_hour,,,\r\n");
	assert_contains(b.s,
		"\r\nburn,6,net_per_hour,8,USD/h,estimate\r\n"
		"burn,6,gross_per_hour,9,USD/h,estimate\r\n"
		"burn,6,total,true,,\r\n");
	assert_contains(b.s,
		"\r\ncosts,3,week,-0.0015,HKD,partial\r\n"
		"costs,3,month,-10,HKD,\r\n"
		"costs,4,category,total,,\r\n");
	assert_contains(b.s, "\r\ngrants,1,family,v3,,\r\n");
	assert_contains(b.s,
		"\r\ngrants,1,percent,80.5,%,\r\n"
		"grants,1,covered_chip_hours,7104.25,,\r\n"
		"grants,1,until,2026-11-30T03:00:00Z,,\r\n"
		"grants,1,left,788400,s,\r\n"
		"grants,1,new_only,true,,\r\n");
	assert_contains(b.s, "\r\nrestatements,1,is,13.050000001,HKD,\r\n");
	assert_contains(
		b.s, "\r\nnotes,1,note,Prices are list prices; the bill decides.,,\r\n");
}

/* ---- read back --------------------------------------------------------------------------------- */

static enum err_code read_text(void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	(void)ctx;
	(void)e;
	*n = b.len - read_at < room ? b.len - read_at : room;
	memcpy(buf, b.s + read_at, *n);
	read_at += *n;
	return E_OK;
}

/* How many records there are. The values of `field` in section "names" are the hostile texts, with a
 * quote in front where `quoted` says so. */
static int64_t expect_field(const char *field, bool (*quoted)(size_t i))
{
	struct csv c;
	struct csv_row row;
	struct err e = {0};
	size_t i = 0;
	int64_t n = 0;

	read_at = 0;
	csv_init(&c, "report.csv", read_text, NULL);
	for (;; n++) {
		const char *value;

		assert_ok(csv_row(&c, &row, &e), e);
		if (!row.n)
			break;
		assert_i64_eq(row.n, 6);
		if (strcmp(row.f[0].s, "names") != 0 || strcmp(row.f[2].s, field) != 0)
			continue;
		value = row.f[3].s;
		if (quoted(i) && *value++ != '\'')
			fail_msg("a spreadsheet would run %s", row.f[3].s);
		assert_string_equal(value, sample_texts[i]);
		i++;
	}
	csv_done(&c);
	assert_i64_eq(i, sample_n_texts);
	return n;
}

/* Decided by the whole list, not by the rule that is tested. */
static bool runs(size_t i)
{
	static const char *const formulas[] = {"- item", "---",
		"=HYPERLINK(\"http://evil.example/\",\"x\")", "+1", "-2+3", "@x", "\t=1+1",
		"\r=1+1", " =1+1", "\"=1+1\""};

	for (size_t f = 0; f < ARRAY_LEN(formulas); f++)
		if (!strcmp(sample_texts[i], formulas[f]))
			return true;
	return false;
}

static bool never(size_t i)
{
	(void)i;
	return false;
}

/* The reader takes UTF-8 only; what is none stays as it was. */
static void without_bad_utf8(struct doc *d)
{
	struct doc_section *s = doc_find(d, "names");
	size_t i = 0;

	while (!strstr(sample_texts[i], "bad \xff"))
		i++;
	assert_contains(b.s, "label,bad \xff\xc3( utf-8,,\r\n");
	bad_at = i;
	bad = sample_texts[i];
	sample_texts[i] = "good";
	s->rows[i].cells[0].text = s->rows[i].cells[2].text = "good";
	s->rows[i].detail = "good";
	s->rows[i].command = "good";
	for (i = 0; i < d->n_notes; i++)
		if (strstr(d->notes[i], "bad \xff"))
			d->notes[i] = "good";
}

static void hostile_texts_are_whole_and_no_formulas(void **state)
{
	struct doc *d = sample_hostile();
	int64_t n;

	say(d, (struct format_opts){0});
	without_bad_utf8(d);
	say(d, (struct format_opts){0});
	n = expect_field("name", runs);
	assert_i64_eq(expect_field("label", runs), n);
	assert_i64_eq(n, 1 + 4 + 5 * (int64_t)sample_n_texts + (int64_t)sample_n_texts);
	assert_contains(b.s, "\nnames,2,net_per_hour,1,HKD/h,\r\n");
}

static void raw_is_as_it_came(void **state)
{
	struct doc *d = sample_hostile();

	say(d, (struct format_opts){.raw = true});
	without_bad_utf8(d);
	say(d, (struct format_opts){.raw = true});
	expect_field("name", never);
	expect_field("label", never);
}

static void numbers_are_no_formulas(void **state)
{
	static const struct doc_column columns[] = {
		{"net", "Net", DOC_MONEY, 2, 0}, {"n", "N", DOC_INT, 0, 0}};
	struct doc *d = doc_new(&sample_arena, "test", NULL, SAMPLE_NOW);
	struct doc_row *row = doc_row(doc_section(d, "s", NULL, columns, 2));

	row->cells[0] = cell_money(SOME(INT64_MIN), "USD");
	row->cells[1] = cell_int(-3);
	say(d, (struct format_opts){0});
	assert_string_equal(b.s,
		"section,row,field,value,unit,status\r\n"
		"report,1,kind,test,,\r\n"
		"s,1,net,-9223372036.854775808,USD,\r\n"
		"s,1,n,-3,,\r\n");
}

static void data_is_whole_whatever_the_limits(void **state)
{
	size_t whole;

	say(sample_many(500), (struct format_opts){0});
	whole = b.len;
	assert_contains(b.s, "\r\nresources,501,total,true,,\r\n");
	say(sample_many(500), (struct format_opts){.max_rows = 3, .max_bytes = 1000});
	assert_i64_eq(b.len, whole);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			values_are_exact_and_have_units, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_texts_are_whole_and_no_formulas, setup, teardown),
		cmocka_unit_test_setup_teardown(raw_is_as_it_came, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_are_no_formulas, setup, teardown),
		cmocka_unit_test_setup_teardown(
			data_is_whole_whatever_the_limits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
