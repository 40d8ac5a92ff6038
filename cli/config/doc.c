#include "cli/config/doc.h"

#include "cli/config/config.h"

#include <string.h>

struct listing {
	struct arena *a;
	struct config_key *v;
	size_t n, cap;
};

static void add_keys(
	struct listing *l, const struct field_set *set, const char *prefix, int depth)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct field *f = &set->v[i];
		const char *path = arena_printf(l->a, "%s%s", prefix, f->key);

		l->v = arena_grow(l->a, l->v, l->n, &l->cap, sizeof(*l->v));
		l->v[l->n++] = (struct config_key){
			.path = path, .field = f, .depth = depth};
		if (f->sub)
			add_keys(l, f->sub,
				arena_printf(l->a, "%s%s.", path, f->sub->list ? "[]" : ""),
				depth + 1);
	}
}

size_t config_doc_keys(struct arena *a, struct config_key **out)
{
	struct listing l = {.a = a};

	add_keys(&l, &config_keys, "", 0);
	*out = l.v;
	return l.n;
}

bool config_key_within(const char *key, const char *path)
{
	while (*path) {
		if (key[0] == '[' && path[0] != '[')
			key += 2;
		if (*key++ != *path++)
			return false;
	}
	return !*key || *key == '.' || *key == '[';
}
