#include "cli/metrics/metrics.h"

#include "base/str.h"
#include "cli/config/config.h"
#include "cli/metrics/internal.h"
#include "cli/query.h"
#include "cli/target.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/halt.h"

#include <string.h>

#define VALUE "value"
#define FILE_MODE 0644 /* another user's collector reads it */

static void add_label(struct sbuf *b, const char *name, const char *value, bool first)
{
	sbuf_addf(b, "%s%s=\"", first ? "{" : ",", name);
	for (; *value; value++) {
		if (*value == '\n')
			sbuf_adds(b, "\\n");
		else
			sbuf_addf(b, "%s%c", strchr("\\\"", *value) ? "\\" : "", *value);
	}
	sbuf_addc(b, '"');
}

/* A label without a value is the same as none. */
static void add_sample(struct sbuf *b, const char *name, const struct doc_section *t,
	const struct doc_row *row)
{
	const struct doc_cell *value = doc_at(t, row, VALUE);
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	bool first = true;

	if (!value->type)
		return;
	sbuf_adds(b, name);
	for (int i = 0; i < t->n_columns; i++) {
		const struct doc_cell *c = &row->cells[i];

		if (c == value || !c->type)
			continue;
		sbuf_reset(&text);
		doc_cell_exact(c, &text);
		add_label(b, t->columns[i].key, text.s, first);
		first = false;
	}
	sbuf_adds(b, first ? " " : "} ");
	doc_cell_exact(value, b);
	sbuf_addc(b, '\n');
}

static enum err_code may_act(struct app *app, bool *out, struct err *e)
{
	const struct enforcement *en = app->cfg->settings.enforcement;
	struct generation_look look;
	const char *path;

	*out = false;
	if (!en || en->mode != ENFORCE_ARMED || halt_found(en, app->db, &app->arena, &path))
		return E_OK;
	if (generation_look(app->db, &app->cfg->settings, NULL, &app->arena, &look, e))
		return e->code;
	*out = !look.why;
	return E_OK;
}

/* One row for each watched or listed project. */
static enum err_code read_enforcement(
	struct app *app, struct doc_section **out, struct err *e)
{
	static const struct doc_column columns[] = {
		{"project", .type = DOC_TEXT}, {VALUE, .type = DOC_FLAG}};
	const struct texts *listed = &app->cfg->enforcement.projects;
	const struct texts *const all[] = {&app->cfg->projects, listed};
	struct doc_section *t = *out = doc_table(&app->arena, columns, ARRAY_LEN(columns));
	bool acts;

	if (may_act(app, &acts, e))
		return e->code;
	for (size_t k = 0; k < ARRAY_LEN(all); k++)
		for (size_t i = 0; i < all[k]->n; i++) {
			const char *p = all[k]->v[i];
			bool is_listed = str_in(p, listed->v, listed->n);
			struct doc_cell *c;

			if (k && str_in(p, all[0]->v, all[0]->n))
				continue;
			c = doc_row(t)->cells;
			c[0] = cell_text(p);
			c[1] = cell_flag(acts && is_listed);
		}
	return E_OK;
}

enum err_code metrics_add(struct app *app, bool resources, struct sbuf *b, struct err *e)
{
	for (size_t i = 0; i < n_metrics; i++) {
		const struct metric *m = &metrics[i];
		struct doc_section *t;

		if (m->resources && !resources)
			continue;
		if (m->sql ? query_sql(app, m->sql, true, &t, e)
			   : read_enforcement(app, &t, e))
			return err_wrap(e, "%s", m->name);
		if (t->n)
			sbuf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help,
				m->name, m->type);
		for (size_t r = 0; r < t->n; r++)
			add_sample(b, m->name, t, &t->rows[r]);
	}
	return E_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

static enum err_code labels_of(struct db *db, const struct metric *m, struct arena *a,
	const char **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct db_cursor cur = {0};

	*out = "project";
	if (!m->sql)
		return E_OK;
	if (db_cursor_open_own(db, m->sql, INT32_MAX, &cur, e))
		return e->code;
	for (int i = 0; i < db_cursor_columns(&cur); i++)
		if (strcmp(db_cursor_name(&cur, i), VALUE) != 0)
			sbuf_addf(&b, "%s%s", b.len ? " " : "", db_cursor_name(&cur, i));
	db_cursor_close(&cur);
	*out = arena_strdup(a, b.s);
	return E_OK;
}

static const char intro[] =
	"# Metrics\n\n"
	"Print them with `tpucost metrics`, or scrape `/metrics` of [tpucost web](web.md). "
	"Names and labels are stable.\n\n"
	"- Amounts are decimal numbers in the currency of the label `currency`: add them "
	"`by (currency)` only.\n"
	"- An unknown value has no sample; it is never 0. Samples have no timestamps.\n"
	"- Figures are those of the [views](views.md), when the metrics are read.\n"
	"- A resource is a label only with `--per-resource`: the metrics that begin with "
	"`tpucost_resource_`.\n\n"
	"To have node_exporter collect them, let cron write them into the directory of its "
	"textfile collector. The file is\nreplaced as a whole, and can be read by every "
	"user "
	"of the machine:\n\n"
	"```\n"
	"* * * * * tpucost metrics --output "
	"/var/lib/prometheus/node-exporter/tpucost.prom\n"
	"```\n\n"
	"The folder examples has rules for Prometheus (`tpucost.rules.yml`) and a "
	"dashboard "
	"for Grafana (`grafana.json`).\n"
	"`tpucost metrics --format markdown` prints this page.\n\n"
	"| metric | type | labels | meaning |\n|---|---|---|---|\n";

/* Prints the reference; as markdown it is docs/metrics.md. */
static int print_reference(struct app *app, struct err *e)
{
	static const struct doc_column columns[] = {{"metric", .type = DOC_TEXT},
		{"type", .type = DOC_TEXT}, {"labels", .type = DOC_TEXT},
		{"meaning", .type = DOC_TEXT}};
	struct doc_section *t = doc_table(&app->arena, columns, ARRAY_LEN(columns));
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (db_open_empty(app->clock, &app->db, e))
		return cmd_fail(e);
	for (size_t i = 0; i < n_metrics; i++) {
		const struct metric *m = &metrics[i];
		struct doc_cell *c = doc_row(t)->cells;
		const char *labels;

		if (labels_of(app->db, m, &app->arena, &labels, e))
			return cmd_fail(e);
		c[0] = cell_text(m->name);
		c[1] = cell_text(m->type);
		c[2] = cell_text(labels);
		c[3] = cell_text(m->help);
	}
	if (app->format != OUT_MARKDOWN) {
		out_render(&b, t, app->format, &style);
	} else {
		sbuf_adds(&b, intro);
		for (size_t i = 0; i < t->n; i++) {
			const struct doc_cell *c = t->rows[i].cells;

			sbuf_addf(&b, "| `%s` | %s | %s | %s |\n", c[0].text, c[1].text,
				c[2].text, c[3].text);
		}
	}
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_metrics(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (app->o.format)
		return print_reference(app, e);
	if (config_load(app, e) || session_open(app, e) ||
		metrics_add(app, app->o.per_resource, &b, e))
		return cmd_fail(e);
	return target_write(app, &b, FILE_MODE, e) ? cmd_fail(e) : EXIT_FINE;
}
