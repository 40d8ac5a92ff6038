/* The newest entry of the record of what was done: printed where it stays, so that a record that
 * was cut off or written anew shows against it (tpucost audit verify --anchor HASH). */
#ifndef TPUCOST_REPORTS_AUDIT_HEAD_H
#define TPUCOST_REPORTS_AUDIT_HEAD_H

#include "base/err.h"
#include "base/mem.h"

struct db;

struct audit_head {
	int64_t entries, seq; /* 0: none */
	const char *hash;     /* whole; "" of an empty record; arena */
};
enum err_code audit_head_get(
	struct db *db, struct arena *a, struct audit_head *out, struct err *e) must_check;
/* The same as the section `audit` of a report, for programs, and as a note for people, who see
 * nothing of an empty record. */
struct doc;
enum err_code audit_head_section(struct db *db, struct doc *doc, struct err *e) must_check;
/* "Audit: 12 entries, newest hash 5e1f...". Arena. */
const char *audit_head_text(const struct audit_head *h, struct arena *a);

#endif
