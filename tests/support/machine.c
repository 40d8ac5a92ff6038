/* The machine of tests: its clock, and its disk, for which nobody waits. Loaded in front of the C library
 * (LD_PRELOAD), it answers time(), gettimeofday() and clock_gettime(CLOCK_REALTIME) for every program of
 * a test, so that tpucost, the fake cloud, sqlite3, jq and date agree. The programs under test know nothing of it. Only the time of
 * day changes, and with it when files were written, as stat(), lstat() and fstat() say: sleeping is the
 * machine's, and so is CLOCK_MONOTONIC without TEST_MONOTONIC.
 *
 *	TEST_CLOCK=LINK   a symbolic link to "1795262400" (that instant when LINK was made, running on
 *	                  since) or to "=1795262400" (that instant, standing still). It is read at every
 *	                  call, so another LINK moves the clock of programs that run; and it takes no file
 *	                  descriptor, of which some tests leave few.
 *	TEST_MONOTONIC=LINK   a symbolic link to the seconds that CLOCK_MONOTONIC is ahead by
 *	TEST_DISK=real    fsync() and fdatasync() wait for the disk; without it they return at once
 *	TEST_WALL=N       without TEST_CLOCK: N seconds ahead of the machine's clock
 *
 * Example: LINK to 1000 was made at the machine's 5000.25. At 5007.75 the time is 1007.5. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000L

static void add(struct timespec *t, const struct timespec *d)
{
	t->tv_sec += d->tv_sec;
	t->tv_nsec += d->tv_nsec;
	if (t->tv_nsec >= BILLION) {
		t->tv_sec++;
		t->tv_nsec -= BILLION;
	}
}

/* How far this clock is ahead of the machine's where it runs on; `stands` gets the instant at which
 * it stands, or 0. Of a link, what it says less when it was made. */
static struct timespec ahead(time_t *stands)
{
	const char *path = getenv("TEST_CLOCK"), *wall = getenv("TEST_WALL");
	ssize_t n = -1;
	char text[32];
	struct stat st;

	*stands = 0;
	if (path && !syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW))
		n = readlink(path, text, sizeof(text) - 1);
	if (n <= 0)
		return (struct timespec){.tv_sec = wall ? strtoll(wall, NULL, 10) : 0};
	text[n] = '\0';
	if (text[0] == '=')
		*stands = strtoll(text + 1, NULL, 10);
	return (struct timespec){.tv_sec = strtoll(text + (text[0] == '='), NULL, 10) -
			st.st_mtim.tv_sec - 1,
		.tv_nsec = BILLION - st.st_mtim.tv_nsec};
}

static void test_time(struct timespec *ts)
{
	int saved = errno;
	time_t stands;
	struct timespec d = ahead(&stands);

	syscall(SYS_clock_gettime, CLOCK_REALTIME, ts);
	add(ts, &d);
	if (stands)
		*ts = (struct timespec){.tv_sec = stands};
	errno = saved;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	const char *path = id == CLOCK_MONOTONIC ? getenv("TEST_MONOTONIC") : NULL;
	char text[32] = "";

	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) {
		test_time(ts);
		return 0;
	}
	if (syscall(SYS_clock_gettime, id, ts))
		return -1;
	if (path && readlink(path, text, sizeof(text) - 1) > 0)
		ts->tv_sec += strtoll(text, NULL, 10);
	return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec ts;

	(void)zone;
	test_time(&ts);
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec ts;

	test_time(&ts);
	if (t)
		*t = ts.tv_sec;
	return ts.tv_sec;
}

int timespec_get(struct timespec *ts, int base)
{
	if (base != TIME_UTC)
		return 0;
	test_time(ts);
	return base;
}

/* ---- when files were written, on that clock ------------------------------------------------------- */

static int shifted(long rc, struct stat *st)
{
	int saved = errno;
	time_t stands;
	struct timespec d;

	if (rc)
		return -1;
	d = ahead(&stands);
	add(&st->st_mtim, &d);
	errno = saved;
	return 0;
}

int stat(const char *restrict path, struct stat *restrict st)
{
	return shifted(syscall(SYS_newfstatat, AT_FDCWD, path, st, 0), st);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
	return shifted(
		syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW), st);
}

int fstat(int fd, struct stat *st)
{
	return shifted(syscall(SYS_fstat, fd, st), st);
}

/* ---- the disk ------------------------------------------------------------------------------------- */

int fsync(int fd)
{
	return getenv("TEST_DISK") ? (int)syscall(SYS_fsync, fd) : 0;
}

int fdatasync(int fd)
{
	return getenv("TEST_DISK") ? (int)syscall(SYS_fdatasync, fd) : 0;
}
