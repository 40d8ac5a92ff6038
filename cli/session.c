#include "cli/session.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "collector/source/source.h"
#include "db/db.h"
#include "db/recipe.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"
#include "reports/access.h"
#include "rules/derive/derive.h"
#include "rules/enforce/halt.h"
#include "rules/grant/zones.h"
#include "rules/price/account.h"

#include <string.h>
#include <unistd.h>

enum err_code session_rollups_fit(void *ctx, bool *fit, struct err *e)
{
	struct app *app = ctx;
	char stamp[TZ_STAMP_BUF];
	const char *zone;
	bool current;

	if (db_rollups_current(app->db, &current, e) ||
		db_meta(app->db, "rollup_timezone", &app->arena, &zone, e))
		return e->code;
	*fit = current && !app->bill_hidden && !strcmp(zone, tz_stamp(app->cfg->tz, stamp));
	return E_OK;
}

#define BILL_IS_OTHER                                                                     \
	"the stored bill has days of another time zone, or was read with another detail " \
	"or "                                                                             \
	"other first and last days (billing:)"
#define BILL_ANEW "run: tpucost collect billing"

/* mark: the source of such a table counts as never read. */
static enum err_code table_is_other(struct app *app, const struct billing_export *t,
	bool mark, bool *other, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct q_billing_table_stored_in in = {.name = t->name};
	struct q_billing_table_unread_in unread = {
		.name = t->name, .error = BILL_IS_OTHER, .fix = BILL_ANEW};
	struct q_billing_table_stored row;
	bool found;

	if (q_billing_table_stored_one(app->db, &in, &app->arena, &row, &found, e))
		return e->code;
	if (!found ||
		bill_recipe_fits(row.recipe,
			bill_recipe(0, cfg->billing_by_day, cfg->tz, t->from, t->until)))
		return E_OK;
	*other = true;
	return mark ? q_billing_table_unread(app->db, &unread, e) : E_OK;
}

static enum err_code bill_is_other(struct app *app, bool mark, bool *other, struct err *e)
{
	*other = false;
	for (size_t i = 0; i < app->cfg->n_billing_tables; i++)
		if (table_is_other(app, &app->cfg->billing_tables[i], mark, other, e))
			return e->code;
	return E_OK;
}

enum err_code session_mark_bill(struct app *app, struct err *e)
{
	bool other;

	return bill_is_other(app, true, &other, e);
}

enum err_code session_hide_bill(struct app *app, struct err *e)
{
	if (bill_is_other(app, false, &app->bill_hidden, e))
		return e->code;
	if (!app->bill_hidden)
		return E_OK;
	if (!app->o.quiet && !app->daemon)
		say("note: no cost of the bill is known: %s; %s", BILL_IS_OTHER, BILL_ANEW);
	return bill_hide(app->db, app->cfg->tz, e);
}

/* A reader cannot mark the file. */
static enum err_code hide_bill_of_reader(struct app *app, struct err *e)
{
	static const char *const status[] = {"source_status"};
	bool other;

	if (bill_is_other(app, false, &other, e))
		return e->code;
	if (!other)
		return E_OK;
	if (db_shadow(app->db, status, 1, true, e) ||
		db_shadow_copy(app->db, status[0], NULL, 0, 0, e) ||
		session_mark_bill(app, e))
		return e->code;
	return session_hide_bill(app, e);
}

static enum err_code period(
	struct app *app, void *ctx, ts_t *since, ts_t *until, struct err *e)
{
	(void)ctx;
	if (app->o.since && query_time(app, app->o.since, since, e))
		return e->code;
	if (app->o.until && query_time(app, app->o.until, until, e))
		return e->code;
	if (*since != TS_NONE && *until != TS_NONE && *since >= *until) {
		err_set(e, E_USAGE, "--since %s is not before --until %s", app->o.since,
			app->o.until);
		return e->code;
	}
	return E_OK;
}

/* For this query only; takes seconds for millions of rows. */
static enum err_code roll_up(void *ctx, struct err *e)
{
	struct app *app = ctx;
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_billing_any any;
	bool found;

