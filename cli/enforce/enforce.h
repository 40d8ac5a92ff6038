/* Acting, as `run` and `enforce --apply` do it. */
#ifndef TPUCOST_CLI_ENFORCE_ENFORCE_H
#define TPUCOST_CLI_ENFORCE_ENFORCE_H

#include "base/err.h"
#include "base/mem.h"

struct app;

/* What an earlier run left half done is looked at before anything else. Opens the database and
 * closes it again; does nothing where there is none yet. Exit code. */
int enforce_recover(struct app *app, struct err *e);
/* Before rules are judged: says it when the database was restored or copied, which begins everything
 * over. app->db is open for writing. Exit code. */
int enforce_begin(struct app *app, struct err *e);
/* Act on what is ready. app->db is open for writing. *acted: there is something to tell. Exit code. */
int enforce_act(struct app *app, bool *acted, struct err *e);

/* What was warned of since then and is not stopped yet: when it is, and the line that prevents it. */
enum err_code enforce_say_warned(struct app *app, ts_t since, struct err *e) must_check;

#endif
