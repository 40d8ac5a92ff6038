/* Retries: status classes, Retry-After, backoff. */
#include "base/net/http_internal.h"

#include "base/time/civil.h"

#include <stdio.h>
#include <string.h>

#define RETRY_AFTER_MIN 1
#define RETRY_AFTER_MAX (15 * 60)
#define BACKOFF_BASE_MS 1000
#define BACKOFF_CAP_MS 32000

enum http_class http_status_class(long status)
{
	if (status == 429)
		return HTTP_RATE;
	if (status == 408 || status == 500 || (status >= 502 && status <= 504))
		return HTTP_RETRY;
	return HTTP_FINAL;
}

static int month_number(const char *name)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int m = 0; m < 12; m++)
		if (strncmp(name, months + m * 3, 3) == 0)
			return m + 1;
	return 0;
}

/* Does the text match the pattern, in which "0" is a digit, "a" a letter, and other characters
 * themselves? */
static bool has_form(const char *s, const char *pattern)
{
	for (; *pattern; s++, pattern++)
		if (*pattern == '0'               ? *s < '0' || *s > '9'
				: *pattern == 'a' ? (*s | 0x20) < 'a' || (*s | 0x20) > 'z'
						  : *s != *pattern)
			return false;
	return !*s;
}

bool http_date_parse(const char *s, ts_t *out)
{
	struct civil c = {0};

	if (!has_form(s, "aaa, 00 aaa 0000 00:00:00 GMT") ||
		sscanf(s + 5, "%2d %*3s %4d %2d:%2d:%2d", &c.day, &c.year, &c.hour,
			&c.minute, &c.second) != 5)
		return false;
	c.month = month_number(s + 8);
	if (!c.month || c.year < 1970 || c.day < 1 ||
		c.day > civil_month_days(c.year, c.month) || c.hour > 23 || c.minute > 59 ||
		c.second > 60)
		return false;
	*out = civil_to_ts(&c);
	return true;
}

static int64_t clamp(int64_t seconds)
{
	if (seconds < RETRY_AFTER_MIN)
		return RETRY_AFTER_MIN;
	return seconds > RETRY_AFTER_MAX ? RETRY_AFTER_MAX : seconds;
}

int64_t http_retry_after(const char *value, ts_t now)
{
	size_t digits = strspn(value, "0123456789");
	int64_t seconds = 0;
	ts_t at;

	if (digits > 0 && !value[digits]) {
		for (size_t i = 0; i < digits && seconds <= RETRY_AFTER_MAX; i++)
			seconds = seconds * 10 + (value[i] - '0');
		return clamp(seconds);
	}
	return http_date_parse(value, &at) ? clamp(at - now) : -1;
}

/* xorshift64*: sufficient to spread retries, and reproducible for one seed. */
static uint64_t next_random(uint64_t *rng)
{
	*rng ^= *rng >> 12;
	*rng ^= *rng << 25;
	*rng ^= *rng >> 27;
	return *rng * UINT64_C(2685821657736338717);
}

int64_t http_backoff_ms(int attempt, uint64_t *rng)
{
	int64_t most = BACKOFF_BASE_MS;

	for (int i = 2; i < attempt && most < BACKOFF_CAP_MS; i++)
		most *= 2;
	if (most > BACKOFF_CAP_MS)
		most = BACKOFF_CAP_MS;
	return (int64_t)(next_random(rng) % (uint64_t)(most + 1));
}
