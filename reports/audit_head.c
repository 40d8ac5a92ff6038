#include "reports/audit_head.h"

#include "db_sql.h"

#include <inttypes.h>

enum err_code audit_head_get(
	struct db *db, struct arena *a, struct audit_head *out, struct err *e)
{
	struct q_audit_head row;
	bool found;

	if (q_audit_head_one(db, a, &row, &found, e))
		return e->code;
	*out = (struct audit_head){.entries = row.entries,
		.seq = row.seq.set ? row.seq.v : 0,
		.hash = row.hash ? row.hash : ""};
	return E_OK;
}

const char *audit_head_text(const struct audit_head *h, struct arena *a)
{
	if (!h->entries)
		return "Audit: no entries yet.";
	return arena_printf(a, "Audit: %" PRId64 " %s, the newest is %" PRId64 ": %s",
		h->entries, h->entries == 1 ? "entry" : "entries", h->seq, h->hash);
}
