/* Staged usage: lines are collected in memory, written to a temporary table in batches, and moved
 * into the facts unit by unit, in one transaction.
 *
 * Memory is bounded for any number of lines: two batches, the caches of dimensions, and SQLite's
 * own cache. No lock is held between batches, so other processes can write while this one waits for
 * the network. */
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
	int64_t lines; /* lines since the last clear, including the current batch */
	/* writes batches while the next one is filled, or NULL */
	struct usage_worker *worker;
};

/* Checks that usage at that time is possible: from 2008-04-01, the month in which Google's cloud
 * began, until two days after now, because clocks differ. A later time is an error of a clock or a
 * table, and would hide all newer usage. E_DATA, with `name` in front. */
enum err_code usage_time_check(
	ts_t t, ts_t now, const char *name, struct err *e) must_check;

/* Empties the temporary table, including lines of an earlier attempt. `threaded`: another thread
 * uses the database until usage_stage_flush returns; the caller must not. */
enum err_code usage_stage_open(
	struct usage_stage *s, struct db *db, bool threaded, struct err *e) must_check;
void usage_stage_close(struct usage_stage *s);

/* Texts are copied. Lines that differ only in amounts are added up. The error may be that of an
 * earlier batch. */
enum err_code usage_stage_add(
	struct usage_stage *s, const struct usage_line *line, struct err *e) must_check;
/* Writes everything to the temporary table. */
enum err_code usage_stage_flush(struct usage_stage *s, struct err *e) must_check;
/* Discards everything that is staged. */
enum err_code usage_stage_clear(struct usage_stage *s, struct err *e) must_check;

#endif
