/* What is left: credit and quotas. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/daily/internal.h"

#define QUOTAS_SHOWN 10

/* ---- credit ------------------------------------------------------------------------------------ */

enum {
	C_NAME,
	C_LEFT,
	C_AMOUNT,
	C_RUNS_OUT,
	C_EXPIRES,
	C_USED,
	C_SAFE,
	C_CURRENCY,
	N_CREDIT
};
static const struct doc_column credit_columns[N_CREDIT] = {
	[C_NAME] = {"name", "credit", DOC_TEXT, 0, 0},
	[C_LEFT] = {"left", "left", DOC_MONEY, -1, 0},
	[C_AMOUNT] = {"amount", "of", DOC_MONEY, -1, 1},
	[C_RUNS_OUT] = {"runs_out", "used up", DOC_TIME, 0, 0},
	[C_EXPIRES] = {"expires", "expires", DOC_TIME, 0, 1},
	[C_USED] = {"used", NULL, DOC_MONEY, -1, 0},
	[C_SAFE] = {"safe_per_day", NULL, DOC_MONEY, -1, 0},
	[C_CURRENCY] = {"currency", NULL, DOC_TEXT, 0, 0},
};

static struct doc_cell when(struct opt_i64 at)
{
	return cell_time(at.set ? at.v : TS_NONE);
}

static enum err_code add_credits(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(
		d->doc, "credits", "Credit", credit_columns, ARRAY_LEN(credit_columns));
	struct q_daily_credits q;
	struct db_rows rows;

	if (q_daily_credits_open(d->db, &rows, e))
		return e->code;
	while (q_daily_credits_next(&rows, &q)) {
		const char *currency = arena_strdup(d->a, q.currency);
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;
		int64_t left;

		c[C_NAME] = cell_text(arena_strdup(d->a, q.name));
		if (q.used.set && nanos_sub(q.amount, q.used.v, &left))
			c[C_LEFT] = cell_toned(cell_money(SOME(left), currency),
				left <= q.amount / 20          ? TONE_BAD
					: left <= q.amount / 5 ? TONE_WARN
							       : TONE_PLAIN);
		c[C_AMOUNT] = cell_money(SOME(q.amount), currency);
		c[C_RUNS_OUT] = when(q.runs_out);
		if (c[C_RUNS_OUT].type)
			c[C_RUNS_OUT] = cell_estimate(c[C_RUNS_OUT]);
		c[C_EXPIRES] = when(q.expires);
		c[C_USED] = cell_money(q.used, currency);
		c[C_SAFE] = cell_estimate(cell_money(q.safe_per_day, currency));
		c[C_CURRENCY] = cell_text(currency);
	}
	return db_rows_close(&rows, e);
}

/* ---- quotas ------------------------------------------------------------------------------------ */

enum { Q_METRIC, Q_LOCATION, Q_USED, Q_LIMIT, Q_PERCENT, Q_PROJECT, Q_SERVICE, N_QUOTA };
static const struct doc_column quota_columns[N_QUOTA] = {
	[Q_METRIC] = {"metric", "quota", DOC_TEXT, 0, 0},
	[Q_LOCATION] = {"location", "where", DOC_TEXT, 0, 1},
	[Q_USED] = {"used", "used", DOC_INT, 0, 0},
	[Q_LIMIT] = {"limit_value", "limit", DOC_INT, 0, 0},
	[Q_PERCENT] = {"percent", "used", DOC_PERCENT, 0, 0},
	[Q_PROJECT] = {"project", "project", DOC_TEXT, 0, 3},
	[Q_SERVICE] = {"service", NULL, DOC_TEXT, 0, 0},
};

static enum err_code add_quotas(struct daily *d, struct err *e)
{
	struct doc_section *s = doc_section(d->doc, "quotas",
		"Quotas nearly used up, and those of TPUs", quota_columns,
		ARRAY_LEN(quota_columns));
	struct q_daily_quotas q;
	struct db_rows rows;
	size_t n = 0;

	s->more = "tpucost quota";
	if (q_daily_quotas_open(d->db, &rows, e))
		return e->code;
	while (q_daily_quotas_next(&rows, &q)) {
		struct doc_row *row = doc_row(d->doc, s);
		struct doc_cell *c = row->cells;

		c[Q_METRIC] = cell_text(arena_strdup(d->a, q.metric));
		c[Q_LOCATION] = cell_text(arena_strdup(d->a, q.location));
		c[Q_USED] = q.used.set ? cell_int(q.used.v) : (struct doc_cell){0};
		c[Q_LIMIT] = cell_int(q.limit_value);
		if (q.percent_10.set)
			c[Q_PERCENT] = cell_toned(
				cell_percent(daily_decimal(q.percent_10, 10)),
				q.percent_10.v >= 900 ? TONE_WARN : TONE_PLAIN);
		c[Q_PROJECT] = cell_text(arena_strdup(d->a, q.project));
		c[Q_SERVICE] = cell_text(arena_strdup(d->a, q.service));
		n += q.used.set;
		row->folded = !q.used.set || n > QUOTAS_SHOWN;
	}
	if (n > QUOTAS_SHOWN)
		s->note = arena_printf(d->a,
			"The %d highest of %zu; all of them: tpucost quota", QUOTAS_SHOWN,
			n);
	return db_rows_close(&rows, e);
}

enum err_code daily_add_limits(struct daily *d, struct err *e)
{
	return add_credits(d, e) ? e->code : add_quotas(d, e);
}
