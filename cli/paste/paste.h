/* Create commands pasted from tutorials, read into a proposal. Nothing is
 * run. */
#ifndef TPUCOST_CLI_PASTE_PASTE_H
#define TPUCOST_CLI_PASTE_PASTE_H

#include "base/err.h"
#include "base/mem.h"
#include "rules/estimate/proposal.h"

#define PASTE_MAX_TEXT (256 * 1024) /* bytes of the text, and of all words together */
#define PASTE_MAX_WORDS 4096        /* of one command */

/* Environment of a command. */
struct paste_env {
	const char *project, *zone,
		*region; /* from gcloud's configuration; NULL: not set */
	/* Returns the value of an environment variable, or NULL; the function may be NULL. */
	const char *(*variable)(const char *name);
};

/* Reads the configuration of gcloud and the environment of this process. */
void paste_env_read(struct arena *a, struct paste_env *out);

/* ---- settings of gcloud, read from its files; gcloud itself is not run --------------------- */

/* Strings are allocated from the arena; NULL: not set. Source: `gcloud topic configurations`:
 * $CLOUDSDK_CONFIG or ~/.config/gcloud, active_config or $CLOUDSDK_ACTIVE_CONFIG_NAME,
 * configurations/config_NAME; $CLOUDSDK_CORE_PROJECT, $CLOUDSDK_COMPUTE_ZONE and so on override
 * the file. */
struct gcloud_config {
	const char *path; /* the file, when there is one */
	const char *project, *account, *zone, *region;
};

/* A file that is missing or cannot be read is not an error: then only the environment is used. */
void gcloud_config_read(struct arena *a, struct gcloud_config *out);

/* Reads one command that was split by a shell: "gcloud" "compute" ... The create commands of the
 * tables in cli/paste/commands.c and paste.c are supported. E_USAGE for all others and for flags
 * that cannot be read, E_LIMIT beyond PROPOSAL_MAX. Strings of *out are allocated from `a`. */
enum err_code paste_words(struct arena *a, const char *const *words, size_t n,
	const struct paste_env *env, struct proposal *out, struct err *e) must_check;

/* Reads text: with quotes, continued lines, comments, prompts, variables that the text or the
 * environment sets, and several commands. Commands that create nothing are ignored; at least one
 * command has to create a resource. */
enum err_code paste_text(struct arena *a, const char *text, const struct paste_env *env,
	struct proposal *out, struct err *e) must_check;

#endif
