/* Command `backup`: a copy of the database while other processes read and write it. */
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/target.h"
#include "db/db.h"

#include <sys/stat.h>

static enum err_code look_at(
	const struct app *app, const char *path, int64_t *rows, struct err *e)
{
	struct db *copy;
	int64_t tables;
	enum err_code rc;

	if (db_open(path, DB_READ, app->clock, &copy, e))
		return e->code;
	rc = db_count(copy, &tables, rows, e);
	db_close(copy);
	return rc;
}

int cmd_backup(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct stat st = {0};
	const char *path;
	int64_t rows;

	path = app->args[0];
	if (str_eq(path, "-")) {
		err_set_fix(e, E_USAGE, "name a file",
			"backup: a database is not written to the output");
		return cmd_fail(e);
	}
	if (db_open(app->cfg->database, DB_READ, app->clock, &app->db, e) ||
		target_check(app, path, e) ||
		db_backup(app->db, path, app->o.overwrite, e) ||
		look_at(app, path, &rows, e) || stat(path, &st))
		return cmd_fail(e);
	sbuf_add_term(&b, path);
	sbuf_addf(&b, ": %lld rows in %lld KiB, checked\n", (long long)rows,
		((long long)st.st_size + 1023) / 1024);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}
