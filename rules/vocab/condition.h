/* Conditions of users: SQL over the columns of one view. Checked when they are loaded, and run with
 * limits (see db_cursor_open_rule). */
#ifndef TPUCOST_RULES_VOCAB_CONDITION_H
#define TPUCOST_RULES_VOCAB_CONDITION_H

#include "base/err.h"
#include "db/vocab.h"

struct db;
struct rule;

#define CONDITION_MAX 20000 /* bytes */

/* Is it a single condition? Quotes and parentheses must be closed, and comments and ";" are not
 * allowed, so that it stays within the parentheses that enclose it. E_USAGE. */
enum err_code condition_shape(const char *text, struct err *e) must_check;

/* Was `e`, the error of SQL with the condition in parentheses, reported at the closing one because
 * the condition ends too early? Then sets `e` to an error about the end. */
bool condition_ends_early(struct db *db, const char *text, struct err *e);

/* Does it compile over the view? `db` is any database with the views, such as one of db_open_views().
 * E_USAGE contains the unknown name, and the most similar one; or a class of `provisioning` that does not exist. */
enum err_code condition_check(
	struct db *db, const struct view *v, const char *text, struct err *e) must_check;

/* Compile conditions, expressions and messages of one rule over its view in `db` (see
 * db_open_views()). E_USAGE begins with the wrong key: "where: ...". */
enum err_code rule_check(struct db *db, const struct rule *r, struct err *e) must_check;

#endif
