/* Tables of views: their queries, sections with links and a form, rows that lead to their derivation. */
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "cli/web/web.h"
#include "db/vocab.h"

#include <ctype.h>
#include <string.h>

#define USUAL_ROWS 200
#define ALWAYS 6 /* columns of a view that no command shows; others where they fit */

/* ---- links to the derivation ------------------------------------------------------------------- */

/* Argument of `why` for a row of a view, or of a section of a report: the prefix, then these columns,
 * separated by slashes. */
static const struct {
	const char *of, *prefix, *keys;
} derivations[] = {
	{"resources", "", "id"},
	{"period_resources", "", "id"},
	{"coverage", "", "id"},
	{"egress", "", "id"},
	{"burned", "", "id"},
	{"hidden_costs", "", "part"},
	{"grants", "grant:", "name"},
	{"budgets", "budget:", "name"},
	{"credits", "credit:", "name"},
	{"sources", "source:", "source"},
	{"alerts", "alert:", "rule/subject"},
	{"actions", "action:", "id"},
	{"quotas", "quota:", "project/location/metric"},
	{"rules", "rule:", "name"},
	{"daily_costs", "cost:", "day"},
	{"days", "cost:", "day"},
	{"do_now", "", "id"},
	{"running", "", "id"},
};

static int column_of(const struct doc_section *s, const char *key, size_t len)
{
	for (int i = 0; i < s->n_columns; i++)
		if (strlen(s->columns[i].key) == len &&
			!strncmp(s->columns[i].key, key, len))
			return i;
	return -1;
}

static void link_row(struct arena *a, struct doc_section *s, struct doc_row *row,
	const char *prefix, const char *keys)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, text = SBUF_INIT;

	sbuf_adds(&text, prefix);
	for (const char *k = keys; *k;) {
		size_t n = strcspn(k, "/");
		int c = column_of(s, k, n);

		if (c < 0 || !row->cells[c].type)
			return;
		sbuf_adds(&text, k > keys ? "/" : "");
		doc_cell_exact(&row->cells[c], &text);
		k += n + (k[n] == '/');
	}
	sbuf_adds(&b, "/why?of=");
	sbuf_add_url(&b, text.s);
	row->link = arena_strdup(a, b.s);
}

static const char *keys_of(const char *of, const char **prefix)
{
	for (size_t i = 0; i < ARRAY_LEN(derivations); i++)
		if (!strcmp(derivations[i].of, of)) {
			*prefix = derivations[i].prefix;
			return derivations[i].keys;
		}
	return NULL;
}

static void link_rows(struct arena *a, struct doc_section *s, const char *of)
{
	const char *prefix, *keys = keys_of(of, &prefix);

	s->linked = "name";
	for (size_t i = 0; keys && i < s->n; i++)
		if (!s->rows[i].total)
			link_row(a, s, &s->rows[i], prefix, keys);
}

void web_link_rows(struct doc *d)
{
	for (size_t i = 0; i < d->n; i++)
		link_rows(d->arena, d->sections[i], d->sections[i]->key);
}

/* ---- for reading ------------------------------------------------------------------------------- */

static const char *heading_of(struct arena *a, const char *key)
{
	char *title = arena_strdup(a, key);

	for (char *p = title; (p = strchr(p, '_'));)
		*p = ' ';
	return title;
}

/* The currency of a column: residual_per_hour has a residual_currency. -1: none. */
static int currency_of(struct arena *a, const struct doc_section *s, const char *key)
{
	const char *own = arena_printf(a, "%.*s_currency", (int)strcspn(key, "_"), key);
	int at = column_of(s, own, strlen(own));

	return at >= 0 ? at : column_of(s, "currency", strlen("currency"));
}

/* An amount needs a currency, except zero. */
static void set_currency(struct doc_cell *c, const char *currency)
{
	c->text = currency;
	if (!currency)
		c->type = c->v ? DOC_NONE : DOC_INT;
}

/* `shown`: the number of columns with a heading; those after it are only for links. */
static void make_readable(struct arena *a, struct doc_section *s, int shown)
{
	struct doc_column *cols = arena_alloc(a, (size_t)s->n_columns * sizeof(*cols) + 1);
	int *currency = arena_alloc(a, (size_t)s->n_columns * sizeof(*currency) + 1);

	memcpy(cols, s->columns, (size_t)s->n_columns * sizeof(*cols));
	for (int i = 0; i < s->n_columns; i++) {
		const char *key = cols[i].key;

		cols[i].title = !strcmp(key, "currency") || i >= shown ? NULL
								       : heading_of(a, key);
		currency[i] = currency_of(a, s, key);
	}
	s->columns = cols;
	for (size_t r = 0; r < s->n; r++) {
		struct doc_row *row = &s->rows[r];

		row->tone = out_tone(s, r);
		for (int i = 0; i < s->n_columns; i++) {
			struct doc_cell *c = &row->cells[i];
			ts_t at;

			if (doc_is_money(c->type) && !c->text)
				set_currency(c,
					currency[i] >= 0 ? row->cells[currency[i]].text
							 : NULL);
			if (c->type == DOC_TEXT && cols[i].type == DOC_TIME &&
				!rfc3339_parse(c->text, &at, NULL, NULL))
				*c = cell_time(at);
		}
	}
}

