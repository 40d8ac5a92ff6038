/* File that a command writes: --output, or the one of `backup`. */
#ifndef TPUCOST_CLI_TARGET_H
#define TPUCOST_CLI_TARGET_H

#include "cli/cmd.h"

/* --output; NULL: standard output, which is also "-". */
const char *target_path(const struct app *app);
/* E_CONFLICT if `path` is a file of tpucost itself, which is never replaced: the configuration, if it was loaded, its
 * database and what belongs to it, files that halt, and all files that the configuration names; the key of Google
 * credentials; and any SQLite database, except for `backup`. Links do not matter. NULL: standard output. */
enum err_code target_check(
	const struct app *app, const char *path, struct err *e) must_check;
/* Writes to --output, after target_check(), or to standard output. */
enum err_code target_write(
	struct app *app, const struct sbuf *b, int mode, struct err *e) must_check;

#endif
