#include "rules/vocab/named.h"

#include "base/sbuf.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *kind, *word;
} ranked[] = {
	{"tpu", "TPU"},
	{"vm", "VM"},
	{"queued", "queued resource"},
	{"disk", "disk"},
	{"ip", "IP address"},
	{"snapshot", "snapshot"},
	{"bucket", "bucket"},
};

bool named_kind(const char *word)
{
	for (size_t i = 0; i < ARRAY_LEN(ranked); i++)
		if (str_ieq(ranked[i].kind, word))
			return true;
	return false;
}

/* Is a part of the key, except its last one, that word of `n` letters, with its slash? Google writes projects, kinds
 * and places in lower case. */
static bool has_part(const char *key, const char *word, size_t n)
{
	while (key && strncasecmp(key, word, n) != 0) {
		key = strchr(key, '/');
		if (key)
			key++;
	}
	return key != NULL;
}

/* Are the parts of the word, except the last one, parts of the key, in any order? */
static bool parts_fit(const char *key, const char *word)
{
	const char *slash;

	for (; (slash = strchr(word, '/')); word = slash + 1)
		if (!has_part(key, word, (size_t)(slash - word) + 1))
			return false;
	return true;
}

enum named_fit named_fit(const char *key, const char *word)
{
	const char *name = str_after_last(key, '/'), *last = str_after_last(word, '/');
	bool fits = parts_fit(key, word);

	if (!*word)
		return NAMED_NONE;
	if (!strcmp(key, word))
		return NAMED_KEY;
	if (fits && !strcmp(name, last))
		return NAMED_NAME;
	if ((fits && *last && str_starts(name, last)) || str_starts(key, word))
		return NAMED_PREFIX;
	return strstr(key, word) ? NAMED_PART : NAMED_NONE;
}

void named_add(struct named *x, struct arena *a, const char *id, const char *word)
{
	enum named_fit fit = named_fit(id, word);

	if (fit == NAMED_NONE || fit > x->fit)
		return;
	if (fit < x->fit)
		x->n = 0;
	x->fit = fit;
	*arena_append(a, x->ids, x->n, x->cap) = id;
}

/* Number of the kind in the order of preference. */
static size_t rank_of(const char *id)
{
	const char *kind = strchr(id, '/');
	size_t i = 0;

	if (!kind)
		return ARRAY_LEN(ranked);
	for (kind++; i < ARRAY_LEN(ranked); i++)
		if (str_starts(kind, ranked[i].kind) && kind[strlen(ranked[i].kind)] == '/')
			break;
	return i;
}

static int by_rank(const void *pa, const void *pb)
{
	const char *a = *(const char *const *)pa, *b = *(const char *const *)pb;
	size_t ra = rank_of(a), rb = rank_of(b);

	return ra != rb ? (ra < rb ? -1 : 1) : strcmp(a, b);
}

static bool have_one_name(const struct named *x)
{
	const char *name = str_after_last(x->ids[0], '/');

	for (size_t i = 1; i < x->n; i++)
		if (strcmp(str_after_last(x->ids[i], '/'), name) != 0)
			return false;
	return true;
}

const char *named_preferred(struct named *x)
{
	if (x->n)
		qsort(x->ids, x->n, sizeof(*x->ids), by_rank);
	if (!x->n ||
		(x->n > 1 &&
			(!have_one_name(x) || rank_of(x->ids[0]) == rank_of(x->ids[1]))))
		return NULL;
	return x->ids[0];
}

/* The shortest text that names only this one: KIND/NAME or the id. */
static void add_short(struct sbuf *b, const struct named *x, size_t i)
{
	size_t rank = rank_of(x->ids[i]), same = 0;

	for (size_t k = 0; k < x->n; k++)
		same += rank_of(x->ids[k]) == rank;
	if (same == 1 && rank < ARRAY_LEN(ranked))
		sbuf_addf(b, "%s/%s", ranked[rank].kind, str_after_last(x->ids[i], '/'));
	else
		sbuf_adds(b, x->ids[i]);
}

const char *named_others(const struct named *x, struct arena *a)
{
	size_t shown = x->n - 1 < NAMED_SHOWN ? x->n - 1 : NAMED_SHOWN, rank;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (x->n < 2)
		return NULL;
	rank = rank_of(x->ids[0]);
	sbuf_addf(&b, "%zu resources are named %s; this is the %s; others: ", x->n,
		str_after_last(x->ids[0], '/'),
		rank < ARRAY_LEN(ranked) ? ranked[rank].word : "first");
	for (size_t i = 1; i <= shown; i++) {
		sbuf_adds(&b, i > 1 ? ", " : "");
		add_short(&b, x, i);
	}
	if (x->n - 1 > shown)
		sbuf_addf(&b, " and %zu more", x->n - 1 - shown);
	return arena_strdup(a, b.s);
}

static const char *nearest(const char *const *all, size_t n, const char *word)
{
	const char **names = xcalloc(n + 1, sizeof(*names)), *near;

	for (size_t i = 0; i < n; i++)
		names[i] = strchr(word, '/') ? all[i] : str_after_last(all[i], '/');
	near = str_nearest(word, names, n);
	free(names);
	return near;
}

enum err_code named_ambiguous(
	const char *word, const char *const *names, size_t n, struct err *e)
{
	size_t shown = n < NAMED_SHOWN ? n : NAMED_SHOWN;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < shown; i++)
		sbuf_addf(&b, "%s%.150s", i ? ", " : "", names[i]);
	err_set(e, E_USAGE, "'%.80s' is ambiguous (%zu matches): %s%s", word, n, b.s,
		n > shown ? ", ..." : "");
	return err_fix(e, "%s", n > shown ? "type a longer name" : "type one of them");
}

enum err_code named_only(struct named *x, const char *const *all, size_t n_all,
	const char *word, const char *what, const char **id, struct err *e)
{
	const char *near;

	if (x->n == 1 && x->fit <= NAMED_NAME) {
		*id = x->ids[0];
		return E_OK;
	}
	/* The beginning of a name is not enough: node-1 may just have been deleted, and node-10 not be
	 * meant. */
	if (!x->n || x->fit > NAMED_NAME) {
		near = x->n == 1 && x->fit == NAMED_PREFIX ? x->ids[0]
							   : nearest(all, n_all, word);
		x->n = 0;
		err_set(e, E_NOTFOUND, "there is no %s '%.200s'", what, word);
		return near ? err_fix(e, "did you mean '%.200s'?", near)
			    : err_fix(e, "see: tpucost ps --all");
	}
	qsort(x->ids, x->n, sizeof(*x->ids), by_rank);
	return named_ambiguous(word, x->ids, x->n, e);
}
