/* Commands that create things, as people paste them from tutorials, read into a proposal. Nothing
 * is run. */
#ifndef TPUCOST_CLI_PASTE_PASTE_H
#define TPUCOST_CLI_PASTE_PASTE_H

#include "base/err.h"
#include "base/mem.h"
#include "rules/estimate/proposal.h"

#define PASTE_MAX_TEXT (256 * 1024) /* bytes of text, and of all words together */
#define PASTE_MAX_WORDS 4096        /* of one command */

/* What a command takes from around it. */
struct paste_env {
	const char *project, *zone, *region; /* of gcloud's configuration; NULL: not set */
	/* The value of an environment variable, or NULL; the function may be NULL. */
	const char *(*variable)(const char *name);
};

/* The configuration of gcloud and the environment of this process. */
void paste_env_read(struct arena *a, struct paste_env *out);

/* Read one command that a shell split already: "gcloud" "compute" ... Understood are the create
 * commands of the table in cli/paste/paste.c; E_USAGE for all else and for flags that cannot be read,
 * E_LIMIT beyond PROPOSAL_MAX. Strings of *out are the arena's. */
enum err_code paste_words(struct arena *a, const char *const *words, size_t n,
	const struct paste_env *env, struct proposal *out, struct err *e) must_check;

/* The same for text: quotes, continued lines, comments, prompts, variables that the text or the
 * environment sets, several commands. Commands that create nothing are passed over; there must be
 * one that does. */
enum err_code paste_text(struct arena *a, const char *text, const struct paste_env *env,
	struct proposal *out, struct err *e) must_check;

/* Is it the first word of a command that might be read, "gcloud" or "~/bin/ctpu"? */
bool paste_is_program(const char *word);

#endif
