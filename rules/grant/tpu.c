#include "rules/grant/tpu.h"

#include "base/data/json.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "rules/grant/tpu_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct family {
	const char *name, *aliases;
	int64_t cores_per_chip; /* as counted by the number in its type names */
	const char
		*one_host; /* chips of slices on a single host; others have hosts with 4 */
	bool has_devices;  /* those on a single host are devices, the others pods */
	const char *machines; /* see tpu_families.csv */
	const char *quota;
	const char *api, *direct, *disk, *compute, *topologies, *sku;
	int64_t sku_chips;
} families[] = {
#define F(...) {__VA_ARGS__},
	TPU_FAMILIES(F)
#undef F
};

static const struct family *family_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (!strcmp(word, families[i].name) ||
			str_in_list(word, families[i].aliases))
			return &families[i];
	return NULL;
}

static bool tpu_lower(const char *s, size_t len, char out[TPU_NAME_BUF])
{
	if (len >= TPU_NAME_BUF)
		return false;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[len] = '\0';
	return true;
}

const char *tpu_family_canonical(const char *word)
{
	char lower[TPU_NAME_BUF];
	const struct family *f = word && tpu_lower(word, strlen(word), lower)
		? family_find(lower)
		: NULL;

	return f ? f->name : NULL;
}

int64_t tpu_cores_per_chip(const char *family)
{
	const struct family *f = family ? family_find(family) : NULL;

	return f ? f->cores_per_chip : 1;
}

/* Is that a number of chips on a single host of the family? */
static bool fits_host(const struct family *f, int64_t chips)
{
	char number[8];

	snprintf(number, sizeof(number), "%d", (int)chips);
	return str_in_list(number, f->one_host);
}

static void tpu_fill(const struct family *f, int64_t chips, struct tpu_type *out)
{
	out->family = f->name;
	out->chips = chips;
	out->cores = chips * f->cores_per_chip;
	out->hosts = fits_host(f, chips) ? 1 : chips / TPU_HOST_CHIPS;
	out->device = f->has_devices && out->hosts == 1;
}

/* ---- machine types of TPU hosts ----------------------------------------------------------------- */

/* 16 of "16 x ct6e-standard-4t", whose machine type begins at *host; 1 if there is no number. */
static int64_t tpu_slice_hosts(const char *type, const char **host)
{
	int64_t n = 0;
	const char *s = type;

	for (; isdigit((unsigned char)*s) && n < TPU_MAX_NUMBER; s++)
		n = n * 10 + (*s - '0');
	*host = n && str_starts(s, " x ") ? s + 3 : type;
	return *host == type ? 1 : n;
}

int64_t tpu_host_chips(const char *type)
{
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
	int64_t chips = 0, hosts = tpu_slice_hosts(type, &type);
	const char *s = type +
		(str_starts(type, "ct")                   ? 2
				: str_starts(type, "tpu") ? 3
							  : 0);
	size_t n = strspn(s, digits);

	if (s == type || !n)
		return 0;
	s += n;
	s += strspn(s, lower);
	n = *s == '-' ? strcspn(s + 1, "-") : 0;
	if (!n || s[n + 1] != '-')
		return 0;
	for (s += n + 2; isdigit((unsigned char)*s) && chips < TPU_MAX_NUMBER; s++)
		chips = chips * 10 + (*s - '0');
	return !strcmp(s, "t") || !strcmp(s, "t-tpu") ? hosts * chips : 0;
}

/* The family with that machine type, also one of a size that does not exist. */
static const struct family *host_family(const char *type, bool *pod)
{
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const char *m = families[i].machines;

		for (size_t n; *m; m += n + (m[n] == ' ')) {
			size_t len;

			n = strcspn(m, " ");
			len = strcspn(m, " /");
			*pod = len < n;
			if (!strncmp(type, m, len) && type[len] == '-')
				return &families[i];
		}
	}
	return NULL;
}

