#include "tests/support/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct unit_file *files; /* by name */

/* "tests/unit/base/test_money.c" -> "test_money", 10 characters */
static const char *name_of(const char *path, int *n)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	*n = (int)strcspn(base, ".");
	return base;
}

void unit_file_add(struct unit_file *f)
{
	struct unit_file **at = &files;

	while (*at && strcmp((*at)->path, f->path) < 0)
		at = &(*at)->next;
	f->next = *at;
	*at = f;
}

int64_t unit_step(int64_t step)
{
	const char *quick = getenv("TEST_QUICK");

	return quick ? strtol(quick, NULL, 10) * step : step;
}

static int run_apart(const struct unit_file *f)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int failed = f->run();

		fflush(NULL);
		exit(failed > 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("fork");
		return 1;
	}
	return status != 0;
}

int main(int argc, char **argv)
{
	bool list = argc == 2 && !strcmp(argv[1], "--list");
	int failed = 0, n, found = 0;

	if (argc > 3 || (argc > 1 && argv[1][0] == '-' && !list)) {
		fprintf(stderr, "usage: %s [--list | FILE [PATTERN]]\n", argv[0]);
		return 2;
	}
	if (argc == 3)
		cmocka_set_test_filter(argv[2]);
	for (struct unit_file *f = files; f; f = f->next) {
		const char *name = name_of(f->path, &n);

		if (list) {
			printf("%.*s\n", n, name);
			found++;
		} else if (argc == 1) {
			failed += run_apart(f);
			found++;
		} else if (strlen(argv[1]) == (size_t)n &&
			!strncmp(argv[1], name, (size_t)n)) {
			return f->run() > 0;
		}
	}
	if (!found) {
		fprintf(stderr, "%s: no such file of tests: %s; see %s --list\n", argv[0],
			argc > 1 ? argv[1] : "", argv[0]);
		return 2;
	}
	return failed > 0;
}
