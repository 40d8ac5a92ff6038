/* Binding YAML maps into structs through tables: key, type, place, meaning. The tables are
 * also what `check` suggests keys from. With
 *
 *	{"every", BIND_DURATION, offsetof(struct poll, every), .required = true},
 *	{"mode", BIND_WORD, offsetof(struct poll, mode), .words = modes},
 *
 * "{every: 10m}" makes poll.every 600 and leaves poll.mode as it was; "{evry: 10m}" is E_CONFIG
 * "file:1:2: ...", did you mean "every"?; "{mode: fast}" lacks "every". */
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
	BIND_SCALAR, /* read by the function below, from n->text: those before are texts too */
	BIND_FLAG,  /* bool */
	BIND_COUNT, /* int64_t >= 0 */
	BIND_TEXTS, /* struct texts: a list of strings, or one string */
	BIND_WORD,  /* const char *: one of `words` */
	BIND_ENUM,  /* an enum: which one of `words` it is */
	BIND_NODE,  /* const struct yaml_node *: looked at later */
	BIND_MAP,   /* the keys of `sub`, in the same struct or in a part of it */
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
};

/* `obj` is the place of a field, or the struct of a map. */
typedef enum err_code bind_fn(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e);

struct field {
	const char *key;
	enum bind_type type;
	size_t offset;
	bind_fn *read;
	bool required;
	/* For the reference of keys; keys of other files than the configuration have none. */
	const char *doc;   /* its meaning, with the unit */
	const char *def;   /* what it is when absent, in words; NULL: nothing */
	const char *shape; /* what it takes, where the type does not say it */
	const struct field_set
		*sub; /* keys of the map, or of each map of the list, that it is */
	const char *const *words; /* of BIND_WORD and BIND_ENUM; NULL ends them */
};

struct field_set {
	const struct field *v;
	size_t n;
	bool list;        /* a list of such maps */
	const char *what; /* in messages: "poll" */
	bind_fn *check;   /* of the map, when it is read; or NULL */
};

/* "text", "duration": of `shape`, where that is given. */
const char *bind_type_name(const struct field *f);

/* Fill `obj` from the map; unknown keys and bad values are E_CONFIG file:line:col. Fields
 * that are absent keep what they hold. A null map is fine unless something is required. */
enum err_code bind_map(struct binder *b, const struct yaml_node *map, const char *what,
	const struct field *fields, size_t n, void *obj, struct err *e) must_check;

/* The same for a set, and its check. */
enum err_code bind_set(struct binder *b, const struct yaml_node *map,
	const struct field_set *set, void *obj, struct err *e) must_check;

/* A list of maps, each `size` bytes of struct; *out gets the array. */
enum err_code bind_list(struct binder *b, const struct yaml_node *seq, const char *what,
	const struct field *fields, size_t n, size_t size, void **out, size_t *n_out,
	struct err *e) must_check;

/* One scalar of a type; `at` points to the place. */
enum err_code bind_value(struct binder *b, const struct yaml_node *n, enum bind_type type,
	void *at, struct err *e) must_check;

/* One of a few words; *out gets the static one. The error names them all, and the nearest. */
enum err_code bind_one_of(const struct yaml_node *n, const char *const *words, size_t count,
	const char **out, struct err *e) must_check;

bool zone_valid(const char *s); /* us-central1-f, us-south1-ai1b */

#endif
