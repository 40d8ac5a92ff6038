/* Where a file stops everything that acts. */
#ifndef TPUCOST_RULES_ENFORCE_HALT_H
#define TPUCOST_RULES_ENFORCE_HALT_H

#include "rules/settings.h"

struct db;

struct halt_place {
	const char *path;
	bool written, must; /* as in struct halt_file */
};

/* All places of a halt file, in the arena. They are where files are said to be and, for one that is a
 * symbolic link, where each link on the way leads: whoever names the file otherwise has at least the
 * last of these in common with us, and that is the one to write. They are looked for each time, since
 * a link may lead somewhere else by now. Another name of the same file by a hard link is not known. */
struct halt_place *halt_places(const struct enforcement *en, struct arena *a, size_t *n);
/* Is something there, or can that not be told? Unsure is yes. */
bool halt_is_at(const char *path);
/* The first place for which that is so; false: none. Beside the file of `db` counts as well, since a
 * link may lead elsewhere since it was opened; NULL: no database is open. */
bool halt_found(const struct enforcement *en, const struct db *db, struct arena *a,
	const char **path);

#endif
