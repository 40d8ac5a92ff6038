#include "base/log.h"

#include "base/time/civil.h"
#include "base/time/clock.h"
#include "base/sbuf.h"

#include <errno.h>
#include <string.h>
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

#define MAX_LINE ((size_t)4000) /* below PIPE_BUF: a write that is not split */

/* Keep the message on one line. */
static void log_add_message(struct sbuf *line, char *text)
{
	char *part = strsep(&text, "\n");

	sbuf_add_term(line, part);
	while ((part = strsep(&text, "\n"))) {
		sbuf_adds(line, "\\n");
		sbuf_add_term(line, part);
	}
}

static void log_end_line(struct sbuf *line)
{
	size_t n = MAX_LINE;

	if (line->len <= n) {
		sbuf_addc(line, '\n');
		return;
	}
	while (n && ((unsigned char)line->s[n] & 0xc0) == 0x80)
		n--; /* not inside a character */
	sbuf_trunc(line, n);
	sbuf_adds(line, "...\n");
}

void log_write(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	static const int priorities[] = {3, 4, 6, 7}; /* of syslog, for the journal */
	struct sbuf text = SBUF_INIT, line = SBUF_INIT;
	char stamp[RFC3339_BUF];
	int saved = errno;

	if (!log_enabled(level))
		return;
	sbuf_add_args(&text, fmt);
	if (to_journal)
		sbuf_addf(&line, "<%d>", priorities[level]);
	else
		sbuf_addf(&line, "%s tpucost[run]: %s: ",
			rfc3339_format(clock_now(clock_system()), stamp), names[level]);
	log_add_message(&line, text.s);
	log_end_line(&line);
	/* One write, so that lines of several processes do not mix. */
	if (write(STDERR_FILENO, line.s, line.len) < 0) {
		/* no other output exists to report this */
	}
	sbuf_done(&text);
	sbuf_done(&line);
	errno = saved;
}
