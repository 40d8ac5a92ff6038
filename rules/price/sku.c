/* Descriptions as in the Cloud Billing Catalog. They are compared completely, except for the place
 * at their end: a description with another word (sole tenancy, commitments, upgrades, reservations)
 * is for another item. */
#include "rules/price/account.h"

#include "base/str.h"
#include "rules/grant/tpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define CLOUD_TPU "E000-3F24-B8AA"
#define COMPUTE_ENGINE "6F81-5844-456A"
#define TEXT_BUF 160
#define MONTH_HOURS 730

enum unit { UNIT_HOUR, UNIT_GIB_HOUR, UNIT_GIB_MONTH, UNIT_OTHER };

/* Units of the catalog, and those of the export's usage.pricing_unit. */
static enum unit unit_read(const char *unit)
{
	static const struct {
		const char *word;
		enum unit unit;
	} words[] = {{"h", UNIT_HOUR}, {"hour", UNIT_HOUR}, {"GiBy.h", UNIT_GIB_HOUR},
		{"gibibyte hour", UNIT_GIB_HOUR}, {"GiBy.mo", UNIT_GIB_MONTH},
		{"gibibyte month", UNIT_GIB_MONTH}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eq(unit, words[i].word))
			return words[i].unit;
	return UNIT_OTHER;
}

/* Is the item charged in that unit? */
static bool unit_fits(struct sku_item *it, enum unit unit)
{
	it->times = 1;
	switch (it->item) {
	case PRICE_RAM:
	case PRICE_RAM_EXT:
		return unit == UNIT_GIB_HOUR;
	case PRICE_DISK:
	case PRICE_SNAPSHOT:
		/* A month is 730 hours in Google's prices. */
		it->times = unit == UNIT_GIB_HOUR ? MONTH_HOURS : 1;
		return unit == UNIT_GIB_HOUR || unit == UNIT_GIB_MONTH;
	default:
		return unit == UNIT_HOUR;
	}
}

/* ---- TPUs ------------------------------------------------------------------------------ */

/* "v5e" of "tpuv5e accelerator" or "tpu-v5e ...", "tpu7x"; the first one only. Those of
 * flex-start and calendar mode begin with the family, "v6e running". */
static const char *sku_family_in(const char *text)
{
	const char *p = strstr(text, "tpu"), *family = tpu_sku_family(text);

	if (!family && p)
		family = tpu_sku_family(p);
	if (family || !p)
		return family;
	p += strlen("tpu");
	return tpu_sku_family(p + (*p == '-' || *p == ' '));
}

/* Tests that nothing but words of a TPU is in the text: another word before or behind the family (capacity
 * optimized, commitment, sole tenancy) is for another item. Some descriptions end with a place without "in". */
static bool sku_tpu_whole(const char *text)
{
	static const char *const words[] = {"tpu", "accelerator", "pod", "chip", "hour",
		"preemptible", "spot", "dws", "defined", "duration"};
	static const char *const before_place[] = {"accelerator", "pod", "hour"};
	bool place = false;

	for (const char *p = text; *p; p += strspn(p, " -")) {
		size_t n = strcspn(p, " -");
		char word[TEXT_BUF];

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		if (str_in(word, words, ARRAY_LEN(words)))
			place = str_in(word, before_place, ARRAY_LEN(before_place));
		else if (sku_family_in(word))
			place = false;
		else if (!place)
			return false;
		p += n;
	}
	return true;
}

/* The unit is that of the family, or a chip if the text contains that word. In the catalog the usage
 * type of preemptible TPUs is OnDemand: the word decides. */
