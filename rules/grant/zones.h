/* Zones in which TPUs exist: those of tpu_families.csv and, once they were polled, those for which
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

/* May that error be wrong, because the zone exists, and Google's list of the family was not polled? The
 * built-in list may be too old, and lacks types in some zones. */
bool tpu_zone_may_be_new(const struct tpu_zones *z, const char *type, const char *zone);
/* The same for any other resource: E_USAGE if the region is unknown, or the zone cannot be one of it,
 * with similar zones and the regions that have the type of machine or disk (NULL: none). */
enum err_code zone_check(const struct tpu_zones *z, const char *type, const char *zone,
	struct err *e) must_check;

#endif