	if (db_begin(app->db, &tx, e) || db_make_rollups(app->db, e) ||
		q_billing_any_one(app->db, &app->arena, &any, &found, e) ||
		rollup_all(app->db, app->cfg->tz, e))
		return e->code;
	if (found)
		say("note: the daily sums of the bill were computed for this query only, "
		    "because the stored ones were made by another version or in another "
		    "time zone; to store them: tpucost collect");
	return db_commit(&tx, e);
}

static enum err_code derive_for(
	struct app *app, ts_t now, ts_t since, ts_t until, struct err *e)
{
	const struct derive_opts o = {.settings = &app->cfg->settings,
		.now = now,
		.since = since,
		.until = until};

	return derive_begin(app->db, &o, e);
}

enum err_code session_present(struct app *app, ts_t now, ts_t *out, struct err *e)
{
	struct q_clock_was_right q;
	bool found;

	*out = now;
	if (!app->cfg->currency[0]) {
		if (account_currency(app->db, app->cfg->bill_currency, e))
			return e->code;
		app->cfg->settings.currency = app->cfg->bill_currency;
	}
	if (q_clock_was_right_one(app->db, &app->arena, &q, &found, e))
		return e->code;
	app->clock_wrong = found && q.until.set;
	app->clock_unknown = found && q.wrong && !q.until.set;
	if (app->clock_wrong)
		*out = q.until.v;
	return E_OK;
}

enum err_code session_open_for(struct app *app, ts_t since, ts_t until, struct err *e)
{
	app->bill_hidden = false;
	if (db_open(app->cfg->database, DB_READ, app->clock, &app->db, e) ||
		db_hold(app->db, e))
		return e->code;
	if (session_present(app, app->now, &app->now, e) || hide_bill_of_reader(app, e))
		return e->code;
	if (!app->bill_hidden)
		db_ask_rollups(app->db, session_rollups_fit, roll_up, app);
	return derive_for(app, app->now, since, until, e);
}

/* A take-over replaces the database of a standby. */
static enum err_code session_check_standby(struct app *app, struct err *e)
{
	const char *host = NULL;

	if (app->daemon || app->leading || app->on_standby)
		return E_OK;
	if (standby_for(app->db, app->cfg->settings.enforcement, &app->arena, &host, e))
		return e->code;
	if (!host && (app->decides || !app->cfg->enforcement.lease))
		return E_OK;
	app->needs_net = !host && !lease_asker;
	/* It may have lost the lease since its last cycle. */
	if (!host)
		return lease_asker ? lease_asker(app, e)
				   : err_set(e, E_BUSY, "the lease is to be read");
	return err_set_fix(e, E_BUSY,
		str_eq(host, STANDBY_OF_NONE)
			? "run the command again when the lease is held"
			: "run the command on the machine that holds the lease",
		"nothing was recorded, because this machine is a standby: %s holds the "
		"lease %s",
		host, app->cfg->enforcement.lease);
}

enum err_code session_open_to_record(struct app *app, struct err *e)
{
	return db_open(app->cfg->database, DB_WRITE, app->clock, &app->db, e)
		? e->code
		: session_check_standby(app, e);
}

enum err_code session_open_to_write(struct app *app, struct err *e)
{
	const struct q_meta_drop_in kept = {.key = STATUS_KEPT};
	ts_t now;

	if (session_open_to_record(app, e) || q_meta_drop(app->db, &kept, e) ||
		session_present(app, clock_now(app->clock), &now, e))
		return e->code;
	return derive_for(app, now, TS_NONE, TS_NONE, e);
}

/* Names of projects that the configuration or the database contains; the latter has `name`, if it knows
 * it. */
static enum err_code known_projects(
	struct app *app, const char *name, const char ***names, size_t *n, struct err *e)
{
	const struct texts *cfg = &app->cfg->projects;
	struct q_known_projects_in in = {.project = name};
	struct {
		const char **v;
		size_t n, cap;
	} list = {0};
	struct q_known_projects row;
	struct db_rows rows;

