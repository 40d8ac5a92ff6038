/* Zone files of our own making: rules at the end of the file, and files that are broken. */
#include "base/time/tz.h"

#include "base/time/civil.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define HOUR INT64_C(3600)

static int setup(void **state)
{
	struct tempdir *d = xcalloc(1, sizeof(*d));

	tempdir_make(d);
	setenv("TZDIR", d->path, 1);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	tempdir_remove(*state);
	free(*state);
	unsetenv("TZDIR");
	unsetenv("TZ");
	return 0;
}

/* ---- making zone files (RFC 8536) -------------------------------------------------------- */

struct file {
	char version;
	const int64_t *at;          /* instants of change */
	const unsigned char *index; /* type from each change on */
	uint32_t n;
	const int32_t *offset; /* of each type */
	uint32_t types;
	uint32_t leaps;
	const char *footer; /* NULL: not even its line feeds */
};

static void add_be(struct sbuf *b, uint64_t v, int bytes)
{
	while (bytes--)
		sbuf_addc(b, (char)(v >> (bytes * 8) & 0xff));
}

static void add_header(struct sbuf *b, const struct file *f, bool empty)
{
	sbuf_adds(b, "TZif");
	sbuf_addc(b, f->version);
	sbuf_pad(b, '\0', 15);
	add_be(b, 0, 4);
	add_be(b, 0, 4);
	add_be(b, empty ? 0 : f->leaps, 4);
	add_be(b, empty ? 0 : f->n, 4);
	add_be(b, empty ? 1 : f->types, 4);
	add_be(b, 4, 4);
}

static void build(struct sbuf *b, const struct file *f)
{
	add_header(b, f, true);
	sbuf_pad(b, '\0', 6);
	sbuf_add(b, "AAA", 4);
	add_header(b, f, false);
	for (uint32_t i = 0; i < f->n; i++)
		add_be(b, (uint64_t)f->at[i], 8);
	for (uint32_t i = 0; i < f->n; i++)
		sbuf_addc(b, (char)f->index[i]);
	for (uint32_t i = 0; i < f->types; i++) {
		add_be(b, (uint32_t)f->offset[i], 4);
		sbuf_pad(b, '\0', 2);
	}
	sbuf_add(b, "AAA", 4);
	sbuf_pad(b, '\0', f->leaps * 12);
	if (f->footer)
		sbuf_addf(b, "\n%s\n", f->footer);
}

static enum err_code open_bytes(
	struct tempdir *d, const void *data, size_t len, struct tz **tz)
{
	struct err e = {0};
	enum err_code rc;

	tempdir_write(d, "Test/Zone", data, len, 0644);
	rc = tz_open("Test/Zone", tz, &e);
	if (rc)
		assert_err(rc, e, E_CONFIG, "unknown time zone 'Test/Zone'");
	return rc;
}

static enum err_code open_file(struct tempdir *d, const struct file *f, struct tz **tz)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	build(&b, f);
	return open_bytes(d, b.s, b.len, tz);
}

static const int64_t sample_at[] = {1000000000, 1500000000, 1600000000};
static const unsigned char sample_index[] = {1, 2, 1};
static const int32_t sample_offset[] = {-1800, 3600, 7200};

static struct file sample(void)
{
	return (struct file){.version = '2',
		.at = sample_at,
		.index = sample_index,
		.n = 3,
		.offset = sample_offset,
		.types = 3,
		.footer = "XXX-1YYY,M3.5.0,M10.5.0/3"};
}

static int make_sample_dir(void **state)
{
	struct tempdir *d;

	setup(state);
	d = *state;
	return mkdir(tempdir_name(d, "Test"), 0755);
}

/* ---- what a file says -------------------------------------------------------------------- */

static void transitions_hold_from_their_second_on(void **state)
{
	static const struct {
		ts_t at;
		int32_t want;
	} rows[] = {{INT64_C(-9000000000), -1800}, {999999999, -1800}, {1000000000, 3600},
		{1499999999, 3600}, {1500000000, 7200}, {1599999999, 7200},
		{1600000000, 7200},  /* the footer rules from the last change on: summer */
		{1610000000, 3600}}; /* and winter */
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct file f = sample();

	assert_int_equal(open_file(*state, &f, &tz), E_OK);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_i64_eq(tz_offset(tz, rows[i].at), rows[i].want);
}

static void without_a_rule_the_last_change_holds_for_ever(void **state)
{
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct file f = sample();

	f.footer = "";
	assert_int_equal(open_file(*state, &f, &tz), E_OK);
	assert_i64_eq(tz_offset(tz, 1600000000), 3600);
	assert_i64_eq(tz_offset(tz, INT64_C(9000000000)), 3600);
	assert_i64_eq(tz_day(tz, 1600000000), 18518);
}

