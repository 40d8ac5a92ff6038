#include "base/log.h"

#include "base/civil.h"
#include "base/sbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static enum log_level max_level = LOG_WARN;
static bool to_journal;

void log_setup(enum log_level level, bool journal)
{
	max_level = level;
	to_journal = journal;
}

bool log_enabled(enum log_level level)
{
	return level <= max_level;
}

void log_write(enum log_level level, const char *area, const char *fmt, ...)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	static const int priorities[] = {3, 4, 6, 7}; /* of syslog, for the journal */
	struct sbuf text = SBUF_INIT, line = SBUF_INIT;
	char stamp[RFC3339_BUF];
	va_list ap;

	if (!log_enabled(level))
		return;
	va_start(ap, fmt);
	sbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (to_journal)
		sbuf_addf(&line, "<%d>%s ", priorities[level], area);
	else
		sbuf_addf(&line, "%s %s %s ", rfc3339_format((ts_t)time(NULL), stamp),
			names[level], area);
	sbuf_add_term(&line, text.s);
	sbuf_addc(&line, '\n');
	/* One write, so that lines of several processes do not mix. */
	if (write(STDERR_FILENO, line.s, line.len) < 0) {
		/* nowhere left to say so */
	}
	sbuf_done(&text);
	sbuf_done(&line);
}
