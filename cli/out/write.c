/* What a command printed goes to standard output. */
#include "cli/out/internal.h"
#include "cli/say.h"

#include <errno.h>
#include <stdio.h>

static void say_left_out(void)
{
	struct sbuf names;

	out_left_take(&names);
	if (names.len)
		say("left out in %d columns: %s", out_style_stdout().width, names.s);
	sbuf_done(&names);
}

enum err_code out_write(const struct sbuf *b, struct err *e)
{
	bool ok = fwrite(b->s, 1, b->len, stdout) == b->len && !fflush(stdout);

	/* Whoever closed the pipe (head, a pager) has read what it wanted. */
	if (!ok && errno != EPIPE)
		return err_sys(e, E_IO, errno, "write to standard output");
	say_left_out();
	return E_OK;
}
