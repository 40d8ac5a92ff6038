/* Named time zones, read from the system's TZif files. The C library has no function for the offset
 * of a zone other than the process's own, and reads an unknown name as UTC. */
#ifndef TPUCOST_BASE_TIME_TZ_H
#define TPUCOST_BASE_TIME_TZ_H

#include "base/err.h"

struct tz; /* opaque, immutable */

/* Load a zone such as "Asia/Hong_Kong" or "UTC". An unknown name, or one outside of the zone
 * directory ($TZDIR, else /usr/share/zoneinfo), is E_CONFIG with the most similar name. "UTC" needs
 * no files. Free it with tz_free. */
enum err_code tz_open(const char *name, struct tz **out, struct err *e) must_check;
void tz_free(struct tz *tz);
void tz_free_ptr(struct tz **tz);

const char *tz_name(const struct tz *tz);
/* Its name, and for a zone whose clocks ever changed a checksum of its rules: results of a zone
 * file that was replaced since have another one. Returns buf. */
#define TZ_STAMP_BUF 96
const char *tz_stamp(const struct tz *tz, char buf[TZ_STAMP_BUF]);
/* Seconds east of UTC at the instant. */
int32_t tz_offset(const struct tz *tz, ts_t utc);
/* The zone's calendar date at the instant. */
day_t tz_day(const struct tz *tz, ts_t utc);
/* The first instant of that calendar date (found by search: midnight may not exist). For a
 * date the zone skipped, the first instant after it. Days are 23 to 25 hours long. */
ts_t tz_day_start(const struct tz *tz, day_t day);
/* The instant of a wall-clock time. A time in a gap gives the first instant after the gap,
 * one that occurs twice gives the first of the two. */
ts_t tz_local_to_ts(const struct tz *tz, day_t day, int hour, int minute);

/* "2026-11-21 09:00" on the zone's clocks, for users; data is RFC 3339 in UTC. Returns buf. */
#define TZ_TIME_BUF 64
const char *tz_time(const struct tz *tz, ts_t utc, char buf[TZ_TIME_BUF]);
/* The same, but UTC is named: "2026-11-21 01:00 UTC". */
const char *tz_time_utc(const struct tz *tz, ts_t utc, char buf[TZ_TIME_BUF]);

/* Name of the machine's zone (the first of $TZ, /etc/localtime, /etc/timezone that names an
 * existing zone), "UTC" if none does. Returns a static string. */
const char *tz_machine_name(void);
/* The same, for that value of $TZ (NULL: unset) and those files. */
const char *tz_machine_name_of(
	const char *env, const char *localtime, const char *timezone);

#endif
