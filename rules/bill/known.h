/* Moment until which the costs of a project on a day are known. */
#ifndef TPUCOST_RULES_BILL_KNOWN_H
#define TPUCOST_RULES_BILL_KNOWN_H

#include "base/mem.h"
#include "db_sql.h"

struct bill_known {
	struct q_known_days *days;         /* by account and day */
	struct q_project_accounts *owners; /* accounts that a project is billed to */
	struct q_accounts_looked *looks;   /* last check of the export of each account */
	size_t n_days, n_owners, n_looks;
};

/* Fill account_known, for SQL. Memory of `a` is not needed afterwards. */
enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e) must_check;
/* Read only the days first..last of the zone, for bill_known_day(); allocated from `a`. */
enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* The same, with the facts about accounts. */
enum err_code bill_known_load(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* For days with a line of that account; absent: there is none. */
struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day);
/* Result 0: unknown. A project that is on no bill may belong to any account. */
ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day);

#endif
