/* SQL of a rule, and observations from its rows. */
#include "base/sbuf.h"
#include "db/db.h"
#include "rules/judge/internal.h"

#include <math.h>
#include <string.h>

/* Columns of the statement, in this order; those of the message follow. */
enum { COL_KEY, COL_FRESH, COL_STAGE, COL_VALUE, COL_CRITICAL, COL_BEGINS, COL_MESSAGE };

/* Of several resources of one name, a message names the project too. */
static const char *judge_rows_shown(const struct rule *r, const char *column)
{
	return !strcmp(r->on, "resources") && !strcmp(column, "name") ? "display_name"
								      : column;
}

static void judge_rows_build(struct db *db, struct sbuf *b, const struct rule *r,
	const struct subject *s, const struct template *t)
{
	sbuf_addf(b, "SELECT %s, (", s->key);
	subject_fresh(db, s, r->where, true, b);
	sbuf_addf(b, "), (%s), (%s), (%s), %s", r->stage ? r->stage : "0",
		r->value ? r->value : "NULL", r->critical_when ? r->critical_when : "0",
		s->begins ? s->begins : "0");
	for (size_t i = 0; i < t->n; i++)
		if (t->parts[i].col)
			sbuf_addf(
				b, ", \"%s\"", judge_rows_shown(r, t->parts[i].col->name));
	if (view_column(view_find(r->on), "currency"))
		sbuf_adds(b, ", currency");
	sbuf_addf(b, " FROM %s WHERE (%s)", r->on, r->where);
}

static bool is_true(const struct db_cursor *c, int i)
{
	switch (db_cursor_type(c, i)) {
	case DB_INT:
		return db_cursor_i64(c, i) != 0;
	case DB_REAL:
		return db_cursor_real(c, i) < 0 || db_cursor_real(c, i) > 0;
	default:
		return false;
	}
}

static const char *copy_text(struct judging *j, const struct db_cursor *c, int i)
{
	const char *text = db_cursor_type(c, i) == DB_NULL ? NULL : db_cursor_text(c, i);

	return arena_strdup(j->arena, text);
}

static enum err_code rows_check_number(
	const struct db_cursor *c, int i, const char *what, struct err *e)
{
	if (db_cursor_type(c, i) != DB_TEXT)
		return E_OK;
	return err_set(e, E_USAGE, "%s is '%.60s' (expected a number)", what,
		db_cursor_text(c, i));
}

/* Rounded down; 0 for NULL. */
static int64_t rows_stage(const struct db_cursor *c)
{
	double real;

	if (db_cursor_type(c, COL_STAGE) == DB_INT)
		return db_cursor_i64(c, COL_STAGE);
	if (db_cursor_type(c, COL_STAGE) != DB_REAL)
		return 0;
	real = floor(db_cursor_real(c, COL_STAGE));
	return real < -9e18 ? INT64_MIN : real > 9e18 ? INT64_MAX : (int64_t)real;
}

static enum err_code read_hit(struct judging *j, const struct rule *r,
	const struct template *t, const struct db_cursor *c, struct hit *h, struct err *e)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	if (rows_check_number(c, COL_STAGE, "stage", e) ||
		rows_check_number(c, COL_VALUE, "value", e))
		return e->code;
	h->subject = copy_text(j, c, COL_KEY);
	h->value = copy_text(j, c, COL_VALUE);
	h->o = (struct observation){.holds = true,
		.data = is_true(c, COL_FRESH) ? DATA_FRESH : DATA_STALE,
		.severity = is_true(c, COL_CRITICAL) ? SEVERITY_CRITICAL : r->severity,
		.unsure = db_cursor_type(c, COL_CRITICAL) == DB_NULL};
	h->o.stage = rows_stage(c);
	h->o.begins = db_cursor_i64(c, COL_BEGINS);
	template_render(t, c, COL_MESSAGE, &text);
	h->summary = text.len ? arena_strdup(j->arena, text.s) : h->subject;
	return E_OK;
}

static enum err_code read_hits(struct judging *j, const struct rule *r,
	const struct template *t, struct db_cursor *c, struct hits *out, struct err *e)
{
	bool row;

	while (!db_cursor_step(c, &row, e)) {
		if (!row)
			return E_OK;
		if (out->n == JUDGE_MAX_HITS) {
			err_set(e, E_LIMIT, "it matches more than %d rows", JUDGE_MAX_HITS);
			return err_fix(e, "make its condition narrower");
		}
		/* a row without a name has no subject */
		if (db_cursor_type(c, COL_KEY) != DB_NULL &&
			read_hit(j, r, t, c, arena_push(j->arena, out), e))
			return e->code;
	}
	return e->code;
}

enum err_code judge_hits(
	struct judging *j, const struct rule *r, struct hits *out, struct err *e)
{
	const struct view *v = view_find(r->on);
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct arena *all = j->arena, own = {0};
	struct template t = {0};
	struct db_cursor c;
	enum err_code rc;

