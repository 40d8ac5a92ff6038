/* Detection of a database that was restored or copied, and is therefore not the one that acted
 * last.
 *
 * A restored database does not contain holds that were added, stops that were sent and machines
 * that were started again after it was copied. So the end of its record is also noted outside of
 * it: the file DATABASE.generation, next to the real file, contains number and hash of the newest
 * entry of the audit log, the machine that wrote it, and the identity of the database file. No new
 * counter is needed: the audit log has an entry for each step of an action and each decision of a
 * user, its numbers only increase, and because of the hashes no other record has the same entry.
 *
 * The entry is committed first and noted afterwards, and nothing relies on it before it is noted:
 * no request is sent to Google, and no command reports "done". So the file is never ahead of its
 * database, and a crash can be distinguished from a restore. A worked example:
 *
 *      event                                   database ends   file has    the file's entry is
 *      a backup is made                             40             40         in the database
 *      hold: entry 41 is committed                  41             40         in the database
 *        -- killed here: nothing is lost, and the next run notes 41 --
 *      hold: 41 is noted, "nothing acts on ..."     41             41         in the database
 *      the backup is restored                       40             41         missing: not armed
 *      a run finds that, and notes its own entry    41'            41'        in the database, but the newest
 *                                                                             entry is "restored": not armed
 *      the earlier database comes back              41             41'        another: not armed
 *      enforce resume (with the backup): entry 42'  42'            41'        in the database: armed, and
 *                                                                             everything is void since 42'
 *
 * A missing file is accepted for a database that never had one (it is new, or of an older tpucost):
 * the first run that may act writes it. For others it means a copy. The file is written and used in
 * mode armed only. Once it exists, it is updated in every mode, because a hold that was added while
 * nothing was armed must not be lost either. */
#ifndef TPUCOST_RULES_ENFORCE_GENERATION_H
#define TPUCOST_RULES_ENFORCE_GENERATION_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "rules/settings.h"

struct db;

#define GENERATION_SUFFIX ".generation"

/* Identity of a file: its inode, and its birth time (seconds and nanoseconds; "": the file system
 * does not report it). */
struct file_id {
	const char *inode, *born;
};

/* Content of the file. Texts are allocated from the arena. */
struct generation {
	int64_t entry;    /* newest of the audit log; 0: it was empty */
	const char *hash; /* of that entry, or "" */
	const char *host; /* hash of the machine's id; "": there is no id */
	/* File of the database: a copy has another one. */
	struct file_id database;
	/* The file itself: one that was copied over it, together with its database, has another
	 * identity. */
	struct file_id own;
};

void generation_print(const struct generation *g, struct sbuf *out);
/* `fd` of an open file, or its `path` if that is not NULL. */
enum err_code generation_file_id(int fd, const char *path, struct arena *a,
	struct file_id *out, struct err *e) must_check;
/* E_DATA: the content is not valid. */
enum err_code generation_parse(const char *text, size_t len, struct arena *a,
	struct generation *out, struct err *e) must_check;

/* Reason if the database is a backup that a person restored and that was not used since; else NULL. */
enum err_code generation_copied(
	struct db *db, struct arena *a, const char **why, struct err *e) must_check;

struct generation_look {
	const char *path;          /* of the file; NULL: there is no file to check */
	bool found;                /* it exists and can be read */
	bool marked;               /* the database had one before */
	struct generation was, is; /* content of the file; content to write now */
	/* Reason why the database may not act before `enforce resume`; NULL: it may. Part of a
	 * sentence. */
	const char *why;
	bool noted;        /* the audit log already contains that */
	const char *other; /* as `why`, and in any mode */
	bool copied;       /* it is a backup that was restored, and was not used since */
};

/* `host`: of this machine; NULL: not compared, because a process that only reads cannot hash. */
enum err_code generation_look(struct db *db, const struct settings *s, const char *host,
	struct arena *a, struct generation_look *out, struct err *e) must_check;

#endif
