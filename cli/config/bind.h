/* Binding of YAML maps to structs by tables of key, type, position and meaning. `check` also suggests
 * keys from these tables. With
 *
 *	{"every", BIND_DURATION, offsetof(struct poll, every), .required = true},
 *	{"mode", BIND_WORD, offsetof(struct poll, mode), .words = modes},
 *
 * "{every: 10m}" sets poll.every to 600 and does not change poll.mode; "{evry: 10m}" is E_CONFIG
 * "file:1:2: ...", did you mean 'every'?; "{mode: fast}" lacks "every". */
#ifndef TPUCOST_CLI_CONFIG_BIND_H
#define TPUCOST_CLI_CONFIG_BIND_H

#include "base/err.h"
#include "base/mem.h"
#include "base/data/yaml.h"

enum bind_type {
	BIND_TEXT,     /* const char * */
	BIND_PATH,     /* const char *: relative to the configuration file, "~/" is home */
	BIND_DURATION, /* int64_t seconds: 30s 10m 6h 30d */
	BIND_MONEY,    /* struct money: 300 USD */
	BIND_CURRENCY, /* char[4] */
	BIND_ZONE,     /* const char *: a Google zone such as us-central1-f */
	BIND_SCALAR, /* read by the function below from n->text; all types above are text too */
	BIND_FLAG,  /* bool */
	BIND_COUNT, /* int64_t >= 0 */
	BIND_TEXTS, /* struct texts: a list of strings, or one string */
	BIND_WORD,  /* const char *: one of `words` */
	BIND_ENUM,  /* an enum: which one of `words` it is; so is a BIND_FLAG with words */
	BIND_NODE,  /* const struct yaml_node *: read later */
	BIND_MAP,   /* the keys of `sub`, in the same struct or in a part of it */
	BIND_LIST, /* a list of maps with the keys of `sub`: a pointer to an array, and after it
		       its size_t length */
	BIND_OTHER, /* read by the function below */
};

struct texts {
	const char **v;
	size_t n;
};

struct binder {
	struct arena *a;
	const char *file; /* the configuration file */
	void *ctx;        /* for BIND_OTHER */
	struct {
		const char **v;
		size_t n, cap;
	} paths; /* that were read, of all BIND_PATH */
};

/* Reads a value. `obj` points to the field, or to the struct for a map. */
typedef enum err_code bind_fn(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e);

struct field {
	const char *key;
	enum bind_type type;
	size_t offset;
	bind_fn *read;
	bool required;
	/* For the reference of keys; only keys of the configuration have these. */
	const char *doc;   /* meaning, with the unit */
	const char *def;   /* default when absent, as text; NULL: none */
	const char *shape; /* accepted values, where the type does not describe them */
	const struct field_set *sub; /* keys of the map, or of each map of the list */
	const char *const *words;    /* of BIND_WORD and BIND_ENUM; NULL ends them */
};

struct field_set {
	const struct field *v;
	size_t n;
	bool list;        /* a list of such maps */
	const char *what; /* in messages: "poll" */
	bind_fn *check;   /* called after the map, or the list of maps, was read; or NULL */
	size_t size;      /* of an element of BIND_LIST */
	const void *start; /* an element with the defaults; NULL: zeros */
};

/* Name of the type, such as "text" or "duration"; `shape` if the field has one. */
const char *bind_type_name(const struct field *f);

/* Fills `obj` from the map. Unknown keys and invalid values are E_CONFIG file:line:col. Fields
 * that are absent keep their values. A null map is valid unless a key is required. */
enum err_code bind_map(struct binder *b, const struct yaml_node *map, const char *what,
	const struct field *fields, size_t n, void *obj, struct err *e) must_check;

/* Fills `obj` by a set of fields and runs the check of the set. */
enum err_code bind_set(struct binder *b, const struct yaml_node *map,
	const struct field_set *set, void *obj, struct err *e) must_check;

/* Reads a list of maps, each into `size` bytes of a struct; *out is set to the array. */
enum err_code bind_list(struct binder *b, const struct yaml_node *seq, const char *what,
	const struct field *fields, size_t n, size_t size, void **out, size_t *n_out,
	struct err *e) must_check;

/* Reads a list of maps as BIND_LIST; `at` points to its pointer. */
enum err_code bind_items(struct binder *b, const struct yaml_node *seq, const char *what,
	const struct field_set *set, void *at, struct err *e) must_check;

/* Reads one scalar of a type to `at`. */
enum err_code bind_value(struct binder *b, const struct yaml_node *n, enum bind_type type,
	void *at, struct err *e) must_check;

/* Reads one of a few words; *out is set to the static one. The error names all words and the
 * nearest. */
enum err_code bind_one_of(const struct yaml_node *n, const char *const *words, size_t count,
	const char **out, struct err *e) must_check;

bool zone_valid(const char *s); /* us-central1-f, us-south1-ai1b */

#endif
