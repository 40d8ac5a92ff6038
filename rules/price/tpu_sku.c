#include "rules/price/tpu_sku.h"

#include "base/money.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DEVICE_CHIPS 4

/* A family that begins a word, or follows "Tpu" directly. */
static bool tpu_sku_begins(const char *text, const char *at)
{
	if (at == text || !isalnum((unsigned char)at[-1]))
		return true;
	return at - text >= 3 && !strncasecmp(at - 3, "tpu", 3);
}

static const char *family_in(const char *text)
{
	for (const char *p = text; *p; p++) {
		const char *family;

		if (!tpu_sku_begins(text, p))
			continue;
		family = tpu_sku_family(p);
		if (family)
			return family;
	}
	return NULL;
}

static int64_t tpu_sku_chips_of(const struct tpu_sku *sku, const char *description)
{
	if (!sku->family || strcasestr(description, "core"))
		return 0;
	if (strcasestr(description, "chip"))
		return 1;
	if (!tpu_has_devices(sku->family))
		return tpu_sku_unit(sku->family);
	return strcasestr(description, "pod") ? 0 : DEVICE_CHIPS;
}

void tpu_sku_read(const char *description, struct tpu_sku *out)
{
	*out = (struct tpu_sku){.family = family_in(description),
		.commitment = strcasestr(description, "commitment") != NULL};
	if (strcasestr(description, "dws defined duration"))
		out->class = PRICE_FLEX;
	else if (strcasestr(description, "preemptible") || strcasestr(description, "spot"))
		out->class = PRICE_SPOT;
	else if (strcasestr(description, "calendar mode"))
		out->class = PRICE_RESERVED;
	out->chips = tpu_sku_chips_of(out, description);
}

bool tpu_sku_chip_hours(
	const struct tpu_sku *sku, const char *unit, int64_t usage, int64_t *out)
{
	static const struct {
		const char *unit;
		int64_t per_hour;
	} units[] = {{"hour", 1}, {"hours", 1}, {"h", 1}, {"minute", 60}, {"minutes", 60},
		{"min", 60}, {"second", 3600}, {"seconds", 3600}, {"s", 3600}};

	for (size_t i = 0; sku->chips && i < ARRAY_LEN(units); i++)
		if (str_ieq(unit, units[i].unit))
			return nanos_muldiv(usage, sku->chips, units[i].per_hour, out);
	return false;
}
