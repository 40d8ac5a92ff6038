#include "tests/support/oracle.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void run(const char *name, const int ends[2])
{
	char path[200];

	snprintf(path, sizeof(path), "tests/oracle/%s", name);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	execlp("python3", "python3", "-B", path, (char *)NULL);
	_exit(127);
}

int oracle_run(const char *name, const struct sbuf *input)
{
	int ends[2], status;
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		run(name, ends);
	close(ends[0]);
	for (size_t at = 0; at < input->len;) {
		ssize_t n = write(ends[1], input->s + at, input->len - at);

		if (n < 0)
			break; /* it ended early, and its exit code says so */
		at += (size_t)n;
	}
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
