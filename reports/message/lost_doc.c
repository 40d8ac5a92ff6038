#include "reports/message/lost_doc.h"

#include "db_sql.h"

enum { COL_CREATED, COL_KIND, COL_SUBJECT, COL_RECIPIENT, COL_ATTEMPTS, COL_ERROR };

static const struct doc_column columns[] = {
	[COL_CREATED] = {"created", "Since", DOC_TIME, 0, 0},
	[COL_KIND] = {"kind", "Kind", DOC_TEXT, 0, 0},
	[COL_SUBJECT] = {"subject", NULL, DOC_TEXT, 0, 0},
	[COL_RECIPIENT] = {"recipient", "To", DOC_TEXT, 0, 1},
	[COL_ATTEMPTS] = {"attempts", "Attempts", DOC_INT, 0, 2},
	[COL_ERROR] = {"error", NULL, DOC_TEXT, 0, 0},
};

struct doc *lost_doc(const struct settings *s, const struct q_notification_lost *v,
	size_t n, ts_t now, struct arena *a)
{
	struct doc *d = doc_new(a, "lost", s->tz, now);
	struct doc_section *list;
	const char *why = v[n - 1].error ? v[n - 1].error : "no reason is known";

	d->title = arena_printf(a, "tpucost: channel %s did not deliver", v->channel);
	d->subject = arena_printf(a, "[tpucost] %zu message%s not delivered on channel %s",
		n, n == 1 ? "" : "s", v->channel);
	d->headline = arena_printf(a,
		"%zu message%s could not be delivered on channel %s: %s", n,
		n == 1 ? "" : "s", v->channel, why);
	d->tone = TONE_BAD;
	list = doc_section(
		d, "lost", "Not delivered there", columns, (int)ARRAY_LEN(columns));
	list->brief = true;
	list->more = "tpucost notify";
	for (size_t i = 0; i < n; i++) {
		struct doc_row *row = doc_row(d, list);

		row->cells[COL_CREATED] = cell_time(v[i].created);
		row->cells[COL_KIND] = cell_text(v[i].kind);
		row->cells[COL_SUBJECT] = cell_text(v[i].subject);
		row->cells[COL_RECIPIENT] = cell_text(
			*v[i].recipient ? v[i].recipient : NULL);
		row->cells[COL_ATTEMPTS] = cell_int(v[i].attempts);
		row->cells[COL_ERROR] = cell_text(v[i].error);
		row->detail = v[i].subject;
		row->tone = TONE_BAD;
	}
	doc_note(d,
		"What stands in the way: tpucost notify. When it is mended: tpucost notify "
		"test %s, and tpucost notify retry %s",
		v->channel, v->channel);
	return d;
}
