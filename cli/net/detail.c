/* Asks BigQuery about lines of the bill. A command says first what it costs. From then on, SIGINT and SIGTERM cancel the
 * query before they end the program. A report that is due has a limit of time. */
#include "base/money.h"
#include "cli/daemon/daemon.h"
#include "cli/net/wire.h"
#include "cli/session.h"
#include "collector/bill/ask.h"
#include "db/db.h"
#include "gcp/bill/bigquery.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static struct clock *detail_clock;
static int64_t detail_ends_ms; /* 0: no limit */

static void detail_on_signal(int number)
{
	interrupted = number;
}

static const int detail_signals[] = {SIGINT, SIGTERM};
static struct sigaction detail_were[ARRAY_LEN(detail_signals)];
static bool detail_catches;

/* A second signal ends the program: BigQuery may not answer. */
static void detail_catch(bool on)
{
	const struct sigaction act = {
		.sa_handler = detail_on_signal, .sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; on != detail_catches && i < ARRAY_LEN(detail_signals); i++)
		sigaction(detail_signals[i], on ? &act : &detail_were[i],
			on ? &detail_were[i] : NULL);
	detail_catches = on;
}

static bool detail_stopped(void)
{
	return interrupted || daemon_ending() ||
		(detail_ends_ms && clock_mono_ms(detail_clock) > detail_ends_ms);
}

static enum err_code detail_tell(void *ctx, int64_t bytes, struct err *e)
{
	struct app *app = ctx;
	char gib[NANOS_BUF], usd[NANOS_BUF];
	int64_t amount = 0, price = 0;

	if (!nanos_muldiv(bytes, NANOS, GIB, &amount) ||
		!nanos_muldiv(bytes, BQ_TIB_PRICE, TIB, &price))
		return err_set(e, E_OVERFLOW, "BigQuery: bytes of a question");
	nanos_format_fixed(amount, 3, gib);
	if (bytes > app->cfg->billing_question_gib * GIB)
		return err_set_fix(e, E_LIMIT,
			app->cmd->run == cmd_cost ? "use a shorter period or --project, or "
						    "increase the limit"
						  : "increase the limit",
			"BigQuery would read %s GiB, and billing.question_gib is "
			"%lld",
			gib, (long long)app->cfg->billing_question_gib);
	if (detail_ends_ms)
		return E_OK;
	say_unless_quiet(
		"note: BigQuery reads %s GiB, about %s USD on demand; the first TiB of a "
		"month is free",
		gib, nanos_format_fixed(price, 4, usd));
	if (!app->o.quiet && isatty(STDERR_FILENO))
		fputs("asking BigQuery (Ctrl-C cancels) ...", stderr);
	detail_catch(true);
	return E_OK;
}

enum err_code detail_ask(
	struct app *app, const struct billing_question *q, int64_t max_ms, struct err *e)
{
	struct collect_settings settings = net_settings(app->cfg);
	cleanup(net_done) struct net net = {0};
	struct billing_asking x = {.settings = &settings,
		.a = &app->arena,
		.now = app->now,
		.tell = detail_tell,
		.ctx = app,
		.stopped = detail_stopped};
	enum err_code rc;

	session_close(app);
	app->on_standby = true; /* the answer may be lost */
	settings.max_bytes = app->cfg->billing_question_gib * GIB;
	if (net_open(app, &net, e) || session_open_to_write(app, e)) {
		session_close(app);
		return e->code;
	}
	x.gcp = net.gcp;
	x.db = app->db;
	detail_clock = app->clock;
	detail_ends_ms = max_ms ? clock_mono_ms(app->clock) + max_ms : 0;
	rc = billing_ask(&x, q, e);
	detail_catch(false);
	if ((rc == E_NET || rc == E_HTTP || rc == E_DATA) && !e->fix[0])
		err_fix(e, "try again; what is stored is unchanged");
	if (max_ms && rc == E_BUSY && clock_mono_ms(app->clock) > detail_ends_ms)
		rc = err_set(e, E_NET, "there is no answer of BigQuery after %lld s",
			(long long)(max_ms / 1000));
	if (!app->o.quiet && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	session_close(app);
	if (interrupted) {
		if (rc)
			say_err("tpucost", e);
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return rc;
}
