/* Newest entry of the audit log. Reports print it in a place that keeps it, so that a log that was
 * truncated or rewritten can be detected later (tpucost audit verify --anchor HASH). */
#ifndef TPUCOST_REPORTS_AUDIT_HEAD_H
#define TPUCOST_REPORTS_AUDIT_HEAD_H

#include "base/err.h"
#include "base/mem.h"

struct db;

struct audit_head {
	int64_t entries, seq; /* 0: none */
	const char *hash; /* in full; "" if the log is empty; allocated from the arena */
};
enum err_code audit_head_get(
	struct db *db, struct arena *a, struct audit_head *out, struct err *e) must_check;
/* Adds it as the section `audit`, for programs, and as a note. An empty log adds no note. */
struct doc;
enum err_code audit_head_section(struct db *db, struct doc *doc, struct err *e) must_check;
/* "Audit: 12 entries, newest hash 5e1f...". Allocated from `a`. */
const char *audit_head_text(const struct audit_head *h, struct arena *a);

#endif
