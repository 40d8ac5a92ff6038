/* Reserved capacity: the section, and the TPUs among it that no machine uses. */
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/daily/internal.h"
#include "reports/fix.h"

/* ---- what is unused ---------------------------------------------------------------------------- */

/* Google does not allow to delete reservations of calendar mode, nor those of a commitment (Compute Engine:
 * "Future reservations in calendar mode", "Attach reservations to commitments"). */
static const char *unused_words(struct daily *d, const struct q_daily_unused *q)
{
	const char *price = q->per_hour.set && q->currency
		? arena_printf(d->a, ", about %s/h",
			  money_words(d->a, q->per_hour.v, q->currency))
		: ", at an unknown price";

	return arena_printf(d->a, "%lld of %lld %s %s unused%s%s", (long long)q->unused,
		(long long)q->amount, q->unit, q->unused == 1 ? "is" : "are", price,
		!q->fixed.set || !q->fixed.v ? ""
			: str_eq(q->kind, "calendar")
			? "; calendar mode cannot be cancelled"
			: "; it cannot be deleted, because it is part of a commitment");
}

struct todo daily_unused(struct daily *d, const struct q_daily_unused *q)
{
	const char *command = fix_reservation(q, d->a);

	return (struct todo){.key = q->id,
		.id = q->id,
		.kind = "reservation",
		.project = q->project,
		.location = q->location,
		.name = arena_printf(d->a, "reservation %s", q->name),
		.type = q->type,
		.severity = command ? "warning" : "info",
		.detail = unused_words(d, q),
		.command = command ? command : "tpucost commitments",
		.saves = command ? q->per_hour : NONE,
		.currency = q->currency,
		.acts = command != NULL,
		.deletes = true,
		.tone = command ? TONE_WARN : TONE_SOFT};
}

/* ---- section ----------------------------------------------------------------------------------- */

static const struct doc_column commitment_columns[] = {
	{"name", "name"},
	{"kind", "kind", .rank = 1},
	{"type", "type", .rank = 2},
	{"location", "where", .rank = 3},
	{"used", "used"},
	{"count", "of"},
	{"unit"},
	{"starts", "begins", .rank = 3},
	{"ends", "ends"},
	{"gross_per_hour", "per hour", .status = STATUS_ESTIMATE},
	{"state", "state", .rank = 3},
	{"project", "project", .rank = 4},
	{"id"},
	{"unused"},
	{"unused_per_hour", .status = STATUS_ESTIMATE},
	{"currency"},
	{"fixed"},
};

void daily_add_commitments(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "commitments", "Commitments",
		"commitments", commitment_columns, ARRAY_LEN(commitment_columns));

	s->more = "tpucost commitments";
	s->overlap = true; /* its machines are in the burn as well */
	section_rest(s, q_daily_commitments_read(d));
}
