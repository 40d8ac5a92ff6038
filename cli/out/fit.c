/* Layout of tables in the width of a terminal. Numbers, times, places and names are never cut: a part of one looks like
 * another one. Where nothing more can be dropped, long names are broken into lines. */
#include "base/str.h"
#include "cli/out/internal.h"
#include "reports/doc/wrap.h"

#include <limits.h>
#include <string.h>

#define GAP 2
#define ENOUGH 14 /* columns of a text, while other columns can be dropped */
#define LEAST 10  /* columns of a text, when none can be dropped */
#define PLACE_MOST 30
#define NAME_LEAST 20 /* columns of a name that is broken */

/* ---- headings ---------------------------------------------------------------------------------- */

/* Length of the first line of `name` in `width` columns: broken at an underscore, never inside a
 * word. */
static size_t head_take(const char *name, size_t width)
{
	size_t n = strcspn(name, "_");

	while (name[n]) {
		size_t next = n + 1 + strcspn(name + n + 1, "_");

		if (next > width)
			break;
		n = next;
	}
	return n;
}

static size_t head_count(const char *name, size_t width)
{
	size_t lines = 1;

	for (;;) {
		name += head_take(name, width);
		if (!*name)
			return lines;
		name++;
		lines++;
	}
}

/* Length of the longest word of a name: headings are not narrower. */
static size_t longest_word(const char *name)
{
	size_t most = 0;

	for (const char *p = name;;) {
		size_t n = strcspn(p, "_");

		if (n > most)
			most = n;
		if (!p[n])
			return most;
		p += n + 1;
	}
}

const char *fit_head(const struct layout *l, int c, size_t line)
{
	const char *p = l->heads[c];
	size_t lines;

	if (l->head_lines == 1)
		return p;
	lines = head_count(p, l->widths[c]);
	if (line + lines < l->head_lines)
		return "";
	for (size_t i = l->head_lines - lines; i < line; i++)
		p += head_take(p, l->widths[c]) + 1;
	return arena_strndup(l->a, p, head_take(p, l->widths[c]));
}

const char *fit_unit(const struct layout *l, int c)
{
	const struct doc_column *col = &l->t->columns[c];

	return doc_is_money(col->type) && l->units
		? arena_printf(l->a, "%s%s", l->units, table_per(col))
		: "";
}

/* Gives the remaining width to the highest heading, as long as that makes it lower. */
static void head_spend(struct layout *l, size_t room)
{
	for (;;) {
		size_t lines = 0, w;
		int worst = 0;

		for (size_t i = 0; i < l->n_cols; i++) {
			int c = l->cols[i];

			if (head_count(l->heads[c], l->widths[c]) > lines) {
				worst = c;
				lines = head_count(l->heads[c], l->widths[c]);
			}
		}
		if (lines < 2)
			return;
		w = l->widths[worst] + 1;
		while (head_count(l->heads[worst], w) == lines)
			w++;
		if (w - l->widths[worst] > room)
			return;
		room -= w - l->widths[worst];
		l->widths[worst] = w;
	}
}

/* Measures the height of the headings at the current widths. */
static void head_measure(struct layout *l, bool broken)
{
	l->head_lines = 1;
	for (size_t i = 0; broken && i < l->n_cols; i++) {
		size_t lines = head_count(l->heads[l->cols[i]], l->widths[l->cols[i]]);

		if (lines > l->head_lines)
			l->head_lines = lines;
	}
}

/* ---- widths ------------------------------------------------------------------------------------ */

static void widen(struct layout *l, int c, const char *text)
{
	size_t w = utf8_width(text);

	if (l->widths[c] < w)
		l->widths[c] = w;
}

static void lay_out_cells(struct layout *l, int c)
{
	const struct doc_section *t = l->t;
	const struct doc_column *col = &t->columns[c];
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t r = 0; r < t->n; r++) {
		const struct doc_cell *cell = &t->rows[r].cells[c];
		const char *currency = table_currency(t, r);
		const char **text = &l->texts[r * (size_t)t->n_columns + (size_t)c];

		sbuf_reset(&b);
		table_cell(&b, col, cell, currency);
		if (currency && l->beside && doc_is_money(col->type) &&
			cell->type != DOC_NONE)
			sbuf_addf(&b, " %s", currency);
		*text = arena_strdup(l->a, b.s);
		widen(l, c, *text);
	}
}

const char *fit_total(const struct layout *l, const struct total *sum, int c)
{
	const char *text = table_total(l->t, sum, c, c == l->cols[0], l->a);

	return *text && l->beside && doc_is_money(l->t->columns[c].type)
		? arena_printf(l->a, "%s %s", text, sum->currency)
		: text;
}

