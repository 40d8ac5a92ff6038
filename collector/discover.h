/* Discovery of projects: those that a billing account pays for, or those in an organization or
 * folder. */
#ifndef TPUCOST_COLLECTOR_DISCOVER_H
#define TPUCOST_COLLECTOR_DISCOVER_H

#include "collector/source/source.h"

struct discovery {
	const char *billing_account; /* "01AB23-CD45EF-678901", or */
	const char *scope;           /* "organizations/8", "folders/9" */
	/* Patterns as for file names (fnmatch): a project id must match one of the first, and none
	 * of the second. */
	const char *const *only, *const *except;
	size_t n_only, n_except;
};

/* Reports whether the patterns select this project. */
bool discovery_wants(const struct discovery *d, const char *project);

/* For `poll` of a source: reads the projects from Google according to the settings, and stores the
 * list. Projects that are no longer in it are removed, and their resources are marked as not
 * current. If Google is unreachable, the list is unchanged. */
enum err_code discover(struct poll *p, struct err *e) must_check;

/* The discovered projects that the settings select, sorted; allocated from the arena. */
enum err_code discovered(struct db *db, const struct discovery *d, struct arena *a,
	const char *const **projects, size_t *n, struct err *e) must_check;

#endif
