/* Calendar arithmetic and the text forms of instants, dates and durations. Proleptic Gregorian;
 * intervals are half-open [start, end). */
#ifndef TPUCOST_BASE_TIME_CIVIL_H
#define TPUCOST_BASE_TIME_CIVIL_H

#include "base/err.h"

#define HOUR_SECONDS INT64_C(3600)
#define DAY_SECONDS INT64_C(86400)

struct civil {
	int year, month, day; /* month 1..12, day 1..31 */
	int hour, minute, second;
};

day_t civil_to_day(int year, int month, int day); /* month and day in range */
void civil_from_day(day_t d, int *year, int *month, int *day);
int civil_month_days(int year, int month);
int civil_weekday(day_t d); /* 0: Monday */
struct civil civil_from_ts(ts_t utc);
ts_t civil_to_ts(const struct civil *c); /* read as UTC */

/* RFC 3339 with 'Z' or a numeric offset and 0 to 9 fraction digits (rounded down; *nanos receives
 * them unless NULL). Requires a zone; refuses year 0000, hour 24 and impossible dates; second 60 is
 * read as the next second (E_DATA otherwise). */
enum err_code rfc3339_parse(
	const char *s, ts_t *out, int32_t *nanos, struct err *e) must_check;
#define RFC3339_BUF 32
/* "2026-11-21T05:00:00Z". Returns buf. */
char *rfc3339_format(ts_t utc, char buf[RFC3339_BUF]);

/* "2026-11-01" -> day; strict, impossible dates refused. */
enum err_code date_parse(const char *s, day_t *out, struct err *e) must_check;
#define DATE_BUF 16
char *date_format(day_t d, char buf[DATE_BUF]); /* "2026-11-01" */

/* "30s" "10m" "6h" "30d" "2w" or "0" -> seconds; one unit, no sign, at most 10 years. */
enum err_code duration_parse(const char *s, int64_t *seconds, struct err *e) must_check;
#define DURATION_BUF 32
char *duration_format(int64_t seconds, char buf[DURATION_BUF]); /* "2d 3h", "45m", "12s" */

#endif
