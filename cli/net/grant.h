/* The mail of a grant, read for a configuration. */
#ifndef TPUCOST_CLI_NET_GRANT_H
#define TPUCOST_CLI_NET_GRANT_H

#include "base/sbuf.h"
#include "cli/cmd.h"

struct importing; /* what was read */

/* All of the command's arena. */
struct grant_imported {
	const struct importing *read;
	const char *project; /* id or number; NULL: the mail names none */
	const char *name;    /* of the grant */
	size_t n;            /* lines */
};

/* Read the mail (`-`: standard input), with --starts, --days, --name and --extends. Returns an exit
 * code: EXIT_FINE, or EXIT_NO when it cannot be used without guessing; then everything has been
 * said. */
int grant_mail_import(
	struct app *app, const char *path, struct grant_imported *got, struct err *e);

/* Append it as `grants:`; they are for this project alone (NULL: as the reader decides). */
void grant_mail_write(
	const struct grant_imported *got, const char *project, struct sbuf *out);

#endif
