/* A message about letters that could not be delivered. */
#include "reports/message/message.h"

#include "db_sql.h"

static const struct doc_column columns[] = {
	{"created", "Since"},
	{"kind", "Kind"},
	{"subject"},
	{"recipient", "To", .rank = 1},
	{"attempts", "Attempts", .rank = 2},
	{"error"},
};

struct doc *lost_doc(const struct settings *s, const struct q_notification_lost *v,
	size_t n, ts_t now, struct arena *a)
{
	struct doc *d = doc_new(a, "lost", s->tz, now);
	struct doc_section *list;
	const char *why = v[n - 1].error ? v[n - 1].error : "the reason is unknown";

	d->title = arena_printf(a, "tpucost: channel %s failed to deliver", v->base);
	d->subject = arena_printf(a, "[tpucost] %zu message%s not delivered on channel %s",
		n, n == 1 ? "" : "s", v->base);
	d->headline = arena_printf(a,
		"%zu message%s could not be delivered on channel %s: %s", n,
		n == 1 ? "" : "s", v->base, why);
	d->tone = TONE_BAD;
	list = doc_section_like(
		d, "lost", "Not delivered", "notifications", columns, ARRAY_LEN(columns));
	list->brief = true;
	list->more = "tpucost notify";
	for (size_t i = 0; i < n; i++) {
		struct doc_row *row = doc_row(list);

		*doc_at(list, row, "created") = cell_time(v[i].created);
		*doc_at(list, row, "kind") = cell_text(v[i].kind);
		*doc_at(list, row, "subject") = cell_text(v[i].subject);
		*doc_at(list, row, "recipient") = cell_text(
			*v[i].recipient ? v[i].recipient : NULL);
		*doc_at(list, row, "attempts") = cell_int(v[i].attempts);
		*doc_at(list, row, "error") = cell_text(v[i].error);
		row->detail = v[i].subject;
		row->tone = TONE_BAD;
	}
	doc_note(d,
		"Details: tpucost notify. After the problem is fixed: tpucost notify test "
		"%s, and tpucost notify retry %s",
		v->base, v->base);
	return d;
}
