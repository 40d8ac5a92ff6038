#include "rules/grant/zones.h"

#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/grant/tpu.h"
#include "rules/price/machine.h"
#include "rules/price/place.h"
#include "rules/price/price.h"

#include <string.h>

#define MAX_LISTED 6 /* zones in a message */
#define MAX_ZONES 256
#define ANY_DISK "pd-standard" /* exists in every region */

/* Adds a zone; the texts must live as long as `z`. */
static void zones_add(
	struct tpu_zones *z, struct arena *a, const char *zone, const char *family)
{
	for (size_t i = 0; i < z->n; i++)
		if (str_eq(z->v[i].zone, zone) && str_eq(z->v[i].family, family))
			return;
	*arena_push(a, z) = (struct tpu_zone){zone, family};
}

void tpu_zones_add_prices(
	struct tpu_zones *z, struct arena *a, const struct price_override *prices, size_t n)
{
	for (size_t i = 0; i < n; i++)
		zones_add(z, a, prices[i].zone, prices[i].family);
}

enum err_code tpu_zones_read(
	struct db *db, struct arena *a, struct tpu_zones *z, struct err *e)
{
	struct q_resource_zones place;
	struct q_tpu_quotas quota;
	struct tpu_quota of;
	struct db_rows rows;

	if (q_tpu_quotas_open(db, &rows, e))
		return e->code;
	while (q_tpu_quotas_next(&rows, &quota)) {
		struct tpu_quota_names names = {.service = quota.service,
			.quota_id = quota.quota_id,
			.metric = quota.metric,
			.dimensions = quota.dimensions};

		if (place_zone(quota.location) && tpu_quota_read(&names, a, &of) &&
			!of.compute) {
			z->polled = true;
			zones_add(z, a, arena_strdup(a, quota.location), of.family);
		}
	}
	if (db_rows_close(&rows, e) || q_resource_zones_open(db, &rows, e))
		return e->code;
	while (q_resource_zones_next(&rows, &place))
		zones_add(z, a, arena_strdup(a, place.zone),
			tpu_family_of_type(place.tpu_type));
	return db_rows_close(&rows, e);
}

/* ---- look-up ------------------------------------------------------------------------------------ */

/* Walk over the built-in zones and the added ones; begin with {.z = z}. */
struct zone_walk {
	const struct tpu_zones *z;
	size_t built_in, i; /* next ones, of the table and of z */
	const char *zone, *family;
	bool devices, slices;
};

static bool zone_next(struct zone_walk *w)
{
	const struct tpu_place *p = tpu_zone_at(w->built_in);

	if (!p && w->i == w->z->n)
		return false;
	w->built_in += p != NULL;
	w->zone = p ? p->zone : w->z->v[w->i].zone;
	w->family = p ? p->family : w->z->v[w->i++].family;
	w->devices = !p || p->devices;
	w->slices = !p || p->slices;
	return true;
}

/* Is it a zone of the family, or of any for NULL? */
static bool zone_known(const struct tpu_zones *z, const char *family, const char *zone)
{
	struct zone_walk w = {.z = z};

	while (zone_next(&w))
		if (!strcmp(w.zone, zone) && (!family || str_eq(w.family, family)))
			return true;
	return false;
}

static bool region_known(const struct tpu_zones *z, const char *region)
{
	struct zone_walk w = {.z = z};
	const char *name, *place;
	char own[REGION_BUF];

	for (size_t k = 0; (place = price_builtin_place(PRICE_DISK, k, &name)); k++)
		if (!strcmp(name, ANY_DISK) && !strcmp(place, region))
			return true;
	while (zone_next(&w))
		if (zone_to_region(w.zone, own) && !strcmp(own, region))
			return true;
	return false;
}

/* ---- messages ----------------------------------------------------------------------------------- */

struct listed {
	const char *v[MAX_ZONES];
	size_t n;
};

/* Zones of the family; of the type alone where the table distinguishes devices and pods. */
static void list_zones(
	const struct tpu_zones *z, const char *type, const char *family, struct listed *l)
{
	struct zone_walk w = {.z = z};
	struct tpu_type t;
	bool sized = tpu_type_parse(type, &t);

	while (zone_next(&w)) {
		bool other = sized && !(t.device ? w.devices : w.slices);

		if (!other && str_eq(w.family, family) && l->n < MAX_ZONES &&
			!str_in(w.zone, l->v, l->n))
			l->v[l->n++] = w.zone;
	}
}