/* A machine type of a known family has the chips of its name, if a host can have them. */
static bool host_type_parse(const char *type, struct tpu_type *out)
{
	bool pod;
	const char *host;
	int64_t hosts = tpu_slice_hosts(type, &host);
	const struct family *f = host_family(host, &pod);
	int64_t chips = f ? tpu_host_chips(host) : 0;

	if (!chips || !fits_host(f, chips))
		return false;
	tpu_fill(f, hosts * chips, out);
	out->hosts = hosts;
	out->device = out->device && !pod && hosts == 1;
	snprintf(out->name, sizeof(out->name), "%s", type);
	return true;
}

/* ---- accelerator types --------------------------------------------------------------------------- */

bool tpu_type_parse(const char *type, struct tpu_type *out)
{
	char text[TPU_NAME_BUF], *dash;
	const struct family *f;
	struct tpu_type t = {0};
	int64_t number;

	if (!type || !strchr(type, '-') || !tpu_lower(type, strlen(type), text))
		return false; /* most words are not */
	if (host_type_parse(text, &t)) {
		*out = t;
		return true;
	}
	dash = strchr(text, '-');
	if (!str_to_i64(dash + 1, 1, TPU_MAX_NUMBER, &number))
		return false;
	*dash = '\0';
	f = family_find(text);
	if (!f || number % f->cores_per_chip != 0)
		return false;
	number /= f->cores_per_chip;
	if (number % TPU_HOST_CHIPS != 0 && !fits_host(f, number))
		return false;
	tpu_fill(f, number, &t);
	tpu_slice_name(f->name, number, t.name);
	*out = t;
	return true;
}

const char *tpu_family_of_type(const char *type)
{
	char word[TPU_NAME_BUF];
	const struct family *f;
	bool pod;

	if (type)
		tpu_slice_hosts(type, &type);
	if (!type || !tpu_lower(type, strcspn(type, "-"), word))
		return NULL;
	f = family_find(word);
	if (!f || tpu_host_chips(type))
		f = host_family(type, &pod);
	return f ? f->name : NULL;
}

bool tpu_family_unknown(const char *type, const char *kind)
{
	bool tpu = str_eq(kind, "tpu") || str_eq(kind, "queued");

	return type && (tpu || tpu_host_chips(type)) && !tpu_family_of_type(type);
}

const char *tpu_boot_disk(const char *type)
{
	const char *family = type && tpu_host_chips(type) ? tpu_family_of_type(type) : NULL;
	const char *disk = family ? family_find(family)->disk : "";

	return *disk ? disk : NULL;
}

const char *tpu_direct_machine(const char *type)
{
	const char *family = tpu_family_of_type(type);
	const char *machine = family ? family_find(family)->direct : "";

	return *machine ? machine : NULL;
}

static bool shape_of_fours(const char *topology)
{
	int64_t sides = 0, side;
	const char *p = topology;

	while (*p) {
		char number[8] = "";
		size_t n = strcspn(p, "x");

		if (!n || n >= sizeof(number))
			return false;
		memcpy(number, p, n);
		if (!str_to_i64(number, 4, TPU_MAX_NUMBER, &side) || side % 4)
			return false;
		sides++;
		p += n + (p[n] == 'x');
	}
	return sides == 3;
}

bool tpu_topology_valid(const char *type, const char *topology)
{
	const char *family = type ? tpu_family_of_type(type) : NULL;
	char shape[TPU_NAME_BUF];

	if (!str_product(topology, TPU_MAX_NUMBER) ||
		!tpu_lower(topology, strlen(topology), shape))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct family *f = &families[i];

		if ((!family || str_eq(f->name, family)) &&
			(str_in_list(shape, f->topologies) ||
				(str_in_list("4n", f->topologies) &&
					shape_of_fours(shape))))
			return true;
	}
	return type && !family;
}

int tpu_sides(const char *family)
{
	int sides = 1;

	for (const char *p = family_find(family)->topologies; *p && *p != ' '; p++)
		sides += *p == 'x';
	return sides;
}

