/* Files of time zones. What is believed of them gives offsets that a zone can have, and days that follow
 * each other without a gap and without end. */
#include "base/time/civil.h"
#include "base/mem.h"
#include "base/time/tz.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char zone_dir[] = "/tmp/fuzz-tz-XXXXXX", zone_file[64];

static void remove_zone(void)
{
	unlink(zone_file);
	rmdir(zone_dir);
}

/* A file in memory that goes by the name of a zone. */
static int zone_fd(void)
{
	static int fd = -1;
	char target[64];

	if (fd < 0) {
		fd = memfd_create("Zone", 0);
		fuzz_require(fd >= 0 && mkdtemp(zone_dir));
		snprintf(zone_file, sizeof(zone_file), "%s/Zone", zone_dir);
		snprintf(target, sizeof(target), "/proc/%d/fd/%d", (int)getpid(), fd);
		fuzz_require(!symlink(target, zone_file) && !atexit(remove_zone));
	}
	setenv("TZDIR", zone_dir, 1);
	return fd;
}

static void check_day(const struct tz *tz, ts_t at)
{
	int32_t offset = tz_offset(tz, at);
	day_t day = tz_day(tz, at);
	ts_t start, next;

	fuzz_require(offset > -26 * 3600 - 1 && offset < 26 * 3600 + 1);
	fuzz_require(day ==
		(day_t)((at + offset -
				((at + offset) % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS) /
			DAY_SECONDS));
	start = tz_day_start(tz, day);
	next = tz_day_start(tz, day + 1);
	fuzz_require(start <= at && next >= start);
	fuzz_require(tz_day(tz, start) >= day);
	fuzz_require(tz_day(tz, start - 1) < tz_day(tz, start) || tz_day(tz, start) > day ||
		tz_day(tz, start - 1) != day);
	for (int hour = 0; hour < 24; hour += 7) {
		ts_t t = tz_local_to_ts(tz, day, hour, 30);
		int64_t off = t - ((ts_t)day * DAY_SECONDS + hour * 3600 + 1800);

		fuzz_require(off > -3 * DAY_SECONDS && off < 3 * DAY_SECONDS);
	}
}

int fuzz_tz(const uint8_t *data, size_t size)
{
	int fd = zone_fd();
	struct tz *tz = NULL;

	fuzz_require(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	if (tz_open("Zone", &tz, NULL)) {
		fuzz_require(!tz);
		return 0;
	}
	fuzz_require(!strcmp(tz_name(tz), "Zone"));
	for (ts_t at = 0; at < INT64_C(2500000000); at += 361234567)
		check_day(tz, at);
	tz_free(tz);
	return 0;
}
