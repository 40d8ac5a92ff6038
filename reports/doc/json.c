/* Documents as JSON data. docs/reports.md describes each member, docs/report.schema.json describes
 * them for programs: keep all three consistent. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/strmap.h"
#include "reports/doc/formats.h"

#include <string.h>

/* Members of a column in the objects of its section. */
struct member {
	const char *key, *currency,
		*status; /* currency NULL: the column "currency" has it */
};

struct plan {
	const struct doc_section *s;
	const char *key;
	struct member *columns;
	int currency; /* index of the column with that name, or -1 */
	const char *detail, *command, *total;
	size_t left; /* rows that did not fit */
};

struct json {
	const struct doc *d;
	struct jw w;
	struct plan *plans; /* one for each section */
	struct strmap seen; /* members of the top object */
};

/* Names of members are unique in an object: a repeated name gets a number. */
static const char *unique(struct arena *a, struct strmap *seen, const char *key)
{
	const char *name = key;

	for (size_t i = 2; !strmap_put(seen, name, i); i++)
		name = arena_printf(a, "%s_%zu", key, i);
	return name;
}

static int currency_column(const struct doc_section *s)
{
	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, "currency") &&
			s->columns[i].type == DOC_TEXT)
			return i;
	return -1;
}

static void plan_section(struct json *j, struct plan *p, const struct doc_section *s)
{
	struct arena *a = j->d->arena;
	struct strmap seen = {0};

	p->s = s;
	p->key = unique(a, &j->seen, s->key);
	p->currency = currency_column(s);
	p->columns = arena_alloc(a, (size_t)s->n_columns * sizeof(*p->columns));
	for (int i = 0; i < s->n_columns; i++)
		p->columns[i].key = unique(a, &seen, s->columns[i].key);
	for (int i = 0; i < s->n_columns; i++) {
		const char *key = p->columns[i].key;

		p->columns[i].currency = unique(
			a, &seen, arena_printf(a, "%s_currency", key));
		p->columns[i].status = unique(a, &seen, arena_printf(a, "%s_status", key));
	}
	p->detail = unique(a, &seen, "detail");
	p->command = unique(a, &seen, "command");
	p->total = unique(a, &seen, "total");
	strmap_done(&seen);
}

/* A value with every digit. A flag is 1 or 0. */
static void add_plain(struct sbuf *b, const struct doc_cell *c)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	doc_cell_exact(c, &text);
	if (c->type == DOC_TEXT || c->type == DOC_CODE || c->type == DOC_TIME)
		sbuf_add_json(b, text.s);
	else
		sbuf_adds(b, c->type == DOC_NONE ? "null" : text.s);
}

static void add_value(struct jw *w, const struct doc_cell *c)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	add_plain(&text, c);
	if (c->type == DOC_FLAG)
		jw_bool(w, c->v);
	else
		jw_raw(w, text.s);
}

static bool labelled(const struct doc_cell *c, enum doc_status status)
{
	return c->type != DOC_NONE && c->status == status;
}

