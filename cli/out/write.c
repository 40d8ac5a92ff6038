/* Writing of a command's output to standard output, through a pager if it is longer than the
 * screen. */
#include "cli/out/internal.h"
#include "cli/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static bool no_pager;

void out_no_pager(void)
{
	no_pager = true;
}

/* The command of the pager; NULL: none is wanted. */
static const char *pager(void)
{
	const char *own = getenv("TPUCOST_PAGER"), *usual = getenv("PAGER");
	const char *p = own ? own : usual ? usual : "less";

	return no_pager || !*p || !strcmp(p, "cat") ? NULL : p;
}

static bool is_long(const struct sbuf *b)
{
	int height = out_style_stdout().height, lines = 0;

	for (const char *p = b->s; height && (p = strchr(p, '\n')); p++)
		if (++lines >= height)
			return true;
	return false;
}

/* As git does: less stops at once if the text fits (F), shows colours (R) and leaves the text on
 * the screen (X). False: there is no pager, and nothing was shown. */
static bool page(const struct sbuf *b)
{
	const char *command = pager();
	FILE *to;
	int rc;

	if (!command || !is_long(b))
		return false;
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	to = popen(command, "w");
	if (!to)
		return false;
	fwrite(b->s, 1, b->len, to); /* a reader who has seen enough closes the pipe */
	rc = pclose(to);
	return !(WIFEXITED(rc) && WEXITSTATUS(rc) == 127); /* the shell did not find it */
}

enum err_code out_write(const struct sbuf *b, struct err *e)
{
	bool ok = page(b) || (fwrite(b->s, 1, b->len, stdout) == b->len && !fflush(stdout));
	cleanup(sbuf_done) struct sbuf names = fit_left_take();

	/* A reader that closed the pipe (head, a pager) has read all it needed. */
	if (!ok && errno != EPIPE)
		return err_sys(e, E_IO, errno, "write to standard output");
	if (names.len)
		say("not shown in %d columns: %s", out_style_stdout().width, names.s);
	return E_OK;
}