static void lay_out(struct layout *l, bool broken)
{
	for (size_t i = 0; i < l->n_cols; i++) {
		int c = l->cols[i];

		l->widths[c] = 0;
		lay_out_cells(l, c);
		l->natural[c] = l->widths[c];
		if (!broken)
			widen(l, c, l->heads[c]);
		else if (l->widths[c] < longest_word(l->heads[c]))
			l->widths[c] = longest_word(l->heads[c]);
		widen(l, c, fit_unit(l, c));
		/* Totals can be wider than any single row. */
		for (size_t k = 0; k < l->totals->n; k++)
			widen(l, c, fit_total(l, &l->totals->v[k], c));
	}
}

static bool is_place(const char *key)
{
	return !strcmp(key, "location") || str_ends(key, "zone") || str_ends(key, "region");
}

static bool is_name(const char *key)
{
	return !strcmp(key, "name") || str_ends(key, "_name") || !strcmp(key, "project") ||
		!strcmp(key, "source") || !strcmp(key, "type");
}

static bool can_be_cut(const struct layout *l, int c)
{
	const struct doc_column *col = &l->t->columns[c];

	if (is_place(col->key) && l->natural[c] <= PLACE_MOST)
		return false;
	if (is_name(col->key)) /* it is typed into the next command */
		return false;
	return !doc_is_number(col->type) && col->type != DOC_TIME && col->type != DOC_FLAG;
}

/* Narrows the widest texts, or names, until the line fits, none below `least`. Returns the width that
 * remains. */
static size_t shrink(struct layout *l, size_t width, size_t least, bool names)
{
	for (;;) {
		size_t sum = 0;
		int widest = -1;

		for (size_t i = 0; i < l->n_cols; i++) {
			int c = l->cols[i];

			sum += l->widths[c] + (i ? GAP : 0);
			if ((names ? is_name(l->t->columns[c].key) : can_be_cut(l, c)) &&
				l->widths[c] > least &&
				l->widths[c] > longest_word(l->heads[c]) &&
				(widest < 0 || l->widths[c] > l->widths[widest]))
				widest = c;
		}
		if (sum <= width || widest < 0)
			return sum;
		l->widths[widest] -= 1;
	}
}

/* ---- dropping columns -------------------------------------------------------------------------- */

static struct sbuf left_out; /* of all tables since the last message */

struct sbuf fit_left_take(void)
{
	struct sbuf b = left_out;

	left_out = (struct sbuf)SBUF_INIT;
	return b;
}

/* Notes each name once for several tables. A currency that is shown with its amounts is not
 * noted. */
static void leave(const struct out_style *style, const char *name)
{
	struct sbuf *b = style->left_out ? style->left_out : &left_out;

	if (strcmp(name, "currency") != 0 && !(b->len && str_in_list(name, b->s)))
		sbuf_addf(b, "%s%s", b->len ? ", " : "", name);
}

/* Index in l->cols of the last column with the lowest rank up to `most`; n_cols: there is none. */
static size_t next_ranked(const struct layout *l, int most)
{
	const struct doc_column *columns = l->t->columns;
	size_t found = l->n_cols;

	for (size_t i = l->n_cols; l->t->droppable && i-- > 0;) {
		int rank = columns[l->cols[i]].rank;

		if (rank && rank <= most &&
			(found == l->n_cols || rank < columns[l->cols[found]].rank))
			found = i;
	}
	return found;
}

/* Index of the column of the currency; n_cols: it is not shown, or is required. */
static size_t next_currency(const struct layout *l)
{
	size_t i = 0;

	while (i < l->n_cols && strcmp(l->t->columns[l->cols[i]].key, "currency") != 0)
		i++;
	return i;
}

/* Index of the next column to drop: the currency if the headings contain it, else the last one
 * that may be dropped first. Where rows would become blocks (`last`), currencies are shown with
 * the amounts, and then the remaining columns are dropped. */
static size_t next_to_drop(struct layout *l, bool last)
{
	size_t currency = next_currency(l), gone;

	if (!last)
		return l->units && l->t->droppable && currency < l->n_cols
			? currency
			: next_ranked(l, 1);
	gone = next_ranked(l, INT_MAX);
	if (gone == l->n_cols || l->beside || currency == l->n_cols)
		return gone;
	l->beside = true;
	return currency;
}

/* The currency, if an amount has one and all have the same; else NULL. */
static const char *only_currency(const struct doc_section *t)
{
	const char *one = NULL;

	for (size_t r = 0; r < t->n; r++) {
		const char *currency = table_currency(t, r);
		bool amount = false;

		for (int c = 0; c < t->n_columns; c++)
			amount = amount ||
				(doc_is_money(t->columns[c].type) &&
					t->rows[r].cells[c].type != DOC_NONE);
		if (!currency && !amount)
			continue;
		if (!currency || (one && strcmp(one, currency) != 0))
			return NULL;
		one = currency;
	}
	return one;
}

