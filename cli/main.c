/* Main program of tpucost: options, dispatch, and execution of the other programs. */
#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/session.h"
#include "cli/screen/screen.h"
#include "db/db.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef TPUCOST_LIBEXECDIR
#define TPUCOST_LIBEXECDIR "/usr/local/libexec/tpucost"
#endif

/* Sets `path` to another program of tpucost: in the same directory when built or unpacked, else in the
 * directory where it was installed. */
static bool find_program(const char *name, char *path, size_t size)
{
	static const char *const beside[] = {"", "../libexec/tpucost/"};
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0) {
		char *slash;

		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			slash[1] = '\0';
		for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
			int len = snprintf(path, size, "%s%s%s", self, beside[i], name);

			if (len > 0 && (size_t)len < size && !access(path, X_OK))
				return true;
		}
	}
	snprintf(path, size, "%s/%s", TPUCOST_LIBEXECDIR, name);
	return !access(path, X_OK);
}

static int hand_over(struct app *app)
{
	const char *name = app->cmd->needs & NEED_WEB ? "tpucost-web" : "tpucost-net";
	char path[4096 + 64];
	struct err e;

	if (!find_program(name, path, sizeof(path))) {
		err_set_fix(&e, E_IO,
			"run: make install, or keep the programs in one directory",
			"%s: the program %s is not installed in the directory of tpucost",
			app->cmd->name, name);
		return cmd_fail(&e);
	}
	execv(path, app->argv);
	err_sys(&e, E_IO, errno, "run %s", path);
	return cmd_fail(&e);
}

static enum err_code pick_command(struct app *app, struct err *e)
{
	int used;

	if (app->o.version || app->o.help || !app->n_args) {
		app->cmd = cmd_find(app->o.version                              ? "version"
				: app->o.help || access(config_path(app), F_OK) ? "help"
										: "status");
		/* `tpucost CMD --help` is `tpucost help CMD` */
		return E_OK;
	}
	app->cmd = cmd_find_words(app->args, app->n_args, &used);
	if (app->cmd) {
		app->args += used;
		app->n_args -= used;
		return E_OK;
	}
	err_set(e, E_USAGE, "unknown command '%.60s'", app->args[0]);
	return near_fix(e, near_command(&app->arena, app->args[0]), "see: tpucost help");
}

static enum err_code check_args(struct app *app, int argc, char **argv, struct err *e)
{
	if (app->o.help || app->o.version)
		return E_OK;
	if (opts_check(argc, argv, app->cmd, app->n_args ? app->args[0] : NULL, e))
		return e->code;
	if (out_format_parse(app->o.format, &app->format, e)) {
		if (!(app->cmd->needs & OWN_FORMATS))
			return e->code;
		err_clear(e);
	}
	if (!app->n_args && app->cmd->lacks) {
		const char *fix = strstr(app->cmd->lacks, "; ") + 2;

		err_set(e, E_USAGE, "%s: %.*s", app->cmd->name,
			(int)(fix - 2 - app->cmd->lacks), app->cmd->lacks);
		return err_fix(e, "%s", fix);
	}
	if (app->n_args > app->cmd->max_args) {
		err_set(e, E_USAGE, "%s: unexpected argument '%.200s'", app->cmd->name,
			app->args[app->cmd->max_args]);
		return near_fix(e, near_below(&app->arena, app->cmd, app->args[0]),
			arena_printf(
				&app->arena, "see: tpucost %s --help", app->cmd->name));
	}
	return E_OK;
}

/* Message for the first start of tpucost. */
static int welcome(struct err *e)
{
	static const char text[] =
		"tpucost: the cost of your Google Cloud TPUs and related resources, and "
		"what is free\n"
		"  tpucost init    find your project and write a configuration\n"
		"  tpucost help    list the commands\n";
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, text);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

static int run_loaded(struct app *app, struct err *e)
{
	if ((app->cmd->needs & NEED_DB) && session_open(app, e))
		return cmd_fail(e);
	return app->cmd->run(app, e);
}

/* If it finds out only now that it needs the network, nothing was printed yet. */
static int run_here_or_there(struct app *app, struct err *e)
{
	int rc = run_loaded(app, e);

	if (!app->needs_net)
		return rc;
	session_close(app);
	return hand_over(app);
}

/* Runs the command repeatedly, as it was given. */
static int watch_command(struct app *app, int argc, struct err *e)
{
	struct watch w = {.seconds = app->o.watch, .draw = run_loaded};
	cleanup(sbuf_done) struct sbuf title = SBUF_INIT;
	enum out_format format;

	if (watch_check(app, &format, e))
		return cmd_fail(e);
	w.document = format == OUT_JSON;
	sbuf_adds(&title, "tpucost");
	for (int i = 1; i < argc; i++) {
		sbuf_addc(&title, ' ');
		sbuf_add_shell(&title, app->argv[i]);
	}
	w.title = title.s;
	return watch_run(app, &w, e);
}

static int run(struct app *app, int argc, char **argv)
{
	char **const args =
		app->args; /* all arguments, including the words of the command */
	struct err e = {0};

	if (opts_parse(argc, argv, &app->o, app->args, &app->n_args, &e) ||
		pick_command(app, &e) || check_args(app, argc, argv, &e))
		return cmd_fail(&e);
	if (app->args == args && !app->o.help && !app->o.version &&
		app->cmd->run == cmd_help)
		return welcome(&e);
	say_quiet(app->o.quiet);
	if (app->o.no_pager)
		out_no_pager();
	log_setup(app->o.verbose ? LOG_INFO : LOG_WARN, getenv("JOURNAL_STREAM") != NULL);
	if (!app->cmd->run || (app->o.send && !report_sender) ||
		(app->o.apply && !enforce_applier) ||
		(app->cmd->run == cmd_cost && app->o.output &&
			str_ends(app->o.output, ".gz") && !gz_writer))
		return hand_over(app);
	/* only commands that fetch data use several threads */
	if (!(app->cmd->needs & NEED_NET) && !app->o.send && !app->o.apply)
		db_one_thread();
	if ((app->cmd->needs & NEED_CONFIG) && config_load(app, &e))
		return cmd_fail(&e);
	if (app->o.watch >= 0 && app->cmd->run != cmd_top)
		return watch_command(app, argc, &e);
	return run_here_or_there(app, &e);
}

int main(int argc, char **argv)
{
	struct app app = {.clock = clock_system(), .argv = argv};
	char **args;
	int rc;

	if (!fs_keep_streams())
		return EXIT_FAILED;
	/* A closed pipe or a full file is an error message, and does not kill the process in the middle of a
	 * transaction. Files that this program creates are readable by the user only. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	umask(077);
	/* A core file would contain keys, tokens and the URLs of webhooks. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){0});
	args = xcalloc((size_t)argc + 1, sizeof(*args));
	app.args = args;
	app.now = clock_now(app.clock);
	opts_init(&app.o);
	rc = run(&app, argc, argv);
	session_close(&app);
	config_free(&app);
	arena_done(&app.arena);
	free(args);
	return rc;
}
