/* Command `reconcile`: observed TPUs compared with billed TPUs. */
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/say.h"
#include "db_sql.h"

#include <string.h>

#define NO_BILL                                                                   \
	"There is no billing data: no export was read and no file was imported; " \
	"see: tpucost doctor"

#define ONLY "verdict <> 'ok'"

#define COLUMNS                                                           \
	"day,project?,family,location,provisioning?,covered_chip_hours?," \
	"uncovered_chip_hours?,billed_chip_hours?,net,currency?,status,verdict"
/* Positions of some columns, the number of columns that are shown, and positions of columns that
 * only the sentences need. */
enum { DAY = 0, FAMILY = 2, LOCATION = 3, VERDICT = 11, SHOWN, WHY_TEXT = SHOWN, SKU };

static const struct query rows = {
	.view = "reconciliation",
	.columns = COLUMNS,
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

/* Without billing data, days are not final and not wrong: only --all has rows. */
static int without_bill(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *t = NULL;

	if (session_note(app, q->basis, e) ||
		(app->o.all && query_fetch(app, q, false, &t, e)))
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

/* Reads the rows with the columns for sentences. --limit applies to rows and to sentences, so all
 * are read. */
static enum err_code fetch_both(
	struct app *app, const struct query *q, struct doc_section **out, struct err *e)
{
	struct query both = *q;
	int64_t limit = app->o.limit;
	enum err_code rc;

	both.columns = COLUMNS ",why_text,sku";
	app->o.limit = -1;
	rc = query_fetch(app, &both, false, out, e);
	app->o.limit = limit;
	return rc;
}

static bool is_within(const struct app *app, size_t n)
{
	return app->o.limit < 0 || n < (size_t)app->o.limit;
}

/* The columns and the rows that are shown. */
static struct doc_section *shown_of(struct app *app, const struct doc_section *both)
{
	struct doc_section *t = arena_new(&app->arena, struct doc_section);

	*t = *both;
	t->n_columns = SHOWN;
	t->n = is_within(app, both->n) ? both->n : (size_t)app->o.limit;
	return t;
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

static void add_sentences(struct app *app, struct sbuf *b, const struct doc_section *both)
{
	size_t n = 0;

	for (size_t i = 0; i < both->n && is_within(app, n); i++) {
		const struct doc_cell *c = both->rows[i].cells;

		if (!strcmp(c[VERDICT].text, "ok") || !strcmp(c[VERDICT].text, "not-final"))
			continue;
		if (!n++)
			sbuf_addc(b, '\n');
		add_sentence(b, c);
	}
}

/* Prints the text form: the rows, then a sentence for each row that needs one. */
static int print_sentences(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *both, *t;
	const char *empty = q->empty;

	if (fetch_both(app, q, &both, e))
		return cmd_fail(e);
	t = shown_of(app, both);
	if (session_note(app, q->basis, e) || (!t->n && agreed(app, q, &empty, e)) ||
		query_empty(app, t, q->basis, empty, &empty, e))
		return cmd_fail(e);
	if (t->n)
		out_render(&b, t, OUT_TABLE, &style);
	else
		out_sentence(&b, empty, &style);
	add_sentences(app, &b, both);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_reconcile(struct app *app, struct err *e)
{
	struct query q = rows;
	bool bill = false;

	if (is_there_a_bill(app, &bill, e))
		return cmd_fail(e);
	q.only = app->o.all ? NULL : ONLY;
	q.empty = "No rows match.";
	if (query_for_people(app))
		return bill ? print_sentences(app, &q, e) : without_bill(app, &q, e);
	if (!bill && !app->o.quiet)
		say("note: %s", NO_BILL);
	return query_run(app, &q, e);
}