static void begin(struct layout *l)
{
	size_t n = (size_t)l->t->n_columns + 1;

	l->n_cols = n - 1;
	l->cols = arena_alloc(l->a, n * sizeof(*l->cols));
	l->heads = arena_alloc(l->a, n * sizeof(*l->heads));
	l->texts = arena_alloc(l->a, (l->t->n + 1) * n * sizeof(*l->texts));
	l->widths = arena_alloc(l->a, n * sizeof(*l->widths));
	l->natural = arena_alloc(l->a, n * sizeof(*l->natural));
	for (int c = 0; c < l->t->n_columns; c++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sbuf_add_term(&b, l->t->columns[c].key);
		l->heads[c] = arena_strdup(l->a, b.s);
		l->cols[c] = c;
	}
}

bool fit_table(struct layout *l, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style, struct arena *a)
{
	size_t width = (size_t)style->width, gone, used, n = 0;
	const char **left = arena_alloc(a, ((size_t)t->n_columns + 1) * sizeof(*left));
	bool broken = false;

	*l = (struct layout){.t = t,
		.totals = totals,
		.a = a,
		.units = width ? only_currency(t) : NULL,
		.ascii = style->ascii};
	begin(l);
	for (;; broken = true) {
		lay_out(l, broken);
		used = width ? shrink(l, width, ENOUGH, false) : 0;
		if (used <= width)
			break;
		if (!broken)
			continue;
		gone = next_to_drop(l, false);
		if (gone == l->n_cols) {
			used = shrink(l, width, LEAST, false);
			if (used <= width)
				break;
			gone = next_to_drop(l, true);
			if (gone == l->n_cols) {
				used = shrink(l, width, NAME_LEAST, true);
				if (used > width)
					return false;
				break;
			}
		}
		left[n++] = t->columns[l->cols[gone]].key;
		l->n_cols--;
		memmove(l->cols + gone, l->cols + gone + 1,
			(l->n_cols - gone) * sizeof(*l->cols));
	}
	for (size_t i = 0; i < n; i++)
		leave(style, left[i]);
	if (broken)
		head_spend(l, width - used);
	head_measure(l, broken);
	return true;
}

/* ---- cells in their width ---------------------------------------------------------------------- */

/* Tests for an id or another path, such as that of a resource or metric. */
static bool is_id(const struct doc_column *c, const char *text)
{
	return !strcmp(c->key, "id") || !strcmp(c->key, "resource") ||
		(strchr(text, '/') && !strchr(text, ' '));
}

/* The end of `s` that is at most `width` columns wide. */
static const char *tail_of(const char *s, size_t width)
{
	size_t n;

	while (utf8_width(s) > width) {
		utf8_next(s, &n);
		s += n;
	}
	return s;
}

/* Cuts the text. Ids are cut in the middle; sentences are read from their beginning. */
static void add_cut(
	struct sbuf *b, const struct layout *l, int c, const char *s, size_t width)
{
	const struct doc_column *col = &l->t->columns[c];
	const char *dots = l->ascii ? ".." : "…";
	size_t room = width - utf8_width(dots), head = room;
	cleanup(sbuf_done) struct sbuf cut = SBUF_INIT;

	if (is_id(col, s))
		head = room / 2;
	sbuf_add(&cut, s, wrap_fit(s, head));
	sbuf_adds(&cut, dots);
	if (head < room)
		sbuf_adds(&cut, tail_of(s, room - head));
	sbuf_adds(b, cut.s);
	sbuf_pad(b, ' ', width - utf8_width(cut.s));
}

const char *fit_part(const struct layout *l, int c, const char **text)
{
	const char *s = *text;
	size_t n = strlen(s), at;

	if (is_name(l->t->columns[c].key) && utf8_width(s) > l->widths[c]) {
		n = wrap_fit(s, l->widths[c]);
		for (at = n; at && !strchr("-_./ ", s[at - 1]);)
			at--;
		if (at > n / 2)
			n = at;
	}
	*text += n;
	return arena_strndup(l->a, s, n);
}

void fit_field(struct sbuf *b, const struct layout *l, int c, const char *text, bool last)
{
	size_t w = utf8_width(text), room = l->widths[c];

	if (w > room) {
		add_cut(b, l, c, text, room);
	} else if (doc_is_number(l->t->columns[c].type)) {
		sbuf_pad(b, ' ', room - w);
		sbuf_adds(b, text);
	} else {
		sbuf_adds(b, text);
		if (!last)
			sbuf_pad(b, ' ', room - w);
	}
}
