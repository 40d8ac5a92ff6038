#include "rules/price/sustained.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "rules/price/machine.h"

/* What is charged of the base price in each quarter of the month, in 1/10000. */
struct tiers {
	int64_t charged[4];
};
static const struct tiers thirty = {{10000, 8000, 6000, 4000}};
static const struct tiers twenty = {{10000, 8678, 7330, 6000}};

static const struct {
	const char *family;
	const struct tiers *tiers;
} families[] = {{"n1", &thirty}, {"m1", &thirty}, {"m2", &thirty}, {"f1", &thirty},
	{"g1", &thirty}, {"n2", &twenty}, {"n2d", &twenty}, {"c2", &twenty}};

static const struct tiers *tiers_of(const char *machine_type)
{
	char family[MACHINE_FAMILY_BUF];

	if (!machine_type || !machine_family(machine_type, family))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (str_eq(families[i].family, family))
			return families[i].tiers;
	return NULL;
}

bool sustained_family(const char *machine_type)
{
	return tiers_of(machine_type);
}

int64_t sustained_per_hour(const char *machine_type, int64_t nanos,
	const struct billing_month *month, int64_t seconds)
{
	const struct tiers *t = tiers_of(machine_type);
	int64_t length = month->ends - month->starts, quarter, off;

	if (!t || length < 1 || seconds < 0)
		return 0;
	quarter = seconds >= length ? 3 : seconds * 4 / length;
	return nanos_muldiv(nanos, 10000 - t->charged[quarter], 10000, &off) ? -off : 0;
}

enum err_code billing_month_of(ts_t now, struct billing_month *out, struct err *e)
{
	cleanup(tz_free_ptr) struct tz *pacific = NULL;
	int year, month, day;
	enum err_code rc;

	*out = (struct billing_month){.starts = now, .ends = now};
	rc = tz_open("America/Los_Angeles", &pacific, e);
	if (rc)
		return rc;
	civil_from_day(tz_day(pacific, now), &year, &month, &day);
	out->starts = tz_day_start(pacific, civil_to_day(year, month, 1));
	out->ends = tz_day_start(pacific,
		month == 12 ? civil_to_day(year + 1, 1, 1)
			    : civil_to_day(year, month + 1, 1));
	return E_OK;
}
