/* Usage on its way into the database: lines are gathered in memory, put into a temporary
 * table in batches, and moved into the facts unit by unit, in one transaction.
 *
 * Memory is bounded whatever the number of lines: two batches, the caches of dimensions, and
 * SQLite's own cache. No lock is held between batches, so others can write while this waits
 * for the network. */
#ifndef TPUCOST_COLLECTOR_BILL_USAGE_STAGE_H
#define TPUCOST_COLLECTOR_BILL_USAGE_STAGE_H

#include "base/time/clock.h"
#include "base/mem.h"
#include "collector/bill/usage_dims.h"

struct tz;

struct usage_batch {
	struct arena texts;
	struct usage_line *v;
	size_t n;
};

struct usage_stage {
	struct db *db;
	struct usage_dims dims;
	struct usage_batch filling;
	int64_t lines; /* staged since the last clear, the batch included */
	struct usage_worker
		*worker; /* puts batches while the next one is filled, or NULL */
};

/* Can there be usage of that time? From 2008-04-01, the month in which Google's cloud began, until
 * two days after now, since clocks differ: what is further ahead is of a clock or a table that is
 * wrong, and would hide all that is newer. E_DATA, with `name` in front. */
enum err_code usage_time_check(
	ts_t t, ts_t now, const char *name, struct err *e) must_check;

/* Empty the temporary table, of what an attempt before may have left too. `threaded`: a thread
 * of its own uses the database until usage_stage_flush returns; the caller must not. */
enum err_code usage_stage_open(
	struct usage_stage *s, struct db *db, bool threaded, struct err *e) must_check;
void usage_stage_close(struct usage_stage *s);

/* Texts are copied. Lines that agree in all but amounts are added up. An error may be one of a
 * batch before. */
enum err_code usage_stage_add(
	struct usage_stage *s, const struct usage_line *line, struct err *e) must_check;
/* Put everything into the temporary table. */
enum err_code usage_stage_flush(struct usage_stage *s, struct err *e) must_check;
/* Forget all that is staged. */
enum err_code usage_stage_clear(struct usage_stage *s, struct err *e) must_check;

#endif
