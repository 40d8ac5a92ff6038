/* What people read on standard error. */
#ifndef TPUCOST_CLI_SAY_H
#define TPUCOST_CLI_SAY_H

#include "base/err.h"

/* One line "prefix: message; what to do". Messages can quote what servers and files said,
 * so control characters are made visible. */
void say_err(const char *prefix, const struct err *e);
void say(const char *fmt, ...) printf_like(1, 2);

/* With --quiet: lines of say() that begin with "note: " or "left out in " are not said. */
void say_quiet(bool quiet);

/* Hand the lines to somebody else, who runs without anybody watching; NULL: standard error again.
 * `error`: from say_err. The text is as it was made, control characters and all. */
typedef void (*say_fn)(const char *text, bool error);
void say_to(say_fn put);

#endif
