/* Writing of a command's output to standard output, through a pager if it is longer than the
 * screen. */
#include "cli/cmd.h"
#include "cli/out/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command of the pager; NULL: none. */
static const char *pager(void)
{
	const char *own = getenv("TPUCOST_PAGER"), *usual = getenv("PAGER");
	const char *p = own ? own : usual ? usual : "less";

	return !*p || !strcmp(p, "cat") ? NULL : p;
}

static bool is_long(const struct sbuf *b)
{
	struct out_style style = out_style_stdout();
	int lines = 0;

	for (const char *p = b->s; style.pager && style.height && (p = strchr(p, '\n'));
		p++)
		if (++lines >= style.height)
			return true;
	return false;
}

/* As git does: less stops at once if the text fits (F), shows colours (R) and leaves the text on
 * the screen (X). Does not return. */
static void pager_run(const char *command, const int fds[2])
{
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	signal(SIGPIPE, SIG_DFL);
	if (dup2(fds[0], STDIN_FILENO) >= 0) {
		close(fds[0]);
		close(fds[1]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	}
	_exit(127);
}

/* False: there is no pager, or it failed, which it may have done before it showed anything. */
static bool page(const struct sbuf *b)
{
	const char *command = pager();
	int fds[2], rc = 0;
	ssize_t n;
	pid_t pid;

	if (!command || !is_long(b) || fflush(stdout) || pipe(fds))
		return false;
	pid = fork();
	if (!pid)
		pager_run(command, fds);
	close(fds[0]);
	for (size_t at = 0; pid > 0 && at < b->len; at += (size_t)n) {
		n = write(fds[1], b->s + at, b->len - at);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0) /* the pager was closed: its user has read enough */
			break;
	}
	close(fds[1]);
	while (pid > 0 && waitpid(pid, &rc, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(rc) && !WEXITSTATUS(rc);
}

static struct sbuf *out_elsewhere;

void out_to(struct sbuf *b)
{
	out_elsewhere = b;
}

enum err_code out_write(const struct sbuf *b, struct err *e)
{
	bool ok = out_elsewhere
		? sbuf_add(out_elsewhere, b->s, b->len) || out_elsewhere->full
		: page(b) || (fwrite(b->s, 1, b->len, stdout) == b->len && !fflush(stdout));
	cleanup(sbuf_done) struct sbuf names = fit_left_take();
	const char *zone = out_zone_take();

	/* A reader that closed the pipe (head, a pager) has read all it needed. */
	if (!ok && errno != EPIPE)
		return err_sys(e, E_IO, errno, "write to standard output");
	if (zone)
		say("Times are in %s.", zone);
	if (names.len)
		say("not shown in %d columns: %s", out_style_stdout().width, names.s);
	return E_OK;
}
