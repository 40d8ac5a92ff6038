/* `tpucost import`: files of the billing export. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/money.h"
#include "base/str.h"
#include "cli/out/out.h"
#include "cli/net/wire.h"
#include "collector/import/import.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ------------------------------------------------------------------------------- */

#define BAR 24
#define REDRAW_MS 200

struct bar {
	bool show;
	struct clock *clock;
	const char *name;
	int64_t began_ms, drawn_ms;
};

static void bar_clear(const struct bar *b)
{
	if (b->show && b->drawn_ms)
		fputs("\r\033[K", stderr);
}

/* "billing.json.gz  ██████░░░░  43 %  310 k rows/s  0:12 left" in ASCII. */
static void bar_draw(void *ctx, int64_t bytes, int64_t size, int64_t rows)
{
	struct bar *b = ctx;
	int64_t now = clock_mono_ms(b->clock), ms = now - b->began_ms, left;
	int64_t done = size > 0 ? bytes * BAR / size : 0;
	char drawn[BAR + 1];

	if (!b->show || now - b->drawn_ms < REDRAW_MS || ms <= 0 || bytes <= 0)
		return;
	b->drawn_ms = now;
	memset(drawn, '.', BAR);
	memset(drawn, '#', (size_t)(done < BAR ? done : BAR));
	drawn[BAR] = '\0';
	left = (size - bytes) * ms / bytes / 1000;
	fprintf(stderr, "\r\033[K%.30s [%s] %3lld %%  %lld k rows/s  %lld:%02lld left",
		b->name, drawn, (long long)(size > 0 ? bytes * 100 / size : 100),
		(long long)(rows / ms), (long long)(left / 60), (long long)(left % 60));
}

/* ---- results ---------------------------------------------------------------------------------- */

static void import_add_sums(struct sbuf *b, const struct import_result *r)
{
	char amount[NANOS_BUF];

	for (size_t i = 0; i < r->n_sums; i++)
		sbuf_addf(b, "%s%s %s", i ? " and " : ", net ",
			nanos_format_fixed((int64_t)(r->sums[i].cost + r->sums[i].credits),
				currency_digits(r->sums[i].currency), amount),
			r->sums[i].currency);
}

/* Decimal of 1e-18 units. */
static void import_add_rounding(
	struct sbuf *b, const char *path, const struct import_sum *s)
{
	__int128 rest = s->rounding < 0 ? -s->rounding : s->rounding;

	if (rest * 2 < NANOS) /* below half a nano-unit */
		return;
	sbuf_addf(b,
		"note: %s: amounts with more than nine decimals were rounded; the exact "
		"sum differs by %s%lld.%018lld %s\n",
		path, s->rounding < 0 ? "-" : "", (long long)(rest / NANOS / NANOS),
		(long long)(rest % ((__int128)NANOS * NANOS)), s->currency);
}

static void import_add_notes(
	struct sbuf *b, const char *path, const struct import_result *r)
{
	if (r->billed)
		sbuf_addf(b, "note: %s: BilledCost was read as %s credits\n", path,
			r->billed == IMPORT_BILLED_AFTER ? "after" : "before");
	if (r->no_credits)
		sbuf_addf(b, "note: %s has no credits: net is %s\n", path,
			r->is_focus ? "BilledCost, which may be before credits"
				    : "the cost before credits");
	if (r->unnamed)
		sbuf_addf(b,
			"note: %s: provider not named in %lld row%s: read as Google "
			"Cloud\n",
			path, (long long)r->unnamed, r->unnamed == 1 ? "" : "s");
	if (r->no_month)
		sbuf_addf(b,
			"note: %s: %lld row%s without an invoice month: omitted by "
			"cost --month and report month\n",
			path, (long long)r->no_month, r->no_month == 1 ? "" : "s");
	if (r->bad_rates)
		sbuf_addf(b,
			"note: %s: %lld row%s with a conversion rate that is not positive, "
			"the first in line %lld: read without it\n",
			path, (long long)r->bad_rates, r->bad_rates == 1 ? "" : "s",
			(long long)r->bad_rate_at);
	for (size_t i = 0; i < r->n_sums; i++)
		import_add_rounding(b, path, &r->sums[i]);
}

static void say_result(struct sbuf *b, const char *path, const struct import_result *r)
{
	char first[DATE_BUF], last[DATE_BUF], when[RFC3339_BUF];

	if (r->known) {
		sbuf_addf(b, "%s: already imported on %s; nothing to do\n", path,
			rfc3339_format(r->imported, when));
		return;
	}
	sbuf_addf(b, "%s: %lld row%s, %zu day%s from %s to %s", path, (long long)r->rows,
		r->rows == 1 ? "" : "s", r->days, r->days == 1 ? "" : "s",
		date_format(r->first, first), date_format(r->last, last));
	import_add_sums(b, r);
	sbuf_addc(b, '\n');
	import_add_notes(b, path, r);
}

