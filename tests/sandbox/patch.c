/* Changing a world that is running: what is given is set, added or removed, all or nothing. */
#include "tests/sandbox/world_parts.h"

#include <string.h>

static const char *text_at(const char *thing, size_t place)
{
	const char *s = NULL;

	if (place != SIZE_MAX)
		memcpy(&s, thing + place, sizeof(s));
	return s;
}

/* Does what is given of the name and place fit? The thing must be named. */
static bool is_meant(
	const struct patchable *p, const char *thing, const struct yaml_node *n)
{
	const struct {
		const char *key;
		size_t place;
	} parts[] = {{"name", p->name}, {"project", p->project}, {"zone", p->zone},
		{"region", p->region}};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const struct yaml_node *given = yaml_get(n, parts[i].key);
		const char *is = text_at(thing, parts[i].place);

		if (!given && i)
			continue;
		if (!given || !given->text || !is || strcmp(given->text, is) != 0)
			return false;
	}
	return true;
}

static char *array_of(const struct patchable *p, struct world *w, size_t **n)
{
	char *array;

	*n = (size_t *)(void *)((char *)w + p->n);
	memcpy(&array, (char *)w + p->array, sizeof(array));
	return array;
}

/* Index of the one thing that is meant; *n when there is none or more than one. */
static size_t find_meant(const struct patchable *p, struct world *w,
	const struct yaml_node *item, size_t *matches)
{
	size_t *n, at = 0;
	char *array = array_of(p, w, &n);

	*matches = 0;
	for (size_t i = 0; i < *n; i++) {
		if (!is_meant(p, array + i * p->size, item))
			continue;
		at = i;
		++*matches;
	}
	return *matches == 1 ? at : *n;
}

/* One thing of a list: its fields are set, or it is added. */
static enum err_code put_one(struct binder *b, const struct patchable *p, struct world *w,
	const struct yaml_node *item, struct err *e)
{
	struct field fields[32];
	size_t *n, matches, at;
	char *old = array_of(p, w, &n), *array;

	if (item->type != YAML_MAP)
		return yaml_err(item, e, "%s: want \"key: value\" pairs", p->key);
	at = find_meant(p, w, item, &matches);
	if (matches > 1)
		return yaml_err(item, e, "%s: more than one has this name", p->key);
	memcpy(fields, p->fields, p->n_fields * sizeof(*fields));
	for (size_t i = 0; matches && i < p->n_fields; i++)
		fields[i].required = false;
	array = arena_alloc(b->a, (*n + 1) * p->size);
	if (*n)
		memcpy(array, old, *n * p->size);
	if (bind_map(b, item, p->key, fields, p->n_fields, array + at * p->size, e) ||
		world_check_topology(b->a, item, e))
		return e->code;
	memcpy((char *)w + p->array, &array, sizeof(array));
	*n += matches ? 0 : 1;
	return E_OK;
}

static enum err_code remove_one(const struct patchable *p, struct world *w,
	const struct yaml_node *item, struct err *e)
{
	size_t *n, matches, at = find_meant(p, w, item, &matches);
	char *old = array_of(p, w, &n), *array;

	if (matches != 1)
		return yaml_err(item, e, "%s: %zu have this name", p->key, matches);
	array = arena_alloc(&w->arena, *n * p->size);
	memcpy(array, old, at * p->size);
	memcpy(array + at * p->size, old + (at + 1) * p->size, (*n - at - 1) * p->size);
	memcpy((char *)w + p->array, &array, sizeof(array));
	--*n;
	return E_OK;
}

static const struct patchable *find_patchable(const char *key)
{
	for (size_t i = 0; i < n_patchables; i++)
		if (!strcmp(patchables[i].key, key))
			return &patchables[i];
	return NULL;
}

/* remove: {instances: [{name: x}]} */
static enum err_code patch_remove(
	struct world *w, const struct yaml_node *map, struct err *e)
{
	YAML_EACH (list, map) {
		const struct patchable *p = find_patchable(list->key);

		if (!p)
			return yaml_err_key(list, e, "remove: unknown list");
		YAML_EACH (item, list) {
			if (remove_one(p, w, item, e))
				return e->code;
		}
	}
	return E_OK;
}

/* billing: more rows, behind those there are. */
static enum err_code patch_billing(
	struct binder *b, struct world *w, const struct yaml_node *rows, struct err *e)
{
	struct world more = {0};
	struct billing_line *all;

	if (world_read_lines(b, rows, &more, e))
		return e->code;
	all = arena_alloc(b->a, (w->n_lines + more.n_lines + 1) * sizeof(*all));
	if (w->n_lines)
		memcpy(all, w->lines, w->n_lines * sizeof(*all));
	if (more.n_lines)
		memcpy(all + w->n_lines, more.lines, more.n_lines * sizeof(*all));
	w->lines = all;
	w->n_lines += more.n_lines;
	return E_OK;
}

static enum err_code patch_list(
	struct binder *b, struct world *w, const struct yaml_node *list, struct err *e)
{
	const struct patchable *p = find_patchable(list->key);

	if (!strcmp(list->key, "remove"))
		return patch_remove(w, list, e);
	if (!strcmp(list->key, "billing_rows"))
		return patch_billing(b, w, list, e);
	if (!strcmp(list->key, "iam"))
		return world_read_iam(b, list, w, e);
	if (!strcmp(list->key, "operations")) {
		w->op_script = (struct op_script){0};
		return world_read_operations(b, list, w, e);
	}
	if (!strcmp(list->key, "unreachable")) {
		w->unreachable_compute.n = w->unreachable_tpu.n = 0;
		return world_read_unreachable(b, list, w, e);
	}
	if (!p)
		return yaml_err_key(list, e, "a patch has no key \"%s\"", list->key);
	YAML_EACH (item, list) {
		if (put_one(b, p, w, item, e))
			return e->code;
	}
	return E_OK;
}

enum err_code world_patch(
	const char *text, size_t len, ts_t now, struct world *w, struct err *e)
{
	struct world next = *w;
	struct reading r = {.w = &next, .now = now};
	struct binder b = {.a = &next.arena, .file = "patch", .ctx = &r};
	struct yaml_node *root = NULL;

	if (yaml_parse(text, len, "patch", b.a, &root, e))
		goto out;
	if (!root || root->type != YAML_MAP) {
		yaml_err(root, e, "a patch is a map of lists");
		goto out;
	}
	YAML_EACH (list, root) {
		if (patch_list(&b, &next, list, e))
			goto out;
	}
	world_defaults(&next, now);
	*w = next;
	return E_OK;
out:
	w->arena = next.arena; /* it may have grown */
	return e->code;
}
