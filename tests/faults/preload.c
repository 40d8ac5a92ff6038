/* To be preloaded: the Nth allocation of a process fails, once or from then on. FAIL_AT=N says which
 * (nothing: none does), FAIL_FOREVER=1 that all after it do as well, and FAIL_COUNT=FILE where the number
 * of allocations is written when the process ends. KILL_AT=N: the Nth is the last thing done, as by kill -9.
 * Counting begins anew with every program.
 * KILL_RENAME=TEXT: so is giving a file a name that ends so; FAIL_RENAME=TEXT: that fails.
 * FAKE_FS=0x6969 is the kind that every file system is said to be. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The C library's own, under names that do not lead back here. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *old, size_t size);

static atomic_long calls;
static long fail_at, kill_at;
static bool for_ever, ready;

static long number(const char *name)
{
	const char *s = getenv(name);

	return s ? strtol(s, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	fail_at = number("FAIL_AT");
	kill_at = number("KILL_AT");
	for_ever = getenv("FAIL_FOREVER") != NULL;
	calls = 0;
	ready = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	char text[32];
	int fd, n;

	if (!path)
		return;
	n = snprintf(text, sizeof(text), "%ld\n", (long)calls);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, (size_t)n) != n)
		unlink(path);
	close(fd);
}

static bool ends_as(const char *path, const char *variable)
{
	const char *end = getenv(variable);
	size_t n = strlen(path), len = end ? strlen(end) : 0;

	return len && n >= len && !strcmp(path + n - len, end);
}

int rename(const char *from, const char *to)
{
	if (ends_as(to, "KILL_RENAME"))
		kill(getpid(), SIGKILL);
	if (ends_as(to, "FAIL_RENAME")) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static bool fails(void)
{
	long n;

	if (!ready)
		return false;
	n = ++calls;
	if (n == kill_at)
		kill(getpid(), SIGKILL);
	if (!fail_at || n < fail_at || (n > fail_at && !for_ever))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

int statfs(const char *path, struct statfs *out)
{
	const char *fake = getenv("FAKE_FS");
	long rc = syscall(SYS_statfs, path, out);

	if (!rc && fake)
		out->f_type = strtol(fake, NULL, 0);
	return (int)rc;
}
