/* Conditions that people write: SQL over the columns of one view. Checked when they are
 * loaded, and run bounded (see db_cursor_open_rule). */
#ifndef TPUCOST_RULES_VOCAB_CONDITION_H
#define TPUCOST_RULES_VOCAB_CONDITION_H

#include "base/err.h"
#include "db/vocab.h"

struct db;

#define CONDITION_MAX 20000 /* bytes */

/* Is it one condition? Quotes and parentheses are closed, and there is no comment and no ";",
 * so that it stays within the parentheses that are put around it. E_USAGE. */
enum err_code condition_shape(const char *text, struct err *e) must_check;

/* Does it compile over the view? `db` is any database with the views, such as one of
 * db_open_empty. E_USAGE says what is unknown, and its nearest name. */
enum err_code condition_check(
	struct db *db, const struct view *v, const char *text, struct err *e) must_check;

#endif
