/* Partitions of the export that suddenly hold much less than before. Google appends and
 * reloads, it does not take away: what shrinks is more likely half of a reload, or somebody's
 * mistake, than the truth. The old figures stay until the same is seen in three polls. */
#ifndef TPUCOST_COLLECTOR_QUARANTINE_H
#define TPUCOST_COLLECTOR_QUARANTINE_H

#include "collector/bill/read.h"

/* A unit that has shrunk was seen. *held: leave it as it is for now. */
enum err_code quarantine_hold(struct poll *p, int64_t table_id,
	const struct billing_unit *u, bool *held, struct err *e) must_check;

/* The unit is as it was before: nothing is held any more. */
enum err_code quarantine_release(struct poll *p, int64_t table_id,
	const struct billing_unit *u, struct err *e) must_check;

/* Units stored from `since` on that the export has no more. Their figures are kept whatever
 * happens: partitions expire, and what was billed was billed. Those before the oldest that is
 * left have expired; one in the midst is held like one that shrank, and noted. */
enum err_code quarantine_missing(struct poll *p, int64_t table_id, day_t since,
	const struct billing_units *units, struct err *e) must_check;

/* Is anything held, and since which unit? Then the table must be looked at from there on, even
 * when it has not changed. */
enum err_code quarantine_any(struct poll *p, int64_t table_id, bool *any, day_t *oldest,
	struct err *e) must_check;

/* Say in p->note what is held. */
enum err_code quarantine_note(struct poll *p, int64_t table_id, struct err *e) must_check;

#endif
