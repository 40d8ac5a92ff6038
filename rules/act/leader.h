/* One enforcer: of several tpucost with the same lease, one acts; the others stand by.
 *
 * The lease is an object outside of their databases, such as one of Cloud Storage, that is only written if it still has
 * the generation that was read: of two writers, one fails. Its content names the holder, and an epoch that grows by 1
 * whenever another one takes over. The holder renews the lease every LEASE_RENEW seconds, and immediately before each
 * call that stops or deletes something: that call follows within seconds, or not at all. A standby does not trust
 * clocks: it takes over after it has seen the same generation for twice the time of the lease on its own monotonic
 * clock. By then, what the earlier holder had sent has ended.
 *
 *   second  a (holds epoch 7)                       b                          object: holder, epoch, generation
 *      0    renews                                  sees generation 41         a 7 41
 *     15    dies, or is suspended                   sees generation 41         a 7 41
 *    100                                            takes over                 b 8 42
 *    101    wakes up, acts: generation 41 is gone,
 *           the holder is b: does not act           restores a's backup, acts  b 8 43
 *
 * A take-over has two steps. The new holder first owns the lease without being ready, and the content still has what the
 * earlier holder wrote. Then it prepares its database, and says that it is ready; only then may it act. */
#ifndef TPUCOST_RULES_ACT_LEADER_H
#define TPUCOST_RULES_ACT_LEADER_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "base/time/clock.h"

struct db;
struct settings;

/* Twice this must exceed the time that a call may take after the lease was renewed: 5 s until it is sent, and three times
 * 30 s if Google refuses the token once. */
#define LEASE_SECONDS 50
#define LEASE_RENEW 15  /* seconds between two renewals */
#define LEASE_MAX 65536 /* bytes of the object */

/* A machine that was acted on after the newest backup. */
struct lease_acted {
	int64_t entry; /* of the audit log, which recorded the intent */
	const char *resource;
};

/* Content of the object. Texts are allocated from an arena. */
struct lease {
	const char
		*owner; /* identifies the holder: machine, its boot, file of the database */
	const char *host; /* its name, for messages */
	int64_t epoch;    /* 0: there is no object */
	int64_t seconds;  /* time of the lease */
	bool ready;       /* the holder has prepared its database, and may act */
	int64_t acting; /* epoch of the newest holder that was ready; 0: none, or the object was deleted */
	const char *from; /* until it is ready: name of the earlier holder; "": none */
	const char *
		left; /* owner that gave it up, and waits twice as long for it; NULL: none */
	/* Newest entry of the audit log that a user's decision made, and its hash; 0: none. */
	int64_t decided;
	const char *decided_hash;
	const char *halt_file; /* that halts the holder; NULL: none */
	const char *halted;    /* by whom everything was halted; NULL: it is not */
	const char *
		blocked; /* why the holder is not armed until a user resumes; NULL: it is */
	struct lease_acted *acted;
	size_t n_acted;
};

void lease_print(const struct lease *l, struct sbuf *out);
/* Adds to an error of its content what to do. */
enum err_code lease_refuse(struct err *e);
/* E_DATA: it is not a lease. */
enum err_code lease_parse(const char *text, size_t len, struct arena *a, struct lease *out,
	struct err *e) must_check;

/* The object. */
struct leader_store {
	void *ctx;
	const char *name; /* for messages: "gs://bucket/object" */
	/* Content, and its generation. E_NOTFOUND: there is no such object. */
	enum err_code (*get)(void *ctx, struct arena *a, const char **text,
		int64_t *generation, struct err *e);
	/* E_CONFLICT: it has another generation (0: it exists), nothing was written. Other errors: it may
	 * have been written. */
	enum err_code (*put)(
		void *ctx, const char *text, int64_t generation, struct err *e);
};

/* One of those that share the lease. */
struct leader {
	const struct leader_store *store;
	struct clock *clock;
	const char *owner, *host; /* as in the lease */
	int64_t epoch;            /* that it may act in; 0: it may not act */
	const char *why;          /* reason for that */
	bool backups;             /* the database is backed up for the others */
};

/* Facts that the holder writes with each renewal. */
struct leader_facts {
	int64_t decided;
	const char *decided_hash, *halt_file;
	/* not written: */
	const char *decider; /* of that decision: "user ada" */
	ts_t decided_at;
	int64_t newest; /* entry of the audit log */
};

/* State of the lease as a standby has seen it. Initialize it to zero. */
struct leader_watch {
	bool seen;
	int64_t generation; /* 0: no object */
	int64_t since_ms;   /* of the monotonic clock */
};

