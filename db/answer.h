/* Questions about lines of the bill of which only sums of days are kept, and the stored answers of BigQuery. */
#ifndef TPUCOST_DB_ANSWER_H
#define TPUCOST_DB_ANSWER_H

#include "base/err.h"
#include "base/mem.h"
#include "base/time/tz.h"

struct db;

struct billing_question {
	enum { ASK_SUM, ASK_DAY, ASK_HOUR } time; /* key of its lines */
	bool resource, labels;                    /* as well */
	ts_t from, until;                         /* of usage */
	const char *month;                        /* of the invoice; NULL: all */
	const char *const *projects;              /* none: all */
	size_t n_projects;
	const char *const *keys; /* of labels; none: all */
	size_t n_keys;
};

/* The keys of the labels of which one is the owner. */
#define BILLING_OWNER_KEYS 3
extern const char *const billing_owner_keys[BILLING_OWNER_KEYS];

/* The text that names it in the database; days are of `tz`. Allocated from `a`. */
const char *db_question_text(
	const struct billing_question *q, const struct tz *tz, struct arena *a);

/* The answer, if it is as new as the stored sums; 0: there is none. */
enum err_code db_answer_find(struct db *db, const struct billing_question *q,
	const struct tz *tz, int64_t *id, struct err *e) must_check;
/* Replaces the usage of the bill by that of the answer, and its sums by sums of that, on this connection, until
 * db_answer_hide(). Derived rows that depend on the bill are filled before. *found: there is one. */
enum err_code db_answer_show(struct db *db, const struct billing_question *q,
	const struct tz *tz, bool *found, struct err *e) must_check;
/* No effect if none is shown. */
void db_answer_hide(struct db *db);

#endif
