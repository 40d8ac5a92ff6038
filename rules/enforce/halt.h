/* Locations of the file that halts all actions. */
#ifndef TPUCOST_RULES_ENFORCE_HALT_H
#define TPUCOST_RULES_ENFORCE_HALT_H

#include "rules/settings.h"

struct db;

struct halt_place {
	const char *path;
	bool written, must; /* as in struct halt_file */
};

/* Find all locations of a halt file; allocated from `a`. They are the configured files and, for a
 * symbolic link, the target of each link on the way: another name of the file shares at least the
 * last of these, and that is the one to write. The locations are searched each time, because a link
 * may have changed. Another name of the same file by a hard link is not detected. */
struct halt_place *halt_places(const struct enforcement *en, struct arena *a, size_t *n);
/* Does the file exist, or can that not be checked? When in doubt: true. */
bool halt_is_at(const char *path);
/* First location for which that is true; false: none. The location next to the file of `db` is
 * included, because a link may have changed since it was opened; NULL: no database is open. */
bool halt_found(const struct enforcement *en, const struct db *db, struct arena *a,
	const char **path);

/* Key of meta: name of the machine that held the lease at the newest cycle of this one; "": this one did. */
#define STANDBY_MARK "lease_standby"
#define STANDBY_OF_NONE "no machine" /* its value while no machine holds the lease */
/* Machine that acts instead of this one; *host: NULL: there is none. */
enum err_code standby_for(struct db *db, const struct enforcement *en, struct arena *a,
	const char **host, struct err *e) must_check;
/* Error of the lease in the newest cycle, so that nothing was stopped; *why: NULL: there was none. */
enum err_code lease_fault(struct db *db, const struct enforcement *en, struct arena *a,
	const char **why, struct err *e) must_check;

#endif
