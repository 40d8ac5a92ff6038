/* Help texts from the tables of commands and options. */
#ifndef TPUCOST_CLI_HELP_HELP_H
#define TPUCOST_CLI_HELP_HELP_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* ---- cli/help/wrap.c --------------------------------------------------------------------------- */

/* Append paragraphs, wrapped: "\n" ends one, two leave a line free; blanks at its beginning indent all of it, on top of
 * `indent`. `at` is the column where the first line goes on. Words are never cut. */
void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width);
/* "  left      right", the right side wrapped under itself. */
void help_pair(struct sbuf *b, const char *left, const char *right, int at, int width);

/* ---- cli/help/help.c -------------------------------------------------------------------------------- */

void help_overview(struct sbuf *b, int width);
void help_command(struct sbuf *b, const struct cmd *c, int width);

/* ---- cli/help/topics.c: pages that are about no command ------------------------------------------ */

void help_topics(struct sbuf *b, int width);
size_t help_topic_names(const char **out, size_t max);
/* The page that app->args name; false: there is none. What is wrong further on is in `e`. */
bool help_topic(struct app *app, struct sbuf *b, int width, struct err *e);

#endif
