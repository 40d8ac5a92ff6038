/* Command `status`: the actions to take with their commands, then a line each for burn, budgets, grants, credits,
 * enforcement and the age of the data. */
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/screen/screen.h"
#include "cli/session.h"
#include "db_sql.h"
#include "reports/doc/formats.h"
#include "reports/kinds.h"

#include <string.h>

#define MOST_LINES 4 /* each for budgets, grants, credits and failed sources */
#define SMALL 30     /* lines; smaller terminals show SMALL_LINES */
#define SMALL_LINES 2
#define LEAST_ITEMS 2  /* actions to take that any screen shows */
#define USUAL_ITEMS 10 /* of them when the output is not a terminal */
#define USUAL_WIDTH 79
#define DOCUMENT_ROWS 10 /* of a section of a document */
#define DETAIL_INDENT 4
#define HEADING_INDENT 2

struct status {
	struct app *app;
	const struct doc *d;
	const struct out_style *style;
	size_t width;
};

static const char *tone_color(enum doc_tone tone)
{
	return tone == TONE_BAD ? OUT_RED : tone == TONE_WARN ? OUT_YELLOW : "";
}

static const struct doc_cell *cell_of(
	const struct doc_section *s, const struct doc_row *r, const char *key)
{
	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, key))
			return &r->cells[i];
	return NULL;
}

static const char *text_of(
	const struct doc_section *s, const struct doc_row *r, const char *key)
{
	const struct doc_cell *c = cell_of(s, r, key);

	return c && (c->type == DOC_TEXT || c->type == DOC_CODE) ? c->text : NULL;
}

/* ---- actions to take ------------------------------------------------------------------------------------ */

static void add_title(const struct status *x, struct sbuf *b, const struct doc_section *s,
	const struct doc_row *r)
{
	const struct doc_cell *saves = cell_of(s, r, "saves_per_hour");

	sbuf_adds(b, text_of(s, r, "name") ? text_of(s, r, "name") : "");
	if (saves && saves->type == DOC_RATE) {
		struct doc_cell plain = *saves;

		plain.status = STATUS_NONE;
		sbuf_adds(b, ", about ");
		doc_cell_text(x->d, &s->columns[saves - r->cells], &plain, b);
	}
}

/* "tpu-wrong, about 62.00 HKD/h: Not covered: ...", wrapped; then the command on a line of its own, to paste. */
static void add_item(const struct status *x, struct sbuf *b, const struct doc_section *s,
	const struct doc_row *r)
{
	const char *color = x->style->color ? tone_color(r->tone) : "";
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	add_title(x, &text, s, r);
	if (r->detail)
		sbuf_addf(&text, ": %s", r->detail);
	sbuf_addf(b, "%s!%s ", color, *color ? OUT_PLAIN : "");
	sbuf_add_wrapped(b, text.s, 2, DETAIL_INDENT, x->width);
	if (r->command) {
		sbuf_pad(b, ' ', DETAIL_INDENT + 2);
		sbuf_add_term(b, r->command);
		sbuf_addc(b, '\n');
	}
}

/* Lines of the terminal that the text fills: a command can be longer than one. */
static size_t rows_of(const struct status *x, const char *text)
{
	size_t rows = 0;

	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		rows += 1 + (n ? n - 1 : 0) / x->width;
		p += n + 1;
	}
	return rows;
}

/* "Do now (7), as of 2026-11-23 18:58 Asia/Hong_Kong". Without a poll it is not known that nothing is to do. */
static void add_heading(const struct status *x, struct sbuf *b)
{
	const struct app *app = x->app;
	const struct doc_section *s = doc_find(x->d, "do_now");
	bool acts = s && (s->n || s->unknown);
	const char *word = acts ? "Do now" : "Nothing to do",
		   *color = acts ? OUT_BOLD : OUT_GREEN;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, line = SBUF_INIT;
	char at[TZ_TIME_BUF];

	sbuf_adds(&text, word);
	if (s && s->n)
		sbuf_addf(&text, " (%zu)", s->n);
	sbuf_addf(&text, ", as of %s %s", tz_time(app->cfg->tz, app->now, at),
		tz_name(app->cfg->tz));
	sbuf_add_wrapped(&line, text.s, 0, HEADING_INDENT, x->width);
	sbuf_addf(b, "%s%s%s%s", x->style->color ? color : "", word,
		x->style->color ? OUT_PLAIN : "", line.s + strlen(word));
}

