/* A candidate, as the scripts of shells read it. */
#include "cli/help/complete.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

static bool is_plain(const char *s)
{
	size_t n = strspn(s,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=@,+-");

	return *s && !s[n] && n < 1000;
}

void complete_add(struct completing *c, const char *text, const char *meaning)
{
	if (!is_plain(text) || !str_starts(text, c->word + c->kept))
		return;

	sbuf_addf(c->out, "%.*s%s", (int)c->kept, c->word, text);
	if (meaning) {
		sbuf_addc(c->out, '\t');
		for (const char *p = meaning; *p && *p != '\n'; p++)
			sbuf_addc(c->out, iscntrl((unsigned char)*p) ? ' ' : *p);
	}
	sbuf_addc(c->out, '\n');
}
