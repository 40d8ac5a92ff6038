#include "rules/judge/explain.h"

#include "base/sbuf.h"
#include "db/db.h"
#include "rules/judge/internal.h"

#include <ctype.h>
#include <string.h>

/* ---- parts of a condition ---------------------------------------------------------------------- */

struct reader {
	const char *p;
	int depth;    /* of parentheses and CASE ... END */
	bool between; /* the next AND belongs to it */
};

static bool condition_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *p)
{
	size_t n = 0;

	while (condition_in_word(p[n]))
		n++;
	return n;
}

static bool condition_is_word(const char *p, size_t n, const char *word)
{
	return n == strlen(word) && !strncasecmp(p, word, n);
}

static void skip_quoted(struct reader *r)
{
	char quote = *r->p++;

	while (*r->p && *r->p != quote)
		r->p++;
	if (*r->p)
		r->p++;
}

/* Is the word at the cursor an AND that joins two parts? Advances past it. */
static bool at_joint(struct reader *r)
{
	size_t n = word_length(r->p);
	const char *word = r->p;

	r->p += n;
	if (condition_is_word(word, n, "CASE"))
		r->depth++;
	else if (condition_is_word(word, n, "END"))
		r->depth--;
	else if (condition_is_word(word, n, "BETWEEN") && !r->depth)
		r->between = true;
	else if (condition_is_word(word, n, "AND") && !r->depth && r->between)
		r->between = false;
	else if (condition_is_word(word, n, "AND") && !r->depth)
		return true;
	return false;
}

static const char *trimmed(struct arena *a, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return arena_strndup(a, from, (size_t)(to - from));
}

const char **condition_parts(const char *where, struct arena *a, size_t *n)
{
	struct reader r = {.p = where};
	const char **parts = NULL, *from = where;
	size_t cap = 0;

	*n = 0;
	while (*r.p) {
		if (strchr("'\"`", *r.p)) {
			skip_quoted(&r);
		} else if (condition_in_word(*r.p)) {
			const char *word = r.p;

			/* OR binds less than AND: with one at the top level there are no separate
			 * parts. */
			if (!r.depth && condition_is_word(word, word_length(word), "OR")) {
				*n = 0;
				from = where;
				r.p += strlen(r.p);
			} else if (at_joint(&r)) {
				*arena_append(a, parts, *n, cap) = trimmed(a, from, word);
				from = r.p;
			}
		} else {
			r.depth += (*r.p == '(') - (*r.p == ')');
			r.p++;
		}
	}
	*arena_append(a, parts, *n, cap) = trimmed(a, from, r.p);
	return parts;
}

static enum err_code find_hits(
	struct judging *j, const struct rule *r, struct explanation *out, struct err *e)
{
	struct hits hits = {0};

	if (judge_hits(j, r, &hits, e))
		return e->code;
	out->hits = arena_alloc(j->arena, (hits.n + 1) * sizeof(*out->hits));
	out->n_hits = hits.n;
	for (size_t i = 0; i < hits.n; i++)
		out->hits[i] = (struct match){.subject = hits.v[i].subject,
			.summary = hits.v[i].summary,
			.fresh = hits.v[i].o.data == DATA_FRESH};
	return E_OK;
}

/* ---- near matches ------------------------------------------------------------------------------ */

static bool names_column(const char *text, const char *name)
{
	for (const char *p = text; *p;) {
		size_t len = word_length(p);

		if (len && condition_is_word(p, len, name) && (p == text || p[-1] != '.'))
			return true;
		p += len ? len : 1;
	}
	return false;
}

#define MAX_FIGURES 8

struct near_query {
	const struct rule *r;
	const char *lacks;
	struct template figures; /* "a = 1, b = 2" */
};

