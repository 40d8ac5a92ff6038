/* "Did you mean": what somebody may have wanted to type. */
#ifndef TPUCOST_CLI_NEAR_H
#define TPUCOST_CLI_NEAR_H

#include "cli/cmd.h"

/* The lower-case words of a synopsis such as "[list | explain NAME]", each in the arena. */
size_t cmd_words(struct arena *a, const struct cmd *c, const char **out, size_t max);
/* What `word` behind the command may have been meant to be: "enforce halt", "notify list"; NULL:
 * nothing near. In the arena. */
const char *near_below(struct arena *a, const struct cmd *c, const char *word);
/* The nearest command of one or two words; never a hidden one. */
const char *near_command(struct arena *a, const char *word);
/* The nearest id or name of something that exists; with `acts`, that can be acted on. Reads
 * app->db, which is open; NULL also where that fails. */
const char *near_resource(struct app *app, const char *name, bool acts);
/* Name what was meant in a query of a person that `e` says is wrong: a view or a column of one of
 * its views. Returns the code of `e`. */
enum err_code near_sql(struct arena *a, const char *sql, struct err *e);
/* Put "did you mean ..." as the fix of the error, else `other`. Returns the error's code. */
enum err_code near_fix(struct err *e, const char *near, const char *other);

#endif
