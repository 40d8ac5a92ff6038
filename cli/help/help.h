/* Help texts from the tables of commands and options, and completion of words. */
#ifndef TPUCOST_CLI_HELP_HELP_H
#define TPUCOST_CLI_HELP_HELP_H

#include "base/sbuf.h"
#include "cli/cmd.h"

/* Appends paragraphs, wrapped to `width` columns. "\n" ends a paragraph, two leave an empty line.
 * Blanks at the start of a paragraph indent all of it, in addition to `indent`. The first line
 * begins at column `at`. Words are never broken. */
void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width);
/* "  left      right", the right side wrapped under itself. */
void help_pair(struct sbuf *b, const char *left, const char *right, int at, int width);

/* ---- topics --------------------------------------------------------------------------------------- */

void help_topics(struct sbuf *b, int width);
size_t help_topic_names(const char **out, size_t max);
/* Appends the page that app->args names. Returns false if there is none; other errors are set in
 * `e`. */
bool help_topic(struct app *app, struct sbuf *b, int width, struct err *e);

/* ---- candidates for shell completion at the cursor ------------------------------------------------- */

struct completing {
	struct app *app;
	struct sbuf *out; /* "candidate TAB meaning" a line */
	const char *word; /* the word typed so far */
	size_t kept;      /* bytes of it that are kept, before the last comma of a list */
	bool opened;      /* reading the configuration was tried */
};

/* Adds a candidate if it begins with the word and no shell could interpret it as anything but
 * text. */
void complete_add(struct completing *c, const char *text, const char *meaning);
/* Adds names of a kind, see cli/help/complete_names.c. Sources that cannot be read are skipped. */
void complete_names(struct completing *c, const char *kind);

#endif
