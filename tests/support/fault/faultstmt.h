/* One statement of a database fails, while it is prepared or while it runs, with the engine's own error:
 * for the error path of each query, one after the other. */
#ifndef TPUCOST_TESTS_SUPPORT_FAULTSTMT_H
#define TPUCOST_TESTS_SUPPORT_FAULTSTMT_H

#include "base/err.h"

struct db;

enum fault_when { FAULT_PREPARE, FAULT_RUN };

/* The `at`th SELECT, INSERT, UPDATE, DELETE, BEGIN or COMMIT from now on. Statements that were prepared
 * before are prepared anew. What SQL of users may do is not checked until it is disarmed. */
void faultstmt_arm(struct db *db, enum fault_when when, int64_t at);
/* Did one fail? */
bool faultstmt_disarm(struct db *db);

/* Do `go` again and again: first its first statement fails, then its second, ..., until none fails. Whatever failed, `go` has to return an error that says
 * something; in the end it has to be fine. `reset`, which may be NULL, is called before each.
 * Returns how many failed. */
int64_t faultstmt_sweep(struct db *db, enum fault_when when,
	enum err_code (*go)(void *ctx, struct err *e), void (*reset)(void *ctx), void *ctx);
/* The same while they are prepared, and then while they run. */
int64_t faultstmt_sweep_both(struct db *db, enum err_code (*go)(void *ctx, struct err *e),
	void (*reset)(void *ctx), void *ctx);

#endif
