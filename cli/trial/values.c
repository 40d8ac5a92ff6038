/* Times and numbers of a world file. */
#include "cli/trial/internal.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"

#include <string.h>

static int64_t unit_seconds(char letter)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', HOUR_SECONDS}, {'d', DAY_SECONDS},
		{'w', 7 * DAY_SECONDS}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (units[i].letter == letter)
			return units[i].seconds;
	return 0;
}

/* "1d2h30m", "0" */
static bool parse_offset(const char *s, int64_t *out)
{
	int64_t sum = 0;

	if (!strcmp(s, "0")) {
		*out = 0;
		return true;
	}
	if (!*s)
		return false;
	while (*s) {
		size_t digits = strspn(s, "0123456789");
		int64_t n = 0;

		if (!digits || digits > 9 || !unit_seconds(s[digits]))
			return false;
		for (size_t i = 0; i < digits; i++)
			n = n * 10 + (s[i] - '0');
		sum += n * unit_seconds(s[digits]);
		if (sum > TRIAL_MAX_OFFSET)
			return false;
		s += digits + 1;
	}
	*out = sum;
	return true;
}

enum err_code trial_read_when(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct trial_reading *r = trial_reading_of(b);
	const char *s;
	int64_t seconds;
	day_t day;

	if (yaml_str(n, &s, e))
		return e->code;
	if (*s == '+' || *s == '-') {
		if (r->trial->start == TS_NONE || !parse_offset(s + 1, &seconds))
			return yaml_err(n, e,
				"\"%.40s\" is no time from the start: want one such as "
				"+10m, +1d2h or -3d",
				s);
		*(ts_t *)obj = r->trial->start + (*s == '-' ? -seconds : seconds);
		return E_OK;
	}
	if (strchr(s, 'T'))
		return rfc3339_parse(s, obj, NULL, e) ? yaml_err_at(n, e) : E_OK;
	if (date_parse(s, &day, e))
		return yaml_err_at(n, e);
	*(ts_t *)obj = tz_day_start(r->cfg->tz, day);
	return E_OK;
}

enum err_code trial_read_number(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct opt_i64 v = {.set = true};

	(void)b;
	if (yaml_is_null(n))
		v.set = false;
	else if (yaml_i64(n, 0, INT64_C(1000000000000), &v.v, e))
		return e->code;
	*(struct opt_i64 *)obj = v;
	return E_OK;
}
