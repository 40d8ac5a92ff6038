/* What the files that read worlds share. */
#ifndef TPUCOST_TESTS_SANDBOX_WORLD_PARTS_H
#define TPUCOST_TESTS_SANDBOX_WORLD_PARTS_H

#include "tests/sandbox/sandbox.h"

struct reading {
	struct world *w;
	ts_t now;
};

/* A list whose things are told apart by name and place. */
struct patchable {
	const char *key;
	const struct field *fields;
	size_t n_fields, size, array, n;    /* size of one thing; places in the world */
	size_t project, name, zone, region; /* places in one; SIZE_MAX: it has none */
};
extern const struct patchable patchables[];
extern const size_t n_patchables;

/* Readers of a key's value; `obj` is the world. */
enum err_code world_read_lines(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code world_read_iam(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code world_read_unreachable(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
enum err_code world_read_operations(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e) must_check;
/* Is the topology of a thing one of the family of its type? */
enum err_code world_check_topology(
	struct arena *a, const struct yaml_node *item, struct err *e) must_check;
void world_defaults(struct world *w, ts_t now);

#endif