const char *tpu_topologies(const char *type, struct arena *a)
{
	const char *family = tpu_family_of_type(type);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int64_t host;

	tpu_slice_hosts(type, &type);
	host = tpu_host_chips(type);
	for (const char *p = family ? family_find(family)->topologies : ""; *p;) {
		size_t n = strcspn(p, " ");
		const char *shape = arena_strndup(a, p, n);

		if (!strcmp(shape, "4n"))
			sbuf_adds(&b, " or three multiples of 4, such as 4x4x8");
		else if (!host || str_product(shape, TPU_MAX_NUMBER) % host == 0)
			sbuf_addf(&b, "%s%s", b.len ? " " : "one of ", shape);
		p += n + (p[n] == ' ');
	}
	return b.len ? arena_strdup(a, b.s) : "a shape such as 4x4 or 2x2x2";
}

bool tpu_is_in_api(const char *family)
{
	return *family_find(family)->api;
}

char *tpu_slice_name(const char *family, int64_t chips, char buf[TPU_NAME_BUF])
{
	snprintf(buf, TPU_NAME_BUF, "%.12s-%d", family,
		(int)(chips * tpu_cores_per_chip(family)));
	return buf;
}

/* The size of that family that is nearest to the number: "v6e-8" for "v6e-7"; NULL: it has no number. */
static const char *size_nearest(const char *type, char buf[TPU_NAME_BUF])
{
	size_t len = strcspn(type, "-");
	char word[TPU_NAME_BUF];
	int64_t number, distance = INT64_MAX;
	const struct family *f;
	struct tpu_type t;

	f = tpu_lower(type, len, word) ? family_find(word) : NULL;
	if (!f || !type[len] || !str_to_i64(type + len + 1, 0, TPU_MAX_NUMBER, &number))
		return NULL;
	for (int64_t n = 1; n < TPU_MAX_NUMBER; n *= 2) {
		int64_t d = n > number ? n - number : number - n;

		snprintf(word, sizeof(word), "%.12s-%d", f->name, (int)n);
		if (d >= distance || !tpu_type_parse(word, &t))
			continue;
		distance = d;
		memcpy(buf, word, sizeof(word));
	}
	return buf;
}

const char *tpu_type_nearest(const char *type, char buf[TPU_NAME_BUF])
{
	enum { SIZES = 12 };
	char names[ARRAY_LEN(families) * SIZES][TPU_NAME_BUF];
	const char *valid[ARRAY_LEN(families) * SIZES], *near;
	struct tpu_type t;
	size_t n = 0;

	for (size_t f = 0; f < ARRAY_LEN(families); f++)
		for (int i = 0; i < SIZES; i++) {
			snprintf(names[n], sizeof(names[n]), "%s-%d", families[f].name,
				1 << i);
			if (!tpu_type_parse(names[n], &t))
				continue;
			valid[n] = names[n];
			n++;
		}
	if (size_nearest(type, buf))
		return buf;
	near = str_nearest(type, valid, n);
	if (!near)
		return NULL;
	snprintf(buf, TPU_NAME_BUF, "%s", near);
	return buf;
}

/* ---- prices and zones ---------------------------------------------------------------------------- */

/* "v5e" of "V5ePod", but not "v2" of "v20": the longest name at the beginning. */
static size_t sku_name_length(const struct family *f, const char *text)
{
	size_t longest = 0;

	for (const char *m = f->sku; *m;) {
		size_t n = strcspn(m, " ");

		if (n > longest && !strncasecmp(text, m, n) &&
			!isdigit((unsigned char)text[n]))
			longest = n;
		m += n + (m[n] == ' ');
	}
	return longest;
}

const char *tpu_sku_family(const char *text)
{
	const char *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		size_t n = sku_name_length(&families[i], text);

		if (n > longest) {
			longest = n;
			found = families[i].name;
		}
	}
	return found || strncasecmp(text, "tpu", 3) != 0 ? found : tpu_sku_family(text + 3);
}

int64_t tpu_sku_unit(const char *family)
{
	return family_find(family)->sku_chips;
}

bool tpu_has_devices(const char *family)
{
	return family_find(family)->has_devices;
}

