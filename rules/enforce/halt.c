/* The places of halt files. */
#include "rules/enforce/halt.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct found {
	struct arena *a;
	struct halt_place *v;
	size_t n, cap;
};

/* Add each place once; `path` is freed. */
static struct halt_place *halt_add(struct found *f, char *path)
{
	cleanup(free_ptr) char *own = path;

	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->v[i].path, path))
			return &f->v[i];
	*arena_push(f->a, f) = (struct halt_place){.path = arena_strdup(f->a, path)};
	return &f->v[f->n - 1];
}

static void halt_add_all(struct found *f, const struct halt_file *file)
{
	cleanup(free_ptr) char *at = xstrdup(file->beside);
	struct halt_place *last = halt_add(f, fs_resolve(at, "halt"));
	char *next = NULL;

	for (int i = 0; i < FS_LINKS && (next = fs_link_target(at)); i++) {
		free(at);
		at = next;
		last = halt_add(f, fs_resolve(at, "halt"));
	}
	/* A circle of links: a place behind it cannot be checked, which halts, nor written, which
	 * does not halt. A directory without search permission has the same effect. */
	if (next ||
		(errno != EINVAL && errno != ENOENT && errno != ENOTDIR && errno != EACCES))
		last = halt_add(f, fs_resolve(arena_printf(f->a, "%s/", at), "halt"));
	last->written |= file->written;
	last->must |= file->must;
}

static struct found find_places(const struct enforcement *en, struct arena *a)
{
	struct found f = {.a = a};

	for (size_t i = 0; i < en->n_halt_files; i++)
		halt_add_all(&f, &en->halt_files[i]);
	return f;
}

struct halt_place *halt_places(const struct enforcement *en, struct arena *a, size_t *n)
{
	struct found f = find_places(en, a);

	*n = f.n;
	return f.v;
}

bool halt_is_at(const char *path)
{
	struct stat st;

	return !lstat(path, &st) || (errno != ENOENT && errno != ENOTDIR);
}

bool halt_found(const struct enforcement *en, const struct db *db, struct arena *a,
	const char **path)
{
	struct found f = find_places(en, a);

	if (db && *db_file(db))
		halt_add(&f, fs_resolve(db_file(db), "halt"));
	for (size_t i = 0; i < f.n; i++) {
		*path = f.v[i].path;
		if (halt_is_at(*path))
			return true;
	}
	*path = NULL;
	return false;
}

enum err_code standby_for(struct db *db, const struct enforcement *en, struct arena *a,
	const char **host, struct err *e)
{
	const char *mark = "";

	*host = NULL;
	if (en && en->lease && db_meta(db, STANDBY_MARK, a, &mark, e))
		return e->code;
	if (*mark)
		*host = mark;
	return E_OK;
}

enum err_code lease_fault(struct db *db, const struct enforcement *en, struct arena *a,
	const char **why, struct err *e)
{
	struct q_source_state_in in = {.source = "lease", .project = ""};
	struct q_source_state row;
	bool found;

	*why = NULL;
	if (!en || !en->lease)
		return E_OK;
	if (q_source_state_one(db, &in, a, &row, &found, e))
		return e->code;
	if (found && str_eq(row.state, "failed"))
		*why = row.fix ? arena_printf(a, "%s; %s", row.error, row.fix) : row.error;
	return E_OK;
}
