/* Resources, and other objects, that a word of the user names. */
#ifndef TPUCOST_RULES_VOCAB_NAMED_H
#define TPUCOST_RULES_VOCAB_NAMED_H

#include "base/err.h"
#include "base/mem.h"

/* Quality of the match between a word and a key; lower is better. A key is the id of a resource,
 * PROJECT/KIND/LOCATION/NAME, or another name. */
enum named_fit {
	NAMED_KEY,  /* the whole key */
	NAMED_NAME, /* NAME, also as KIND/NAME, PROJECT/NAME, KIND/PROJECT/NAME, ... */
	/* for commands that change nothing */
	NAMED_PREFIX, /* the same with the beginning of NAME, or the beginning of the key */
	NAMED_PART,   /* any part of the key */
	NAMED_NONE,
};
enum named_fit named_fit(const char *key, const char *word);
/* Is the word a kind of resource, such as vm or TPU? */
bool named_kind(const char *word);

#define NAMED_SHOWN 5 /* matches that an error lists */

struct named {
	const char **
		ids; /* all resources with the best fit, ordered by kind: TPUs, machines, others */
	size_t n, cap;
	enum named_fit fit;
};
#define NAMED_INIT                \
	{                         \
		.fit = NAMED_NONE \
	}

/* Adds the id if it fits, and drops those that fit less well. The id must live as long as `x`, the
 * list is allocated from `a`. */
void named_add(struct named *x, struct arena *a, const char *id, const char *word);
/* The one that is meant: the only one, or of several with the same name the only TPU, else the only
 * machine, else the only one of the next kind. NULL: ambiguous, or none. Orders the ids. For
 * commands that change nothing. */
const char *named_preferred(struct named *x);
/* "3 resources are named lab-1; this is the TPU; others: vm/lab-1, disk/lab-1". NULL if there are
 * no others. Allocated from `a`. Requires a preferred one. */
const char *named_others(const struct named *x, struct arena *a);

/* E_USAGE, with the first NAMED_SHOWN of the `n` names. */
enum err_code named_ambiguous(
	const char *word, const char *const *names, size_t n, struct err *e) must_check;

/* For commands that change something: the only one whose whole name or id the word is, without
 * preference.
 * E_NOTFOUND: none, with the nearest of `all`; E_USAGE: several. `what` is the kind of object for
 * the message, such as "machine or TPU". */
enum err_code named_only(struct named *x, const char *const *all, size_t n_all,
	const char *word, const char *what, const char **id, struct err *e) must_check;

#endif
