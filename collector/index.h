/* The index of an organization or folder, as Cloud Asset Inventory has it: projects without resources, which need not
 * be asked about them. It is late by minutes and has no queued resources, so it only chooses what to ask: a project is
 * asked anyway if the database knows something in it, if it may have queued resources, or if it was not asked for some
 * hours. That a resource is gone is never concluded from it. */
#ifndef TPUCOST_COLLECTOR_INDEX_H
#define TPUCOST_COLLECTOR_INDEX_H

#include "base/strmap.h"
#include "collector/source/source.h"

struct index {
	struct strmap numbers; /* project number -> place */
	unsigned char *may;    /* of each project: INDEX_... that it may have */
	size_t n;              /* projects */
	bool known;            /* something is known in one of them for a while */
	ts_t at;               /* when the search began */
};

/* Reads all that is known without the index. `places` are those of the projects. */
enum err_code index_begin(struct index *x, struct db *db, const struct strmap *places,
	ts_t now, struct arena *a, struct err *e) must_check;
void index_done(struct index *x);

/* May the project have what the source lists? */
bool index_has(const struct index *x, const struct source *s, size_t place);
/* Need the project not be asked if the index shows nothing? It was asked within hours, and nothing was wrong. */
enum err_code index_may_spare(const struct index *x, struct db *db, const struct source *s,
	const char *project, size_t place, bool *may, struct err *e) must_check;
/* Stores that the index showed nothing there. */
enum err_code index_empty(const struct index *x, struct db *db, const struct source *s,
	const char *project, struct err *e) must_check;

#endif
