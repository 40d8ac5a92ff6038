/* Billed cost and current burn by project and by owner. */
#include "base/str.h"
#include "base/strmap.h"
#include "base/time/tz.h"
#include "db/answer.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#include <string.h>

enum { SPLIT_YESTERDAY = 1, SPLIT_7_DAYS, SPLIT_MONTH, SPLIT_BURN, SPLIT_CURRENCY };

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

static bool split_billed(const struct doc_row *row)
{
	return row->cells[SPLIT_MONTH].type != DOC_NONE;
}

/* Prices may have another currency than the bill: a billed row without a burn gets that of a row with its name that is
 * not billed. */
static void split_join(
	struct doc_section *s, size_t i, const struct strmap *billed, bool *burns)
{
	const struct doc_row *row = &s->rows[i];
	const char *name = row->cells[0].text;
	const size_t *first = split_billed(row) ? NULL
						: strmap_get(billed, name ? name : "");

	for (size_t to = first ? *first : s->n; to < s->n; to++) {
		if (burns[to] || !split_billed(&s->rows[to]) ||
			!str_eq(s->rows[to].cells[0].text, name))
			continue;
		s->rows[to].cells[SPLIT_BURN] = row->cells[SPLIT_BURN];
		burns[to] = true;
		s->rows[i].folded = true;
		return;
	}
}

/* A row without currency, of resources with an unknown price, becomes a sentence of another row with its name: a billed
 * one, if there is one, because that is kept. */
static void split_join_unpriced(struct doc_section *s, size_t i,
	const struct strmap *billed, const struct strmap *priced)
{
	const char *name = s->rows[i].cells[0].text ? s->rows[i].cells[0].text : "";
	const size_t *to = strmap_get(billed, name);

	if (!to)
		to = strmap_get(priced, name);
	if (!to || s->rows[i].cells[SPLIT_CURRENCY].text || s->rows[i].folded)
		return;
	s->rows[*to].detail = "Other resources have an unknown price.";
	s->rows[i].folded = true;
}

/* *known: the burn of all billed projects is known. Then owners without a burn have none, as projects that are
 * watched. */
static void split_burn(
	const struct daily *d, struct doc_section *s, bool by_owner, bool *known)
{
	bool *burns = arena_alloc(d->a, s->n * sizeof(*burns)), all = *known;
	/* name -> its first row */
	cleanup(strmap_done) struct strmap billed = {0}, priced = {0};
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *name = s->rows[i].cells[0].text;

		burns[i] = s->rows[i].cells[SPLIT_BURN].type != DOC_NONE;
		if (split_billed(&s->rows[i]))
			(void)strmap_put(&billed, name ? name : "", i);
		if (s->rows[i].cells[SPLIT_CURRENCY].text)
			(void)strmap_put(&priced, name ? name : "", i);
	}
	for (size_t i = 0; i < s->n; i++) {
		split_join(s, i, &billed, burns);
		split_join_unpriced(s, i, &billed, &priced);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct doc_row *row = &s->rows[i];
		const char *name = row->cells[0].text;
		bool watched = by_owner || !name || daily_source_project(d, name);

		all &= watched;
		if (*known && watched && !burns[i] && split_billed(row))
			row->cells[SPLIT_BURN] = cell_estimate(
				cell_rate(SOME(0), row->cells[SPLIT_CURRENCY].text));
		if (!row->folded)
			s->rows[kept++] = *row;
	}
	s->n = kept;
	*known = all;
}

struct split {
	struct daily *d;
	struct doc_section *s;
	bool by_owner;
};

static void split_tell(void *ctx)
{
	struct split *x = ctx;

	section_rest(x->s, q_daily_split_read(x->d, .owners = x->by_owner));
}

static void split_read(struct daily *d, struct doc_section *s, bool by_owner)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	struct split x = {d, s, by_owner};

	bill_sums_add(&sums,
		q_daily_split_lines_read(d, .owners = by_owner, .yesterday = d->today - 1,
			.week = d->today - 7, .month = daily_month_start(d->today),
			.today = d->today),
		"the bill of this month is too large", d->e);
	bill_sums_show(DB_READER(d), &sums, split_tell, &x);
}

/* ---- owners, where only sums of days are kept --------------------------------------------------- */

void daily_question(const struct report_ask *ask, struct billing_question *q)
{
	const struct tz *tz = ask->settings->tz;
	day_t today = daily_today(ask), month = daily_month_start(today);

	*q = (struct billing_question){.time = ASK_DAY,
		.labels = true,
		.keys = billing_owner_keys,
		.n_keys = BILLING_OWNER_KEYS,
		.from = tz_day_start(tz, month < today - 7 ? month : today - 7),
		.until = tz_day_start(tz, today + 1)};
}

/* The section is kept if it distinguishes anything. */
static void split_add(struct daily *d, struct doc_section *s, bool by_owner,
	const char *more, bool *known)
{
	const char *first = NULL;
	bool several = false;

	s->most = 5;
	s->more = more;
	split_read(d, s, by_owner);
	split_burn(d, s, by_owner, known);
	for (size_t i = 0; i < s->n; i++) {
		const char *name = s->rows[i].cells[0].text;

		split_mark(d, &s->rows[i]);
		/* owners that only the inventory knows are in: tpucost burn --by owner */
		several |= name &&
			(by_owner ? split_billed(&s->rows[i])
				  : first && strcmp(first, name) != 0);
		first = first ? first : name;
	}
	if (!several)
		s->n = 0;
}

void daily_add_split(struct daily *d)
{
	bool known = d->polled && !d->unsure;
	struct doc_section *owners;
	struct billing_question q;

	split_add(d,
		doc_section(d->doc, "projects", "By project, after credits",
			split_columns[0], ARRAY_LEN(split_columns[0])),
		false, daily_cost_command(d, "--by project "), &known);
	owners = doc_section(d->doc, "owners", "By owner, after credits", split_columns[1],
		ARRAY_LEN(split_columns[1]));
	daily_question(d->ask, &q);
	if (!lines_show(DB_READER(d), d->ask, &q, owners))
		return;
	split_add(d, owners, true, daily_cost_command(d, "--by owner "), &known);
	db_answer_hide(d->db);
}
