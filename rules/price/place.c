/* Zones and their regions. */
#include "rules/price/place.h"

#include <string.h>

bool zone_to_region(const char *zone, char buf[REGION_BUF])
{
	const char *dash = zone ? strrchr(zone, '-') : NULL;
	size_t len = dash ? (size_t)(dash - zone) : 0;

	if (!len || len >= REGION_BUF || !dash[1] || !memchr(zone, '-', len))
		return false;
	memcpy(buf, zone, len);
	buf[len] = '\0';
	return true;
}

const char *place_zone(const char *location)
{
	char region[REGION_BUF];

	return zone_to_region(location, region) ? location : NULL;
}

const char *place_region(const char *location, struct arena *a)
{
	char region[REGION_BUF];

	if (!strcmp(location, "global"))
		return NULL;
	return zone_to_region(location, region) ? arena_strdup(a, region) : location;
}
