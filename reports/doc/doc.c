#include "reports/doc/doc.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct doc *doc_new(struct arena *a, const char *kind, const struct tz *tz, ts_t now)
{
	struct doc *d = arena_new(a, struct doc);

	*d = (struct doc){.arena = a, .kind = kind, .tz = tz, .now = now};
	return d;
}

struct doc_section *doc_table(
	struct arena *a, const struct doc_column *columns, size_t n_columns)
{
	struct doc_section *t = arena_new(a, struct doc_section);

	*t = (struct doc_section){.arena = a,
		.columns = columns,
		.n_columns = (int)n_columns,
		.chart = {.value = -1}};
	return t;
}

struct doc_section *doc_section(struct doc *d, const char *key, const char *title,
	const struct doc_column *columns, int n_columns)
{
	struct doc_section *s = doc_table(d->arena, columns, (size_t)n_columns);

	s->key = key;
	s->title = title;
	*arena_append(d->arena, d->sections, d->n, d->cap) = s;
	return s;
}

struct doc_row *doc_row(struct doc_section *s)
{
	*arena_append(s->arena, s->rows, s->n, s->cap) = (struct doc_row){
		.cells = arena_alloc(
			s->arena, (size_t)s->n_columns * sizeof(struct doc_cell))};
	return &s->rows[s->n - 1];
}

void doc_fact(struct doc *d, const char *key, const char *title, struct doc_cell cell)
{
	*arena_append(d->arena, d->facts, d->n_facts, d->cap_facts) = (struct doc_fact){
		.key = key, .title = title, .cell = cell};
}

void doc_note(struct doc *d, const char *fmt, ...)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_add_args(&b, fmt);
	*arena_append(d->arena, d->notes, d->n_notes, d->cap_notes) = arena_strdup(
		d->arena, b.s);
}

void doc_note_brief(struct doc *d, const char *text)
{
	doc_note(d, "%s", text);
	*arena_append(
		d->arena, d->brief, d->n_brief, d->cap_brief) = d->notes[d->n_notes - 1];
}

void doc_note_zone(struct doc *d)
{
	doc_note(d, "Times are in %s.", tz_name(d->tz));
	d->zone_said = true;
}

struct doc_section *doc_find(const struct doc *d, const char *key)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->sections[i]->key, key))
			return d->sections[i];
	return NULL;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static struct doc_cell words(enum doc_type type, const char *s)
{
	return s ? (struct doc_cell){.type = type, .text = s} : (struct doc_cell){0};
}

static struct doc_cell number(enum doc_type type, int64_t v)
{
	return (struct doc_cell){.type = type, .v = v};
}

static struct doc_cell amount(
	enum doc_type type, struct opt_i64 nanos, const char *currency)
{
	return nanos.set && currency
		? (struct doc_cell){.type = type, .v = nanos.v, .text = currency}
		: (struct doc_cell){0};
}

struct doc_cell cell_text(const char *s)
{
	return words(DOC_TEXT, s);
}

struct doc_cell cell_code(const char *s)
{
	return words(DOC_CODE, s);
}

struct doc_cell cell_int(int64_t v)
{
	return number(DOC_INT, v);
}

struct doc_cell cell_money(struct opt_i64 nanos, const char *currency)
{
	return amount(DOC_MONEY, nanos, currency);
}

struct doc_cell cell_rate(struct opt_i64 nanos, const char *currency)
{
	return amount(DOC_RATE, nanos, currency);
}

struct doc_cell cell_amount(struct opt_i64 nanos)
{
	return nanos.set ? number(DOC_MONEY, nanos.v) : (struct doc_cell){0};
}

struct doc_cell cell_decimal(struct opt_i64 nanos)
{
	return nanos.set ? number(DOC_DECIMAL, nanos.v) : (struct doc_cell){0};
}

struct doc_cell cell_percent(struct opt_i64 nanos)
{
	return nanos.set ? number(DOC_PERCENT, nanos.v) : (struct doc_cell){0};
}

struct doc_cell cell_time(ts_t t)
{
	return t == TS_NONE ? (struct doc_cell){0} : number(DOC_TIME, t);
}

struct doc_cell cell_duration(int64_t seconds)
{
	return number(DOC_DURATION, seconds);
}

struct doc_cell cell_flag(bool v)
{
	return number(DOC_FLAG, v);
}

struct doc_cell cell_estimate(struct doc_cell c)
{
	if (c.type != DOC_NONE)
		c.status = STATUS_ESTIMATE;
	return c;
}

struct doc_cell cell_partial(struct doc_cell c)
{
	if (c.type != DOC_NONE)
		c.status = STATUS_PARTIAL;
	return c;
}

struct doc_cell cell_toned(struct doc_cell c, enum doc_tone tone)
{
	c.tone = tone;
	return c;
}

/* ---- for reading ------------------------------------------------------------------------------- */

const char *doc_status_name(enum doc_status s)
{
	static const char *const names[] = {
		[STATUS_ESTIMATE] = "estimate", [STATUS_PARTIAL] = "partial"};

	return names[s];
}

