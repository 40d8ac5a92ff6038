/* pairs N COMMAND [ARG...] --- COMMAND [ARG...]: runs both N times by turns, which one first by
 * turns too, and writes seven numbers: the median wall time of the first and of the second, the
 * median of the differences of the pairs, the median of their ratios, the processor time of
 * each, and the middle half of the first one's times, all in milliseconds but the ratio. What
 * they write to standard output is thrown away. Ends with 1 when one of them fails. */
#include "base/mem.h"
#include "base/str.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct series {
	double *wall, *cpu;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double ms_of(const struct timeval *t)
{
	return (double)t->tv_sec * 1e3 + (double)t->tv_usec / 1e3;
}

static bool run_once(char **argv, double *wall, double *cpu)
{
	posix_spawn_file_actions_t quiet;
	double start = now_ms();
	struct rusage use;
	bool ok = false;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	if (!posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ) &&
		wait4(pid, &status, 0, &use) == pid) {
		*wall = now_ms() - start;
		*cpu = ms_of(&use.ru_utime) + ms_of(&use.ru_stime);
		/* 3 and 4 are answers too */
		ok = WIFEXITED(status) && WEXITSTATUS(status) != 1 &&
			WEXITSTATUS(status) != 2 && WEXITSTATUS(status) != 127;
	}
	posix_spawn_file_actions_destroy(&quiet);
	return ok;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of a copy: the order of the pairs is kept. `part` of 4: 1, 2 (the median) or 3. */
static double quarter(const double *v, size_t n, size_t part)
{
	double *copy = xcalloc(n, sizeof(*copy)), found;

	memcpy(copy, v, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), by_size);
	found = copy[(n - 1) * part / 4];
	free(copy);
	return found;
}

static struct series series_new(size_t n)
{
	return (struct series){
		.wall = xcalloc(n, sizeof(double)), .cpu = xcalloc(n, sizeof(double))};
}

static void print(const struct series *a, const struct series *b, size_t n)
{
	double *diff = xcalloc(n, sizeof(*diff)), *ratio = xcalloc(n, sizeof(*ratio));

	for (size_t i = 0; i < n; i++) {
		diff[i] = a->wall[i] - b->wall[i];
		ratio[i] = a->wall[i] / b->wall[i];
	}
	printf("%.2f %.2f %.2f %.2f %.2f %.2f %.2f\n", quarter(a->wall, n, 2),
		quarter(b->wall, n, 2), quarter(diff, n, 2), quarter(ratio, n, 2),
		quarter(a->cpu, n, 2), quarter(b->cpu, n, 2),
		quarter(a->wall, n, 3) - quarter(a->wall, n, 1));
	free(diff);
	free(ratio);
}

static char **second_of(char **argv)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, "---")) {
			*argv = NULL;
			return argv[1] ? argv + 1 : NULL;
		}
	return NULL;
}

int main(int argc, char **argv)
{
	char **first = argv + 2, **second = argc > 4 ? second_of(first) : NULL;
	struct series a, b;
	int64_t n;

	if (!second || !*first || !str_to_i64(argv[1], 1, 10000, &n)) {
		fputs("usage: pairs N COMMAND [ARG...] --- COMMAND [ARG...]\n", stderr);
		return 126;
	}
	a = series_new((size_t)n);
	b = series_new((size_t)n);
	for (int64_t i = -1; i < n; i++) { /* the first pair warms up */
		size_t at = i < 0 ? 0 : (size_t)i;
		bool swap = i & 1;

		for (int turn = 0; turn < 2; turn++) {
			bool own = (turn == 0) != swap;
			struct series *s = own ? &a : &b;

			if (!run_once(own ? first : second, &s->wall[at], &s->cpu[at])) {
				fprintf(stderr, "pairs: %s fails\n",
					*(own ? first : second));
				return 1;
			}
		}
	}
	print(&a, &b, (size_t)n);
	free(a.wall);
	free(a.cpu);
	free(b.wall);
	free(b.cpu);
	return 0;
}
