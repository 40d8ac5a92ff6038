/* Billed cost and current burn by project and by owner. */
#include "base/time/civil.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

enum { SPLIT_YESTERDAY = 1, SPLIT_7_DAYS, SPLIT_MONTH, SPLIT_CURRENCY = 5 };

#define SPLIT_AMOUNTS                                                                      \
	{"net_yesterday", "yesterday", DOC_MONEY, -1},                                     \
		{"net_7d", "7 days", DOC_MONEY, -1, 1},                                    \
		{"net_month", "month", DOC_MONEY, -1},                                     \
		{"net_per_hour", "now, an hour", DOC_RATE, -1, .status = STATUS_ESTIMATE}, \
	{                                                                                  \
		"currency", NULL, DOC_TEXT                                                 \
	}

static const struct doc_column split_columns[][6] = {
	{{"project", "project", DOC_TEXT}, SPLIT_AMOUNTS},
	{{"owner", "owner", DOC_TEXT}, SPLIT_AMOUNTS},
};

/* A span without a bill is unknown, not zero. */
static void split_mark(const struct daily *d, struct doc_row *row)
{
	static const int spans[] = {[SPLIT_YESTERDAY] = SPAN_YESTERDAY,
		[SPLIT_7_DAYS] = SPAN_7_DAYS,
		[SPLIT_MONTH] = SPAN_MONTH};

	for (int i = SPLIT_YESTERDAY; i <= SPLIT_MONTH; i++) {
		if (!d->bill.any[spans[i]])
			row->cells[i] = cell_money(NONE, row->cells[SPLIT_CURRENCY].text);
		else if (d->bill.open[spans[i]])
			row->cells[i] = cell_partial(row->cells[i]);
	}
}

/* The section is kept if it distinguishes anything. */
static enum err_code split_add(struct daily *d, struct doc_section *s, bool by_owner,
	const char *more, struct err *e)
{
	struct q_daily_split_in in = {.owners = by_owner,
		.yesterday = d->today - 1,
		.week = d->today - 7,
		.month = daily_month_start(d),
		.today = d->today};
	const char *first = NULL;
	bool several = false;
	struct doc_row *row;
	struct db_rows rows;

	s->most = 2;
	s->more = more;
	if (q_daily_split_open(d->db, &in, &rows, e))
		return e->code;
	while ((row = doc_read(s, &rows))) {
		const char *name = row->cells[0].text;

		split_mark(d, row);
		/* owners that only the inventory knows are in: tpucost burn --by owner */
		several |= name &&
			(by_owner ? doc_at(s, row, "net_month")->type != DOC_NONE
				  : first && strcmp(first, name) != 0);
		first = first ? first : name;
	}
	if (!several)
		s->n = 0;
	return db_rows_close(&rows, e);
}

enum err_code daily_add_split(struct daily *d, struct err *e)
{
	return split_add(d,
		       doc_section(d->doc, "projects", "By project, after credits",
			       split_columns[0], ARRAY_LEN(split_columns[0])),
		       false, "tpucost cost --by project --since 30d", e)
		? e->code
		: split_add(d,
			  doc_section(d->doc, "owners", "By owner, after credits",
				  split_columns[1], ARRAY_LEN(split_columns[1])),
			  true, "tpucost cost --by owner --since 30d", e);
}
