/* Help texts from the tables of commands and options. */
#ifndef TPUCOST_CLI_HELP_H
#define TPUCOST_CLI_HELP_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Append paragraphs, wrapped: "\n" ends one; blanks at its beginning indent all of it, on top of
 * `indent`. `at` is the column where the first line goes on. Words are never cut. */
void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width);
/* "  left      right", the right side wrapped under itself. */
void help_pair(struct sbuf *b, const char *left, const char *right, int at, int width);

void help_overview(struct sbuf *b, int width);
void help_command(struct sbuf *b, const struct cmd *c, int width);

/* Is `c` a command of two words that begins with the word of `parent`? */
bool help_is_under(const struct cmd *parent, const struct cmd *c);

#endif
