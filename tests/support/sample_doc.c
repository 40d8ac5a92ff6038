#include "tests/support/sample_doc.h"

#include "base/time/civil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define UNIT INT64_C(1000000000)

struct arena sample_arena;
static struct tz *tz;

int sample_setup(void **state)
{
	struct err e = {0};

	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

int sample_teardown(void **state)
{
	tz_free(tz);
	tz = NULL;
	arena_done(&sample_arena);
	return 0;
}

/* ---- one of everything ------------------------------------------------------------------------- */

static const struct doc_column action_columns[] = {
	{"name", "Name", DOC_CODE, 0, 0},
	{"type", "Type", DOC_TEXT, 0, 1},
	{"zone", "Zone", DOC_TEXT, 0, 2},
	{"net_per_hour", "Burn", DOC_RATE, -1, 0},
	{"since", "Since", DOC_TIME, 0, 3},
};

static void add_action(struct doc_section *s, const char *name, const char *type,
	const char *zone, int64_t rate, ts_t since)
{
	struct doc_cell *c = doc_row(s)->cells;

	c[0] = cell_code(name);
	c[1] = cell_text(type);
	c[2] = cell_text(zone);
	c[3] = cell_estimate(cell_rate(SOME(rate), "HKD"));
	c[4] = cell_time(since);
}

static void add_actions(struct doc *d)
{
	struct doc_section *s = doc_section(
		d, "actions", "What needs action", action_columns, 5);

	s->note = "Each command can be pasted into a shell.";
	s->more = "tpucost alerts";
	s->tone = TONE_BAD;
	s->brief = true;
	add_action(s, "eval-2", "v5litepod-8", "europe-west4-b", 74880000000,
		SAMPLE_NOW - 2 * HOUR_SECONDS);
	s->rows[0].tone = TONE_BAD;
	s->rows[0].detail =
		"Not free: the grant in europe-west4-b is for spot only, and this "
		"one is on-demand.";
	s->rows[0].command = "gcloud compute tpus tpu-vm delete eval-2 "
			     "--zone=europe-west4-b --project=rwkv-lab --quiet";
	add_action(s, "prep-big", "n1-highmem-96", "us-central2-b", 43200000000,
		SAMPLE_NOW - 31 * HOUR_SECONDS);
	s->rows[1].tone = TONE_WARN;
	s->rows[1].detail = "Its processors were idle for 31 hours.";
	s->rows[1].command = "gcloud compute instances stop prep-big "
			     "--zone=us-central2-b --project=rwkv-lab";
}

static const struct doc_column day_columns[] = {
	{"day", "Day", DOC_TEXT, 0, 0},
	{"net", "Net", DOC_MONEY, -1, 0},
	{"cost", "Before credits", DOC_MONEY, -1, 1},
	{"status", "Status", DOC_TEXT, 0, 2},
};

static void add_days(struct doc *d)
{
	struct doc_section *s = doc_section(d, "days", "Last days, billed", day_columns, 4);
	day_t first = civil_to_day(2026, 10, 22);
	char date[DATE_BUF];

	for (int i = 0; i < 30; i++) {
		struct doc_row *row = doc_row(s);
		int64_t net = i == 29 ? 1130570000000 : i * UNIT + 120000000;

		row->folded = i < 23;
		row->cells[0] = cell_text(
			arena_strdup(d->arena, date_format(first + i, date)));
		row->cells[1] = cell_money(SOME(net), "HKD");
		row->cells[2] = cell_money(SOME(net + 5 * UNIT), "HKD");
		row->cells[3] = cell_text(i < 29 ? "settled" : "partial");
		if (i == 29) {
			row->cells[1] = cell_partial(row->cells[1]);
			row->cells[2] = cell_partial(row->cells[2]);
			row->tone = TONE_BAD;
		}
	}
	s->chart = (struct doc_chart){.title = "Net cost a day",
		.label = 0,
		.value = 1,
		.mark = SOME(133 * UNIT),
		.mark_title = "budget a day"};
}

static const struct doc_column burn_columns[] = {
	{"category", "Category", DOC_TEXT, 0, 0},
	{"resources", "Resources", DOC_INT, 0, 1},
	{"net_per_hour", "Net", DOC_RATE, 4, 0},
	{"gross_per_hour", "Gross", DOC_RATE, 4, 1},
};

static struct doc_row *add_burn_row(struct doc_section *s, const char *category, int64_t n,
	struct opt_i64 net, const char *currency)
{
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_text(category);
	row->cells[1] = cell_int(n);
	row->cells[2] = cell_estimate(cell_rate(net, currency));
	row->cells[3] = cell_estimate(
		cell_rate(net.set ? SOME(net.v + UNIT) : net, currency));
	return row;
}

static void add_burn(struct doc *d)
{
	struct doc_section *s = doc_section(d, "burn", "Burn now", burn_columns, 4);

	s->brief = true;
	add_burn_row(s, "cpu", 2, SOME(118080000000), "HKD");
	add_burn_row(s, "disk", 7, SOME(720500000), "HKD");
	add_burn_row(s, "tpu", 1, SOME(8 * UNIT), "USD");
	add_burn_row(s, "gpu", 1, NONE, NULL);
	add_burn_row(s, "total", 9, SOME(118800500000), "HKD")->total = true;
	add_burn_row(s, "total", 1, SOME(8 * UNIT), "USD")->total = true;
	s->chart = (struct doc_chart){.title = "By category", .label = 0, .value = 2};
}

static const struct doc_column cost_columns[] = {
	{"category", "Category", DOC_TEXT, 0, 0},
	{"yesterday", "Yesterday", DOC_MONEY, -1, 0},
	{"week", "7 days", DOC_MONEY, -1, 0},
	{"month", "30 days", DOC_MONEY, -1, 1},
};

static void add_cost_row(struct doc_section *s, const char *category, int64_t yesterday,
	int64_t week, int64_t month)
{
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_text(category);
	row->cells[1] = cell_partial(cell_money(SOME(yesterday), "HKD"));
	row->cells[2] = cell_partial(cell_money(SOME(week), "HKD"));
	row->cells[3] = cell_money(SOME(month), "HKD");
	row->total = !strcmp(category, "total");
}

static void add_costs(struct doc *d)
{
	struct doc_section *s = doc_section(
		d, "costs", "Yesterday, 7 and 30 days", cost_columns, 4);

	add_cost_row(s, "cpu", 1090000000000, 1200000000000, 1400000000000);
	add_cost_row(s, "disk", 40570000000, 100710000000, 165670000000);
	add_cost_row(s, "promotion", 0, -1500000, -10 * UNIT);
	add_cost_row(s, "total", 1130570000000, 1300708500000, 1555670000000);
}

static const struct doc_column grant_columns[] = {
	{"name", "Grant", DOC_CODE, 0, 0},
	{"family", NULL, DOC_TEXT, 0, 0},
	{"type", "Type", DOC_TEXT, 0, 2},
	{"used_chips", "Chips used", DOC_INT, 0, 0},
	{"percent", "Use", DOC_PERCENT, 1, 1},
	{"covered_chip_hours", "Chip-hours", DOC_DECIMAL, 1, 2},
	{"until", "Until", DOC_TIME, 0, 1},
	{"left", "Left", DOC_DURATION, 0, 0},
	{"new_only", "New only", DOC_FLAG, 0, 4},
};

static void add_grants(struct doc *d)
{
	struct doc_section *s = doc_section(d, "grants", "Grants", grant_columns, 9);
	struct doc_cell *c = doc_row(s)->cells;

	c[0] = cell_code("trc-2026-11");
	c[1] = cell_text("v3");
	c[2] = cell_text("v3-8");
	c[3] = cell_int(16);
	c[4] = cell_percent(SOME(80 * UNIT + 500000000));
	c[5] = cell_decimal(SOME(7104 * UNIT + 250000000));
	c[6] = cell_time(SAMPLE_NOW + 9 * DAY_SECONDS + 3 * HOUR_SECONDS);
	c[7] = cell_toned(cell_duration(9 * DAY_SECONDS + 3 * HOUR_SECONDS), TONE_GOOD);
	c[8] = cell_flag(true);
	c = doc_row(s)->cells; /* nothing more is known of it */
	c[0] = cell_code("trc-old");
	c[3] = cell_int(0);
	c[8] = cell_flag(false);
}

static const struct doc_column restated_columns[] = {
	{"day", "Day", DOC_TEXT, 0, 0},
	{"was", "Was", DOC_MONEY, -1, 0},
	{"is", "Is", DOC_MONEY, -1, 0},
};

static void add_restatements(struct doc *d)
{
	struct doc_section *s = doc_section(d, "restatements", NULL, restated_columns, 3);
	struct doc_cell *c = doc_row(s)->cells;

	c[0] = cell_text("2026-11-18");
	c[1] = cell_money(SOME(12300000000), "HKD");
	c[2] = cell_money(SOME(13050000001), "HKD");
}

struct doc *sample_doc(void)
{
	struct doc *d = doc_new(&sample_arena, "daily", tz, SAMPLE_NOW);

	d->title = "tpucost daily report, 2026-11-20";
	d->subject = "1130.57 HKD on Fri 20 Nov, 2 things to do, 9 days of the grant left";
	d->headline =
		"Yesterday cost 1130.57 HKD so far, fifteen times the day before. One TPU "
		"is not free, and one machine has nothing to do.";
	d->tone = TONE_BAD;
	doc_fact(d, "date", NULL, cell_text("2026-11-20"));
	doc_fact(d, "zone", "Time zone", cell_code("Asia/Hong_Kong"));
	doc_fact(d, "made", "Made", cell_time(SAMPLE_NOW));
	doc_fact(d, "inventory_age", "Age of the inventory", cell_duration(240));
	doc_fact(d, "billing_age", "Age of the billing data",
		cell_toned(cell_duration(4 * HOUR_SECONDS), TONE_WARN));
	doc_fact(d, "complete", NULL, cell_flag(true));
	add_actions(d);
	add_days(d);
	add_burn(d);
	add_costs(d);
	add_grants(d);
	doc_section(d, "quotas", "Quota", cost_columns, 4)->empty =
		"No quota is above 80 %.";
	add_restatements(d);
	doc_note(d, "Prices are list prices; the bill decides.");
	doc_note(d,
		"Days are those of Asia/Hong_Kong, not the Pacific days that Google's bill "
		"goes by.");
	return d;
}

/* ---- hostile texts ----------------------------------------------------------------------------- */

#define LABEL 10240
static char label[LABEL + 1];

const char *sample_texts[] = {
	"<script>alert(1)</script>",
	"</pre></td></table><img src=x onerror=alert(1)>",
	"&lt;b&gt; &amp; &",
	"<!channel>",
	"<@U012ABC> <https://evil.example/x|click> @here",
	"*b* _i_ ~s~ `c` ~~gone~~ **bold**",
	"```\nfence\n```",
	"[link](http://evil.example/) ![img](x) https://evil.example/ me@evil.example",
	"# heading",
	"- item",
	"1. item",
	"> quote",
	"| a | b |",
	"a\\|b\\",
	"---",
	"=HYPERLINK(\"http://evil.example/\",\"x\")",
	"+1",
	"-2+3",
	"@x",
	"\t=1+1",
	"\r=1+1",
	" =1+1",
	"\"=1+1\"",
	"'quoted'",
	"\"; DROP TABLE usage; --",
	"$(reboot) `reboot` ${HOME}",
	"\033]0;x\007",
	"\033[31mred\033[0m",
	"a\r\nBcc: evil@example.org\r\n\r\nbody",
	"a\nb",
	"abc\xe2\x80\xae"
	"fed",                                  /* right-to-left override */
	"a\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf" /* zero width, joiner, mark of byte order */
	"b",
	"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",                                  /* Hebrew */
	"\xf0\x9f\x94\xa5 hot \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* emoji, joined */
	"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd \xe2\x9d\xa4\xef\xb8\x8f",         /* modified */
	"\xe6\xa9\x9f\xe5\x99\xa8\xe5\xad\xb8\xe7\xbf\x92\xe7\x94\xa8\xe3\x81\xae", /* CJK */
	"e\xcc\x81\xcc\xb1 n\xcc\x83", /* combining */
	"%n%s%s%s%d",
	"bad \xff\xc3( utf-8",
	"\x01\x02\x7f",
	"\xc2\x9b"
	"31m", /* CSI as one character */
	"",
	" ",
	"null",
	"000123",
	"1e5",
	label,
};
const size_t sample_n_texts = ARRAY_LEN(sample_texts);

static const struct doc_column name_columns[] = {
	{"name", "Name", DOC_CODE, 0, 0},
	{"net_per_hour", "Burn", DOC_RATE, 2, 0},
	{"label", "Label", DOC_TEXT, 0, 1},
};

struct doc *sample_hostile(void)
{
	struct doc *d = doc_new(&sample_arena, "daily", tz, SAMPLE_NOW);
	struct doc_section *s;

	memset(label, 'x', LABEL);
	d->title = "tpucost <script>alert(1)</script> *b* report";
	d->subject = "\xf0\x9f\x94\xa5 a\r\nBcc: evil@example.org";
	d->headline = "Machine <!channel> `a` *b*\r\n=1+1 \033[31m has cost much.";
	doc_fact(d, "project", "<b>Project</b>", cell_code("<img src=x onerror=alert(1)>"));
	s = doc_section(d, "names", "Names <b>of</b> *things*", name_columns, 3);
	s->note = "A note with <i>tags</i>, a | and a \xe2\x80\xae mark.";
	s->more = "tpucost ps --where \"name = '<x>'\"";
	for (size_t i = 0; i < sample_n_texts; i++) {
		struct doc_row *row = doc_row(s);

		row->cells[0] = cell_code(sample_texts[i]);
		row->cells[1] = cell_rate(SOME((int64_t)i * UNIT), "HKD");
		row->cells[2] = cell_text(sample_texts[i]);
		row->detail = arena_printf(d->arena, "It is named %s.", sample_texts[i]);
		row->command = arena_printf(d->arena, "stop '%s'", sample_texts[i]);
	}
	s = doc_section(d, "none", "Nothing <b>here</b>", name_columns, 3);
	s->empty = "No <b>row</b> | here.";
	for (size_t i = 0; i < sample_n_texts; i++)
		doc_note(d, "%s", sample_texts[i]);
	return d;
}

/* ---- many rows --------------------------------------------------------------------------------- */

struct doc *sample_many(size_t n)
{
	struct doc *d = doc_new(&sample_arena, "daily", tz, SAMPLE_NOW);
	struct doc_section *s = doc_section(d, "resources", "Resources", action_columns, 5);

	d->title = "tpucost daily report, 2026-11-20";
	d->headline = arena_printf(d->arena, "There are %zu resources.", n);
	s->empty = "There is no resource.";
	s->more = "tpucost ps";
	s->brief = true;
	for (size_t i = 0; i < n; i++) {
		add_action(s, arena_printf(d->arena, "machine-%05zu", i), "n1-standard-8",
			"us-central1-b", (int64_t)(i % 1000) * UNIT, SAMPLE_NOW - (ts_t)i);
		s->rows[i].detail = "Nobody uses it.";
		s->rows[i].command = arena_printf(
			d->arena, "gcloud compute instances stop machine-%05zu", i);
	}
	if (n) {
		add_action(s, "total", NULL, NULL, (int64_t)n * UNIT, TS_NONE);
		s->rows[n].total = true;
	}
	doc_note(d, "The end.");
	return d;
}
