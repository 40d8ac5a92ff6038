/* Command `rules test`: rules applied to resources described in YAML. */
#include "base/sbuf.h"
#include "cli/query.h"
#include "cli/trial/file.h"

static const struct doc_column columns[] = {
	{"file", .type = DOC_TEXT},
	{"step", .type = DOC_INT},
	{"at", .type = DOC_TIME},
	{"rule", .type = DOC_TEXT},
	{"subject", .type = DOC_TEXT},
	{"expected", .type = DOC_TEXT},
	{"actual", .type = DOC_TEXT},
	{"ok", .type = DOC_FLAG},
};

/* Totals over all files. */
struct tally {
	struct sbuf lines;
	struct doc_section *table;
	size_t n, failed;
};

/* ok 3 worlds/a.yaml +10m tpu-not-covered fires: tpu-1 */
static void rules_test_add_line(struct app *app, struct tally *y, const struct trial *t,
	const struct trial_check *c)
{
	struct sbuf *b = &y->lines;

	sbuf_addf(b, "%s %zu ", c->ok ? "ok" : "not ok", y->n + 1);
	sbuf_add_term(b, t->file);
	sbuf_addf(b, " %s%s%s %s", trial_offset(t, c->at, &app->arena), c->rule ? " " : "",
		c->rule ? c->rule : "", c->expected);
	if (c->subject) {
		sbuf_adds(b, ": ");
		sbuf_add_term(b, c->subject);
	}
	sbuf_addc(b, '\n');
	if (!c->ok) {
		sbuf_adds(b, "  - ");
		sbuf_add_term(b, c->expected);
		sbuf_adds(b, "\n  + ");
		sbuf_add_term(b, c->actual);
		sbuf_addc(b, '\n');
	}
}

static void rules_test_add_row(
	struct tally *y, const struct trial *t, const struct trial_check *c)
{
	struct doc_cell *row = doc_row(y->table)->cells;

	row[0] = cell_text(t->file);
	row[1] = cell_int((int64_t)c->step);
	row[2] = cell_time(c->at);
	row[3] = cell_text(c->rule);
	row[4] = cell_text(c->subject);
	row[5] = cell_text(c->expected);
	row[6] = cell_text(c->actual);
	row[7] = cell_int(c->ok);
}

static enum err_code run_file(
	struct app *app, const char *path, struct tally *y, struct err *e)
{
	struct config cfg = {0};
	struct trial t;
	struct trial_result result = {0};
	enum err_code rc = trial_file_read(app, path, &cfg, &t, e);

	if (!rc)
		rc = trial_run(&t, app->clock, &app->arena, &result, e);
	for (size_t i = 0; !rc && i < result.n; i++) {
		rules_test_add_line(app, y, &t, &result.v[i]);
		rules_test_add_row(y, &t, &result.v[i]);
		y->n++;
	}
	y->failed += result.failed;
	if (!rc && !result.n)
		say("note: %s has no expectations", path);
	tz_free(cfg.tz);
	return rc;
}

static int rules_test_print(struct app *app, struct tally *y, struct err *e)
{
	int rc;

	sbuf_addf(&y->lines, "1..%zu\n", y->n);
	if (app->format != OUT_TABLE)
		rc = query_print(app, y->table, "", e);
	else
		rc = out_write(&y->lines, e) ? cmd_fail(e) : EXIT_FINE;
	if (rc == EXIT_FINE && y->failed) {
		say("%zu of %zu not as expected", y->failed, y->n);
		rc = EXIT_NO;
	}
	return rc;
}

int cmd_rules_test(struct app *app, struct err *e)
{
	struct tally y = {.lines = SBUF_INIT,
		.table = doc_table(&app->arena, columns, ARRAY_LEN(columns))};
	int rc = EXIT_FINE;

	for (int i = 0; rc == EXIT_FINE && i < app->n_args; i++)
		if (run_file(app, app->args[i], &y, e))
			rc = cmd_fail(e);
	if (rc == EXIT_FINE)
		rc = rules_test_print(app, &y, e);
	sbuf_done(&y.lines);
	return rc;
}