static void a_zone_may_have_no_changes_at_all(void **state)
{
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	static const int32_t offset[] = {20700};
	struct file f = {.version = '3', .offset = offset, .types = 1, .footer = ""};

	assert_int_equal(open_file(*state, &f, &tz), E_OK);
	assert_i64_eq(tz_offset(tz, 0), 20700);
	assert_ts_eq(tz_day_start(tz, 0), -20700);
}

/* ---- the rule at the end ----------------------------------------------------------------- */

/* The C library reads the same rules from TZ: it is the judge. */
static void rules_mean_what_the_c_library_says(void **state)
{
	static const char *const rules[] = {"UTC0", "HKT-8", "<+0545>-5:45", "XXX4:30",
		"XXX-14", "<-12>12", "XXX+1:02:03", "PST8PDT,M3.2.0,M11.1.0",
		"CET-1CEST,M3.5.0,M10.5.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1",
		"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
		"<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", "EET-2EEST,M3.4.4/50,M10.4.4/50",
		"NST3:30NDT,M3.2.0/0:01,M11.1.0/0:01", "AAA3BBB,J60,J300",
		"AAA3BBB,J59/0,J60/12", "AAA3BBB,59,300", "AAA3BBB,60/0,299/24",
		"AAA-3BBB,M1.2.1,M12.4.6", "AAA-3BBB-5,M2.5.3/-24,M9.1.5/100",
		"AAA3BBB2:30,M12.1.0,M2.3.6/1:30:30"};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		cleanup(tz_free_ptr) struct tz *tz = NULL;
		struct file f = {.version = '3', .offset = sample_offset, .types = 1};

		f.footer = rules[i];
		if (open_file(*state, &f, &tz))
			fail_msg("%s is refused", rules[i]);
		setenv("TZ", rules[i], 1);
		tzset();
		for (ts_t t = 0; t < INT64_C(2840140800); t += 5 * HOUR / 2 + 7) {
			time_t seconds = (time_t)t;
			struct tm tm;

			localtime_r(&seconds, &tm);
			if (tz_offset(tz, t) != tm.tm_gmtoff)
				fail_msg("%s at %lld: %d, libc says %ld", rules[i],
					(long long)t, tz_offset(tz, t), tm.tm_gmtoff);
		}
	}
}

/* RFC 8536 3.3.1 writes summer time without end so. */
static void summer_time_may_last_all_year(void **state)
{
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct file f = {.version = '3', .offset = sample_offset, .types = 1};

	f.footer = "EST5EDT,0/0,J365/25";
	assert_int_equal(open_file(*state, &f, &tz), E_OK);
	for (ts_t t = 0; t < INT64_C(2840140800); t += HOUR)
		if (tz_offset(tz, t) != -4 * HOUR)
			fail_msg("%lld: %d", (long long)t, tz_offset(tz, t));
}

/* The year that counts is the local one: here summer begins in the last hour of a UTC year. */
static void a_rule_in_the_first_hours_of_a_year_is_of_that_year(void **state)
{
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct file f = {.version = '3', .offset = sample_offset, .types = 1};

	f.footer = "AAA-3BBB,M1.1.1,M12.4.6";
	assert_int_equal(open_file(*state, &f, &tz), E_OK);
	/* 2001-01-01 was a Monday; 02:00 at +3 is 23:00 UTC the day before */
	assert_i64_eq(tz_offset(tz, 978303599), 3 * HOUR);
	assert_i64_eq(tz_offset(tz, 978303600), 4 * HOUR);
}

static void a_rule_that_cannot_be_read_refuses_the_file(void **state)
{
	static const char *const bad[] = {"X", "XX1", "1", "XXX", "XXX25", "XXX-",
		"XXX1:60", "XXX1:00:60", "XXX1:", "XXX1 ", "<+01", "<+01>", "XXX1YYY",
		"XXX1YY,M3.2.0,M11.1.0", "XXX1YYY,M3.2.0", "XXX1YYY,M3.2.0,",
		"XXX1YYY,M3.2.0,M11.1.0,", "XXX1YYY,M3.2,M11.1.0", "XXX1YYY,M3,M11.1.0",
		"XXX1YYY,M,M", "XXX1YYY,M0.2.0,M11.1.0", "XXX1YYY,M13.2.0,M11.1.0",
		"XXX1YYY,M3.0.0,M11.1.0", "XXX1YYY,M3.6.0,M11.1.0",
		"XXX1YYY,M3.2.7,M11.1.0", "XXX1YYY,J0,J60", "XXX1YYY,J366,J60",
		"XXX1YYY,366,60", "XXX1YYY,J,J60", "XXX1YYY,M3.2.0/,M11.1.0",
		"XXX1YYY,M3.2.0/168,M11.1.0", "XXX1YYY,M3.2.0/x,M11.1.0",
		"XXX1YYY25,M3.2.0,M11.1.0", "XXX1YYY-,M3.2.0,M11.1.0",
		"XXX1YYY<,M3.2.0,M11.1.0", "XXX99999999999",
		"XXX1YYY,M33333333333.2.0,M11.1.0"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct tz *tz = NULL;
		struct file f = sample();

		f.footer = bad[i];
		if (!open_file(*state, &f, &tz))
			fail_msg("\"%s\" is taken", bad[i]);
		assert_null(tz);
	}
}

