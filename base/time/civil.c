#include "base/time/civil.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* Days from the civil date and back, counting years from March so that the leap day is the
 * last of its year, in eras of 400 years. */
day_t civil_to_day(int year, int month, int day)
{
	int64_t y = month <= 2 ? (int64_t)year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t yoe = y - era * 400;
	int64_t doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

	return (day_t)(era * 146097 + doe - 719468);
}

void civil_from_day(day_t d, int *year, int *month, int *day)
{
	int64_t z = (int64_t)d + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*day = (int)(doy - (153 * mp + 2) / 5 + 1);
	*month = (int)(mp < 10 ? mp + 3 : mp - 9);
	*year = (int)(yoe + era * 400 + (*month <= 2));
}

int civil_month_days(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

int civil_weekday(day_t d)
{
	return (int)((d % 7 + 7 + 3) % 7); /* 1970-01-01 was a Thursday */
}

struct civil civil_from_ts(ts_t utc)
{
	int64_t day = utc / DAY_SECONDS, rest = utc % DAY_SECONDS;
	struct civil c;

	if (rest < 0) {
		rest += DAY_SECONDS;
		day--;
	}
	civil_from_day((day_t)day, &c.year, &c.month, &c.day);
	c.hour = (int)(rest / 3600);
	c.minute = (int)(rest / 60 % 60);
	c.second = (int)(rest % 60);
	return c;
}

ts_t civil_to_ts(const struct civil *c)
{
	return (ts_t)civil_to_day(c->year, c->month, c->day) * DAY_SECONDS +
		c->hour * 3600 + c->minute * 60 + c->second;
}

/* Exactly `n` digits; advances *p. */
static bool take_number(const char **p, int n, int *out)
{
	int v = 0;

	for (int i = 0; i < n; i++) {
		char c = (*p)[i];

		if (c < '0' || c > '9')
			return false;
		v = v * 10 + (c - '0');
	}
	*p += n;
	*out = v;
	return true;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

static bool take_date(const char **p, struct civil *c)
{
	return take_number(p, 4, &c->year) && take_char(p, '-') &&
		take_number(p, 2, &c->month) && take_char(p, '-') &&
		take_number(p, 2, &c->day) && c->year >= 1 && c->month >= 1 &&
		c->month <= 12 && c->day >= 1 &&
		c->day <= civil_month_days(c->year, c->month);
}

static bool take_time(const char **p, struct civil *c)
{
	return take_number(p, 2, &c->hour) && take_char(p, ':') &&
		take_number(p, 2, &c->minute) && take_char(p, ':') &&
		take_number(p, 2, &c->second) && c->hour <= 23 && c->minute <= 59 &&
		c->second <= 60;
}

static bool take_fraction(const char **p, int32_t *nanos)
{
	int digits = 0;

	*nanos = 0;
	if (**p != '.')
		return true;
	for (++*p; **p >= '0' && **p <= '9'; ++*p, digits++) {
		if (digits == 9)
			return false;
		*nanos = *nanos * 10 + (**p - '0');
	}
	for (int i = digits; i < 9; i++)
		*nanos *= 10;
	return digits > 0;
}

static bool take_offset(const char **p, int *seconds)
{
	int sign = **p == '-' ? -1 : 1, hour, minute;

	*seconds = 0;
	if (take_char(p, 'Z') || take_char(p, 'z'))
		return true;
	if ((!take_char(p, '+') && !take_char(p, '-')) || !take_number(p, 2, &hour) ||
		!take_char(p, ':') || !take_number(p, 2, &minute) || hour > 23 ||
		minute > 59)
		return false;
	*seconds = sign * (hour * 3600 + minute * 60);
	return true;
}

enum err_code rfc3339_parse(const char *s, ts_t *out, int32_t *nanos, struct err *e)
{
	const char *p = s;
	struct civil c;
	int32_t frac;
	int offset;

	if (!take_date(&p, &c) || (!take_char(&p, 'T') && !take_char(&p, 't')) ||
		!take_time(&p, &c) || !take_fraction(&p, &frac) ||
		!take_offset(&p, &offset) || *p)
		return err_set(e, E_DATA,
			"'%.60s' is not an RFC 3339 time such as 2026-11-21T05:00:00Z", s);
	*out = civil_to_ts(&c) - offset;
	if (nanos)
		*nanos = frac;
	return E_OK;
}

char *rfc3339_format(ts_t utc, char buf[RFC3339_BUF])
{
	struct civil c = civil_from_ts(utc);

	snprintf(buf, RFC3339_BUF, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.day,
		c.hour, c.minute, c.second);
	return buf;
}

enum err_code date_parse(const char *s, day_t *out, struct err *e)
{
	const char *p = s;
	struct civil c;

	if (!take_date(&p, &c) || *p)
		return err_set(e, E_DATA, "'%.60s' is not a date such as 2026-11-21", s);
	*out = civil_to_day(c.year, c.month, c.day);
	return E_OK;
}

char *date_format(day_t d, char buf[DATE_BUF])
{
	int year, month, day;

	civil_from_day(d, &year, &month, &day);
	snprintf(buf, DATE_BUF, "%04d-%02d-%02d", year, month, day);
	return buf;
}

#define MOST_DAYS 3660

enum err_code duration_parse(const char *s, int64_t *seconds, struct err *e)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
	size_t len = strlen(s), number_len;
	char number[16];
	int64_t n;

	if (!strcmp(s, "0")) {
		*seconds = 0;
		return E_OK;
	}
	if (len >= 2 && len < sizeof(number)) {
		memcpy(number, s, len - 1);
		number[len - 1] = '\0';
		for (size_t i = 0; i < ARRAY_LEN(units); i++) {
			if (s[len - 1] != units[i].letter)
				continue;
			if (!str_to_i64(number, 0,
				    MOST_DAYS * DAY_SECONDS / units[i].seconds, &n))
				break;
			*seconds = n * units[i].seconds;
			return E_OK;
		}
	}
	number_len = strspn(s, "0123456789");
	if (number_len && *s != '0' && s[number_len] && strchr("smhdw", s[number_len]) &&
		!s[number_len + 1])
		return err_set(e, E_DATA, "'%.60s' is too long: expected at most %dd", s,
			MOST_DAYS);
	return err_set(
		e, E_DATA, "'%.60s' is not a duration such as 30s, 10m, 6h or 30d", s);
}

char *duration_format(int64_t seconds, char buf[DURATION_BUF])
{
	const uint64_t day = (uint64_t)DAY_SECONDS;
	const char *sign = seconds < 0 ? "-" : "";
	uint64_t s = seconds < 0 ? -(uint64_t)seconds : (uint64_t)seconds;
	char *rest;

	if (s < 120)
		snprintf(buf, DURATION_BUF, "%s%llus", sign, (unsigned long long)s);
	else if (s < 7200)
		snprintf(buf, DURATION_BUF, "%s%llum", sign, (unsigned long long)(s / 60));
	else if (s < 2 * day)
		snprintf(buf, DURATION_BUF, "%s%lluh %llum", sign,
			(unsigned long long)(s / 3600), (unsigned long long)(s / 60 % 60));
	else
		snprintf(buf, DURATION_BUF, "%s%llud %lluh", sign,
			(unsigned long long)(s / day), (unsigned long long)(s / 3600 % 24));
	if ((rest = strstr(buf, " 0")))
		*rest = '\0';
	return buf;
}
