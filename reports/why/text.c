/* Explanations as text: sections, labels, and wrapped lines. */
#include "reports/why/explain.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "reports/doc/wrap.h"
#include "base/time/tz.h"

#include <string.h>

#define MAX_LABEL 26
#define MIN_WIDTH 40

/* Untrusted text, made visible. */
static void add_wrapped(struct wrap *w, const char *text)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;

	sbuf_add_term(&safe, text);
	wrap_text(w, safe.s);
}

static void text_add_time(struct sbuf *b, const struct explaining *x, ts_t at)
{
	char gap[DURATION_BUF];
	ts_t now = x->now;

	sbuf_adds(b, explain_time(x, at));
	if (at <= now)
		sbuf_addf(b, " (%s ago)", duration_format(now - at, gap));
	else
		sbuf_addf(b, " (in %s)", duration_format(at - now, gap));
}

void explain_value(
	const struct explaining *x, const struct explain_row *row, struct sbuf *b)
{
	char num[NANOS_BUF];

	switch (row->kind) {
	case EXPLAIN_UNKNOWN:
		sbuf_adds(b, "unknown");
		return;
	case EXPLAIN_TEXT:
	case EXPLAIN_COMMAND:
		sbuf_adds(b, row->text);
		break;
	case EXPLAIN_NANOS:
		sbuf_adds(b, nanos_format(row->nanos, num));
		break;
	case EXPLAIN_TIME:
		text_add_time(b, x, row->at);
		break;
	}
	if (row->unit)
		sbuf_addf(b, " %s", row->unit);
}

/* "96 vCPU x 0.03 USD = 3.03 USD/h [builtin; 2m old]" */
static void add_body(
	struct sbuf *b, const struct explaining *x, const struct explain_row *row)
{
	char age[DURATION_BUF];

	if (row->formula)
		sbuf_addf(b, "%s = ", row->formula);
	explain_value(x, row, b);
	if (!row->source && !row->age.set)
		return;
	sbuf_addf(b, " [%s", row->source ? row->source : "");
	if (row->age.set)
		sbuf_addf(b, "%s%s old", row->source ? "; " : "",
			duration_format(row->age.v, age));
	sbuf_addc(b, ']');
}

static size_t label_width(const struct explaining *x, size_t from)
{
	size_t widest = 0;

	for (size_t i = from; i < x->n_rows && x->rows[i].section == x->rows[from].section;
		i++) {
		size_t w = utf8_width(x->rows[i].label);

		if (w > widest && w <= MAX_LABEL)
			widest = w;
	}
	return widest;
}

static void text_add_row(const struct explaining *x, const struct explain_row *row,
	size_t labels, size_t width, struct sbuf *b)
{
	struct wrap w = {.b = b, .width = width, .indent = 2, .column = 2};
	cleanup(sbuf_done) struct sbuf body = SBUF_INIT;

	sbuf_pad(b, ' ', 2);
	add_wrapped(&w, row->label);
	w.indent = labels + 4;
	if (w.column > labels + 2)
		wrap_line(&w);
	sbuf_pad(b, ' ', w.indent - w.column);
	w.column = w.indent;
	w.begun = false;
	add_body(&body, x, row);
	if (row->kind == EXPLAIN_COMMAND && !strpbrk(row->text, "'\""))
		w.tail = " \\";
	add_wrapped(&w, body.s);
	sbuf_addc(b, '\n');
}

void explain_text(const struct explaining *x, size_t width, struct sbuf *b)
{
	struct wrap title = {.b = b};
	size_t labels = 0;

	if (width < MIN_WIDTH)
		width = MIN_WIDTH;
	title.width = width;
	add_wrapped(&title, x->title);
	sbuf_addc(b, '\n');
	for (size_t i = 0; i < x->n_rows; i++) {
		const struct explain_row *row = &x->rows[i];

		if (!i || row->section != x->rows[i - 1].section) {
			labels = label_width(x, i);
			sbuf_addf(b, "\n%s\n", row->section);
		}
		text_add_row(x, row, labels, width, b);
	}
	if (x->people)
		sbuf_addf(b, "\nTimes are in %s.\n", tz_name(x->settings->tz));
}