/* ---- broken files ------------------------------------------------------------------------ */

static void ask_everything(const struct tz *tz)
{
	static const ts_t at[] = {INT64_C(-62135596800), -1, 0, 1234567890, 1600000000,
		INT64_C(253402300799)};

	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		tz_offset(tz, at[i]);
		tz_day_start(tz, tz_day(tz, at[i]));
		tz_local_to_ts(tz, tz_day(tz, at[i]), 2, 30);
	}
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct file f = sample();
	struct tz *tz = NULL;

	build(&b, &f);
	for (size_t n = 0; n < b.len; n++) {
		cleanup(free_ptr) char *part = xmalloc(n);

		memcpy(part, b.s, n);
		if (!open_bytes(*state, part, n, &tz))
			fail_msg("%zu of %zu bytes are taken", n, b.len);
	}
	assert_int_equal(open_bytes(*state, b.s, b.len, &tz), E_OK);
	tz_free(tz);
}

/* Whatever byte is wrong: refused or taken, but never read beyond (the sanitizers watch). */
static void a_file_with_any_byte_changed_does_no_harm(void **state)
{
	static const unsigned char masks[] = {0x01, 0x02, 0x10, 0x40, 0x80, 0xff};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct file f = sample();
	size_t refused = 0;

	build(&b, &f);
	for (size_t i = 0; i < b.len; i++) {
		for (size_t m = 0; m < ARRAY_LEN(masks); m++) {
			struct tz *tz = NULL;

			b.s[i] = (char)((unsigned char)b.s[i] ^ masks[m]);
			if (open_bytes(*state, b.s, b.len, &tz))
				refused++;
			else
				ask_everything(tz);
			tz_free(tz);
			b.s[i] = (char)((unsigned char)b.s[i] ^ masks[m]);
		}
	}
	assert_true(refused > 300);
}

