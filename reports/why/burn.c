/* What runs now, per hour: by category, and by the things that burn most. */
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/internal.h"

#include <string.h>

enum err_code explain_burn_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	(void)e;
	explain_name(x, out, "burn");
	return E_OK;
}

/* "8.8 USD/h gross" beside what is left of it */
static struct explain_row *add_rate(struct explaining *x, const char *label, int64_t gross,
	int64_t net, const char *currency)
{
	struct explain_row *row = explain_rate(x, label, SOME(net), currency);

	row->formula = gross == net ? "gross"
				    : arena_printf(x->a, "%s/h gross, grants pay the rest",
					      explain_money(x, gross, currency));
	return row;
}

static enum err_code totals(struct explaining *x, struct err *e)
{
	struct q_report_burn q;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "Net per hour, now");
	if (q_report_burn_open(x->db, &rows, e))
		return e->code;
	while (q_report_burn_next(&rows, &q)) {
		add_rate(x, "together", q.gross, q.net, q.currency);
		n++;
	}
	if (!n)
		explain_say(x, "together", "nothing runs whose price is known");
	return db_rows_close(&rows, e);
}

static enum err_code categories(struct explaining *x, struct err *e)
{
	struct q_report_categories q;
	struct db_rows rows;

	explain_section(x, "By category");
	if (q_report_categories_open(x->db, &rows, e))
		return e->code;
	while (q_report_categories_next(&rows, &q))
		add_rate(x, q.category, q.gross, q.net, q.currency);
	return db_rows_close(&rows, e);
}

static enum err_code things(struct explaining *x, struct err *e)
{
	struct q_explain_burn_parts q;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "By thing");
	if (q_explain_burn_parts_open(x->db, &rows, e))
		return e->code;
	while (q_explain_burn_parts_next(&rows, &q)) {
		if (++n > EXPLAIN_SHOWN)
			continue;
		add_rate(x, arena_printf(x->a, "%s (%s)", q.id, q.category), q.gross, q.net,
			q.currency)
			->source = arena_strdup(x->a, q.price_source);
	}
	explain_more(x, n, "tpucost ps");
	return db_rows_close(&rows, e);
}

static enum err_code unknown(struct explaining *x, struct err *e)
{
	struct q_explain_burn_unknown q;
	struct db_rows rows;
	size_t n = 0;

	if (q_explain_burn_unknown_open(x->db, &rows, e))
		return e->code;
	while (q_explain_burn_unknown_next(&rows, &q)) {
		if (!n)
			explain_section(x, "Not in the sum: no price is known");
		if (++n <= EXPLAIN_SHOWN)
			explain_rate(x, arena_printf(x->a, "%s (%s)", q.id, q.category),
				NONE, NULL);
	}
	explain_more(x, n, "tpucost ps");
	return db_rows_close(&rows, e);
}

enum err_code explain_burn(struct explaining *x, const char *key, struct err *e)
{
	(void)key;
	x->title = "burn: list price of what runs now, net of what grants cover";
	if (totals(x, e) || categories(x, e) || things(x, e) || unknown(x, e))
		return e->code;
	return explain_inventory_age(x, e);
}
