#include "rules/price/tpu_sku.h"

#include "base/money.h"
#include "base/str.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DEVICE_CHIPS 4

const char *tpu_sku_family_at(const char *s)
{
	char word[16];
	size_t start = strncasecmp(s, "tpu", 3) ? 1 : 3, digits = start, n;

	if (start == 1 && tolower((unsigned char)*s) != 'v')
		return NULL;
	while (isdigit((unsigned char)s[digits]) && digits < start + 3)
		digits++;
	for (n = digits; isalpha((unsigned char)s[n]) && n < sizeof(word) - 1;)
		n++;
	for (; digits > start && n >= digits; n--) {
		const char *family;

		memcpy(word, s, n);
		word[n] = '\0';
		family = tpu_family_canonical(word);
		if (family)
			return family;
	}
	return NULL;
}

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
		family = tpu_sku_family_at(p);
		if (family)
			return family;
	}
	return NULL;
}

static int64_t tpu_sku_chips_of(const struct tpu_sku *sku, const char *description)
{
	bool old;

	if (!sku->family || strcasestr(description, "core"))
		return 0;
	if (strcasestr(description, "chip"))
		return 1;
	old = !strcmp(sku->family, "v2") || !strcmp(sku->family, "v3");
	if (!old)
		return 1;
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
