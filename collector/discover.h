/* Finding the projects to watch: those that a billing account pays for, or those below an
 * organization or folder. */
#ifndef TPUCOST_COLLECTOR_DISCOVER_H
#define TPUCOST_COLLECTOR_DISCOVER_H

#include "collector/source/source.h"

struct discovery {
	const char *billing_account; /* "01AB23-CD45EF-678901", or */
	const char *scope;           /* "organizations/8", "folders/9" */
	/* Patterns as of file names (fnmatch) that a project id must match one of, and none
	 * of. */
	const char *const *only, *const *except;
	size_t n_only, n_except;
};

/* Do the patterns choose this project? */
bool discovery_wants(const struct discovery *d, const char *project);

/* For `poll` of a source: ask Google, as the settings say, and keep the list. What is not in it any
 * more is forgotten, and its resources are marked as not current. When Google does not answer, the
 * list is as it was. */
enum err_code discover(struct poll *p, struct err *e) must_check;

/* The projects that are known and wanted, sorted; texts in the arena. */
enum err_code discovered(struct db *db, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e) must_check;

#endif
