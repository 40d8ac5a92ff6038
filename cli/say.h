/* Messages on standard error. */
#ifndef TPUCOST_CLI_SAY_H
#define TPUCOST_CLI_SAY_H

#include "base/err.h"

/* Prints one line "prefix: message; what to do". Messages can quote servers and files, so control
 * characters are made visible. */
void say_err(const char *prefix, const struct err *e);
void say(const char *fmt, ...) printf_like(1, 2);

/* With --quiet: say() suppresses lines that begin with "note: " or "not shown in ". */
void say_quiet(bool quiet);

/* Passes messages to `fn` instead of standard error, for a process without a terminal; NULL:
 * standard error again. `error`: from say_err. The text is unchanged, including control
 * characters. */
typedef void (*say_fn)(const char *text, bool error);
void say_to(say_fn put);

#endif