const struct tpu_place *tpu_zone_at(size_t i)
{
	static const struct tpu_place places[] = {
#define Z(...) {__VA_ARGS__},
		TPU_ZONES(Z)
#undef Z
	};

	return i < ARRAY_LEN(places) ? &places[i] : NULL;
}

bool tpu_series_host(const char *series, struct tpu_type *out)
{
	size_t len = strlen(series);
	char type[TPU_NAME_BUF];

	for (size_t i = 0; len && i < ARRAY_LEN(families); i++)
		for (const char *m = families[i].machines; *m;
			m += strcspn(m, " "), m += *m == ' ')
			if (!strncmp(m, series, len) && m[len] == '-') {
				snprintf(type, sizeof(type), "%.*s-%.1st",
					(int)strcspn(m, " /"), m, families[i].one_host);
				return tpu_type_parse(type, out);
			}
	return false;
}

/* ---- quotas ------------------------------------------------------------------------------------- */

/* Of "TPUV3sPerProjectPerZoneForTPUAPI", "PREEMPTIBLE-TPU-V5P-per-project-region" and
 * "compute.googleapis.com/tpu_v5p" what names the quota. */
static char *quota_word(const char *name, struct arena *a)
{
	char *word = arena_strdup(a, str_after_last(name, '/'));
	char *end = strcasestr(word, "-per-project");

	end = end ? end : strstr(word, "PerProject");
	if (end)
		*end = '\0';
	return word;
}

static char *quota_lower(const char *text, struct arena *a)
{
	char *lower = arena_strdup(a, text);

	for (char *p = lower; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return lower;
}

/* Those that pods have apart from devices; "litepod" is a family. */
static enum tpu_quota_part quota_part(const struct family *f, const char *lower)
{
	if (!f->has_devices)
		return TPU_QUOTA_ALL;
	return strstr(lower, "pod") ? TPU_QUOTA_PODS : TPU_QUOTA_DEVICES;
}

/* Names of Cloud Quotas ("TPUV5sPreemptibleLitepodPerProjectPerZoneForTPUAPI") and metrics of
 * Service Usage ("tpu.googleapis.com/tpu-v5s-litepod-preemptible"). Serving has separate quotas. */
static bool quota_read_api(const char *name, struct arena *a, struct tpu_quota *out)
{
	char *word = quota_word(name, a), *lower = quota_lower(word, a), *at;

	at = strstr(lower, "tpuv");
	at = at ? at + 3 : strstr(lower, "tpu-v");
	if (!at || strstr(lower, "serving"))
		return false;
	at += *at == 'v' ? 0 : 4;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct family *f = &families[i];

		if (!*f->quota || !str_starts(at, f->quota))
			continue;
		*out = (struct tpu_quota){.family = f->name,
			.name = word,
			.part = quota_part(f, lower),
			.spot = strstr(lower, "preemptible") != NULL,
			.per_chip = f->cores_per_chip};
		return true;
	}
	return false;
}

static const char quota_spot[] = "preemptible-", quota_by_family[] = "tpus-per-tpu-family";

/* Entries of a family's quotas of Compute Engine: "preemptible-tpu-v6e/ct6e". */
struct quota_entry {
	const char *name, *series; /* the name without "preemptible-" */
	size_t name_len, series_len;
	bool spot;
};

static bool quota_entry_next(const char **list, struct quota_entry *out)
{
	const char *m = *list;
	size_t spot = strlen(quota_spot);

	if (!*m)
		return false;
	out->spot = str_starts(m, quota_spot);
	out->name = m + (out->spot ? spot : 0);
	out->name_len = strcspn(out->name, "/");
	out->series = out->name + out->name_len + 1;
	out->series_len = strcspn(out->series, " ");
	*list = out->series + out->series_len;
	*list += **list == ' ';
	return true;
}

/* "ct6e" for "tpu-v6e"; arena, NULL: no family has that quota. */
static const char *quota_series(const char *lower, struct arena *a)
{
	struct quota_entry q;

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (const char *m = families[i].compute; quota_entry_next(&m, &q);)
			if (strlen(lower) == q.name_len &&
				!strncmp(q.name, lower, q.name_len) &&
				strcmp(lower, quota_by_family) != 0)
				return arena_strndup(a, q.series, q.series_len);
	return NULL;
}

