/* Command `reconcile`: observed TPUs compared with billed TPUs; estimated traffic of buckets with that billed. */
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/detail.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "db_sql.h"
#include "rules/bill/days.h"

#include <string.h>

#define NO_BILL                                                                   \
	"There is no billing data: no export was read and no file was imported; " \
	"see: tpucost doctor"

#define COLUMNS                                                                  \
	"day,project?,family,location,provisioning?,covered_chip_hours?,"        \
	"uncovered_chip_hours?,billed_chip_hours?,net,currency?,status,verdict," \
	"discounts?"
/* Positions of some columns, the number of columns that are shown, and positions of columns that
 * only the sentences need. */
enum { DAY = 0, FAMILY = 2, LOCATION = 3, VERDICT = 11, SHOWN = 13, WHY_TEXT = SHOWN, SKU };

const struct query query_reconciliation = {
	.view = "reconciliation",
	.columns = COLUMNS,
	.order = "day DESC, project, family, location, provisioning, currency",
	.empty = "No rows match.",
	.basis = BASIS_BILLING | BASIS_INVENTORY,
};

const struct query query_egress_reconciliation = {
	.view = "egress_reconciliation",
	.columns = "day,project?,bucket,what,gib?,operations??,estimated,estimated_low???,"
		   "estimated_high???,billed,difference,percent?,currency,status,verdict",
	.order = "day DESC, project, bucket, what DESC",
	.empty = "No traffic of buckets was estimated in that period.",
	.basis = BASIS_BILLING,
	.time = "day",
};

/* Without billing data, days are not final and not wrong: only --all has rows. */
static int without_bill(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *t = NULL;

	if (query_note(app, q, e) || (app->o.all && query_fetch(app, q, false, &t, e)))
		return cmd_fail(e);
	if (t && t->n) {
		out_render(&b, t, OUT_TABLE, &style);
		sbuf_addc(&b, '\n');
	}
	out_sentence(&b, NO_BILL, &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* If nothing was compared, the result is not that all is in order. */
static enum err_code agreed(
	struct app *app, const struct query *q, const char **out, struct err *e)
{
	struct query all = *q;
	struct doc_section *t;

	all.only = NULL;
	if (query_fetch(app, &all, false, &t, e))
		return e->code;
	*out = t->n ? "The bill and the observed TPUs agree."
		    : "No TPU was observed or billed in that period.";
	return E_OK;
}

static void add_sentence(struct sbuf *b, const struct doc_cell *c)
{
	sbuf_addf(b, "%s %s %s: ", c[DAY].text, c[FAMILY].text ? c[FAMILY].text : "TPU",
		c[LOCATION].text ? c[LOCATION].text : "anywhere");
	sbuf_add_term(b, c[WHY_TEXT].text);
	if (c[SKU].text) {
		sbuf_adds(b, " (SKU ");
		sbuf_add_term(b, c[SKU].text);
		sbuf_addc(b, ')');
	}
	sbuf_addc(b, '\n');
}

/* At most `limit` sentences. */
static void add_sentences(struct sbuf *b, const struct doc_section *both, size_t limit)
{
	size_t n = 0;

	for (size_t i = 0; i < both->n && n < limit; i++) {
		const struct doc_cell *c = both->rows[i].cells;

		if (!strcmp(c[VERDICT].text, "ok") || !strcmp(c[VERDICT].text, "not-final"))
			continue;
		if (!n++)
			sbuf_addc(b, '\n');
		add_sentence(b, c);
	}
}

/* Prints the text form: the rows, then a sentence for each row that needs one. --limit applies to rows
 * and to sentences, so all are read. */
static int print_sentences(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const size_t limit = app->o.limit < 0 ? SIZE_MAX : (size_t)app->o.limit;
	const int64_t given = app->o.limit;
	struct query with_words = *q;
	struct doc_section *both, shown;
	const char *empty;
	enum err_code rc;

	with_words.columns = COLUMNS ",why_text,sku";
	app->o.limit = -1;
	rc = query_fetch(app, &with_words, false, &both, e);
	app->o.limit = given;
	if (rc)
		return cmd_fail(e);
	shown = *both;
	shown.n_columns = SHOWN;
	shown.n = both->n < limit ? both->n : limit;
	if (query_note(app, q, e) || (!shown.n && agreed(app, q, &with_words.empty, e)) ||
		query_empty(app, &shown, &with_words, &empty, e))
		return cmd_fail(e);
	if (shown.n)
		out_render(&b, &shown, OUT_TABLE, &style);
	else
		out_sentence(&b, empty, &style);
	add_sentences(&b, both, limit);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* Buckets on the bill are asked of BigQuery where only sums of days are kept; if it does not know them, the traffic of
 * each project is compared. */
static enum err_code reconcile_buckets(struct app *app, struct err *e)
{
	const struct tz *tz = app->cfg->tz;
	struct billing_question q = {.time = ASK_DAY,
		.resource = true,
		.until = tz_day_start(tz, tz_day(tz, app->now) + 3)};
	struct q_egress_first first;
	const char *unanswered;
	day_t day;
	bool found;

	if (q_egress_first_one(app->db, &app->arena, &first, &found, e))
		return e->code;
	if (!found || !first.day)
		return E_OK;
	if (date_parse(first.day, &day, e))
		return e->code;
	q.from = tz_day_start(tz, day);
	unanswered = detail_try(app, &q, 0, "tpucost reconcile --what egress");
	if (app->needs_net || (!app->db && session_open(app, e)))
		return e->code;
	if (unanswered)
		say("note: the traffic of each project is compared, not that of each "
		    "bucket: "
		    "%s",
			unanswered);
	return unanswered ? E_OK : db_answer_show(app->db, &q, tz, &found, e);
}

static int reconcile_egress(struct app *app, struct err *e)
{
	if (reconcile_buckets(app, e))
		return cmd_fail(e);
	return app->needs_net ? EXIT_FAILED
			      : query_run(app, &query_egress_reconciliation, e);
}

int cmd_reconcile(struct app *app, struct err *e)
{
	bool egress = str_eq(app->o.what, "egress");
	struct query q = egress ? query_egress_reconciliation : query_reconciliation;
	struct q_usage_next_in any = {.from = INT64_MIN};
	struct q_usage_next row;
	bool bill;

	if (app->o.what && !egress && strcmp(app->o.what, "tpu") != 0)
		return cmd_refuse(e, "use tpu or egress", "--what: '%s'", app->o.what);
	if (q_usage_next_one(app->db, &any, &app->arena, &row, &bill, e))
		return cmd_fail(e);
	bill = bill && row.hour.set;
	q.only = app->o.all || egress ? NULL : "verdict <> 'ok'";
	if (query_for_people(app) && !egress)
		return bill ? print_sentences(app, &q, e) : without_bill(app, &q, e);
	if (!bill)
		say("note: %s", NO_BILL);
	return egress ? reconcile_egress(app, e) : query_run(app, &q, e);
}