static void add_status(struct jw *w, const char *key, const struct doc_cell *c)
{
	if (!labelled(c, STATUS_NONE) && c->type != DOC_NONE)
		jw_kstr(w, key, doc_status_name(c->status));
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Reports whether the row's column "currency" names the currency of the amount. An unknown amount
 * has no currency. */
static bool currency_said(
	const struct plan *p, const struct doc_row *r, const struct doc_cell *c)
{
	const struct doc_cell *said;

	if (p->currency < 0)
		return false;
	said = &r->cells[p->currency];
	return c->type == DOC_NONE ||
		(said->type == DOC_TEXT && !strcmp(said->text, c->text));
}

static void add_row(struct jw *w, const struct plan *p, const struct doc_row *r)
{
	jw_begin(w, '{');
	for (int i = 0; i < p->s->n_columns; i++) {
		const struct member *m = &p->columns[i];
		const struct doc_cell *c = &r->cells[i];
		bool money = doc_is_money(c->type) ||
			(c->type == DOC_NONE && doc_is_money(p->s->columns[i].type));

		jw_key(w, m->key);
		add_value(w, c);
		if (money && !currency_said(p, r, c))
			jw_kstr(w, m->currency, c->type == DOC_NONE ? NULL : c->text);
		add_status(w, m->status, c);
	}
	if (r->detail)
		jw_kstr(w, p->detail, r->detail);
	if (r->command)
		jw_kstr(w, p->command, r->command);
	if (r->total) {
		jw_key(w, p->total);
		jw_bool(w, true);
	}
	jw_end(w, '}');
}

/* Upper bound of the bytes that the document needs after the rows of a section. */
static size_t room_behind(const struct json *j, size_t section)
{
	size_t room = 32; /* the closing brackets, and "left_out" itself */

	for (size_t i = 0; i < j->d->n; i++)
		/* each in "left_out", and as an empty array if still to come */
		room += 2 * strlen(j->plans[i].key) + (i > section ? 40 : 32);
	return room;
}

static void add_section(
	struct json *j, const struct format_opts *o, size_t section, size_t max)
{
	struct plan *p = &j->plans[section];
	size_t behind = max ? room_behind(j, section) : 0;
	struct sbuf *b = j->w.b;

	jw_key(&j->w, p->key);
	jw_begin(&j->w, '[');
	for (size_t i = 0; i < p->s->n; i++) {
		struct jw before = j->w;
		size_t len = b->len;

		add_row(&j->w, p, &p->s->rows[i]);
		if (max && b->len + behind > max) {
			sbuf_trunc(b, len);
			j->w = before;
			p->left = p->s->n - i;
			format_cut(o, p->s);
			break;
		}
	}
	jw_end(&j->w, ']');
}

static void add_left_out(struct json *j)
{
	bool any = false;

	for (size_t i = 0; i < j->d->n; i++)
		any |= j->plans[i].left > 0;
	if (!any)
		return;
	jw_key(&j->w, "left_out");
	jw_begin(&j->w, '{');
	for (size_t i = 0; i < j->d->n; i++)
		if (j->plans[i].left)
			jw_ki64(&j->w, j->plans[i].key, (int64_t)j->plans[i].left);
	jw_end(&j->w, '}');
}

/* ---- document ---------------------------------------------------------------------------------- */

static void add_fact(struct json *j, const struct doc_fact *f)
{
	struct arena *a = j->d->arena;
	const char *key = f->key;

	if (!strmap_put(&j->seen, key, 0)) /* "made", already written above */
		return;
	jw_key(&j->w, key);
	add_value(&j->w, &f->cell);
	if (doc_is_money(f->cell.type))
		jw_kstr(&j->w, unique(a, &j->seen, arena_printf(a, "%s_currency", key)),
			f->cell.text);
	if (f->cell.type != DOC_NONE && f->cell.status != STATUS_NONE)
		add_status(&j->w, unique(a, &j->seen, arena_printf(a, "%s_status", key)),
			&f->cell);
}

static bool column_labelled(const struct doc_section *s, int column, enum doc_status status)
{
	for (size_t i = 0; i < s->n; i++)
		if (labelled(&s->rows[i].cells[column], status))
			return true;
	return false;
}

/* Location of figures with the status. */
static void add_labelled(struct json *j, const char *name, enum doc_status status)
{
	const struct doc *d = j->d;

	jw_key(&j->w, name);
	jw_begin(&j->w, '[');
	for (size_t i = 0; i < d->n_facts; i++)
		if (labelled(&d->facts[i].cell, status))
			jw_str(&j->w, d->facts[i].key);
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < d->sections[i]->n_columns; k++)
			if (column_labelled(d->sections[i], k, status))
				jw_str(&j->w,
					arena_printf(d->arena, "%s.%s", j->plans[i].key,
						j->plans[i].columns[k].key));
	jw_end(&j->w, ']');
}

static void add_notes(struct json *j)
{
	const struct doc *d = j->d;

	jw_key(&j->w, "notes");
	jw_begin(&j->w, '[');
	for (size_t i = 0; i < d->n_notes; i++)
		jw_str(&j->w, d->notes[i]);
	jw_end(&j->w, ']');
	jw_key(&j->w, "section_notes");
	jw_begin(&j->w, '{');
	for (size_t i = 0; i < d->n; i++) {
		const struct doc_section *s = d->sections[i];

		if (s->note || s->unknown)
			jw_kstr(&j->w, j->plans[i].key, s->unknown ? s->empty : s->note);
	}
	jw_end(&j->w, '}');
}

static void add_head(struct json *j)
{
	static const char *const own[] = {"report", "title", "subject", "headline",
		"timezone", "made", "notes", "section_notes", "estimates", "partial",
		"left_out"};
	const struct doc *d = j->d;
	char time[RFC3339_BUF];

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		strmap_put(&j->seen, own[i], 0);
	jw_kstr(&j->w, "report", d->kind);
	jw_kstr(&j->w, "title", d->title);
	jw_kstr(&j->w, "subject", d->subject ? d->subject : d->title);
	jw_kstr(&j->w, "headline", d->headline);
	jw_kstr(&j->w, "timezone", tz_name(d->tz));
	jw_kstr(&j->w, "made", rfc3339_format(d->now, time));
}

void doc_json(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	struct json j = {.d = d, .w = {.b = b}};
	size_t max = o->max_bytes ? b->len + o->max_bytes : 0;

	j.plans = arena_alloc(d->arena, d->n * sizeof(*j.plans));
	jw_begin(&j.w, '{');
	add_head(&j);
	for (size_t i = 0; i < d->n_facts; i++)
		add_fact(&j, &d->facts[i]);
	for (size_t i = 0; i < d->n; i++)
		plan_section(&j, &j.plans[i], d->sections[i]);
	add_notes(&j);
	add_labelled(&j, "estimates", STATUS_ESTIMATE);
	add_labelled(&j, "partial", STATUS_PARTIAL);
	for (size_t i = 0; i < d->n; i++)
		add_section(&j, o, i, max);
	add_left_out(&j);
	jw_end(&j.w, '}');
	sbuf_addc(b, '\n');
	strmap_done(&j.seen);
}

void doc_json_rows(const struct doc_section *t, struct sbuf *b)
{
	for (size_t r = 0; r < t->n; r++) {
		sbuf_adds(b, r ? ",\n {" : "[{");
		for (int c = 0; c < t->n_columns; c++) {
			sbuf_adds(b, c ? ", " : "");
			sbuf_add_json(b, t->columns[c].key);
			sbuf_adds(b, ": ");
			add_plain(b, &t->rows[r].cells[c]);
		}
		sbuf_addc(b, '}');
	}
	sbuf_adds(b, t->n ? "]\n" : "[]\n");
}
