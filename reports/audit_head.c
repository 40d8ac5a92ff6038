#include "reports/audit_head.h"

#include "db_sql.h"
#include "reports/doc/doc.h"

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
	return arena_printf(a, "Audit: %" PRId64 " %s, newest hash %s", h->entries,
		h->entries == 1 ? "entry" : "entries", h->hash);
}

static const struct doc_column columns[] = {
	{"seq"}, {"hash", NULL, DOC_CODE}, {"entries", NULL, DOC_INT}};

enum err_code audit_head_section(struct db *db, struct doc *doc, struct err *e)
{
	struct doc_section *s = doc_section_like(
		doc, "audit", NULL, "audit", columns, ARRAY_LEN(columns));
	struct audit_head h = {0};
	struct doc_row *row;

	if (audit_head_get(db, doc->arena, &h, e))
		return e->code;
	if (!h.entries)
		return E_OK;
	doc_note_brief(doc, audit_head_text(&h, doc->arena));
	row = doc_row(s);
	*doc_at(s, row, "seq") = cell_int(h.seq);
	*doc_at(s, row, "hash") = cell_code(h.hash);
	*doc_at(s, row, "entries") = cell_int(h.entries);
	return E_OK;
}
