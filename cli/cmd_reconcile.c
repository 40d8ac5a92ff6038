/* TPUs as seen against TPUs as billed. */
#include "cli/out.h"
#include "cli/query.h"
#include "cli/say.h"
#include "db_sql.h"

#define NO_BILL                                                                       \
	"There is no bill at all: nothing of an export was read, and no file of one " \
	"was imported; see: tpucost doctor"

#define ONLY "verdict <> 'ok'"

static const struct query rows = {
	.view = "reconciliation",
	.columns = "day,project?,family,location,provisioning?,covered_chip_hours?,"
		   "uncovered_chip_hours?,billed_chip_hours?,net,currency?,status,verdict",
	.order = "day DESC, project, family, location, provisioning, currency",
	.basis = BASIS_BILLING,
};

static enum err_code is_there_a_bill(struct app *app, bool *out, struct err *e)
{
	struct q_bill_any row;
	bool found;

	if (q_bill_any_one(app->db, &app->arena, &row, &found, e))
		return e->code;
	*out = found && row.n;
	return E_OK;
}

/* Where there is no bill, no day is only not final: of that, --all alone has rows. */
static int without_bill(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct table t = {0};

	if (session_note(app, q->basis, e) ||
		(app->o.all && query_fetch(app, q, false, &t, e)))
		return cmd_fail(e);
	if (t.n_rows) {
		out_render(&b, &t, OUT_TABLE, &style);
		sbuf_addc(&b, '\n');
	}
	out_sentence(&b, NO_BILL, &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* That nothing was compared is not that all is well. */
static enum err_code agreed(
	struct app *app, const struct query *q, const char **out, struct err *e)
{
	struct query all = *q;
	struct table t;

	all.only = NULL;
	if (query_fetch(app, &all, false, &t, e))
		return e->code;
	*out = t.n_rows ? "The bill and the TPUs that were seen agree."
			: "No TPU was seen or billed in that time.";
	return E_OK;
}

/* For people: the rows, then a sentence for each that needs one. */
static int print_sentences(struct app *app, const struct query *q, struct err *e)
{
	struct query sentences = *q;
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct table t, s;
	const char *empty = q->empty;

	sentences.columns = "day,family,location,why_text,sku";
	sentences.only = "verdict NOT IN ('ok', 'not-final')";
	if (query_fetch(app, q, false, &t, e) || session_note(app, q->basis, e) ||
		(!t.n_rows && agreed(app, q, &empty, e)) ||
		query_empty(app, q->basis, empty, &empty, e) ||
		query_fetch(app, &sentences, false, &s, e))
		return cmd_fail(e);
	if (t.n_rows)
		out_render(&b, &t, OUT_TABLE, &style);
	else
		out_sentence(&b, empty, &style);
	for (size_t i = 0; i < s.n_rows; i++) {
		const struct cell *c = &s.cells[i * s.n_cols];

		sbuf_addf(&b, "%s%s %s %s: ", i ? "" : "\n", c[0].text,
			c[1].text ? c[1].text : "TPU", c[2].text ? c[2].text : "anywhere");
		sbuf_add_term(&b, c[3].text);
		if (c[4].text) {
			sbuf_adds(&b, " (SKU ");
			sbuf_add_term(&b, c[4].text);
			sbuf_addc(&b, ')');
		}
		sbuf_addc(&b, '\n');
	}
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_reconcile(struct app *app, struct err *e)
{
	struct query q = rows;
	enum out_format format;
	bool bill = false;

	if (out_format_parse(app->o.format, &format, e) || is_there_a_bill(app, &bill, e))
		return cmd_fail(e);
	q.only = app->o.all ? NULL : ONLY;
	q.empty = "No row matches.";
	if (format == OUT_TABLE && !app->o.columns)
		return bill ? print_sentences(app, &q, e) : without_bill(app, &q, e);
	if (!bill && !app->o.quiet)
		say("note: %s", NO_BILL);
	return query_run(app, &q, e);
}
