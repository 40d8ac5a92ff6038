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
 *     90                                            takes over                 b 8 42
 *     91    wakes up, acts: generation 41 is gone,
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

#define LEASE_SECONDS \
	45 /* must exceed the time that a call may take after the lease was renewed */
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
	const char *host; /* its name, for people */
	int64_t epoch;    /* 0: there is no object */
	int64_t seconds;  /* time of the lease */
	bool ready;       /* the holder has prepared its database, and may act */
	const char *from; /* until it is ready: name of the earlier holder; "": none */
	/* Newest entry of the audit log that a user's decision made, and its hash; 0: none. */
	int64_t decided;
	const char *decided_hash;
	const char *halt_file; /* that halts the holder; NULL: none */
	const char *halted;    /* by whom everything was halted; NULL: it is not */
	struct lease_acted *acted;
	size_t n_acted;
};

void lease_print(const struct lease *l, struct sbuf *out);
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
	int64_t newest; /* entry of the audit log; not written */
};

/* What a standby has seen. Initialize it to zero. */
struct leader_watch {
	bool seen;
	int64_t generation; /* 0: no object */
	int64_t since_ms;   /* of the monotonic clock */
};

/* Reads the lease, and renews it if it is one's own. `facts` NULL: they are not known, the former ones are kept.
 * Otherwise watches it, and takes it over when it is free: at least in the epoch after `known`. *out: the lease as of
 * now. An error: nobody knows whose it is. E_DATA: the object is not a lease, and is not changed. */
enum err_code leader_step(const struct leader *l, const struct leader_facts *facts,
	struct leader_watch *w, int64_t known, struct arena *a, struct lease *out,
	struct err *e) must_check;
bool leader_holds(const struct leader *l, const struct lease *is);

/* Immediately before a call: renews the lease, which records that this resource is acted on. E_BUSY: it is another's, or
 * everything is halted. Other errors: unknown. In each case the call must not be made. */
enum err_code leader_fence(const struct leader *l, const struct leader_facts *facts,
	const char *resource, struct arena *a, struct err *e) must_check;

/* Changes the lease that is held in the epoch l->epoch: `change` gets it as it is. E_BUSY: another one holds it, or in
 * another epoch; E_NOTFOUND: nobody does. */
typedef void leader_change_fn(void *ctx, struct lease *is);
enum err_code leader_update(const struct leader *l, leader_change_fn *change, void *ctx,
	struct arena *a, struct err *e) must_check;
/* Halts everything, whoever holds the lease: `why` names who halted; NULL ends that. */
enum err_code leader_halt(
	const struct leader *l, const char *why, struct arena *a, struct err *e) must_check;

/* ---- database ---------------------------------------------------------------------------------- */

enum err_code leader_facts_of(struct db *db, const struct settings *s, struct arena *a,
	struct leader_facts *out, struct err *e) must_check;
/* Newest epoch that the database acted in; 0: none. */
enum err_code leader_epoch_of(
	struct db *db, struct arena *a, int64_t *epoch, struct err *e) must_check;
/* Prepares the database for a lease that was taken over. `restored`: from the backup of the earlier holder; its open
 * actions continue, except those on machines that were acted on after the backup, which start over from their warning.
 * Otherwise all start over, unless this database acted last. If a user's decision is missing or the earlier holder was
 * halted, nothing is armed before `enforce resume`, and *why is the reason; otherwise NULL. */
enum err_code leader_prepare(struct db *db, const struct settings *s,
	const struct lease *is, bool restored, ts_t now, struct arena *a, const char **why,
	struct err *e) must_check;

#endif