	if (r->summary && template_parse(r->summary, v, j->arena, &t, e))
		return e->code;
	t.tz = j->s ? j->s->tz : NULL; /* when explaining, there are no settings */
	judge_rows_build(j->db, &sql, r, subject_of(v), &t);
	if (db_cursor_open_rule(j->db, sql.s, !r->at, &c, e))
		return e->code;
	j->arena = &own;
	rc = read_hits(j, r, &t, &c, out, e);
	j->arena = all;
	db_cursor_close(&c);
	if (rc == E_LIMIT) { /* only their number matters */
		out->v = NULL;
		arena_done(&own);
	}
	arena_join(all, &own);
	return rc;
}

enum err_code judge_subjects(struct db *db, const struct rule *r, struct arena *a,
	struct subjects *out, struct err *e)
{
	const char *key = subject_of(view_find(r->on))->key;
	struct db_cursor c;
	enum err_code rc;
	bool row;

	if (db_cursor_open_rule(
		    db, arena_printf(a, "SELECT %s FROM %s", key, r->on), true, &c, e))
		return e->code;
	while (!(rc = db_cursor_step(&c, &row, e)) && row)
		if (db_cursor_type(&c, 0) != DB_NULL)
			*arena_push(a, out) = arena_strdup(a, db_cursor_text(&c, 0));
	db_cursor_close(&c);
	return rc;
}

/* ---- alerts that did not hold ----------------------------------------------------------------- */

enum { MISSING_KEY, MISSING_FRESH, MISSING_NULL, MISSING_BEGINS, MISSING_WORSE };

/* Rows of the view that are subjects of open alerts. */
static enum err_code read_missing(struct judging *j, const struct rule *r, size_t first,
	size_t n, struct observation *o, bool *found, struct db_cursor *c, struct err *e)
{
	enum err_code rc;
	bool row;

	while (!(rc = db_cursor_step(c, &row, e)) && row) {
		size_t *at;

		if (db_cursor_type(c, MISSING_KEY) == DB_NULL)
			continue;
		at = strmap_get(&j->index,
			arena_printf(j->arena, "%s\n%s", r->name,
				db_cursor_text(c, MISSING_KEY)));
		if (!at || *at < first || *at >= first + n)
			continue;
		o[*at - first].data = !is_true(c, MISSING_FRESH) ? DATA_STALE
			: is_true(c, MISSING_NULL)               ? DATA_UNKNOWN
								 : DATA_FRESH;
		o[*at - first].begins = db_cursor_i64(c, MISSING_BEGINS);
		o[*at - first].worse = is_true(c, MISSING_WORSE);
		found[*at - first] = true;
	}
	return rc;
}

/* Does the expression hold, with its :subject, which may be NULL? */
static enum err_code does_hold(struct judging *j, const char *expression,
	const char *subject, bool *holds, struct err *e)
{
	struct db_cursor c;
	enum err_code rc;
	bool row = false;

	if (db_cursor_open_rule(
		    j->db, arena_printf(j->arena, "SELECT (%s)", expression), true, &c, e))
		return e->code;
	if (subject)
		db_cursor_bind(&c, ":subject", subject);
	rc = db_cursor_step(&c, &row, e);
	*holds = !rc && row && is_true(&c, 0);
	db_cursor_close(&c);
	return rc;
}

/* Subjects that are missing in the view but still exist. */
static enum err_code find_still(struct judging *j, const struct subject *s, size_t first,
	size_t n, struct observation *o, const bool *found, struct err *e)
{
	for (size_t i = 0; s->still && i < n; i++) {
		bool there;

		if (found[i] || o[i].data != DATA_FRESH)
			continue;
		if (does_hold(j, s->still, j->known[first + i].subject, &there, e))
			return e->code;
		if (there)
			o[i].data = DATA_UNKNOWN;
	}
	return E_OK;
}

enum err_code judge_missing(struct judging *j, const struct rule *r, size_t first, size_t n,
	struct observation *o, struct err *e)
{
	const struct subject *s = subject_of(view_find(r->on));
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor c;
	enum err_code rc;
	bool fresh = false, *found = arena_alloc(j->arena, n * sizeof(*found));

	/* Is the view as a whole fresh? Then a subject that is no longer in it is gone. */
	if (does_hold(j, s->whole ? s->whole : s->fresh, NULL, &fresh, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		o[i] = (struct observation){.data = fresh ? DATA_FRESH : DATA_STALE};
	sbuf_addf(&sql, "SELECT %s, (", s->key);
	subject_fresh(j->db, s, r->where, false, &sql);
	sbuf_addf(&sql, "), (%s) IS NULL, %s, (%s) FROM %s", r->where,
		s->begins ? s->begins : "0", r->worse_when ? r->worse_when : "0", r->on);
	if (db_cursor_open_rule(j->db, sql.s, !r->at, &c, e))
		return e->code;
	rc = read_missing(j, r, first, n, o, found, &c, e);
	db_cursor_close(&c);
	return rc ? rc : find_still(j, s, first, n, o, found, e);
}
