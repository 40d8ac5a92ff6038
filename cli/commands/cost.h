/* Billed cost in groups, for the command `cost` and for pages. */
#ifndef TPUCOST_CLI_COMMANDS_COST_H
#define TPUCOST_CLI_COMMANDS_COST_H

#include "base/err.h"

struct app;
struct doc_section;

/* Reads what `cost` prints with the options of `app`. The database must be open. E_NOTFOUND: it lacks the
 * resources, owners and labels that they name. */
enum err_code cost_read(struct app *app, struct doc_section **t, struct err *e) must_check;
/* Message for no rows. The database must be open. */
enum err_code cost_empty(struct app *app, const char **out, struct err *e) must_check;

#endif