void web_adopt(
	struct doc *d, struct doc_section *s, const char *title, const char *of, int shown)
{
	s->key = doc_find(d, of) ? arena_printf(d->arena, "%s-%zu", of, d->n) : of;
	s->title = title;
	s->chart.value = -1;
	link_rows(d->arena, s, of);
	make_readable(d->arena, s, shown);
	*arena_append(d->arena, d->sections, d->n, d->cap) = s;
}

/* ---- forms ------------------------------------------------------------------------------------- */

const char *web_form(struct web_page *p, const char *takes, const struct view *v)
{
	static const char *const fields[] = {"where", "since", "until", "month", "project"};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "<form method=\"get\" action=\"%s\" class=\"filter\">\n", p->r->path);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (!str_in_list(fields[i], takes))
			continue;
		sbuf_addf(&b,
			"<label>%s <input type=\"text\" name=\"%s\" class=\"%s\" value=\"",
			fields[i], fields[i], i ? "short" : "long");
		sbuf_add_html(&b, web_arg(p->asked, fields[i]));
		sbuf_adds(&b, "\" placeholder=\"");
		sbuf_add_html(&b,
			i ? web_arg(p->r, fields[i]) : "SQL condition, as with --where");
		sbuf_adds(&b, "\"></label>\n");
	}
	if (*web_arg(p->r, "sort-by")) {
		sbuf_adds(&b, "<input type=\"hidden\" name=\"sort-by\" value=\"");
		sbuf_add_html(&b, web_arg(p->r, "sort-by"));
		sbuf_adds(&b, "\">\n");
	}
	sbuf_addf(&b,
		"<button type=\"submit\">Show</button> <a href=\"%s\">Reset</a>\n</form>\n",
		p->r->path);
	if (v) {
		sbuf_adds(&b, "<details><summary>Columns for conditions</summary><p>");
		for (size_t i = 0; i < v->n; i++)
			sbuf_addf(
				&b, "%s<code>%s</code>", i ? ", " : "", v->columns[i].name);
		sbuf_adds(&b, "</p></details>\n");
	}
	return arena_strdup(p->doc->arena, b.s);
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* Columns with "!" are read and not shown, and so are those for links and of
 * currencies. *shown: how many are shown. */
static const char *columns_with_keys(
	struct app *app, const struct query *q, const struct view *v, int *shown)
{
	const char *prefix, *keys = keys_of(v->name, &prefix);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char *list, *name;

	for (size_t i = 0; !app->o.columns && !q->columns && i < v->n; i++)
		sbuf_addf(&b, "%s%s%s", i ? "," : "", v->columns[i].name,
			i < ALWAYS ? "" : "?");
	list = arena_strdup(&app->arena,
		app->o.columns       ? app->o.columns
			: q->columns ? q->columns
				     : b.s);
	sbuf_reset(&b);
	*shown = 0;
	while ((name = strsep(&list, ","))) {
		char *hidden = strchr(name, '!');

		if (hidden)
			*hidden = '\0';
		*shown += !hidden;
		sbuf_addf(&b, "%s%s", b.len ? "," : "", name);
	}
	for (const char *k = keys; k && *k;) {
		size_t n = strcspn(k, "/");

		sbuf_addf(&b, ",%.*s", (int)n, k);
		k += n + (k[n] == '/');
	}
	for (size_t i = 0; i < v->n; i++)
		if (str_ends(v->columns[i].name, "currency"))
			sbuf_addf(&b, ",%s", v->columns[i].name);
	return arena_strdup(&app->arena, b.s);
}

static enum err_code fetch_section(struct web_page *p, const char *title,
	const struct view *v, struct query *q, struct err *e)
{
	struct app *app = p->app;
	struct doc_section *s;
	const char *empty, *columns = app->o.columns;
	int64_t limit = app->o.limit;
	int shown;

	q->columns = columns_with_keys(app, q, v, &shown);
	app->o.columns = NULL;
	app->o.limit = limit >= 0 && limit < USUAL_ROWS ? limit : USUAL_ROWS + 1;
	if (query_fetch(app, q, false, &s, e))
		return e->code;
	app->o.columns = columns;
	app->o.limit = limit;
	if (query_empty(app, s, q, &empty, e))
		return e->code;
	s->empty = empty;
	if (s->n > USUAL_ROWS) {
		s->n = USUAL_ROWS;
		s->note = arena_printf(&app->arena,
			"The first %d rows. JSON and CSV have all of them; or use a "
			"condition.",
			USUAL_ROWS);
	}
	web_adopt(p->doc, s, title, v->name, shown);
	return E_OK;
}