static void add_todo(const struct status *x, struct sbuf *b, size_t rest)
{
	const struct doc_section *s = doc_find(x->d, "do_now"),
				 *after = doc_find(x->d, "consequences");
	size_t acts = s ? s->n : 0, n = acts + (after ? after->n : 0), shown = 0, used = 0;
	size_t height = x->style->height ? (size_t)x->style->height : SIZE_MAX;
	size_t room = height > rest ? height - rest : 0;
	cleanup(sbuf_done) struct sbuf item = SBUF_INIT, note = SBUF_INIT;

	if (s && s->note)
		sbuf_add_wrapped(&note, s->note, 0, 0, x->width);
	if (s && s->unknown) {
		sbuf_pad(b, ' ', HEADING_INDENT);
		sbuf_add_wrapped(b, s->empty, HEADING_INDENT, HEADING_INDENT, x->width);
	}
	used = rows_of(x, note.s) + (s && s->unknown);
	for (; shown < n; shown++) {
		sbuf_reset(&item);
		if (shown == acts)
			sbuf_addf(&item, "%s:\n", after->title);
		if (shown < acts)
			add_item(x, &item, s, &s->rows[shown]);
		else
			add_item(x, &item, after, &after->rows[shown - acts]);
		used += rows_of(x, item.s);
		/* the last item can use the line of "and N more" */
		if (shown >= LEAST_ITEMS &&
			(used > room + (shown + 1 == n) ||
				(!x->style->height && shown == USUAL_ITEMS)))
			break;
		sbuf_adds(b, item.s);
	}
	if (shown < n)
		sbuf_addf(b, "  and %zu more: tpucost status --all\n", n - shown);
	sbuf_add(b, note.s, note.len);
	sbuf_addc(b, '\n');
}

/* ---- the rest -------------------------------------------------------------------------------------- */

static void add_rows(const struct status *x, struct sbuf *b, const char *key,
	const char *word, const char *command, const char *first, const char *second)
{
	const struct doc_section *s = doc_find(x->d, key);
	size_t shown = 0, left = 0;

	for (size_t i = 0; s && i < s->n; i++) {
		const struct doc_row *r = &s->rows[i];
		const char *a = text_of(s, r, first), *c = text_of(s, r, second);
		const char *why = r->detail;

		if (r->folded || r->total || !why)
			continue;
		if (shown++ >= MOST_LINES) {
			left++;
			continue;
		}
		glance_line(b, shown == 1 ? word : "",
			r->line ? r->line
				: arena_printf(&x->app->arena, "%s%s%s: %s", a ? a : "",
					  a && c && *c ? " of " : "", c ? c : "", why),
			OUT_YELLOW, x->style);
	}
	if (left)
		glance_line(b, "",
			arena_printf(&x->app->arena, "and %zu more: %s", left, command),
			NULL, x->style);
}

/* Several sources may miss the same location. */
static bool named_before(const struct doc_section *s, size_t row, const char *location)
{
	for (size_t i = 0; i < row; i++)
		if (str_eq(text_of(s, &s->rows[i], "location"), location))
			return true;
	return false;
}

static void add_gaps(const struct status *x, struct sbuf *b)
{
	const struct doc_section *s = doc_find(x->d, "gaps");
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; s && i < s->n; i++) {
		const char *location = text_of(s, &s->rows[i], "location");

		if (!location || named_before(s, i, location))
			continue;
		if (n++ < MOST_LINES)
			sbuf_addf(&text, "%s%s", n > 1 ? ", " : "", location);
	}
	if (n > MOST_LINES)
		sbuf_addf(&text, " and %zu more", n - MOST_LINES);
	if (text.len) {
		sbuf_adds(&text, "; see: tpucost sources");
		glance_line(b, "Missing", text.s, OUT_YELLOW, x->style);
	}
}

