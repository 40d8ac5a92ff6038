/* Actions, as carried out by `run` and `enforce --apply`. */
#ifndef TPUCOST_CLI_ENFORCE_ENFORCE_H
#define TPUCOST_CLI_ENFORCE_ENFORCE_H

#include "base/err.h"
#include "base/mem.h"

struct app;

/* Handles operations that an earlier run left unfinished, before anything else. Opens the
 * database and closes it again; does nothing if it does not exist yet. Returns an exit code. */
int enforce_recover(struct app *app, struct err *e);
/* Call it before rules are evaluated: reports that the database was restored or copied, in which
 * case all actions start over. app->db must be open for writing. Returns an exit code. */
int enforce_begin(struct app *app, struct err *e);
/* Carries out actions that are ready. app->db must be open for writing. *acted is set if there are
 * changes to report. Returns an exit code. */
int enforce_act(struct app *app, bool *acted, struct err *e);

/* Prints each warning since `since` whose action is still pending: its time, and the command that
 * prevents it. */
enum err_code enforce_say_warned(struct app *app, ts_t since, struct err *e) must_check;

#endif
