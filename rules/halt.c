/* The places of halt files. */
#include "rules/halt.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct found {
	struct arena *a;
	struct halt_place *v;
	size_t n, cap;
};

/* Each once; `path` is freed. */
static struct halt_place *add(struct found *f, char *path)
{
	cleanup(free_ptr) char *own = path;

	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->v[i].path, path))
			return &f->v[i];
	f->v = arena_grow(f->a, f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n] = (struct halt_place){.path = arena_strdup(f->a, path)};
	return &f->v[f->n++];
}

static void add_all(struct found *f, const struct halt_file *file)
{
	cleanup(free_ptr) char *at = xstrdup(file->beside);
	struct halt_place *last = add(f, fs_resolve(at, "halt"));
	char *next = NULL;

	for (int i = 0; i < FS_LINKS && (next = fs_link_target(at)); i++) {
		free(at);
		at = next;
		last = add(f, fs_resolve(at, "halt"));
	}
	/* A circle, or a link that nobody may read. A place behind it cannot be looked at, which halts, nor
	 * written, which is no halt. */
	if (next || (errno != EINVAL && errno != ENOENT && errno != ENOTDIR))
		last = add(f, fs_resolve(arena_printf(f->a, "%s/", at), "halt"));
	last->written |= file->written;
	last->must |= file->must;
}

struct halt_place *halt_places(const struct enforcement *en, struct arena *a, size_t *n)
{
	struct found f = {.a = a};

	for (size_t i = 0; i < en->n_halt_files; i++)
		add_all(&f, &en->halt_files[i]);
	*n = f.n;
	return f.v;
}

bool halt_is_at(const char *path)
{
	struct stat st;

	return !lstat(path, &st) || (errno != ENOENT && errno != ENOTDIR);
}

bool halt_found(const struct enforcement *en, struct arena *a, const char **path)
{
	size_t n;
	const struct halt_place *v = halt_places(en, a, &n);

	for (size_t i = 0; i < n; i++) {
		*path = v[i].path;
		if (halt_is_at(*path))
			return true;
	}
	*path = NULL;
	return false;
}