/* Adds the zones of the same region first: the mistake is usually the last letter. */
static void add_list(const struct listed *l, const char *zone, struct sbuf *b)
{
	const char *dash = strrchr(zone, '-');
	size_t len = dash ? (size_t)(dash - zone) + 1 : 0, shown = 0;

	for (int near = 1; near >= 0; near--)
		for (size_t i = 0; i < l->n; i++) {
			if ((len && !strncmp(l->v[i], zone, len)) != near)
				continue;
			if (shown++ < MAX_LISTED)
				sbuf_addf(b, "%s%s", shown > 1 ? ", " : "", l->v[i]);
		}
	if (shown > MAX_LISTED)
		sbuf_addf(b, " and %zu more", shown - MAX_LISTED);
}

/* Is the family in Google's list, so that a zone missing there does not have it? */
static bool is_polled(const struct tpu_zones *z, const char *family)
{
	for (size_t i = 0; z->polled && i < z->n; i++)
		if (str_eq(z->v[i].family, family))
			return true;
	return false;
}

enum err_code tpu_zone_check(
	const struct tpu_zones *z, const char *type, const char *zone, struct err *e)
{
	const char *family = tpu_family_of_type(type);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct listed l = {.n = 0};

	if (!family || zone_known(z, family, zone))
		return E_OK;
	if (zone_known(z, NULL, zone))
		sbuf_addf(&b, "%.40s does not exist in %.60s; it", type, zone);
	else
		sbuf_addf(&b, "there is no zone %.60s; %.40s", zone, type);
	sbuf_adds(&b, " exists in ");
	list_zones(z, type, family, &l);
	add_list(&l, zone, &b);
	if (is_polled(z, family))
		return err_set(e, E_USAGE, "%s", b.s);
	err_set(e, E_USAGE, "%s (list of %s)", b.s, price_table_date);
	return err_fix(e,
		"if Google has added the zone since, run: tpucost collect quotas; or give "
		"its "
		"price under prices:");
}

bool tpu_zone_may_be_new(const struct tpu_zones *z, const char *type, const char *zone)
{
	const char *family = tpu_family_of_type(type);

	return !(family && is_polled(z, family)) && zone_known(z, NULL, zone);
}

/* Regions with a price of the machine or disk type. */
static void list_regions(const char *type, struct listed *l)
{
	static const enum price_item items[] = {PRICE_CORE, PRICE_MACHINE, PRICE_DISK};
	char family[MACHINE_FAMILY_BUF] = "";
	const char *name, *place;

	(void)!machine_family(type, family);
	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		for (size_t k = 0; (place = price_builtin_place(items[i], k, &name)); k++)
			if ((!strcmp(name, type) ||
				    (items[i] == PRICE_CORE && !strcmp(name, family))) &&
				l->n < MAX_ZONES && !str_in(place, l->v, l->n))
				l->v[l->n++] = place;
}

/* Zones of the region, or if there is no such region, of the one with the nearest name, which is the
 * result; NULL: none is near. */
static const char *list_near(
	const struct tpu_zones *z, const char *region, bool known, struct listed *l)
{
	struct listed all = {.n = 0};
	struct zone_walk w = {.z = z};
	char own[REGION_BUF];

	list_regions(ANY_DISK, &all);
	if (!known)
		region = str_nearest(region, all.v, all.n);
	while (region && zone_next(&w))
		if (zone_to_region(w.zone, own) && !strcmp(own, region) &&
			l->n < MAX_ZONES && !str_in(w.zone, l->v, l->n))
			l->v[l->n++] = w.zone;
	return region;
}

enum err_code zone_check(
	const struct tpu_zones *z, const char *type, const char *zone, struct err *e)
{
	const char *suffix = str_after_last(zone, '-');
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct listed near = {.n = 0}, has = {.n = 0};
	char region[REGION_BUF] = "";
	const char *meant;
	bool known;

	if (zone_known(z, NULL, zone))
		return E_OK;
	known = zone_to_region(zone, region) && region_known(z, region);
	/* zones of a region have the letters a to f; others are those of TPUs */
	if (known && strlen(suffix) == 1 && *suffix >= 'a' && *suffix <= 'f')
		return E_OK;
	meant = list_near(z, region, known, &near);
	if (near.n)
		sbuf_adds(&b, "; zones with a similar name: ");
	add_list(&near, zone, &b);
	if (type)
		list_regions(type, &has);
	for (size_t i = 1; i < has.n; i++) /* that region first */
		if (str_eq(has.v[i], meant)) {
			has.v[i] = has.v[0];
			has.v[0] = meant;
		}
	if (has.n)
		sbuf_addf(&b, "; %.40s exists in ", type);
	add_list(&has, meant ? meant : region, &b);
	return err_set(e, E_USAGE, "there is no zone %.60s%s (list of %s)", zone, b.s,
		price_table_date);
}
