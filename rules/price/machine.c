#include "rules/price/machine.h"

#include "base/time/civil.h"
#include "base/mem.h"
#include "base/money.h"
#include "base/str.h"
#include "rules/price/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VCPUS 1024
#define MAX_MIB (64 * 1024 * 1024)

/* Families with custom types, and the MiB per vCPU above which memory counts as extended (Compute
 * Engine: "Pricing for custom machine types"). 0: there is no extended memory. */
static const struct custom_family {
	const char *name;
	int64_t mib_per_vcpu;
} custom_families[] = {
	{"n1", 6656},
	{"n2", 8192},
	{"n2d", 8192},
	{"n4", 8192},
	{"n4a", 8192},
	{"n4d", 8192},
	{"e2", 0},
};

/* e2-custom-micro-2048: 2 vCPUs for the guest, a part of one on the bill. */
static const struct shared_core {
	const char *word;
	int64_t billed;
} shared_cores[] = {
	{"micro", INT64_C(250000000)},
	{"small", INT64_C(500000000)},
	{"medium", INT64_C(1000000000)},
};

bool machine_family(const char *type, char buf[MACHINE_FAMILY_BUF])
{
	size_t len = type ? strcspn(type, "-") : 0;

	if (!len || type[len] != '-' || len >= MACHINE_FAMILY_BUF)
		return false;
	if (str_starts(type, "custom-")) {
		strcpy(buf, "n1");
		return true;
	}
	memcpy(buf, type, len);
	buf[len] = '\0';
	return true;
}

static int machine_by_name(const void *type, const void *row)
{
	return strcmp(type, price_strings + ((const struct machine_row *)row)->name);
}

static const struct custom_family *custom_find(const char *family)
{
	for (size_t i = 0; i < ARRAY_LEN(custom_families); i++)
		if (str_eq(family, custom_families[i].name))
			return &custom_families[i];
	return NULL;
}

static bool custom_cpus(const struct custom_family *f, const char *word, struct machine *m)
{
	if (str_to_i64(word, 1, MAX_VCPUS, &m->vcpus)) {
		m->billed_vcpus = m->vcpus * NANOS;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(shared_cores); i++)
		if (str_eq(f->name, "e2") && str_eq(word, shared_cores[i].word)) {
			m->vcpus = 2;
			m->billed_vcpus = shared_cores[i].billed;
			return true;
		}
	return false;
}

/* "FAMILY-custom-CPUS-MIB[-ext]", or without "FAMILY-" for n1. */
static bool custom_parse(const char *type, struct machine *out)
{
	char text[64], *cpus, *mib, *ext;
	const struct custom_family *f;
	struct machine m = {.custom = true};

	if (!machine_family(type, m.family) || strlen(type) >= sizeof(text))
		return false;
	strcpy(text, type);
	cpus = str_starts(text, "custom-") ? text : strchr(text, '-') + 1;
	f = custom_find(m.family);
	if (!f || !str_starts(cpus, "custom-"))
		return false;
	cpus += strlen("custom-");
	mib = strchr(cpus, '-');
	if (!mib)
		return false;
	*mib++ = '\0';
	ext = strchr(mib, '-');
	if (ext && (strcmp(ext, "-ext") != 0 || !f->mib_per_vcpu))
		return false;
	if (ext)
		*ext = '\0';
	if (!custom_cpus(f, cpus, &m) || !str_to_i64(mib, 1, MAX_MIB, &m.memory_mib))
		return false;
	m.billed_mib = m.memory_mib * NANOS;
	if (ext && m.memory_mib > m.vcpus * f->mib_per_vcpu)
		m.extended_mib = m.memory_mib - m.vcpus * f->mib_per_vcpu;
	*out = m;
	return true;
}

bool machine_parse(const char *type, struct machine *out)
{
	const struct machine_row *r = type
		? bsearch(type, machine_rows, n_machine_rows, sizeof(*r), machine_by_name)
		: NULL;

	if (r) {
		*out = (struct machine){.tpu_host = r->tpu_host,
			.gpus = r->gpus,
			.vcpus = r->vcpus,
			.memory_mib = r->memory_mib,
			.billed_vcpus = r->billed_vcpus,
			.billed_mib = r->billed_gib * 1024};
		snprintf(out->family, sizeof(out->family), "%s", price_strings + r->family);
		return true;
	}
	return type && custom_parse(type, out);
}

#define BUNDLED_GIB 375