const char *doc_status_mark(enum doc_status s)
{
	static const char *const marks[] = {
		[STATUS_NONE] = "", [STATUS_ESTIMATE] = "~", [STATUS_PARTIAL] = "*"};

	return marks[s];
}

bool doc_is_number(enum doc_type t)
{
	return t >= DOC_INT && t <= DOC_PERCENT;
}

bool doc_is_money(enum doc_type t)
{
	return t == DOC_MONEY || t == DOC_RATE;
}

void doc_time_text(const struct doc *d, ts_t t, struct sbuf *b)
{
	struct civil c = civil_from_ts(t + tz_offset(d->tz, t));

	sbuf_addf(b, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day, c.hour, c.minute);
}

static int digits_of(const struct doc_column *col, const struct doc_cell *c)
{
	if (col->digits >= 0)
		return col->digits;
	return c->text && doc_is_number(c->type)
		? money_digits(c->text, c->type == DOC_RATE)
		: 2;
}

void doc_cell_text(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *c, struct sbuf *b)
{
	char num[NANOS_BUF], age[DURATION_BUF];

	switch (c->type) {
	case DOC_NONE:
		sbuf_adds(b, doc_is_money(col->type) ? "unknown" : "-");
		return;
	case DOC_TEXT:
	case DOC_CODE:
		sbuf_adds(b, c->text);
		return;
	case DOC_INT:
		sbuf_addf(b, "%lld", (long long)c->v);
		break;
	case DOC_MONEY:
	case DOC_RATE:
		sbuf_addf(b, "%s %s%s", nanos_format_money(c->v, digits_of(col, c), num),
			c->text, c->type == DOC_RATE ? "/h" : "");
		break;
	case DOC_DECIMAL:
		sbuf_adds(b, nanos_format_fixed(c->v, digits_of(col, c), num));
		break;
	case DOC_PERCENT:
		sbuf_addf(b, "%s %%",
			nanos_format_fixed(c->v, col->digits > 0 ? col->digits : 0, num));
		break;
	case DOC_TIME:
		doc_time_text(d, c->v, b);
		break;
	case DOC_DURATION:
		sbuf_adds(b, duration_format(c->v, age));
		break;
	case DOC_FLAG:
		sbuf_adds(b, c->v ? "yes" : "no");
		break;
	case DOC_REAL:
		sbuf_addf(b, "%.1f", c->real);
		break;
	}
	sbuf_adds(b, doc_status_mark(c->status));
}

/* The shortest text that parses to the same number. */
static void add_real(struct sbuf *b, double v)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) >= v && strtod(text, NULL) <= v)
			break;
	}
	sbuf_adds(b, text);
}

void doc_cell_exact(const struct doc_cell *c, struct sbuf *b)
{
	char text[NANOS_BUF + RFC3339_BUF];

	switch (c->type) {
	case DOC_NONE:
		break;
	case DOC_TEXT:
	case DOC_CODE:
		sbuf_adds(b, c->text);
		break;
	case DOC_INT:
	case DOC_DURATION:
	case DOC_FLAG:
		sbuf_addf(b, "%lld", (long long)c->v);
		break;
	case DOC_MONEY:
	case DOC_RATE:
	case DOC_DECIMAL:
	case DOC_PERCENT:
		sbuf_adds(b, nanos_format(c->v, text));
		break;
	case DOC_TIME:
		sbuf_adds(b, rfc3339_format(c->v, text));
		break;
	case DOC_REAL:
		add_real(b, c->real);
		break;
	}
}

void doc_subject(const struct doc *d, struct sbuf *b)
{
	const char *subject = d->subject ? d->subject : d->title;
	size_t start = b->len;

	sbuf_add_term(b, subject && *subject ? subject : "tpucost");
	if (b->len - start <= DOC_SUBJECT_MAX)
		return;
	sbuf_trunc(b, start + utf8_fit(b->s + start, DOC_SUBJECT_MAX - 3));
	sbuf_adds(b, "...");
}

struct doc_rows doc_rows(const struct doc_section *s, size_t max)
{
	return (struct doc_rows){.s = s, .max = max};
}

const struct doc_row *doc_rows_next(struct doc_rows *r)
{
	while (r->next < r->s->n) {
		const struct doc_row *row = &r->s->rows[r->next++];

		if (row->folded)
			continue;
		if (row->total || row->only_line)
			return row;
		if (r->seen++ < r->max || !r->max)
			return row;
	}
	return NULL;
}

size_t doc_rows_shown(const struct doc_section *s, size_t max, size_t *left)
{
	struct doc_rows r = doc_rows(s, max);
	size_t n = 0;

	while (doc_rows_next(&r))
		n++;
	*left = max && r.seen > max ? r.seen - max : 0;
	return n;
}

bool doc_section_shown(const struct doc_section *s)
{
	size_t left;

	return s->title && (s->empty || s->chart.value >= 0 || doc_rows_shown(s, 0, &left));
}