static bool sku_read_tpu(const char *text, struct sku_item *out)
{
	static const char *const not_a_chip[] = {"premium", "storage", "disk", "transfer",
		"egress", " ram", " memory", "vcpu"};
	const char *family = sku_family_in(text);

	if (!family || !sku_tpu_whole(text))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(not_a_chip); i++)
		if (strstr(text, not_a_chip[i]))
			return false;
	out->item = tpu_has_devices(family) && !strstr(text, "pod") ? PRICE_TPU_DEVICE
								    : PRICE_TPU;
	out->per = strstr(text, "chip") ? 1 : tpu_sku_unit(family);
	if (strstr(text, "preemptible") || strstr(text, "spot"))
		out->class = PRICE_SPOT;
	if (strstr(text, "dws defined duration"))
		out->class = PRICE_FLEX;
	snprintf(out->name, sizeof(out->name), "%s", family);
	return true;
}

/* ---- other items ----------------------------------------------------------------------- */

static const struct {
	const char *text;
	enum price_item item;
	const char *name;
} known[] = {
	{"n1 predefined instance core", PRICE_CORE, "n1"},
	{"n1 predefined instance ram", PRICE_RAM, "n1"},
	{"custom instance core", PRICE_CORE, "n1-custom"},
	{"custom instance ram", PRICE_RAM, "n1-custom"},
	{"custom extended instance ram", PRICE_RAM_EXT, "n1"},
	{"compute optimized core", PRICE_CORE, "c2"},
	{"compute optimized instance core", PRICE_CORE, "c2"},
	{"compute optimized ram", PRICE_RAM, "c2"},
	{"compute optimized instance ram", PRICE_RAM, "c2"},
	{"memory-optimized instance core", PRICE_CORE, "m1"},
	{"memory-optimized instance ram", PRICE_RAM, "m1"},
	{"m3 memory-optimized instance core", PRICE_CORE, "m3"},
	{"m3 memory-optimized instance ram", PRICE_RAM, "m3"},
	{"micro instance with burstable cpu", PRICE_MACHINE, "f1-micro"},
	{"small instance with 1 vcpu", PRICE_MACHINE, "g1-small"},
	{"nvidia tesla k80 gpu", PRICE_GPU, "k80"},
	{"nvidia tesla p4 gpu", PRICE_GPU, "p4"},
	{"nvidia tesla p100 gpu", PRICE_GPU, "p100"},
	{"nvidia tesla v100 gpu", PRICE_GPU, "v100"},
	{"nvidia tesla t4 gpu", PRICE_GPU, "t4"},
	{"storage pd capacity", PRICE_DISK, "pd-standard"},
	{"balanced pd capacity", PRICE_DISK, "pd-balanced"},
	{"ssd backed pd capacity", PRICE_DISK, "pd-ssd"},
	{"regional storage pd capacity", PRICE_DISK, "regional-pd-standard"},
	{"regional balanced pd capacity", PRICE_DISK, "regional-pd-balanced"},
	{"regional ssd backed pd capacity", PRICE_DISK, "regional-pd-ssd"},
	{"ssd backed local storage", PRICE_DISK, "local-ssd"},
	{"c4 instance local ssd", PRICE_DISK, "local-ssd-c4"},
	{"c4a instance local ssd", PRICE_DISK, "local-ssd-c4a"},
	{"c4d instance local ssd", PRICE_DISK, "local-ssd-c4d"},
	{"storage pd snapshot", PRICE_SNAPSHOT, ""},
	{"static ip charge", PRICE_IP_UNUSED, ""},
	{"external ip charge on a standard vm", PRICE_IP_VM, ""},
};

static bool read_known(const char *text, struct sku_item *out)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(text, known[i].text) != 0)
			continue;
		out->item = known[i].item;
		snprintf(out->name, sizeof(out->name), "%s", known[i].name);
		return true;
	}
	return false;
}

/* Families that are sold only by vCPU and GiB. Those with GPUs (a2, a3, g2, ...) are not among them: their
 * vCPUs are only a part of their price. */
static const char *const part_families[] = {"e2", "n2", "n2d", "n4", "n4a", "n4d", "t2d",
	"t2a", "c2d", "c3", "c3d", "c4", "c4a", "c4d", "c4n", "m4", "m4ultramem224", "z3"};

