#include "cli/target.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/config/config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_sqlite(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	cleanup(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char start[sizeof(magic)];
	struct stat st;

	/* a pipe would lose what is read of it */
	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		read(fd, start, sizeof(start)) == (ssize_t)sizeof(start) &&
		!memcmp(start, magic, sizeof(start));
}

static const char *target_owner(const struct app *app, const char *path)
{
	const char *const keys[] = {
		app->o.credentials, config_env("GOOGLE_APPLICATION_CREDENTIALS")};
	const struct config *cfg = app->cfg;
	const char *why = cfg ? config_owns(cfg, path) : NULL;

	for (size_t i = 0; !why && cfg && i < cfg->files.n; i++)
		if (fs_same(path, cfg->files.v[i]))
			why = "is a file that the configuration names";
	for (size_t i = 0; !why && i < ARRAY_LEN(keys); i++)
		if (keys[i] && fs_same(path, keys[i]))
			why = "is the key of the credentials";
	if (!why && app->cmd->run != cmd_backup && is_sqlite(path))
		why = "is a database";
	return why;
}

const char *target_path(const struct app *app)
{
	return str_eq(app->o.output, "-") ? NULL : app->o.output;
}

enum err_code target_check(const struct app *app, const char *path, struct err *e)
{
	const char *why = path ? target_owner(app, path) : NULL;

	if (!why)
		return E_OK;
	return err_set_fix(e, E_CONFLICT, "choose another file", "%s: %s%s %s",
		app->cmd->name, app->o.output ? "--output: " : "", path, why);
}

enum err_code target_write(struct app *app, const struct sbuf *b, int mode, struct err *e)
{
	const char *path = target_path(app);

	if (!path)
		return out_write(b, e);
	return target_check(app, path, e) ? e->code
					  : fs_write_atomic(path, b->s, b->len, mode, e);
}
