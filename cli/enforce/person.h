/* What a person tells the program about machines and rules: with a comment, until some time, and
 * for the record. */
#ifndef TPUCOST_CLI_ENFORCE_PERSON_H
#define TPUCOST_CLI_ENFORCE_PERSON_H

#include "base/data/json.h"
#include "cli/cmd.h"

/* Is --comment UTF-8, and not too long? E_USAGE. */
enum err_code person_comment(struct app *app, struct err *e) must_check;
/* app->db, for writing. */
enum err_code person_open(struct app *app, struct err *e) must_check;
/* On standard error, unless --quiet. */
void person_done(struct app *app, const char *text);
/* "2026-11-21 15:11 Asia/Hong_Kong". Arena. */
const char *person_time(struct app *app, ts_t t);

/* An entry of who runs this program, in the transaction of what it is about. `detail` holds the
 * members of its JSON object, keys sorted, "comment" not among them. Part of tpucost-net. */
enum err_code person_note(struct app *app, const char *event, int64_t action,
	const char *resource, const char *detail, struct err *e) must_check;

/* After it was committed: noted outside of the database too, where it is armed, so that no older copy
 * is taken for this one. Part of tpucost-net. */
enum err_code person_keep(struct app *app, struct err *e) must_check;

#endif
