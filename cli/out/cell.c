/* Cells of tables as text, totals per currency, and colours of rows. */
#include "base/money.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "cli/out/internal.h"

#include <string.h>

/* ---- cells ------------------------------------------------------------------------------------- */

const char *table_per(const struct doc_column *c)
{
	return str_ends(c->key, "per_hour")   ? "/h"
		: str_ends(c->key, "per_day") ? "/day"
					      : "";
}

static int table_digits(const struct doc_column *col, const char *currency)
{
	return currency ? money_digits(currency, str_ends(col->key, "per_hour")) : 2;
}

void table_cell(struct sbuf *b, const struct doc_column *col, const struct doc_cell *c,
	const char *currency)
{
	bool decimal = col->type == DOC_DECIMAL || col->type == DOC_PERCENT;
	char buf[NANOS_BUF + RFC3339_BUF];
	const char *text = c->text;

	if (c->type == DOC_TIME)
		text = rfc3339_format(c->v, buf);
	if (c->type == DOC_NONE)
		sbuf_addc(b, '-');
	else if (c->type == DOC_FLAG || (c->type == DOC_INT && col->type == DOC_FLAG))
		sbuf_adds(b, c->v ? "yes" : "no");
	else if (doc_is_money(c->type))
		sbuf_adds(b, nanos_format_money(c->v, table_digits(col, currency), buf));
	else if (doc_is_money(col->type) && c->type == DOC_REAL)
		sbuf_addf(b, "%.*f", table_digits(col, currency), c->real);
	else if (c->type == DOC_DECIMAL && col->digits < 0)
		sbuf_adds(b, nanos_format(c->v, buf));
	else if (decimal && c->type == DOC_DECIMAL)
		sbuf_adds(b, nanos_format_fixed(c->v, 1, buf));
	else if (decimal && c->type == DOC_REAL)
		sbuf_addf(b, "%.1f", c->real);
	else if (col->type == DOC_TIME && text && strlen(text) == 20)
		sbuf_addf(b, "%.10s %.5sZ", text, text + 11);
	else if (text)
		sbuf_add_term(b, text);
	else
		doc_cell_exact(c, b);
}

int table_column(const struct doc_section *t, const char *key)
{
	int c = 0;

	while (c < t->n_columns && strcmp(t->columns[c].key, key) != 0)
		c++;
	return c;
}

const char *table_currency(const struct doc_section *t, size_t row)
{
	int c = table_column(t, "currency");

	return c < t->n_columns ? t->rows[row].cells[c].text : NULL;
}

/* ---- totals ------------------------------------------------------------------------------------ */

static struct total *totals_find(
	struct totals *t, const char *currency, int n_columns, struct arena *a)
{
	struct total *new;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].currency, currency))
			return &t->v[i];
	if (t->n == MAX_TOTALS)
		return NULL;
	new = &t->v[t->n++];
	*new = (struct total){.currency = currency,
		.sums = arena_alloc(a, (size_t)n_columns * sizeof(*new->sums))};
	for (int c = 0; c < n_columns; c++)
		new->sums[c] = SOME(0);
	return new;
}

void table_totals(struct totals *out, const struct doc_section *t, struct arena *a)
{
	bool money = false;

	for (int c = 0; c < t->n_columns; c++)
		money = money || doc_is_money(t->columns[c].type);
	for (size_t r = 0; money && t->n > 1 && r < t->n; r++) {
		const char *currency = table_currency(t, r);
		struct total *sum = currency ? totals_find(out, currency, t->n_columns, a)
					     : NULL;

		for (int c = 0; sum && c < t->n_columns; c++) {
			const struct doc_cell *cell = &t->rows[r].cells[c];
			struct opt_i64 *to = &sum->sums[c];

			/* With an unknown amount there is no sum. */
			if (cell->type == DOC_NONE)
				to->set = false;
			else if (doc_is_money(cell->type))
				to->set = to->set && nanos_add(to->v, cell->v, &to->v);
		}
	}
}

const char *table_total(const struct doc_section *t, const struct total *sum, int c,
	bool first, struct arena *a)
{
	const struct doc_column *col = &t->columns[c];
	char buf[NANOS_BUF];

	if (doc_is_money(col->type))
		return sum->sums[c].set
			? arena_strdup(a,
				  nanos_format_money(sum->sums[c].v,
					  table_digits(col, sum->currency), buf))
			: "";
	if (!strcmp(col->key, "currency"))
		return sum->currency;
	return first ? "total" : "";
}

/* ---- colours ----------------------------------------------------------------------------------- */

#define SOON_DAYS 3
#define HIGH_PERCENT 80

static bool alarm_word(const struct doc_cell *c, const char *const *words)
{
	for (; c->type == DOC_TEXT && *words; words++)
		if (!strcmp(c->text, *words))
			return true;
	return false;
}

static enum doc_tone alarm_of(const char *key, const struct doc_cell *c)
{
	static const char *const bad[] = {
		"failed", "error", "dead", "refused", "denied", "critical", NULL};
	static const char *const soon[] = {
		"partial", "unclear", "warning", "stale", "preempted", NULL};
	double number = c->type == DOC_INT ? (double)c->v
		: c->type == DOC_REAL      ? c->real
					   : (double)c->v / NANOS;
	bool flag = c->type == DOC_FLAG || c->type == DOC_INT;

	if (!strcmp(key, "covered"))
		return !flag ? TONE_PLAIN : c->v ? TONE_GOOD : TONE_BAD;
	if (!strcmp(key, "stale"))
		return flag && c->v ? TONE_WARN : TONE_PLAIN;
	if (!strcmp(key, "state") || !strcmp(key, "severity"))
		return alarm_word(c, bad)     ? TONE_BAD
			: alarm_word(c, soon) ? TONE_WARN
					      : TONE_PLAIN;
	if (c->type != DOC_INT && c->type != DOC_DECIMAL && c->type != DOC_REAL)
		return TONE_PLAIN;
	if (!strcmp(key, "percent"))
		return number >= 100             ? TONE_BAD
			: number >= HIGH_PERCENT ? TONE_WARN
						 : TONE_PLAIN;
	return !strcmp(key, "days_left") && number <= SOON_DAYS ? TONE_WARN : TONE_PLAIN;
}

enum doc_tone out_tone(const struct doc_section *t, size_t row)
{
	int firing = table_column(t, "firing");
	enum doc_tone worst = TONE_PLAIN;

	/* The name of a rule for a problem is not a problem itself: its row has the colour of
	 * what it found. */
	if (firing < t->n_columns && !t->rows[row].cells[firing].v)
		return TONE_PLAIN;
	for (int c = 0; c < t->n_columns; c++) {
		enum doc_tone one = alarm_of(t->columns[c].key, &t->rows[row].cells[c]);

		worst = one > worst ? one : worst;
	}
	return worst;
}

const char *table_color(const struct doc_section *t, size_t row)
{
	static const char *const colors[] = {[TONE_PLAIN] = NULL,
		[TONE_GOOD] = OUT_GREEN,
		[TONE_WARN] = OUT_YELLOW,
		[TONE_BAD] = OUT_RED};

	return colors[out_tone(t, row)];
}