/* Compute Engine, "Machine types that automatically attach Local SSD disks"; z3 by the word in its name, as listed by
 * cyclenerd/google-cloud-pricing-cost-calculator, build/gcp.yml at fd66b26. */
static const struct bundled {
	const char *of;
	int64_t vcpus, disks;
} bundled[] = {{"a3", 26, 2}, {"a3", 52, 4}, {"a3", 104, 8}, {"a3", 208, 16}, {"c3", 4, 1},
	{"c3", 8, 2}, {"c3", 22, 4}, {"c3", 44, 8}, {"c3", 88, 16}, {"c3", 176, 32},
	{"c3d", 8, 1}, {"c3d", 16, 1}, {"c3d", 30, 2}, {"c3d", 60, 4}, {"c3d", 90, 8},
	{"c3d", 180, 16}, {"c3d", 360, 32}, {"c4", 4, 1}, {"c4", 8, 1}, {"c4", 16, 2},
	{"c4", 24, 4}, {"c4", 32, 5}, {"c4", 48, 8}, {"c4", 96, 16}, {"c4", 144, 24},
	{"c4", 192, 32}, {"c4", 288, 48}, {"c4a", 4, 1}, {"c4a", 8, 2}, {"c4a", 16, 4},
	{"c4a", 32, 6}, {"c4a", 48, 10}, {"c4a", 64, 14}, {"c4a", 72, 16}, {"c4d", 8, 1},
	{"c4d", 16, 1}, {"c4d", 32, 2}, {"c4d", 48, 4}, {"c4d", 64, 6}, {"c4d", 96, 8},
	{"c4d", 192, 16}, {"c4d", 384, 32}, {"h4d", 192, 10}, {"-highlssd", 8, 8},
	{"-highlssd", 16, 16}, {"-highlssd", 22, 24}, {"-highlssd", 32, 32},
	{"-highlssd", 44, 48}, {"-highlssd", 88, 96}, {"-highlssd", 192, 192},
	{"-standardlssd", 14, 8}, {"-standardlssd", 22, 16}, {"-standardlssd", 44, 24},
	{"-standardlssd", 88, 48}, {"-standardlssd", 176, 96}};

int64_t machine_bundled_ssd_gib(const char *type)
{
	static const char *const always[] = {"a3", "a4", "a4x", "z3"};
	struct machine m;

	if (!type || !machine_parse(type, &m) || strstr(type, "-nolssd"))
		return 0;
	if (!strstr(type, "-lssd") && !str_in(m.family, always, ARRAY_LEN(always)))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(bundled); i++)
		if (m.vcpus == bundled[i].vcpus &&
			(*bundled[i].of == '-' ? strstr(type, bundled[i].of) != NULL
					       : str_eq(m.family, bundled[i].of)))
			return bundled[i].disks * BUNDLED_GIB;
	return -1;
}

const char *machine_nearest(const char *type)
{
	const char **names = xcalloc(n_machine_rows, sizeof(*names)), *near = NULL;
	const char *number = str_after_last(type, '-');
	size_t series = (size_t)(number - type);
	int64_t want, cpus, best = INT32_MAX;

	for (size_t i = 0; i < n_machine_rows; i++) {
		names[i] = price_strings + machine_rows[i].name;
		if (strncmp(names[i], type, series) != 0 ||
			!str_to_i64(number, 0, INT32_MAX, &want) ||
			!str_to_i64(names[i] + series, 0, INT32_MAX, &cpus) ||
			llabs(cpus - want) >= best)
			continue;
		best = llabs(cpus - want);
		near = names[i];
	}
	if (!near)
		near = str_nearest(type, names, n_machine_rows);
	free(names);
	return near;
}

/* ---- sustained use ---------------------------------------------------------------------------- */

/* Charged part of the base price in each quarter of the month, in 1/10000. */
struct tiers {
	int64_t charged[4];
};
static const struct tiers thirty = {{10000, 8000, 6000, 4000}};
static const struct tiers twenty = {{10000, 8678, 7330, 6000}};

static const struct {
	const char *family;
	const struct tiers *tiers;
} sustained[] = {{"n1", &thirty}, {"m1", &thirty}, {"m2", &thirty}, {"f1", &thirty},
	{"g1", &thirty}, {"n2", &twenty}, {"n2d", &twenty}, {"c2", &twenty}};

static const struct tiers *tiers_of(const char *machine_type)
{
	char family[MACHINE_FAMILY_BUF];

	if (!machine_type || !machine_family(machine_type, family))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(sustained); i++)
		if (str_eq(sustained[i].family, family))
			return sustained[i].tiers;
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
