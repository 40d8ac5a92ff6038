/* Strict YAML: one document, no anchors, aliases, tags, directives or merge keys, no empty or
 * duplicate keys, depth at most 32, valid UTF-8, at most 256 KiB. Uses libyaml's event interface,
 * whose cost stays linear on hostile input. Every node has its line and column, and every error has
 * the form "file:line:col: message". Scalars are text; the caller converts them to a type. */
#ifndef TPUCOST_BASE_DATA_YAML_H
#define TPUCOST_BASE_DATA_YAML_H

#include "base/err.h"
#include "base/mem.h"

#define YAML_MAX_BYTES (256 * 1024)
#define YAML_MAX_DEPTH 32

enum yaml_type { YAML_SCALAR, YAML_SEQ, YAML_MAP };

struct yaml_node {
	enum yaml_type type;
	const char *file; /* as given by the caller, for messages */
	int line, col;    /* 1-based */
	const char *text; /* scalar: its value */
	bool plain;       /* scalar: written without quotes */
	const char *key;  /* inside a map: its key */
	int key_line, key_col;
	struct yaml_node *child; /* first item of a sequence or map */
	struct yaml_node *next;  /* next item of the parent */
	size_t n;                /* items */
};

/* Parse text; nodes and a copy of `file` are allocated from `a`. An empty document gives *out =
 * NULL. E_CONFIG "file:line:col: message"; a column counts characters. */
enum err_code yaml_parse(const char *text, size_t len, const char *file, struct arena *a,
	struct yaml_node **out, struct err *e) must_check;
/* Read and parse a regular file (a FIFO, device or directory is E_IO). A missing file is
 * E_NOTFOUND, a file that is too large is E_CONFIG. */
enum err_code yaml_load(const char *path, struct arena *a, struct yaml_node **out,
	struct err *e) must_check;

/* Value of a key in a map, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
#define YAML_EACH(it, parent)                                                    \
	for (const struct yaml_node *it = (parent) ? (parent)->child : NULL; it; \
		it = it->next)

/* A plain ~, null or empty scalar, or NULL. */
bool yaml_is_null(const struct yaml_node *n);

/* E_CONFIG "file:line:col: message" at the node (at its key with yaml_err_key; without the place
 * when `n` is NULL). Control characters are made visible, so the message stays on one line. */
enum err_code yaml_err(const struct yaml_node *n, struct err *e, const char *fmt, ...)
	printf_like(3, 4);
enum err_code yaml_err_key(const struct yaml_node *n, struct err *e, const char *fmt, ...)
	printf_like(3, 4);
/* Put "file:line:col: " before the message in `e` and make it E_CONFIG. */
enum err_code yaml_err_at(const struct yaml_node *n, struct err *e);

/* Check that the node is a map with only these keys; an unknown one is an error whose `fix`
 * suggests the most similar one. `what` names the map in messages ("budgets[2]"). */
enum err_code yaml_check_keys(const struct yaml_node *map, const char *what,
	const char *const *keys, size_t n, struct err *e) must_check;

/* Typed scalars; errors contain the expected and the actual type. A null is not a value. Booleans
 * are only plain true and false; integers only decimal digits (no 010, 1_000, +1, 1e3). The text of
 * yaml_str is valid as long as the arena. */
enum err_code yaml_str(
	const struct yaml_node *n, const char **out, struct err *e) must_check;
enum err_code yaml_bool(const struct yaml_node *n, bool *out, struct err *e) must_check;
enum err_code yaml_i64(const struct yaml_node *n, int64_t min, int64_t max, int64_t *out,
	struct err *e) must_check;

#endif
