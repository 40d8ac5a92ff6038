/* Explanations as text: sections, labels, and wrapped lines. */
#include "reports/why/explain.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"

#include <stdio.h>
#include <string.h>

#define MAX_LABEL 26
#define MIN_WIDTH 40

struct line {
	struct sbuf *b;
	size_t width, indent, column;
	const char *tail; /* at the end of continued lines: " \" in commands */
};

static void text_new_line(struct line *l)
{
	sbuf_adds(l->b, l->tail);
	sbuf_addc(l->b, '\n');
	sbuf_pad(l->b, ' ', l->indent);
	l->column = l->indent;
}

/* A word longer than the line is cut at the end of the line. */
static void text_add_word(struct line *l, const char *word, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		char one[8] = "";
		size_t w;

		utf8_next(word + i, &n);
		if (n > sizeof(one) - 1)
			n = sizeof(one) - 1;
		memcpy(one, word + i, n);
		w = utf8_width(one);
		if (l->column + w > l->width && !*l->tail)
			text_new_line(l);
		sbuf_add(l->b, word + i, n);
		l->column += w;
	}
}

static size_t width_of(const char *s, size_t n)
{
	struct sbuf b = SBUF_INIT;
	size_t w;

	sbuf_add(&b, s, n);
	w = utf8_width(b.s);
	sbuf_done(&b);
	return w;
}

/* Untrusted text, made safe and wrapped at blanks. */
static void add_wrapped(struct line *l, const char *text)
{
	struct sbuf safe = SBUF_INIT;
	size_t tail = strlen(l->tail);

	sbuf_add_term(&safe, text);
	for (const char *p = safe.s + strspn(safe.s, " "); *p;) {
		size_t n = strcspn(p, " "), w = width_of(p, n);

		if (l->column > l->indent && l->column + 1 + w + tail > l->width) {
			text_new_line(l);
		} else if (l->column > l->indent) {
			sbuf_addc(l->b, ' ');
			l->column++;
		}
		text_add_word(l, p, n);
		p += n;
		p += strspn(p, " ");
	}
	sbuf_done(&safe);
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

static void text_add_value(
	struct sbuf *b, const struct explaining *x, const struct explain_row *row)
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
	text_add_value(b, x, row);
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
	struct line l = {.b = b, .width = width, .indent = 2, .tail = ""};
	struct sbuf body = SBUF_INIT;

	sbuf_pad(b, ' ', 2);
	l.column = 2;
	add_wrapped(&l, row->label);
	l.indent = labels + 4;
	if (l.column > labels + 2)
		text_new_line(&l);
	sbuf_pad(b, ' ', l.indent - l.column);
	l.column = l.indent;
	add_body(&body, x, row);
	if (row->kind == EXPLAIN_COMMAND && !strpbrk(row->text, "'\""))
		l.tail = " \\";
	add_wrapped(&l, body.s);
	sbuf_addc(b, '\n');
	sbuf_done(&body);
}

void explain_text(const struct explaining *x, size_t width, struct sbuf *b)
{
	struct line title = {.b = b, .tail = ""};
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
