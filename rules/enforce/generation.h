/* Is this the database that acted last, or one that was restored or copied?
 *
 * A restored database does not know of holds that were added, of stops that were sent and of
 * machines that were started again since it was copied. So the end of its record is noted outside
 * of it as well: the file DATABASE.generation, beside the real file, has number and hash of the
 * newest entry of the audit, which machine wrote it, and which file the database was. No new counter
 * is needed: the audit has an entry for each step of an action and each decision of a person, its
 * numbers only grow, and by the hashes no other record has the same entry.
 *
 * The entry is committed first and noted afterwards, and nobody relies on it before it is noted:
 * nothing is sent to Google, and no command says "done". So the file is never ahead of its
 * database, and a crash is told apart from a restore. A worked example:
 *
 *      what happens                            database ends   file says   the file's entry is
 *      a backup is made                             40             40         in the database
 *      hold: entry 41 is committed                  41             40         in the database
 *        -- killed here: nothing is lost, and the next run notes 41 --
 *      hold: 41 is noted, "nothing acts on ..."     41             41         in the database
 *      the backup is restored                       40             41         missing: not armed
 *      a run finds that, and notes its own entry    41'            41'        in the database, but the newest
 *                                                                             entry says "restored": not armed
 *      the database of before comes back            41             41'        another: not armed
 *      enforce resume (with the backup): entry 42'  42'            41'        in the database: armed, and
 *                                                                             everything is void since 42'
 *
 * That the file is missing means nothing in a database that never had one (it is new, or of an older
 * tpucost): the first run that may act writes it. In others it means a copy. The file is written and
 * believed in mode armed only. Once it is there, it is kept up in every mode, since a hold that was said
 * while nothing was armed is not to be lost either. */
#ifndef TPUCOST_RULES_ENFORCE_GENERATION_H
#define TPUCOST_RULES_ENFORCE_GENERATION_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "rules/settings.h"

struct db;

#define GENERATION_SUFFIX ".generation"

/* Which file it is: its inode, and when it was born (seconds and nanoseconds; "": the file system does
 * not tell). */
struct file_id {
	const char *inode, *born;
};

/* What the file holds. Texts are the arena's. */
struct generation {
	int64_t entry;    /* newest of the audit; 0: it had none */
	const char *hash; /* of that entry, or "" */
	const char *host; /* hash of the machine's id; "": it has none */
	/* The file of the database: of a copy they differ. */
	struct file_id database;
	/* Of the file itself: one that was copied over it, together with its database, has others. */
	struct file_id own;
};

void generation_print(const struct generation *g, struct sbuf *out);
/* E_DATA: it is not such a file. */
/* `fd` of an open file, or its `path` where that is not NULL. */
enum err_code generation_file_id(int fd, const char *path, struct arena *a,
	struct file_id *out, struct err *e) must_check;
enum err_code generation_parse(const char *text, size_t len, struct arena *a,
	struct generation *out, struct err *e) must_check;

struct generation_look {
	const char *path;          /* of the file; NULL: there is nothing to look at */
	bool found;                /* it is there and can be read */
	bool marked;               /* the database had one before */
	struct generation was, is; /* in the file; as it would be written now */
	/* Why the database may not act before `enforce resume`; NULL: it may. A part of a sentence. */
	const char *why;
	bool noted; /* the audit has that already */
	bool other; /* as `why`, and in any mode */
};

/* `host`: of this machine; NULL: not compared, since who only reads cannot hash. */
enum err_code generation_look(struct db *db, const struct settings *s, const char *host,
	struct arena *a, struct generation_look *out, struct err *e) must_check;

#endif