	if (q_known_projects_open(app->db, &in, &rows, e))
		return e->code;
	for (size_t i = 0; i < cfg->n; i++)
		*arena_push(&app->arena, &list) = cfg->v[i];
	while (q_known_projects_next(&rows, &row))
		*arena_push(&app->arena, &list) = arena_strdup(&app->arena, row.project);
	*names = list.v;
	*n = list.n;
	return db_rows_close(&rows, e);
}

enum err_code session_check_project(struct app *app, struct err *e)
{
	char *copy = arena_strdup(&app->arena, app->o.project), *name;

	while (copy && (name = strsep(&copy, ","))) {
		const char **names;
		size_t n;

		if (known_projects(app, name, &names, &n, e))
			return e->code;
		if (*name && str_in(name, names, n))
			continue;
		err_set(e, E_USAGE, "--project: there is no project '%.60s'", name);
		return near_fix(e, str_nearest(name, names, n), "see: tpucost sources");
	}
	return E_OK;
}

enum err_code session_open_of(
	struct app *app, session_period_fn *asked, void *ctx, struct err *e)
{
	ts_t since = TS_NONE, until = TS_NONE;

	if (asked(app, ctx, &since, &until, e) || session_open_for(app, since, until, e))
		return e->code;
	if (!app->clock_wrong)
		return E_OK;
	session_close(app);
	return asked(app, ctx, &since, &until, e) ? e->code
						  : session_open_for(app, since, until, e);
}

enum err_code session_open(struct app *app, struct err *e)
{
	return session_open_of(app, period, NULL, e) ? e->code
						     : session_check_project(app, e);
}

void session_close(struct app *app)
{
	db_close(app->db);
	app->db = NULL;
	app->bill_hidden = false;
}

/* Names for programs, and in notes. */
static const struct {
	enum basis basis;
	const char *name, *data;
} bases[] = {
	{BASIS_BILLING, "billing", "billing data"},
	{BASIS_QUOTAS, "quotas", "quota data"},
	{BASIS_METRICS, "metrics", "metric data"},
	{BASIS_INVENTORY, "inventory", "inventory"},
};

enum basis basis_main(unsigned basis)
{
	for (size_t i = 0; i < ARRAY_LEN(bases); i++)
		if (basis & bases[i].basis)
			return bases[i].basis;
	return BASIS_NONE;
}

const char *basis_name(unsigned basis)
{
	for (size_t i = 0; i < ARRAY_LEN(bases); i++)
		if (basis & bases[i].basis)
			return bases[i].name;
	return "records";
}

enum err_code session_freshness(
	struct app *app, unsigned basis, struct freshness *out, struct err *e)
{
	struct q_freshness row;
	ts_t oldest;
	bool found;

	*out = (struct freshness){0};
	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		struct q_freshness_in in = {.basis = bases[i].name};

		if (!(basis & bases[i].basis))
			continue;
		if (q_freshness_one(app->db, &in, &app->arena, &row, &found, e))
			return e->code;
		oldest = row.oldest.set && !row.unread ? row.oldest.v : 0;
		if (row.polled && (!out->polled || oldest < out->oldest))
			out->oldest = oldest;
		out->polled += row.polled + row.unread;
		out->complete += row.complete;
		out->stale += row.stale + row.unread;
		out->unread += row.unread;
	}
	return E_OK;
}

static enum err_code note_gaps(struct app *app, struct err *e)
{
	const struct q_gap_locations_in in = {.projects = app->o.project};
	struct q_gap_locations row;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct db_rows rows;

	if (q_gap_locations_open(app->db, &in, &rows, e))
		return e->code;
	while (q_gap_locations_next(&rows, &row))
		sbuf_addf(&b, "%s%s", b.len ? ", " : "", row.location);
	if (b.len)
		say("note: unreachable in the last poll: %s; the last known data is "
		    "shown",
			b.s);
	return db_rows_close(&rows, e);
}

static enum err_code note_not_current(struct app *app, struct err *e)
{
	const struct q_not_current_in in = {.projects = app->o.project};
	struct q_not_current row;
	bool found;

