/* Suggestions ("did you mean") for misspelled words. */
#ifndef TPUCOST_CLI_NEAR_H
#define TPUCOST_CLI_NEAR_H

#include "cli/cmd.h"

/* Lower-case words of a synopsis such as "[list | explain NAME]", each allocated from `a`. */
size_t cmd_words(struct arena *a, const struct cmd *c, const char **out, size_t max);
/* The nearest match for `word` after the command, such as "enforce halt" or "notify list"; NULL:
 * none. Allocated from `a`. */
const char *near_below(struct arena *a, const struct cmd *c, const char *word);
/* The nearest command of one or two words; never a hidden one. */
const char *near_command(struct arena *a, const char *word);
/* The nearest of n names that are `size` bytes apart, the first one at `first`; NULL: none. NEAR_OF takes
 * the names from a member of an array of structs. */
const char *near_of(const char *word, const void *first, size_t n, size_t size);
#define NEAR_OF(word, list, n, member) \
	((n) ? near_of((word), &(list)[0].member, (n), sizeof((list)[0])) : NULL)
/* The nearest view of the database. */
const char *near_view(const char *word);
/* Adds a suggestion to an error `e` in an SQL query of the user: a view or a column of one of
 * its views. Returns the code of `e`. */
enum err_code near_sql(struct arena *a, const char *sql, struct err *e);
/* Sets "did you mean ..." as the fix of the error, or `other` if `near` is NULL. Returns the
 * error's code. */
enum err_code near_fix(struct err *e, const char *near, const char *other);

#endif