static void add_enforcement(const struct status *x, struct sbuf *b)
{
	const struct doc_section *s = doc_find(x->d, "enforcement");
	const struct doc_row *r = s && s->n ? &s->rows[0] : NULL;
	const char *mode = r ? text_of(s, r, "mode") : NULL;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	if (!mode || !strcmp(mode, "off"))
		return;
	/* On a small screen, actions to take are worth more than that nothing is stopped. */
	if (x->style->height && x->style->height < SMALL && strcmp(mode, "armed") != 0 &&
		!text_of(s, r, "halted") && !r->detail && !text_of(s, r, "next"))
		return;
	sbuf_addf(&text, "%s%s", mode,
		strcmp(mode, "armed") != 0 ? ": no resource is stopped" : "");
	if (text_of(s, r, "halted"))
		sbuf_addf(&text, "; halted by %s", text_of(s, r, "halted"));
	if (text_of(s, r, "next"))
		sbuf_addf(&text, "; next: %s", text_of(s, r, "next"));
	if (r->detail)
		sbuf_addf(&text, "; %s", r->detail);
	if (r->command)
		sbuf_addf(&text, " %s", r->command);
	glance_line(b, "Enforce", text.s,
		text_of(s, r, "halted") || text_of(s, r, "restored") ||
				text_of(s, r, "standby")
			? OUT_YELLOW
			: NULL,
		x->style);
}

static void add_age(const struct status *x, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT, value = SBUF_INIT;
	const struct doc_column any = {.digits = -1};

	for (size_t i = 0; i < x->d->n_facts; i++) {
		const struct doc_fact *f = &x->d->facts[i];

		if (!f->title)
			continue;
		sbuf_reset(&value);
		doc_cell_text(x->d, &any, &f->cell, &value);
		sbuf_addf(&text, "%s%s: %s", text.len ? ". " : "", f->title, value.s);
	}
	if (text.len)
		glance_line(b, "Data", text.s, NULL, x->style);
}

