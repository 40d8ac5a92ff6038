/* What could stand where the cursor is: candidates for the completion of shells. */
#ifndef TPUCOST_CLI_HELP_COMPLETE_H
#define TPUCOST_CLI_HELP_COMPLETE_H

#include "base/sbuf.h"
#include "cli/cmd.h"

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
