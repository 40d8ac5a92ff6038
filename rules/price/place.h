/* Google's places: zones such as us-central1-f, regions, "global". */
#ifndef TPUCOST_RULES_PRICE_PLACE_H
#define TPUCOST_RULES_PRICE_PLACE_H

#include "base/base.h"
#include "base/mem.h"

#define REGION_BUF 64

/* "us-central1" for "us-central1-f". False, also for NULL, if it has another form: zones have two
 * dashes, regions one. */
bool zone_to_region(const char *zone, char buf[REGION_BUF]) must_check;
/* The location if it is a zone, else NULL. */
const char *place_zone(const char *location);
/* Region of a location; NULL for "global". Allocated from the arena, or the location itself. */
const char *place_region(const char *location, struct arena *a);

#endif
