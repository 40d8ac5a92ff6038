/* Up to when the costs of a project on a day are known. */
#ifndef TPUCOST_RULES_BILL_KNOWN_H
#define TPUCOST_RULES_BILL_KNOWN_H

#include "base/mem.h"
#include "db/db.h"

struct known_day {
	const char *account;
	day_t day;
	ts_t until;
};

struct known_account {
	const char *account;
	const char *project; /* that is billed to it */
	ts_t looked;         /* when its export was looked at last */
};

struct bill_known {
	struct known_day *days; /* by account and day */
	struct known_account *owners, *looks;
	size_t n_days, n_owners, n_looks;
};

/* Fills account_known, for SQL. What the arena holds is not needed afterwards. */
enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e) must_check;
/* The days first..last of the zone alone, for bill_known_day(); of the arena. */
enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* With what is known of accounts, too. */
enum err_code bill_known_load(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* Of days with a line of that account; absent: there is none. */
struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day);
/* 0: nothing is known. A project that is on no bill may belong to any account. */
ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day);

#endif