/* Reads the lease, and renews it if it is one's own. `facts` NULL: they are not known, the former ones are kept.
 * Otherwise watches it, and takes it over when it is free: at least in the epoch after `known`. *out: the lease as of
 * now. An error: its holder is unknown. E_DATA: the object is not a lease, and is not changed. */
enum err_code leader_step(const struct leader *l, const struct leader_facts *facts,
	struct leader_watch *w, int64_t known, struct arena *a, struct lease *out,
	struct err *e) must_check;
bool leader_holds(const struct leader *l, const struct lease *is);

/* Immediately before a call: renews the lease, which records that this resource is acted on. E_BUSY: it is another's, or
 * everything is halted. Other errors: unknown. In each case the call must not be made. */
enum err_code leader_fence(const struct leader *l, const struct leader_facts *facts,
	const char *resource, struct arena *a, struct err *e) must_check;

/* Halts everything, whoever holds the lease: `why` names who halted; NULL ends that. *was: the lease before. */
enum err_code leader_halt(const struct leader *l, const char *why, struct arena *a,
	struct lease *was, struct err *e) must_check;

/* ---- database ---------------------------------------------------------------------------------- */

enum err_code leader_facts_of(struct db *db, const struct settings *s, struct arena *a,
	struct leader_facts *out, struct err *e) must_check;
/* Has it the newest decision of the lease? If the holder lacks that, its database was replaced. */
enum err_code leader_knows(struct db *db, const struct lease *is, struct arena *a,
	bool *knows, struct err *e) must_check;
/* Does it lack the newest decision of a user about a resource in `former`? */
enum err_code leader_lacks(struct db *db, struct db *former, struct arena *a, bool *lacks,
	struct err *e) must_check;
/* Newest epoch that the database acted in; 0: none. */
enum err_code leader_epoch_of(
	struct db *db, struct arena *a, int64_t *epoch, struct err *e) must_check;
/* Must the backup replace the database `own`? Not if no other machine has acted since: then the own one is newer, or a person
 * restored it. Otherwise also if own is empty, or was restored by a take-over that was not completed. */
enum err_code leader_wants_backup(struct db *own, struct db *backup, struct arena *a,
	bool *wants, struct err *e) must_check;
/* Marks a backup as the one that a take-over restores. `former`: name of the file that keeps the database. `unarmed`: it stays
 * one that a person restored, so that it is not armed even if this take-over is not completed. */
enum err_code leader_mark_backup(
	struct db *backup, const char *former, bool unarmed, struct err *e) must_check;
/* *former: of the take-over that restored this database and was not completed; NULL: there was none. */
enum err_code leader_former_of(
	struct db *own, struct arena *a, const char **former, struct err *e) must_check;
/* The second step of a take-over: prepares the database, and says in the lease that it is ready. `restored`: it is the
 * backup of the earlier holder; its open actions continue, except those on machines that were acted on after the backup,
 * which start over from their warning. Otherwise all start over, unless this database acted last. If a user's decision may be
 * missing, a person restored the database or the earlier holder was halted, nothing is armed before `enforce resume`, and
 * *why is the reason; otherwise NULL. `lost` is such a reason of the caller, or NULL. l->epoch is that of `is`; it is raised if the database has acted in it
 * already. It is also called for a holder whose database was replaced. */
enum err_code leader_take_over(struct leader *l, struct db *db, const struct settings *s,
	const struct lease *is, bool restored, const char *lost, struct arena *a,
	const char **why, struct err *e) must_check;
/* After a take-over that failed, or when its database cannot be used: another machine may try first. */
enum err_code leader_give_up(
	const struct leader *l, struct arena *a, struct err *e) must_check;
/* A backup with the audit log up to this entry is complete: machines that were acted on before need not be listed in the lease. */
enum err_code leader_shipped(
	const struct leader *l, int64_t newest, struct arena *a, struct err *e) must_check;
/* Notes the newest decision of a user, so that no other machine acts without it; `resumed`: it ends the block. E_BUSY:
 * another one holds the lease; E_NOTFOUND: none does; E_CONFLICT: the database lacks the decision that the lease has. */
enum err_code leader_note_decision(const struct leader *l, struct db *db,
	const struct leader_facts *facts, bool resumed, struct arena *a,
	struct err *e) must_check;
/* Confirms that it holds the lease in the epoch l->epoch. */
enum err_code leader_confirm(
	const struct leader *l, struct arena *a, struct err *e) must_check;

#endif
