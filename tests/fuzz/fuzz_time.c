/* Texts of times. RFC 3339, dates and HTTP dates against another reading of them, with the C
 * library's calendar; what is printed reads as the same again. --since takes these and its words, and
 * nothing else; --month takes months. */
#include "base/time/civil.h"
#include "base/net/http.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <time.h>

/* Does the text begin with the pattern? "0" is any digit, "T" and "Z" are of either case. */
static bool looks_like(const char *s, const char *pattern)
{
	for (; *pattern; s++, pattern++)
		if (*pattern == '0'               ? *s < '0' || *s > '9'
				: *pattern == 'T' ? *s != 'T' && *s != 't'
						  : *s != *pattern)
			return false;
	return true;
}

static int two(const char *s)
{
	return (s[0] - '0') * 10 + s[1] - '0';
}

/* "0000-00-00" at the start of the text; false when there is no such day. */
static bool slow_date(const char *s, struct tm *out)
{
	struct tm tm = {.tm_year = two(s) * 100 + two(s + 2) - 1900,
		.tm_mon = two(s + 5) - 1,
		.tm_mday = two(s + 8)};
	struct tm same = tm;
	time_t at = timegm(&same);

	*out = tm;
	return tm.tm_year > -1900 && gmtime_r(&at, &same) && same.tm_mon == tm.tm_mon &&
		same.tm_mday == tm.tm_mday && tm.tm_mday > 0;
}

static bool slow_offset(const char *s, int64_t *seconds)
{
	*seconds = 0;
	if ((*s == 'Z' || *s == 'z') && !s[1])
		return true;
	if ((*s != '+' && *s != '-') || !looks_like(s + 1, "00:00") || s[6] ||
		two(s + 1) > 23 || two(s + 4) > 59)
		return false;
	*seconds = (*s == '-' ? -60 : 60) * (two(s + 1) * 60 + two(s + 4));
	return true;
}

