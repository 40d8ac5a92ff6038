/* One who acts at a time. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/internal.h"

#include <string.h>

#define LEASE "enforce"

static enum err_code get(struct run *r, struct q_lease_get *row, bool *found, struct err *e)
{
	struct q_lease_get_in in = {.name = LEASE};

	return q_lease_get_one(r->db, &in, r->a, row, found, e);
}

static enum err_code put(struct run *r, int64_t fence, ts_t until, struct err *e)
{
	struct q_lease_put_in in = {
		.name = LEASE, .owner = r->o->owner, .fence = fence, .until = until};

	return q_lease_put(r->db, &in, e);
}

/* The owner is "HOST:PROCESS". Processes of one host keep each other out by a file lock, which the
 * kernel lets go of when one dies: whoever comes with it knows that the other is gone. */
static bool same_host(const char *one, const char *other)
{
	size_t n = strcspn(one, ":");

	return n == strcspn(other, ":") && !strncmp(one, other, n);
}

enum err_code lease_take(struct run *r, struct err *e)
{
	ts_t now = run_now(r);
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_lease_get row;
	bool found;

	if (db_begin(r->db, &tx, e) || get(r, &row, &found, e))
		return e->code;
	/* One that ends far ahead is of a clock that was wrong. */
	if (found && row.until > now && row.until <= now + 2 * ENFORCE_LEASE &&
		!same_host(row.owner, r->o->owner)) {
		err_set(e, E_BUSY, "another tpucost is acting: %s", row.owner);
		return err_fix(e, "let one machine enforce, the others only watch");
	}
	r->fence = found ? row.fence + 1 : 1;
	if (put(r, r->fence, now + ENFORCE_LEASE, e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code lease_check(struct run *r, struct err *e)
{
	struct q_lease_get row;
	bool found;

	if (get(r, &row, &found, e))
		return e->code;
	if (!found || row.fence != r->fence)
		return err_set(e, E_BUSY, "another tpucost took over while this one slept");
	return put(r, r->fence, run_now(r) + ENFORCE_LEASE, e);
}

enum err_code lease_release(struct run *r, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(r->db, &tx, e) || lease_check(r, e) || put(r, r->fence, run_now(r), e))
		return e->code;
	return db_commit(&tx, e);
}
