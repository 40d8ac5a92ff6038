/* Zones in which TPUs exist: those of the built-in prices and, once they were polled, those for which
 * Google lists a TPU quota, and those of existing resources. */
#ifndef TPUCOST_RULES_GRANT_ZONES_H
#define TPUCOST_RULES_GRANT_ZONES_H

#include "base/err.h"
#include "base/mem.h"

struct db;
struct price_override;

struct tpu_zone {
	const char *zone;
	const char *family; /* canonical; NULL: another resource exists there */
};

/* Zones in addition to the built-in ones. All zero: none. */
struct tpu_zones {
	struct tpu_zone *v;
	size_t n, cap;
	bool polled; /* Google's quotas by zone were read */
};

/* Adds the zones of prices in the configuration: users may know more than the built-in table. */
void tpu_zones_add_prices(struct tpu_zones *z, struct arena *a,
	const struct price_override *prices, size_t n);
/* Adds the zones of quotas and resources in the database. */
enum err_code tpu_zones_read(
	struct db *db, struct arena *a, struct tpu_zones *z, struct err *e) must_check;

/* E_USAGE with the zones that have it, if a TPU of this type ("v3-8") or family ("v4") is not known to
 * exist in the zone. If Google's list was not polled, the message has the date of the built-in list
 * and a way to continue. Families that are unknown are accepted. */
enum err_code tpu_zone_check(const struct tpu_zones *z, const char *type, const char *zone,
	struct err *e) must_check;

/* Certainty of that error: the built-in list may be too old, and lacks types in some zones. */
enum zone_doubt {
	ZONE_NEW_TYPE, /* the zone exists, and may have the type now */
	ZONE_NEW,      /* the region exists, and may have the zone now */
	ZONE_WRONG, /* Google lists the family in other zones, or there is no such region */
};
enum zone_doubt tpu_zone_doubt(
	const struct tpu_zones *z, const char *type, const char *zone);
/* The same for any other resource: E_USAGE if the region is unknown, or the zone cannot be one of it. */
enum err_code zone_check(
	const struct tpu_zones *z, const char *zone, struct err *e) must_check;

#endif
