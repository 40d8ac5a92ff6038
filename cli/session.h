/* A query's view of the database: opened read-only, with the derived tables computed for
 * the present moment and configuration as temporary tables. */
#ifndef TPUCOST_CLI_SESSION_H
#define TPUCOST_CLI_SESSION_H

#include "base/err.h"

struct app;

/* Open app->db read-only and derive for app->now. */
enum err_code session_open(struct app *app, struct err *e) must_check;
void session_close(struct app *app);

#endif
