#include "cli/say.h"

#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>

static void put_line(const char *text)
{
	struct sbuf b = SBUF_INIT;

	sbuf_add_term(&b, text);
	fprintf(stderr, "%s\n", b.s);
	sbuf_done(&b);
}

void say(const char *fmt, ...)
{
	struct sbuf b = SBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	sbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	put_line(b.s);
	sbuf_done(&b);
}

void say_err(const char *prefix, const struct err *e)
{
	say("%s%s%s%s%s", prefix, *prefix ? ": " : "", e->msg, e->fix[0] ? "; " : "",
		e->fix);
}
