/* Decisions of the user about machines and rules: comment, end time and audit entry. */
#ifndef TPUCOST_CLI_ENFORCE_PERSON_H
#define TPUCOST_CLI_ENFORCE_PERSON_H

#include "base/data/json.h"
#include "cli/cmd.h"

/* Checks that --comment is UTF-8 and not too long; E_USAGE. */
enum err_code person_comment(struct app *app, struct err *e) must_check;
/* "2026-11-21 15:11 Asia/Hong_Kong", allocated from the arena. */
const char *person_time(struct app *app, ts_t t);

/* Adds an audit entry for the user of this program, in the transaction of the change itself.
 * `detail` contains the members of its JSON object, keys sorted, without "comment". Part of
 * tpucost-net. */
enum err_code person_note(struct app *app, const char *event, int64_t action,
	const char *resource, const char *detail, struct err *e) must_check;

/* Call it after the commit: if enforcement is armed, also records the entry outside of the
 * database, so that an older copy is not mistaken for this one. Part of tpucost-net. */
enum err_code person_keep(struct app *app, struct err *e) must_check;

#endif