static bool slow_rfc3339(const char *s, int64_t *out, int64_t *nanos)
{
	static const char pattern[] = "0000-00-00T00:00:00";
	int64_t offset, unit = 100000000;
	struct tm tm;

	if (!looks_like(s, pattern) || !slow_date(s, &tm))
		return false;
	tm.tm_hour = two(s + 11);
	tm.tm_min = two(s + 14);
	tm.tm_sec = two(s + 17);
	if (tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	s += strlen(pattern);
	*nanos = 0;
	if (*s == '.') {
		if (!looks_like(++s, "0"))
			return false;
		for (; looks_like(s, "0"); s++, unit /= 10) {
			if (!unit)
				return false;
			*nanos += (*s - '0') * unit;
		}
	}
	if (!slow_offset(s, &offset))
		return false;
	*out = timegm(&tm) - offset;
	return true;
}

static void check_moment(int64_t at)
{
	char text[RFC3339_BUF], want[64], date[DATE_BUF];
	time_t t = at;
	struct tm tm;
	int64_t again;
	day_t day;

	gmtime_r(&t, &tm);
	strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%SZ", &tm);
	rfc3339_format(at, text);
	if (tm.tm_year < 1000 - 1900 || tm.tm_year > 9999 - 1900)
		return; /* the C library pads no years, and RFC 3339 has four digits of them */
	fuzz_require(!strcmp(text, want));
	fuzz_require(rfc3339_parse(text, &again, NULL, NULL) == E_OK && again == at);
	date_format((day_t)(at < 0 ? (at + 1) / DAY_SECONDS - 1 : at / DAY_SECONDS), date);
	fuzz_require(!strncmp(date, text, 10) && strlen(date) == 10);
	fuzz_require(date_parse(date, &day, NULL) == E_OK);
	fuzz_require(day * DAY_SECONDS <= at && at < (day + 1) * DAY_SECONDS);
}

static void check_rfc3339(const char *s)
{
	int64_t got = 1, want = 2, nanos = 0;
	struct err e = {0};
	int32_t n = -1;
	bool slow = slow_rfc3339(s, &want, &nanos);

	if (rfc3339_parse(s, &got, &n, &e) == E_OK) {
		fuzz_require(slow && got == want && n == nanos);
		check_moment(got);
	} else {
		fuzz_require(!slow && got == 1 && e.code == E_DATA);
		fuzz_require(strstr(e.msg, "is not an RFC 3339 time such as"));
	}
}

static void check_date(const char *s)
{
	bool slow;
	day_t got = 0;
	struct tm tm;
	struct err e = {0};

	slow = looks_like(s, "0000-00-00") && !s[10] && slow_date(s, &tm);
	if (date_parse(s, &got, &e) == E_OK)
		fuzz_require(slow && timegm(&tm) == got * DAY_SECONDS);
	else
		fuzz_require(!slow && e.code == E_DATA && e.msg[0]);
}

static void check_duration(const char *s)
{
	size_t digits = strspn(s, "0123456789");
	const char *unit = digits && s[digits] ? strchr("s1m1h1d1w", s[digits]) : NULL;
	int64_t of[] = {1, 60, 3600, 86400, 604800}, got = -1;
	struct err e = {0};

	if (duration_parse(s, &got, &e)) {
		fuzz_require(got == -1 &&
			(strstr(e.msg, "is not a duration such as") ||
				strstr(e.msg, "is too long")));
	} else if (strcmp(s, "0") != 0) {
		fuzz_require(unit && *unit != '1' && !s[digits + 1] && digits < 15);
		fuzz_require(got == strtoll(s, NULL, 10) * of[(unit - "s1m1h1d1w") / 2]);
		fuzz_require(got >= 0 && got <= 3660 * DAY_SECONDS);
	} else {
		fuzz_require(got == 0);
	}
}

static void check_http(const char *s)
{
	static const char name[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const ts_t now = 1795219200;
	int64_t wait = http_retry_after(s, now), want;
	char month[4];
	struct tm tm;
	time_t t;
	ts_t at;

	fuzz_require(wait == -1 || (wait >= 1 && wait <= 900));
	if (!http_date_parse(s, &at)) {
		fuzz_require(wait == -1 || !s[strspn(s, "0123456789")]);
		return;
	}
	want = at - now < 1 ? 1 : at - now > 900 ? 900 : at - now;
	fuzz_require(wait == want);
	t = at;
	gmtime_r(&t, &tm);
	fuzz_require(tm.tm_year >= 70 && tm.tm_year <= 9999 - 1900 + 1);
	memcpy(month, name + 3 * tm.tm_mon, 3);
	month[3] = '\0';
	/* a second 60 may be of the next month */
	fuzz_require(strstr(s, month) || tm.tm_mday == 1);
	fuzz_require(strlen(s) == strlen("Sun, 06 Nov 1994 08:49:37 GMT"));
}

/* ---- options ------------------------------------------------------------------------------------ */

#define NOW INT64_C(1795262400) /* Saturday, 2026-11-21T12:00:00Z */

static bool slow_since(const char *s, int64_t *out)
{
	static const struct {
		const char *word;
		ts_t at;
	} words[] = {{"today", 1795219200}, {"yesterday", 1795132800}, {"week", 1794787200},
		{"month", 1793491200}};
	int64_t seconds;
	day_t day;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(s, words[i].word)) {
			*out = words[i].at;
			return true;
		}
	if (duration_parse(s, &seconds, NULL) == E_OK) {
		*out = NOW - seconds;
		return true;
	}
	if (date_parse(s, &day, NULL) == E_OK) {
		*out = day * DAY_SECONDS;
		return true;
	}
	return rfc3339_parse(s, out, NULL, NULL) == E_OK;
}

static void check_since(const char *s)
{
	static struct config cfg;
	struct app app = {.cfg = &cfg, .now = NOW};
	int64_t got = 1, want = 2;
	struct err e = {0};
	bool slow = slow_since(s, &want);

	if (!cfg.tz)
		fuzz_require(tz_open("UTC", &cfg.tz, &e) == E_OK);
	if (query_time(&app, s, &got, &e) == E_OK) {
		fuzz_require(slow && got == want);
		return;
	}
	fuzz_require(!slow && got == 1 && e.code == E_USAGE && e.fix[0]);
	fuzz_require(str_ends(e.msg, " is not a valid time"));
}

static void check_month(const char *s)
{
	char got[8] = "", want[8] = "";
	struct err e = {0};
	bool slow = looks_like(s, "0000-00") && !s[7] && two(s + 5) >= 1 &&
		two(s + 5) <= 12 && strncmp(s, "0000", 4) != 0;

	if (slow)
		snprintf(want, sizeof(want), "%.4s%.2s", s, s + 5);
	fuzz_require((query_month(s, got, &e) == E_OK) == slow);
	fuzz_require(!strcmp(got, want) && (slow || e.code == E_USAGE));
}

int fuzz_time(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	int64_t number;

	check_rfc3339(s);
	check_date(s);
	check_duration(s);
	check_http(s);
	check_since(s);
	check_month(s);
	if (size == sizeof(number)) {
		memcpy(&number, data, sizeof(number));
		check_moment(number % (INT64_C(10000) * 366 * DAY_SECONDS));
	}
	return 0;
}
