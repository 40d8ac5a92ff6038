/* Help texts from the tables of commands and options, and what completes words. */
#ifndef TPUCOST_CLI_HELP_HELP_H
#define TPUCOST_CLI_HELP_HELP_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Append paragraphs, wrapped: "\n" ends one, two leave a line free; blanks at its beginning indent all of it, on top of
 * `indent`. `at` is the column where the first line goes on. Words are never cut. */
void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width);
/* "  left      right", the right side wrapped under itself. */
void help_pair(struct sbuf *b, const char *left, const char *right, int at, int width);

/* ---- pages that are about no command -------------------------------------------------------------- */

void help_topics(struct sbuf *b, int width);
size_t help_topic_names(const char **out, size_t max);
/* The page that app->args name; false: there is none. What is wrong further on is in `e`. */
bool help_topic(struct app *app, struct sbuf *b, int width, struct err *e);

/* ---- what could stand where the cursor is: candidates for the completion of shells ----------------- */

struct completing {
	struct app *app;
	struct sbuf *out; /* "candidate TAB meaning" a line */
	const char *word; /* what is typed of it so far */
	size_t kept; /* bytes of it that stay as they are, before the last comma of a list */
	bool opened; /* was it tried to read the configuration */
};

/* Add a candidate, if it goes on from the word and no shell could read more into it than text. */
void complete_add(struct completing *c, const char *text, const char *meaning);
/* Things of a kind: see cli/help/complete_names.c. What cannot be read gives none. */
void complete_names(struct completing *c, const char *kind);

#endif