/* Columns of the view that the part names, once each. */
static void plan_figures(struct near_query *q, struct arena *a)
{
	const struct view *v = view_find(q->r->on);
	struct template *t = &q->figures;

	t->parts = arena_alloc(a, 2 * MAX_FIGURES * sizeof(*t->parts));
	for (const char *p = q->lacks; *p && t->n < 2 * MAX_FIGURES;) {
		size_t len = word_length(p);
		const struct column *col = len ? view_column(v, arena_strndup(a, p, len))
					       : NULL;

		for (size_t i = 1; i < t->n; i += 2)
			col = t->parts[i].col == col ? NULL : col;
		if (col) {
			t->parts[t->n].text = arena_printf(
				a, "%s%s = ", t->n ? ", " : "", col->name);
			t->parts[t->n + 1].col = col;
			t->n += 2;
		}
		p += len ? len : 1;
	}
}

/* Rows for which all parts hold except one. */
static void build_near(struct db *db, struct sbuf *b, const struct near_query *q,
	const char *const *parts, size_t n, size_t lacking)
{
	const struct subject *s = subject_of(view_find(q->r->on));

	sbuf_addf(b, "SELECT %s, (", s->key);
	subject_fresh(db, s, q->r->where, false, b);
	sbuf_addf(b, "), (%s) IS NULL", parts[lacking]);
	for (size_t i = 0; i < q->figures.n; i++)
		if (q->figures.parts[i].col)
			sbuf_addf(b, ", \"%s\"", q->figures.parts[i].col->name);
	if (view_column(view_find(q->r->on), "currency"))
		sbuf_adds(b, ", currency");
	sbuf_addf(b, " FROM %s WHERE (%s) IS NOT TRUE", q->r->on, parts[lacking]);
	for (size_t i = 0; i < n; i++)
		if (i != lacking)
			sbuf_addf(b, " AND (%s)", parts[i]);
	sbuf_addf(b, " LIMIT %d", EXPLAIN_NEAR);
}

static enum err_code read_near(struct arena *a, const struct near_query *q,
	struct db_cursor *c, struct explanation *out, struct err *e)
{
	bool row;

	while (!db_cursor_step(c, &row, e)) {
		struct match *m = &out->near[out->n_near];
		cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

		if (!row || out->n_near == EXPLAIN_NEAR)
			return E_OK;
		if (db_cursor_type(c, 0) == DB_NULL)
			continue;
		template_render(&q->figures, c, 3, &text);
		*m = (struct match){.subject = arena_strdup(a, db_cursor_text(c, 0)),
			.fresh = db_cursor_i64(c, 1) != 0,
			.unknown = db_cursor_i64(c, 2) != 0,
			.lacks = q->lacks,
			.figures = arena_strdup(a, text.s)};
		out->n_near++;
	}
	return e->code;
}

static enum err_code find_near(struct db *db, const struct rule *r, struct arena *a,
	struct explanation *out, struct err *e)
{
	size_t n;
	const char **parts = condition_parts(r->where, a, &n);

	out->near = arena_alloc(a, EXPLAIN_NEAR * sizeof(*out->near));
	for (size_t i = 0; n > 1 && i < n; i++) {
		struct near_query q = {.r = r, .lacks = parts[i]};
		cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
		struct db_cursor c;
		enum err_code rc;

		if (names_column(parts[i], "kind")) /* a snapshot is not nearly a bucket */
			continue;
		plan_figures(&q, a);
		build_near(db, &sql, &q, parts, n, i);
		if (db_cursor_open_rule(db, sql.s, false, &c, e))
			return e->code;
		rc = read_near(a, &q, &c, out, e);
		db_cursor_close(&c);
		if (rc)
			return rc;
	}
	return E_OK;
}

enum err_code rule_matches(struct db *db, const struct settings *s, const struct rule *r,
	struct arena *a, struct explanation *out, struct err *e)
{
	struct judging j = {.db = db, .s = s, .arena = a};

	*out = (struct explanation){0};
	return find_hits(&j, r, out, e);
}

enum err_code rule_explain(struct db *db, const struct rule *r, struct arena *a,
	struct explanation *out, struct err *e)
{
	struct judging j = {.db = db, .arena = a};

	*out = (struct explanation){0};
	if (find_hits(&j, r, out, e) || find_near(db, r, a, out, e))
		return err_wrap(e, "rule %s", r->name);
	return E_OK;
}