static enum err_code status_screen(struct app *app, const struct doc *d,
	const struct out_style *style, struct sbuf *b, struct err *e)
{
	const struct status x = {.app = app,
		.d = d,
		.style = style,
		.width = style->width ? (size_t)style->width : USUAL_WIDTH};
	cleanup(sbuf_done) struct sbuf rest = SBUF_INIT;
	size_t taken;

	add_rows(&x, &rest, "lost_messages", "Unsent", "tpucost notify list", "channel",
		"subject");
	if (glance_add(app, &rest, style,
		    style->height && style->height < SMALL ? SMALL_LINES : MOST_LINES, e))
		return e->code;
	add_enforcement(&x, &rest);
	add_age(&x, &rest);
	add_rows(&x, &rest, "sources", "Sources", "tpucost sources", "source", "project");
	add_gaps(&x, &rest);
	add_heading(&x, b);
	/* the lines above, "and N more", an empty line, the prompt of the shell */
	taken = rows_of(&x, b->s) + rows_of(&x, rest.s) + 3;
	add_todo(&x, b, taken);
	sbuf_add(b, rest.s, rest.len);
	return E_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

/* Sections of the daily report, in its order. */
static const char *const parts[] = {"do_now", "consequences", "grants", "burn", "budgets",
	"credits", "enforcement", "lost_messages", "sources", "gaps"};

static void keep_parts(struct app *app, struct doc *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (str_in(d->sections[i]->key, parts, ARRAY_LEN(parts)))
			d->sections[n++] = d->sections[i];
	d->n = n;
	if (app->o.project)
		d->headline = d->subject = NULL; /* of all projects */
	doc_find(d, "enforcement")->title = "Enforcement";
	d->n_notes = d->n_brief = 0;
	d->kind = "status";
	d->title = "tpucost status";
}

static enum err_code pick_format(
	const char *name, const struct doc_format **out, struct err *e)
{
	if (!name || !strcmp(name, "table"))
		name = "text";
	*out = doc_format_find(name);
	if (*out)
		return E_OK;
	return err_set_fix(e, E_USAGE, "use text, json, csv or markdown",
		"status: unknown format '%.60s'", name);
}

/* One screen instead of a document? */
static bool is_screen(const struct app *app)
{
	return !app->o.all && (!app->o.format || !strcmp(app->o.format, "table"));
}

static enum err_code status_period(
	struct app *app, void *ctx, ts_t *since, ts_t *until, struct err *e)
{
	struct report_ask *ask = ctx;

	ask->now = app->now;
	ask->since = ask->until = TS_NONE;
	if (!ask->glance && report_kind_find("daily")->period(ask, e))
		return e->code;
	*since = ask->since;
	*until = ask->until;
	return E_OK;
}

static struct report_ask status_ask(const struct app *app, bool glance)
{
	return (struct report_ask){.settings = &app->cfg->settings,
		.since = TS_NONE,
		.until = TS_NONE,
		.glance = glance,
		.status = true,
		.projects = app->o.project};
}

static enum err_code build_status(struct app *app, struct report_ask *ask, struct doc **d,
	int *exit_code, struct err *e)
{
	const struct doc_section *lost;

	ask->db = app->db;
	if (report_kind_find("daily")->build(ask, &app->arena, d, e))
		return e->code;
	lost = doc_find(*d, "lost_messages");
	*exit_code = lost && lost->n ? EXIT_PARTIAL : EXIT_FINE;
	keep_parts(app, *d);
	return E_OK;
}

static enum err_code status_open(struct app *app, struct report_ask *ask, struct err *e)
{
	return session_open_of(app, status_period, ask, e) ? e->code
							   : session_check_project(app, e);
}

enum err_code status_document(struct app *app, struct doc **d, struct err *e)
{
	struct report_ask ask = status_ask(app, false);
	int exit_code;

	return status_open(app, &ask, e) ? e->code
					 : build_status(app, &ask, d, &exit_code, e);
}

#define KEPT_WIDTH 1000000

enum err_code status_keep(struct app *app, struct err *e)
{
	const struct out_style style = {.width = KEPT_WIDTH};
	struct report_ask ask = status_ask(app, true);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_resource_count count;
	ts_t before = app->now, now;
	enum err_code rc;
	int exit_code;
	struct doc *d;
	bool found;

	if (q_resource_count_one(app->db, &app->arena, &count, &found, e) ||
		session_present(app, clock_now(app->clock), &now, e))
		return e->code;
	if (!kept_wanted(count.n) || app->clock_wrong || app->clock_unknown)
		return E_OK;
	ask.now = app->now = now;
	rc = build_status(app, &ask, &d, &exit_code, e);
	if (!rc)
		rc = status_screen(app, d, &style, &b, e);
	app->now = before;
	return rc ? rc : kept_put(app, now, b.s, exit_code, e);
}

/* The screen: the stored one if it is current. */
static enum err_code status_add_screen(
	struct app *app, struct report_ask *ask, struct sbuf *b, int *rc, struct err *e)
{
	const struct out_style style = out_style_stdout();
	struct doc *d;

	if (!app->o.project && kept_show(app, &style, b, rc, e))
		return e->code;
	if (b->len)
		return E_OK;
	if (build_status(app, ask, &d, rc, e))
		return e->code;
	return status_screen(app, d, &style, b, e);
}

int cmd_status(struct app *app, struct err *e)
{
	const struct format_opts o = {.max_rows = app->o.all ? 0 : DOCUMENT_ROWS};
	struct report_ask ask = status_ask(app, is_screen(app));
	const struct doc_format *format;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc *d;
	int rc = EXIT_FINE;

	if (pick_format(app->o.format, &format, e) || status_open(app, &ask, e))
		return cmd_fail(e);
	app->basis = BASIS_INVENTORY;
	if (app->cfg->n_budgets || app->cfg->n_credits)
		app->basis |= BASIS_BILLING;
	if (ask.glance) {
		if (status_add_screen(app, &ask, &b, &rc, e))
			rc = cmd_fail(e);
	} else {
		if (build_status(app, &ask, &d, &rc, e))
			return cmd_fail(e);
		format->render(d, &o, &b);
	}
	if (b.len && out_write(&b, e))
		rc = cmd_fail(e);
	if (session_note_rate(app, e))
		rc = cmd_fail(e);
	if (app->o.project)
		say("note: budgets and credits cover all projects");
	return rc;
}