/* Remove a word from the front of *text. */
static bool skip_word(const char **text, const char *word)
{
	if (!str_starts(*text, word))
		return false;
	*text += strlen(word);
	return true;
}

/* "n2d amd custom extended instance ram": family, maker, variant, item. */
static bool read_parts(const char *text, struct sku_item *out)
{
	size_t n = strcspn(text, " ");
	bool custom, extended;

	for (size_t i = 0; i < ARRAY_LEN(part_families); i++) {
		const char *family = part_families[i], *p = text + n;

		if (strlen(family) != n || strncmp(text, family, n) != 0)
			continue;
		if (!skip_word(&p, " amd"))
			(void)skip_word(&p, " arm");
		custom = skip_word(&p, " custom");
		extended = custom && skip_word(&p, " extended");
		if (!strcmp(p, " instance core") && !extended)
			out->item = PRICE_CORE;
		else if (!strcmp(p, " instance ram"))
			out->item = extended ? PRICE_RAM_EXT : PRICE_RAM;
		else
			return false;
		snprintf(out->name, sizeof(out->name), "%s%s", family,
			custom && !extended ? "-custom" : "");
		return true;
	}
	return false;
}

/* Cut `text` at the first occurrence of `mark`. */
static bool sku_cut(char *text, const char *mark)
{
	char *at = strstr(text, mark);

	if (at)
		*at = '\0';
	return at;
}

/* The last one: names of places do not contain " in ". */
static void cut_place(char *text)
{
	char *at = NULL;

	if (sku_cut(text, " running in "))
		return;
	for (char *p = text; (p = strstr(p, " in ")); p++)
		at = p;
	if (at)
		*at = '\0';
}

/* Lower case, without the class and the place. False when it cannot be known. */
static bool sku_bare(const char *description, char text[TEXT_BUF], enum price_class *class)
{
	const char *from = text;
	size_t n = strlen(description);

	if (n >= TEXT_BUF)
		return false;
	for (size_t i = 0; i <= n; i++)
		text[i] = (char)tolower((unsigned char)description[i]);
	if (skip_word(&from, "spot preemptible ") || skip_word(&from, "preemptible "))
		*class = PRICE_SPOT;
	else if (skip_word(&from, "dws defined duration "))
		*class = PRICE_FLEX;
	else if (str_ends(text, " in calendar mode")) {
		if (!skip_word(&from, "reserved "))
			return false;
		text[n - strlen(" in calendar mode")] = '\0';
		*class = PRICE_RESERVED;
	}
	memmove(text, from, strlen(from) + 1);
	if (sku_cut(text, " attached to spot preemptible vms") ||
		sku_cut(text, " attached to preemptible vms"))
		*class = PRICE_SPOT;
	cut_place(text);
	if (!strcmp(text, "external ip charge on a spot preemptible vm")) {
		*class = PRICE_SPOT;
		strcpy(text, "external ip charge on a standard vm");
	}
	return true;
}

bool price_sku_read(const struct sku_text *s, struct sku_item *out)
{
	struct sku_item it = {.per = 1,
		.class = str_eq(s->usage_type, "Preemptible") ? PRICE_SPOT
							      : PRICE_ON_DEMAND};
	char text[TEXT_BUF];
	bool compute = str_eq(s->service_id, COMPUTE_ENGINE);

	if ((!compute && !str_eq(s->service_id, CLOUD_TPU)) || !s->description ||
		!sku_bare(s->description, text, &it.class))
		return false;
	if (strstr(text, "tpu") || (it.class >= PRICE_FLEX && sku_family_in(text))
			? !sku_read_tpu(text, &it)
			: !compute || (!read_known(text, &it) && !read_parts(text, &it)))
		return false;
	if (!unit_fits(&it, unit_read(s->unit)))
		return false;
	/* Spot changes the price of running resources, not of stored ones. */
	if (it.class == PRICE_SPOT &&
		(it.item == PRICE_SNAPSHOT || it.item == PRICE_IP_UNUSED))
		return false;
	*out = it;
	return true;
}
