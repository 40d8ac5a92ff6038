/* Command `hidden`: cost in addition to TPUs. */
#include "cli/out/out.h"
#include "cli/query.h"

#include "base/money.h"

#include <string.h>

const struct query query_hidden_costs = {
	.view = "hidden_costs",
	.columns = "name,type,covered,kind,part,relation?,certain?,gross_per_hour?,"
		   "gross_per_day,currency",
	.order = "project, name, gross_per_hour IS NULL, " BY_CURRENCY
		 "gross_per_hour DESC, part",
	.empty = "No resources of a TPU were found: nothing is attached to one or has "
		 "a similar name or label. Other resources may still cost money: "
		 "tpucost ps.",
	.basis = BASIS_INVENTORY,
	.no_totals = true, /* a disk that TPUs share is in the rows of each */
};

/* Columns of the sentences. */
enum { ID, NAME, TYPE, LOCATION, COVERED, PER_DAY, CURRENCY };

/* Cost of the resources of one TPU, as far as prices are known and in one currency. */
struct sum {
	const struct doc_cell *first;
	const char *currency;
	int64_t nanos;
	size_t n, unknown;
};

static void add(struct sum *s, const struct doc_cell *c)
{
	if (!s->n++)
		s->first = c;
	if (c[PER_DAY].type != DOC_MONEY || !c[CURRENCY].text ||
		(s->currency && strcmp(s->currency, c[CURRENCY].text) != 0) ||
		!nanos_add(s->nanos, c[PER_DAY].v, &s->nanos))
		s->unknown++;
	else
		s->currency = c[CURRENCY].text;
}

static void say_sum(struct arena *a, struct sbuf *out, const struct sum *s,
	const struct out_style *style)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const struct doc_cell *c = s->first;
	const char *type = c[TYPE].text ? c[TYPE].text : "TPU";
	bool covered = c[COVERED].type == DOC_FLAG && c[COVERED].v;

	sbuf_addf(&b, "your %s%s %s in %s", covered ? "free " : "", type, c[NAME].text,
		c[LOCATION].text);
	if (s->currency)
		sbuf_addf(&b, " costs %s a day%s", money_words(a, s->nanos, s->currency),
			covered ? "" : " in addition to its own price");
	else
		sbuf_adds(&b, " has resources that cost money");
	if (s->unknown)
		sbuf_addf(&b, "%s %zu of %zu resources with unknown price",
			s->currency ? ", and" : ":", s->unknown, s->n);
	out_sentence(out, b.s, style);
}

static void say_sums(
	struct sbuf *b, const struct doc_section *t, const struct out_style *style)
{
	struct sum s = {0};

	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *c = t->rows[i].cells;

		if (s.n && strcmp(s.first[ID].text, c[ID].text) != 0) {
			say_sum(t->arena, b, &s, style);
			s = (struct sum){0};
		}
		add(&s, c);
	}
	if (s.n)
		say_sum(t->arena, b, &s, style);
}

/* The same resources with their cost in the requested period. */
const struct query query_period_hidden = {
	.view = "period_hidden",
	.columns = "name,type?,kind,part,relation?,certain?,hours?,gross,currency",
	.order = "project, name, gross IS NULL, " BY_CURRENCY "gross DESC, part",
	.empty = "No cost is known in that period for the resources of the TPUs "
		 "that exist now.",
	.basis = BASIS_INVENTORY,
	.no_totals = true, /* for the reason above */
	.derived = true,
};

static int hidden_then(struct app *app, struct err *e)
{
	say("note: these are the resources of TPUs that exist now; those of "
	    "earlier TPUs are in: tpucost ps --since ...");
	return query_run(app, &query_period_hidden, e);
}

int cmd_hidden(struct app *app, struct err *e)
{
	struct query sentences = query_hidden_costs;
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *s;

	if (query_has_period(app))
		return hidden_then(app, e);
	if (!query_for_people(app))
		return query_run(app, &query_hidden_costs, e);
	if (query_add_table(app, &query_hidden_costs, &style, &b, &s, e))
		return cmd_fail(e);
	sentences.columns = "id,name,type,location,covered,gross_per_day,currency";
	sentences.order = "id, part";
	app->o.sort_by = NULL;
	app->o.limit = -1;
	if (query_fetch(app, &sentences, false, &s, e))
		return cmd_fail(e);
	if (s->n)
		sbuf_addc(&b, '\n');
	say_sums(&b, s, &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}
