/* Functions that glibc has and musl lacks: statx before musl 1.2.4, and a closefrom for posix_spawn. */
#ifndef TPUCOST_BASE_LIBC_H
#define TPUCOST_BASE_LIBC_H

#include <spawn.h>
#include <sys/stat.h>

#ifndef __GLIBC__
#include <sys/syscall.h>
#include <unistd.h>

#ifndef STATX_INO
#include <linux/stat.h>
static inline int statx(
	int dir, const char *path, int flags, unsigned mask, struct statx *st)
{
	return (int)syscall(SYS_statx, dir, path, flags, mask, st);
}
#endif

/* Marks the inherited files in this process, which has opened its own files with O_CLOEXEC. Kernels
 * before 5.11 cannot do it. */
static inline int posix_spawn_file_actions_addclosefrom_np(
	posix_spawn_file_actions_t *a, int from)
{
	(void)a;
	return (int)syscall(
		SYS_close_range, (unsigned)from, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */);
}
#endif

#endif
