/* Up to when the costs of a project on a day are known. Private to rules/derive*.c. */
#ifndef TPUCOST_RULES_BILL_KNOWN_H
#define TPUCOST_RULES_BILL_KNOWN_H

#include "rules/derive_parts.h"

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
	struct known_day *days;
	struct known_account *owners, *looks;
	size_t n_days, n_owners, n_looks;
};

/* For the days first..last. Uses account_known. */
enum err_code bill_known_load(struct deriving *d, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* 0: nothing is known. A project that is on no bill may belong to any account. */
ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day);

#endif