	if (q_not_current_one(app->db, &in, &app->arena, &row, &found, e))
		return e->code;
	if (found && row.n)
		say("note: %lld %s not read in the last poll (complete = 0)",
			(long long)row.n, row.n == 1 ? "resource was" : "resources were");
	return E_OK;
}

enum err_code session_note_rate(struct app *app, struct err *e)
{
	const char *words = NULL;

	if (app->cfg->currency[0] && !app->o.quiet &&
		account_rate_missing(app->db, app->cfg->currency, &app->arena, &words, e))
		return e->code;
	if (words)
		say("note: %s", words);
	return E_OK;
}

enum err_code session_note_access(struct app *app, struct err *e)
{
	const char *words;
	bool missing;

	if (app->o.quiet || app->format != OUT_TABLE)
		return E_OK;
	if (access_words(app->db, &app->arena, &words, &missing, e))
		return e->code;
	if (missing)
		say("Based on: %s.", words);
	return E_OK;
}

void session_note_clock(struct app *app)
{
	char at[TZ_TIME_BUF];

	if (app->clock_wrong && !app->o.quiet)
		say("note: the clock of this machine is wrong; this is the state of %s %s, "
		    "when it was last right; see: tpucost doctor",
			tz_time(app->cfg->tz, app->now, at), tz_name(app->cfg->tz));
}

static enum err_code note_lacks(struct app *app, struct err *e)
{
	struct q_bill_read row;
	bool found;

	if (q_bill_read_one(app->db, &app->arena, &row, &found, e))
		return e->code;
	if (found && row.lacks)
		say("note: the billing data was not read completely in the last poll: %s",
			row.lacks);
	return E_OK;
}

static enum err_code note_age(
	struct app *app, enum basis basis, const char *what, struct err *e)
{
	char age[DURATION_BUF];
	struct freshness f;

	if (session_freshness(app, basis, &f, e))
		return e->code;
	if (f.unread)
		say("note: %lld project%s of `projects:` %s not polled yet; run: tpucost "
		    "collect",
			(long long)f.unread, f.unread == 1 ? "" : "s",
			f.unread == 1 ? "was" : "were");
	if (f.stale > f.unread && !f.oldest)
		say("note: parts of the %s have not been read completely yet; see: tpucost "
		    "sources",
			what);
	else if (f.stale > f.unread)
		say("note: the %s is %s old; %s", what,
			duration_format(app->now - f.oldest, age),
			f.complete < f.polled ? "see: tpucost sources"
					      : "run: tpucost collect");
	else if (basis == BASIS_BILLING)
		return note_lacks(app, e);
	return E_OK;
}

enum err_code session_note(struct app *app, unsigned basis, struct err *e)
{
	if (!basis || app->o.quiet)
		return E_OK;
	if (app->clock_wrong) {
		session_note_clock(app);
		return session_note_access(app, e);
	}
	for (size_t i = 0; i < ARRAY_LEN(bases); i++)
		if ((basis & bases[i].basis) &&
			!(bases[i].basis == BASIS_BILLING && app->bill_hidden) &&
			note_age(app, bases[i].basis, bases[i].data, e))
			return e->code;
	if ((basis & BASIS_INVENTORY) &&
		(note_gaps(app, e) || note_not_current(app, e) ||
			session_note_rate(app, e)))
		return e->code;
	return session_note_access(app, e);
}

void zones_known(struct app *app, struct tpu_zones *z)
{
	const struct config *cfg = app->cfg;
	struct db *own = NULL, *db = app->db;
	struct err ignored = {0};

	*z = (struct tpu_zones){0};
	if (!cfg)
		return;
	tpu_zones_add_prices(z, &app->arena, cfg->prices, cfg->n_prices);
	if (!db && !access(cfg->database, F_OK) &&
		!db_open(cfg->database, DB_READ, app->clock, &own, &ignored))
		db = own;
	/* without the database, the built-in list is used */
	if (db && tpu_zones_read(db, &app->arena, z, &ignored))
		err_clear(&ignored);
	if (own)
		db_close(own);
}
