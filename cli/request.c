#include "cli/request.h"

#include "base/sbuf.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/session.h"

#define REQUEST_QUERY_MS 3000
#define REQUEST_ROWS 20000

static struct sbuf said = {.s = sbuf_empty};

static void collect_said(const char *text, bool error)
{
	(void)error;
	sbuf_addf(&said, "%s%s", said.len ? "\n" : "", text);
}

void request_begin(struct app *app, const struct app *base)
{
	*app = (struct app){.clock = base->clock,
		.argv = base->argv,
		.cmd = base->cmd,
		.now = clock_now(base->clock),
		.served = true,
		.query_ms = REQUEST_QUERY_MS,
		.max_rows = REQUEST_ROWS};
	opts_init(&app->o);
	app->o.config = base->o.config;
	sbuf_reset(&said);
	say_to(collect_said);
}

const char *request_said(void)
{
	return said.s;
}

void request_end(struct app *app)
{
	say_to(NULL);
	session_close(app);
	config_free(app);
	arena_done(&app->arena);
}
