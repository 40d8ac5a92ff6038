/* Writing of a command's output to standard output. */
#include "cli/out/internal.h"
#include "cli/say.h"

#include <errno.h>
#include <stdio.h>

enum err_code out_write(const struct sbuf *b, struct err *e)
{
	bool ok = fwrite(b->s, 1, b->len, stdout) == b->len && !fflush(stdout);
	cleanup(sbuf_done) struct sbuf names = fit_left_take();

	/* A reader that closed the pipe (head, a pager) has read all it needed. */
	if (!ok && errno != EPIPE)
		return err_sys(e, E_IO, errno, "write to standard output");
	if (names.len)
		say("not shown in %d columns: %s", out_style_stdout().width, names.s);
	return E_OK;
}
