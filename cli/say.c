/* Messages on standard error. */
#include "cli/cmd.h"

#include "base/sbuf.h"
#include "cli/out/out.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static say_fn put_elsewhere;
static bool quiet;

void say_quiet(bool asked)
{
	quiet = asked;
}

void say_to(say_fn put)
{
	put_elsewhere = put;
}

static bool is_note(const char *text)
{
	return !strncmp(text, "note: ", 6) || !strncmp(text, "not shown in ", 13);
}

/* Messages about the answer, which contain no commands: they are broken at the end of the line. */
static bool are_words(const char *text)
{
	return is_note(text) || !strncmp(text, "Based on: ", 10);
}

static void put_line(const char *text, bool error)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int width = isatty(STDERR_FILENO) ? out_style_stdout().width : 0;

	if (put_elsewhere) {
		put_elsewhere(text, error);
		return;
	}
	if (!error && width && are_words(text)) {
		sbuf_add_wrapped(&b, text, 0, 0, (size_t)width);
	} else {
		sbuf_add_term(&b, text);
		sbuf_addc(&b, '\n');
	}
	fwrite(b.s, 1, b.len, stderr);
}

void say(const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	if (!quiet || !is_note(b.s))
		put_line(b.s, false);
}

void say_unless_quiet(const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	if (!quiet)
		put_line(b.s, false);
}

void say_err(const char *prefix, const struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "%s%s%s%s%s", prefix, *prefix ? ": " : "", e->msg,
		e->fix[0] ? "; " : "", e->fix);
	put_line(b.s, true);
}

int cmd_fail(const struct err *e)
{
	say_err("tpucost", e);
	return e->code == E_USAGE || e->code == E_CONFIG ? EXIT_USAGE : EXIT_FAILED;
}

int cmd_refuse(struct err *e, const char *fix, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	err_set_fix(e, E_USAGE, fix, "%s", b.s);
	return cmd_fail(e);
}
