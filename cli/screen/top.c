/* Command `top`: the running resources, the most expensive first, below the summary lines; refreshed. */
#include "base/time/civil.h"
#include "cli/screen/screen.h"
#include "cli/query.h"

#include <stdio.h>

#define USUAL_SECONDS 5
#define MOST_LINES 3 /* each for budgets, grants and credits */
#define LEAST_ROWS 3 /* of resources, on any terminal */
#define HEAD_ROWS 3  /* the title, an empty line, and the number of rows left out */

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* As many rows as fit below the present text. */
static void add_rows(struct sbuf *b, struct doc_section *t, const struct out_style *style)
{
	size_t room = (size_t)style->height, all = t->n;
	size_t used = count_lines(b->s) + HEAD_ROWS;
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;

	for (;;) {
		size_t lines;

		sbuf_reset(&part);
		out_render(&part, t, OUT_TABLE, style);
		lines = count_lines(part.s);
		if (used + lines <= room || t->n <= LEAST_ROWS)
			break;
		lines = used + lines - room;
		t->n = t->n > lines + LEAST_ROWS ? t->n - lines : t->n - 1;
	}
	sbuf_add(b, part.s, part.len);
	if (t->n < all)
		sbuf_addf(b, "and %zu more: tpucost ps\n", all - t->n);
}

static enum err_code add_age(
	struct app *app, struct sbuf *b, const struct out_style *style, struct err *e)
{
	char age[DURATION_BUF], text[DURATION_BUF + 64];
	struct freshness f;

	if (session_freshness(app, BASIS_INVENTORY, &f, e))
		return e->code;
	if (!f.oldest)
		snprintf(text, sizeof(text),
			"not all sources have been polled yet; see: tpucost sources");
	else
		snprintf(text, sizeof(text), "inventory %s old%s",
			duration_format(app->now - f.oldest, age),
			!f.stale                        ? ""
				: f.complete < f.polled ? "; see: tpucost sources"
							: "; run: tpucost collect");
	glance_line(b, "Data", text, f.stale ? OUT_YELLOW : NULL, style);
	return E_OK;
}

static int draw(struct app *app, struct err *e)
{
	struct query q = {
		.view = "resources",
		.only = "NOT (kind IN ('tpu', 'vm') AND state = 'stopped') AND "
			"(net_per_hour > "
			"0 OR kind IN ('tpu', 'vm', 'queued'))",
		.columns = "name,location???,type??,running_hours?,net_per_hour,currency,"
			   "covered?,why",
		.order = "net_per_hour IS NULL AND kind IN ('tpu', 'vm') DESC, "
			 "net_per_hour IS NULL, " BY_CURRENCY "net_per_hour DESC, id",
		.basis = BASIS_INVENTORY,
		.no_totals = true, /* the summary lines have them */
	};
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, left_out = SBUF_INIT; /* not shown */
	struct doc_section *t;

	style.left_out = &left_out;
	if (app->o.all)
		q.only = NULL;
	if (session_open(app, e) || glance_add(app, &b, &style, MOST_LINES, e) ||
		add_age(app, &b, &style, e) || query_fetch(app, &q, false, &t, e))
		return cmd_fail(e);
	sbuf_addc(&b, '\n');
	if (t->n)
		add_rows(&b, t, &style);
	else
		sbuf_adds(&b,
			app->o.where || app->o.project ? "No row matches.\n"
						       : "No resource is running.\n");
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_top(struct app *app, struct err *e)
{
	const struct watch w = {.title = "tpucost top (q quits)",
		.seconds = app->o.watch >= 0 ? app->o.watch : USUAL_SECONDS,
		.draw = draw};
	enum out_format format;

	if (!watch_can_redraw())
		return cmd_refuse(e, "use: tpucost status, or tpucost ps --watch 5",
			"top: standard output is not a terminal");
	app->o.watch = w.seconds;
	if (watch_check(app, &format, e))
		return cmd_fail(e);
	return watch_run(app, &w, e);
}