/* Parameters of the data of a table: those of the page, if they apply to it, and its own condition. */
static const char *source_args(const struct web_page *p, const struct view *v,
	const char *takes, const struct query *own)
{
	struct arena *a = &p->app->arena;
	const char *where = takes ? web_arg(p->r, "where") : "";
	const char *rest = web_args(a, p->r,
		arena_printf(a, "%s%s",
			takes ? "where,sort-by" : "where,columns,sort-by,limit,by,month,of",
			query_is_of_period(v) ? "" : ",since,until"));
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, both = SBUF_INIT;

	if (own && own->only && *where)
		sbuf_addf(&both, "(%s) AND (%s)", own->only, where);
	else
		sbuf_adds(&both, own && own->only ? own->only : where);
	if (both.len) {
		sbuf_adds(&b, "where=");
		sbuf_add_url(&b, both.s);
	}
	sbuf_addf(&b, "%s%s", b.len && *rest ? "&" : "", rest);
	return arena_strdup(a, b.s);
}

static const struct doc_source *source_of(struct web_page *p, const struct view *v,
	const char *takes, const struct query *own)
{
	struct arena *a = &p->app->arena;
	struct doc_source *o = arena_alloc(a, sizeof(*o));

	*o = (struct doc_source){
		.path = arena_printf(a, "/%s", v->name),
		.args = source_args(p, v, takes, own),
		.page = takes ? p->r->path : arena_printf(a, "/%s", v->name),
		.page_args = takes ? web_args(a, p->asked, "sort-by") : NULL,
		.sort = takes ? p->app->o.sort_by : NULL,
		.form = takes ? web_form(p, takes, v) : NULL,
	};
	if (!o->page_args)
		o->page_args = o->args;
	return o;
}

enum err_code web_section(struct web_page *p, const char *title, const char *view,
	const char *takes, const struct query *own, struct err *e)
{
	const struct view *v = view_find(view);
	const struct view *then = takes &&
			(*web_arg(p->asked, "since") || *web_arg(p->asked, "until"))
		? query_view_then(v)
		: NULL;
	const struct opts kept = p->app->o;
	struct query q;

	if (!takes) {
		p->app->o.where = p->app->o.columns = p->app->o.sort_by = NULL;
		p->app->o.limit = -1;
		p->app->o.project = NULL;
	}
	v = then ? then : v;
	if (query_for_view(p->app, v, &q, e))
		return e->code;
	p->notes |= query_notes(p->app, &q);
	if (query_takes_project(&q, v))
		p->app->o.project = kept.project;
	q.only = own && own->only ? own->only : q.only;
	if (own && !then) {
		q.columns = own->columns ? own->columns : q.columns;
		q.order = own->order ? own->order : q.order;
		q.empty = own->empty ? own->empty : q.empty;
		q.time = takes ? q.time : NULL;
	}
	if (!q.time && !q.derived) /* it selects no rows */
		p->app->o.since = p->app->o.until = NULL;
	if (fetch_section(p, title, v, &q, e))
		return e->code;
	p->doc->sections[p->doc->n - 1]->source = source_of(p, v, takes, own);
	p->app->o = kept;
	return E_OK;
}

/* ---- pages ------------------------------------------------------------------------------------- */

static const char *sentence_of(struct arena *a, const char *text)
{
	char *s = arena_printf(a, "%s.", text);

	*s = (char)toupper((unsigned char)*s);
	return s;
}

enum err_code web_view_page(struct web_page *p, struct err *e)
{
	const struct view *v = view_find(p->r->path + 1);

	if (query_view_of_period(p->app, &v, e) || session_open(p->app, e))
		return e->code;
	p->doc->title = v->name;
	p->doc->headline = sentence_of(&p->app->arena, v->doc);
	p->doc->tone = TONE_SOFT;
	return web_section(p, "Rows", v->name,
		"where,columns,sort-by,limit,since,until,project", NULL, e);
}

enum err_code web_views_page(struct web_page *p, struct err *e)
{
	static const struct doc_column columns[] = {
		{"view", "table", DOC_TEXT}, {"meaning", "one row", DOC_TEXT}};
	struct doc_section *s = doc_section(
		p->doc, "views", "Tables", columns, ARRAY_LEN(columns));

	(void)e;
	s->note =
		"Each can be filtered and sorted, and read as JSON or CSV. Their columns: "
		"tpucost views.";
	for (size_t i = 0; i < n_views; i++) {
		struct doc_row *row = doc_row(s);

		row->cells[0] = cell_text(views[i]->name);
		row->cells[1] = cell_text(sentence_of(&p->app->arena, views[i]->doc));
		row->link = arena_printf(&p->app->arena, "/%s", views[i]->name);
	}
	return E_OK;
}
