#include "tests/support/assert.h"

#include "base/time/civil.h"
#include "base/money.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

const char *err_name(enum err_code code)
{
	static const char *const names[] = {
		[E_OK] = "ok",
		[E_USAGE] = "usage",
		[E_CONFIG] = "config",
		[E_IO] = "io",
		[E_NET] = "net",
		[E_HTTP] = "http",
		[E_AUTH] = "auth",
		[E_DENIED] = "denied",
		[E_DISABLED] = "disabled",
		[E_RATE] = "rate",
		[E_DATA] = "data",
		[E_DB] = "db",
		[E_BUSY] = "busy",
		[E_NOTFOUND] = "notfound",
		[E_CONFLICT] = "conflict",
		[E_UNCERTAIN] = "uncertain",
		[E_LIMIT] = "limit",
		[E_OVERFLOW] = "overflow",
		[E_BUG] = "bug",
	};

	return (size_t)code < ARRAY_LEN(names) ? names[code] : "unknown";
}

/* One line about what went wrong, then the failure at the caller's line. */
#define complain(file, line, ...)              \
	do {                                   \
		print_error("  " __VA_ARGS__); \
		print_error("\n");             \
		_fail((file), (line));         \
	} while (0)

void assert_nanos_eq_(
	int64_t got, int64_t want, const char *expr, const char *file, int line)
{
	char a[NANOS_BUF], b[NANOS_BUF];

	if (got != want)
		complain(file, line, "%s is %s, want %s", expr, nanos_format(got, a),
			nanos_format(want, b));
}

static const char *instant(ts_t t, char buf[RFC3339_BUF])
{
	return t == TS_NONE ? "TS_NONE" : rfc3339_format(t, buf);
}

void assert_ts_eq_(ts_t got, ts_t want, const char *expr, const char *file, int line)
{
	char a[RFC3339_BUF], b[RFC3339_BUF];

	if (got != want)
		complain(file, line, "%s is %s, want %s", expr, instant(got, a),
			instant(want, b));
}

void assert_i64_eq_(int64_t got, int64_t want, const char *expr, const char *file, int line)
{
	if (got != want)
		complain(file, line, "%s is %lld, want %lld", expr, (long long)got,
			(long long)want);
}

void assert_err_(enum err_code code, const struct err *e, enum err_code want,
	const char *part, const char *expr, const char *file, int line)
{
	if (code != want)
		complain(file, line, "%s gave E_%s, want E_%s; message: %s", expr,
			err_name(code), err_name(want), code ? e->msg : "");
	if (e->code != want)
		complain(file, line, "%s gave E_%s, but the error says E_%s: %s", expr,
			err_name(code), err_name(e->code), e->msg);
	if (!strstr(e->msg, part))
		complain(file, line, "%s: \"%s\" is not in the message: %s", expr, part,
			e->msg);
}

void assert_ok_(enum err_code code, const struct err *e, const char *expr, const char *file,
	int line)
{
	if (code)
		complain(file, line, "%s failed with E_%s: %s", expr, err_name(code),
			e->msg);
}

void assert_contains_(
	const char *text, const char *part, const char *expr, const char *file, int line)
{
	if (!text || !strstr(text, part))
		complain(file, line, "%s: \"%s\" is not in: %s", expr, part,
			text ? text : "(NULL)");
}

void assert_headline_(const char *text, const char *file, int line)
{
	size_t words = 1, sums = 0;

	for (const char *p = strchr(text, ' '); p; p = strchr(p + 1, ' ')) {
		words++;
		sums += isdigit((unsigned char)p[-1]) && strspn(p + 1, UPPER) == 3 &&
			strncmp(p + 1, "TPU", 3) != 0;
	}
	if (words <= 30 && sums <= 2 && !strstr(text, ". "))
		return;
	print_error("%s\nhas %zu words, %zu sums%s\n", text, words, sums,
		strstr(text, ". ") ? ", several sentences" : "");
	_fail(file, line);
}
