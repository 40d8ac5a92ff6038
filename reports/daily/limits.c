/* Limits: credits and quotas. */
#include "base/money.h"
#include "base/str.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#define QUOTAS_SHOWN 10

static const struct doc_column credit_columns[] = {
	{"name", "credit"},
	{"left", "left"},
	{"amount", "of", .rank = 1},
	{"runs_out", "used up", .status = STATUS_ESTIMATE},
	{"expires", "expires", .rank = 1},
	{"used"},
	{"ends_text"},
	{"billed_from"},
	{"state"},
	{"safe_per_day", .status = STATUS_ESTIMATE},
	{"currency"},
};

static void add_credits(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "credits", "Credit", "credits",
		credit_columns, ARRAY_LEN(credit_columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_credits_read(d);

	while ((row = doc_read(s, &rows))) {
		struct doc_cell *left = doc_at(s, row, "left");
		int64_t amount = doc_at(s, row, "amount")->v;

		if (left->type)
			left->tone = left->v <= amount / 20 ? TONE_BAD
				: left->v <= amount / 5     ? TONE_WARN
							    : TONE_PLAIN;
		coupon_say_spent(d->doc, s, row);
	}
}

static const struct doc_column quota_columns[] = {
	{"metric", "quota"},
	{"location", "where", .rank = 1},
	{"used", "used"},
	{"limit_value", "limit"},
	{"percent", "used"},
	{"held", "held", .rank = 2},
	{"project", "project", .rank = 3},
	{"service"},
	{"family"},
	{"pool"},
};

static void add_quotas(struct daily *d)
{
	struct doc_section *s = doc_section_like(d->doc, "quotas",
		"Quotas: nearly used up, and TPUs", "quotas", quota_columns,
		ARRAY_LEN(quota_columns));
	struct doc_row *row;
	struct db_rows rows = q_daily_quotas_read(d);
	size_t n = 0;

	s->more = "tpucost quota";
	while ((row = doc_read(s, &rows))) {
		struct doc_cell *percent = doc_at(s, row, "percent");
		bool used = doc_at(s, row, "used")->type != DOC_NONE;

		if (percent->v >= 90 * NANOS)
			percent->tone = TONE_WARN;
		n += used;
		row->folded = !used || n > QUOTAS_SHOWN ||
			(percent->v < 80 * NANOS && !doc_at(s, row, "pool")->type &&
				!str_eq(doc_at(s, row, "service")->text,
					"tpu.googleapis.com"));
	}
	if (n > QUOTAS_SHOWN)
		s->note = arena_printf(
			d->a, "The %d highest of %zu; all: tpucost quota", QUOTAS_SHOWN, n);
}

void daily_add_limits(struct daily *d)
{
	add_credits(d);
	add_quotas(d);
}