const char *tpu_quota_metric(const char *type, bool spot, struct arena *a)
{
	const char *family = tpu_family_of_type(type), *m;
	struct quota_entry q;
	char *metric;

	tpu_slice_hosts(type, &type);
	if (!family || !tpu_host_chips(type))
		return NULL;
	m = family_find(family)->compute;
	while (quota_entry_next(&m, &q)) {
		if (q.spot != spot || strncmp(type, q.series, q.series_len) != 0 ||
			type[q.series_len] != '-')
			continue;
		metric = arena_printf(
			a, "%s%.*s", spot ? quota_spot : "", (int)q.name_len, q.name);
		for (char *p = metric; *p; p++)
			*p = *p == '-' ? '_' : *p;
		return metric;
	}
	return NULL;
}

static const char *series_family(const char *series)
{
	size_t len = series ? strlen(series) : 0;

	for (size_t i = 0; len && i < ARRAY_LEN(families); i++)
		for (const char *m = families[i].machines; *m;
			m += strcspn(m, " "), m += *m == ' ')
			if (!strncmp(m, series, len) && m[len] == '-')
				return families[i].name;
	return NULL;
}

/* "ct6e" of {"tpu_family":"CT6E"}: Google writes it in both cases. */
static const char *quota_told_series(const char *dimensions, struct arena *a)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	const char *series;

	if (json_parse(dimensions, strlen(dimensions), &j, NULL))
		return NULL;
	series = json_text(json_get(j, "tpu_family"), "");
	return *series ? quota_lower(series, a) : NULL;
}

/* Names of Cloud Quotas ("PREEMPTIBLE-TPU-V6E-per-project-region"), metrics of it and of regions
 * ("PREEMPTIBLE_TPU_V6E"). */
static bool quota_read_compute(
	const char *name, const char *dimensions, struct arena *a, struct tpu_quota *out)
{
	char *lower = quota_lower(quota_word(name, a), a), *upper;
	const char *rest = lower +
		(str_starts(lower, quota_spot) ? sizeof(quota_spot) - 1 : 0);
	bool by_family = !strcmp(rest, quota_by_family);
	const char *series = by_family ? quota_told_series(dimensions, a)
				       : quota_series(rest, a);

	if (!series && !by_family)
		return false;
	upper = arena_strdup(a, lower);
	for (char *p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	*out = (struct tpu_quota){.family = series_family(series),
		.name = upper,
		.series = series,
		.compute = true,
		.spot = rest != lower,
		.per_chip = 1};
	return true;
}

bool tpu_quota_read(const struct tpu_quota_names *n, struct arena *a, struct tpu_quota *out)
{
	if (!strcasestr(n->quota_id, "tpu") && !strcasestr(n->metric, "tpu"))
		return false; /* most are not */
	if (str_eq(n->service, "tpu.googleapis.com"))
		return quota_read_api(n->quota_id, a, out) ||
			quota_read_api(n->metric, a, out);
	return str_eq(n->service, "compute.googleapis.com") &&
		(quota_read_compute(n->quota_id, n->dimensions, a, out) ||
			quota_read_compute(n->metric, n->dimensions, a, out));
}

bool tpu_quota_counts(const struct tpu_quota *q, const char *type)
{
	size_t len = q->series ? strlen(q->series) : 0;
	struct tpu_type t;

	if (q->compute) {
		tpu_slice_hosts(type, &type);
		return len && !strncmp(type, q->series, len) && type[len] == '-' &&
			tpu_host_chips(type);
	}
	return !tpu_host_chips(type) && str_eq(tpu_family_of_type(type), q->family) &&
		(q->part == TPU_QUOTA_ALL || !tpu_type_parse(type, &t) ||
			t.device == (q->part == TPU_QUOTA_DEVICES));
}

bool tpu_quota_covers(const char *location, const char *zone)
{
	size_t n = strlen(location);

	return !strncmp(zone, location, n) && (!zone[n] || (zone[n] == '-' && zone[n + 1]));
}