static void json_result(struct jw *w, const char *path, const struct import_result *r)
{
	char first[DATE_BUF], last[DATE_BUF];

	jw_begin(w, '{');
	jw_kstr(w, "file", path);
	jw_ki64(w, "rows", r->rows);
	jw_key(w, "known");
	jw_bool(w, r->known);
	if (!r->known) {
		jw_ki64(w, "days", (int64_t)r->days);
		jw_kstr(w, "first", date_format(r->first, first));
		jw_kstr(w, "last", date_format(r->last, last));
	}
	for (size_t i = 0; !r->known && i < r->n_sums; i++) {
		char key[16];

		snprintf(key, sizeof(key), "net_%s", r->sums[i].currency);
		jw_key(w, key);
		jw_nanos(w, (int64_t)(r->sums[i].cost + r->sums[i].credits));
	}
	if (r->billed)
		jw_kstr(w, "billed_cost",
			r->billed == IMPORT_BILLED_AFTER ? "after-credits"
							 : "before-credits");
	if (r->foreign)
		jw_ki64(w, "rows_of_other_providers", r->foreign);
	if (r->unnamed)
		jw_ki64(w, "rows_without_provider", r->unnamed);
	if (r->no_month)
		jw_ki64(w, "rows_without_invoice_month", r->no_month);
	if (r->bad_rates)
		jw_ki64(w, "rows_with_bad_rate", r->bad_rates);
	jw_end(w, '}');
}

/* ---- the command -------------------------------------------------------------------------------- */

struct importing {
	struct app *app;
	struct import_opts o;
	struct bar bar;
	struct sbuf text;
	struct jw json;
	size_t failed, stored, partial;
	/* Files that were refused before a file was found that identifies the extract of the
	 * command. */
	struct postponed {
		const char *path;
		struct err why;
	} * later;
	size_t n_later;
};

static void import_refuse(struct importing *x, const struct err *e)
{
	say_err("tpucost: import", e);
	x->failed++;
}

static void one_file(struct importing *x, const char *path)
{
	struct import_result r;
	struct err e = {0};

	x->bar.name = str_after_last(path, '/');
	x->bar.began_ms = clock_mono_ms(x->app->clock);
	x->bar.drawn_ms = 0;
	if (import_file(&x->o, path, &r, &e)) {
		bar_clear(&x->bar);
		if (e.code == E_CONFLICT && !x->o.batch && x->later)
			x->later[x->n_later++] = (struct postponed){.path = path, .why = e};
		else
			import_refuse(x, &e);
		return;
	}
	bar_clear(&x->bar);
	if (!x->o.batch)
		x->o.batch = r.batch;
	x->stored += !r.known;
	if (r.foreign) {
		x->partial++;
		err_set(&e, E_DATA, "%s: %lld row%s of other providers skipped: %s", path,
			(long long)r.foreign, r.foreign == 1 ? "" : "s", r.providers);
		say_err("tpucost: import", &e);
	}
	if (x->app->format == OUT_TABLE)
		say_result(&x->text, path, &r);
	else
		json_result(&x->json, path, &r);
}

/* Parts of an extract whose first part was invalid the last time: a later part is already stored
 * and identifies the extract of the first one. */
static void postponed_files(struct importing *x)
{
	struct postponed *later = x->later;

	x->later = NULL;
	for (size_t i = 0; i < x->n_later; i++)
		if (x->o.batch)
			one_file(x, later[i].path);
		else
			import_refuse(x, &later[i].why);
}

static int run_import(struct importing *x, struct err *e)
{
	struct app *app = x->app;
	struct err unsaid = {0};
	int said = 0;

	x->json = (struct jw){.b = &x->text};
	if (x->app->format != OUT_TABLE)
		jw_begin(&x->json, '[');
	x->later = arena_alloc(&app->arena, (size_t)app->n_args * sizeof(*x->later));
	for (int i = 0; i < app->n_args; i++)
		one_file(x, app->args[i]);
	postponed_files(x);
	if (x->app->format != OUT_TABLE) {
		jw_end(&x->json, ']');
		sbuf_addc(&x->text, '\n');
	}
	/* Print what was stored, even if deriving data from it fails. */
	if ((x->app->format != OUT_TABLE || !app->o.quiet) && out_write(&x->text, &unsaid))
		said = cmd_fail(&unsaid);
	if (x->stored && writer_derive(app, e))
		return cmd_fail(e);
	if (said)
		return said;
	if (x->failed == (size_t)app->n_args)
		return EXIT_FAILED;
	return x->failed || x->partial ? EXIT_PARTIAL : EXIT_FINE;
}

static enum err_code import_read_billed(
	const char *text, enum import_billed *out, struct err *e)
{
	*out = !text                            ? IMPORT_BILLED_ASK
		: str_eq(text, "after-credits") ? IMPORT_BILLED_AFTER
						: IMPORT_BILLED_BEFORE;
	if (!text || *out == IMPORT_BILLED_AFTER || str_eq(text, "before-credits"))
		return E_OK;
	return err_set_fix(e, E_USAGE, "use after-credits or before-credits",
		"import: '%s' is not a value of --billed-cost", text);
}

int cmd_import(struct app *app, struct err *e)
{
	enum import_billed billed;
	struct importing x = {.app = app,
		.text = SBUF_INIT,
		.bar = {.show = !app->o.quiet && isatty(STDERR_FILENO),
			.clock = app->clock}};
	cleanup(close_fd) int lock = -1;
	int rc;

	if (import_read_billed(app->o.billed_cost, &billed, e) ||
		writer_open(app, &lock, e))
		return cmd_fail(e);
	if (app->format != OUT_TABLE && app->format != OUT_JSON)
		return cmd_refuse(e, "", "import: --format must be table or json");
	x.o = (struct import_opts){.db = app->db,
		.tz = app->cfg->tz,
		.now = clock_now(app->clock),
		.may_overlap = app->o.allow_overlap,
		.billed = billed,
		.progress = bar_draw,
		.ctx = &x.bar};
	rc = run_import(&x, e);
	sbuf_done(&x.text);
	return rc;
}