static void counts_that_the_file_does_not_hold_are_refused(void **state)
{
	/* offsets of the six counts in a header, and values */
	static const uint32_t values[] = {0, 1, 255, 256, 257, 1000, 10000, 10001,
		0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
	size_t headers[] = {0, 44 + 6 + 4};

	for (size_t h = 0; h < ARRAY_LEN(headers); h++)
		for (size_t field = 20; field < 44; field += 4)
			for (size_t v = 0; v < ARRAY_LEN(values); v++) {
				cleanup(sbuf_done) struct sbuf b = SBUF_INIT,
							       count = SBUF_INIT;
				struct file f = sample();
				struct tz *tz = NULL;

				build(&b, &f);
				add_be(&count, values[v], 4);
				if (!memcmp(b.s + headers[h] + field, count.s, 4))
					continue;
				memcpy(b.s + headers[h] + field, count.s, 4);
				if (!open_bytes(*state, b.s, b.len, &tz))
					fail_msg("header %zu, field %zu = %u is taken", h,
						field, values[v]);
			}
}

static void what_contradicts_itself_is_refused(void **state)
{
	static const int64_t backwards[] = {1000000000, 1600000000, 1500000000};
	static const int64_t twice[] = {1000000000, 1500000000, 1500000000};
	static const unsigned char beyond[] = {1, 3, 1};
	static const int32_t far_east[] = {-1800, 26 * 3600, 7200};
	static const int32_t far_west[] = {-25 * 3600, 3600, 7200};
	struct file f[8];
	struct tz *tz = NULL;

	for (size_t i = 0; i < ARRAY_LEN(f); i++)
		f[i] = sample();
	f[0].at = backwards;
	f[1].at = twice;
	f[2].index = beyond;
	f[3].offset = far_east;
	f[4].offset = far_west;
	f[5].version = '\0'; /* 32 bits only */
	f[6].leaps = 1;      /* counts leap seconds: not our time scale */
	f[7].footer = NULL;
	for (size_t i = 0; i < ARRAY_LEN(f); i++)
		if (!open_file(*state, &f[i], &tz))
			fail_msg("file %zu is taken", i);
	assert_null(tz);
}

static void a_file_that_is_no_zone_is_refused(void **state)
{
	struct tz *tz = NULL;
	char *big = xcalloc(1, 300000);

	assert_int_not_equal(open_bytes(*state, "", 0, &tz), E_OK);
	assert_int_not_equal(open_bytes(*state, "# no zone\n", 10, &tz), E_OK);
	memcpy(big, "TZif2", 5);
	assert_int_not_equal(open_bytes(*state, big, 300000, &tz), E_OK);
	assert_null(tz);
	free(big);
}

/* ---- machines without zone files --------------------------------------------------------- */

static void utc_is_known_without_any_file(void **state)
{
	struct tempdir *d = *state;
	struct tz *tz = NULL;
	struct err e = {0};
	char none[128];

	snprintf(none, sizeof(none), "%s/none", d->path);
	for (int i = 0; i < 2; i++) {
		assert_ok(tz_open("UTC", &tz, &e), e);
		assert_string_equal(tz_name(tz), "UTC");
		assert_i64_eq(tz_offset(tz, 1795237200), 0);
		assert_i64_eq(tz_day(tz, -1), -1);
		assert_ts_eq(tz_day_start(tz, 20778), 20778 * DAY_SECONDS);
		assert_ts_eq(tz_local_to_ts(tz, 20778, 9, 30), 20778 * DAY_SECONDS + 34200);
		tz_free(tz);
		setenv("TZDIR", none, 1); /* first an empty directory, then none */
	}
	setenv("TZ", "Asia/Tokyo", 1);
	assert_string_equal(tz_machine_name(), "UTC");
}

static void a_machine_without_zone_files_is_told_how_to_get_them(void **state)
{
	struct tempdir *d = *state;
	struct tz *tz = NULL;
	struct err e = {0};

	setenv("TZDIR", tempdir_name(d, "none"), 1);
	assert_err(tz_open("Asia/Hong_Kong", &tz, &e), e, E_CONFIG,
		"there are no zone files in");
	assert_contains(e.msg, "time zone Asia/Hong_Kong");
	assert_contains(e.fix, "apt-get install tzdata");
	assert_int_equal(tz_open("Asia/Hong_Kong", &tz, NULL), E_CONFIG);
}

static void without_a_list_the_advice_is_general(void **state)
{
	struct tz *tz = NULL;
	struct err e = {0};

	assert_err(tz_open("Asia/HongKong", &tz, &e), e, E_CONFIG, "'Asia/HongKong'");
	assert_contains(e.fix, "use a name such as");
}

static void the_nearest_name_comes_from_either_list(void **state)
{
	static const char tab[] =
		"# comment\tx\tAsia/Hong_Kang\nHK\t+2217+11409\tAsia/Hong_Kong\n"
		"broken line\n\nHK\t+2217\n";
	static const char zi[] =
		"# version x\nR d 1916 o - Jun 14 23s 1 S\nZ Asia/Hong_Kong 7 u "
		"LMT\n8 h HK%sT\nL Asia/Hong_Kong Hongkong\nZ\nL x\n\n";
	struct tempdir *d = *state;
	struct tz *tz = NULL;
	struct err e = {0};

	tempdir_write(d, "zone1970.tab", tab, sizeof(tab) - 1, 0644);
	assert_err(tz_open("Asia/HongKong", &tz, &e), e, E_CONFIG, "");
	assert_string_equal(e.fix, "did you mean Asia/Hong_Kong?");
	assert_err(tz_open("Honkong", &tz, &e), e, E_CONFIG, "");
	assert_contains(e.fix, "use a name such as"); /* no links in this list */
	tempdir_write(d, "tzdata.zi", zi, sizeof(zi) - 1, 0644);
	assert_err(tz_open("Honkong", &tz, &e), e, E_CONFIG, "");
	assert_string_equal(e.fix, "did you mean Hongkong?");
	assert_err(tz_open("Asia/HongKong", &tz, &e), e, E_CONFIG, "");
	assert_string_equal(e.fix, "did you mean Asia/Hong_Kong?");
}

#define in_dir(f) cmocka_unit_test_setup_teardown(f, make_sample_dir, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		in_dir(transitions_hold_from_their_second_on),
		in_dir(without_a_rule_the_last_change_holds_for_ever),
		in_dir(a_zone_may_have_no_changes_at_all),
		in_dir(rules_mean_what_the_c_library_says),
		in_dir(summer_time_may_last_all_year),
		in_dir(a_rule_in_the_first_hours_of_a_year_is_of_that_year),
		in_dir(a_rule_that_cannot_be_read_refuses_the_file),
		in_dir(a_file_cut_anywhere_is_refused),
		in_dir(a_file_with_any_byte_changed_does_no_harm),
		in_dir(counts_that_the_file_does_not_hold_are_refused),
		in_dir(what_contradicts_itself_is_refused),
		in_dir(a_file_that_is_no_zone_is_refused),
		in_dir(utc_is_known_without_any_file),
		in_dir(a_machine_without_zone_files_is_told_how_to_get_them),
		in_dir(without_a_list_the_advice_is_general),
		in_dir(the_nearest_name_comes_from_either_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
