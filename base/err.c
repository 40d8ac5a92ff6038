#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Texts are inserted with a limit of bytes ("%.60s"), which may split a character: the remainder of
 * it becomes "?", and so does Latin-1, which cannot be distinguished from it. */
static void mend_cut_characters(char *s)
{
	char *to = s;

	while (*s) {
		unsigned char c = (unsigned char)*s;
		size_t need = c < 0xc2 || c > 0xf4 ? 1
			: c < 0xe0                 ? 2
			: c < 0xf0                 ? 3
						   : 4,
		       n = 1;

		while (n < need && ((unsigned char)s[n] & 0xc0) == 0x80)
			n++;
		if (n == need) {
			memmove(to, s, n);
			to += n;
		} else {
			*to++ = '?';
		}
		s += n;
	}
	*to = '\0';
}

printf_like(3, 0) static void vset(
	struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	e->code = code;
	e->fix[0] = '\0';
	if (vsnprintf(e->msg, sizeof(e->msg), fmt, ap) < 0)
		strcpy(e->msg, "unprintable error");
	mend_cut_characters(e->msg);
}

enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	vset(e, code, fmt, ap);
	va_end(ap);
	return code;
}

void err_first(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (e->code)
		return;
	va_start(ap, fmt);
	vset(e, code, fmt, ap);
	va_end(ap);
}

enum err_code err_set_fix(
	struct err *e, enum err_code code, const char *fix, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	vset(e, code, fmt, ap);
	va_end(ap);
	return err_fix(e, "%s", fix);
}

const char *err_sys_fix(int errnum)
{
	switch (errnum) {
	case EADDRINUSE:
		return "stop the program that uses it, or choose another one";
	case EADDRNOTAVAIL:
		return "use an address of this machine: see ip address";
	case ENOSPC:
	case EDQUOT:
		return "free some space on the disk";
	case EROFS:
		return "mount the file system writable, or use a file on another one";
	case EACCES:
	case EPERM:
		return "this user needs permission for the file and its directory: see ls "
		       "-l";
	case EFBIG:
		return "increase the limit of the size of files (ulimit -f)";
	case EMFILE:
	case ENFILE:
		return "increase the limit of open files (ulimit -n)";
	}
	return "";
}

enum err_code err_sys(struct err *e, enum err_code code, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!e)
		return code;
	va_start(ap, fmt);
	vset(e, code, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror(errnum));
	return err_fix(e, "%s", err_sys_fix(errnum));
}

enum err_code err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)], head[sizeof(e->msg)];
	va_list ap;

	if (!e)
		return E_BUG;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	if (vsnprintf(head, sizeof(head), fmt, ap) < 0)
		head[0] = '\0';
	va_end(ap);
	/* A message that gets too long is cut, but always terminated. */
	if (snprintf(e->msg, sizeof(e->msg), "%s: %s", head, old) < 0)
		memcpy(e->msg, old, sizeof(old));
	mend_cut_characters(e->msg);
	return e->code;
}

enum err_code err_fix(struct err *e, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!e)
		return E_BUG;
	/* "why; what to do": a sentence of Google may end in a full stop */
	len = strlen(e->msg);
	if (len > 1 && e->msg[len - 1] == '.' && e->msg[len - 2] != '.')
		e->msg[len - 1] = '\0';
	va_start(ap, fmt);
	if (vsnprintf(e->fix, sizeof(e->fix), fmt, ap) < 0)
		e->fix[0] = '\0';
	mend_cut_characters(e->fix);
	va_end(ap);
	return e->code;
}

void err_clear(struct err *e)
{
	memset(e, 0, sizeof(*e));
}
